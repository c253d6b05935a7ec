/** The usable part of a config with problems. It is never run, only checked, so that all problems are seen at once. */
import type * as z from "zod";
import { fromPointer, getAt, isTable, type Json, type JsonObject, toPointer } from "../base/json.js";
import { ConfigError, type Problem, type ProblemPlace } from "../base/problem.js";
import type { LoadedConfig } from "./load.js";
import {
  configSchema,
  methodSchema,
  promptSchema,
  resourceSchema,
  serverSchema,
  toolSchema,
} from "./schema.js";

const entrySchemas: { readonly [list: string]: z.ZodType } = {
  servers: serverSchema,
  tools: toolSchema,
  methods: methodSchema,
  prompts: promptSchema,
  resources: resourceSchema,
};

interface UsablePart extends LoadedConfig {
  /** Whether the table, the list or the list entry at a pointer has everything that was written. */
  isWhole(pointer: string): boolean;
}

/** A config that cannot be used, with the part of it that later stages can check. */
export class UnusableConfig extends ConfigError {
  constructor(
    problems: Problem[],
    readonly rest: UsablePart,
  ) {
    super(problems);
    this.name = "UnusableConfig";
  }
}

/** The config without what the schema refuses. */
export function usablePart(
  tree: JsonObject,
  problems: readonly Problem[],
  loaded: Omit<LoadedConfig, "config">,
): UsablePart {
  /** The original index of each kept entry of a list, and whether the entry is complete. */
  const kept = new Map<string, { index: number; isWhole: boolean }[]>();
  /** Tables that lost a key, and lists that lost an entry. */
  const damaged = new Set<string>();
  const wrong = new Set(problems.flatMap(({ place }) => (place ? [startOf(place)] : [])));
  const config: { [key: string]: unknown } = {};
  for (const [key, value] of Object.entries(tree)) {
    const entrySchema = Object.hasOwn(entrySchemas, key) ? entrySchemas[key] : undefined;
    if (entrySchema && Array.isArray(value)) {
      const entries = value.flatMap((entry, index) => {
        const valid = validPart(entrySchema, entry);
        const places = Object.keys(entry ?? {}).map((name) => loaded.locate(toPointer([key, index, name])));
        const isWhole = valid === entry && !places.some((place) => place && wrong.has(startOf(place)));
        return valid === undefined ? [] : [{ valid, index, isWhole }];
      });
      kept.set(key, entries);
      if (entries.length < value.length) damaged.add(key);
      config[key] = entries.map(({ valid }) => valid);
    } else {
      const { shape } = configSchema;
      const schema = Object.hasOwn(shape, key) ? shape[key as keyof typeof shape] : undefined;
      const valid = schema && validPart(schema, value);
      if (valid !== value) damaged.add(key);
      if (valid !== undefined) config[key] = valid;
    }
  }
  const original = (pointer: string) => {
    const [list = "", index = "", ...path] = fromPointer(pointer);
    const entry = kept.get(list)?.[Number(index)];
    return entry ? toPointer([list, entry.index, ...path]) : pointer;
  };
  return {
    ...loaded,
    config: configSchema.parse(config),
    locate: (pointer) => loaded.locate(original(pointer)),
    origin: (pointer) => loaded.origin(original(pointer)),
    isWhole(pointer) {
      const [list = "", index] = fromPointer(pointer);
      return index === undefined ? !damaged.has(list) : (kept.get(list)?.[Number(index)]?.isWhole ?? true);
    },
  };
}

function startOf({ file, line, column }: ProblemPlace): string {
  return `${file}:${line}:${column}`;
}

/** How often invalid parts are removed: one may hide another. */
const passes = 4;

/** A value without what its schema refuses; the same value when it is valid, undefined when nothing is left. */
function validPart(schema: z.ZodType, value: Json): Json | undefined {
  let current: Json = value;
  for (let pass = 0; pass < passes; pass++) {
    const { error } = schema.safeParse(current);
    if (error === undefined) return current;
    if (current === value) current = structuredClone(value);
    for (const issue of error.issues) {
      const paths =
        issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
      if (!paths.every((path) => remove(current, path))) return undefined;
    }
  }
  return schema.safeParse(current).success ? current : undefined;
}

/** Removes a member, or the nearest enclosing one that can be removed; items of a list are removed with the list. */
function remove(tree: Json, path: readonly PropertyKey[]): boolean {
  if (path.length === 0) return false;
  const above = path.slice(0, -1);
  const parent = getAt(tree, above as string[]);
  const key = String(path.at(-1));
  if (!isTable(parent) || !Object.hasOwn(parent, key)) return remove(tree, above);
  return delete parent[key];
}
