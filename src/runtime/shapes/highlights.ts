/** Where a symbol stands in one file, and whether it is read or written there. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { highlightKinds, wordOf } from "../../protocol/kinds.js";
import { garbled, isRange } from "../lsp-values.js";
import { documentEntries } from "./in-document.js";
import type { Shape } from "./shape.js";
import { rangeText, table, textOf } from "./spelt.js";

const what = "a list of highlights";

/** The shape `highlights`. */
export const highlights: Shape = {
  nouns: ["highlight", "highlights"],
  async normalize(reply, call) {
    const items: Json[] = [];
    for (const { server, uri, entry } of documentEntries(reply, call, what)) {
      if (!isTable(entry) || !isRange(entry.range)) throw garbled(server, what);
      const item: JsonObject = {
        ...(await call.places.span(server, uri, entry.range)),
        kind: wordOf(highlightKinds, entry.kind) ?? "text",
      };
      const text = await call.places.snippet(server, uri, entry.range);
      items.push(text === undefined ? item : { ...item, text });
    }
    return { items, beside: {} };
  },
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { kind, text } = table(item);
      return `${rangeText(item, dialect)}  ${textOf(kind)}  ${textOf(text)}`.trimEnd();
    }),
};
