/** Computes what a client's file shall mean with our stanza in it, and without it, before any text is changed. */
import { canonicalText, define, isTable, type Json, type JsonObject } from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import { getAt } from "../../base/pointer.js";
import type { Path } from "../text/source.js";

/** A single value that is short for a table with one key, so that other keys can be added to it. */
export interface Shorthand {
  at: readonly string[];
  value: Json;
  key: string;
}

export interface StanzaValues {
  wanted: JsonObject;
  /** Everything that any stanza for this place contains: such values in the file are ours. */
  ours: JsonObject;
  /** The path of the one member that is entirely ours. */
  entry: readonly string[] | undefined;
  spread: readonly Shorthand[];
  /** The path of a list that means something even when it is empty. */
  joins: readonly string[] | undefined;
}

/** The union of trees: tables are merged, lists united, of other values the last one counts. */
export function unionOf(trees: readonly JsonObject[]): JsonObject {
  return trees.reduce((all, tree) => united(all, tree) as JsonObject, {});
}

function united(one: Json | undefined, other: Json): Json {
  if (Array.isArray(one) && Array.isArray(other)) return uniqueBy([...one, ...other], canonicalText);
  if (!isTable(one) || !isTable(other)) return other;
  const all: JsonObject = { ...one };
  for (const [key, value] of Object.entries(other)) define(all, key, united(member(all, key), value));
  return all;
}

/** Adds the stanza: the entry is replaced, lists are united, other values are set only where there are none. */
export function addStanza(
  before: JsonObject,
  values: StanzaValues,
  { wanted, ours }: Pick<StanzaValues, "wanted" | "ours"> = values,
  path: Path = [],
): JsonObject {
  // What an earlier stanza wrote and this one no longer has is removed.
  const past = Object.entries(ours).filter(([key]) => !Object.hasOwn(wanted, key));
  const after = removeStanza(before, values, Object.fromEntries(past), path);
  for (const [key, value] of Object.entries(wanted)) {
    const here = [...path, key];
    const old = withoutShorthand(member(before, key), here, values);
    const own = member(ours, key);
    if (isSamePath(here, values.entry)) define(after, key, replacedEntry(old, value, own));
    else if (old === undefined) define(after, key, value);
    else if (isTable(old) && isTable(value)) {
      const inner = { wanted: value, ours: isTable(own) ? own : {} };
      define(after, key, addStanza(old, values, inner, here));
    } else if (Array.isArray(old) && Array.isArray(value)) {
      const inner = Array.isArray(own) ? own : [];
      const kept = old.filter((item) => includes(value, item) || !includes(inner, item));
      define(after, key, [...kept, ...value.filter((item) => !includes(kept, item))]);
    }
  }
  return after;
}

/** The stanza's entry in place of an older one, of which only what no stanza writes is kept. */
function replacedEntry(
  old: Json | undefined,
  value: Json | undefined,
  ours: Json | undefined,
): Json | undefined {
  if (!isTable(old) || (value !== undefined && !isTable(value))) return value;
  const after: JsonObject = {};
  const wanted = (value ?? {}) as JsonObject;
  for (const [key, item] of Object.entries(old)) {
    const next = member(wanted, key);
    const own = isTable(ours) ? member(ours, key) : undefined;
    const rest = next === undefined && own === undefined ? item : replacedEntry(item, next, own);
    if (rest !== undefined) define(after, key, rest);
  }
  for (const [key, item] of Object.entries(wanted)) if (!Object.hasOwn(old, key)) define(after, key, item);
  return value === undefined && Object.keys(after).length === 0 ? undefined : after;
}

/** Removes everything of ours, and the tables and lists that become empty. */
export function removeStanza(
  before: JsonObject,
  values: StanzaValues,
  ours: JsonObject = values.ours,
  path: Path = [],
): JsonObject {
  const after: JsonObject = { ...before };
  for (const [key, value] of Object.entries(ours)) {
    if (!Object.hasOwn(before, key)) continue;
    const here = [...path, key];
    const isEntry = isSamePath(here, values.entry);
    const rest = isEntry ? undefined : withoutOurs(before[key] as Json, value, values, here);
    if (rest === undefined) delete after[key];
    else define(after, key, rest);
  }
  return after;
}

function withoutOurs(old: Json, ours: Json, values: StanzaValues, path: Path): Json | undefined {
  if (isTable(old) && isTable(ours)) {
    const rest = removeStanza(old, values, ours, path);
    const [countBefore, count] = [Object.keys(old).length, Object.keys(rest).length];
    if (count === 0 && countBefore > 0) return undefined;
    return count < countBefore ? withShorthand(rest, path, values) : rest;
  }
  if (Array.isArray(old) && Array.isArray(ours)) {
    const rest = old.filter((item) => !includes(ours, item));
    return rest.length === 0 && old.length > 0 && !isSamePath(path, values.joins) ? undefined : rest;
  }
  return canonicalText(old) === canonicalText(ours) ? undefined : old;
}

/** Paths where the stanza has a list or a table and the file has a value of another type. */
export function conflictingPaths(
  before: JsonObject,
  values: StanzaValues,
  wanted: JsonObject = values.wanted,
  path: Path = [],
): string[] {
  return Object.entries(wanted).flatMap(([key, value]) => {
    const here = [...path, key];
    const old = withoutShorthand(member(before, key), here, values);
    if (old === undefined || isSamePath(here, values.entry)) return [];
    if (isTable(old) && isTable(value)) return conflictingPaths(old, values, value, here);
    // A single value that differs is the person's choice, not a conflict.
    const isConflict = isTable(value) || (Array.isArray(value) && !Array.isArray(old));
    return isConflict ? [here.join(".")] : [];
  });
}

function withoutShorthand(old: Json | undefined, path: Path, { spread }: StanzaValues): Json | undefined {
  const found = spread.find(({ at, value }) => isSamePath(path, at) && value === old);
  return found === undefined ? old : { [found.key]: found.value };
}

function withShorthand(rest: JsonObject, path: Path, { spread }: StanzaValues): Json {
  const found = spread.find(
    ({ at, key, value }) => isSamePath(path, at) && canonicalText(rest) === canonicalText({ [key]: value }),
  );
  return found?.value ?? rest;
}

function member(table: JsonObject, key: string): Json | undefined {
  return getAt(table, [key]) as Json | undefined;
}

function isSamePath(path: Path, other: Path | undefined): boolean {
  return other !== undefined && path.length === other.length && path.every((key, at) => key === other[at]);
}

function includes(list: readonly Json[], item: Json): boolean {
  return list.some((other) => canonicalText(other) === canonicalText(item));
}
