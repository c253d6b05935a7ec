/** The value as the server or the steps gave it; file URIs outside the roots are masked. */
import { define, isTable, type Json, type JsonObject } from "../../base/json.js";
import { fromPointer, getAt } from "../../base/pointer.js";
import { wholeValue } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import type { Shape } from "./shape.js";

const outside = "(outside the workspace)";

/** The shape `json`. */
export const json: Shape = {
  nouns: undefined,
  async normalize(reply, call, options) {
    const value = getAt(wholeValue(reply), fromPointer(options.at ?? "")) ?? null;
    return { items: [], beside: { value: withoutOutside(value as Json, call) } };
  },
  text: (_items, beside) => JSON.stringify(beside.value, null, 1).split("\n"),
};

function withoutOutside(value: Json, call: CallState): Json {
  if (typeof value === "string") return maskedText(value, call);
  if (Array.isArray(value)) return value.map((item) => withoutOutside(item, call));
  if (!isTable(value)) return value;
  const table: JsonObject = {};
  for (const [key, member] of Object.entries(value as JsonObject))
    define(table, maskedText(key, call), withoutOutside(member, call));
  return table;
}

function maskedText(text: string, call: CallState): string {
  if (!/^file:/i.test(text) || call.places.show(text) !== undefined) return text;
  call.evidence.drop(text);
  return outside;
}
