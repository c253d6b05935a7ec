/** The keys of the config schema, each with its default and an example. Examples are taken from whole configs in `examples/`. */
import { isTable, type Json, type JsonObject, jsonLine } from "../../src/base/json.js";
import { sortBy } from "../../src/base/order.js";
import { snakeCase } from "../../src/base/words.js";
import {
  defaultDialect,
  defaultReady,
  defaultRestart,
  defaultServer,
  defaultServerLimits,
  everyDefault,
} from "../../src/plan/defaults.js";

export type Schema = Record<string, unknown>;

/** A key, with `[]` in its path for the entries of a list and `NAME` for a name that the config chooses. */
export interface ConfigKey {
  path: string;
  /** One schema, or the same key in each branch of a union. */
  schemas: [Schema, ...Schema[]];
  required: boolean;
}

/** Texts of defaults and example configs, as they are in `.ci/print/`. */
export interface KeyTexts {
  /** Defaults that the planner has no table for, by path. */
  values: JsonObject;
  /** Defaults that are no fixed value, in words. */
  words: { [path: string]: string };
  examples: JsonObject[];
}

/** The text about a key besides its type and its description. */
export interface KeyFacts extends ConfigKey {
  /** Undefined where the default is no fixed value. */
  value: Json | undefined;
  /** The default in words, where it is no fixed value. */
  words: string | undefined;
  example: Json | undefined;
}

const TABLE_DEFAULT = "as its keys";

/** Whether a key is a table, or a list of tables, whose keys the schema knows. */
export function isTableKey(schema: Schema): boolean {
  return objectBranches(schema.items ?? schema).length > 0;
}

/** Whether a key is a table that may as well be absent, since each of its keys may be. */
function isOptionalTable({ schemas: [schema], required }: ConfigKey): boolean {
  const branches = objectBranches(schema);
  return (
    !required && branches.length === 1 && branches.every((branch) => listOf(branch.required).length === 0)
  );
}

/** Every key of the config, with what is known about it. */
export function keyFacts(schema: JsonObject, texts: KeyTexts): KeyFacts[] {
  const defaults = plannedDefaults();
  return configKeys(schema).map((key) => {
    const words = texts.words[key.path] ?? (isOptionalTable(key) ? TABLE_DEFAULT : undefined);
    const planned = isTableKey(key.schemas[0]) ? undefined : valuesAt(defaults, key.path)[0];
    const value = texts.values[key.path] ?? planned;
    return {
      ...key,
      value: value === null || key.required || words !== undefined ? undefined : value,
      words,
      example: exampleOf(key, texts.examples)?.value,
    };
  });
}

/** The keys in the order of the schema. Those inside a key follow it. */
export function configKeys(schema: unknown, prefix = ""): ConfigKey[] {
  const branches = objectBranches(schema);
  const names = new Set(branches.flatMap((branch) => Object.keys(tableOf(branch.properties))));
  return [...names].flatMap((name) => {
    const [first, ...others] = branches.flatMap((branch) => {
      const member = tableOf(branch.properties)[name];
      return isTable(member) ? [member] : [];
    });
    if (first === undefined) return [];
    const path = prefix + name;
    const required =
      branches.length === 1 && branches.some((branch) => listOf(branch.required).includes(name));
    return [{ path, schemas: [first, ...others], required }, ...innerKeys(first, path)];
  });
}

function innerKeys(member: Schema, path: string): ConfigKey[] {
  const { additionalProperties, items } = member;
  // A union's tables are in its branches, but a list or a map is never in one.
  return [
    ...configKeys(member, `${path}.`),
    ...(items === undefined ? [] : configKeys(items, `${path}[].`)),
    ...(isTable(additionalProperties) ? configKeys(additionalProperties, `${path}.NAME.`) : []),
  ];
}

/** The schema with the default and the example of each key, for editors. */
export function annotatedSchema(schema: JsonObject, texts: KeyTexts): JsonObject {
  const copy = structuredClone(schema);
  for (const { schemas, value, example } of keyFacts(copy, texts))
    for (const one of schemas) {
      if (value !== undefined) one.default = value;
      if (example !== undefined) one.examples = [example];
    }
  return copy;
}

/** The first value that the example configs have for a key, with its place; of tables the shortest. */
export function exampleOf({ path, schemas: [schema] }: ConfigKey, examples: readonly JsonObject[]) {
  const found = examples.flatMap((config) =>
    pointersAt(config, path).map((pointer) => ({ config, pointer, value: valueAt(config, pointer) })),
  );
  const length = ({ value }: (typeof found)[number]) => (isInTables(schema) ? jsonLine(value).length : 0);
  return sortBy(found, (one) => [length(one)])[0];
}

/** Whether an example shows keys that have examples of their own. */
function isInTables(schema: Schema): boolean {
  return isTableKey(schema) || schema.type === "object" || isTable(schema.additionalProperties);
}

function valueAt(tree: Json, pointer: readonly (string | number)[]): Json {
  return pointer.reduce(stepInto, tree);
}

/** All values at a path of a config, in the order of the config. */
function valuesAt(tree: Json, path: string): Json[] {
  return pointersAt(tree, path).map((pointer) => valueAt(tree, pointer));
}

/** The places at which a config has a value for a path. */
function pointersAt(tree: Json, path: string): (string | number)[][] {
  let found: { at: (string | number)[]; value: Json }[] = [{ at: [], value: tree }];
  for (const step of path.replaceAll("[]", ".[]").split("."))
    found = found.flatMap(({ at, value }) => {
      if (step === "[]")
        return listOf(value).map((item, index) => ({ at: [...at, index], value: item as Json }));
      if (!isTable(value)) return [];
      const members = Object.entries(value as JsonObject);
      return members
        .filter(([name]) => step === "NAME" || name === step)
        .map(([name, member]) => ({ at: [...at, name], value: member }));
    });
  return found.map(({ at }) => at);
}

function stepInto(value: Json, step: string | number): Json {
  if (Array.isArray(value)) return value[Number(step)] ?? null;
  return isTable(value) ? ((value as JsonObject)[step] ?? null) : null;
}

/** The defaults of the planner, in the form of a config. A list has one entry with the defaults of every entry. */
function plannedDefaults(): JsonObject {
  const server = {
    ...defaultServer,
    ready: defaultReady,
    restart: defaultRestart,
    limits: defaultServerLimits,
  };
  return {
    ...everyDefault().config,
    dialect: inSnakeCase(defaultDialect),
    servers: [inSnakeCase(server)],
  };
}

function inSnakeCase(value: unknown): Json {
  if (!isTable(value)) return value as Json;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [snakeCase(name), inSnakeCase(member)]),
  );
}

export function objectBranches(schema: unknown): Schema[] {
  const table = tableOf(schema);
  const all = [table, ...listOf(table.anyOf).map(tableOf), ...listOf(table.oneOf).map(tableOf)];
  return all.filter((branch) => isTable(branch.properties));
}

export function tableOf(value: unknown): Schema {
  return isTable(value) ? value : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
