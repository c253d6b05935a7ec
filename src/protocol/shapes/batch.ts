/**
 * The operations of a batch: index, tool, id?, outcome, code?, summary?, needs_disambiguation?, answer?, answer_dropped?;
 * or success, result?, error? in place of outcome, code, summary and answer; beside them successful, failed, skipped.
 */
import { closed, joinFields } from "../spelling.js";
import { optional, required, type ShapeFacts, text } from "./facts.js";

const count = { type: "integer", minimum: 0 };
const mark = { const: true };

const byWord = joinFields(
  required({ outcome: { enum: ["done", "failed", "skipped"] } }),
  optional({ code: text, summary: text, answer: { type: "object" } }),
);
const bySuccess = joinFields(
  required({ success: { type: "boolean" } }),
  optional({ result: { type: "object" }, error: text }),
);

/** The facts of `batch`. */
export const batchFacts: ShapeFacts = {
  description: "The outcome of each operation, in the order given, with a summary.",
  list: "operations",
  counted: true,
  isWhole: true,
  order: [],
  item: (_dialect, output) =>
    closed(
      joinFields(
        required({ index: count, tool: text }),
        optional({ id: text }),
        output.outcomes === "success" ? bySuccess : byWord,
        optional({ needs_disambiguation: mark, answer_dropped: mark }),
      ),
    ),
  beside: () => required({ successful: count, failed: count, skipped: count }),
};
