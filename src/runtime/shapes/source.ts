/** The shape `source`: the declarations of a symbol, each with the lines of its source. */
import type { Json } from "../../base/json.js";
import { cutCharacters } from "../../base/text.js";
import { fileOf, rangeText, table, textOf } from "../answer/answer-text.js";
import { listOf } from "../ask/candidates.js";
import type { Shape } from "./shape.js";
import { symbolLine } from "./symbols.js";

export const source: Shape = {
  nouns: ["declaration", "declarations"],
  normalize: async ({ parts }) => ({
    items: parts.flatMap(({ value }) => listOf(value) as Json[]),
    beside: {},
  }),
  shorten: (items, beside, characters) => ({
    items: items.map((item): Json => {
      const { source: whole, ...rest } = table(item);
      return { ...rest, source: cutCharacters(textOf(whole), characters).text };
    }),
    beside,
  }),
  text: (items, _beside, dialect) =>
    items.flatMap((item) => [
      `${fileOf(item, dialect)} ${symbolLine(item, rangeText(item, dialect))}`,
      ...textOf(table(item).source).split(/\r\n|\r|\n/),
    ]),
};
