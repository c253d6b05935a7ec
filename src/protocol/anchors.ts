/** Anchors, which say what a call may point at, and parameter bases, which anchors fill. */
import type { Anchor, ParamsBase } from "../abi/plan.js";

export const anchors: {
  [anchor in Anchor]: { document: "required" | "optional" | "none"; description: string };
} = {
  workspace: { document: "none", description: "The whole workspace; takes no pointing arguments." },
  document: { document: "required", description: "One file." },
  position: { document: "required", description: "A line and a character in one file." },
  range: { document: "required", description: "A start and an end in one file." },
  symbol: { document: "optional", description: "A symbol by its name, in a file or anywhere." },
  text: {
    document: "required",
    description: "A line of one file by its own text, with a mark before the symbol.",
  },
  query: { document: "none", description: "A search text." },
};

export const anchorNames = Object.keys(anchors) as Anchor[];

export const paramsBases: {
  [base in ParamsBase]: {
    /** The anchors that can fill it. */
    anchors: Anchor[];
    /** The method of `At` that builds it. */
    call: string;
    description: string;
  };
} = {
  none: {
    anchors: ["workspace", "document", "position", "range", "symbol", "text", "query"],
    call: "plain",
    description: "No base: only what `set` says.",
  },
  text_document: {
    anchors: ["document", "position", "range", "symbol", "text"],
    call: "document",
    description: "`{ textDocument: { uri } }`",
  },
  text_document_position: {
    anchors: ["position", "symbol", "text"],
    call: "position",
    description: "`{ textDocument, position }`",
  },
  text_document_positions: {
    anchors: ["position", "symbol", "text"],
    call: "positions",
    description: "`{ textDocument, positions: [position] }`",
  },
  text_document_formatting: {
    anchors: ["document", "range", "position", "symbol", "text"],
    call: "formatting",
    description: "`{ textDocument, options: { tabSize, insertSpaces } }`, as the file is indented already.",
  },
  text_document_range: {
    anchors: ["range", "document", "position", "symbol", "text"],
    call: "range",
    description: "`{ textDocument, range }`; the whole document when the call names no range.",
  },
  text_document_range_diagnostics: {
    anchors: ["range", "document", "position", "symbol", "text"],
    call: "rangeDiagnostics",
    description:
      "`{ textDocument, range, context: { diagnostics } }`: with what the `diagnostics` step before found in the range.",
  },
};
