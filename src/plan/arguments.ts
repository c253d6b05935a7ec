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
    checkBounds(name, arg, at, report);
    return buildArg(name, arg);
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

function checkBounds(name: string, arg: ArgConfig, pointer: string, report: Report): void {
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
  if (arg.default !== undefined && !fits(arg.default, arg))
    bad("default", `The default of \`${name}\` is not a value that the argument takes.`);
}

function fits(value: unknown, arg: ArgConfig): boolean {
  switch (arg.type) {
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isInteger(value) && within(value as number, arg);
    case "number":
      return typeof value === "number" && within(value, arg);
    case "string":
      return typeof value === "string" && textFits(value, arg);
    case "string_map":
    case "file_edits":
    case "text_edits":
      return false;
    case "string_list":
      return Array.isArray(value) && value.every((item) => typeof item === "string" && textFits(item, arg));
  }
}

function within(value: number, arg: ArgConfig): boolean {
  return value >= (arg.minimum ?? value) && value <= (arg.maximum ?? value);
}

function textFits(value: string, arg: ArgConfig): boolean {
  const length = [...value].length;
  const allowed = arg.enum === undefined || arg.enum.includes(value);
  return allowed && length >= (arg.min_length ?? 0) && length <= (arg.max_length ?? length);
}
