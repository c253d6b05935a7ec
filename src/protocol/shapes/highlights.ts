/** The same symbol within one file: <range>, kind, text?. */
import { highlightKinds } from "../kinds.js";
import { closed, joinFields, spanFields } from "../spelling.js";
import { none, optional, required, type ShapeFacts, text } from "./facts.js";

/** The facts of `highlights`. */
export const highlightsFacts: ShapeFacts = {
  description: "Where a symbol is read and written in one file.",
  list: "highlights",
  counted: true,
  order: ["range", "kind"],
  item: (dialect) =>
    closed(
      joinFields(spanFields(dialect), required({ kind: { enum: [...highlightKinds] } }), optional({ text })),
    ),
  beside: () => none,
};
