/** Renders the printed pages of `docs/` from the config schema, the codes, the shipped tools, clients and presets. */
import type { DialectPlan, ToolPlan } from "../../src/abi/plan.js";
import type { CodeFacts } from "../../src/base/codes.js";
import { isTable, type JsonObject } from "../../src/base/json.js";
import { sortBy } from "../../src/base/order.js";
import { render, type Templates } from "../../src/emit/render.js";
import { toolViews } from "../../src/emit/tools-page.js";

/** `docs/config.md`: all config keys. */
export function configDocs(schema: JsonObject, templates: Templates): string {
  const properties = Object.entries(tableOf(schema.properties));
  const plain = Object.fromEntries(properties.filter(([, member]) => !isSection(member)));
  const sections = properties
    .filter(([, member]) => isSection(member))
    .map(([name, member]) => {
      const { items, description } = tableOf(member);
      return {
        heading: items !== undefined ? `[[${name}]]` : `[${name}]`,
        description: typeof description === "string" ? description : "",
        rows: schemaRows(items ?? member),
      };
    });
  return render(templates, "docs/config.md", { top: schemaRows({ properties: plain }), sections });
}

/** `docs/problems.md`: all codes with cause and fix. */
export function problemsDocs(codes: { readonly [code: string]: CodeFacts }, templates: Templates): string {
  const kinds: readonly [CodeFacts["kind"], heading: string, about: string][] = [
    ["problem", "Problems", "Errors in a config or a bundle. They are reported before anything starts."],
    ["refusal", "Refusals", "Reasons why a call was not answered. The agent gets them with next steps."],
    ["warning", "Warnings", "Remarks about a config that works, or in an answer."],
    ["fault", "Faults", "Bugs in lsp-proxy."],
  ];
  const entries = sortBy(Object.entries(codes), ([code]) => [code]);
  const groups = kinds.map(([kind, heading, about]) => ({
    heading,
    about,
    codes: entries.filter(([, facts]) => facts.kind === kind).map(([code, facts]) => ({ code, ...facts })),
  }));
  return render(templates, "docs/problems.md", { groups });
}

/** `docs/tools.md`: all tools of a plan, listed or not. */
export function toolsDocs(tools: readonly ToolPlan[], dialect: DialectPlan, templates: Templates): string {
  return render(templates, "docs/tools.md", { tools: toolViews(tools, dialect) });
}

/** View model of `docs/clients.md`. */
export interface ClientsView {
  clients: {
    id: string;
    title: string;
    notes: string;
    context: string;
    /** Where its config files are. */
    files: string[];
    started: { language: string; text: string }[];
    /** Empty if the client cannot use HTTP; then `noHttp` says why. */
    gateway: { language: string; text: string }[];
    noHttp: string;
    /** Whether every entry is for one project. */
    isPinned: boolean;
  }[];
}

/** `docs/clients.md`: the entry for each client. */
export function clientsDocs(view: ClientsView, templates: Templates): string {
  return render(templates, "docs/clients.md", view);
}

/** View model of `docs/languages.md`. */
export interface LanguagesView {
  servers: number;
  /** How many of them start in an untrusted workspace. */
  harmlessCount: number;
  languageCount: number;
  rightCount: number;
  /** Where the tested servers came from, as a sentence. */
  sources: string;
  triedCount: number;
  tried: {
    server: string;
    source: string;
    version: string;
    /** Other features that it offers, one letter each. */
    more: string;
    definition: string;
    references: string;
    hover: string;
    symbols: string;
    diagnostics: string;
    time: string;
  }[];
  hasFailures: boolean;
  failures: { server: string; why: string }[];
  languages: { name: string; names: string }[];
}

/** `docs/languages.md`: the presets by language, and the results of the server tests. */
export function languagesDocs(view: LanguagesView, templates: Templates): string {
  return render(templates, "docs/languages.md", view);
}

/** A row of the table of config keys. */
type SchemaRow = ReturnType<typeof row>;

type Schema = Record<string, unknown>;

/** The rows of an object schema. Nested members follow their parent, with dotted keys. */
function schemaRows(schema: unknown, prefix = ""): SchemaRow[] {
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

/** Whether a schema is an object, or a list of objects, with known members. */
function isSection(schema: unknown): boolean {
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

function row(key: string, schema: Schema, required: boolean) {
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
  if (typeof schema.$ref === "string") return schema.$ref.endsWith("/part") ? "an argument" : "any value";
  if (schema.type === "array") return listText(schema);
  if (schema.type === "object") return "table";
  return `${[schema.type ?? "any value"].flat().join(" or ")}${boundsText(schema)}`;
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
