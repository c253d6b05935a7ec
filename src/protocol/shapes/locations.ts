/** Places in files: path, <range>, text?. */
import { closed, documentFields, joinFields, spanFields } from "../spelling.js";
import { none, optional, type ShapeFacts, text } from "./facts.js";

/** The facts of `locations`. */
export const locationsFacts: ShapeFacts = {
  description: "Places in files.",
  list: "locations",
  counted: true,
  order: ["document", "range"],
  item: (dialect) => closed(joinFields(documentFields(dialect), spanFields(dialect), optional({ text }))),
  beside: () => none,
};
