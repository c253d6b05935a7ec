/** How another program's config is read. A key that cannot be converted is reported, never dropped silently. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";

export interface OtherServer {
  name: string | undefined;
  at: string;
  entry: JsonObject;
}

/** A list or table of servers and where it is in the file; an empty text at the top. */
export interface OtherList {
  value: Json | undefined;
  at: string;
}

/** Converts the value of one key to keys of ours; undefined when nothing is needed. */
type Convert = (value: Json, note: (text: string) => void, entry: JsonObject) => JsonObject | undefined;

export interface Format {
  name: string;
  title: string;
  /** Whether its keys are ours, in our spelling or in lspi's. */
  isOurs?: boolean;
  matches(tree: JsonObject): boolean;
  /** Where the servers are: lists, or tables by name. */
  lists(tree: JsonObject): OtherList[];
  /** The servers, where they are more than the entries of the lists. */
  servers?(tree: JsonObject): OtherServer[];
  /** Whether the program has built-in servers: an entry may only name one, and the others run too. */
  hasBuiltInServers?: boolean;
  /** Notes on what else the file has and what cannot be imported. */
  notes?(tree: JsonObject): string[];
  keys: { readonly [key: string]: Convert };
}

export function rename(key: string): Convert {
  return (value) => ({ [key]: value });
}

/** The entries under one key of the file. */
export function under(key: string): (tree: JsonObject) => OtherList[] {
  return (tree) => [{ value: tree[key], at: key }];
}

/** The key has this name here, in milliseconds instead of seconds. */
export function seconds(key: string): Convert {
  return (value, note) =>
    typeof value === "number" ? { [key]: Math.round(value * 1000) } : unusable("a number", note);
}

/** Notes that a value does not have the needed type. */
export function unusable(wanted: string, note: (text: string) => void): undefined {
  note(`it is not ${wanted}; left out`);
}

/** The key has no meaning here; the note says what to do instead. */
export function unsupported(advice: string): Convert {
  return (_, note) => {
    note(advice);
    return undefined;
  };
}

export const command: Convert = (value, note) => {
  const [program, ...args] = strings(value);
  if (program === undefined) return unusable("a program", note);
  return { command: program, ...(Array.isArray(value) ? { args } : {}) };
};

export const extensions: Convert = (value) => ({ extensions: strings(value).map(withoutDot) });

export const languages: Convert = (value, note) => {
  if (!isTable(value)) return unusable("a table of extensions", note);
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

/** Globs; `*.ext` becomes an extension. */
export const patterns: Convert = (value) => {
  const extensions: string[] = [];
  const globs: string[] = [];
  for (const glob of strings(value)) {
    const extension = /^(?:\*\*\/)?\*\.([\w.+-]+)$/.exec(glob)?.[1];
    if (extension === undefined) globs.push(glob);
    else extensions.push(extension);
  }
  return withoutEmpty({ extensions, globs });
};

/** The lists that are not empty. */
export function withoutEmpty(lists: { [key: string]: Json[] }): JsonObject {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

/** The keys with which most programs describe how a server is started. */
export const startKeys = { command, args: rename("args"), env: rename("env") };

export const disabled: Convert = (value) => (value === true ? { enabled: false } : undefined);

export function serversIn(list: OtherList): OtherServer[] {
  return entriesOf(list).flatMap(({ name, at, entry }) => (isTable(entry) ? [{ name, at, entry }] : []));
}

/** Notes on entries that are not tables, and on a list that is neither a list nor a table. */
export function invalidEntries({ value, at }: OtherList): string[] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) return [`${at}: it is not a table; left out`];
  return entriesOf({ value, at }).flatMap((entry) =>
    isTable(entry.entry) ? [] : [`${entry.at}: it is not a table; left out`],
  );
}

function entriesOf({ value, at }: OtherList): { name: string | undefined; at: string; entry: Json }[] {
  if (Array.isArray(value))
    return value.map((entry, index) => ({ name: undefined, at: `${at}[${index}]`, entry }));
  if (!isTable(value)) return [];
  return Object.entries(value)
    .filter(([name]) => name !== "$schema")
    .map(([name, entry]) => ({ name, at: at === "" ? name : `${at}.${name}`, entry }));
}

function strings(value: Json): string[] {
  return [value].flat().filter((item) => typeof item === "string");
}

function withoutDot(name: string): string {
  return name.replace(/^\*?\./, "");
}
