/** Shapes whose items are ranges or positions in files. */
import { highlightKinds, hintKinds } from "../kinds.js";
import { closed, documentFields, joinFields, optionalFields, pointFields, spanFields } from "../spelling.js";
import { optional, required, type ShapeFacts, text, texts } from "./facts.js";

/** path, <range>, text?. */
export const locationsFacts: ShapeFacts = {
  description: "Places in files.",
  list: "locations",
  counted: true,
  order: ["document", "range"],
  item: (dialect) => closed(joinFields(documentFields(dialect), spanFields(dialect), optional({ text }))),
};

/** <range>, kind, text?. */
export const highlightsFacts: ShapeFacts = {
  description: "Where a symbol is read and written in one file.",
  list: "highlights",
  counted: true,
  order: ["range", "kind"],
  item: (dialect) =>
    closed(
      joinFields(spanFields(dialect), required({ kind: { enum: [...highlightKinds] } }), optional({ text })),
    ),
};

/** <range>, path? and fragment? of a file, or url?, tooltip?. */
export const linksFacts: ShapeFacts = {
  description: "Links in a file, to files of the workspace or elsewhere.",
  list: "links",
  counted: true,
  order: ["range"],
  item: (dialect) =>
    closed(
      joinFields(
        spanFields(dialect),
        optionalFields(documentFields(dialect)),
        optional({ fragment: text, url: text, tooltip: text }),
      ),
    ),
};

/** <range>, text?. */
export const selectionRangesFacts: ShapeFacts = {
  description: "What encloses a place, the innermost first, each within the next.",
  list: "ranges",
  counted: true,
  order: [],
  item: (dialect) => closed(joinFields(spanFields(dialect), optional({ text }))),
};

/** <range>, kind?, collapsed_text?. */
export const foldingRangesFacts: ShapeFacts = {
  description: "Blocks, comments and imports that can be folded away.",
  list: "folding_ranges",
  counted: true,
  order: ["range", "kind"],
  item: (dialect) => closed(joinFields(spanFields(dialect), optional({ kind: text, collapsed_text: text }))),
};

/** <range>, type, modifiers: [word], text. */
export const semanticTokensFacts: ShapeFacts = {
  description: "What each word is, in the words of the server's legend.",
  list: "tokens",
  counted: true,
  order: ["range", "type"],
  item: (dialect) =>
    closed(joinFields(spanFields(dialect), required({ type: text, modifiers: texts, text }))),
};

/** <range>, title?, command?. */
export const codeLensesFacts: ShapeFacts = {
  description: "Remarks and commands above declarations, such as counts of uses or tests to run.",
  list: "lenses",
  counted: true,
  order: ["range", "title", "command"],
  item: (dialect) => closed(joinFields(spanFields(dialect), optional({ title: text, command: text }))),
};

/** <place>, label, kind?, tooltip?. */
export const inlayHintsFacts: ShapeFacts = {
  description: "Inferred types and names of parameters.",
  list: "hints",
  counted: true,
  order: ["place", "label", "kind"],
  item: (dialect) =>
    closed(
      joinFields(
        pointFields(dialect),
        required({ label: text }),
        optional({ kind: { enum: [...hintKinds] }, tooltip: text }),
      ),
    ),
};
