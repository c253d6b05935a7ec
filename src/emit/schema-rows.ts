/** A JSON Schema of a config as flat rows for a table: key, type, meaning. Nested tables become dotted keys. */
import { isTable } from "../base/json.js";

export interface SchemaRow {
  key: string;
  type: string;
  need: string;
  meaning: string;
}

type Schema = Record<string, unknown>;

/** The rows of an object schema's members, nested ones after their parent. */
export function schemaRows(schema: unknown, prefix = ""): SchemaRow[] {
  const branches = objectBranches(schema);
  const seen = new Set<string>();
  return branches.flatMap((branch) =>
    Object.entries(tableOf(branch.properties)).flatMap(([name, member]) => {
      if (seen.has(name)) return [];
      seen.add(name);
      const key = prefix + name;
      const required = branches.length === 1 && listOf(branch.required).includes(name);
      return [row(key, tableOf(member), required), ...nestedRows(tableOf(member), key)];
    }),
  );
}

/** Whether a schema is a table, or a list of tables, with keys of its own. */
export function isSection(schema: unknown): boolean {
  return objectBranches(tableOf(schema).items ?? schema).length > 0;
}

function nestedRows(member: Schema, key: string): SchemaRow[] {
  const { additionalProperties, items } = member;
  return [
    ...schemaRows(member, `${key}.`),
    ...(items === undefined ? [] : schemaRows(items, `${key}[].`)),
    ...(isTable(additionalProperties) ? schemaRows(additionalProperties, `${key}.NAME.`) : []),
  ];
}

function row(key: string, schema: Schema, required: boolean): SchemaRow {
  const order =
    schema["x-order"] === "set"
      ? " Order does not matter."
      : schema["x-order"] === "sequence"
        ? " In order."
        : "";
  const meaning = typeof schema.description === "string" ? schema.description : "";
  return { key, type: typeText(schema), need: required ? "required" : "", meaning: meaning + order };
}

function typeText(schema: Schema): string {
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  const branches = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (branches.length > 0)
    return [...new Set(branches.map((branch) => typeText(tableOf(branch))))].join(" or ");
  if (typeof schema.$ref === "string") return "any value";
  if (schema.type === "array") return listText(schema);
  if (schema.type === "object") return "table";
  return `${String(schema.type ?? "any value")}${boundsText(schema)}`;
}

function listText(schema: Schema): string {
  const fixed = listOf(schema.prefixItems);
  if (fixed.length > 0) return `list of ${fixed.length}: ${typeText(tableOf(fixed[0]))}`;
  return `list of ${typeText(tableOf(schema.items))}`;
}

function boundsText(schema: Schema): string {
  const low = schema.minimum;
  const high = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  if (low === undefined && high === undefined) return "";
  if (high === undefined) return ` ≥ ${low}`;
  return low === undefined ? ` ≤ ${high}` : ` ${low} to ${high}`;
}

function objectBranches(schema: unknown): Schema[] {
  const table = tableOf(schema);
  const all = [table, ...listOf(table.anyOf).map(tableOf), ...listOf(table.oneOf).map(tableOf)];
  return all.filter((branch) => isTable(branch.properties));
}

function tableOf(value: unknown): Schema {
  return isTable(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
