/** Inlay hints, inferred types and parameter names, within the range that the call asked about. */
import { isTable, type JsonObject } from "../../base/json.js";
import { cutCharacters } from "../../base/text.js";
import { hintKinds, wordOf } from "../../protocol/kinds.js";
import { placeText, table, textOf } from "../answer/answer-text.js";
import { garbled, isPosition, markupText } from "../ask/candidates.js";
import { documentItems, isAskedFor } from "./in-document.js";
import type { Shape } from "./shape.js";

const what = "a list of inlay hints";
const TOOLTIP_CHARACTERS = 1000;

/** The shape `inlay_hints`. */
export const inlayHints: Shape = {
  nouns: ["hint", "hints"],
  normalize: (reply, call) =>
    documentItems(
      reply,
      call,
      what,
      async ({ label: given, position, kind: number, tooltip }, server, uri) => {
        const label = labelOf(given);
        if (!isPosition(position) || label === undefined) throw garbled(server, what);
        if (!isAskedFor(call, server, { start: position, end: position })) return undefined;
        const item: JsonObject = { ...(await call.places.point(server, uri, position)), label };
        const kind = wordOf(hintKinds, number);
        if (kind !== undefined) item.kind = kind;
        const text = markupText(tooltip);
        if (text !== undefined) item.tooltip = cutCharacters(text, TOOLTIP_CHARACTERS).text;
        return item;
      },
    ),
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { label, kind, tooltip } = table(item);
      const more = tooltip === undefined ? "" : `  (${textOf(tooltip).replaceAll(/\s+/g, " ")})`;
      return `${placeText(item, dialect)}  ${[textOf(kind), textOf(label)].join(" ").trim()}${more}`;
    }),
};

/** A label is a text, or a list of parts. */
function labelOf(label: unknown): string | undefined {
  if (typeof label === "string") return label.trim();
  if (!Array.isArray(label)) return undefined;
  const values = label.map((part) => (isTable(part) ? part.value : undefined));
  return values.every((value) => typeof value === "string") ? values.join("").trim() : undefined;
}
