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
    anchors: ["workspace", "document", "position", "range", "symbol", "query"],
    call: "plain",
    description: "No base: only what `set` says.",
  },
  text_document: {
    anchors: ["document", "position", "range", "symbol"],
    call: "document",
    description: "`{ textDocument: { uri } }`",
  },
  text_document_position: {
    anchors: ["position", "symbol"],
    call: "position",
    description: "`{ textDocument, position }`",
  },
  text_document_range: {
    anchors: ["range", "document"],
    call: "range",
    description: "`{ textDocument, range }`; the whole document when the call names no range.",
  },
};
