/** The fields of a form, from the JSON Schema of a tool's arguments, and the arguments from what was filled in. */
import type { Json, JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";

type FieldKind = "text" | "number" | "choice" | "lines" | "json";

export interface Field {
  name: string;
  kind: FieldKind;
  required: boolean;
  hint: string;
  /** Of a choice: the JSON of each value. */
  options: string[];
  /** What the tool takes where nothing is filled in, as text. */
  defaultText: string;
}

/** What most calls need, in the order in which a person points at something. */
const usual = ["file_path", "symbol_name", "query", "line", "character", "line_text"];

/** The required fields first, then the usual ones, then the rest as the schema has them. */
export function fieldsOf(schema: JsonObject): Field[] {
  const properties = Object.entries(objectOf(schema.properties));
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = properties.map(([name, property]) =>
    fieldOf(name, objectOf(property), required.includes(name)),
  );
  return sortBy(fields, ({ name, required }) => [
    !required,
    usual.includes(name) ? usual.indexOf(name) : undefined,
  ]);
}

/** Whether a field is shown at once, and not among the further ones. */
export function isUsual({ name, required }: Field): boolean {
  return required || usual.includes(name);
}

function fieldOf(name: string, property: JsonObject, required: boolean): Field {
  const options = optionsOf(property);
  return {
    name,
    kind: options.length > 0 ? "choice" : kindOf(property),
    required,
    hint: typeof property.description === "string" ? property.description : "",
    options: options.map((option) => JSON.stringify(option)),
    defaultText: property.default === undefined ? "" : JSON.stringify(property.default),
  };
}

function optionsOf(property: JsonObject): Json[] {
  if (Array.isArray(property.enum)) return property.enum;
  return property.type === "boolean" ? [true, false] : [];
}

function kindOf({ type, items }: JsonObject): FieldKind {
  if (type === "string") return "text";
  if (type === "integer" || type === "number") return "number";
  return type === "array" && objectOf(items).type === "string" ? "lines" : "json";
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** The arguments of a call; or, by field, what is wrong. An empty field is left out. */
export function argumentsOf(
  fields: Field[],
  values: { [name: string]: string },
): { arguments: JsonObject; wrong: { [name: string]: string } } {
  const found: JsonObject = {};
  const wrong: { [name: string]: string } = {};
  for (const { name, kind, required } of fields) {
    const value = values[name] ?? "";
    if (value.trim() === "") {
      if (required) wrong[name] = "This argument is required.";
      continue;
    }
    try {
      found[name] = read(kind, value);
    } catch (error) {
      wrong[name] = error instanceof Error ? error.message : String(error);
    }
  }
  return { arguments: found, wrong };
}

function read(kind: FieldKind, value: string): Json {
  if (kind === "text") return value;
  if (kind === "lines") return value.split("\n").filter((line) => line.trim() !== "");
  if (kind === "number") {
    const number = Number(value);
    if (!Number.isFinite(number)) throw new Error("This is not a number.");
    return number;
  }
  return JSON.parse(value);
}
