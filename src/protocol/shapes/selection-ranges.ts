/** The chain of what encloses a place: <range>, text?. */
import { closed, joinFields, spanFields } from "../spelling.js";
import { none, optional, type ShapeFacts, text } from "./facts.js";

/** The facts of `selection_ranges`. */
export const selectionRangesFacts: ShapeFacts = {
  description: "What encloses a place, the innermost first, each within the next.",
  list: "ranges",
  counted: true,
  order: [],
  item: (dialect) => closed(joinFields(spanFields(dialect), optional({ text }))),
  beside: () => none,
};
