/** The shape `batch`: the operations in their given order, each with its outcome, and a summary. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import type { NextStep } from "../../base/problem.js";
import { table, textOf } from "../answer/answer-text.js";
import { wholeValue } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import type { Shape } from "./shape.js";

/** Next steps for dropped answers; the warning names all of them. */
const MAX_STEPS = 5;

export const batch: Shape = {
  nouns: ["operation", "operations"],
  async normalize(reply, call) {
    const value = wholeValue(reply);
    const items: Json[] = Array.isArray(value) ? value : [];
    const count = (outcome: string) =>
      items.filter((item) => isTable(item) && item.outcome === outcome).length;
    return {
      items: call.tool.output.outcomes === "success" ? items.map(bySuccess) : items,
      beside: { successful: count("done"), failed: count("failed"), skipped: count("skipped") },
    };
  },
  lighter: {
    levels: (items) => bySize(items).length,
    lighten(items, level) {
      const dropped = new Set(bySize(items).slice(0, level));
      return items.map((item, index) => (dropped.has(index) ? withoutAnswer(item) : item));
    },
    describe(items, level, call) {
      const operations = sortBy(bySize(items).slice(0, level), (index) => [index]);
      return {
        warning: {
          code: "answer/answers-dropped",
          message: `The largest answers were left out (operations ${operations.join(", ")}); every outcome is listed.`,
          data: { operations },
        },
        steps: operations.slice(0, MAX_STEPS).map((index) => stepOf(items[index], index, call)),
        isCut: true,
      };
    },
  },
  text(items, { successful, failed, skipped }) {
    return [
      `Summary: ${successful} successful, ${failed} failed, ${skipped} skipped`,
      ...items.flatMap((item) => {
        const { index, id, tool, outcome, summary, error, success } = table(item);
        const answer = answerOf(item);
        const name = id === undefined ? "" : ` ${textOf(id)}`;
        const body = answer === undefined ? (summary ?? error) : JSON.stringify(answer);
        const lines = body === undefined ? [] : [`  ${textOf(body)}`];
        const word = outcome ?? (success === true ? "done" : "failed");
        return [`[${index}]${name} ${textOf(tool)}: ${textOf(word)}`, ...lines];
      }),
    ];
  },
};

/** The indexes of the operations that have an answer, the largest answer first. */
function bySize(items: Json[]): number[] {
  const sizes = items.flatMap((item, index) => {
    const answer = answerOf(item);
    return answer === undefined ? [] : [{ index, size: JSON.stringify(answer).length }];
  });
  return sortBy(sizes, ({ index, size }) => [-size, index]).map(({ index }) => index);
}

function withoutAnswer(item: Json): JsonObject {
  const { answer: _, result: __, ...rest } = table(item);
  return { ...rest, answer_dropped: true };
}

function answerOf(item: Json): Json | undefined {
  const { answer, result } = table(item);
  return answer ?? result;
}

/** The same operation with `success` and either `result` or `error`. */
function bySuccess(item: Json): Json {
  const { outcome, code: _, summary, answer, ...rest } = table(item);
  if (outcome === "done")
    return { ...rest, success: true, ...(answer === undefined ? {} : { result: answer }) };
  const { message } = table(table(answer).error);
  return { ...rest, success: false, error: message ?? summary ?? "" };
}

function stepOf(item: Json | undefined, index: number, call: CallState): NextStep {
  const { operations } = call.input;
  const given = table(Array.isArray(operations) ? operations[index] : undefined);
  const why = `it gives the answer of operation ${index}`;
  return { kind: "tool", tool: textOf(table(item).tool), arguments: { ...table(given.args) }, why };
}
