/** Renders `docs/config.md`: every config key with its meaning, type, default and an example. */
import type { Json, JsonObject } from "../../src/base/json.js";
import { tomlKey, tomlText } from "../../src/base/toml-text.js";
import { render, type Templates } from "../../src/emit/render.js";
import {
  type KeyFacts,
  type KeyTexts,
  keyFacts,
  listOf,
  objectBranches,
  type Schema,
  tableOf,
} from "./config-keys.js";

/** The tables of the config in the order in which a reader meets them. */
const tables = [
  "servers",
  "tools",
  "methods",
  "prompts",
  "resources",
  "workspace",
  "allow",
  "limits",
  "mcp",
  "dialect",
  "share",
  "http",
  "dashboard",
  "metrics",
];

/** `docs/config.md`: all config keys. */
export function configDocs(schema: JsonObject, texts: KeyTexts, templates: Templates): string {
  const keys = keyFacts(schema, texts);
  const properties = tableOf(schema.properties);
  const isTableKey = (path: string) => objectBranches(entriesOf(tableOf(properties[path]))).length > 0;
  const names = [
    ...tables,
    ...Object.keys(properties).filter((name) => isTableKey(name) && !tables.includes(name)),
  ];
  return render(templates, "docs/config.md", {
    count: keys.filter(({ path }) => !isTableKey(path)).length,
    top: keys.filter(({ path }) => /^[^.[]+$/.test(path) && !isTableKey(path)).map((key) => row(key, "")),
    sections: names.map((name) => section(name, tableOf(properties[name]), keys)),
  });
}

/** A table of the config, with a part for each list or map of tables inside it. */
function section(name: string, schema: Schema, keys: readonly KeyFacts[]) {
  const prefix = schema.items === undefined ? `${name}.` : `${name}[].`;
  const own = keys.filter(({ path }) => path.startsWith(prefix));
  const parts = [...new Set(own.map(({ path }) => partOf(path)))];
  return {
    heading: headingOf(prefix),
    anchor: name,
    description: typeof schema.description === "string" ? schema.description : "",
    parts: parts.map((part) => ({
      heading: part === prefix ? "" : headingOf(part),
      rows: own.filter(({ path }) => partOf(path) === part).map((key) => row(key, part)),
    })),
  };
}

/** The table that a key is written in: the path up to the last list or map. */
function partOf(path: string): string {
  return /^(?:.*(?:\[\]|\.NAME)\.|[^.[]+\.)/.exec(path)?.[0] ?? "";
}

/** `tools[].steps[].` → `[[tools.steps]]`. */
function headingOf(prefix: string): string {
  const name = prefix.replace(/\.$/, "");
  const table = name.replaceAll("[]", "");
  return name.endsWith("[]") ? `[[${table}]]` : `[${table}]`;
}

function row(key: KeyFacts, part: string) {
  const [schema] = key.schemas;
  const name = key.path.slice(part.length);
  return {
    key: name,
    meaning: describe(schema),
    type: typeText(schema),
    default: defaultText(key),
    example:
      key.example === undefined
        ? ""
        : code(`${name.split(".").map(tomlKey).join(".")} = ${tomlText(key.example)}`),
  };
}

function describe(schema: Schema): string {
  const order =
    schema["x-order"] === "set"
      ? " Order does not matter."
      : schema["x-order"] === "sequence"
        ? " In order."
        : "";
  return (typeof schema.description === "string" ? schema.description : "") + order;
}

function defaultText({ required, words, value }: KeyFacts): string {
  if (required) return "required";
  return words ?? (value === undefined ? "none" : code(tomlText(value)));
}

/** Inline code in a table cell. */
function code(text: string): string {
  const fence = text.includes("`") ? "``" : "`";
  return `${fence}${text.replaceAll("|", "\\|")}${fence}`;
}

function entriesOf(schema: Schema): unknown {
  return schema.items ?? schema;
}

function typeText(schema: Schema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(tomlText(value as Json))).join(", ");
  if (schema.const !== undefined) return code(tomlText(schema.const as Json));
  const branches = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (branches.length > 0)
    return [...new Set(branches.map((branch) => typeText(tableOf(branch))))].join(" or ");
  if (typeof schema.$ref === "string") return schema.$ref.endsWith("/part") ? "an argument" : "any value";
  if (schema.type === "array") return listText(schema);
  if (schema.type === "object") return "table";
  return `${[schema.type ?? "any value"].flat().join(" or ")}${boundsText(schema)}`;
}

function listText(schema: Schema): string {
  const fixed = listOf(schema.prefixItems);
  if (fixed.length > 0) return `list of ${fixed.length}, each ${typeText(tableOf(fixed[0]))}`;
  const item = typeText(tableOf(schema.items));
  return `list of ${item.replace(/^(string|table|integer|number)\b/, "$1s")}`;
}

function boundsText(schema: Schema): string {
  const low = schema.minimum;
  const high = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  const length = schema.maxLength === undefined ? "" : `, at most ${schema.maxLength} characters`;
  if (low === undefined && high === undefined) return length;
  if (high === undefined) return ` ≥ ${low}`;
  return low === undefined ? ` ≤ ${high}` : ` ${low} to ${high}`;
}
