/** The ranges around a position, innermost first. */
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import type { LanguageServer } from "../../lsp/types.js";
import { rangeText, table, textOf } from "../answer/answer-text.js";
import { garbled, isRange, type LspRange } from "../ask/candidates.js";
import { documentEntries } from "./in-document.js";
import type { Shape } from "./shape.js";

const what = "a selection range";
/** No code is nested deeper; a longer chain has a cycle. */
const MAX_DEPTH = 500;

/** The shape `selection_ranges`. */
export const selectionRanges: Shape = {
  nouns: ["range", "ranges"],
  async normalize(reply, call) {
    const found: { range: LspRange; item: JsonObject }[] = [];
    for (const { server, uri, entry } of documentEntries(reply, call, what)) {
      for (const range of chainOf(server, entry)) {
        const item = await call.places.span(server, uri, range);
        const text = await call.places.snippet(server, uri, range);
        found.push({ range, item: text === undefined ? item : { ...item, text } });
      }
    }
    // In a chain the inner range begins later or ends earlier, so this is the order of nesting.
    const ordered = sortBy(found, ({ range: { start, end }, item }) => [
      -start.line,
      -start.character,
      end.line,
      end.character,
      canonicalText(item),
    ]);
    return { items: ordered.map(({ item }): Json => item), beside: {} };
  },
  text: (items, _beside, dialect) =>
    items.map((item) => `${rangeText(item, dialect)}  ${textOf(table(item).text)}`.trimEnd()),
};

function chainOf(server: LanguageServer, entry: unknown): LspRange[] {
  const chain: LspRange[] = [];
  for (let link: unknown = entry; link !== undefined && link !== null; ) {
    if (!isTable(link) || !isRange(link.range) || chain.length > MAX_DEPTH) throw garbled(server, what);
    chain.push(link.range);
    link = link.parent;
  }
  if (chain.length === 0) throw garbled(server, what);
  return chain;
}
