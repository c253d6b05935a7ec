/** One text (or null), language?. */
import { joinFields } from "../spelling.js";
import { optional, required, type ShapeFacts, text } from "./facts.js";

/** The facts of `text`. */
export const textFacts: ShapeFacts = {
  description: "One text, or null when the server has none.",
  list: null,
  counted: false,
  order: [],
  item: () => text,
  beside: () => joinFields(required({ text: { type: ["string", "null"] } }), optional({ language: text })),
};
