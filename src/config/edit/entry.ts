/**
 * An entry of ours in another program's file, put there or taken away. What the file means afterwards is worked out on its
 * values first; the text is then changed only where they differ, read again, and refused when it does not mean just that.
 */
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { getAt, toPointer } from "../../base/pointer.js";
import { ConfigError, type Problem } from "../../base/problem.js";
import { readOther } from "../text/read.js";
import { problemAt, type Source } from "../text/source.js";
import { changeJson } from "./entry-json.js";
import { putTomlTable, type TomlEntry, takeTomlTable } from "./entry-toml.js";
import {
  clashingPaths,
  mergedValues,
  reducedValues,
  type Spread,
  type StanzaValues,
  unionOf,
} from "./entry-values.js";

/** What stands, or shall stand, in a file. */
export interface Stanza {
  language: "json" | "toml";
  text: string;
  /** The path of the one member that is all ours; none in a file that has only values for a client's own lists. */
  entry: readonly string[] | undefined;
  /** Every text that was, or could have been, written for this place: what of them stands in the file is ours. */
  forms: readonly string[];
  /** Single values of the file that are short for a table which ours can join. */
  spread: readonly Spread[];
  /** The list that must be in the file already: one that we made would take the place of another that is kept elsewhere. */
  joins: readonly string[] | undefined;
}

/** The text with the stanza in it: the entry as the stanza says, lists united, other values only where there are none. */
export function withStanza(file: string, text: string, stanza: Stanza): string {
  const source = readable(file, text, stanza);
  if (!hasPlace(source.tree, stanza)) return text;
  checkPath(source, stanza);
  return changed(source, mergedValues(source.tree, valuesOf(stanza)), stanza, putTomlTable);
}

/** The text without what the stanza brought; tables and lists that nothing is left of go too. */
export function withoutStanza(file: string, text: string, stanza: Stanza): string {
  const source = readable(file, text, stanza);
  return changed(source, reducedValues(source.tree, valuesOf(stanza)), stanza, takeTomlTable);
}

/** Where the stanza has a list or a table for a client's own and the file has a value of another kind, which stays. */
export function withoutPlace(file: string, text: string, stanza: Stanza): string[] {
  const { tree } = readable(file, text, stanza);
  return hasPlace(tree, stanza) ? clashingPaths(tree, valuesOf(stanza)) : [];
}

/** Whether the file lacks the list that the stanza could only join. */
export function lacksList(file: string, text: string, stanza: Stanza): boolean {
  return !hasPlace(readable(file, text, stanza).tree, stanza);
}

/** What stands at the entry's place now; undefined when nothing does, or the file has no entries. */
export function entryIn(file: string, text: string, stanza: Stanza): Json | undefined {
  if (stanza.entry === undefined) return undefined;
  return getAt(readable(file, text, stanza).tree, stanza.entry) as Json | undefined;
}

function valuesOf({ language, text, entry, forms, spread, joins }: Stanza): StanzaValues {
  const treeOf = (form: string) => readOther("stanza", form, language).tree;
  return { wanted: treeOf(text), ever: unionOf([...forms, text].map(treeOf)), entry, spread, joins };
}

function hasPlace(tree: JsonObject, { joins }: Stanza): boolean {
  return joins === undefined || Array.isArray(getAt(tree, joins));
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
  { language, entry = [], text: stanza, forms }: Stanza,
  changeToml: (text: string, entry: TomlEntry) => string,
): string {
  const { text, tree, file } = source;
  if (canonicalText(tree) === canonicalText(after)) return text;
  const wanted = {
    path: entry,
    after: getAt(after, entry) as Json | undefined,
    stanza,
    forms: [...forms, stanza],
  };
  const next = language === "json" ? changeJson(text, tree, after) : changeToml(text, wanted);
  const again = readOther(file, next, language);
  if (again.broken || canonicalText(again.tree) !== canonicalText(after))
    throw new ConfigError([unwieldy(source, entry)]);
  return next;
}

function unwieldy(source: Source, entry: readonly string[]): Problem {
  return problemAt(source, "client/no-place", `\`${entry.join(".")}\` is written in an unusual way`, entry);
}
