/** Markdown texts, or { kind, value } where a tool wants them marked; beside them range?: <range>. */
import { closed, spanSchema } from "../spelling.js";
import { optional, required, type ShapeFacts, text } from "./facts.js";

const marked = closed(required({ kind: { enum: ["markdown", "plaintext"] }, value: text }));

/** The facts of `hover`. */
export const hoverFacts: ShapeFacts = {
  description: "Type and documentation, as Markdown texts.",
  list: "contents",
  counted: false,
  order: [],
  item: (_dialect, output) => (output.marked ? marked : text),
  beside: (dialect) => optional({ range: spanSchema(dialect) }),
};
