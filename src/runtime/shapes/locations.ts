/** Places in files: `Location`, `Location[]` or `LocationLink[]`; of a link the name's own range counts. */
import type { AnswerOptions } from "../../abi/handler.js";
import { isTable, type Json } from "../../base/json.js";
import { whenThere } from "../../base/soon.js";
import type { LanguageServer } from "../../lsp/types.js";
import { locationsFacts } from "../../protocol/shapes/places.js";
import type { SnippetBounds } from "../answer/convert.js";
import type { ReplyData } from "../ask/reply.js";
import { collect } from "../listing/collect.js";
import type { Row, RowKind } from "../listing/row.js";
import { RowList } from "../listing/row-list.js";
import { garbled, isRange, listOf } from "../lsp-values.js";
import type { Shape } from "./shape.js";
import { withoutTexts } from "./snippets.js";
import { byFile, rangeText, table, textOf } from "./spelt.js";

/** The shape `locations`. */
export const locations: Shape = {
  nouns: ["location", "locations"],
  normalize(reply, call, { snippet }) {
    const kind = kindWith(snippetBounds(snippet));
    const collected = collect(call, kind, placesIn(reply), { dropped: "rows" });
    return whenThere(collected, (rows) => ({ list: new RowList(rows), beside: {} }));
  },
  lighter: withoutTexts,
  text: (items, _beside, dialect) =>
    byFile(items, dialect, (item) => [`${rangeText(item, dialect)}  ${textOf(table(item).text)}`.trimEnd()]),
};

function* placesIn(reply: ReplyData): Iterable<Row<null>> {
  for (const { server, value } of reply.parts) {
    if (server === undefined) throw garbled(server, "a location");
    for (const entry of listOf(value)) yield readLocation(server, entry);
  }
}

/** A place says nothing but where it is; the text beside it is the file's. */
function kindWith(bounds: SnippetBounds | undefined): RowKind<null> {
  return {
    facts: locationsFacts,
    words: () => "",
    members: () => ({}),
    spell({ server, range }, admitted, places, lines) {
      if (range === undefined) throw garbled(server, "a location");
      const item = places.document(admitted);
      places.putSpan(item, lines, server, range);
      const text = bounds && places.textBeside(lines, server, range, bounds);
      if (text !== undefined) item.text = text;
      return item;
    },
  };
}

/** What a tool or a call asks for, within what is allowed; undefined for no text at all. */
export function snippetBounds(asked: AnswerOptions["snippet"]): SnippetBounds | undefined {
  if (asked?.show === false) return undefined;
  const within = (value: Json | undefined, low: number, high: number, otherwise: number) =>
    typeof value === "number" ? Math.min(high, Math.max(low, Math.floor(value))) : otherwise;
  return {
    contextLines: within(asked?.contextLines, 0, 10, 0),
    maxChars: within(asked?.maxChars, 40, 4000, 400),
  };
}

function readLocation(server: LanguageServer, entry: unknown): Row<null> {
  if (!isTable(entry)) throw garbled(server, "a location");
  const uri = entry.uri ?? entry.targetUri;
  const range = entry.range ?? entry.targetSelectionRange ?? entry.targetRange;
  if (typeof uri !== "string" || !isRange(range)) throw garbled(server, "a location");
  return { server, uri, range, what: null };
}
