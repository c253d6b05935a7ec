/**
 * From replies to the finished answer: normalise, sort, limit and page.
 * The same replies in any order give the same bytes.
 */
import type { Answer, AnswerOptions } from "../../abi/handler.js";
import type { ShapeName } from "../../abi/plan.js";
import type { FileStamp } from "../../base/file-stamp.js";
import { sha256 } from "../../base/hash.js";
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import { Fault, Refusal } from "../../base/problem.js";
import { Turns } from "../../base/timing.js";
import { documentKey } from "../../protocol/dialect-format.js";
import { itemKey } from "../../protocol/item-order.js";
import { type ShapeFacts, shapes } from "../../protocol/shapes.js";
import type { ReplyData } from "../ask/candidates.js";
import { assertFilesUnchanged, type Stamps } from "../ask/retry-on-change.js";
import type { CallState } from "../call-state.js";
import type { RenderContext } from "../listing/collect.js";
import { type List, sortRendered } from "../listing/list.js";
import { runtimeShapes } from "../shapes/index.js";
import type { Shape } from "../shapes/shape.js";
import { symbolLine } from "../shapes/symbols.js";
import { fileOf, rangeText, table, textOf } from "./answer-text.js";
import { disambiguation, headerOf, sharedHeader, snippetWarnings } from "./envelope.js";
import {
  type AnswerRequest,
  askedChars,
  type ItemSlice,
  pageOf,
  pageSize,
  sizeLimits,
  wholeAnswer,
} from "./fit-answer.js";
import { boundedWarning, tooMany } from "./next-steps.js";
import { BYTES_PER_STAMP, blankCursor, Pages, type Snapshot, TOO_LARGE } from "./pages.js";

/** No agent pages through more; the largest message of a language server has about as many items. */
const MAX_ITEMS = 500_000;
/** The part of a listing's memory that its items may take. */
const SHARE_OF_ITEMS = 0.9;

/** The answer of a call in one of the output shapes. */
export async function buildAnswer(
  call: CallState,
  name: ShapeName,
  reply: ReplyData,
  options: AnswerOptions,
): Promise<Answer> {
  const { facts, shape } = shapeNamed(name);
  if (reply.skipped !== undefined) {
    // An edit that no server can make is refused: an empty answer would read as done.
    if (call.tool.effect !== "read") throw reply.skipped;
    call.evidence.warn("answer/not-supported", reply.skipped.message);
  }
  const normalized = await shape.normalize(reply, call, options);
  const request: AnswerRequest = { call, facts, shape, limits: sizeLimits(call, options.maxChars) };
  if (!("list" in normalized) && !facts.counted) {
    await assertFilesUnchanged(call);
    return wholeAnswer(request, headerOf(call), normalized);
  }
  const turns = new Turns(call.signal);
  const context: RenderContext = { places: call.places, turns };
  const found =
    "list" in normalized
      ? normalized.list
      : await sortRendered(normalized.items, facts, call.plan.dialect, turns);
  const listed = await boundedList(call, found, context);
  const wanted = call.input[call.plan.dialect.listing.most] ?? call.tool.defaultItems;
  const list =
    typeof wanted === "number" && wanted < listed.length ? await listed.first(wanted, context) : listed;
  const part = await renderSlice(request, list, 0, context);
  const files = await assertFilesUnchanged(call);
  const listing: Snapshot = {
    header: headerOf(call),
    beside: normalized.beside,
    list,
    total: found.length,
    isBounded: listed.length < found.length,
    files: stampsIn(files, list, call.evidence.document?.admitted.path),
    sourcesCursor: call.fileCheck?.sourcesCursor,
  };
  return firstPage(request, listing, part, turns);
}

/** The stamps of a list's files, and of the document that the call is about. */
function stampsIn(stamps: Stamps, { paths }: List, own: string | undefined): Stamps {
  if (paths === undefined) return stamps;
  const kept = new Map<string, FileStamp | undefined>();
  for (const path of own === undefined ? paths : [own, ...paths])
    if (stamps.has(path)) kept.set(path, stamps.get(path));
  return kept;
}

/** More items than this are refused, not cut; null where a list may be cut. */
function refusePastOf({ tool, plan }: CallState): number | null {
  const ofTool = tool.refusePast ?? null;
  const ofDialect = plan.dialect.listing.refusePast;
  return ofTool === null || ofDialect === null ? (ofTool ?? ofDialect) : Math.min(ofTool, ofDialect);
}

/** The list, cut to what may be kept for paging; a cut adds a warning. */
async function boundedList(call: CallState, list: List, context: RenderContext): Promise<List> {
  const refusePast = refusePastOf(call);
  if (refusePast !== null && list.length > refusePast) throw tooMany(call, refusePast);
  const size = pageSize(call);
  if (refusePast !== null || list.length <= Math.min(MAX_ITEMS, size)) return list;
  let kept = list.length > MAX_ITEMS ? await list.first(MAX_ITEMS, context) : list;
  const room = SHARE_OF_ITEMS * call.pages.maxListingBytes;
  // A list without further pages is not kept.
  while (call.tool.page !== null && kept.length > size) {
    const stamps = (kept.paths ?? call.places.shown()).length;
    const bytes = (await kept.bytes(context.turns)) + BYTES_PER_STAMP * stamps;
    if (bytes <= room) break;
    const fewer = Math.floor(kept.length * Math.min(SHARE_OF_ITEMS, room / bytes));
    kept = await kept.first(Math.max(size, fewer), context);
  }
  if (kept.length < list.length)
    call.evidence.warn("answer/truncated", boundedWarning(call, kept.length, list.length));
  return kept;
}

/** Renders the items of one page from an offset on, with their ids. */
async function renderSlice(
  { call, facts }: AnswerRequest,
  list: List,
  offset: number,
  context: RenderContext,
): Promise<ItemSlice> {
  const end = facts.isWhole ? list.length : Math.min(offset + pageSize(call), list.length);
  const items = await list.render(offset, end, context);
  return { offset, items: call.tool.output.ids ? items.map((item) => identify(item, facts, call)) : items };
}

/** The page that a cursor names. */
export async function pageAnswer(call: CallState, name: ShapeName, cursor: string): Promise<Answer> {
  await assertFilesUnchanged(call);
  const { facts, shape } = shapeNamed(name);
  const turns = new Turns(call.signal);
  const opened = await call.pages.open(cursor, bindingOf(call), turns, call.fileCheck?.sourcesCursor);
  const { snapshot, offset, nextPage } = opened;
  const request: AnswerRequest = { call, facts, shape, limits: sizeLimits(call, askedChars(call)) };
  const part = await renderSlice(request, snapshot.list, offset, { places: call.places, turns });
  await opened.assertUnchanged(call.places.shown().map(({ path }) => path));
  const { header } = snapshot;
  // Warnings of this call, such as a clamped page size, are added to those of the listing.
  const own = [...call.evidence.warnings, ...snippetWarnings(call)];
  const warnings = uniqueBy([...header.warnings, ...own], canonicalText);
  const listing = { ...snapshot, header: { ...header, warnings } };
  const { answer, next } = pageOf(request, listing, part, nextPage.cursor);
  if (next !== undefined) nextPage.issue(next);
  return answer;
}

/** The answer when several symbols or lines match: the candidates to choose from. */
export function disambiguationAnswer(call: CallState, message: string, found: JsonObject[]): Answer {
  const { dialect, limits } = call.plan;
  const facts = shapeNamed("workspace_symbols").facts;
  const sorted = sortBy(found, (item) => [...itemKey(facts, item, dialect), canonicalText(item)]);
  const shown = sorted.slice(0, limits.candidates);
  const lines = shown.map((item) => {
    const snippet = textOf(table(item).text);
    return `${fileOf(item, dialect)} ${symbolLine(item, rangeText(item, dialect))}${snippet ? `  | ${snippet}` : ""}`;
  });
  return disambiguation(headerOf(call), message, shown, shown.length < sorted.length, lines, call.texts);
}

/** The first page of a listing; the listing is kept when there are further pages. */
async function firstPage(
  request: AnswerRequest,
  listing: Snapshot,
  part: ItemSlice,
  turns: Turns,
): Promise<Answer> {
  const { call } = request;
  if (call.tool.page === null) return pageOf(request, listing, part, undefined).answer;
  let shown = part;
  // Where all items are on this page, only its size decides whether there is a next one.
  if (part.items.length >= listing.list.length) {
    const { answer, count } = pageOf(request, listing, part, blankCursor);
    if (count === part.items.length) return answer;
    shown = { offset: 0, items: part.items.slice(0, count) };
  }
  const kept = { ...listing, header: sharedHeader(listing.header) };
  const nextPage = await call.pages.keep(bindingOf(call), kept, turns).catch((error: unknown) => {
    const isTooLarge = error instanceof Refusal && error.code === TOO_LARGE;
    if (!isTooLarge || refusePastOf(call) !== null) throw error;
    return undefined;
  });
  if (nextPage === undefined) return onlyPage(request, listing, shown);
  const { answer, next } = pageOf(request, listing, shown, nextPage.cursor);
  if (next !== undefined) nextPage.issue(next);
  return answer;
}

/** The first page of a listing that is too large to be kept: it says that no page follows. */
function onlyPage(request: AnswerRequest, listing: Snapshot, shown: ItemSlice): Answer {
  const { count } = pageOf(request, listing, shown, blankCursor);
  const message = boundedWarning(request.call, count, listing.total);
  const warnings = [...listing.header.warnings, { code: "answer/truncated", message } as const];
  const bounded = { ...listing, isBounded: true, header: { ...listing.header, warnings } };
  return pageOf(request, bounded, { offset: 0, items: shown.items.slice(0, count) }, undefined).answer;
}

/** The key that a cursor of this call is bound to: the tool and its arguments, except those that page. */
function bindingOf({ tool, input, plan }: CallState): string {
  const { size, cursor } = plan.dialect.listing;
  const asked = Object.entries(input).filter(([name]) => name !== size && name !== cursor);
  return Pages.binding(tool.name, Object.fromEntries(asked));
}

/** Adds the id of an item, a hash of its content: the same content always has the same id. */
function identify(item: Json, { identified }: ShapeFacts, call: CallState): Json {
  if (!isTable(item)) return item;
  const members = item as JsonObject;
  const inner = identified === undefined ? undefined : members[identified];
  if (identified === undefined || !Array.isArray(inner)) return { id: idOf(members), ...members };
  // An entry under its file has the same id as one that names its file itself.
  const key = documentKey(call.plan.dialect);
  const file = members[key] ?? null;
  const entries = inner.map(
    (entry): Json => ({ id: idOf({ [key]: file, ...table(entry) }), ...table(entry) }),
  );
  return { ...members, [identified]: entries };
}

function idOf(members: JsonObject): string {
  return `sha256:${sha256(canonicalText(members))}`;
}

function shapeNamed(name: ShapeName): { facts: ShapeFacts; shape: Shape } {
  const facts = shapes[name];
  const shape = runtimeShapes[name];
  if (facts === undefined || shape === undefined) throw new Fault(`there is no shape ${name}`);
  return { facts, shape };
}
