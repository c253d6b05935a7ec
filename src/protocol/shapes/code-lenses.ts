/** What an editor would show above a line: <range>, title?, command?. */
import { closed, joinFields, spanFields } from "../spelling.js";
import { none, optional, type ShapeFacts, text } from "./facts.js";

/** The facts of `code_lenses`. */
export const codeLensesFacts: ShapeFacts = {
  description: "Remarks and commands above declarations, such as counts of uses or tests to run.",
  list: "lenses",
  counted: true,
  order: ["range", "title", "command"],
  item: (dialect) => closed(joinFields(spanFields(dialect), optional({ title: text, command: text }))),
  beside: () => none,
};
