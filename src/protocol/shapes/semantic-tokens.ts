/** What each word of a file is: <range>, type, modifiers: [word], text. */
import { closed, joinFields, spanFields } from "../spelling.js";
import { none, required, type ShapeFacts, text, texts } from "./facts.js";

/** The facts of `semantic_tokens`. */
export const semanticTokensFacts: ShapeFacts = {
  description: "What each word is, in the words of the server's legend.",
  list: "tokens",
  counted: true,
  order: ["range", "type"],
  item: (dialect) =>
    closed(joinFields(spanFields(dialect), required({ type: text, modifiers: texts, text }))),
  beside: () => none,
};
