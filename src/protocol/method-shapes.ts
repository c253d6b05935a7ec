/**
 * The output shapes that fit the result of each LSP method, besides `json` and `text`, which fit any value. Methods
 * that are not listed, such as custom ones, may have any shape.
 */
import type { ShapeName } from "../abi/plan.js";

const places: readonly ShapeName[] = ["locations"];
/** The shapes of tools that edit files. */
export const editShapes: readonly ShapeName[] = ["workspace_edit", "text_edits"];

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
  "textDocument/formatting": editShapes,
  "textDocument/hover": ["hover"],
  "textDocument/implementation": places,
  "textDocument/inlayHint": ["inlay_hints"],
  "textDocument/moniker": ["monikers"],
  "textDocument/onTypeFormatting": editShapes,
  "textDocument/prepareCallHierarchy": ["calls", "types"],
  "textDocument/prepareTypeHierarchy": ["types", "calls"],
  "textDocument/rangeFormatting": editShapes,
  "textDocument/references": places,
  "textDocument/rename": editShapes,
  "textDocument/selectionRange": ["selection_ranges"],
  "textDocument/semanticTokens/full": ["semantic_tokens"],
  "textDocument/semanticTokens/range": ["semantic_tokens"],
  "textDocument/signatureHelp": ["signatures"],
  "textDocument/typeDefinition": places,
  "typeHierarchy/subtypes": ["types"],
  "typeHierarchy/supertypes": ["types"],
  "workspace/symbol": ["workspace_symbols"],
  "workspace/willCreateFiles": editShapes,
  "workspace/willDeleteFiles": editShapes,
  "workspace/willRenameFiles": editShapes,
  "workspaceSymbol/resolve": ["workspace_symbols"],
};

/** The shapes that fit the result of a method; undefined if any shape may. */
export function shapesOf(method: string): readonly ShapeName[] | undefined {
  return Object.hasOwn(table, method) ? table[method] : undefined;
}

/** The shapes that fit the result of at least one method. */
export const ofMethods: ReadonlySet<ShapeName> = new Set(Object.values(table).flat());
