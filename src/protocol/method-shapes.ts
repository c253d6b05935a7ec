/**
 * The shapes that the result of each LSP method can fill, beside `json` and `text`, which any value can. A method that is
 * not named here, a custom one above all, is free.
 */
import type { ShapeName } from "../abi/plan.js";

const places: readonly ShapeName[] = ["locations"];
const edits: readonly ShapeName[] = ["workspace_edit", "text_edits"];

const table: { readonly [method: string]: readonly ShapeName[] } = {
  "callHierarchy/incomingCalls": ["calls"],
  "callHierarchy/outgoingCalls": ["calls"],
  "codeAction/resolve": ["code_actions", "workspace_edit"],
  "codeLens/resolve": ["code_lenses"],
  "completionItem/resolve": ["completions"],
  "documentLink/resolve": ["links"],
  "inlayHint/resolve": ["inlay_hints"],
  "textDocument/codeAction": ["code_actions", "workspace_edit"],
  "textDocument/codeLens": ["code_lenses"],
  "textDocument/completion": ["completions"],
  "textDocument/declaration": places,
  "textDocument/definition": places,
  "textDocument/documentHighlight": ["highlights"],
  "textDocument/documentLink": ["links"],
  "textDocument/documentSymbol": ["document_symbols"],
  "textDocument/foldingRange": ["folding_ranges"],
  "textDocument/formatting": edits,
  "textDocument/hover": ["hover"],
  "textDocument/implementation": places,
  "textDocument/inlayHint": ["inlay_hints"],
  "textDocument/moniker": ["monikers"],
  "textDocument/onTypeFormatting": edits,
  "textDocument/prepareCallHierarchy": ["calls", "types"],
  "textDocument/prepareTypeHierarchy": ["types", "calls"],
  "textDocument/rangeFormatting": edits,
  "textDocument/references": places,
  "textDocument/rename": edits,
  "textDocument/selectionRange": ["selection_ranges"],
  "textDocument/semanticTokens/full": ["semantic_tokens"],
  "textDocument/semanticTokens/range": ["semantic_tokens"],
  "textDocument/signatureHelp": ["signatures"],
  "textDocument/typeDefinition": places,
  "typeHierarchy/subtypes": ["types"],
  "typeHierarchy/supertypes": ["types"],
  "workspace/symbol": ["workspace_symbols"],
  "workspace/willCreateFiles": edits,
  "workspace/willDeleteFiles": edits,
  "workspace/willRenameFiles": edits,
  "workspaceSymbol/resolve": ["workspace_symbols"],
};

/** The shapes that a method's result can fill; undefined when it may be any. */
export function shapesOf(method: string): readonly ShapeName[] | undefined {
  return Object.hasOwn(table, method) ? table[method] : undefined;
}

/** The shapes that the result of some method fills. */
export const ofMethods: ReadonlySet<ShapeName> = new Set(Object.values(table).flat());
