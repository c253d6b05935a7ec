/**
 * The part of a listing, or of one value, that an answer has room for. What a shape can do without (texts beside places,
 * the largest answers of a batch) is given up before an item is, unless a next page has the others.
 */
import type { Answer } from "../../abi/handler.js";
import { canonicalText, type Json } from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import { type NextStep, Refusal, type Warning } from "../../base/problem.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import type { CallState } from "../call-state.js";
import type { Normalized, Shape } from "../shapes/shape.js";
import { envelop, type ListPlace } from "./envelope.js";
import type { Head } from "./head.js";
import { type Caps, fits, largest } from "./limits.js";
import type { CursorWriter, Snapshot } from "./page.js";
import { mostWithRoom } from "./room.js";
import { waysOn } from "./ways-on.js";

const shortest = 256;
const inPart: Warning = {
  code: "answer/truncated",
  message: "The first item is larger than an answer; a part of it is shown.",
};

/** A shape with its facts, and the call that wants it. */
export interface Asked {
  call: CallState;
  facts: ShapeFacts;
  shape: Shape;
  caps: Caps;
}

/** The items of a window as they are shown, and what must be told of them. */
interface Form {
  items: Json[];
  beside?: Normalized["beside"];
  warnings: Warning[];
  steps: NextStep[];
  isShortened: boolean;
}

/** Items of a listing, from an offset on, as many as an answer may have. */
export interface Part {
  offset: number;
  items: Json[];
}

/** What a window shows: the answer, how many of the items stand in it, in which form, and the cursor behind them. */
export interface Shown {
  answer: Answer;
  count: number;
  form: Form;
  next: string | undefined;
}

/** As many of the items as the caps allow; without a cursor there is no next page. */
export function windowAnswer(
  asked: Asked,
  listing: Snapshot,
  { offset, items: whole }: Part,
  cursor: CursorWriter | undefined,
): Shown {
  const { call, facts, shape, caps } = asked;
  const most = whole.length;
  const render = (count: number, form: Form): Shown => {
    const end = offset + count;
    const items = form.items.slice(0, count);
    const next = cursor !== undefined && end < listing.list.length ? cursor(end, items) : undefined;
    const isCut = end < listing.total && next === undefined;
    const { total, isBounded } = listing;
    const cut = { total, shown: count, isSize: count < most, isBounded };
    const answer = envelop(
      listing.head,
      {
        items,
        beside: form.beside ?? listing.beside,
        counts: { offset, total: listing.total, next },
        isTruncated: end < listing.total || listing.head.isCut || form.isShortened,
        warnings: form.warnings,
        steps: uniqueBy(isCut ? [...form.steps, ...waysOn(call, cut)] : form.steps, canonicalText),
      },
      placeOfList(call, facts),
      shape,
      call.wording,
    );
    return { answer, count, form, next };
  };
  const plain: Form = { items: whole, warnings: [], steps: [], isShortened: false };
  let rendered: Shown | undefined;
  const tried = (count: number, form: Form) => {
    rendered = render(count, form);
    return rendered.answer;
  };
  const fitting = (form: Form) =>
    mostWithRoom(form.items, caps, call.plan.dialect, (count) => tried(count, form));
  /** What was tried last is not made once more. */
  const shown = (count: number, form: Form): Shown =>
    rendered?.count === count && rendered.form === form ? rendered : render(count, form);
  const full = fitting(plain);
  if (full === most || (full > 0 && cursor !== undefined)) return shown(full, plain);
  const lighter = lightest(asked, whole, (form) => fits(tried(most, form), caps));
  const count = fitting(lighter);
  if (count > full) return shown(count, lighter);
  if (full > 0) return shown(full, plain);
  // Not even one item fits: it is shown in part, where the shape can.
  const one = { items: whole.slice(0, 1), beside: listing.beside };
  const warnings = [inPart];
  return shortened(asked, one, (shorter) => render(1, { ...plain, ...shorter, warnings, isShortened: true }));
}

function placeOfList({ tool: { output } }: CallState, { list, within }: ShapeFacts): ListPlace {
  const { count, symbols } = output;
  return { list: list === null ? null : (output.list ?? list), within, count, symbols };
}

/** An answer without a counted list: cut within where the shape can, refused where it cannot. */
export function wholeAnswer(asked: Asked, head: Head, normalized: Normalized): Answer {
  const { call, facts, shape, caps } = asked;
  const render = ({ items, beside }: Normalized, isCut: boolean) =>
    envelop(
      head,
      {
        items,
        beside,
        counts: undefined,
        isTruncated: isCut || head.isCut,
        warnings: [],
        steps: isCut ? waysOn(call, { total: 1, shown: 1, isSize: true }) : [],
      },
      placeOfList(call, facts),
      shape,
      call.wording,
    );
  const whole = render(normalized, false);
  if (fits(whole, caps)) return whole;
  return shortened(asked, normalized, (shorter) => ({ answer: render(shorter, true) })).answer;
}

/** The items with as little given up as makes all of them fit, or else with all given up that can be. */
function lightest({ call, shape }: Asked, items: Json[], isFine: (form: Form) => boolean): Form {
  const { lighter } = shape;
  const grades = lighter?.grades(items) ?? 0;
  const at = (grade: number): Form => {
    const told = lighter?.tell(items, grade, call);
    return {
      items: lighter?.lighten(items, grade) ?? items,
      warnings: told === undefined || grade === 0 ? [] : [told.warning],
      steps: told === undefined || grade === 0 ? [] : told.steps,
      isShortened: grade > 0 && told?.isCut === true,
    };
  };
  const kept = largest(grades, (count) => isFine(at(grades - count)));
  return at(grades - kept);
}

/** The longest form of an answer that keeps the caps, when the whole of it does not. */
function shortened<T extends { answer: Answer }>(
  { call, shape, caps }: Asked,
  { items, beside }: Normalized,
  render: (shorter: Normalized) => T,
): T {
  for (let characters = caps.page; shape.shorten && characters >= shortest; characters /= 2) {
    const shorter = render(shape.shorten(items, beside, Math.floor(characters)));
    if (fits(shorter.answer, caps)) return shorter;
  }
  throw new Refusal("guard/too-large", "The answer is larger than the limits allow, even when it is cut.", {
    nextSteps: waysOn(call, { total: 1, shown: 0, isSize: true }),
  });
}
