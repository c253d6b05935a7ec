/** Validates a tree against the schema. Each Problem has its place, what was expected, what was found, and a fix. */
import type * as z from "zod";
import { isTable, type JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { getAt, toPointer } from "../base/pointer.js";
import type { Problem } from "../base/problem.js";
import { checkSchema, isMissing, type SchemaIssue } from "./schema-issues.js";
import { homesOf, knownKeys } from "./schema-walk.js";
import { type Path, type Places, problemAt } from "./text/source.js";
import { boundWords, expectedWords, foundWords, label, oneOf, shown } from "./text/value-words.js";

export interface ValidateOptions {
  /** Pointers that were already reported. */
  refused?: ReadonlySet<string>;
  /** A layer may be incomplete: only the keys that name an entry are required. */
  partial?: boolean;
}

interface Context {
  schema: z.ZodType;
  tree: JsonObject;
  places: Places;
}

/** The key that names the entries of each list. */
const nameKeys = { servers: "id", tools: "name", methods: "method" };

/** All problems of a tree. */
export function validate(
  schema: z.ZodType,
  tree: JsonObject,
  places: Places,
  options: ValidateOptions = {},
): Problem[] {
  return problemsOf(checkSchema(schema, tree).issues, { schema, tree, places }, options);
}

/** The parsed value of a complete tree, or its problems. */
export function parseTree<T>(
  schema: z.ZodType<T>,
  tree: JsonObject,
  places: Places,
): { value: T; problems: [] } | { value?: undefined; problems: Problem[] } {
  const { value, issues } = checkSchema(schema, tree);
  if (value !== undefined) return { value, problems: [] };
  return { problems: problemsOf(issues, { schema, tree, places }, {}) };
}

/** A problem for each entry that has the name of an earlier entry of the same file. */
export function duplicateNames(tree: JsonObject, places: Places): Problem[] {
  return Object.entries(nameKeys).flatMap(([list, key]) => {
    const entries = tree[list];
    const seen = new Set<unknown>();
    return (Array.isArray(entries) ? entries : []).flatMap((entry, index) => {
      const name = isTable(entry) ? entry[key] : undefined;
      if (typeof name !== "string" || !seen.has(name)) {
        seen.add(name);
        return [];
      }
      const message = `two ${list} are called \`${name}\``;
      return [problemAt(places, "config/duplicate-id", message, [list, index, key])];
    });
  });
}

function problemsOf(issues: readonly SchemaIssue[], context: Context, options: ValidateOptions): Problem[] {
  const misspelt = misspeltKeys(context.schema, issues);
  return issues
    .filter((issue) => {
      const pointer = toPointer(issue.path);
      if (options.refused?.has(pointer)) return false;
      if (!isMissing(issue, context.tree)) return true;
      return !misspelt.has(pointer) && (!options.partial || isNameKey(issue.path));
    })
    .flatMap((issue) => toProblems(issue, context));
}

/** Pointers of keys that occur under a misspelt name, so that they are not reported as missing. */
function misspeltKeys(schema: z.ZodType, issues: readonly SchemaIssue[]): Set<string> {
  return new Set(
    issues.flatMap((issue) => {
      if (issue.code !== "unrecognized_keys") return [];
      const known = knownKeys(schema, issue.path);
      return issue.keys.map((key) => toPointer([...issue.path, nearest(key, known) ?? key]));
    }),
  );
}

/** Whether a path is `servers/N/id` or the like, without which a layer cannot be merged. */
function isNameKey([list, _, key, ...rest]: Path): boolean {
  return rest.length === 0 && Object.entries(nameKeys).some(([name, id]) => name === list && id === key);
}

function toProblems(issue: SchemaIssue, context: Context): Problem[] {
  const { path } = issue;
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey([...path, key], context));
  if (isMissing(issue, context.tree)) return [missingKey(path, context)];
  switch (issue.code) {
    case "invalid_type":
      return [wrongType(path, expectedWords(issue.expected), context)];
    case "no_branch": {
      if (issue.types.length === 0) return [badChoice(path, issue.values, context)];
      const literals = issue.values.map((value) => JSON.stringify(value));
      return [wrongType(path, oneOf([...literals, ...issue.types.map(expectedWords)]), context)];
    }
    case "invalid_value":
      return [badChoice(path, issue.values, context)];
    case "invalid_key": {
      const message = `the key \`${String(path.at(-1))}\` must be ${issue.issues[0]?.message ?? "another one"}`;
      const options = { part: "key", fix: "Rename the key." } as const;
      return [problemAt(context.places, "config/bad-value", message, path, options)];
    }
    case "too_small":
    case "too_big":
      return [badValue(path, boundWords(issue), context)];
    default: {
      const words = { must: `must be ${issue.message}`, fix: `Write ${issue.message}.` };
      return [badValue(path, words, context)];
    }
  }
}

function unknownKey(path: Path, { schema, places }: Context): Problem {
  const key = String(path.at(-1));
  const known = knownKeys(schema, path.slice(0, -1));
  const suggestion = nearest(key, known);
  return problemAt(places, "config/unknown-key", `unknown key \`${key}\`${inTable(path, places)}`, path, {
    part: "key",
    suggestion,
    fix: unknownKeyFix(key, suggestion, known, schema),
  });
}

function unknownKeyFix(
  key: string,
  suggestion: string | undefined,
  known: string[],
  schema: z.ZodType,
): string {
  if (suggestion !== undefined) return `Write \`${suggestion}\`, or remove the key.`;
  const homes = homesOf(schema, key);
  if (homes.length > 0) return `\`${key}\` belongs to \`${homes.join("` or `")}\`: move it there.`;
  if (known.length > 0 && known.length <= 8)
    return `Use one of \`${known.join("`, `")}\`, or remove the key.`;
  return "Remove the key. `lsp-proxy schema` prints all keys.";
}

function missingKey(path: Path, { places }: Context): Problem {
  const key = path.at(-1);
  const message = `\`${key}\` is missing${inTable(path, places)}`;
  return problemAt(places, "config/missing-key", message, path.slice(0, -1), { fix: `Add \`${key}\`.` });
}

function inTable(path: Path, places: Places): string {
  return path.length > 1 ? ` in \`${label(places.pointer(path.slice(0, -1)))}\`` : "";
}

function wrongType(path: Path, expected: string, { tree, places }: Context): Problem {
  const message = `\`${label(places.pointer(path))}\` must be ${expected}, found ${foundWords(getAt(tree, path))}`;
  return problemAt(places, "config/wrong-type", message, path, { fix: `Write ${expected}.` });
}

function badChoice(path: Path, values: readonly unknown[], { tree, places }: Context): Problem {
  const found = getAt(tree, path);
  const choices = oneOf(values.map((value) => JSON.stringify(value)));
  const isSameType = values.some((value) => typeof value === typeof found);
  const words = isSameType ? shown(found) : foundWords(found);
  const message = `\`${label(places.pointer(path))}\` must be ${choices}, found ${words}`;
  const names = values.filter((value) => typeof value === "string");
  return problemAt(places, isSameType ? "config/bad-value" : "config/wrong-type", message, path, {
    suggestion: typeof found === "string" ? nearest(found, names) : undefined,
    fix: `Write ${choices}.`,
  });
}

function badValue(path: Path, words: { must: string; fix: string }, { tree, places }: Context): Problem {
  const message = `\`${label(places.pointer(path))}\` ${words.must}, found ${shown(getAt(tree, path))}`;
  return problemAt(places, "config/bad-value", message, path, { fix: words.fix });
}
