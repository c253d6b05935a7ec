/** Shapes whose items are ranges or positions in files. */

import { documentFields, pointFields, spanFields } from "../dialect-format.js";
import { highlightKinds, hintKinds } from "../kinds.js";
import { closed, count, flag, none, optional, required, text, texts } from "../schema-fields.js";
import type { ShapeFacts } from "./facts.js";

/** Ranges in files. */
export const locationsFacts: ShapeFacts = {
  list: "locations",
  counted: true,
  order: ["document", "range"],
  item: (dialect) =>
    closed(
      documentFields(dialect),
      spanFields(dialect),
      optional({ text }),
      dialect.items === undefined ? none : optional({ text_line: count, text_cut: flag }),
    ),
};

/** Where a symbol is read and written in one file. */
export const highlightsFacts: ShapeFacts = {
  list: "highlights",
  counted: true,
  order: ["range", "kind"],
  item: (dialect) =>
    closed(spanFields(dialect), required({ kind: { enum: [...highlightKinds] } }), optional({ text })),
};

/** Links in a file: to a file (`path`, `fragment`) or elsewhere (`url`). */
export const linksFacts: ShapeFacts = {
  list: "links",
  counted: true,
  order: ["range"],
  item: (dialect) =>
    closed(
      spanFields(dialect),
      optional(documentFields(dialect).properties),
      optional({ fragment: text, url: text, tooltip: text }),
    ),
};

/** The ranges that enclose a position, innermost first. */
export const selectionRangesFacts: ShapeFacts = {
  list: "ranges",
  counted: true,
  order: [],
  item: (dialect) => closed(spanFields(dialect), optional({ text })),
};

/** Blocks, comments and imports that an editor can fold. */
export const foldingRangesFacts: ShapeFacts = {
  list: "folding_ranges",
  counted: true,
  order: ["range", "kind"],
  item: (dialect) => closed(spanFields(dialect), optional({ kind: text, collapsed_text: text })),
};

/** The type of each token, in the words of the server's legend. */
export const semanticTokensFacts: ShapeFacts = {
  list: "tokens",
  counted: true,
  order: ["range", "type"],
  item: (dialect) => closed(spanFields(dialect), required({ type: text, modifiers: texts, text })),
};

/** Remarks and commands above declarations, such as reference counts. */
export const codeLensesFacts: ShapeFacts = {
  list: "lenses",
  counted: true,
  order: ["range", "title", "command"],
  item: (dialect) => closed(spanFields(dialect), optional({ title: text, command: text })),
};

/** Inferred types and parameter names. */
export const inlayHintsFacts: ShapeFacts = {
  list: "hints",
  counted: true,
  order: ["place", "label", "kind"],
  item: (dialect) =>
    closed(
      pointFields(dialect),
      required({ label: text }),
      optional({ kind: { enum: [...hintKinds] }, tooltip: text }),
    ),
};
