/**
 * How large an answer may be, and rendering as much of a listing or value as fits. Optional parts of items, such as
 * snippets, are dropped before items, unless a next page shows the remaining items.
 */
import type { Answer } from "../../abi/handler.js";
import { canonicalText, type Json } from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import { type NextStep, Refusal, type Warning } from "../../base/problem.js";
import type { CallState } from "../call-state.js";
import type { Normalized } from "../shapes/shape.js";
import { type AnswerShape, envelop, type Header } from "./envelope.js";
import { stepsAfterCut } from "./next-steps.js";
import type { CursorWriter, Snapshot } from "./pages.js";

const MIN_CHARACTERS = 256;
const shownInPart: Warning = {
  code: "answer/truncated",
  message: "The first item is larger than an answer; a part of it is shown.",
};

export interface AnswerRequest extends AnswerShape {
  call: CallState;
  limits: SizeLimits;
}

/** The items as they are shown, whole or with something dropped. */
interface Form {
  items: Json[];
  beside?: Normalized["beside"];
  warnings: Warning[];
  steps: NextStep[];
  isShortened: boolean;
}

/** Rendered items of a listing, from an offset on. */
export interface ItemSlice {
  offset: number;
  items: Json[];
}

/** A rendered page: the answer, how many items it shows, and the cursor of the next page. */
interface Page {
  answer: Answer;
  count: number;
  next: string | undefined;
}

/** As many of the items as the limits allow; without a cursor writer there is no next page. */
export function pageOf(
  request: AnswerRequest,
  listing: Snapshot,
  { offset, items: whole }: ItemSlice,
  cursor: CursorWriter | undefined,
): Page {
  const { call, limits } = request;
  const { header, total, isBounded } = listing;
  const render = (count: number, form: Form): Page => {
    const end = offset + count;
    const items = form.items.slice(0, count);
    const next = cursor !== undefined && end < listing.list.length ? cursor(end, items) : undefined;
    const isCut = end < total && next === undefined;
    const cut = { total, shown: count, isSize: count < whole.length, isBounded };
    const answer = envelop(request, header, {
      items,
      beside: form.beside ?? listing.beside,
      counts: { offset, total, next },
      isTruncated: end < total || header.isCut || form.isShortened,
      warnings: form.warnings,
      steps: uniqueBy(isCut ? [...form.steps, ...stepsAfterCut(call, cut)] : form.steps, canonicalText),
    });
    return { answer, count, next };
  };
  const fitting = (form: Form): Page | undefined =>
    largest(form.items.length, (count) => {
      const page = render(count, form);
      return fits(page.answer, limits) ? page : undefined;
    });
  const plain: Form = { items: whole, warnings: [], steps: [], isShortened: false };
  if (whole.length === 0) return render(0, plain);
  const full = fitting(plain);
  if (full !== undefined && (full.count === whole.length || cursor !== undefined)) return full;
  const lighter = lightest(request, whole, (form) => fits(render(whole.length, form).answer, limits));
  const light = lighter && fitting(lighter);
  if (light !== undefined && light.count > (full?.count ?? 0)) return light;
  if (full !== undefined) return full;
  // Not even one item fits: it is shown in part, where the shape can do that.
  const one = { items: whole.slice(0, 1), beside: listing.beside };
  return shortened(request, one, (shorter) =>
    render(1, { ...plain, ...shorter, warnings: [shownInPart], isShortened: true }),
  );
}

/** An answer without a counted list: cut inside where the shape can, refused where it cannot. */
export function wholeAnswer(request: AnswerRequest, header: Header, normalized: Normalized): Answer {
  const { call, limits } = request;
  const render = ({ items, beside }: Normalized, isCut: boolean) =>
    envelop(request, header, {
      items,
      beside,
      counts: undefined,
      isTruncated: isCut || header.isCut,
      warnings: [],
      steps: isCut ? stepsAfterCut(call, { total: 1, shown: 1, isSize: true }) : [],
    });
  const whole = render(normalized, false);
  if (fits(whole, limits)) return whole;
  return shortened(request, normalized, (shorter) => ({ answer: render(shorter, true) })).answer;
}

/**
 * The items with as little dropped as makes all of them fit, or with all that can be; undefined when nothing can be.
 */
function lightest(
  { call, shape: { lighter } }: AnswerRequest,
  items: Json[],
  isFine: (form: Form) => boolean,
): Form | undefined {
  const levels = lighter?.levels(items) ?? 0;
  if (lighter === undefined || levels === 0) return undefined;
  const at = (level: number): Form => {
    const { warning, steps, isCut } = lighter.describe(items, level, call);
    return { items: lighter.lighten(items, level), warnings: [warning], steps, isShortened: isCut };
  };
  const kept = largest(levels - 1, (count) => {
    const form = at(levels - count);
    return isFine(form) ? form : undefined;
  });
  return kept ?? at(levels);
}

/** The longest cut form of an answer that keeps the limits; refuses when even the shortest does not. */
function shortened<T extends { answer: Answer }>(
  { call, shape, limits }: AnswerRequest,
  { items, beside }: Normalized,
  render: (shorter: Normalized) => T,
): T {
  for (let characters = limits.page; shape.shorten && characters >= MIN_CHARACTERS; characters /= 2) {
    const shorter = render(shape.shorten(items, beside, Math.floor(characters), call));
    if (fits(shorter.answer, limits)) return shorter;
  }
  throw new Refusal("guard/too-large", "The answer is larger than the limits allow, even when it is cut.", {
    nextSteps: stepsAfterCut(call, { total: 1, shown: 0, isSize: true }),
  });
}

export interface SizeLimits {
  /** Characters of the forms that are sent, together. */
  total: number;
  /** Characters of each of them. */
  page: number;
  /** Characters of the text. */
  text: number;
  /** Bytes of each of them. */
  bytes: number;
  hasStructure: boolean;
  hasText: boolean;
}

/** A budget that the tool or the call declares holds up to the hard limit; without one an answer is one page. */
export function sizeLimits({ plan, tool, evidence }: CallState, asked: Json | undefined): SizeLimits {
  const { limits, dialect } = plan;
  const { maxTotalCharsHard: hard } = limits;
  const wanted = typeof asked === "number" ? asked : limits.maxTotalChars;
  if (wanted > hard)
    evidence.warn("answer/clamped", `${wanted} characters were asked for; ${hard} are the most.`, {
      requested: wanted,
      effective: hard,
      hard,
    });
  const total = Math.min(wanted, hard);
  const isPaged = tool.output.maxChars === null;
  return {
    total,
    page: isPaged ? Math.min(limits.maxPageChars, total) : total,
    text: isPaged ? Math.min(limits.maxTextChars, total) : total,
    bytes: Math.min(tool.maxBytes, limits.maxBytes),
    hasStructure: dialect.result !== "text" || dialect.outputSchemas,
    hasText: dialect.result !== "structured",
  };
}

/** The largest number of items in one answer of the call. */
export function pageSize({ plan, tool, input }: CallState): number {
  const { page, maxItems } = tool;
  if (page === null) return maxItems;
  const asked = input[plan.dialect.listing.size];
  return Math.min(typeof asked === "number" ? asked : page.defaultSize, page.maxSize, maxItems);
}

/** The character budget that the tool declares or the call asks for. */
export function askedChars({ tool, input }: CallState): Json | undefined {
  const { maxChars } = tool.output;
  if (maxChars?.kind === "literal") return maxChars.value;
  return maxChars?.kind === "ref" && maxChars.ref.name !== null ? input[maxChars.ref.name] : undefined;
}

/** Whether the forms of an answer that are sent keep the limits. */
export function fits(answer: Answer, limits: SizeLimits): boolean {
  const structure = limits.hasStructure ? JSON.stringify(answer.structured) : "";
  const text = limits.hasText ? `${answer.text}${answer.notes}` : "";
  return (
    structure.length + text.length <= limits.total &&
    structure.length <= limits.page &&
    text.length <= Math.min(limits.page, limits.text) &&
    Buffer.byteLength(structure) <= limits.bytes &&
    Buffer.byteLength(text) <= limits.bytes
  );
}

/** Binary search for the largest count for which `attempt` gives anything; beyond it, it must give nothing. */
export function largest<T>(most: number, attempt: (count: number) => T | undefined): T | undefined {
  let best = attempt(most);
  if (best !== undefined) return best;
  let low = 0;
  let high = most;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const found = attempt(middle);
    if (found === undefined) high = middle;
    else [low, best] = [middle, found];
  }
  return best;
}
