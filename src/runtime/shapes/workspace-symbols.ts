/** Symbols of the whole workspace. One that nobody gave a range is shown without. */
import type { Json, JsonObject } from "../../base/json.js";
import type { CallState } from "../call-state.js";
import { garbled } from "../lsp-values.js";
import { type FoundSymbol, workspaceSymbols } from "../symbols.js";
import { symbolLine, symbolSpan } from "./document-symbols.js";
import type { Shape } from "./shape.js";
import { byFile, rangeText } from "./spelt.js";

/** The shape `workspace_symbols`. */
export const workspaceSymbolsShape: Shape = {
  nouns: ["symbol", "symbols"],
  async normalize(reply, call) {
    const items: Json[] = [];
    for (const { server, value } of reply.parts) {
      if (server === undefined) throw garbled(server, "a list of symbols");
      for (const symbol of workspaceSymbols(server, value)) {
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

/** What makes a dropped symbol the same as another. */
function identityOf({ name, kind, uri, range }: FoundSymbol): unknown {
  return { name, kind, uri, range };
}

async function spell(call: CallState, symbol: FoundSymbol): Promise<JsonObject | undefined> {
  const admitted = await call.places.show(symbol.uri);
  if (admitted === undefined) return undefined;
  const item = {
    name: call.places.name(symbol.name),
    kind: symbol.kind,
    ...call.places.document(admitted),
    ...(await symbolSpan(call, symbol)),
  };
  return symbol.containers.length === 0 ? item : { ...item, container: symbol.containers.join("/") };
}
