/**
 * One function for each word that a key may say of found configs: what is left of a value under a bound. It answers with
 * the value, a lesser one, or nothing when the value is held back; whatever it takes away it tells.
 */
import { resolve } from "node:path";
import { canonicalText } from "../../base/json.js";
import { isInside } from "../../base/paths.js";
import type { Files } from "../files.js";
import { itemsOf, type LayerNode, leafValue, nodeAt, toJson } from "../layer.js";
import type { FoundWord } from "../schema/found.js";

/** A value with what it is measured by. */
export interface Measured {
  asked: LayerNode;
  bound: LayerNode | undefined;
  /** Whether there being no bound is a bound too. */
  isFirm: boolean;
  /** Whether any value is less than none. */
  isOpen: boolean;
  /** Whose bound it is, in words: `the user's own`. */
  whose: string;
  /** Where relative folders start. */
  base: string;
  files: Files;
  /** Notes what is taken away, in words. */
  tell(node: LayerNode, message: string): void;
}

type Narrow = (measured: Measured) => LayerNode | undefined;

/** Words whose excess is asked for, not held back, as long as nobody trusts the config. */
export const asking: ReadonlySet<FoundWord> = new Set(["asks", "fixed", "within", "inside"]);

/** What each word does. */
export const narrows: { readonly [word in FoundWord]: Narrow } = {
  free: ({ asked }) => asked,
  asks: (measured) => narrows.fixed(measured),
  fixed: (measured) => {
    const { asked, bound, isFirm, whose } = measured;
    if (bound === undefined)
      return isFirm ? held(measured, "neither the user nor the default says this") : asked;
    if (textOf(asked) === textOf(bound)) return asked;
    // A part of a table says nothing new, but put in its place it would take the rest away.
    return isEqual(asked, bound) ? undefined : held(measured, `it is ${whose} ${textOf(bound)}`);
  },
  least: (measured) => numbers(measured, (asked, bound) => asked <= bound, "more"),
  most: (measured) => numbers(measured, (asked, bound) => asked >= bound, "less"),
  sooner: (measured) =>
    numbers(
      measured,
      (asked, bound) => (asked || Number.POSITIVE_INFINITY) <= (bound || Number.POSITIVE_INFINITY),
      "longer",
    ),
  only_true: (measured) => switched(measured, true),
  only_false: (measured) => switched(measured, false),
  within: (measured) => {
    const allowed = new Set(itemsOf(measured.bound).map(textOf));
    return filtered(measured, (item) => allowed.has(textOf(item)), `is not in ${measured.whose} list`);
  },
  inside: (measured) => {
    const { bound, base, files } = measured;
    const real = (node: LayerNode) => files.realpath(resolve(base, String(leafValue(node))));
    const folders = bound === undefined ? [] : elements(bound).map(real);
    const isIn = (item: LayerNode) => folders.some((folder) => isInside(real(item), folder));
    const kept = filtered(measured, isIn, `lies outside ${measured.whose} folders`);
    // No root at all is not a lesser root.
    return kept?.kind === "list" && kept.items.length === 0 ? undefined : kept;
  },
  joined: ({ asked, bound }) => {
    if (asked.kind !== "list") return asked;
    const own = new Set(asked.items.map(textOf));
    return { ...asked, items: [...itemsOf(bound).filter((item) => !own.has(textOf(item))), ...asked.items] };
  },
  chosen: (measured) => {
    const { asked, bound } = measured;
    if (itemsOf(bound).length === 0) return asked;
    // An empty list would mean everything.
    const both = itemsOf(asked).length === 0 ? undefined : narrows.within(measured);
    return itemsOf(both).length === 0 ? undefined : both;
  },
  fewer: (measured) => {
    const { asked, bound, whose } = measured;
    if (bound === undefined || isFewer(asked, bound)) return asked;
    return held(measured, `it is more than ${whose} ${textOf(bound)}`);
  },
  confined: (measured) => {
    const { asked, bound, whose } = measured;
    const [ours, theirs] = [leafValue(bound) ?? "none", leafValue(asked)];
    if (ours === theirs || ours === "none" || theirs === "read_only_no_network") return asked;
    return held(measured, `it confines less than ${whose} ${JSON.stringify(ours)}`);
  },
};

/** Whether a value changes nothing under another: equal, or a part of it. */
export function isEqual(asked: LayerNode, bound: LayerNode): boolean {
  if (asked.kind === "table" && bound.kind === "table")
    return [...asked.entries].every(([key, node]) => {
      const below = bound.entries.get(key);
      return below !== undefined && isEqual(node, below);
    });
  return textOf(asked) === textOf(bound);
}

/** Whether a choice leaves nothing that another takes away. */
function isFewer(asked: LayerNode, bound: LayerNode): boolean {
  const texts = (node: LayerNode, key: string) => new Set(itemsOf(nodeAt(node, [key])).map(textOf));
  const [only, except] = [texts(asked, "only"), texts(asked, "except")];
  const [mayOnly, mayNot] = [texts(bound, "only"), texts(bound, "except")];
  if (only.size > 0)
    return [...only].every((name) => !mayNot.has(name) && (mayOnly.size === 0 || mayOnly.has(name)));
  return mayOnly.size === 0 && [...mayNot].every((name) => except.has(name));
}

/** A value as a person reads it. */
export function textOf(node: LayerNode): string {
  return canonicalText(toJson(node));
}

function held({ asked, tell }: Measured, why: string): undefined {
  tell(asked, `${asked.kind === "leaf" ? textOf(asked) : "this"} is held back: ${why}`);
  return undefined;
}

function numbers(
  measured: Measured,
  isFine: (asked: number, bound: number) => boolean,
  word: string,
): LayerNode | undefined {
  const { asked, bound, whose, isFirm, isOpen } = measured;
  const [theirs, ours] = [leafValue(asked), leafValue(bound)];
  if (typeof theirs !== "number") return asked;
  if (typeof ours !== "number")
    return isOpen || !isFirm ? asked : held(measured, "nothing says what would be less");
  if (isFine(theirs, ours)) return asked;
  return held(measured, `it is ${word} than ${whose} ${ours}`);
}

function switched(measured: Measured, to: boolean): LayerNode | undefined {
  const { asked, bound, whose } = measured;
  if (leafValue(bound) !== to || leafValue(asked) !== !to) return asked;
  return held(measured, `${whose} config says ${to}`);
}

/** The elements that stay; where there is no bound everything does, unless that is one. */
function filtered(
  { asked, bound, isFirm, tell }: Measured,
  stays: (item: LayerNode) => boolean,
  why: string,
): LayerNode | undefined {
  if (bound === undefined && !isFirm) return asked;
  const kept = elements(asked).filter((item) => {
    const isKept = stays(item);
    if (!isKept) tell(item, `${textOf(item)} ${why}`);
    return isKept;
  });
  return asked.kind === "list" ? { ...asked, items: kept } : kept[0];
}

function elements(node: LayerNode): readonly LayerNode[] {
  return node.kind === "list" ? node.items : [node];
}
