/**
 * From replies to the finished answer: normalised, without duplicates, sorted by the shape's keys, and only then capped
 * or paged. The same replies in any order give the same bytes.
 */
import type { Answer, AnswerOptions } from "../../abi/handler.js";
import type { ShapeName } from "../../abi/plan.js";
import { sha256 } from "../../base/hash.js";
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import { Fault, type Refusal } from "../../base/problem.js";
import { type Soon, whenThere } from "../../base/soon.js";
import { itemKey } from "../../protocol/item-order.js";
import { type ShapeFacts, shapes } from "../../protocol/shapes.js";
import { documentKey } from "../../protocol/spelling.js";
import type { Choices } from "../ask/choose.js";
import type { ReplyData } from "../ask/reply.js";
import { assertFilesUnchanged } from "../ask/retry-on-change.js";
import type { CallState } from "../call-state.js";
import { ApplyRequest } from "../edits/proposed-edit.js";
import { bounded } from "../listing/bound.js";
import { arranged, type List, type Speller } from "../listing/list.js";
import { symbolLine } from "../shapes/document-symbols.js";
import { runtimeShapes } from "../shapes/index.js";
import type { Shape } from "../shapes/shape.js";
import { fileOf, rangeText, table, textOf } from "../shapes/spelt.js";
import { Turns } from "../turns.js";
import { askBack } from "./envelope.js";
import { headOf, sharedHead, snippetWarnings } from "./head.js";
import { askedChars, capsOf, pageSize } from "./limits.js";
import { blankCursor, Pages, type Snapshot } from "./page.js";
import { type Asked, type Part, wholeAnswer, windowAnswer } from "./window.js";

const mostCandidates = 20;

/** The answer of a call in one of the output shapes. */
export async function buildAnswer(
  call: CallState,
  name: ShapeName,
  reply: ReplyData,
  options: AnswerOptions,
): Promise<Answer> {
  const { facts, shape } = shapeNamed(name);
  if (reply.skipped !== undefined) tellSkipped(call, reply.skipped);
  const normalizing = shape.normalize(reply, call, options);
  const normalized = normalizing instanceof Promise ? await normalizing : normalizing;
  const asked: Asked = { call, facts, shape, caps: capsOf(call, options.maxChars) };
  if (!("list" in normalized) && !facts.counted) {
    const steady = assertFilesUnchanged(call);
    if (steady instanceof Promise) await steady;
    return wholeAnswer(asked, headOf(call), normalized);
  }
  const turns = new Turns(call.signal);
  const found =
    "list" in normalized
      ? normalized.list
      : await arranged(normalized.items, facts, call.plan.dialect, turns);
  const speller: Speller = { places: call.places, turns };
  const kept = bounded(call, found, speller);
  const listed = kept instanceof Promise ? await kept : kept;
  const wanted = call.input[call.plan.dialect.listing.most] ?? call.tool.defaultItems;
  const list =
    typeof wanted === "number" && wanted < listed.length ? await listed.first(speller, wanted) : listed;
  const spelling = partOf(asked, list, 0, speller);
  const part = spelling instanceof Promise ? await spelling : spelling;
  const steady = assertFilesUnchanged(call);
  const files = steady instanceof Promise ? await steady : steady;
  const listing: Snapshot = {
    head: headOf(call),
    beside: normalized.beside,
    list,
    total: found.length,
    isBounded: listed.length < found.length,
    files,
    sources: call.files?.sources,
  };
  return listAnswer(asked, listing, part, turns);
}

/** The items of an answer that begins at an offset, with their ids. */
function partOf({ call, facts }: Asked, list: List, offset: number, speller: Speller): Soon<Part> {
  const end = facts.isWhole ? list.length : Math.min(offset + pageSize(call), list.length);
  return whenThere(list.items(speller, offset, end), (items) => ({
    offset,
    items: call.tool.output.ids ? items.map((item) => identify(item, facts, call)) : items,
  }));
}

/** The answer to a call that has not chosen one of several actions yet. */
export async function choicesAnswer(call: CallState, choices: Choices): Promise<Answer> {
  const reply = { parts: [{ server: undefined, value: choices }], perItem: false };
  return buildAnswer(call, call.tool.output.shape, reply, {});
}

/** The answer to a call that applies the preview of a token. */
export async function heldAnswer(call: CallState, token: string): Promise<Answer> {
  return buildAnswer(
    call,
    call.tool.output.shape,
    { parts: [{ server: undefined, value: new ApplyRequest(token) }], perItem: false },
    { apply: "on_request" },
  );
}

/** The page that a cursor names. */
export async function pageAnswer(call: CallState, name: ShapeName, cursor: string): Promise<Answer> {
  await assertFilesUnchanged(call);
  const { facts, shape } = shapeNamed(name);
  const turns = new Turns(call.signal);
  const opened = await call.pages.open(cursor, bindingOf(call), turns, call.files?.sources);
  const { snapshot, offset } = opened;
  const asked: Asked = { call, facts, shape, caps: capsOf(call, askedChars(call)) };
  const part = await partOf(asked, snapshot.list, offset, { places: call.places, turns });
  await opened.insist(call.places.shown().map(({ path }) => path));
  const { head } = snapshot;
  // What this very call is told, a page size out of bounds say, stands beside what the listing was told.
  const own = [...call.evidence.warnings, ...snippetWarnings(call)];
  const warnings = uniqueBy([...head.warnings, ...own], canonicalText);
  const listing = { ...snapshot, head: { ...head, warnings } };
  const { answer, next } = windowAnswer(asked, listing, part, opened.wayOn.cursor);
  if (next !== undefined) opened.wayOn.give(next);
  return answer;
}

/** An empty answer for a method that no server has: it is true, and says why it is empty. */
export async function emptyAnswer(call: CallState, skipped: Refusal): Promise<Answer> {
  return buildAnswer(call, call.tool.output.shape, { parts: [], perItem: false, skipped }, {});
}

/** Says that what the answer is made of was not asked for, since no server has the method. */
function tellSkipped({ tool, evidence }: CallState, refusal: Refusal): void {
  // An edit that nobody can make is refused: an empty one would read as done.
  if (tool.effect !== "read") throw refusal;
  evidence.warn("answer/not-supported", refusal.message);
}

/** The candidates where several symbols or lines are meant. */
export function candidatesAnswer(call: CallState, message: string, found: JsonObject[]): Answer {
  const { dialect } = call.plan;
  const facts = shapeNamed("workspace_symbols").facts;
  const sorted = sortBy(found, (item) => [...itemKey(facts, item, dialect), canonicalText(item)]);
  const shown = sorted.slice(0, mostCandidates);
  const lines = shown.map((item) => {
    const snippet = textOf(table(item).text);
    return `${fileOf(item, dialect)} ${symbolLine(item, rangeText(item, dialect))}${snippet ? `  | ${snippet}` : ""}`;
  });
  return askBack(headOf(call), message, shown, shown.length < sorted.length, lines, call.wording);
}

function listAnswer(asked: Asked, listing: Snapshot, part: Part, turns: Turns): Soon<Answer> {
  const { call } = asked;
  if (call.tool.page === null) return windowAnswer(asked, listing, part, undefined).answer;
  // Where the page ends before the list does there is a next one; else it depends on what fits.
  let shown = part;
  if (part.offset + part.items.length >= listing.list.length) {
    const { answer, count } = windowAnswer(asked, listing, part, blankCursor);
    if (count === part.items.length) return answer;
    shown = { offset: part.offset, items: part.items.slice(0, count) };
  }
  return firstPage(asked, listing, shown, turns);
}

/** The first of several pages; the others are kept. */
async function firstPage(asked: Asked, listing: Snapshot, shown: Part, turns: Turns): Promise<Answer> {
  const { call } = asked;
  const shared = { ...listing, head: sharedHead(listing.head) };
  const wayOn = await call.pages.keep(bindingOf(call), shared, turns);
  const { answer, next } = windowAnswer(asked, listing, shown, wayOn.cursor);
  if (next !== undefined) wayOn.give(next);
  return answer;
}

/** What a cursor of this call is bound to: the tool and its arguments, but for those that page. */
function bindingOf({ tool, input, plan }: CallState): string {
  const { size, cursor } = plan.dialect.listing;
  const asked = Object.entries(input).filter(([name]) => name !== size && name !== cursor);
  return Pages.binding(tool.name, Object.fromEntries(asked));
}

/** The id of an item: the same content has the same id, whenever and by whomever it is asked for. */
function identify(item: Json, { identified }: ShapeFacts, call: CallState): Json {
  if (!isTable(item)) return item;
  const members = item as JsonObject;
  const inner = identified === undefined ? undefined : members[identified];
  if (identified === undefined || !Array.isArray(inner)) return { id: idOf(members), ...members };
  // An entry within a file is the same thing as one that names its file itself.
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
