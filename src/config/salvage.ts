/**
 * What is left of a config that has problems. Later stages judge that part, so that a person sees all problems of a file
 * in one go and not stage by stage. Nothing is ever run from it.
 */
import { isTable, type JsonObject } from "../base/json.js";
import { fromPointer, toPointer } from "../base/pointer.js";
import { ConfigError, type Place, type Problem } from "../base/problem.js";
import type { LoadedConfig } from "./load.js";
import { type Config, configSchema, methodSchema, serverSchema, toolSchema } from "./schema.js";

const entrySchemas = { servers: serverSchema, tools: toolSchema, methods: methodSchema };
type EntryList = keyof typeof entrySchemas;

/** A config that cannot be used, with the part of it that can be judged further. */
export class UnusableConfig extends ConfigError {
  readonly rest: LoadedConfig;

  constructor(problems: Problem[], rest: LoadedConfig) {
    super(problems);
    this.name = "UnusableConfig";
    this.rest = rest;
  }
}

/** The tables and entries that no problem touches. */
export function salvage(
  tree: JsonObject,
  problems: readonly Problem[],
  loaded: Omit<LoadedConfig, "config">,
): LoadedConfig {
  const kept: { [list: string]: number[] } = {};
  const isSound = (list: EntryList, entry: unknown, index: number) => {
    if (!entrySchemas[list].safeParse(entry).success || !isTable(entry)) return false;
    const values = Object.keys(entry).map((key) => loaded.locate(toPointer([list, index, key])));
    return !problems.some(({ place }) => values.some((value) => isSame(place, value)));
  };
  const parts = Object.entries(tree).flatMap(([key, value]): [string, unknown][] => {
    if (!isEntryList(key) || !Array.isArray(value)) return fits(key, value) ? [[key, value]] : [];
    const good = value.map((_, index) => index).filter((index) => isSound(key, value[index], index));
    kept[key] = good;
    return [[key, good.map((index) => value[index])]];
  });
  const original = (pointer: string) => {
    const [list = "", index = "", ...path] = fromPointer(pointer);
    return toPointer(
      isEntryList(list) && index !== ""
        ? [list, kept[list]?.[Number(index)] ?? index, ...path]
        : fromPointer(pointer),
    );
  };
  return {
    ...loaded,
    config: configSchema.parse(Object.fromEntries(parts)) as Config,
    locate: (pointer) => loaded.locate(original(pointer)),
    origin: (pointer) => loaded.origin(original(pointer)),
  };
}

function isEntryList(key: string): key is EntryList {
  return Object.hasOwn(entrySchemas, key);
}

function fits(key: string, value: unknown): boolean {
  const { shape } = configSchema;
  return Object.hasOwn(shape, key) && shape[key as keyof typeof shape].safeParse(value).success;
}

function isSame(a: Place | undefined, b: Place | undefined): boolean {
  return (
    a !== undefined && b !== undefined && a.file === b.file && a.line === b.line && a.column === b.column
  );
}
