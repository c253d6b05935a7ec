/** The symbols of one file, nested or flat: each begins at its name and ends with its declaration. */
import type { Json, JsonObject } from "../../base/json.js";
import type { CallState } from "../call-state.js";
import { garbled } from "../lsp-values.js";
import { documentSymbols, extentOf, type FoundSymbol, nameRangeOf, ofDocument } from "../symbols.js";
import type { Shape } from "./shape.js";
import { rangeText, table, textOf } from "./spelt.js";

/** The shape `document_symbols`. */
export const documentSymbolsShape: Shape = {
  nouns: ["symbol", "symbols"],
  async normalize(reply, call) {
    const uri = call.evidence.document?.admitted.uri;
    const items: Json[] = [];
    for (const { server, value } of reply.parts) {
      if (server === undefined || uri === undefined) throw garbled(server, "the symbols of a file");
      const found = await ofDocument(call, uri, documentSymbols(server, uri, value));
      for (const symbol of found) items.push(await spell(call, symbol));
    }
    return { items, beside: {} };
  },
  text: (items, _beside, dialect) => items.map((item) => symbolLine(item, rangeText(item, dialect))),
};

/** The range of a symbol as the dialect wants it; undefined when the server told none. */
export async function symbolSpan(call: CallState, symbol: FoundSymbol): Promise<JsonObject | undefined> {
  const { server, uri, range } = symbol;
  const lines = await call.places.lines(server, uri);
  if (call.plan.dialect.symbol.extent === "declaration") {
    if (range === undefined) return undefined;
    const name = nameRangeOf(symbol, lines);
    const selection: JsonObject =
      name === undefined ? {} : { selection_range: await call.places.spanValue(server, uri, name) };
    return { ...(await call.places.span(server, uri, range)), ...selection };
  }
  const extent = extentOf(symbol, lines);
  return extent === undefined ? undefined : call.places.span(server, uri, extent);
}

/** `12:3-20:1  method Type/name`. */
export function symbolLine(item: Json, range: string): string {
  const { name, kind, container } = table(item);
  const path = container === undefined ? textOf(name) : `${textOf(container)}/${textOf(name)}`;
  return `${range}  ${textOf(kind)} ${path}`.trimStart();
}

async function spell(call: CallState, symbol: FoundSymbol): Promise<JsonObject> {
  const span = await symbolSpan(call, symbol);
  if (span === undefined) throw garbled(symbol.server, "the symbols of a file");
  const item: JsonObject = { name: call.places.name(symbol.name), kind: symbol.kind, ...span };
  return symbol.containers.length === 0 ? item : { ...item, container: symbol.containers.join("/") };
}
