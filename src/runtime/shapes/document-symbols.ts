/** The symbols of one file, nested or flat: each begins at its name and ends with its declaration. */
import type { Json, JsonObject } from "../../base/json.js";
import type { CallState } from "../call-state.js";
import { garbled } from "../lsp-values.js";
import { documentSymbols, extentOf, type FoundSymbol } from "../symbols.js";
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
      for (const symbol of documentSymbols(server, uri, value)) items.push(await spell(call, symbol));
    }
    return { items, beside: {} };
  },
  text: (items, _beside, dialect) => items.map((item) => symbolLine(item, rangeText(item, dialect))),
};

/** `12:3-20:1  method Type/name`. */
export function symbolLine(item: Json, range: string): string {
  const { name, kind, container } = table(item);
  const path = container === undefined ? textOf(name) : `${textOf(container)}/${textOf(name)}`;
  return `${range}  ${textOf(kind)} ${path}`.trimStart();
}

async function spell(call: CallState, symbol: FoundSymbol): Promise<JsonObject> {
  const lines = await call.places.lines(symbol.server, symbol.uri);
  const extent = extentOf(symbol, lines);
  if (extent === undefined) throw garbled(symbol.server, "the symbols of a file");
  const span = await call.places.span(symbol.server, symbol.uri, extent);
  const item: JsonObject = { name: call.places.name(symbol.name), kind: symbol.kind, ...span };
  return symbol.containers.length === 0 ? item : { ...item, container: symbol.containers.join("/") };
}
