/**
 * Shapes whose items lie in the document that the call is about: `code_lenses`, `folding_ranges`, `highlights`,
 * `inlay_hints`, `links` and `selection_ranges`, and how the entries of such replies are read.
 */

import { isAbsolute, win32 } from "node:path";
import type { Range } from "vscode-languageserver-protocol";
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortByInTurns } from "../../base/order.js";
import { fileUri } from "../../base/paths.js";
import { columnsOf, cutCharacters } from "../../base/text.js";
import { Turns } from "../../base/timing.js";
import type { LanguageServer } from "../../lsp/types.js";
import { redact } from "../../lsp/wire/redact.js";
import { highlightKinds, hintKinds, wordOf } from "../../protocol/kinds.js";
import { highlightsFacts } from "../../protocol/shapes/places.js";
import { fileOf, placeText, rangeText, table, textOf } from "../answer/answer-text.js";
import { toSpan } from "../answer/places.js";
import {
  invalidReply,
  isCount,
  isPosition,
  isRange,
  listOf,
  markupText,
  type ReplyData,
} from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { collect, comparedAsText, type ItemKind, type RawItem } from "../listing/collect.js";
import { ItemList } from "../listing/list.js";
import { isBefore } from "../point/symbols.js";
import type { Normalized, Shape } from "./shape.js";

/** No code is nested deeper; a longer chain of selection ranges has a cycle. */
const MAX_DEPTH = 500;
const highlightsName = "a list of highlights";
const selectionName = "a selection range";

/** One entry of a reply about a document. */
export interface DocumentEntry {
  server: LanguageServer;
  uri: string;
  entry: unknown;
}

/** The entries of all parts of a reply about the call's document; `what` names them in a refusal. */
export function documentEntries(reply: ReplyData, call: CallState, expected: string): DocumentEntry[] {
  const uri = call.evidence.document?.admitted.uri;
  return reply.parts.flatMap(({ server, value }) => {
    if (server === undefined || uri === undefined) throw invalidReply(server, expected);
    return listOf(value).map((entry) => ({ server, uri, entry }));
  });
}

/**
 * The items that `render` makes of the entries. It gives "invalid" for a wrong entry, undefined for one to leave out.
 */
async function documentItems(
  reply: ReplyData,
  call: CallState,
  expected: string,
  render: (
    entry: Record<string, unknown>,
    server: LanguageServer,
    uri: string,
  ) => Promise<JsonObject | "invalid" | undefined>,
): Promise<Normalized> {
  const items: Json[] = [];
  const turns = new Turns(call.signal);
  for (const { server, uri, entry } of documentEntries(reply, call, expected)) {
    if (turns.isDue) await turns.yield();
    const item = isTable(entry) ? await render(entry, server, uri) : "invalid";
    if (item === "invalid") throw invalidReply(server, expected);
    if (item !== undefined) items.push(item);
  }
  return { items, beside: {} };
}

/** Whether a server's range touches the range that the call names; without one, every range does. */
export function isAskedFor(call: CallState, server: LanguageServer, range: Range): boolean {
  const target = call.evidence.target;
  if (target?.range === undefined) return true;
  const { start, end } = toSpan(target.document.lines, range, server.encoding, "utf-16");
  return !isBefore(end, target.range.start) && !isBefore(target.range.end, start);
}

/** A lens that is not resolved has neither title nor command. */
export const codeLenses: Shape = {
  nouns: ["lens", "lenses"],
  normalize: (reply, call) =>
    documentItems(reply, call, "a list of code lenses", async (entry, server, uri) => {
      if (!isRange(entry.range)) return "invalid";
      const item: JsonObject = await call.places.span(server, uri, entry.range);
      const { title, command } = isTable(entry.command) ? entry.command : {};
      if (typeof title === "string") item.title = title;
      if (typeof command === "string" && command !== "") item.command = command;
      return item;
    }),
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { title, command } = table(item);
      const run = command === undefined ? "" : `  [${textOf(command)}]`;
      return `${rangeText(item, dialect)}  ${textOf(title)}${run}`.trimEnd();
    }),
};

/** A fold without a character begins or ends at the end of its line, as LSP says. */
export const foldingRanges: Shape = {
  nouns: ["folding range", "folding ranges"],
  normalize: (reply, call) =>
    documentItems(reply, call, "a list of folding ranges", async (entry, server, uri) => {
      const { startLine, endLine, startCharacter, endCharacter, kind, collapsedText } = entry;
      if (!isCount(startLine) || !isCount(endLine)) return "invalid";
      const lines = await call.places.lines(server, uri);
      const endOf = (line: number) => columnsOf(lines?.line(line) ?? "", server.encoding);
      const item: JsonObject = await call.places.span(server, uri, {
        start: { line: startLine, character: isCount(startCharacter) ? startCharacter : endOf(startLine) },
        end: { line: endLine, character: isCount(endCharacter) ? endCharacter : endOf(endLine) },
      });
      if (typeof kind === "string") item.kind = kind;
      if (typeof collapsedText === "string") item.collapsed_text = collapsedText;
      return item;
    }),
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { kind, collapsed_text } = table(item);
      return [rangeText(item, dialect), textOf(kind), textOf(collapsed_text)].join("  ").trimEnd();
    }),
};

/** The occurrences of a symbol, and whether each reads or writes it. */
export const highlights: Shape = {
  nouns: ["highlight", "highlights"],
  async normalize(reply, call) {
    const files = await collect(call, highlightKind, highlightsIn(reply, call));
    return { list: new ItemList(highlightKind, files), beside: {} };
  },
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { kind, text } = table(item);
      return `${rangeText(item, dialect)}  ${textOf(kind)}  ${textOf(text)}`.trimEnd();
    }),
};

function* highlightsIn(reply: ReplyData, call: CallState): Iterable<RawItem<string>> {
  for (const { server, uri, entry } of documentEntries(reply, call, highlightsName)) {
    if (!isTable(entry) || !isRange(entry.range)) throw invalidReply(server, highlightsName);
    yield { server, uri, range: entry.range, details: wordOf(highlightKinds, entry.kind) ?? "text" };
  }
}

const highlightKind: ItemKind<string> = {
  facts: highlightsFacts,
  ...comparedAsText((kind) => kind),
  render({ server, range, details: kind }, _admitted, places, lines) {
    if (range === undefined) throw invalidReply(server, highlightsName);
    const item: JsonObject = {};
    places.addRange(item, lines, server, range);
    item.kind = kind;
    const text = places.textBeside(lines, server, range);
    if (text !== undefined) item.text = text;
    return item;
  },
};

/** Inferred types and parameter names. */
export const inlayHints: Shape = {
  nouns: ["hint", "hints"],
  normalize: (reply, call) =>
    documentItems(reply, call, "a list of inlay hints", async (entry, server, uri) => {
      const { position } = entry;
      const label = labelOf(entry.label);
      if (!isPosition(position) || label === undefined) return "invalid";
      if (!isAskedFor(call, server, { start: position, end: position })) return undefined;
      const item: JsonObject = { ...(await call.places.point(server, uri, position)), label };
      const kind = wordOf(hintKinds, entry.kind);
      if (kind !== undefined) item.kind = kind;
      const text = markupText(entry.tooltip);
      if (text !== undefined) item.tooltip = cutCharacters(text, call.plan.limits.tooltipChars).text;
      return item;
    }),
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { label, kind, tooltip } = table(item);
      const more = tooltip === undefined ? "" : `  (${textOf(tooltip).replaceAll(/\s+/g, " ")})`;
      return `${placeText(item, dialect)}  ${[textOf(kind), textOf(label)].join(" ").trim()}${more}`;
    }),
};

/** A label is a text, or a list of parts. */
function labelOf(label: unknown): string | undefined {
  if (typeof label === "string") return label.trim();
  if (!Array.isArray(label)) return undefined;
  const values = label.map((part) => (isTable(part) ? part.value : undefined));
  return values.every((value) => typeof value === "string") ? values.join("").trim() : undefined;
}

/** A link to a file outside the roots is dropped; one that was not resolved has no target. */
export const links: Shape = {
  nouns: ["link", "links"],
  normalize: (reply, call) =>
    documentItems(reply, call, "a list of links", async (entry, server, uri) => {
      if (!isRange(entry.range)) return "invalid";
      const span = await call.places.span(server, uri, entry.range);
      const target = targetOf(call, entry.target);
      if (target === undefined) call.evidence.drop({ span, target: entry.target });
      if (target === undefined) return undefined;
      const item: JsonObject = { ...span, ...target };
      if (typeof entry.tooltip === "string") item.tooltip = entry.tooltip;
      return item;
    }),
  text: (items, _beside, dialect) =>
    items.map((item) => {
      const { url, fragment, tooltip } = table(item);
      const place = fragment === undefined ? "" : `#${textOf(fragment)}`;
      const target = `${fileOf(item, dialect)}${textOf(url)}${place}` || "(not resolved)";
      return `${rangeText(item, dialect)}  ${target}  ${textOf(tooltip)}`.trimEnd();
    }),
};

/** The members that name a link's target; undefined when it is outside the roots. */
function targetOf(call: CallState, target: unknown): JsonObject | undefined {
  if (typeof target !== "string" || target === "") return {};
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(target)?.[1]?.toLowerCase();
  // Some servers give a bare path instead of a URI.
  const isFile = scheme === "file" || isAbsolute(target) || win32.isAbsolute(target);
  if (!isFile) return isPublic(scheme, target) ? { url: target } : undefined;
  const mark = target.indexOf("#");
  const named = mark < 0 ? target : target.slice(0, mark);
  const admitted = call.places.show(scheme === "file" ? named : fileUri(named));
  if (admitted === undefined) return undefined;
  const file = call.places.document(admitted);
  return mark < 0 ? file : { ...file, fragment: target.slice(mark + 1) };
}

/** Web addresses are part of the document; URIs of other schemes may contain paths of this machine. */
function isPublic(scheme: string | undefined, target: string): boolean {
  return scheme === undefined || /^(?:https?|mailto)$/.test(scheme) || redact(target, []) === target;
}

/** The ranges around a position, innermost first. */
export const selectionRanges: Shape = {
  nouns: ["range", "ranges"],
  async normalize(reply, call) {
    const turns = new Turns(call.signal);
    const found: { range: Range; item: JsonObject }[] = [];
    for (const { server, uri, entry } of documentEntries(reply, call, selectionName)) {
      for (const range of chainOf(server, entry)) {
        const item = await call.places.span(server, uri, range);
        const text = await call.places.snippet(server, uri, range);
        found.push({ range, item: text === undefined ? item : { ...item, text } });
        if (turns.isDue) await turns.yield();
      }
    }
    // In a chain the inner range begins later or ends earlier, so this is the order of nesting.
    const ordered = await sortByInTurns(
      found,
      ({ range: { start, end }, item }) => [
        -start.line,
        -start.character,
        end.line,
        end.character,
        canonicalText(item),
      ],
      turns,
    );
    return { items: ordered.map(({ item }): Json => item), beside: {} };
  },
  text: (items, _beside, dialect) =>
    items.map((item) => `${rangeText(item, dialect)}  ${textOf(table(item).text)}`.trimEnd()),
};

function chainOf(server: LanguageServer, entry: unknown): Range[] {
  const chain: Range[] = [];
  for (let link: unknown = entry; link !== undefined && link !== null; ) {
    if (!isTable(link) || !isRange(link.range) || chain.length > MAX_DEPTH)
      throw invalidReply(server, selectionName);
    chain.push(link.range);
    link = link.parent;
  }
  if (chain.length === 0) throw invalidReply(server, selectionName);
  return chain;
}
