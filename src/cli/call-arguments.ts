/** The arguments of `call` on the command line: JSON, or words such as `src/main.ts:3:6` and `symbol_name=start`. */
import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import type { ToolEntry } from "../abi/bundle.js";
import type { DialectPlan } from "../abi/plan.js";
import { argumentMeant } from "../base/argument-hint.js";
import { realPath } from "../base/disk.js";
import { isTable, type Json, type JsonObject } from "../base/json.js";
import { fileUri, isInside, slashed } from "../base/paths.js";
import { UsageError } from "./command.js";

export interface ToolArgument {
  name: string;
  schema: JsonObject;
  isRequired: boolean;
}

/** The arguments of a tool as its input schema declares them, the required ones first. */
export function argumentsOf({ inputSchema }: Pick<ToolEntry, "inputSchema">): ToolArgument[] {
  const { properties, required } = inputSchema;
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const all = Object.entries(isTable(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema: (isTable(schema) ? schema : {}) as JsonObject,
    isRequired: isRequired(name),
  }));
  return [...all.filter((one) => one.isRequired), ...all.filter((one) => !one.isRequired)];
}

/** Whether the words are one JSON object. A file name may begin with any other bracket or quote: `[slug].tsx`. */
export function isJson(words: readonly string[]): boolean {
  return words.length === 1 && /^\s*\{/.test(words[0] ?? "");
}

export function parseJsonArguments(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the arguments are not JSON: ${(error as Error).message}`);
  }
  if (!isTable(value)) throw new UsageError("the arguments must be one JSON object");
  return value as JsonObject;
}

/** The folder of the shell, the workspace, and the root where relative names start. */
interface Folders {
  cwd: string;
  base: string;
  root: string;
}

/** The arguments that words give: `name=value`, and at most one file, `file:line` or `file:line:column`. */
export function parseWords(
  words: readonly string[],
  tool: ToolEntry,
  dialect: DialectPlan,
  folders: Folders,
): JsonObject {
  const known = argumentsOf(tool);
  const out: JsonObject = {};
  const set = (name: string, text: string) => {
    const argument = known.find((one) => one.name === name);
    if (argument === undefined) throw unknownArgument(name, tool, known);
    if (Object.hasOwn(out, name)) throw new UsageError(`\`${name}\` is given twice`);
    const { field, form } = dialect.document;
    const path = name === field || PATH_NAME.test(name) ? shellPath(text, folders) : undefined;
    let given = text;
    if (path !== undefined)
      given = name === field && form === "uri" ? fileUri(path) : shownIn(path, folders.root);
    out[name] = typedValue(argument, given);
  };
  for (const word of words) {
    const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
    if (name !== undefined) set(name, value);
    else for (const [key, text] of placeIn(word, tool, known, dialect)) set(key, text);
  }
  return out;
}

/** Arguments that are paths, beside the one that the dialect names. */
const PATH_NAME = /(?:^|_)path$/;

/**
 * The absolute path of a word that is absolute or relative to the shell's folder: it begins with `./` or `../`, or that
 * folder is in the workspace and has such a file; undefined if it is relative to the workspace.
 */
function shellPath(word: string, { cwd, base }: Folders): string | undefined {
  const path = resolve(cwd, word);
  const isOfShell = isAbsolute(word) || /^\.\.?(?:[\\/]|$)/.test(word);
  if (!isOfShell && !(isInside(cwd, base) && existsSync(path))) return undefined;
  return path;
}

/** The path as answers show it, relative to the root; unchanged where it is not in there. */
function shownIn(path: string, root: string): string {
  const folder = [root, realPath(root)].find((one) => isInside(path, one));
  if (folder === undefined) return path;
  const name = slashed(relative(folder, path)) || ".";
  // A name such as `web:b.ts` would be taken for a URI.
  return /^[^/]*:/.test(name) ? `./${name}` : name;
}

function unknownArgument(name: string, tool: ToolEntry, known: readonly ToolArgument[]): UsageError {
  const names = known.map((one) => one.name);
  const meant = argumentMeant(name, names);
  const hint =
    meant === undefined
      ? `; it takes ${names.join(", ") || "none"}`
      : `; did you mean \`${meant.replace(" and ", "` and `")}\`?`;
  return new UsageError(`${tool.name} has no argument \`${name}\`${hint}`);
}

/** The names and values that a place stands for. Lines and columns count from 1 here, as compilers print them. */
function placeIn(
  word: string,
  tool: ToolEntry,
  known: readonly ToolArgument[],
  { document, position }: DialectPlan,
): [string, string][] {
  const has = (name: string) => known.some((one) => one.name === name);
  if (!has(document.field))
    throw new UsageError(`\`${word}\`: ${tool.name} takes no file; write its arguments as name=value`);
  const [, file = word, line, column] = /^(.+?):(\d{1,9})(?::(\d{1,9}))?$/s.exec(word) ?? [];
  if (line === undefined) return [[document.field, file]];
  if (!has(position.line))
    throw new UsageError(`\`${word}\`: ${tool.name} takes a file without a line; \`${file}\` is enough`);
  const based = (text: string, base: number) => String(Number(text) - 1 + base);
  return [
    [document.field, file],
    [position.line, based(line, position.lineBase)],
    ...(column === undefined
      ? []
      : [[position.character, based(column, position.characterBase)] as [string, string]]),
  ];
}

/** The text as a value of the type that the schema declares. */
function typedValue({ name, schema }: ToolArgument, text: string): Json {
  switch (schema.type) {
    case "string":
      return text;
    case "integer":
    case "number":
      if (!/^-?\d+(\.\d+)?$/.test(text)) throw new UsageError(`\`${name}\` takes a number, not \`${text}\``);
      return Number(text);
    case "boolean":
      if (text !== "true" && text !== "false")
        throw new UsageError(`\`${name}\` takes true or false, not \`${text}\``);
      return text === "true";
    case "array":
      return text.trimStart().startsWith("[") ? jsonValue(name, text) : text.split(",");
    default:
      return jsonValue(name, text);
  }
}

function jsonValue(name: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new UsageError(`\`${name}\` takes JSON: ${(error as Error).message}`);
  }
}
