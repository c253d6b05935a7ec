/** Writes or removes our stanza in a client's file. The new text is read again and must mean exactly what was computed. */
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { getAt, toPointer } from "../../base/pointer.js";
import { ConfigError } from "../../base/problem.js";
import { readOther } from "../text/read.js";
import { problemAt, type Source } from "../text/source.js";
import { changeJson } from "./change-json.js";
import { putTomlTable, type TomlEntry, takeTomlTable } from "./stanza-toml.js";
import {
  addStanza,
  conflictingPaths,
  removeStanza,
  type Shorthand,
  type StanzaValues,
  unionOf,
} from "./stanza-values.js";

export interface Stanza {
  language: "json" | "toml";
  text: string;
  /** The path of the one member that is entirely ours; undefined in a file that has only values for a client's own lists. */
  entry: readonly string[] | undefined;
  /** Every text that was, or could have been, written for this place: such values in the file are ours. */
  forms: readonly string[];
  /** Single values of the file that are short for a table which ours can join. */
  spread: readonly Shorthand[];
  /** A list that must already be in the file: a new one would replace another that the client keeps elsewhere. */
  joins: readonly string[] | undefined;
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

function valuesOf({ language, text, entry, forms, spread, joins }: Stanza): StanzaValues {
  const treeOf = (form: string) => readOther("stanza", form, language).tree;
  return { wanted: treeOf(text), ours: unionOf([...forms, text].map(treeOf)), entry, spread, joins };
}

function hasPlace(tree: JsonObject, { joins }: Stanza): boolean {
  return joins === undefined || Array.isArray(getAt(tree, joins));
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
