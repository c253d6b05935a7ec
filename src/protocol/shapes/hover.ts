/** Markdown texts; beside them range?: <range>. */
import { closed, spanFields } from "../spelling.js";
import { optional, type ShapeFacts, text } from "./facts.js";

/** The facts of `hover`. */
export const hoverFacts: ShapeFacts = {
  description: "Type and documentation, as Markdown texts.",
  list: "contents",
  counted: false,
  order: [],
  item: () => text,
  beside: (dialect) => optional({ range: closed(spanFields(dialect)) }),
};
