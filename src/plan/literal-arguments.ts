/** Literal arguments of a step against what the called tool takes: a call that can only be refused is a problem. */
import type { DialectPlan, ToolPlan } from "../abi/plan.js";
import { isTable, type JsonObject } from "../base/json.js";
import { listingFields, pointingFields } from "../protocol/pointing.js";

/** Why a value that a step gives is none that the called tool takes; undefined when it is, or only the call can tell. */
export function misfit(
  name: string,
  value: unknown,
  callee: ToolPlan,
  dialect: DialectPlan,
): string | undefined {
  // An argument that is null counts as not given.
  if (value === null) return undefined;
  const { properties } = pointingFields(callee.input, dialect);
  const schema = { ...properties, ...listingFields(callee, dialect).properties, ...ownFields(callee) }[name];
  return isTable(schema) ? breaks(value, schema as JsonObject) : undefined;
}

function ownFields({ args }: ToolPlan): JsonObject {
  return Object.fromEntries(
    args.map((arg) => [
      arg.name,
      {
        type: arg.type,
        enum: arg.enum,
        minLength: arg.minLength,
        maxLength: arg.maxLength,
        minimum: arg.beyond === "clamp" ? null : arg.minimum,
        maximum: arg.beyond === "clamp" ? null : arg.maximum,
      },
    ]),
  );
}

function breaks(value: unknown, schema: JsonObject): string | undefined {
  switch (schema.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "integer":
      return Number.isInteger(value) ? beyond(value as number, schema) : "must be a whole number";
    case "number":
      return typeof value === "number" ? beyond(value, schema) : "must be a number";
    case "string":
      return typeof value === "string" ? textBreaks(value, schema) : "must be a text";
    case "string_list":
      return Array.isArray(value) && value.every((item) => typeof item === "string")
        ? value.map((item) => textBreaks(item, schema)).find((why) => why !== undefined)
        : "must be a list of texts";
    default:
      return undefined;
  }
}

function beyond(value: number, { minimum, maximum }: JsonObject): string | undefined {
  if (typeof minimum === "number" && value < minimum) return `must be at least ${minimum}`;
  return typeof maximum === "number" && value > maximum ? `must be at most ${maximum}` : undefined;
}

function textBreaks(value: string, bounds: JsonObject): string | undefined {
  const length = [...value].length;
  if (Array.isArray(bounds.enum) && !bounds.enum.includes(value))
    return `must be one of ${bounds.enum.map((word) => `\`${word}\``).join(", ")}`;
  if (typeof bounds.minLength === "number" && length < bounds.minLength)
    return `must have at least ${bounds.minLength} characters`;
  return typeof bounds.maxLength === "number" && length > bounds.maxLength
    ? `must have at most ${bounds.maxLength} characters`
    : undefined;
}
