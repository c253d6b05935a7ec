/** How symbols are listed, for one file and for the whole workspace alike. */
import type { DialectPlan } from "../../abi/plan.js";
import { defineAll, type JsonObject } from "../../base/json.js";
import type { Lines } from "../../base/text.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import type { Places } from "../answer/convert.js";
import type { Inner, RowKind } from "../listing/row.js";
import { extentOf, type FoundSymbol, nameRangeOf, type SymbolWords } from "../point/symbols.js";

const placeOfName: Inner<SymbolWords> = {
  of: ({ selection }) => selection,
  with: ({ name, kind, container }, selection) => ({ name, kind, container, selection }),
};

/** Symbols as rows of a listing, with or without the names of their files. */
export function symbolKind(
  facts: ShapeFacts,
  { symbol: { extent } }: DialectPlan,
  { isNamed }: { isNamed: boolean },
): RowKind<SymbolWords> {
  return {
    facts,
    words: ({ name, kind }) => `${kind} ${name}`,
    characters: ({ name, kind }) => kind.length + 1 + name.length,
    within: ({ container }) => container?.path ?? "",
    // Of the symbols of a workspace nobody tells where their names are.
    ...(isNamed ? {} : { inner: placeOfName }),
    isSame: (a, b) =>
      a.name === b.name && a.kind === b.kind && (a.container?.path ?? "") === (b.container?.path ?? ""),
    members: ({ name, kind, container }, places) => ({
      name: places.name(name),
      kind,
      ...(container === undefined ? {} : { container: container.path }),
    }),
    range: (row, lines) => (extent === "declaration" ? row.range : extentOf(row, lines)),
    spell(row, admitted, places, lines) {
      const { name, kind, container } = row.what;
      const item: JsonObject = { name: places.name(name), kind };
      if (isNamed) defineAll(item, places.document(admitted));
      putSymbolSpan(item, places, row, lines, extent);
      if (container !== undefined) item.container = container.path;
      return item;
    },
  };
}

/** The range of a symbol as the dialect wants it; nothing when the server told none. */
function putSymbolSpan(
  item: JsonObject,
  places: Places,
  symbol: FoundSymbol,
  lines: Lines | undefined,
  extent: DialectPlan["symbol"]["extent"],
): void {
  const { server } = symbol;
  const shown = extent === "declaration" ? symbol.range : extentOf(symbol, lines);
  if (shown === undefined) return;
  places.putSpan(item, lines, server, shown);
  const name = extent === "declaration" ? nameRangeOf(symbol, lines) : undefined;
  if (name !== undefined) item.selection_range = places.spanValue(lines, server, name);
}
