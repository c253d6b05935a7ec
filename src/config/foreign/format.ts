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
  servers(tree: JsonObject): ForeignServer[];
  /** The key that the entries stand under, where they all do. */
  list?: string;
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
  return (value) => (typeof value === "number" ? { [key]: Math.round(value * 1000) } : undefined);
}

/** The key says what is so here anyway. */
export const known: Carry = () => undefined;

/** The key has no meaning here; the note says what to do instead. */
export function lost(instead: string): Carry {
  return (_, notes) => {
    notes(instead);
    return undefined;
  };
}

/** A command as a text or a list of words. */
export const command: Carry = (value) => {
  const words = [value].flat().filter((word) => typeof word === "string");
  const [program, ...args] = words;
  if (program === undefined) return undefined;
  const own: JsonObject = { command: program };
  return Array.isArray(value) ? { ...own, args } : own;
};

/** Extensions with or without their dots. */
export const extensions: Carry = (value) => {
  const names = [value].flat().filter((name) => typeof name === "string");
  return { extensions: names.map(withoutDot) };
};

/** Extension → language id. */
export const languages: Carry = (value) => {
  if (!isTable(value)) return undefined;
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

/** The named tables under a key, or of the whole tree. */
export function tablesIn(value: unknown, at: string): ForeignServer[] {
  if (!isTable(value)) return [];
  return Object.entries(value).flatMap(([name, entry]) =>
    isTable(entry) ? [{ name, at: at === "" ? name : `${at}.${name}`, entry: entry as JsonObject }] : [],
  );
}

/** The tables of a list under a key. */
export function listIn(value: unknown, at: string): ForeignServer[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry, index) =>
    isTable(entry) ? [{ name: undefined, at: `${at}[${index}]`, entry: entry as JsonObject }] : [],
  );
}

/** Notes on entries of a list or table that are no tables, and so no servers. */
export function straysIn(value: unknown, at: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((entry, index) =>
      isTable(entry) ? [] : [`${at}[${index}]: it is no table; left out`],
    );
  if (!isTable(value)) return [];
  return Object.entries(value).flatMap(([name, entry]) =>
    isTable(entry) ? [] : [`${at}.${name}: it is no table; left out`],
  );
}

function withoutDot(name: string): string {
  return name.replace(/^\*?\./, "");
}
