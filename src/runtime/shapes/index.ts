/** The converters of all output shapes, by name. */
import type { ShapeName } from "../../abi/plan.js";
import { batch } from "./batch.js";
import { codeActions } from "./code-actions.js";
import { completions } from "./completions.js";
import { diagnostics, workspaceDiagnostics } from "./diagnostics.js";
import { calls, types } from "./hierarchy.js";
import { codeLenses, foldingRanges, highlights, inlayHints, links, selectionRanges } from "./in-document.js";
import { items } from "./items.js";
import { locations } from "./locations.js";
import { membersShape } from "./members.js";
import { semanticTokens } from "./semantic-tokens.js";
import { serverStatus } from "./server-status.js";
import type { Shape } from "./shape.js";
import { source } from "./source.js";
import { documentSymbolsShape, workspaceSymbolsShape } from "./symbols.js";
import { hover, json, monikers, signatures, text } from "./texts.js";
import { workspaceEdit } from "./workspace-edit.js";

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
  source,
  items,
  members: membersShape((name) => runtimeShapes[name]),
};
