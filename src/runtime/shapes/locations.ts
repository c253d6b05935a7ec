/** The shape `locations`: `Location`, `Location[]` or `LocationLink[]`; of a link the range of the name is shown. */
import { locationsFacts } from "../../protocol/shapes/places.js";
import { byFile, rangeText, snippetBounds, table, textOf, withoutSnippets } from "../answer/answer-text.js";
import type { SnippetBounds } from "../answer/places.js";
import { invalidReply, listOf, locationIn, type ReplyData } from "../ask/candidates.js";
import { collect, type ItemKind, type RawItem } from "../listing/collect.js";
import { ItemList } from "../listing/list.js";
import type { Shape } from "./shape.js";

const expected = "a location";

export const locations: Shape = {
  nouns: ["location", "locations"],
  async normalize(reply, call, { snippet }) {
    const isFormed = call.plan.dialect.items !== undefined;
    const kind = locationKind(snippetBounds(snippet), isFormed);
    const files = await collect(call, kind, locationsIn(reply));
    return { list: new ItemList(kind, files), beside: {} };
  },
  lighter: withoutSnippets,
  text: (items, _beside, dialect) =>
    byFile(items, dialect, (item) => [`${rangeText(item, dialect)}  ${textOf(table(item).text)}`.trimEnd()]),
};

function* locationsIn(reply: ReplyData): Iterable<RawItem<null>> {
  for (const { server, value } of reply.parts) {
    if (server === undefined) throw invalidReply(server, expected);
    for (const entry of listOf(value)) {
      const location = locationIn(entry);
      if (location === undefined) throw invalidReply(server, expected);
      yield { server, ...location, details: null };
    }
  }
}

/** A dialect with forms of its own may show where a snippet begins, and whether it is cut. */
function locationKind(bounds: SnippetBounds | undefined, isFormed: boolean): ItemKind<null> {
  return {
    facts: locationsFacts,
    compare: () => 0,
    bytes: () => 0,
    render({ server, range }, admitted, places, lines) {
      if (range === undefined) throw invalidReply(server, expected);
      const item = places.document(admitted);
      places.addRange(item, lines, server, range);
      if (isFormed && bounds) Object.assign(item, places.snippetBeside(lines, server, range, bounds));
      else {
        const text = bounds && places.textBeside(lines, server, range, bounds);
        if (text !== undefined) item.text = text;
      }
      return item;
    },
  };
}
