/** The operations of a batch in the order in which they were given, with a summary of how they went. */
import { isTable, type Json } from "../../base/json.js";
import { wholeValue } from "../reply.js";
import type { Shape } from "./shape.js";
import { table, textOf } from "./spelt.js";

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
  text(items, { successful, failed, skipped }) {
    return [
      `Summary: ${successful} successful, ${failed} failed, ${skipped} skipped`,
      ...items.flatMap((item) => {
        const { index, id, tool, outcome, answer } = table(item);
        const name = id === undefined ? "" : ` ${textOf(id)}`;
        const body = answer === undefined ? [] : [`  ${JSON.stringify(answer)}`];
        return [`[${index}]${name} ${textOf(tool)}: ${textOf(outcome)}`, ...body];
      }),
    ];
  },
};
