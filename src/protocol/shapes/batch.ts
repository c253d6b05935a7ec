/**
 * The operations of a batch: index, tool, id?, outcome, code?, summary?, needs_disambiguation?, answer?, answer_dropped?;
 * beside them successful, failed, skipped.
 */
import { closed, joinFields } from "../spelling.js";
import { optional, required, type ShapeFacts, text } from "./facts.js";

const count = { type: "integer", minimum: 0 };
const mark = { const: true };

/** The facts of `batch`. */
export const batchFacts: ShapeFacts = {
  description: "The outcome of each operation, in the order given, with a summary.",
  list: "operations",
  counted: true,
  isWhole: true,
  order: [],
  item: () =>
    closed(
      joinFields(
        required({ index: count, tool: text }),
        optional({ id: text }),
        required({ outcome: { enum: ["done", "failed", "skipped"] } }),
        optional({ code: text, summary: text, needs_disambiguation: mark }),
        optional({ answer: { type: "object" }, answer_dropped: mark }),
      ),
    ),
  beside: () => required({ successful: count, failed: count, skipped: count }),
};
