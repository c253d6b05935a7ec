/** Validates a tree against the schema. Each Problem has its place, what was expected, what was found, and a fix. */
import type * as z from "zod";
import { fromPointer, getAt, isTable, type JsonObject, toPointer } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import type { Problem } from "../base/problem.js";
import { cutCharacters } from "../base/text.js";
import { checkSchema, isMissing, type SchemaIssue } from "./schema-issues.js";
import { homesOf, knownKeys } from "./schema-walk.js";
import { type Path, problemAt, type SourcePlaces } from "./text/source.js";

interface ValidateOptions {
  refused?: ReadonlySet<string>;
  /** A layer may be incomplete: only the keys that name an entry are required. */
  partial?: boolean;
}

const nameKeys = { servers: "id", tools: "name", methods: "method", prompts: "name", resources: "name" };

export function validate(
  schema: z.ZodType,
  tree: JsonObject,
  places: SourcePlaces,
  options: ValidateOptions = {},
): Problem[] {
  return new Reporter(schema, tree, places).problems(checkSchema(schema, tree).issues, options);
}

export function parseTree<T>(
  schema: z.ZodType<T>,
  tree: JsonObject,
  places: SourcePlaces,
): { value: T | undefined; problems: Problem[] } {
  const { value, issues } = checkSchema(schema, tree);
  return { value, problems: new Reporter(schema, tree, places).problems(issues, {}) };
}

/** A problem for each entry that has the name of an earlier entry of the same file. */
export function duplicateNames(tree: JsonObject, places: SourcePlaces): Problem[] {
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

/** Whether a path is `servers/N/id` or the like, without which a layer cannot be merged. */
function isNameKey([list, _, key, ...rest]: Path): boolean {
  return rest.length === 0 && Object.entries(nameKeys).some(([name, id]) => name === list && id === key);
}

class Reporter {
  constructor(
    private readonly schema: z.ZodType,
    private readonly tree: JsonObject,
    private readonly places: SourcePlaces,
  ) {}

  problems(issues: readonly SchemaIssue[], { refused, partial }: ValidateOptions): Problem[] {
    const misspelt = this.#misspeltKeys(issues);
    return issues.flatMap((issue) => {
      const pointer = toPointer(issue.path);
      if (refused?.has(pointer)) return [];
      if (!isMissing(issue, this.tree)) return this.#problemsOf(issue);
      return misspelt.has(pointer) || (partial && !isNameKey(issue.path)) ? [] : [this.#missing(issue.path)];
    });
  }

  /** Pointers of keys that occur under a misspelt name, so that they are not reported as missing. */
  #misspeltKeys(issues: readonly SchemaIssue[]): Set<string> {
    return new Set(
      issues.flatMap((issue) => {
        if (issue.code !== "unrecognized_keys") return [];
        const known = knownKeys(this.schema, issue.path);
        return issue.keys.map((key) => toPointer([...issue.path, nearest(key, known) ?? key]));
      }),
    );
  }

  #problemsOf(issue: SchemaIssue): Problem[] {
    const { path } = issue;
    switch (issue.code) {
      case "unrecognized_keys":
        return issue.keys.map((key) => this.#unknownKey([...path, key]));
      case "invalid_type":
        return [this.#wrongType(path, expectedWords(issue.expected))];
      case "no_branch": {
        if (issue.types.length === 0) return [this.#badChoice(path, issue.values)];
        const literals = issue.values.map((value) => JSON.stringify(value));
        return [this.#wrongType(path, oneOf([...literals, ...issue.types.map(expectedWords)]))];
      }
      case "invalid_value":
        return [this.#badChoice(path, issue.values)];
      case "invalid_key": {
        const message = `the key \`${String(path.at(-1))}\` must be ${issue.issues[0]?.message ?? "another one"}`;
        const options = { part: "key", fix: "Rename the key." } as const;
        return [problemAt(this.places, "config/bad-value", message, path, options)];
      }
      case "too_small":
      case "too_big":
        return [this.#badValue(path, boundWords(issue))];
      default:
        return [this.#badValue(path, { must: `must be ${issue.message}`, fix: `Write ${issue.message}.` })];
    }
  }

  #unknownKey(path: Path): Problem {
    const key = String(path.at(-1));
    const known = knownKeys(this.schema, path.slice(0, -1));
    const suggestion = nearest(key, known);
    const homes = homesOf(this.schema, key);
    let fix = "Remove the key. `lsp-proxy schema` prints all keys.";
    if (suggestion !== undefined) fix = `Write \`${suggestion}\`, or remove the key.`;
    else if (homes.length > 0) fix = `\`${key}\` belongs to \`${homes.join("` or `")}\`: move it there.`;
    else if (known.length > 0 && known.length <= 8)
      fix = `Use one of \`${known.join("`, `")}\`, or remove the key.`;
    const message = `unknown key \`${key}\`${this.#inTable(path)}`;
    return problemAt(this.places, "config/unknown-key", message, path, { part: "key", suggestion, fix });
  }

  #missing(path: Path): Problem {
    const key = path.at(-1);
    const message = `\`${key}\` is missing${this.#inTable(path)}`;
    const fix = `Add \`${key}\`.`;
    return problemAt(this.places, "config/missing-key", message, path.slice(0, -1), { fix });
  }

  #inTable(path: Path): string {
    return path.length > 1 ? ` in ${this.#label(path.slice(0, -1))}` : "";
  }

  #label(path: Path): string {
    return `\`${label(this.places.pointer(path))}\``;
  }

  #wrongType(path: Path, expected: string): Problem {
    const message = `${this.#label(path)} must be ${expected}, found ${foundWords(getAt(this.tree, path))}`;
    const example = expected.startsWith("a list") ? listOf(getAt(this.tree, path)) : "";
    return problemAt(this.places, "config/wrong-type", message, path, {
      fix: `Write ${expected}${example}.`,
    });
  }

  #badChoice(path: Path, values: readonly unknown[]): Problem {
    const found = getAt(this.tree, path);
    const choices = oneOf(values.map((value) => JSON.stringify(value)));
    const isSameType = values.some((value) => typeof value === typeof found);
    const message = `${this.#label(path)} must be ${choices}, found ${isSameType ? shown(found) : foundWords(found)}`;
    const names = values.filter((value) => typeof value === "string");
    return problemAt(this.places, isSameType ? "config/bad-value" : "config/wrong-type", message, path, {
      suggestion: typeof found === "string" ? nearest(found, names) : undefined,
      fix: `Write ${choices}.`,
    });
  }

  #badValue(path: Path, { must, fix }: { must: string; fix: string }): Problem {
    const message = `${this.#label(path)} ${must}, found ${shown(getAt(this.tree, path))}`;
    return problemAt(this.places, "config/bad-value", message, path, { fix });
  }
}

/** The characters of an example in a fix. */
const MAX_EXAMPLE = 60;

const typeWords: { [expected: string]: string } = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "a table",
  record: "a table",
  null: "null",
};

function expectedWords(expected: string): string {
  return typeWords[expected] ?? expected;
}

/** A single value as the list that was probably meant. */
function listOf(value: unknown): string {
  const text = ["string", "number", "boolean"].includes(typeof value) ? JSON.stringify([value]) : "";
  return text === "" || text.length > MAX_EXAMPLE ? "" : `, such as \`${text}\``;
}

function foundWords(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a table";
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return `the string ${shown(value)}`;
}

/** A value itself, shortened when it is long. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  const { text, cut } = cutCharacters(JSON.stringify(value) ?? "nothing", 60);
  return cut ? `${text}…` : text;
}

/** The name of the value at a JSON Pointer: its key, with the index when it is in a list. */
function label(pointer: string): string {
  const parts = fromPointer(pointer);
  let start = parts.length - 1;
  while (start > 0 && /^\d+$/.test(parts[start] ?? "")) start--;
  const [name = "config", ...indices] = parts.slice(Math.max(0, start));
  return name + indices.map((index) => `[${index}]`).join("");
}

function oneOf(words: readonly string[]): string {
  const unique = [...new Set(words)];
  if (unique.length < 2) return unique.join("");
  return `${unique.slice(0, -1).join(", ")} or ${unique.at(-1)}`;
}

function boundWords(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig) {
  const small = issue.code === "too_small";
  const bound = Number(small ? issue.minimum : issue.maximum);
  const count = `${small ? "at least" : "at most"} ${bound}`;
  if (issue.origin !== "string" && issue.origin !== "array")
    return { must: `must be ${count}`, fix: `Write a number that is ${count}.` };
  const [one, many] = issue.origin === "string" ? ["character", "characters"] : ["entry", "entries"];
  const must = small && bound === 1 ? "must not be empty" : `must have ${count} ${bound === 1 ? one : many}`;
  return { must, fix: `Give it ${count} ${bound === 1 ? one : many}.` };
}
