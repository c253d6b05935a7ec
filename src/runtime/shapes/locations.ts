/** Places in files: `Location`, `Location[]` or `LocationLink[]`; of a link the name's own range counts. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { CallState } from "../call-state.js";
import { garbled, isRange, type LspRange, listOf } from "../lsp-values.js";
import type { Shape } from "./shape.js";
import { byFile, rangeText, table, textOf } from "./spelt.js";

/** The shape `locations`. */
export const locations: Shape = {
  nouns: ["location", "locations"],
  async normalize(reply, call) {
    const items: Json[] = [];
    for (const { server, value } of reply.parts) {
      if (server === undefined) throw garbled(server, "a location");
      for (const entry of listOf(value)) {
        const location = readLocation(server, entry);
        const item = await spell(call, server, location);
        if (item === undefined) call.evidence.drop(location);
        else items.push(item);
      }
    }
    return { items, beside: {} };
  },
  text: (items, _beside, dialect) =>
    byFile(items, dialect, (item) => [`${rangeText(item, dialect)}  ${textOf(table(item).text)}`.trimEnd()]),
};

function readLocation(server: LanguageServer, entry: unknown): { uri: string; range: LspRange } {
  const members = isTable(entry) ? entry : {};
  const uri = members.uri ?? members.targetUri;
  const range = members.range ?? members.targetSelectionRange ?? members.targetRange;
  if (typeof uri !== "string" || !isRange(range)) throw garbled(server, "a location");
  return { uri, range };
}

async function spell(
  call: CallState,
  server: LanguageServer,
  { uri, range }: { uri: string; range: LspRange },
): Promise<JsonObject | undefined> {
  const admitted = await call.places.show(uri);
  if (admitted === undefined) return undefined;
  const text = await call.places.snippet(server, uri, range.start.line);
  const place = { ...call.places.document(admitted), ...(await call.places.span(server, uri, range)) };
  return text === undefined ? place : { ...place, text };
}
