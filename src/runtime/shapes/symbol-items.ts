/** How symbols are listed, for one file and for the whole workspace. */
import type { DialectPlan } from "../../abi/plan.js";
import { defineAll, type JsonObject } from "../../base/json.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import type { LspRange } from "../ask/candidates.js";
import type { ItemKind } from "../listing/collect.js";
import { extentOf, nameRangeOf, type SymbolWords } from "../point/symbols.js";

/** Symbols as items of a listing; `isNamed` when each of them names its file. */
export function symbolKind(
  facts: ShapeFacts,
  { symbol: { extent } }: DialectPlan,
  { isNamed }: { isNamed: boolean },
): ItemKind<SymbolWords> {
  const isDeclaration = extent === "declaration";
  return {
    facts,
    text: ({ name, kind, container, selection }) =>
      `${kind} ${name}\0${container?.path ?? ""}\0${rangeKey(selection)}`,
    range: (symbol, lines) => (isDeclaration ? symbol.range : extentOf(symbol, lines)),
    render(symbol, admitted, places, lines) {
      const { server, what } = symbol;
      const item: JsonObject = { name: places.name(what.name), kind: what.kind };
      if (isNamed) defineAll(item, places.document(admitted));
      const shown = isDeclaration ? symbol.range : extentOf(symbol, lines);
      if (shown !== undefined) {
        places.addRange(item, lines, server, shown);
        const name = isDeclaration ? nameRangeOf(symbol, lines) : undefined;
        if (name !== undefined) item.selection_range = places.rangeValue(lines, server, name);
      }
      if (what.container !== undefined) item.container = what.container.path;
      return item;
    },
  };
}

function rangeKey(range: LspRange | undefined): string {
  if (range === undefined) return "";
  const { start, end } = range;
  return [start.line, start.character, end.line, end.character].join(":");
}
