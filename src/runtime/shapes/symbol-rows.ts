/** Symbols as rows of a listing, for one file and for the whole workspace alike. */
import type { DialectPlan } from "../../abi/plan.js";
import { defineAll, type JsonObject } from "../../base/json.js";
import type { Lines } from "../../base/text.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import type { Places } from "../answer/convert.js";
import { compareRanges, type Row, type RowKind } from "../listing/row.js";
import { extentOf, type FoundSymbol, nameRangeOf, type PlacedSymbol } from "../point/symbols.js";

/** What a symbol says besides its range. */
export type SymbolWords = Pick<FoundSymbol, "name" | "kind" | "container" | "selection">;

/** A symbol as a row. */
export function symbolRow({
  server,
  uri,
  range,
  name,
  kind,
  container,
  selection,
}: FoundSymbol): Row<SymbolWords> {
  return { server, uri, range, what: { name, kind, container, selection } };
}

/** How symbols are listed, with or without the names of their files. */
export function symbolKind(
  facts: ShapeFacts,
  { symbol: { extent } }: DialectPlan,
  { isNamed }: { isNamed: boolean },
): RowKind<SymbolWords> {
  return {
    facts,
    words: ({ name, kind }) => `${kind} ${name}`,
    within: ({ container }) => container ?? "",
    inner: ({ selection }) => selection,
    isSame: (a, b) =>
      a.name === b.name &&
      a.kind === b.kind &&
      (a.container ?? "") === (b.container ?? "") &&
      compareRanges(a.selection, b.selection) === 0,
    members: ({ name, kind, container }, places) => ({
      name: places.name(name),
      kind,
      ...(container === undefined ? {} : { container }),
    }),
    range: (row, lines) => (extent === "declaration" ? row.range : extentOf(placedIn(row), lines)),
    spell(row, admitted, places, lines) {
      const { name, kind, container } = row.what;
      const item: JsonObject = { name: places.name(name), kind };
      if (isNamed) defineAll(item, places.document(admitted));
      putSymbolSpan(item, places, row, lines, extent);
      if (container !== undefined) item.container = container;
      return item;
    },
  };
}

function placedIn({ server, range, what: { name, selection } }: Row<SymbolWords>): PlacedSymbol {
  return { server, range, name, selection };
}

/** The range of a symbol as the dialect wants it; nothing when the server told none. */
function putSymbolSpan(
  item: JsonObject,
  places: Places,
  row: Row<SymbolWords>,
  lines: Lines | undefined,
  extent: DialectPlan["symbol"]["extent"],
): void {
  const { server } = row;
  const symbol = placedIn(row);
  const shown = extent === "declaration" ? row.range : extentOf(symbol, lines);
  if (shown === undefined) return;
  places.putSpan(item, lines, server, shown);
  const name = extent === "declaration" ? nameRangeOf(symbol, lines) : undefined;
  if (name !== undefined) item.selection_range = places.spanValue(lines, server, name);
}
