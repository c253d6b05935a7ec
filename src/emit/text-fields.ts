/**
 * Checks that the fields in a text template exist in the answer. Our own members are checked at every level. Values of
 * servers (`value`, `data`) may have any members.
 */
import type { DialectPlan, ToolPlan } from "../abi/plan.js";
import { isTable, type JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { documentKey } from "../protocol/dialect-format.js";
import { outputSchema } from "../protocol/envelope.js";
import { shapes } from "../protocol/shapes.js";
import { BadTemplate, type Node, type Program, parseTemplate, placeOf } from "./text-template.js";

const text: JsonObject = { type: "string" };
const open: JsonObject = {};

/** The schema of the view model for a tool's answers. Members have their names from before the dialect. */
export function answerView(tool: ToolPlan, dialect: DialectPlan): JsonObject {
  const { properties } = outputSchema(tool, { ...dialect, members: {} });
  const members = isTable(properties) ? (properties as JsonObject) : {};
  const { list, symbols } = tool.output;
  const groups = symbols === null ? undefined : itemsOf(tableIn(members, symbols.list));
  const under = groups === undefined ? members : (tableIn(groups, "properties") ?? {});
  const items = tableIn(under, list ?? shapes[tool.output.shape]?.list ?? "") ?? { items: open };
  const group = closed({ [documentKey(dialect)]: text, items });
  return closed({ ...members, headline: text, by_file: { items: group }, answer: open });
}

/** The schema of the view model for refusals. */
export function refusalView({ errors }: DialectPlan): JsonObject {
  return closed({
    schema_version: open,
    ok: open,
    tool: text,
    error: open,
    next_steps: open,
    warnings: open,
    code: text,
    number: open,
    message: text,
    data: open,
    ...Object.fromEntries([errors.message, errors.number].map((name) => [name, open])),
  });
}

/** The schema of the view model for a prompt: its arguments. */
export function promptView(args: readonly { name: string }[]): JsonObject {
  return closed(Object.fromEntries(args.map(({ name }) => [name, text])));
}

/** Throws a BadTemplate if the template fits none of the views. */
export function checkFields(source: string, views: readonly JsonObject[]): void {
  const failures = views.map((view) => failureOf(source, view));
  const [first] = failures;
  if (first !== undefined && failures.every((failure) => failure !== undefined)) throw first;
}

function failureOf(source: string, view: JsonObject): BadTemplate | undefined {
  try {
    checkProgram(parseTemplate(source), [view]);
    return undefined;
  } catch (error) {
    if (error instanceof BadTemplate) return error;
    throw error;
  }
}

function checkProgram(program: Program | undefined, scopes: readonly JsonObject[]): void {
  for (const node of program?.body ?? []) {
    const { type, path, params = [] } = node;
    const named = params.length > 0 ? params : path === undefined ? [] : [path];
    if (type !== "MustacheStatement" && type !== "BlockStatement") continue;
    const schemas = named.map((each) => schemaAt(each, scopes));
    if (type === "MustacheStatement") continue;
    const items = path?.original === "each" ? itemsOf(schemas[0]) : undefined;
    checkProgram(node.program, items === undefined ? scopes : [...scopes, items]);
    checkProgram(node.inverse, scopes);
  }
}

/** The schema of the value at a path; open for anything that is not a path. */
function schemaAt(node: Node, scopes: readonly JsonObject[]): JsonObject {
  if (node.type !== "PathExpression" || node.data) return open;
  let schema = scopes[scopes.length - 1 - (node.depth ?? 0)] ?? open;
  for (const part of node.parts ?? []) schema = member(schema, String(part), node);
  return schema;
}

function member(schema: JsonObject, name: string, node: Node): JsonObject {
  if (isTable(schema.items)) return name === "length" ? open : (schema.items as JsonObject);
  if (!isTable(schema.properties)) return open;
  const found = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  if (found !== undefined) return isTable(found) ? (found as JsonObject) : open;
  if (schema.additionalProperties !== false) return open;
  const known = Object.keys(schema.properties);
  const near = nearest(name, known);
  const hint = near === undefined ? `It has ${known.join(", ")}.` : `Did you mean \`${near}\`?`;
  throw new BadTemplate(
    `The text template names \`${name}\`, which the answer does not have${placeOf(node)}. ${hint}`,
  );
}

function tableIn(table: JsonObject, name: string): JsonObject | undefined {
  const value = table[name];
  return isTable(value) ? (value as JsonObject) : undefined;
}

function itemsOf(schema: JsonObject | undefined): JsonObject {
  return isTable(schema?.items) ? (schema.items as JsonObject) : open;
}

function closed(properties: JsonObject): JsonObject {
  return { properties, additionalProperties: false };
}
