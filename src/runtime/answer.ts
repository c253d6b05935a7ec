/**
 * From replies to the finished answer: normalised, without duplicates, sorted by the shape's keys, and only then capped
 * or paged. The same replies in any order give the same bytes.
 */
import type { Answer, AnswerOptions } from "../abi/handler.js";
import type { ShapeName } from "../abi/plan.js";
import { sha256 } from "../base/hash.js";
import { canonicalText, isTable, type Json, type JsonObject } from "../base/json.js";
import { sortBy, uniqueBy } from "../base/order.js";
import { Fault, type Refusal } from "../base/problem.js";
import { itemKey } from "../protocol/item-order.js";
import { type ShapeFacts, shapes } from "../protocol/shapes.js";
import { documentKey } from "../protocol/spelling.js";
import type { CallState } from "./call-state.js";
import type { Choices } from "./choose.js";
import { HeldRequest } from "./edits/draft.js";
import { askBack } from "./envelope.js";
import { headOf } from "./head.js";
import { askedChars, capsOf } from "./limits.js";
import { Pages, type Snapshot } from "./page.js";
import type { ReplyData } from "./reply.js";
import { symbolLine } from "./shapes/document-symbols.js";
import { runtimeShapes } from "./shapes/index.js";
import type { Shape } from "./shapes/shape.js";
import { fileOf, rangeText, table, textOf } from "./shapes/spelt.js";
import { insistOnSteady } from "./steady.js";
import { tooMany } from "./ways-on.js";
import { type Asked, wholeAnswer, windowAnswer } from "./window.js";

/** More items than this are not sorted and cut but refused: nobody can page through them. */
const mostItems = 20_000;
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
  const normalized = await shape.normalize(reply, call, options);
  await insistOnSteady(call);
  const asked: Asked = { call, facts, shape, caps: capsOf(call, options.maxChars) };
  if (!facts.counted) return wholeAnswer(asked, headOf(call), normalized);
  const most = facts.most ?? mostItems;
  if (normalized.items.length > most) throw tooMany(call, most);
  const items = arrange(normalized.items, facts, call);
  const wanted = call.input[call.plan.dialect.listing.most] ?? call.tool.defaultItems;
  const kept = typeof wanted === "number" ? items.slice(0, wanted) : items;
  const listing: Snapshot = {
    head: headOf(call),
    beside: normalized.beside,
    items: call.tool.output.ids ? kept.map((item) => identify(item, facts, call)) : kept,
    total: items.length,
    files: await filesOf(call),
    sources: call.mark?.sources,
  };
  return listAnswer(asked, listing);
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
    { parts: [{ server: undefined, value: new HeldRequest(token) }], perItem: false },
    { apply: "on_request" },
  );
}

/** The page that a cursor names. */
export async function pageAnswer(call: CallState, name: ShapeName, cursor: string): Promise<Answer> {
  call.evidence.isPage = true;
  const { facts, shape } = shapeNamed(name);
  const {
    snapshot,
    offset,
    cursor: write,
  } = await call.pages.open(cursor, bindingOf(call), call.mark?.sources);
  const caps = capsOf(call, askedChars(call));
  const { head } = snapshot;
  // What this very call is told, a page size out of bounds say, stands beside what the listing was told.
  const warnings = uniqueBy([...head.warnings, ...call.evidence.warnings], canonicalText);
  return windowAnswer(
    { call, facts, shape, caps },
    { ...snapshot, head: { ...head, warnings } },
    offset,
    write,
  );
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

async function listAnswer(asked: Asked, listing: Snapshot): Promise<Answer> {
  const { call } = asked;
  if (call.tool.page === null) return windowAnswer(asked, listing, 0, undefined);
  let hasMore = false;
  const unbound = () => {
    hasMore = true;
    return "x".repeat(76);
  };
  const first = windowAnswer(asked, listing, 0, unbound);
  if (!hasMore) return first;
  call.evidence.isPage = true;
  const write = await call.pages.keep(bindingOf(call), listing);
  call.evidence.listing = write(1);
  return windowAnswer(asked, listing, 0, write);
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

/** Without exact duplicates, in the shape's order; what its keys leave open the canonical text decides. */
export function arrange(items: Json[], facts: ShapeFacts, call: Pick<CallState, "plan">): Json[] {
  const unique = uniqueBy(items, canonicalText);
  if (facts.order.length === 0) return unique;
  return sortBy(unique, (item) => [...itemKey(facts, item, call.plan.dialect), canonicalText(item)]);
}

async function filesOf(call: CallState): Promise<string[]> {
  const document = call.evidence.document?.admitted.path;
  const shown = (await call.places.shown()).map(({ path }) => path);
  return document === undefined || shown.includes(document) ? shown : [document, ...shown];
}

function shapeNamed(name: ShapeName): { facts: ShapeFacts; shape: Shape } {
  const facts = shapes[name];
  const shape = runtimeShapes[name];
  if (facts === undefined || shape === undefined) throw new Fault(`there is no shape ${name}`);
  return { facts, shape };
}
