/** The parts of a file that belong together: <range>, kind?, collapsed_text?. */
import { closed, joinFields, spanFields } from "../spelling.js";
import { none, optional, type ShapeFacts, text } from "./facts.js";

/** The facts of `folding_ranges`. */
export const foldingRangesFacts: ShapeFacts = {
  description: "Blocks, comments and imports that can be folded away.",
  list: "folding_ranges",
  counted: true,
  order: ["range", "kind"],
  item: (dialect) => closed(joinFields(spanFields(dialect), optional({ kind: text, collapsed_text: text }))),
  beside: () => none,
};
