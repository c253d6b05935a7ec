/**
 * What is left of a config that has problems. Later stages judge that part, so that a person sees all problems of a file
 * in one go and not stage by stage. Nothing is ever run from it.
 */
import type * as z from "zod";
import { isTable, type Json, type JsonObject } from "../base/json.js";
import { fromPointer, getAt, toPointer } from "../base/pointer.js";
import { ConfigError, type Place, type Problem } from "../base/problem.js";
import type { LoadedConfig } from "./load.js";
import { configSchema, methodSchema, serverSchema, toolSchema } from "./schema.js";

const entrySchemas = { servers: serverSchema, tools: toolSchema, methods: methodSchema };
type EntryList = keyof typeof entrySchemas;

/** What is left of a config. */
export interface Salvaged extends LoadedConfig {
  /** Whether the table, the list or the entry of a list that a pointer names has everything that was written. */
  isWhole(pointer: string): boolean;
}

/** A config that cannot be used, with the part of it that can be judged further. */
export class UnusableConfig extends ConfigError {
  readonly rest: Salvaged;

  constructor(problems: Problem[], rest: Salvaged) {
    super(problems);
    this.name = "UnusableConfig";
    this.rest = rest;
  }
}

/** Everything that no problem touches, and which entries had to give something up. */
export function salvage(
  tree: JsonObject,
  problems: readonly Problem[],
  loaded: Omit<LoadedConfig, "config">,
): Salvaged {
  const kept: { [list: string]: { index: number; whole: boolean }[] } = {};
  /** Tables that lost a part, and lists that lost an entry. */
  const damaged = new Set<string>();
  const keep = (list: EntryList, entry: Json, index: number) => {
    const sound = soundPart(entrySchemas[list], entry);
    if (sound === undefined) return [];
    const values = Object.keys(entry ?? {}).map((key) => loaded.locate(toPointer([list, index, key])));
    const isTouched = problems.some(({ place }) => values.some((value) => isSame(place, value)));
    kept[list]?.push({ index, whole: sound === entry && !isTouched });
    return [sound];
  };
  const parts = Object.entries(tree).map(([key, value]): [string, unknown] => {
    const { shape } = configSchema;
    if (!isEntryList(key) || !Array.isArray(value)) {
      const sound = Object.hasOwn(shape, key)
        ? soundPart(shape[key as keyof typeof shape], value)
        : undefined;
      if (sound !== value) damaged.add(key);
      return [key, sound];
    }
    kept[key] = [];
    const sound = value.flatMap((entry, index) => keep(key, entry, index));
    if (sound.length < value.length) damaged.add(key);
    return [key, sound];
  });
  const original = (pointer: string) => {
    const [list = "", index = "", ...path] = fromPointer(pointer);
    const entry = kept[list]?.[Number(index)];
    return entry ? toPointer([list, entry.index, ...path]) : pointer;
  };
  return {
    ...loaded,
    config: configSchema.parse(Object.fromEntries(parts.filter(([, value]) => value !== undefined))),
    locate: (pointer) => loaded.locate(original(pointer)),
    origin: (pointer) => loaded.origin(original(pointer)),
    isWhole(pointer) {
      const [list = "", index] = fromPointer(pointer);
      return index === undefined ? !damaged.has(list) : (kept[list]?.[Number(index)]?.whole ?? true);
    },
  };
}

/** How often a value may lose its bad parts: one part may hide another. */
const passes = 4;

/** A value without what its schema refuses, the value itself when there is nothing, or undefined when nothing is left. */
function soundPart(schema: z.ZodType, value: Json): Json | undefined {
  let current: Json = value;
  for (let pass = 0; pass < passes; pass++) {
    const { error } = schema.safeParse(current);
    if (error === undefined) return current;
    if (current === value) current = structuredClone(value);
    for (const issue of error.issues) {
      const gone =
        issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
      if (!gone.every((path) => remove(current, path))) return undefined;
    }
  }
  return schema.safeParse(current).success ? current : undefined;
}

/**
 * Takes a member out, and says whether that could be done: for an item of a list the whole list, since its neighbours
 * would move; for one that is missing what misses it.
 */
function remove(tree: Json, path: readonly PropertyKey[]): boolean {
  if (path.length === 0) return false;
  const above = path.slice(0, -1);
  const parent = getAt(tree, above as string[]);
  const key = String(path.at(-1));
  if (!isTable(parent) || !Object.hasOwn(parent, key)) return remove(tree, above);
  return delete parent[key];
}

function isEntryList(key: string): key is EntryList {
  return Object.hasOwn(entrySchemas, key);
}

function isSame(a: Place | undefined, b: Place | undefined): boolean {
  return (
    a !== undefined && b !== undefined && a.file === b.file && a.line === b.line && a.column === b.column
  );
}
