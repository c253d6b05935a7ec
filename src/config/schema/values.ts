/** Building blocks of the config schema: optional keys with their metadata, and value types that several tables use. */
import * as z from "zod";
import { globProblem, MAX_GLOB_LENGTH } from "../../base/glob.js";
import type { RuleName } from "../trust/rules.js";

/**
 * Rules for configs discovered in a workspace, declared with each key of the schema. A rule compares the value with
 * a limit: the effective value without that config while it is untrusted, and what the user wrote once it is trusted.
 */
export interface DiscoveredRule {
  rule: RuleName;
  /** The wording in the question to the user; with several values, each follows it. */
  label?: string;
  /** The default counts as the user's own value, also once the config is trusted. */
  defaultIsLimit?: true;
  /** Without a value of the user's there is no limit, so that any value is accepted. */
  unlimited?: true;
}

export function labelled(rule: RuleName, label: string): DiscoveredRule {
  return { rule, label };
}

/** A rule for a key that has no limit until somebody sets one. */
export function unlimited(rule: RuleName): DiscoveredRule {
  return { rule, unlimited: true };
}

/** A rule for a key whose default counts as the user's own value. */
export function defaultIsLimit(rule: RuleName, label?: string): DiscoveredRule {
  return { rule, ...(label === undefined ? {} : { label }), defaultIsLimit: true };
}

/** Metadata of an array whose order has no meaning. */
export const set = (description: string) => ({ description, order: "set" as const });
/** Metadata of an array whose order is kept. */
export const sequence = (description: string) => ({ description, order: "sequence" as const });

type Rule = DiscoveredRule | RuleName;

/** Metadata that declares what a discovered config may do with a key. */
export function discovered(rule: Rule): { discovered: DiscoveredRule } {
  return { discovered: typeof rule === "string" ? { rule } : rule };
}

/** An optional key with its description and, where it has one of its own, its rule for discovered configs. */
export function optional<T extends z.ZodType>(
  schema: T,
  about: string | ReturnType<typeof set | typeof sequence>,
  rule?: Rule,
): z.ZodOptional<T> {
  const description = typeof about === "string" ? { description: about } : about;
  return schema.optional().meta({ ...description, ...(rule === undefined ? {} : discovered(rule)) });
}

/** An optional key of which a discovered config may not change the user's value. */
export function fixed<T extends z.ZodType>(schema: T, description: string) {
  return optional(schema, description, "fixed");
}

/** An optional number that a discovered config may only lower. */
export function atMost<T extends z.ZodType>(schema: T, description: string) {
  return optional(schema, description, "at_most");
}

export function optionalSet<T extends z.ZodType>(item: T, description: string, rule?: Rule) {
  return optional(z.array(item), set(description), rule);
}

export function optionalList<T extends z.ZodType>(item: T, description: string, rule?: Rule) {
  return optional(z.array(item), sequence(description), rule);
}

export const nonEmpty = z.string().min(1);
/** Most patterns of one key. */
const MAX_PATTERNS = 500;
/** Path patterns, in the syntax of `base/glob`. */
export const globs = z
  .array(
    nonEmpty
      .max(MAX_GLOB_LENGTH)
      .refine(
        (text) => text.length > MAX_GLOB_LENGTH || globProblem(text) === undefined,
        "a glob of `*`, `**`, `?`, `[a-z]` and `{a,b}`, without `!` at the start, `+(a)` or `{1..3}`",
      ),
  )
  .max(MAX_PATTERNS);
export const positive = z.int().min(1);
/** A duration of at most one day. */
export const milliseconds = z.int().min(0).max(86_400_000);
export const json: z.ZodType<JsonValue> = z
  .lazy(() =>
    z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)]),
  )
  .meta({ id: "json", description: "Any JSON value." });
type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export const jsonTable = z.record(z.string(), json);
export const stringMap = z.record(z.string(), z.string());
export const jsonPointer = z.string().regex(/^(\/.*)?$/, "a JSON Pointer");

export const identifier = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "1 to 64 letters, digits, `_`, `.` or `-`");
export const toolName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
    "1 to 64 letters, digits, `_`, `.` or `-`, beginning with a letter",
  );
/** The name of an argument or of a member of an answer. */
export const argName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "1 to 64 letters, digits or `_`");
export const stepId = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, "1 to 40 lower-case letters, digits or `_`");
export const effect = z.enum(["read", "edit", "command"]);

/** A Handlebars text, or the name of a shipped template. */
export const template = z.string().min(1).max(8000);
/** The handling of a number outside its bounds. */
export const outOfBounds = z.enum(["refuse", "clamp"]);
