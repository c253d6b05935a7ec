/** Symbols as rows of a listing, for one file and for the whole workspace alike. */
import type { DialectPlan } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import type { Admitted } from "../../workspace/types.js";
import type { Places } from "../answer/convert.js";
import type { Row, RowKind } from "../listing/row.js";
import { extentOf, type FoundSymbol, nameRangeOf } from "../point/symbols.js";

/** What a symbol says besides its range. */
export type SymbolWords = Pick<FoundSymbol, "name" | "kind" | "containers" | "selection">;

/** A symbol as a row. */
export function symbolRow({
  server,
  uri,
  range,
  name,
  kind,
  containers,
  selection,
}: FoundSymbol): Row<SymbolWords> {
  return { server, uri, range, what: { name, kind, containers, selection } };
}

/** How symbols are listed; `file` gives the members that name a symbol's file. */
export function symbolKind(
  facts: ShapeFacts,
  { symbol: { extent } }: DialectPlan,
  file: (admitted: Admitted, places: Places) => JsonObject,
): RowKind<SymbolWords> {
  return {
    facts,
    words: ({ name, kind, containers, selection }) => {
      const { start, end } = selection ?? {};
      const place = `${start?.line}:${start?.character}-${end?.line}:${end?.character}`;
      return `${place} ${kind} ${name}\n${containers.join("\n")}`;
    },
    members: ({ name, kind, containers }, places) => ({
      name: places.name(name),
      kind,
      ...containerOf(containers),
    }),
    range: (row, lines) => (extent === "declaration" ? row.range : extentOf(foundIn(row), lines)),
    async spell(row, admitted, places) {
      const { name, kind, containers } = row.what;
      return {
        name: places.name(name),
        kind,
        ...file(admitted, places),
        ...(await symbolSpan(places, foundIn(row), extent)),
        ...containerOf(containers),
      };
    },
  };
}

function foundIn({ server, uri, range, what }: Row<SymbolWords>): FoundSymbol {
  return { server, uri, range, ...what };
}

function containerOf(containers: readonly string[]): JsonObject {
  return containers.length === 0 ? {} : { container: containers.join("/") };
}

/** The range of a symbol as the dialect wants it; nothing when the server told none. */
async function symbolSpan(
  places: Places,
  symbol: FoundSymbol,
  extent: DialectPlan["symbol"]["extent"],
): Promise<JsonObject> {
  const { server, uri, range } = symbol;
  const lines = await places.lines(server, uri);
  const shown = extent === "declaration" ? range : extentOf(symbol, lines);
  if (shown === undefined) return {};
  const name = extent === "declaration" ? nameRangeOf(symbol, lines) : undefined;
  return {
    ...(await places.span(server, uri, shown)),
    ...(name === undefined ? {} : { selection_range: await places.spanValue(server, uri, name) }),
  };
}
