/** Symbols of the whole workspace. One without a range is resolved where the server can, else shown without. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { CallState } from "../call-state.js";
import { garbled, isRange, listOf } from "../lsp-values.js";
import { extentOf, type FoundSymbol, workspaceSymbols } from "../symbols.js";
import { symbolLine } from "./document-symbols.js";
import type { Shape } from "./shape.js";
import { byFile, rangeText } from "./spelt.js";

const resolveMethod = "workspaceSymbol/resolve";
const mostResolved = 200;

/** The shape `workspace_symbols`. */
export const workspaceSymbolsShape: Shape = {
  nouns: ["symbol", "symbols"],
  async normalize(reply, call) {
    const items: Json[] = [];
    for (const { server, value } of reply.parts) {
      if (server === undefined) throw garbled(server, "a list of symbols");
      for (const symbol of workspaceSymbols(server, await resolved(call, server, listOf(value)))) {
        const item = await spell(call, symbol);
        if (item === undefined) call.evidence.drop(identityOf(symbol));
        else items.push(item);
      }
    }
    return { items, beside: {} };
  },
  text: (items, _beside, dialect) =>
    byFile(items, dialect, (item) => [symbolLine(item, rangeText(item, dialect))]),
};

async function resolved(call: CallState, server: LanguageServer, entries: unknown[]): Promise<unknown[]> {
  if (!server.supports(resolveMethod)) return entries;
  let budget = mostResolved;
  const out: unknown[] = [];
  for (const entry of entries) {
    const lacks = isTable(entry) && isTable(entry.location) && !isRange(entry.location.range);
    out.push(lacks && budget-- > 0 ? await resolve(call, server, entry) : entry);
  }
  return out;
}

/** A symbol that cannot be resolved is still found: it is shown without its range. */
async function resolve(call: CallState, server: LanguageServer, entry: unknown): Promise<unknown> {
  try {
    const { value } = await server.request(resolveMethod, entry, { signal: call.signal });
    return isTable(value) && isTable(value.location) ? value : entry;
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof Refusal) return entry;
    throw error;
  }
}

/** What makes a dropped symbol the same as another. */
function identityOf({ name, kind, uri, range }: FoundSymbol): unknown {
  return { name, kind, uri, range };
}

async function spell(call: CallState, symbol: FoundSymbol): Promise<JsonObject | undefined> {
  const admitted = await call.places.show(symbol.uri);
  if (admitted === undefined) return undefined;
  const extent = extentOf(symbol, await call.places.lines(symbol.server, symbol.uri));
  const span = extent === undefined ? {} : await call.places.span(symbol.server, symbol.uri, extent);
  const item = {
    name: call.places.name(symbol.name),
    kind: symbol.kind,
    ...call.places.document(admitted),
    ...span,
  };
  return symbol.containers.length === 0 ? item : { ...item, container: symbol.containers.join("/") };
}
