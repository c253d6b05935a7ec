/** The named parameter bases and the anchors that can fill them. */
import type { Anchor, ParamsBase } from "../abi/plan.js";

export const paramsBases: {
  [base in ParamsBase]: {
    anchors: Anchor[];
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
