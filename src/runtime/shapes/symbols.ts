/** The shapes `document_symbols` and `workspace_symbols`: each symbol from its name to the end of its declaration. */
import type { DialectPlan } from "../../abi/plan.js";
import { defineAll, type Json, type JsonObject } from "../../base/json.js";
import { compareText } from "../../base/order.js";
import { documentSymbolsFacts, workspaceSymbolsFacts } from "../../protocol/shapes/symbols.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import { byFile, rangeText, table, textOf } from "../answer/answer-text.js";
import { garbled, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { bytesOfText, collect, compareRanges, type ItemKind } from "../listing/collect.js";
import { ItemList } from "../listing/list.js";
import { compareContainers, containerPath } from "../point/symbol-names.js";
import {
  documentSymbols,
  extentOf,
  type FoundSymbol,
  nameRangeOf,
  type SymbolDetails,
  workspaceSymbols,
} from "../point/symbols.js";
import type { Shape } from "./shape.js";

export const documentSymbolsShape: Shape = {
  nouns: ["symbol", "symbols"],
  async normalize(reply, call) {
    const document = call.evidence.document?.admitted;
    const kind = symbolKind(documentSymbolsFacts, call.plan.dialect, { isNamed: false });
    const isHere = ({ path }: { path: string }) => path === document?.path;
    const files = await collect(call, kind, symbolsOfDocument(reply, call), { isHere });
    return { list: new ItemList(kind, files), beside: {} };
  },
  text: outline,
};

/** A symbol without a range in the reply is shown without one. */
export const workspaceSymbolsShape: Shape = {
  nouns: ["symbol", "symbols"],
  async normalize(reply, call) {
    const kind = symbolKind(workspaceSymbolsFacts, call.plan.dialect, { isNamed: true });
    const files = await collect(call, kind, symbolsOfWorkspace(reply));
    return { list: new ItemList(kind, files), beside: {} };
  },
  text: (items, _beside, dialect) =>
    byFile(items, dialect, (item) => [symbolLine(item, rangeText(item, dialect))]),
};

function* symbolsOfDocument(reply: ReplyData, { evidence }: CallState): Iterable<FoundSymbol> {
  const what = "the symbols of a file";
  const uri = evidence.document?.admitted.uri;
  for (const { server, value } of reply.parts) {
    if (server === undefined || uri === undefined) throw garbled(server, what);
    for (const symbol of documentSymbols(server, uri, value)) {
      if (symbol.range === undefined) throw garbled(server, what);
      yield symbol;
    }
  }
}

function* symbolsOfWorkspace(reply: ReplyData): Iterable<FoundSymbol> {
  for (const { server, value } of reply.parts) {
    if (server === undefined) throw garbled(server, "a list of symbols");
    yield* workspaceSymbols(server, value);
  }
}

/** `isNamed` when each symbol names its file. */
function symbolKind(
  facts: ShapeFacts,
  { symbol: { extent } }: DialectPlan,
  { isNamed }: { isNamed: boolean },
): ItemKind<SymbolDetails> {
  const isDeclaration = extent === "declaration";
  return {
    facts,
    compare: (a, b) =>
      compareText(a.name, b.name) ||
      compareText(a.kind, b.kind) ||
      compareContainers(a.container, b.container) ||
      compareRanges(a.selection, b.selection),
    bytes: ({ name, container }) =>
      bytesOfText(name) + (container === undefined ? 0 : bytesOfText(container.name)),
    // The container comes after these; `compare` has it without building the paths of all symbols at once.
    key: ({ name, kind }, places) => [places.name(name), kind],
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
      if (what.container !== undefined) item.container = containerPath(what.container);
      return item;
    },
  };
}

/** One line per symbol, indented under its container; the whole path where the container is not shown before it. */
function outline(items: Json[], _beside: JsonObject, dialect: DialectPlan): string[] {
  /** Paths of the containers that the next symbol may belong to, innermost last. */
  const open: string[] = [];
  return items.map((item) => {
    const { name, kind, container } = table(item);
    while (open.length > 0 && open.at(-1) !== container) open.pop();
    const path = pathOf(name, container);
    const range = rangeText(item, dialect);
    const line = `${"  ".repeat(open.length)}${range}  ${textOf(kind)} ${open.length === 0 ? path : textOf(name)}`;
    open.push(path);
    return line;
  });
}

function pathOf(name: Json | undefined, container: Json | undefined): string {
  return container === undefined ? textOf(name) : `${textOf(container)}/${textOf(name)}`;
}

/** `12:3-20:1  method Type/name`. */
export function symbolLine(item: Json, range: string): string {
  const { name, kind, container } = table(item);
  return `${range}  ${textOf(kind)} ${pathOf(name, container)}`.trimStart();
}
