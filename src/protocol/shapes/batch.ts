/** The operations of a batch: index, tool, id?, outcome, answer?; beside them successful, failed, skipped. */
import { closed, joinFields } from "../spelling.js";
import { optional, required, type ShapeFacts, text } from "./facts.js";

const count = { type: "integer", minimum: 0 };

/** The facts of `batch`. */
export const batchFacts: ShapeFacts = {
  description: "The outcome of each operation, in the order given, with a summary.",
  list: "operations",
  counted: true,
  order: [],
  item: () =>
    closed(
      joinFields(
        required({ index: count, tool: text }),
        optional({ id: text }),
        required({ outcome: { enum: ["done", "failed", "skipped"] } }),
        optional({ answer: { type: "object" } }),
      ),
    ),
  beside: () => required({ successful: count, failed: count, skipped: count }),
};
