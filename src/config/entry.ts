/**
 * An entry of ours in another program's file, put there or taken away. What the file means afterwards is worked out on its
 * values first; the text is then changed only where they differ, read again, and refused when it does not mean just that.
 */
import { canonicalText, define, isTable, type Json, type JsonObject } from "../base/json.js";
import { toPointer } from "../base/pointer.js";
import { ConfigError, type Problem } from "../base/problem.js";
import { changeJson } from "./entry-json.js";
import { type OwnKeys, putTomlTable, takeTomlTable } from "./entry-toml.js";
import { readOther } from "./read.js";
import { type Path, problemAt, type Source } from "./source.js";

/** What stands, or shall stand, in a file. */
export interface Stanza {
  language: "json" | "toml";
  text: string;
  /** The path of the one member that is all ours; none in a file that has only values for a client's own lists. */
  entry: readonly string[] | undefined;
  /** The keys of the entry that a stanza may have, with the members of those that are tables; all others are the person's. */
  own: OwnKeys;
  /** The stanza with every tool that there may have been: what of it stands in a client's own lists and tables is ours. */
  ever: string;
}

/** The text with the stanza in it: the entry as the stanza says, lists united, other values only where there are none. */
export function withStanza(file: string, text: string, stanza: Stanza): string {
  const source = readable(file, text, stanza);
  const after = merged(source.tree, treeOf(stanza, stanza.text), treeOf(stanza, stanza.ever), stanza, []);
  checkPath(source, stanza);
  return changed(source, after, stanza, (plain) =>
    putTomlTable(plain, stanza.entry ?? [], stanza.text, stanza.own),
  );
}

/** The text without what the stanza brought; tables and lists that nothing is left of go too. */
export function withoutStanza(file: string, text: string, stanza: Stanza): string {
  const source = readable(file, text, stanza);
  const after = reduced(source.tree, treeOf(stanza, stanza.ever), stanza, []);
  return changed(source, after, stanza, (plain) => takeTomlTable(plain, stanza.entry ?? [], stanza.text));
}

/** Where the stanza has a list or a table for a client's own and the file has a value of another kind, which stays. */
export function withoutPlace(file: string, text: string, stanza: Stanza): string[] {
  return clashes(readable(file, text, stanza).tree, treeOf(stanza, stanza.text), stanza, []);
}

function clashes(before: JsonObject, wanted: JsonObject, stanza: Stanza, path: Path): string[] {
  return Object.entries(wanted).flatMap(([key, value]) => {
    const here = [...path, key];
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (old === undefined || isAt(here, stanza)) return [];
    if (isTable(old) && isTable(value)) return clashes(old as JsonObject, value as JsonObject, stanza, here);
    // A single answer that differs is the person's, and meant.
    const isPlaced = isTable(value) ? false : !Array.isArray(value) || Array.isArray(old);
    return isPlaced ? [] : [here.join(".")];
  });
}

/** What stands at the entry's place now; undefined when nothing does, or the file has no entries. */
export function entryIn(file: string, text: string, stanza: Stanza): Json | undefined {
  if (stanza.entry === undefined) return undefined;
  let value: Json | undefined = readable(file, text, stanza).tree;
  for (const key of stanza.entry) value = isTable(value) ? (value[key] as Json) : undefined;
  return value;
}

function treeOf({ language }: Stanza, text: string): JsonObject {
  return readOther("stanza", text, language).tree;
}

function readable(file: string, text: string, { language, entry = [] }: Stanza): Source {
  const source = readOther(file, text, language);
  if (source.broken) throw new ConfigError(source.problems);
  // Of a key that stands twice programs take one or the other: what we wrote might not be what counts.
  const twice = source.problems.filter(
    ({ code, pointer }) =>
      code === "config/duplicate-key" && `${toPointer(entry)}/`.startsWith(`${pointer}/`),
  );
  if (twice.length > 0) throw new ConfigError(twice);
  return source;
}

/** Whether a path is the entry, or leads to it. */
function isAt(path: Path, { entry }: Stanza): boolean {
  return entry !== undefined && path.length === entry.length && path.every((key, at) => key === entry[at]);
}

function merged(
  before: JsonObject,
  wanted: JsonObject,
  ever: JsonObject,
  stanza: Stanza,
  path: Path,
): JsonObject {
  // What an earlier stanza brought and this one has no more goes; a name that merely begins like ours is somebody's.
  const past = Object.fromEntries(Object.entries(ever).filter(([key]) => !Object.hasOwn(wanted, key)));
  const after = reduced(before, past as JsonObject, stanza, path);
  for (const [key, value] of Object.entries(wanted)) {
    const here = [...path, key];
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    const once = Object.hasOwn(ever, key) ? ever[key] : undefined;
    if (isAt(here, stanza)) define(after, key, entryOver(old, value, stanza));
    else if (old === undefined) define(after, key, value);
    else if (isTable(old) && isTable(value)) {
      const known = isTable(once) ? (once as JsonObject) : {};
      define(after, key, merged(old as JsonObject, value as JsonObject, known, stanza, here));
    } else if (Array.isArray(old) && Array.isArray(value)) {
      const known = Array.isArray(once) ? once : [];
      const kept = old.filter((item) => has(value, item) || !has(known, item));
      define(after, key, [...kept, ...value.filter((item) => !has(kept, item))]);
    }
  }
  return after;
}

/** The stanza's entry over an older one: of that, only what no stanza would have written stays. */
function entryOver(old: Json | undefined, value: Json, { own }: Stanza): Json {
  if (!isTable(old) || !isTable(value)) return value;
  const after: JsonObject = {};
  for (const [key, item] of Object.entries(old as JsonObject)) {
    const members = Object.hasOwn(own, key) ? own[key] : undefined;
    if (members === undefined) define(after, key, item);
    else if (isTable(item)) {
      const theirs = Object.entries(item as JsonObject).filter(([name]) => !members.includes(name));
      if (theirs.length > 0) define(after, key, Object.fromEntries(theirs) as JsonObject);
    }
  }
  for (const [key, item] of Object.entries(value as JsonObject)) {
    const theirs = Object.hasOwn(after, key) ? after[key] : undefined;
    const isBoth = isTable(theirs) && isTable(item);
    define(
      after,
      key,
      isBoth ? ({ ...(theirs as JsonObject), ...(item as JsonObject) } as JsonObject) : item,
    );
  }
  return after;
}

function reduced(before: JsonObject, wanted: JsonObject, stanza: Stanza, path: Path): JsonObject {
  const after: JsonObject = { ...before };
  for (const [key, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(before, key)) continue;
    const here = [...path, key];
    const rest = isAt(here, stanza) ? undefined : left(before[key] as Json, value, stanza, here);
    if (rest === undefined) delete after[key];
    else after[key] = rest;
  }
  return after;
}

function left(old: Json, value: Json, stanza: Stanza, path: Path): Json | undefined {
  if (isTable(old) && isTable(value)) {
    const rest = reduced(old as JsonObject, value as JsonObject, stanza, path);
    return Object.keys(rest).length === 0 && Object.keys(old).length > 0 ? undefined : rest;
  }
  if (Array.isArray(old) && Array.isArray(value)) {
    const rest = old.filter((item) => !has(value, item));
    return rest.length === 0 && old.length > 0 ? undefined : rest;
  }
  return canonicalText(old) === canonicalText(value) ? undefined : old;
}

function has(list: readonly Json[], item: Json): boolean {
  return list.some((other) => canonicalText(other) === canonicalText(item));
}

/** A value that is no table on the way to the entry leaves no place for it. */
function checkPath(source: Source, { entry = [] }: Stanza): void {
  let value: unknown = source.tree;
  for (const [at, key] of entry.slice(0, -1).entries()) {
    value = isTable(value) && Object.hasOwn(value, key) ? value[key] : {};
    if (!isTable(value))
      throw new ConfigError([
        problemAt(source, "client/no-place", `\`${key}\` is no table`, entry.slice(0, at + 1)),
      ]);
  }
}

function changed(
  source: Source,
  after: JsonObject,
  stanza: Stanza,
  changeToml: (text: string) => string,
): string {
  const { text, tree, file } = source;
  if (canonicalText(tree) === canonicalText(after)) return text;
  const next = stanza.language === "json" ? changeJson(text, tree, after) : changeToml(text);
  const again = readOther(file, next, stanza.language);
  if (again.broken || canonicalText(again.tree) !== canonicalText(after))
    throw new ConfigError([unwieldy(source, stanza)]);
  return next;
}

function unwieldy(source: Source, { entry = [] }: Stanza): Problem {
  return problemAt(source, "client/no-place", `\`${entry.join(".")}\` is written in an unusual way`, entry);
}
