/** The words in which problems speak of values: short, plain, the same everywhere. */
import type { z } from "zod";
import { cutCharacters } from "../base/text.js";
import type { Path } from "./source.js";

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

/** A type that the schema expects. */
export function expectedWords(expected: string): string {
  return typeWords[expected] ?? expected;
}

/** The type of a value that was found. */
export function foundWords(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a table";
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return `the string ${shown(value)}`;
}

/** A value itself, cut when it is long. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  const { text, cut } = cutCharacters(JSON.stringify(value) ?? "nothing", 60);
  return cut ? `${text}…` : text;
}

/** How a value is called: its key, with the index when it stands in a list. */
export function label(path: Path): string {
  if (path.length === 0) return "config";
  const names = path.map((part) => (typeof part === "number" ? `[${part}]` : part));
  let start = names.length - 1;
  while (start > 0 && names[start]?.startsWith("[")) start--;
  return names.slice(start).join("");
}

/** `a`, `a or b`, `a, b or c`. */
export function oneOf(words: readonly string[]): string {
  const unique = [...new Set(words)];
  if (unique.length < 2) return unique.join("");
  return `${unique.slice(0, -1).join(", ")} or ${unique.at(-1)}`;
}

/** What a bound asks for. */
export function boundWords(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const small = issue.code === "too_small";
  const bound = Number(small ? issue.minimum : issue.maximum);
  const most = small ? "at least" : "at most";
  if (issue.origin === "string")
    return small && bound === 1 ? "must not be empty" : `must have ${most} ${bound} characters`;
  if (issue.origin === "array" || issue.origin === "set")
    return small && bound === 1
      ? "must not be empty"
      : `must have ${most} ${bound} ${bound === 1 ? "entry" : "entries"}`;
  return `must be ${most} ${bound}`;
}
