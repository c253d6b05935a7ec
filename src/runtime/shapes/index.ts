/** Every output shape of the runtime by name: the same set that the generator knows. */
import type { ShapeName } from "../../abi/plan.js";
import { batch } from "./batch.js";
import { calls } from "./calls.js";
import { codeActions } from "./code-actions.js";
import { codeLenses } from "./code-lenses.js";
import { completions } from "./completions.js";
import { diagnostics } from "./diagnostics.js";
import { documentSymbolsShape } from "./document-symbols.js";
import { foldingRanges } from "./folding-ranges.js";
import { highlights } from "./highlights.js";
import { hover } from "./hover.js";
import { inlayHints } from "./inlay-hints.js";
import { json } from "./json.js";
import { links } from "./links.js";
import { locations } from "./locations.js";
import { monikers } from "./monikers.js";
import { selectionRanges } from "./selection-ranges.js";
import { semanticTokens } from "./semantic-tokens.js";
import { serverStatus } from "./server-status.js";
import type { Shape } from "./shape.js";
import { signatures } from "./signatures.js";
import { text } from "./text.js";
import { types } from "./types.js";
import { workspaceDiagnostics } from "./workspace-diagnostics.js";
import { workspaceEdit } from "./workspace-edit.js";
import { workspaceSymbolsShape } from "./workspace-symbols.js";

/** Every shape by its name. */
export const runtimeShapes: { readonly [shape in ShapeName]?: Shape } = {
  locations,
  document_symbols: documentSymbolsShape,
  workspace_symbols: workspaceSymbolsShape,
  hover,
  calls,
  types,
  diagnostics,
  workspace_diagnostics: workspaceDiagnostics,
  workspace_edit: workspaceEdit,
  text_edits: workspaceEdit,
  completions,
  signatures,
  code_actions: codeActions,
  inlay_hints: inlayHints,
  semantic_tokens: semanticTokens,
  folding_ranges: foldingRanges,
  selection_ranges: selectionRanges,
  links,
  highlights,
  code_lenses: codeLenses,
  monikers,
  text,
  json,
  batch,
  server_status: serverStatus,
};
