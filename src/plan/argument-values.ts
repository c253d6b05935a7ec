/** Checks a value of a config, such as a default, against the argument that it is for. */
import type { ArgPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { formatPattern } from "../protocol/text-formats.js";
import { quoted } from "./report.js";

/** The allowed values of an argument; null for no bound. */
export type ValueBounds = Pick<
  ArgPlan,
  "type" | "enum" | "minLength" | "maxLength" | "minimum" | "maximum" | "form"
>;

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
    case "path":
    case "uri":
      return typeof value === "string" ? textViolation(value, bounds) : "must be a text";
    case "list":
      return Array.isArray(value) ? listViolation(value, bounds) : "must be a list";
    case "object":
      return isTable(value) ? objectViolation(value, bounds) : "must be a table";
    case "string_list":
      return Array.isArray(value) && value.every((item) => typeof item === "string")
        ? value.map((item) => textViolation(item, bounds)).find((why) => why !== undefined)
        : "must be a list of texts";
    default:
      return undefined;
  }
}

function listViolation(list: unknown[], { form }: Partial<ValueBounds>): string | undefined {
  if (form?.kind !== "list") return undefined;
  const { items, minItems, maxItems } = form;
  if (list.length < (minItems ?? 0)) return `must have at least ${minItems} items`;
  if (list.length > maxItems) return `must have at most ${maxItems} items`;
  const why = list.map((item) => violation(item, items)).find((found) => found !== undefined);
  return why === undefined ? undefined : `has an item that ${why}`;
}

function objectViolation(value: Record<string, unknown>, { form }: Partial<ValueBounds>): string | undefined {
  if (form?.kind !== "object") return undefined;
  const { properties } = form;
  const unknown = Object.keys(value).find((key) => !properties.some(({ name }) => name === key));
  if (unknown !== undefined) return `has no member \`${unknown}\``;
  for (const member of properties) {
    const given = value[member.name];
    if (given === undefined && !member.required) continue;
    const why = given === undefined ? "is missing" : violation(given, member);
    if (why !== undefined) return `has a member \`${member.name}\` that ${why}`;
  }
  return undefined;
}

function numberViolation(value: number, bounds: Partial<ValueBounds>): string | undefined {
  const { enum: values, minimum, maximum } = bounds;
  if (values && !values.includes(value)) return `must be one of ${quoted(values.map(String))}`;
  if (value < (minimum ?? value)) return `must be at least ${minimum}`;
  return value > (maximum ?? value) ? `must be at most ${maximum}` : undefined;
}

function textViolation(text: string, { enum: words, minLength, maxLength, form }: Partial<ValueBounds>) {
  const length = [...text].length;
  if (words && !words.includes(text)) return `must be one of ${quoted(words.map(String))}`;
  if (length < (minLength ?? 0)) return `must have at least ${minLength} characters`;
  if (length > (maxLength ?? length)) return `must have at most ${maxLength} characters`;
  if (form?.kind !== "text") return undefined;
  const patterns = [form.pattern, formatPattern(form.format)].flatMap((pattern) => pattern ?? []);
  const missed = patterns.find((pattern) => !new RegExp(pattern, "u").test(text));
  return missed === undefined ? undefined : `must match ${missed}`;
}
