/**
 * The output shapes as data: where the items are, what an item looks like, and how items are sorted. The runtime
 * builds answers from these facts, and the generator output schemas.
 */
import type { ShapeName } from "../abi/plan.js";
import { diagnosticsFacts, workspaceDiagnosticsFacts } from "./shapes/diagnostics.js";
import { codeActionsFacts, textEditsFacts, workspaceEditFacts } from "./shapes/edits.js";
import type { ShapeFacts } from "./shapes/facts.js";
import { itemsFacts, membersFacts } from "./shapes/members.js";
import * as places from "./shapes/places.js";
import * as symbols from "./shapes/symbols.js";
import * as values from "./shapes/values.js";

export type { ShapeFacts } from "./shapes/facts.js";

export const shapes: { readonly [shape in ShapeName]: ShapeFacts } = {
  locations: places.locationsFacts,
  document_symbols: symbols.documentSymbolsFacts,
  workspace_symbols: symbols.workspaceSymbolsFacts,
  hover: values.hoverFacts,
  calls: symbols.callsFacts,
  types: symbols.typesFacts,
  diagnostics: diagnosticsFacts,
  workspace_diagnostics: workspaceDiagnosticsFacts,
  workspace_edit: workspaceEditFacts,
  text_edits: textEditsFacts,
  completions: values.completionsFacts,
  signatures: values.signaturesFacts,
  code_actions: codeActionsFacts,
  inlay_hints: places.inlayHintsFacts,
  semantic_tokens: places.semanticTokensFacts,
  folding_ranges: places.foldingRangesFacts,
  selection_ranges: places.selectionRangesFacts,
  links: places.linksFacts,
  highlights: places.highlightsFacts,
  code_lenses: places.codeLensesFacts,
  monikers: symbols.monikersFacts,
  text: values.textFacts,
  json: values.jsonFacts,
  batch: values.batchFacts,
  server_status: values.serverStatusFacts,
  source: symbols.sourceFacts,
  items: itemsFacts,
  members: membersFacts((shape) => shapes[shape]),
};

export const shapeNames = Object.keys(shapes) as ShapeName[];
