/**
 * From replies to the finished answer: normalised, without duplicates, sorted by the shape's keys, and only then capped
 * or paged. The same replies in any order give the same bytes.
 */
import type { Answer, AnswerOptions } from "../abi/handler.js";
import type { ShapeName } from "../abi/plan.js";
import { canonicalText, type Json, type JsonObject } from "../base/json.js";
import { sortBy, uniqueBy } from "../base/order.js";
import { Fault, Refusal } from "../base/problem.js";
import { itemKey } from "../protocol/item-order.js";
import { type ShapeFacts, shapes } from "../protocol/shapes.js";
import type { CallState } from "./call-state.js";
import { askBack, envelop, type Head, headOf } from "./envelope.js";
import { capsOf, fits, largest } from "./limits.js";
import { Pages, type Snapshot } from "./page.js";
import type { ReplyData } from "./reply.js";
import { symbolLine } from "./shapes/document-symbols.js";
import { runtimeShapes } from "./shapes/index.js";
import type { Normalized, Shape } from "./shapes/shape.js";
import { fileOf, rangeText, table, textOf } from "./shapes/spelt.js";

/** More items than this are not sorted and cut but refused: nobody can page through them. */
const mostItems = 20_000;
const mostCandidates = 20;
const shortest = 256;

/** The answer of a call in one of the output shapes. */
export async function buildAnswer(
  call: CallState,
  name: ShapeName,
  reply: ReplyData,
  options: AnswerOptions,
): Promise<Answer> {
  const { facts, shape } = shapeNamed(name);
  const normalized = await shape.normalize(reply, call, options);
  if (!facts.counted) return single(call, headOf(call), facts, shape, normalized);
  if (normalized.items.length > mostItems)
    throw new Refusal("guard/too-large", `More than ${mostItems} results were found; narrow the call.`);
  const items = arrange(normalized.items, facts, call);
  const wanted = call.input.max_results;
  const kept = typeof wanted === "number" ? items.slice(0, wanted) : items;
  const listing: Snapshot = {
    head: headOf(call),
    beside: normalized.beside,
    items: kept,
    total: items.length,
    files: await filesOf(call),
  };
  return listAnswer(call, facts, shape, listing);
}

/** The page that a cursor names. */
export async function pageAnswer(call: CallState, name: ShapeName, cursor: string): Promise<Answer> {
  const { facts, shape } = shapeNamed(name);
  const {
    snapshot,
    offset,
    cursor: write,
  } = await call.pages.open(cursor, Pages.binding(call.tool.name, call.input));
  return windowAnswer(call, facts, shape, snapshot, offset, write);
}

/** An empty list for a method that no server has: the answer is true, and says why it is empty. */
export async function emptyAnswer(call: CallState, refusal: Refusal): Promise<Answer | undefined> {
  const { shape: name } = call.tool.output;
  if (!shapes[name]?.counted) return undefined;
  call.evidence.warn("answer/not-supported", refusal.message);
  return buildAnswer(call, name, { parts: [], perItem: false }, {});
}

/** The candidates for a name that several symbols have. */
export function candidatesAnswer(call: CallState, name: string, found: JsonObject[]): Answer {
  const { dialect } = call.plan;
  const facts = shapeNamed("workspace_symbols").facts;
  const sorted = sortBy(found, (item) => [...itemKey(facts, item, dialect), canonicalText(item)]);
  const shown = sorted.slice(0, mostCandidates);
  const lines = shown.map((item) => {
    const snippet = textOf(table(item).text);
    return `${fileOf(item, dialect)} ${symbolLine(item, rangeText(item, dialect))}${snippet ? `  | ${snippet}` : ""}`;
  });
  return askBack(headOf(call), name, shown, shown.length < sorted.length, lines);
}

async function listAnswer(
  call: CallState,
  facts: ShapeFacts,
  shape: Shape,
  listing: Snapshot,
): Promise<Answer> {
  if (call.tool.page === null) return windowAnswer(call, facts, shape, listing, 0, undefined);
  const unbound = () => "x".repeat(76);
  const first = windowAnswer(call, facts, shape, listing, 0, unbound);
  if (first.structured.next_cursor === undefined) return first;
  const write = await call.pages.keep(Pages.binding(call.tool.name, call.input), listing);
  return windowAnswer(call, facts, shape, listing, 0, write);
}

/** As many items from the offset on as the page size and the caps allow. */
function windowAnswer(
  call: CallState,
  facts: ShapeFacts,
  shape: Shape,
  listing: Snapshot,
  offset: number,
  cursor: ((offset: number) => string) | undefined,
): Answer {
  const caps = capsOf(call.plan, call.tool);
  const most = Math.min(pageSize(call), listing.items.length - offset);
  const render = (count: number) => {
    const end = offset + count;
    const hasMore = end < listing.items.length;
    const next = cursor !== undefined && hasMore ? cursor(end) : undefined;
    return envelop(
      listing.head,
      {
        items: listing.items.slice(offset, end),
        beside: listing.beside,
        counts: { offset, total: listing.total, next },
        isTruncated: end < listing.total || listing.head.isCut,
      },
      facts.list,
      shape,
      call.plan.dialect,
    );
  };
  const count = largest(most, (items) => fits(render(items), caps));
  if (count === 0 && most > 0) throw tooLarge();
  return render(count);
}

/** An answer without a counted list: cut within where the shape can, refused where it cannot. */
function single(
  call: CallState,
  head: Head,
  facts: ShapeFacts,
  shape: Shape,
  normalized: Normalized,
): Answer {
  const caps = capsOf(call.plan, call.tool);
  const render = ({ items, beside }: Normalized, isCut: boolean) =>
    envelop(
      head,
      { items, beside, counts: undefined, isTruncated: isCut || head.isCut },
      facts.list,
      shape,
      call.plan.dialect,
    );
  const whole = render(normalized, false);
  if (fits(whole, caps)) return whole;
  for (let characters = caps.characters; shape.shorten && characters >= shortest; characters /= 2) {
    const { items, beside } = normalized;
    const shorter = render(shape.shorten(items, beside, Math.floor(characters)), true);
    if (fits(shorter, caps)) return shorter;
  }
  throw tooLarge();
}

/** Without exact duplicates, in the shape's order; what the keys leave open the canonical text decides. */
export function arrange(items: Json[], facts: ShapeFacts, call: Pick<CallState, "plan">): Json[] {
  const unique = uniqueBy(items, canonicalText);
  return sortBy(unique, (item) => [...itemKey(facts, item, call.plan.dialect), canonicalText(item)]);
}

function pageSize(call: CallState): number {
  const { page, maxItems } = call.tool;
  if (page === null) return maxItems;
  const asked = call.input.page_size;
  return Math.min(typeof asked === "number" ? asked : page.defaultSize, page.maxSize, maxItems);
}

async function filesOf(call: CallState): Promise<string[]> {
  const document = call.evidence.document?.admitted.path;
  const shown = await call.places.shownPaths();
  return document === undefined || shown.includes(document) ? shown : [document, ...shown];
}

function shapeNamed(name: ShapeName): { facts: ShapeFacts; shape: Shape } {
  const facts = shapes[name];
  const shape = runtimeShapes[name];
  if (facts === undefined || shape === undefined) throw new Fault(`there is no shape ${name}`);
  return { facts, shape };
}

function tooLarge(): Refusal {
  return new Refusal("guard/too-large", "The answer is larger than the limits allow, even when it is cut.");
}
