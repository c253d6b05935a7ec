/** What a file means with a stanza of ours in it, and without: worked out on values, before any text is changed. */
import { canonicalText, define, isTable, type Json, type JsonObject } from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import { getAt } from "../../base/pointer.js";
import type { Path } from "../text/source.js";

/** A single value that is short for a table with one key, which other keys may join. */
export interface Spread {
  at: readonly string[];
  value: Json;
  key: string;
}

/** What a stanza says, and where in the file it says it. */
export interface StanzaValues {
  wanted: JsonObject;
  /** All that stanzas for this place ever say: what of it stands in the file is ours. */
  ever: JsonObject;
  /** The path of the one member that is all ours. */
  entry: readonly string[] | undefined;
  spread: readonly Spread[];
  /** A list that means something also when it is empty. */
  joins: readonly string[] | undefined;
}

/** The file's values with the stanza: the entry as the stanza says, lists united, other values only where there are none. */
export function mergedValues(before: JsonObject, values: StanzaValues): JsonObject {
  return merged(before, values.wanted, values.ever, values, []);
}

/** The file's values without anything of ours; tables and lists that nothing is left of go too. */
export function reducedValues(before: JsonObject, values: StanzaValues): JsonObject {
  return reduced(before, values.ever, values, []);
}

/** Paths where the stanza has a list or a table for a client's own and the file has a value of another kind. */
export function clashingPaths(before: JsonObject, values: StanzaValues): string[] {
  return clashes(before, values.wanted, values, []);
}

/** All that some trees say together: tables joined, lists united, of other values the last. */
export function unionOf(trees: readonly JsonObject[]): JsonObject {
  return trees.reduce((all, tree) => united(all, tree) as JsonObject, {});
}

function united(one: Json | undefined, other: Json): Json {
  if (Array.isArray(one) && Array.isArray(other)) return uniqueBy([...one, ...other], canonicalText);
  if (!isTable(one) || !isTable(other)) return other;
  const all: JsonObject = { ...(one as JsonObject) };
  for (const [key, value] of Object.entries(other as JsonObject))
    define(all, key, united(member(all, key), value));
  return all;
}

function merged(
  before: JsonObject,
  wanted: JsonObject,
  ever: JsonObject,
  values: StanzaValues,
  path: Path,
): JsonObject {
  // What an earlier stanza brought and this one has no more goes; a name that merely begins like ours is somebody's.
  const past = Object.fromEntries(Object.entries(ever).filter(([key]) => !Object.hasOwn(wanted, key)));
  const after = reduced(before, past as JsonObject, values, path);
  for (const [key, value] of Object.entries(wanted)) {
    const here = [...path, key];
    const old = spreadOut(member(before, key), here, values);
    const once = member(ever, key);
    if (isSame(here, values.entry)) define(after, key, entryOver(old, value, once));
    else if (old === undefined) define(after, key, value);
    else if (isTable(old) && isTable(value)) {
      const known = isTable(once) ? (once as JsonObject) : {};
      define(after, key, merged(old as JsonObject, value as JsonObject, known, values, here));
    } else if (Array.isArray(old) && Array.isArray(value)) {
      const known = Array.isArray(once) ? once : [];
      const kept = old.filter((item) => has(value, item) || !has(known, item));
      define(after, key, [...kept, ...value.filter((item) => !has(kept, item))]);
    }
  }
  return after;
}

/** The stanza's entry over an older one: of that, only what no stanza would have written stays. */
function entryOver(old: Json | undefined, value: Json | undefined, own: Json | undefined): Json | undefined {
  if (!isTable(old) || (value !== undefined && !isTable(value))) return value;
  const after: JsonObject = {};
  const next = (value ?? {}) as JsonObject;
  for (const [key, item] of Object.entries(old as JsonObject)) {
    const [wanted, mine] = [member(next, key), isTable(own) ? member(own as JsonObject, key) : undefined];
    const rest = wanted === undefined && mine === undefined ? item : entryOver(item, wanted, mine);
    if (rest !== undefined) define(after, key, rest);
  }
  for (const [key, item] of Object.entries(next)) if (!Object.hasOwn(old, key)) define(after, key, item);
  return value === undefined && Object.keys(after).length === 0 ? undefined : after;
}

function reduced(before: JsonObject, wanted: JsonObject, values: StanzaValues, path: Path): JsonObject {
  const after: JsonObject = { ...before };
  for (const [key, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(before, key)) continue;
    const here = [...path, key];
    const rest = isSame(here, values.entry) ? undefined : left(before[key] as Json, value, values, here);
    if (rest === undefined) delete after[key];
    else define(after, key, rest);
  }
  return after;
}

function left(old: Json, value: Json, values: StanzaValues, path: Path): Json | undefined {
  if (isTable(old) && isTable(value)) {
    const rest = reduced(old as JsonObject, value as JsonObject, values, path);
    const [was, is] = [Object.keys(old).length, Object.keys(rest).length];
    if (is === 0 && was > 0) return undefined;
    return is < was ? foldedUp(rest, path, values) : rest;
  }
  if (Array.isArray(old) && Array.isArray(value)) {
    const rest = old.filter((item) => !has(value, item));
    return rest.length === 0 && old.length > 0 && !isSame(path, values.joins) ? undefined : rest;
  }
  return canonicalText(old) === canonicalText(value) ? undefined : old;
}

function clashes(before: JsonObject, wanted: JsonObject, values: StanzaValues, path: Path): string[] {
  return Object.entries(wanted).flatMap(([key, value]) => {
    const here = [...path, key];
    const old = spreadOut(member(before, key), here, values);
    if (old === undefined || isSame(here, values.entry)) return [];
    if (isTable(old) && isTable(value)) return clashes(old as JsonObject, value as JsonObject, values, here);
    // A single answer that differs is the person's, and meant.
    const isPlaced = isTable(value) ? false : !Array.isArray(value) || Array.isArray(old);
    return isPlaced ? [] : [here.join(".")];
  });
}

function spreadOut(old: Json | undefined, path: Path, { spread }: StanzaValues): Json | undefined {
  const found = spread.find(({ at, value }) => isSame(path, at) && value === old);
  return found === undefined ? old : { [found.key]: found.value };
}

function foldedUp(rest: JsonObject, path: Path, { spread }: StanzaValues): Json {
  const found = spread.find(
    ({ at, key, value }) => isSame(path, at) && canonicalText(rest) === canonicalText({ [key]: value }),
  );
  return found?.value ?? rest;
}

function member(table: JsonObject, key: string): Json | undefined {
  return getAt(table, [key]) as Json | undefined;
}

function isSame(path: Path, other: Path | undefined): boolean {
  return other !== undefined && path.length === other.length && path.every((key, at) => key === other[at]);
}

function has(list: readonly Json[], item: Json): boolean {
  return list.some((other) => canonicalText(other) === canonicalText(item));
}
