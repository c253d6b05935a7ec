/** The operations of a batch in the order in which they were given, with a summary of how they went. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import type { NextStep } from "../../base/problem.js";
import type { CallState } from "../call-state.js";
import { wholeValue } from "../reply.js";
import type { Shape } from "./shape.js";
import { table, textOf } from "./spelt.js";

/** Steps that lead to answers which were left out; the warning names all of them. */
const mostSteps = 5;

/** The shape `batch`. */
export const batch: Shape = {
  nouns: ["operation", "operations"],
  async normalize(reply) {
    const value = wholeValue(reply);
    const items: Json[] = Array.isArray(value) ? value : [];
    const count = (outcome: string) =>
      items.filter((item) => isTable(item) && item.outcome === outcome).length;
    return {
      items,
      beside: { successful: count("done"), failed: count("failed"), skipped: count("skipped") },
    };
  },
  lighter: {
    grades: (items) => bySize(items).length,
    lighten(items, grade) {
      const dropped = new Set(bySize(items).slice(0, grade));
      return items.map((item, index) => (dropped.has(index) ? withoutAnswer(item) : item));
    },
    tell(items, grade, call) {
      const operations = sortBy(bySize(items).slice(0, grade), (index) => [index]);
      return {
        warning: {
          code: "answer/answers-dropped",
          message: `The largest answers were left out (operations ${operations.join(", ")}); every outcome is told.`,
          data: { operations },
        },
        steps: operations.slice(0, mostSteps).map((index) => stepOf(items[index], index, call)),
      };
    },
  },
  text(items, { successful, failed, skipped }) {
    return [
      `Summary: ${successful} successful, ${failed} failed, ${skipped} skipped`,
      ...items.flatMap((item) => {
        const { index, id, tool, outcome, summary, answer } = table(item);
        const name = id === undefined ? "" : ` ${textOf(id)}`;
        const body = answer === undefined ? summary : JSON.stringify(answer);
        const lines = body === undefined ? [] : [`  ${textOf(body)}`];
        return [`[${index}]${name} ${textOf(tool)}: ${textOf(outcome)}`, ...lines];
      }),
    ];
  },
};

/** The places of the operations that have an answer, the largest answer first. */
function bySize(items: Json[]): number[] {
  const sizes = items.flatMap((item, index) => {
    const { answer } = table(item);
    return answer === undefined ? [] : [{ index, size: JSON.stringify(answer).length }];
  });
  return sortBy(sizes, ({ index, size }) => [-size, index]).map(({ index }) => index);
}

function withoutAnswer(item: Json): JsonObject {
  const { answer: _, ...rest } = table(item);
  return { ...rest, answer_dropped: true };
}

function stepOf(item: Json | undefined, index: number, call: CallState): NextStep {
  const { operations } = call.input;
  const given = table(Array.isArray(operations) ? operations[index] : undefined);
  const why = `it gives the answer of operation ${index}`;
  return { kind: "tool", tool: textOf(table(item).tool), arguments: { ...table(given.args) }, why };
}
