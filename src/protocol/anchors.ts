/** Anchors, which say what a call may point at, and parameter bases, which anchors fill. */
import type { Anchor, ParamsBase } from "../abi/plan.js";

/** Whether a call with this anchor names a file. */
export const anchors: { [anchor in Anchor]: { document: "required" | "optional" | "none" } } = {
  workspace: { document: "none" },
  document: { document: "required" },
  position: { document: "required" },
  range: { document: "required" },
  symbol: { document: "optional" },
  text: { document: "required" },
  query: { document: "none" },
};

export const anchorNames = Object.keys(anchors) as Anchor[];

const inDocument: Anchor[] = ["document", "position", "range", "symbol", "text"];
const atPosition: Anchor[] = ["position", "symbol", "text"];

/** For each base the anchors that can fill it, and the method of `At` that builds it. */
export const paramsBases: { [base in ParamsBase]: { anchors: Anchor[]; call: string } } = {
  none: { anchors: anchorNames, call: "plain" },
  text_document: { anchors: inDocument, call: "document" },
  text_document_position: { anchors: atPosition, call: "position" },
  text_document_positions: { anchors: atPosition, call: "positions" },
  text_document_formatting: { anchors: inDocument, call: "formatting" },
  text_document_range: { anchors: inDocument, call: "range" },
  text_document_range_diagnostics: { anchors: inDocument, call: "rangeDiagnostics" },
};
