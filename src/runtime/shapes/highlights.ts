/** The occurrences of a symbol in one file, and whether each reads or writes it. */
import { isTable, type JsonObject } from "../../base/json.js";
import { highlightKinds, wordOf } from "../../protocol/kinds.js";
import { highlightsFacts } from "../../protocol/shapes/places.js";
import { rangeText, table, textOf } from "../answer/answer-text.js";
import { garbled, isRange, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { collect, type ItemKind, type RawItem } from "../listing/collect.js";
import { ItemList } from "../listing/list.js";
import { documentEntries } from "./in-document.js";
import type { Shape } from "./shape.js";

const what = "a list of highlights";

/** The shape `highlights`. */
export const highlights: Shape = {
  nouns: ["highlight", "highlights"],
  async normalize(reply, call) {
    const files = await collect(call, highlightKind, highlightsIn(reply, call), { dropped: "items" });
    return { list: new ItemList(highlightKind, files), beside: {} };
  },
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { kind, text } = table(item);
      return `${rangeText(item, dialect)}  ${textOf(kind)}  ${textOf(text)}`.trimEnd();
    }),
};

function* highlightsIn(reply: ReplyData, call: CallState): Iterable<RawItem<string>> {
  for (const { server, uri, entry } of documentEntries(reply, call, what)) {
    if (!isTable(entry) || !isRange(entry.range)) throw garbled(server, what);
    yield { server, uri, range: entry.range, what: wordOf(highlightKinds, entry.kind) ?? "text" };
  }
}

const highlightKind: ItemKind<string> = {
  facts: highlightsFacts,
  text: (kind) => kind,
  render({ server, range, what: kind }, _admitted, places, lines) {
    if (range === undefined) throw garbled(server, what);
    const item: JsonObject = {};
    places.addRange(item, lines, server, range);
    item.kind = kind;
    const text = places.textBeside(lines, server, range);
    if (text !== undefined) item.text = text;
    return item;
  },
};
