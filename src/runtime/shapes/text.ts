/** One text from a server's reply, or null when there is none. */
import { isTable, type JsonObject } from "../../base/json.js";
import { fromPointer, getAt } from "../../base/pointer.js";
import { cutCharacters } from "../../base/text.js";
import { textOf } from "../answer/answer-text.js";
import { garbled, wholeValue } from "../ask/candidates.js";
import { fenced } from "./hover.js";
import type { Shape } from "./shape.js";

/** The shape `text`. */
export const text: Shape = {
  nouns: undefined,
  async normalize(reply, _call, options) {
    const whole = wholeValue(reply);
    const value = getAt(whole, fromPointer(options.at ?? ""));
    const found = isTable(value) && typeof value.value === "string" ? value.value : (value ?? null);
    if (found !== null && typeof found !== "string") throw garbled(reply.parts[0]?.server, "a text");
    const beside: JsonObject = { text: found };
    return { items: [], beside: options.language ? { ...beside, language: options.language } : beside };
  },
  shorten: (items, beside, characters) => ({
    items,
    beside: { ...beside, text: cutCharacters(textOf(beside.text), characters).text },
  }),
  text(_items, beside) {
    if (beside.text === null) return ["The server has no text for this."];
    const body = textOf(beside.text);
    return [beside.language === undefined ? body : fenced(body, textOf(beside.language))];
  },
};
