/** Callers or callees. Call sites are in the caller's file: for outgoing calls that is the file asked about. */
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import type { LanguageServer } from "../../lsp/types.js";
import { byFile, placeText, snippetBounds, table, textOf, withoutSnippets } from "../answer/answer-text.js";
import { garbled, isRange, type LspRange, listOf } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { type HierarchyItem, readHierarchyItem, renderHierarchyItem } from "./hierarchy-item.js";
import type { Shape } from "./shape.js";

const what = "a list of calls";

/** The shape `calls`. */
export const calls: Shape = {
  nouns: ["call", "calls"],
  async normalize(reply, call, { snippet }) {
    const bounds = snippet === undefined ? undefined : snippetBounds(snippet);
    const { places, evidence } = call;
    const found: JsonObject[] = [];
    for (const { server, value, item: asked } of reply.parts) {
      if (server === undefined) throw garbled(server, what);
      for (const entry of listOf(value)) {
        const { other, sites, sitesUri } = readCall(server, entry, asked);
        const item = await renderHierarchyItem(call, server, other);
        if (item === undefined) {
          const { name, kind, uri, selection } = other;
          evidence.drop({ name, kind, uri, selection, sitesUri });
          continue;
        }
        const text = bounds && (await places.snippet(server, other.uri, other.selection, bounds));
        const points: Json[] = [];
        for (const range of sites) points.push(await places.point(server, sitesUri, range.start));
        found.push({ ...item, ...(text === undefined ? {} : { text }), sites: points });
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

/** One call: the other function, and where it calls or is called. */
interface RawCall {
  other: HierarchyItem;
  sitesUri: string;
  sites: LspRange[];
}

function readCall(server: LanguageServer, entry: unknown, asked: unknown): RawCall {
  const members = isTable(entry) ? entry : {};
  const other = readHierarchyItem(server, members.from ?? members.to, what);
  const sites = listOf(members.fromRanges);
  if (!sites.every(isRange)) throw garbled(server, what);
  const isOutgoing = members.from === undefined;
  const sitesUri = isOutgoing && isTable(asked) && typeof asked.uri === "string" ? asked.uri : other.uri;
  return { other, sitesUri, sites };
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
