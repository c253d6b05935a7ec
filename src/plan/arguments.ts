/** The declared arguments of a tool → ArgPlans, sorted by name. */
import type { ArgPlan } from "../abi/plan.js";
import { canonical, type Json } from "../base/json.js";
import { sortBy } from "../base/order.js";
import { toPointer } from "../base/pointer.js";
import type { ToolConfig } from "../config/schema.js";
import type { Report } from "./report.js";

type ArgConfig = NonNullable<ToolConfig["args"]>[string];

/** Members of every object: an argument of that name would seem to be present in every call. */
const unsafeNames = [...Object.getOwnPropertyNames(Object.prototype), "prototype"];

/** The arguments of one tool; `taken` are the names of its pointing and paging arguments. */
export function buildArgs(
  args: ToolConfig["args"],
  pointer: string,
  taken: readonly string[],
  report: Report,
): ArgPlan[] {
  const built = Object.entries(args ?? {}).map(([name, arg]) => {
    const at = pointer + toPointer([name]);
    if (taken.includes(name))
      report.add(
        "plan/bad-tool",
        at,
        `The argument \`${name}\` has the name of a pointing or paging argument.`,
        "Rename the argument.",
      );
    if (unsafeNames.includes(name))
      report.add("plan/bad-tool", at, `An argument cannot be called \`${name}\`.`, "Rename the argument.");
    const plan = buildArg(name, arg);
    checkBounds(arg, plan, at, report);
    return plan;
  });
  return sortBy(built, (arg) => [arg.name]);
}

function buildArg(name: string, arg: ArgConfig): ArgPlan {
  return {
    name,
    type: arg.type,
    description: arg.description,
    required: arg.default === undefined && arg.required !== false,
    default: canonical((arg.default ?? null) as Json),
    enum: arg.enum ?? null,
    minLength: arg.min_length ?? null,
    maxLength: arg.max_length ?? null,
    minimum: arg.minimum ?? null,
    maximum: arg.maximum ?? null,
    beyond: arg.beyond ?? "refuse",
  };
}

function checkBounds(arg: ArgConfig, plan: ArgPlan, pointer: string, report: Report): void {
  const { name } = plan;
  const bad = (key: string, message: string) =>
    report.add("plan/bad-tool", `${pointer}/${key}`, message, "Correct the argument.");
  const isText = arg.type === "string" || arg.type === "string_list";
  const isNumber = arg.type === "integer" || arg.type === "number";
  for (const key of ["enum", "min_length", "max_length"] as const)
    if (arg[key] !== undefined && !isText)
      bad(key, `\`${key}\` has no meaning for the ${arg.type} \`${name}\`.`);
  for (const key of ["minimum", "maximum", "beyond"] as const)
    if (arg[key] !== undefined && !isNumber)
      bad(key, `\`${key}\` has no meaning for the ${arg.type} \`${name}\`.`);
  if ((arg.min_length ?? 0) > (arg.max_length ?? Number.POSITIVE_INFINITY))
    bad("min_length", `\`min_length\` of \`${name}\` is above its \`max_length\`.`);
  if ((arg.minimum ?? Number.NEGATIVE_INFINITY) > (arg.maximum ?? Number.POSITIVE_INFINITY))
    bad("minimum", `\`minimum\` of \`${name}\` is above its \`maximum\`.`);
  if (arg.enum !== undefined && new Set(arg.enum).size < arg.enum.length)
    bad("enum", `\`enum\` of \`${name}\` names a value twice.`);
  if (arg.default !== undefined && arg.required === true)
    bad("required", `\`${name}\` has a default and cannot be required.`);
  // Tables of texts and edits cannot have a default.
  const canDefault = isText || isNumber || arg.type === "boolean";
  if (arg.default !== undefined && (!canDefault || violation(arg.default, plan) !== undefined))
    bad("default", `The default of \`${name}\` is not a value that the argument takes.`);
}

/** What a value of an argument may be; null for no bound. */
export type ValueBounds = Pick<ArgPlan, "type" | "enum" | "minLength" | "maxLength" | "minimum" | "maximum">;

/** Why a value does not fit an argument; undefined if it does, or if only the call can tell. */
export function violation(value: unknown, bounds: Partial<ValueBounds>): string | undefined {
  switch (bounds.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "integer":
      return Number.isInteger(value) ? numberViolation(value as number, bounds) : "must be a whole number";
    case "number":
      return typeof value === "number" ? numberViolation(value, bounds) : "must be a number";
    case "string":
      return typeof value === "string" ? textViolation(value, bounds) : "must be a text";
    case "string_list":
      return Array.isArray(value) && value.every((item) => typeof item === "string")
        ? value.map((item) => textViolation(item, bounds)).find((why) => why !== undefined)
        : "must be a list of texts";
    default:
      return undefined;
  }
}

function numberViolation(value: number, { minimum, maximum }: Partial<ValueBounds>): string | undefined {
  if (value < (minimum ?? value)) return `must be at least ${minimum}`;
  return value > (maximum ?? value) ? `must be at most ${maximum}` : undefined;
}

function textViolation(text: string, { enum: words, minLength, maxLength }: Partial<ValueBounds>) {
  const length = [...text].length;
  if (words && !words.includes(text))
    return `must be one of ${words.map((word) => `\`${word}\``).join(", ")}`;
  if (length < (minLength ?? 0)) return `must have at least ${minLength} characters`;
  return length > (maxLength ?? length) ? `must have at most ${maxLength} characters` : undefined;
}
