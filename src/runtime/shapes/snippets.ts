/** The texts of files that stand beside places: given up before places are. */
import type { Json } from "../../base/json.js";
import { moreRoom } from "../answer/ways-on.js";
import type { Lighter } from "./shape.js";
import { table } from "./spelt.js";

/** The items without the texts beside them. */
export const withoutTexts: Lighter = {
  grades: (items) => (items.some(hasText) ? 1 : 0),
  lighten: (items, grade) => (grade === 0 ? items : items.map(withoutText)),
  tell: (items, _grade, call) => ({
    warning: {
      code: "answer/snippets-dropped",
      message: "The texts beside the places were left out, so that more places are shown.",
      data: { count: items.filter(hasText).length },
    },
    steps: moreRoom(call),
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
