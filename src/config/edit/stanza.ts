/**
 * Writes or removes our stanza in a client's file. The new text is read again and must mean exactly what was computed.
 */
import {
  canonicalText,
  define,
  getAt,
  isTable,
  type Json,
  type JsonObject,
  toPointer,
} from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import { ConfigError } from "../../base/problem.js";
import { readOther } from "../text/read.js";
import { type Path, problemAt, type Source } from "../text/source.js";
import { changeJson } from "./change-json.js";
import { putTomlTable, type TomlEntry, takeTomlTable } from "./stanza-toml.js";

/** A single value that is short for a table with one key, so that other keys can be added to it. */
interface Shorthand {
  at: readonly string[];
  value: Json;
  key: string;
}

export interface Stanza {
  language: "json" | "toml";
  text: string;
  /**
   * The path of the one member that is entirely ours;
   * undefined in a file that has only values for a client's own lists.
   */
  entry: readonly string[] | undefined;
  /** Every text that was, or could have been, written for this place: such values in the file are ours. */
  forms: readonly string[];
  /** Shorthand values of the file; each is expanded to a table before our keys are added. */
  shorthands: readonly Shorthand[];
  /** A list that must already be in the file: a new one would replace another that the client keeps elsewhere. */
  existingList: readonly string[] | undefined;
}

/** Writes the stanza: the entry is replaced, lists are united, other values are set only where there are none. */
export function withStanza(file: string, text: string, stanza: Stanza): string {
  const source = read(file, text, stanza);
  if (!hasPlace(source.tree, stanza)) return text;
  checkPath(source, stanza);
  return changed(source, addStanza(source.tree, valuesOf(stanza)), stanza, putTomlTable);
}

/** Removes what the stanza brought, and the tables and lists that become empty. */
export function withoutStanza(file: string, text: string, stanza: Stanza): string {
  const source = read(file, text, stanza);
  return changed(source, removeStanza(source.tree, valuesOf(stanza)), stanza, takeTomlTable);
}

/** Paths where the stanza has a list or a table and the file has a value of another type, which stays. */
export function withoutPlace(file: string, text: string, stanza: Stanza): string[] {
  const { tree } = read(file, text, stanza);
  return hasPlace(tree, stanza) ? conflictingPaths(tree, valuesOf(stanza)) : [];
}

/** Whether the file lacks the list that the stanza could only join. */
export function lacksList(file: string, text: string, stanza: Stanza): boolean {
  return !hasPlace(read(file, text, stanza).tree, stanza);
}

export function entryIn(file: string, text: string, stanza: Stanza): Json | undefined {
  if (stanza.entry === undefined) return undefined;
  return getAt(read(file, text, stanza).tree, stanza.entry) as Json | undefined;
}

function valuesOf({ language, text, entry, forms, shorthands, existingList }: Stanza): StanzaValues {
  const treeOf = (form: string) => readOther("stanza", form, language).tree;
  return {
    wanted: treeOf(text),
    ours: unionOf([...forms, text].map(treeOf)),
    entry,
    shorthands,
    existingList,
  };
}

function hasPlace(tree: JsonObject, { existingList }: Stanza): boolean {
  return existingList === undefined || Array.isArray(getAt(tree, existingList));
}

function read(file: string, text: string, { language, entry = [] }: Stanza): Source {
  const source = readOther(file, text, language);
  if (source.broken) throw new ConfigError(source.problems);
  // Programs differ in which of two duplicate keys they use, so what we wrote might have no effect.
  const duplicates = source.problems.filter(
    ({ code, pointer }) =>
      code === "config/duplicate-key" && `${toPointer(entry)}/`.startsWith(`${pointer}/`),
  );
  if (duplicates.length > 0) throw new ConfigError(duplicates);
  return source;
}

function checkPath(source: Source, { entry = [] }: Stanza): void {
  for (let length = 1; length < entry.length; length++) {
    const path = entry.slice(0, length);
    const value = getAt(source.tree, path);
    if (value !== undefined && !isTable(value))
      throw noPlace(source, path, `\`${path.at(-1)}\` is not a table`);
  }
}

function changed(
  source: Source,
  after: JsonObject,
  { language, entry = [], text: stanza, forms }: Stanza,
  changeToml: (text: string, entry: TomlEntry) => string,
): string {
  const { text, tree, file } = source;
  if (canonicalText(tree) === canonicalText(after)) return text;
  const tomlEntry = {
    path: entry,
    after: getAt(after, entry) as Json | undefined,
    stanza,
    forms: [...forms, stanza],
  };
  const next = language === "json" ? changeJson(text, tree, after) : changeToml(text, tomlEntry);
  const again = readOther(file, next, language);
  if (again.broken || canonicalText(again.tree) !== canonicalText(after))
    throw noPlace(source, entry, `\`${entry.join(".")}\` is written in an unusual way`);
  return next;
}

function noPlace(source: Source, path: readonly string[], message: string): ConfigError {
  return new ConfigError([problemAt(source, "client/no-place", message, path)]);
}

/** The wanted values of a client's file with our stanza and without it, before any text is changed. */
interface StanzaValues extends Pick<Stanza, "entry" | "shorthands" | "existingList"> {
  wanted: JsonObject;
  /** Everything that any stanza for this place contains: such values in the file are ours. */
  ours: JsonObject;
}

/** The union of trees: tables are merged, lists united, of other values the last one counts. */
function unionOf(trees: readonly JsonObject[]): JsonObject {
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
function addStanza(
  before: JsonObject,
  values: StanzaValues,
  { wanted, ours }: Pick<StanzaValues, "wanted" | "ours"> = values,
  path: Path = [],
): JsonObject {
  // Keys of an earlier stanza that this one no longer has are removed.
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
  for (const [key, item] of Object.entries(wanted)) {
    if (!Object.hasOwn(old, key)) define(after, key, item);
  }
  return value === undefined && Object.keys(after).length === 0 ? undefined : after;
}

/** Removes everything of ours, and the tables and lists that become empty. */
function removeStanza(
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
    const countBefore = Object.keys(old).length;
    const count = Object.keys(rest).length;
    if (count === 0 && countBefore > 0) return undefined;
    return count < countBefore ? withShorthand(rest, path, values) : rest;
  }
  if (Array.isArray(old) && Array.isArray(ours)) {
    const rest = old.filter((item) => !includes(ours, item));
    return rest.length === 0 && old.length > 0 && !isSamePath(path, values.existingList) ? undefined : rest;
  }
  return canonicalText(old) === canonicalText(ours) ? undefined : old;
}

/** Paths where the stanza has a list or a table and the file has a value of another type. */
function conflictingPaths(
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

function withoutShorthand(old: Json | undefined, path: Path, { shorthands }: StanzaValues): Json | undefined {
  const found = shorthands.find(({ at, value }) => isSamePath(path, at) && value === old);
  return found === undefined ? old : { [found.key]: found.value };
}

function withShorthand(rest: JsonObject, path: Path, { shorthands }: StanzaValues): Json {
  const found = shorthands.find(
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
