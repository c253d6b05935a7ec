/** Symbols as rows of a listing, for one file and for the whole workspace alike. */
import type { DialectPlan } from "../../abi/plan.js";
import { defineAll, type JsonObject } from "../../base/json.js";
import type { Lines } from "../../base/text.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import type { Places } from "../answer/convert.js";
import type { Row, RowKind } from "../listing/row.js";
import type { LspRange } from "../lsp-values.js";
import { extentOf, type FoundSymbol, nameRangeOf, onwards, type PlacedSymbol } from "../point/symbols.js";

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
    members: ({ name, kind, container }, places) => ({
      name: places.name(name),
      kind,
      ...(container === undefined ? {} : { container }),
    }),
    range: (row, lines) => (extent === "declaration" ? row.range : extentIn(row, lines)),
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

/** From the symbol's name to the end of its declaration. */
function extentIn(row: Row<SymbolWords>, lines: Lines | undefined): LspRange | undefined {
  const { range } = row;
  const start = row.what.selection?.start;
  // Most servers tell where the name is: then nothing has to be put together to look for it.
  return range === undefined || start === undefined ? extentOf(placedIn(row), lines) : onwards(start, range);
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
  const isDeclaration = extent === "declaration";
  const shown = isDeclaration ? row.range : extentIn(row, lines);
  if (shown === undefined) return;
  places.putSpan(item, lines, server, shown);
  const name = isDeclaration ? nameRangeOf(placedIn(row), lines) : undefined;
  if (name !== undefined) item.selection_range = places.spanValue(lines, server, name);
}
