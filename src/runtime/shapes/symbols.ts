/** The shapes `document_symbols` and `workspace_symbols`: each symbol from its name to the end of its declaration. */
import type { DialectPlan } from "../../abi/plan.js";
import { defineAll, type Json, type JsonObject } from "../../base/json.js";
import { compareText, sortByInTurns } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import { Turns } from "../../base/timing.js";
import type { LanguageServer } from "../../lsp/types.js";
import { documentSymbolsFacts, workspaceSymbolsFacts } from "../../protocol/shapes/symbols.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import { byFile, rangeText, table, textOf } from "../answer/answer-text.js";
import { invalidReply, listOf, type ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { bytesOfText, collect, compareRanges, type ItemKind } from "../listing/collect.js";
import { ItemList } from "../listing/list.js";
import { collectRanked, type RankedItem } from "../listing/rank.js";
import { compareContainers, containerPath, nameMatcher } from "../point/symbol-names.js";
import {
  documentSymbols,
  extentOf,
  type FoundSymbol,
  nameRangeOf,
  type SymbolDetails,
  workspaceSymbols,
} from "../point/symbols.js";
import { outlineFilter } from "./outline-filter.js";
import type { Entry, Shape } from "./shape.js";

export const documentSymbolsShape: Shape = {
  nouns: ["symbol", "symbols"],
  async normalize(reply, call, { filter }) {
    const document = call.evidence.document?.admitted;
    const kind = symbolKind(documentSymbolsFacts, call.plan.dialect, { isNamed: false });
    const isHere = ({ path }: { path: string }) => path === document?.path;
    const isShown = filter && outlineFilter(filter, call.evidence.target?.document.lines);
    let hidden = 0;
    const shown = function* () {
      for (const symbol of symbolsOfDocument(reply, call)) {
        if (isShown?.(symbol) ?? true) yield symbol;
        else hidden += 1;
      }
    };
    const files = await collect(call, kind, shown(), { isHere });
    const beside: JsonObject = call.tool.output.filter === null ? {} : { hidden };
    return { list: new ItemList(kind, files), beside };
  },
  text: outline,
};

/** In the servers' own order, exact names first. A symbol without a range in the reply is shown without one. */
export const workspaceSymbolsShape: Shape = {
  nouns: ["symbol", "symbols"],
  async choose(entries, call) {
    const ranked = await sortByInTurns(
      ranks(entries, queryOf(call)),
      ({ order }) => order,
      new Turns(call.signal),
    );
    return ranked.map(({ entry }) => entry);
  },
  async normalize(reply, call, { filter }) {
    const kind = symbolKind(workspaceSymbolsFacts, call.plan.dialect, { isNamed: true });
    const folder = filter?.folder;
    let hidden = 0;
    const shown = function* () {
      for (const symbol of rankedSymbols(reply, queryOf(call))) {
        const path = typeof folder === "string" ? call.places.show(symbol.item.uri)?.path : undefined;
        if (path === undefined || isInside(path, String(folder))) yield symbol;
        else hidden += 1;
      }
    };
    const files = await collectRanked(call, shown());
    warnOfCaps(call, reply);
    const beside: JsonObject = call.tool.output.filter === null ? {} : { hidden };
    return { list: new ItemList(kind, files), beside };
  },
  text: (items, beside, dialect) => [
    ...byFile(items, dialect, (item) => [symbolLine(item, rangeText(item, dialect))]),
    ...hiddenLines(beside),
  ],
};

function* symbolsOfDocument(reply: ReplyData, { evidence }: CallState): Iterable<FoundSymbol> {
  const expected = "the symbols of a file";
  const uri = evidence.document?.admitted.uri;
  for (const { server, value } of reply.parts) {
    if (server === undefined || uri === undefined) throw invalidReply(server, expected);
    for (const symbol of documentSymbols(server, uri, value)) {
      if (symbol.range === undefined) throw invalidReply(server, expected);
      yield symbol;
    }
  }
}

function queryOf({ input, plan }: CallState): string {
  return textOf(input[plan.dialect.query]);
}

/** The rank of each entry: exact names first, then by its place in its server's list. */
function ranks(entries: Entry[], query: string) {
  const isExact = nameMatcher(query);
  const counts = new Map<LanguageServer, number>();
  return entries.map((entry) => {
    const { server, item } = entry;
    const index = counts.get(server) ?? 0;
    counts.set(server, index + 1);
    const [symbol] = workspaceSymbols(server, [item]);
    const isOther = symbol === undefined || !isExact(symbol.details);
    return { entry, order: [isOther, index, server.plan.id, server.root] };
  });
}

function* rankedSymbols(reply: ReplyData, query: string): Iterable<RankedItem<SymbolDetails>> {
  const isExact = nameMatcher(query);
  // Items that were resolved one by one come in parts of their own.
  const counts = new Map<LanguageServer, number>();
  for (const { server, value } of reply.parts) {
    if (server === undefined) throw invalidReply(server, "a list of symbols");
    for (const item of workspaceSymbols(server, value)) {
      const index = counts.get(server) ?? 0;
      counts.set(server, index + 1);
      const { name, kind, container, selection } = item.details;
      const text = JSON.stringify([name, kind, container && containerPath(container), selection]);
      yield { item, text, key: [!isExact(item.details)], index };
    }
  }
}

/** A list as long as its server's limit is not known to be complete. */
function warnOfCaps({ evidence }: CallState, { parts, source }: ReplyData): void {
  for (const { server, value } of (source ?? { parts }).parts) {
    const limit = server?.plan.symbolLimit ?? null;
    if (server === undefined || limit === null || listOf(value).length < limit) continue;
    evidence.truncated(
      `The server ${server.plan.id} reports at most ${limit} symbols, and there may be more: use a longer name.`,
      { server_id: server.plan.id, limit },
    );
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
      const { server, details } = symbol;
      const item: JsonObject = { name: places.name(details.name), kind: details.kind };
      if (isNamed) defineAll(item, places.document(admitted));
      const shown = isDeclaration ? symbol.range : extentOf(symbol, lines);
      if (shown !== undefined) {
        places.addRange(item, lines, server, shown);
        const name = isDeclaration ? nameRangeOf(symbol, lines) : undefined;
        if (name !== undefined) item.selection_range = places.rangeValue(lines, server, name);
      }
      if (details.container !== undefined) item.container = containerPath(details.container);
      return item;
    },
  };
}

/** How many symbols a filter left out, as a line; none where nothing was. */
function hiddenLines({ hidden }: JsonObject): string[] {
  return typeof hidden === "number" && hidden > 0
    ? [`${hidden} more are hidden (locals, imports, depth, kinds or other folders).`]
    : [];
}

/** One line per symbol, indented under its container; the whole path where the container is not shown before it. */
function outline(items: Json[], beside: JsonObject, dialect: DialectPlan): string[] {
  /** Paths of the containers that the next symbol may belong to, innermost last. */
  const open: string[] = [];
  const lines = items.map((item) => {
    const { name, kind, container } = table(item);
    while (open.length > 0 && open.at(-1) !== container) open.pop();
    const path = pathOf(name, container);
    const range = rangeText(item, dialect);
    const line = `${"  ".repeat(open.length)}${range}  ${textOf(kind)} ${open.length === 0 ? path : textOf(name)}`;
    open.push(path);
    return line;
  });
  return [...lines, ...hiddenLines(beside)];
}

function pathOf(name: Json | undefined, container: Json | undefined): string {
  return container === undefined ? textOf(name) : `${textOf(container)}/${textOf(name)}`;
}

/** `12:3-20:1  method Type/name`. */
export function symbolLine(item: Json, range: string): string {
  const { name, kind, container } = table(item);
  return `${range}  ${textOf(kind)} ${pathOf(name, container)}`.trimStart();
}
