/** The snippets beside places: how long they may be, and how they are dropped when an answer is too large. */
import type { AnswerOptions } from "../../abi/handler.js";
import type { Json } from "../../base/json.js";
import { withMoreCharacters } from "../answer/next-steps.js";
import type { SnippetBounds } from "../answer/places.js";
import { table } from "./rendered.js";
import type { Lighter } from "./shape.js";

/** What a tool or a call asks for, within the allowed bounds; undefined for no snippets. */
export function snippetBounds(asked: AnswerOptions["snippet"]): SnippetBounds | undefined {
  if (asked?.show === false) return undefined;
  const within = (value: Json | undefined, low: number, high: number, otherwise: number) =>
    typeof value === "number" ? Math.min(high, Math.max(low, Math.floor(value))) : otherwise;
  return {
    contextLines: within(asked?.contextLines, 0, 10, 0),
    maxChars: within(asked?.maxChars, 40, 4000, 400),
  };
}

/** Drops the snippets of items. */
export const withoutSnippets: Lighter = {
  levels: (items) => (items.some(hasText) ? 1 : 0),
  lighten: (items, level) => (level === 0 ? items : items.map(withoutText)),
  describe: (items, _level, call) => ({
    warning: {
      code: "answer/snippets-dropped",
      message: "The snippets were left out, so that more places fit.",
      data: { count: items.filter(hasText).length },
    },
    steps: withMoreCharacters(call),
    isCut: false,
  }),
};

function hasText(item: Json): boolean {
  return table(item).text !== undefined;
}

function withoutText(item: Json): Json {
  const { text: _, ...place } = table(item);
  return place;
}
