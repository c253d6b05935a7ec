/** The rules for discovered configs: each returns what is left of a value, and reports what it took away. */
import { resolve } from "node:path";
import { canonicalText } from "../../base/json.js";
import { isInside } from "../../base/paths.js";
import type { Files } from "../files.js";
import { itemsAt, type LayerNode, toJson, valueAt } from "../layer.js";

export interface Comparison {
  value: LayerNode;
  limit: LayerNode | undefined;
  /** Whether a missing limit allows nothing. */
  isStrict: boolean;
  /** Whether any number is accepted where there is no limit. */
  isUnlimited: boolean;
  /** Whose limit it is, for messages: `the user's own`. */
  limitOwner: string;
  /** The folder that relative paths start from. */
  base: string;
  files: Files;
  report(node: LayerNode, message: string): void;
}

type TrustRule = (comparison: Comparison) => LayerNode | undefined;

/** The rules by the names that the schema declares them with. */
export const rules = {
  /** Any value is accepted. */
  any: ({ value }) => value,
  /** A change needs trust; then it counts where the user wrote nothing. */
  needs_trust: fixed,
  /** A change needs trust; even then the user's value wins. */
  fixed,
  /** A number that may only be lowered. */
  at_most: (comparison) => compareNumbers(comparison, (value, limit) => value <= limit, "more"),
  /** A number that may only be raised. */
  at_least: (comparison) => compareNumbers(comparison, (value, limit) => value >= limit, "less"),
  /** A time that may only be lowered, where 0 means never. */
  at_most_or_never: (comparison) =>
    compareNumbers(
      comparison,
      (value, limit) => (value || Number.POSITIVE_INFINITY) <= (limit || Number.POSITIVE_INFINITY),
      "longer",
    ),
  /** May only be switched on. */
  only_true: (comparison) => keepSwitch(comparison, true),
  /** May only be switched off. */
  only_false: (comparison) => keepSwitch(comparison, false),
  /** A list: only items of the limit count; others need trust. */
  subset,
  /** Folders: they must lie inside those of the limit; others need trust. */
  inside: (comparison) => {
    const { limit, base, files } = comparison;
    const realPath = (node: LayerNode) => files.realpath(resolve(base, String(valueAt(node))));
    const folders = limit === undefined ? [] : elements(limit).map(realPath);
    const isAllowed = (item: LayerNode) => folders.some((folder) => isInside(realPath(item), folder));
    const kept = filterItems(comparison, isAllowed, `is outside ${comparison.limitOwner} folders`);
    // An empty list of roots would mean the default, which may be wider.
    return kept?.kind === "list" && kept.items.length === 0 ? undefined : kept;
  },
  /** A list that is added to the limit. */
  union: ({ value, limit }) => {
    if (value.kind !== "list") return value;
    const own = new Set(value.items.map(textOf));
    return { ...value, items: [...itemsAt(limit).filter((item) => !own.has(textOf(item))), ...value.items] };
  },
  /** A list that selects from the limit, where empty means everything. */
  selection: (comparison) => {
    if (itemsAt(comparison.limit).length === 0) return comparison.value;
    // An empty list would mean everything.
    const both = itemsAt(comparison.value).length === 0 ? undefined : subset(comparison);
    return itemsAt(both).length === 0 ? undefined : both;
  },
  /** A choice of features (`only` or `except`) that may only become smaller. */
  fewer_features: (comparison) => {
    const { value, limit, limitOwner } = comparison;
    if (limit === undefined || hasFewerFeatures(value, limit)) return value;
    return ignored(comparison, `it is more than ${limitOwner} ${textOf(limit)}`);
  },
  /** A sandbox that may only become stricter. */
  stricter_sandbox: (comparison) => {
    const { value, limit, limitOwner } = comparison;
    const wanted = valueAt(value);
    const current = valueAt(limit) ?? "none";
    if (current === wanted || current === "none" || wanted === "read_only_no_network") return value;
    return ignored(comparison, `it is less strict than ${limitOwner} ${JSON.stringify(current)}`);
  },
} satisfies { [name: string]: TrustRule };

export type RuleName = keyof typeof rules;

function fixed(comparison: Comparison): LayerNode | undefined {
  const { value, limit, isStrict, limitOwner } = comparison;
  if (limit === undefined)
    return isStrict ? ignored(comparison, "neither the user nor the default sets this") : value;
  if (textOf(value) === textOf(limit)) return value;
  // A part of a table changes nothing, but in place of the table it would remove the rest.
  return isPartOf(value, limit)
    ? undefined
    : ignored(comparison, `the value is ${limitOwner} ${textOf(limit)}`);
}

function subset(comparison: Comparison): LayerNode | undefined {
  const allowed = new Set(itemsAt(comparison.limit).map(textOf));
  return filterItems(
    comparison,
    (item) => allowed.has(textOf(item)),
    `is not in ${comparison.limitOwner} list`,
  );
}

/** Whether a value is equal to another or a part of it, so that it changes nothing. */
export function isPartOf(value: LayerNode, whole: LayerNode): boolean {
  if (value.kind === "table" && whole.kind === "table")
    return [...value.entries].every(([key, node]) => {
      const below = whole.entries.get(key);
      return below !== undefined && isPartOf(node, below);
    });
  return textOf(value) === textOf(whole);
}

function hasFewerFeatures(value: LayerNode, limit: LayerNode): boolean {
  const names = (node: LayerNode, key: string) => new Set(itemsAt(node, key).map(textOf));
  const only = names(value, "only");
  const except = names(value, "except");
  const limitOnly = names(limit, "only");
  const limitExcept = names(limit, "except");
  if (only.size > 0)
    return [...only].every((name) => !limitExcept.has(name) && (limitOnly.size === 0 || limitOnly.has(name)));
  return limitOnly.size === 0 && [...limitExcept].every((name) => except.has(name));
}

export function textOf(node: LayerNode): string {
  return canonicalText(toJson(node));
}

function ignored({ value, report }: Comparison, reason: string): undefined {
  report(value, `${value.kind === "leaf" ? textOf(value) : "this"} is ignored: ${reason}`);
  return undefined;
}

function compareNumbers(
  comparison: Comparison,
  isAllowed: (value: number, limit: number) => boolean,
  word: string,
): LayerNode | undefined {
  const { value, limit, limitOwner, isStrict, isUnlimited } = comparison;
  const wanted = valueAt(value);
  const current = valueAt(limit);
  if (typeof wanted !== "number") return value;
  if (typeof current !== "number")
    return isUnlimited || !isStrict ? value : ignored(comparison, "there is no limit to compare it with");
  return isAllowed(wanted, current)
    ? value
    : ignored(comparison, `it is ${word} than ${limitOwner} ${current}`);
}

function keepSwitch(comparison: Comparison, to: boolean): LayerNode | undefined {
  const { value, limit, limitOwner } = comparison;
  if (valueAt(limit) !== to || valueAt(value) !== !to) return value;
  return ignored(comparison, `${limitOwner} config says ${to}`);
}

/** The allowed items; all of them where there is no limit, unless a missing limit allows nothing. */
function filterItems(
  { value, limit, isStrict, report }: Comparison,
  isAllowed: (item: LayerNode) => boolean,
  reason: string,
): LayerNode | undefined {
  if (limit === undefined && !isStrict) return value;
  const kept: LayerNode[] = [];
  for (const item of elements(value)) {
    if (isAllowed(item)) kept.push(item);
    else report(item, `${textOf(item)} ${reason}`);
  }
  return value.kind === "list" ? { ...value, items: kept } : kept[0];
}

function elements(node: LayerNode): readonly LayerNode[] {
  return node.kind === "list" ? node.items : [node];
}
