/** Places in files: `Location`, `Location[]` or `LocationLink[]`; of a link the name's own range counts. */
import type { AnswerOptions } from "../../abi/handler.js";
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { CallState } from "../call-state.js";
import type { SnippetBounds } from "../convert.js";
import { garbled, isRange, type LspRange, listOf } from "../lsp-values.js";
import type { Shape } from "./shape.js";
import { withoutTexts } from "./snippets.js";
import { byFile, rangeText, table, textOf } from "./spelt.js";

/** The shape `locations`. */
export const locations: Shape = {
  nouns: ["location", "locations"],
  async normalize(reply, call, { snippet }) {
    const bounds = snippetBounds(snippet);
    const items: Json[] = [];
    for (const { server, value } of reply.parts) {
      if (server === undefined) throw garbled(server, "a location");
      for (const entry of listOf(value)) {
        const location = readLocation(server, entry);
        const item = await spell(call, server, location, bounds);
        if (item === undefined) call.evidence.drop(location);
        else items.push(item);
      }
    }
    return { items, beside: {} };
  },
  lighter: withoutTexts,
  text: (items, _beside, dialect) =>
    byFile(items, dialect, (item) => [`${rangeText(item, dialect)}  ${textOf(table(item).text)}`.trimEnd()]),
};

/** What a tool or a call asks for, within what is allowed; undefined for no text at all. */
export function snippetBounds(asked: AnswerOptions["snippet"]): SnippetBounds | undefined {
  if (asked?.show === false) return undefined;
  const within = (value: Json | undefined, low: number, high: number, otherwise: number) =>
    typeof value === "number" ? Math.min(high, Math.max(low, Math.floor(value))) : otherwise;
  return {
    contextLines: within(asked?.contextLines, 0, 10, 0),
    maxChars: within(asked?.maxChars, 40, 4000, 400),
  };
}

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
  bounds: SnippetBounds | undefined,
): Promise<JsonObject | undefined> {
  const admitted = await call.places.show(uri);
  if (admitted === undefined) return undefined;
  const text = bounds && (await call.places.snippet(server, uri, range, bounds));
  const place = { ...call.places.document(admitted), ...(await call.places.span(server, uri, range)) };
  return text === undefined ? place : { ...place, text };
}
