/**
 * How another program's list of language servers is read: where its entries stand, and what each of its keys is called
 * here. A key that has no place here is told, never dropped without a word.
 */
import { isTable, type Json, type JsonObject } from "../../base/json.js";

/** One server of another program's config. */
export interface ForeignServer {
  /** The name it has there, when it has one. */
  name: string | undefined;
  /** Where it stands, for people. */
  at: string;
  entry: JsonObject;
}

/** A list or table of entries, and where it stands; at the top of the file that is nowhere. */
export interface ForeignList {
  value: unknown;
  at: string;
}

/** What one key of an entry becomes; nothing when it says nothing here. */
export type Carry = (value: Json, notes: (text: string) => void, entry: JsonObject) => JsonObject | undefined;

export interface Format {
  name: string;
  /** What the file is, for people. */
  title: string;
  /** Whether its keys are ours, in lspi's spelling or in our own. */
  isOurs?: boolean;
  /** Whether a tree is of this format. */
  matches(tree: JsonObject): boolean;
  /** Where its entries stand: lists, or tables by name. */
  lists(tree: JsonObject): ForeignList[];
  /** The servers, where they are more than the entries of its lists. */
  servers?(tree: JsonObject): ForeignServer[];
  /** Whether the program has servers of its own: an entry may only name one, and those that none names run too. */
  hasOwnServers?: boolean;
  /** What stands beside the entries and cannot be carried over. */
  remarks?(tree: JsonObject): string[];
  keys: { readonly [key: string]: Carry };
}

/** The key is called so here and means the same. */
export function as(key: string): Carry {
  return (value) => ({ [key]: value });
}

/** The key is a number of seconds there and milliseconds here. */
export function seconds(key: string): Carry {
  return (value, notes) =>
    typeof value === "number" ? { [key]: Math.round(value * 1000) } : unusable("a number", notes);
}

/** The key says what is so here anyway. */
export const known: Carry = () => undefined;

/** The value is of no use; the note says what would be. */
export function unusable(wanted: string, notes: (text: string) => void): undefined {
  notes(`it is not ${wanted}; left out`);
}

/** The key has no meaning here; the note says what to do instead. */
export function lost(instead: string): Carry {
  return (_, notes) => {
    notes(instead);
    return undefined;
  };
}

/** A command as a text or a list of words. */
export const command: Carry = (value, notes) => {
  const words = [value].flat().filter((word) => typeof word === "string");
  const [program, ...args] = words;
  if (program === undefined) return unusable("a program", notes);
  const own: JsonObject = { command: program };
  return Array.isArray(value) ? { ...own, args } : own;
};

/** Extensions with or without their dots. */
export const extensions: Carry = (value) => {
  const names = [value].flat().filter((name) => typeof name === "string");
  return { extensions: names.map(withoutDot) };
};

/** Extension → language id. */
export const languages: Carry = (value, notes) => {
  if (!isTable(value)) return unusable("a table of extensions", notes);
  const pairs = Object.entries(value).map(([name, id]) => [withoutDot(name), id as Json] as const);
  const [first] = pairs;
  if (first === undefined) return undefined;
  const others = pairs.filter(([, id]) => id !== first[1]);
  return {
    extensions: pairs.map(([name]) => name),
    language_id: first[1],
    ...(others.length > 0 ? { language_ids: Object.fromEntries(others) } : {}),
  };
};

/** Globs; those that only name an extension become one. */
export const patterns: Carry = (value) => {
  const globs = [value].flat().filter((glob) => typeof glob === "string");
  const plain = globs.map((glob) => /^(?:\*\*\/)?\*\.([\w.+-]+)$/.exec(glob)?.[1]);
  const rest = globs.filter((_, index) => plain[index] === undefined);
  const found = plain.filter((extension) => extension !== undefined);
  return {
    ...(found.length > 0 ? { extensions: found } : {}),
    ...(rest.length > 0 ? { globs: rest } : {}),
  };
};

/** `true` means that the server is left out. */
export const disabled: Carry = (value) => (value === true ? { enabled: false } : undefined);

/** The servers among the entries of a list. */
export function entriesIn({ value, at }: ForeignList): ForeignServer[] {
  return membersOf({ value, at }).flatMap(({ name, at: place, entry }) =>
    isTable(entry) ? [{ name, at: place, entry: entry as JsonObject }] : [],
  );
}

/** Notes on entries that are no tables, and so no servers, and on a list that is none. */
export function straysIn({ value, at }: ForeignList): string[] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) return [`${at}: it is no table; left out`];
  return membersOf({ value, at }).flatMap(({ at: place, entry }) =>
    isTable(entry) ? [] : [`${place}: it is no table; left out`],
  );
}

function membersOf({ value, at }: ForeignList): { name: string | undefined; at: string; entry: unknown }[] {
  if (Array.isArray(value))
    return value.map((entry, index) => ({ name: undefined, at: `${at}[${index}]`, entry }));
  if (!isTable(value)) return [];
  return Object.entries(value)
    .filter(([name]) => name !== "$schema")
    .map(([name, entry]) => ({ name, at: at === "" ? name : `${at}.${name}`, entry }));
}

function withoutDot(name: string): string {
  return name.replace(/^\*?\./, "");
}
