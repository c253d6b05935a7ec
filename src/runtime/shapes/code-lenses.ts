/** Code lenses. A lens that is not resolved has neither title nor command. */
import { isTable, type JsonObject } from "../../base/json.js";
import { rangeText, table, textOf } from "../answer/answer-text.js";
import { garbled, isRange } from "../ask/candidates.js";
import { documentItems } from "./in-document.js";
import type { Shape } from "./shape.js";

const what = "a list of code lenses";

/** The shape `code_lenses`. */
export const codeLenses: Shape = {
  nouns: ["lens", "lenses"],
  normalize: (reply, call) =>
    documentItems(reply, call, what, async (entry, server, uri) => {
      if (!isRange(entry.range)) throw garbled(server, what);
      const item: JsonObject = await call.places.span(server, uri, entry.range);
      const { title, command } = isTable(entry.command) ? entry.command : {};
      if (typeof title === "string") item.title = title;
      if (typeof command === "string" && command !== "") item.command = command;
      return item;
    }),
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { title, command } = table(item);
      const run = command === undefined ? "" : `  [${textOf(command)}]`;
      return `${rangeText(item, dialect)}  ${textOf(title)}${run}`.trimEnd();
    }),
};
