/** Callers or callees. Call sites are in the caller's file: for outgoing calls that is the file asked about. */
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { SnippetBounds } from "../answer/places.js";
import type { CallState } from "../call-state.js";
import { garbled, isRange, kindWord, type LspRange, listOf } from "../lsp-values.js";
import { byFile, placeText, table, textOf } from "./rendered.js";
import type { Shape } from "./shape.js";
import { snippetBounds, withoutSnippets } from "./snippets.js";

/** The shape `calls`. */
export const calls: Shape = {
  nouns: ["call", "calls"],
  async normalize(reply, call, { snippet }) {
    const bounds = snippet === undefined ? undefined : snippetBounds(snippet);
    const found: JsonObject[] = [];
    for (const { server, value, item } of reply.parts) {
      if (server === undefined) throw garbled(server, "a list of calls");
      for (const entry of listOf(value)) {
        const raw = readCall(server, entry, item);
        const rendered = await render(call, server, raw, bounds);
        if (rendered === undefined) call.evidence.drop({ ...raw, sites: [] });
        else found.push(rendered);
      }
    }
    return { items: joinSites(found, call), beside: {} };
  },
  lighter: withoutSnippets,
  text: (items, _beside, dialect) =>
    byFile(items, dialect, (item) => {
      const { name, kind, sites, text } = table(item);
      const places = (Array.isArray(sites) ? sites : []).map((site) => placeText(site, dialect));
      const at = places.length === 0 ? "" : `  calls at ${places.join(", ")}`;
      const line = text === undefined ? "" : `  | ${textOf(text)}`;
      return [`${placeText(item, dialect)}  ${textOf(kind)} ${textOf(name)}${at}${line}`];
    }),
};

interface RawCall {
  name: string;
  kind: string;
  uri: string;
  selection: LspRange;
  sitesUri: string;
  sites: LspRange[];
}

function readCall(server: LanguageServer, entry: unknown, asked: unknown): RawCall {
  const members = isTable(entry) ? entry : {};
  const other = members.from ?? members.to;
  const sites = listOf(members.fromRanges);
  if (!isTable(other) || typeof other.name !== "string" || typeof other.uri !== "string")
    throw garbled(server, "a list of calls");
  const selection = other.selectionRange ?? other.range;
  if (!isRange(selection) || !sites.every(isRange)) throw garbled(server, "a list of calls");
  const home = members.from === undefined ? asked : other;
  const sitesUri = isTable(home) && typeof home.uri === "string" ? home.uri : other.uri;
  return { name: other.name, kind: kindWord(other.kind), uri: other.uri, selection, sitesUri, sites };
}

async function render(
  call: CallState,
  server: LanguageServer,
  raw: RawCall,
  bounds: SnippetBounds | undefined,
): Promise<JsonObject | undefined> {
  const admitted = call.places.show(raw.uri);
  if (admitted === undefined) return undefined;
  const point = await call.places.point(server, raw.uri, raw.selection.start);
  const text = bounds && (await call.places.snippet(server, raw.uri, raw.selection, bounds));
  const sites: Json[] = [];
  for (const range of raw.sites) sites.push(await call.places.point(server, raw.sitesUri, range.start));
  return {
    name: call.places.name(raw.name),
    kind: raw.kind,
    ...call.places.document(admitted),
    ...point,
    ...(text === undefined ? {} : { text }),
    sites,
  };
}

/** One item per caller or callee, with all its sites, sorted and without duplicates. */
function joinSites(found: JsonObject[], call: CallState): JsonObject[] {
  const joined = new Map<string, JsonObject[]>();
  for (const item of found) {
    const { sites: _, ...rest } = item;
    const key = canonicalText(rest);
    joined.set(key, [...(joined.get(key) ?? []), item]);
  }
  const { line, character } = call.places.dialect.position;
  return [...joined.values()].map((same) => {
    const sites = same.flatMap((item) => (Array.isArray(item.sites) ? item.sites : []));
    const ordered = sortBy(uniqueBy(sites, canonicalText), (site) => {
      const point = table(table(site).position ?? site);
      return [Number(point[line]), Number(point[character])];
    });
    return { ...same[0], sites: ordered };
  });
}
