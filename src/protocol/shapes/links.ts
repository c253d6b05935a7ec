/** Links in a file: <range>, the file as path, fragment? or url?, tooltip?. */
import { closed, documentFields, joinFields, optionalFields, spanFields } from "../spelling.js";
import { none, optional, type ShapeFacts, text } from "./facts.js";

/** The facts of `links`. */
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
  beside: () => none,
};
