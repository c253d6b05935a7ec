/** The shapes `calls` (callers or callees) and `types` (supertypes or subtypes). LSP gives their items one form. */
import type { Range } from "vscode-languageserver-protocol";
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortByInTurns, uniqueByInTurns } from "../../base/order.js";
import { Turns } from "../../base/timing.js";
import type { LanguageServer } from "../../lsp/types.js";
import { kindWord } from "../../protocol/kinds.js";
import { byFile, placeText, snippetBounds, table, textOf, withoutSnippets } from "../answer/answer-text.js";
import { formed } from "../answer/dialect-forms.js";
import { invalidReply, isRange, listOf } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import type { Shape } from "./shape.js";

const callsName = "a list of calls";
const typesName = "a list of types";

export const calls: Shape = {
  nouns: ["call", "calls"],
  async normalize(reply, call, { snippet }) {
    const bounds = snippet === undefined ? undefined : snippetBounds(snippet);
    const { places, evidence } = call;
    const turns = new Turns(call.signal);
    const found: JsonObject[] = [];
    const isFormed = call.plan.dialect.items !== undefined;
    let target: JsonObject | undefined;
    for (const { server, value, item: asked } of reply.parts) {
      if (server === undefined) throw invalidReply(server, callsName);
      if (isFormed && asked !== undefined && target === undefined)
        target = await renderItem(call, server, readItem(server, asked, callsName));
      for (const entry of listOf(value)) {
        if (turns.isDue) await turns.yield();
        const { other, sites, sitesUri } = readCall(server, entry, asked);
        const item = await renderItem(call, server, other);
        if (item === undefined) {
          const { name, kind, uri, selection } = other;
          evidence.drop({ name, kind, uri, selection, sitesUri });
          continue;
        }
        const text = bounds && (await places.snippet(server, other.uri, other.selection, bounds));
        const points: Json[] = [];
        for (const range of sites) {
          points.push(
            isFormed
              ? await places.span(server, sitesUri, range)
              : await places.point(server, sitesUri, range.start),
          );
          if (turns.isDue) await turns.yield();
        }
        found.push({ ...item, ...(text === undefined ? {} : { text }), sites: points });
      }
    }
    const [shown] = target === undefined ? [] : formed("target", [target], call.texts);
    const beside: JsonObject = shown === undefined ? {} : { target: shown };
    return { items: await joinSites(found, call, turns), beside };
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

export const types: Shape = {
  nouns: ["type", "types"],
  async normalize(reply, call) {
    const items: Json[] = [];
    const turns = new Turns(call.signal);
    for (const { server, value } of reply.parts) {
      if (server === undefined) throw invalidReply(server, typesName);
      for (const entry of listOf(value)) {
        if (turns.isDue) await turns.yield();
        const raw = readItem(server, entry, typesName);
        const item = await renderItem(call, server, raw);
        if (item === undefined) call.evidence.drop(raw);
        else items.push(raw.detail === "" ? item : { ...item, detail: call.places.name(raw.detail) });
      }
    }
    return { items, beside: {} };
  },
  text: (items, _beside, dialect) =>
    byFile(items, dialect, (item) => {
      const { name, kind, detail } = table(item);
      const more = detail === undefined ? "" : `  ${textOf(detail)}`;
      return [`${placeText(item, dialect)}  ${textOf(kind)} ${textOf(name)}${more}`];
    }),
};

/** A checked `CallHierarchyItem` or `TypeHierarchyItem`. */
interface HierarchyItem {
  name: string;
  kind: string;
  uri: string;
  selection: Range;
  range: Range;
  detail: string;
}

function readItem(server: LanguageServer, entry: unknown, expected: string): HierarchyItem {
  if (!isTable(entry) || typeof entry.name !== "string" || typeof entry.uri !== "string")
    throw invalidReply(server, expected);
  const selection = entry.selectionRange ?? entry.range;
  if (!isRange(selection)) throw invalidReply(server, expected);
  const detail = typeof entry.detail === "string" ? entry.detail : "";
  const range = isRange(entry.range) ? entry.range : selection;
  return { name: entry.name, kind: kindWord(entry.kind), uri: entry.uri, selection, range, detail };
}

/** Name, kind, file and position of an item; undefined when its file is outside the roots. */
async function renderItem(
  { places }: CallState,
  server: LanguageServer,
  { name, kind, uri, selection, range }: HierarchyItem,
): Promise<JsonObject | undefined> {
  const admitted = places.show(uri);
  if (admitted === undefined) return undefined;
  const named = { name: places.name(name), kind, ...places.document(admitted) };
  if (places.dialect.items === undefined)
    return { ...named, ...(await places.point(server, uri, selection.start)) };
  // A dialect with forms of its own may show ranges.
  const lines = await places.lines(server, uri);
  return {
    ...named,
    ...(await places.span(server, uri, selection)),
    declaration: places.rangeValue(lines, server, range),
  };
}

/**
 * The other function, and the sites: they are in the caller's file, which for outgoing calls is the file asked about.
 */
function readCall(server: LanguageServer, entry: unknown, asked: unknown) {
  const members = isTable(entry) ? entry : {};
  const other = readItem(server, members.from ?? members.to, callsName);
  const sites = listOf(members.fromRanges);
  if (!sites.every(isRange)) throw invalidReply(server, callsName);
  const isOutgoing = members.from === undefined;
  const sitesUri = isOutgoing && isTable(asked) && typeof asked.uri === "string" ? asked.uri : other.uri;
  return { other, sitesUri, sites };
}

/** One item per caller or callee, with all its sites, sorted and without duplicates. */
async function joinSites(found: JsonObject[], call: CallState, turns: Turns): Promise<JsonObject[]> {
  const joined = new Map<string, { item: JsonObject; sites: Json[] }>();
  for (const item of found) {
    const { sites, ...rest } = item;
    const key = canonicalText(rest);
    const same = joined.get(key) ?? { item, sites: [] };
    joined.set(key, same);
    for (const site of Array.isArray(sites) ? sites : []) same.sites.push(site);
    if (turns.isDue) await turns.yield();
  }
  const { line, character } = call.places.dialect.position;
  const items: JsonObject[] = [];
  for (const { item, sites } of joined.values()) {
    const unique = await uniqueByInTurns(sites, canonicalText, turns);
    const ordered = await sortByInTurns(
      unique,
      (site) => {
        const point = table(table(site).position ?? site);
        return [Number(point[line]), Number(point[character])];
      },
      turns,
    );
    items.push({ ...item, sites: ordered });
    if (turns.isDue) await turns.yield();
  }
  return items;
}
