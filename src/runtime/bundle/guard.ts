/** The check of a call's arguments before anything else happens. Issues name the place and the rule, never the value. */
import type { Validator } from "../../abi/bundle.js";
import type { ToolPlan } from "../../abi/plan.js";
import { define, isTable, type JsonObject } from "../../base/json.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import { toPointer } from "../../base/pointer.js";
import { Refusal } from "../../base/problem.js";
import { cutCharacters } from "../../base/text.js";
import { largest } from "../answer/limits.js";

const mostIssues = 10;
const mostBytes = 1024 * 1024;
/** So few that they cannot be too many bytes, however they are written. */
const mostPlainUnits = 16 * 1024;
const nameCharacters = 64;
const valueCharacters = 400;

interface Issue {
  path: string;
  keyword: string;
  message: string;
}

/** The arguments as the handler gets them, defaults filled in; throws a Refusal that names the issues and what is known. */
export function checkArguments(
  tool: ToolPlan,
  validate: Validator,
  args: unknown,
  known: readonly string[] = [],
): JsonObject {
  if (args !== undefined && !isTable(args))
    throw invalid([{ path: "", keyword: "type", message: "must be object" }]);
  const given = plainCopy(args ?? {}) ?? copyOf(args);
  // Clients that must fill every argument give null for the ones they leave out.
  for (const name of known) if (given[name] === null) delete given[name];
  if (!validate(given)) throw invalid((validate.errors ?? []).map((error) => toIssue(error, known)));
  for (const { name, default: value } of tool.args) {
    if (value !== null && !Object.hasOwn(given, name)) given[name] = value;
  }
  return given;
}

/** A copy of arguments that are few short texts and numbers, as most are; undefined when they are more than that. */
function plainCopy(args: Record<string, unknown>): JsonObject | undefined {
  const copy: JsonObject = {};
  let units = 0;
  for (const key of Object.keys(args)) {
    const value = args[key];
    units += key.length;
    if (typeof value === "string") units += value.length;
    else if (typeof value !== "boolean" && !Number.isFinite(value)) return undefined;
    if (units > mostPlainUnits) return undefined;
    define(copy, key, value);
  }
  return copy;
}

/** A copy of any arguments, as the wire would bring them. */
function copyOf(args: unknown): JsonObject {
  const text = JSON.stringify(args);
  if (Buffer.byteLength(text) > mostBytes)
    throw new Refusal("guard/invalid-arguments", "The arguments are larger than 1 MiB.");
  return JSON.parse(text) as JsonObject;
}

function toIssue(error: NonNullable<Validator["errors"]>[number], known: readonly string[]): Issue {
  const { missingProperty, additionalProperty } = error.params;
  const name = missingProperty ?? additionalProperty;
  const below = typeof name === "string" ? toPointer([cutCharacters(name, nameCharacters).text]) : "";
  const isUnknown = error.keyword === "additionalProperties" && error.instancePath === "";
  const message = isUnknown ? unknownArgument(known) : (allowedValues(error) ?? error.message ?? "");
  return { path: `${error.instancePath}${below}`, keyword: error.keyword, message };
}

/** Of a value that is none of a few: which they are. */
function allowedValues({ keyword, params }: NonNullable<Validator["errors"]>[number]): string | undefined {
  const { allowedValues: values } = params;
  if (keyword !== "enum" || !Array.isArray(values)) return undefined;
  const words = values.map((value) => JSON.stringify(value));
  const shown = largest(words.length, (count) => words.slice(0, count).join(", ").length <= valueCharacters);
  const rest = words.length - shown;
  return `must be one of ${words.slice(0, shown).join(", ")}${rest > 0 ? ` and ${rest} others` : ""}`;
}

function unknownArgument(known: readonly string[]): string {
  return known.length === 0 ? "is unknown" : `is unknown; known are ${known.join(", ")}`;
}

function invalid(found: Issue[]): Refusal {
  const unique = uniqueBy(found, (issue) => `${issue.path} ${issue.keyword}`);
  const issues = sortBy(unique, ({ path, keyword }) => [path, keyword]).slice(0, mostIssues);
  const lines = issues.map(({ path, keyword, message }) => `${path || "/"} ${message} (${keyword})`);
  return new Refusal("guard/invalid-arguments", `The arguments do not fit: ${lines.join("; ")}.`, {
    data: { issues: issues.map(({ path, keyword, message }) => ({ path, keyword, message })) },
  });
}
