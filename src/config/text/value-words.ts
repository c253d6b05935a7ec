/** How problem messages describe types, values and bounds. */
import type * as z from "zod";
import { fromPointer } from "../../base/pointer.js";
import { cutCharacters } from "../../base/text.js";

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

export function expectedWords(expected: string): string {
  return typeWords[expected] ?? expected;
}

export function foundWords(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a table";
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return `the string ${shown(value)}`;
}

/** A value itself, shortened when it is long. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  const { text, cut } = cutCharacters(JSON.stringify(value) ?? "nothing", 60);
  return cut ? `${text}…` : text;
}

/** The name of the value at a JSON Pointer: its key, with the index when it is in a list. */
export function label(pointer: string): string {
  const parts = fromPointer(pointer);
  let start = parts.length - 1;
  while (start > 0 && isIndex(parts[start])) start--;
  const [name = "config", ...indices] = parts.slice(Math.max(0, start));
  return name + indices.map((index) => `[${index}]`).join("");
}

function isIndex(part: string | undefined): boolean {
  return part !== undefined && /^\d+$/.test(part);
}

/** `a`, `a or b`, `a, b or c`. */
export function oneOf(words: readonly string[]): string {
  const unique = [...new Set(words)];
  if (unique.length < 2) return unique.join("");
  return `${unique.slice(0, -1).join(", ")} or ${unique.at(-1)}`;
}

/** What a bound requires, and how to meet it. */
export function boundWords(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): {
  must: string;
  fix: string;
} {
  const small = issue.code === "too_small";
  const bound = Number(small ? issue.minimum : issue.maximum);
  const count = `${small ? "at least" : "at most"} ${bound}`;
  if (issue.origin !== "string" && issue.origin !== "array")
    return { must: `must be ${count}`, fix: `Write a number that is ${count}.` };
  const [one, many] = issue.origin === "string" ? ["character", "characters"] : ["entry", "entries"];
  const must = small && bound === 1 ? "must not be empty" : `must have ${count} ${bound === 1 ? one : many}`;
  return { must, fix: `Give it ${count} ${bound === 1 ? one : many}.` };
}
