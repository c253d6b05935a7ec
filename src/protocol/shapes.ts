/**
 * Output shapes as data, one file each: where the items stand, what one looks like, and in which order they come. The
 * runtime builds values to these facts and the generator writes output schemas from them. In the files' first lines
 * `<place>` is `line, character`; `<range>` is `line, character, end_line, end_character`; `path` is `uri` in a dialect
 * of URIs; `?` marks what may be absent.
 */
import type { ShapeName } from "../abi/plan.js";
import { batchFacts } from "./shapes/batch.js";
import { callsFacts } from "./shapes/calls.js";
import { codeActionsFacts } from "./shapes/code-actions.js";
import { codeLensesFacts } from "./shapes/code-lenses.js";
import { completionsFacts } from "./shapes/completions.js";
import { diagnosticsFacts } from "./shapes/diagnostics.js";
import { documentSymbolsFacts } from "./shapes/document-symbols.js";
import type { ShapeFacts } from "./shapes/facts.js";
import { foldingRangesFacts } from "./shapes/folding-ranges.js";
import { highlightsFacts } from "./shapes/highlights.js";
import { hoverFacts } from "./shapes/hover.js";
import { inlayHintsFacts } from "./shapes/inlay-hints.js";
import { jsonFacts } from "./shapes/json.js";
import { linksFacts } from "./shapes/links.js";
import { locationsFacts } from "./shapes/locations.js";
import { monikersFacts } from "./shapes/monikers.js";
import { selectionRangesFacts } from "./shapes/selection-ranges.js";
import { semanticTokensFacts } from "./shapes/semantic-tokens.js";
import { serverStatusFacts } from "./shapes/server-status.js";
import { signaturesFacts } from "./shapes/signatures.js";
import { textFacts } from "./shapes/text.js";
import { typesFacts } from "./shapes/types.js";
import { workspaceDiagnosticsFacts } from "./shapes/workspace-diagnostics.js";
import { textEditsFacts, workspaceEditFacts } from "./shapes/workspace-edit.js";
import { workspaceSymbolsFacts } from "./shapes/workspace-symbols.js";

export type { OrderKey, ShapeFacts } from "./shapes/facts.js";

/** The shapes that exist; a name of `ShapeName` that is absent here cannot be used yet. */
export const shapes: { readonly [shape in ShapeName]?: ShapeFacts } = {
  locations: locationsFacts,
  document_symbols: documentSymbolsFacts,
  workspace_symbols: workspaceSymbolsFacts,
  hover: hoverFacts,
  calls: callsFacts,
  types: typesFacts,
  diagnostics: diagnosticsFacts,
  workspace_diagnostics: workspaceDiagnosticsFacts,
  workspace_edit: workspaceEditFacts,
  text_edits: textEditsFacts,
  completions: completionsFacts,
  signatures: signaturesFacts,
  code_actions: codeActionsFacts,
  inlay_hints: inlayHintsFacts,
  semantic_tokens: semanticTokensFacts,
  folding_ranges: foldingRangesFacts,
  selection_ranges: selectionRangesFacts,
  links: linksFacts,
  highlights: highlightsFacts,
  code_lenses: codeLensesFacts,
  monikers: monikersFacts,
  text: textFacts,
  json: jsonFacts,
  batch: batchFacts,
  server_status: serverStatusFacts,
};

/** The names of the shapes that exist. */
export const shapeNames = Object.keys(shapes) as ShapeName[];
