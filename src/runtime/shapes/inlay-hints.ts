/** Inferred types and names of parameters, within the range asked for. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { cutCharacters } from "../../base/text.js";
import { hintKinds, wordOf } from "../../protocol/kinds.js";
import { garbled, isPosition, markupText } from "../lsp-values.js";
import { documentEntries, isAskedFor } from "./in-document.js";
import { placeText, table, textOf } from "./rendered.js";
import type { Shape } from "./shape.js";

const what = "a list of inlay hints";
const tooltipCharacters = 1000;

/** The shape `inlay_hints`. */
export const inlayHints: Shape = {
  nouns: ["hint", "hints"],
  async normalize(reply, call) {
    const items: Json[] = [];
    for (const { server, uri, entry } of documentEntries(reply, call, what)) {
      const label = isTable(entry) ? labelOf(entry.label) : undefined;
      if (!isTable(entry) || !isPosition(entry.position) || label === undefined) throw garbled(server, what);
      if (!isAskedFor(call, server, { start: entry.position, end: entry.position })) continue;
      const item: JsonObject = { ...(await call.places.point(server, uri, entry.position)), label };
      const kind = wordOf(hintKinds, entry.kind);
      if (kind !== undefined) item.kind = kind;
      const tooltip = markupText(entry.tooltip);
      if (tooltip !== undefined) item.tooltip = cutCharacters(tooltip, tooltipCharacters).text;
      items.push(item);
    }
    return { items, beside: {} };
  },
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { label, kind, tooltip } = table(item);
      const more = tooltip === undefined ? "" : `  (${textOf(tooltip).replaceAll(/\s+/g, " ")})`;
      return `${placeText(item, dialect)}  ${[textOf(kind), textOf(label)].join(" ").trim()}${more}`;
    }),
};

/** A label is a text, or parts of one. */
function labelOf(label: unknown): string | undefined {
  if (typeof label === "string") return label.trim();
  if (!Array.isArray(label)) return undefined;
  const values = label.map((part) => (isTable(part) ? part.value : undefined));
  return values.every((value) => typeof value === "string") ? values.join("").trim() : undefined;
}
