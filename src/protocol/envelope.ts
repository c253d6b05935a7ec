/**
 * The JSON Schema of a tool's answer. An answer has one of three outcomes: a result in the tool's shape, candidates to
 * choose from (several symbols of one name), or a refusal. Objects are closed, except for values of servers.
 *
 * | member | when |
 * |---|---|
 * | schema_version (1), ok, tool, warnings [{ code, message, data? }] | always |
 * | server_id (servers that answered, joined by `,`, or null), readiness, truncated | in a result |
 * | total, shown, dropped | with a counted list; next_cursor? if there is a next page; `output.count` repeats `shown` |
 * | `output.symbols.list` [{ symbol, <items> }] | instead of the items, if the tool groups by symbol |
 * | document? { path, sha256? } | if the call is about one document; the hash of its text if the tool edits |
 * | needs_disambiguation (true), candidates | instead of the shape's members, for tools that take a symbol name; in
 *   addition to them, if a tool step of this tool has candidates |
 * | next_steps? | if the answer was cut and has no next page, or something was left out |
 * | error { code, message, data? }, next_steps | with `ok: false`; readiness? if a server was not ready |
 */
import type { DialectPlan, OutputPlan, ToolPlan } from "../abi/plan.js";
import { isTable, type JsonObject } from "../base/json.js";
import { documentFields, renameMembersInSchema, spanFields, spanSchema } from "./dialect-format.js";
import { formedSchema } from "./item-form.js";
import { namesSymbol } from "./place-arguments.js";
import {
  closed,
  count,
  type Fields,
  flag,
  joinFields,
  none,
  optional,
  required,
  text,
} from "./schema-fields.js";
import { type ShapeFacts, shapes } from "./shapes.js";

/** The version of answers. It increases when a member changes its meaning. */
export const SCHEMA_VERSION = 1;

const openTable: JsonObject = { type: "object" };

const lspPoint = closed(required({ line: count, character: count }));

/** A warning or an error. */
const coded = closed(required({ code: text, message: text }), optional({ data: openTable }));

const nextStep = closed(
  required({ kind: { enum: ["tool", "config", "command", "doc"] } }),
  optional({ tool: text, arguments: openTable, why: text, text }),
);

/** The output schema of a tool. */
export function outputSchema(tool: ToolPlan, dialect: DialectPlan): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `${tool.name} answer`,
    ...answerSchema(tool, dialect),
  };
}

/** The output schema without its title: equal for tools whose answers have the same form. */
export function answerSchema(tool: ToolPlan, dialect: DialectPlan): JsonObject {
  const named = tool.input.includes("symbol") || tool.input.includes("text") || tool.args.some(namesSymbol);
  const isWorkflow = tool.steps.some((step) => step.kind === "tool");
  const answer = answerFields(tool.output, dialect);
  const excluded = named && !isWorkflow ? ["error", "needs_disambiguation", "candidates"] : ["error"];
  const outcomes: JsonObject[] = [outcome(true, answer.required, excluded)];
  // A workflow may have candidates of a tool step in addition to its result, but its own candidates exclude a result.
  const besides = isWorkflow ? Object.keys(answer.properties) : [];
  if (named) outcomes.push(outcome(true, ["needs_disambiguation", "candidates"], ["error", ...besides]));
  outcomes.push(outcome(false, ["error", "next_steps"], []));
  return renameMembersInSchema(dialect, {
    ...closed({
      properties: {
        ...evidence(tool, dialect),
        ...(dialect.echo === null ? {} : { [dialect.echo]: openTable }),
        ...answer.properties,
        ...addedMembers(tool, dialect, answer),
        ...(named || isWorkflow ? disambiguation(dialect) : {}),
        ...refusalMembers(dialect),
      },
      required: ["schema_version", "ok", "tool", "warnings"],
    }),
    oneOf: outcomes,
  });
}

/** The members that the dialect adds to answers of the shape, and the position that was asked about. */
function addedMembers(tool: ToolPlan, dialect: DialectPlan, answer: Fields): JsonObject {
  const form = dialect.answers?.[tool.output.shape];
  const source = closed({ ...answer, properties: { ...answer.properties, symbol: symbolSchema(dialect) } });
  const added = form === undefined ? {} : formedSchema(form, source).properties;
  const { used } = dialect.position;
  const hasPosition = used !== undefined && tool.input.includes("position");
  return { ...(isTable(added) ? (added as JsonObject) : {}), ...(hasPosition ? { [used]: lspPoint } : {}) };
}

/** One outcome of a call: the members that it must have, and those that it must not have. */
function outcome(ok: boolean, required: string[], without: string[]): JsonObject {
  const properties: JsonObject = { ok: { const: ok } };
  for (const name of without) properties[name] = false;
  return { properties, required };
}

/** Members that any answer may have. A tool cannot use these names for its own members. */
export const evidenceMembers: readonly string[] = [
  "schema_version",
  "ok",
  "tool",
  "server_id",
  "readiness",
  "total",
  "shown",
  "truncated",
  "next_cursor",
  "dropped",
  "warnings",
  "document",
  "needs_disambiguation",
  "candidates",
  "error",
  "next_steps",
];

/** Whether the answers of a tool give the hash of the document: only an edit is bound to a text. */
function hasHash({ effect }: Pick<ToolPlan, "effect">): boolean {
  return effect === "edit";
}

function evidence(tool: ToolPlan, dialect: DialectPlan): JsonObject {
  const hash = required({ sha256: { type: "string", pattern: "^[0-9a-f]{64}$" } });
  return {
    schema_version: { const: SCHEMA_VERSION },
    ok: flag,
    tool: text,
    server_id: { type: ["string", "null"] },
    readiness: { enum: ["ready", "indexing", "starting", "unknown"] },
    total: count,
    shown: count,
    truncated: flag,
    next_cursor: text,
    dropped: count,
    warnings: { type: "array", items: coded },
    document: closed(documentFields(dialect), hasHash(tool) ? hash : none),
  };
}

function answerFields(output: OutputPlan, dialect: DialectPlan): Fields {
  const shape = shapes[output.shape];
  const list = listFields(output, shape, dialect);
  const counts = shape.counted ? ["total", "shown", "dropped"] : [];
  const evidenced = { properties: {}, required: ["server_id", "readiness", "truncated", ...counts] };
  return joinFields(evidenced, shape.otherMembers?.(dialect, output) ?? none, list);
}

function listFields(output: OutputPlan, shape: ShapeFacts, dialect: DialectPlan): Fields {
  const { list, within } = shape;
  if (list === null) return none;
  if (output.raw !== undefined) return none;
  const item = itemSchema(output, shape, dialect);
  const fields = required({
    [output.list ?? list]: {
      type: "array",
      items: formed(output.item ?? output.shape, item, dialect),
    },
  });
  const { count: counter, symbols } = output;
  const counts = required(counter === null ? {} : { [counter]: count });
  if (symbols === null)
    return joinFields(counts, within === undefined ? fields : required({ [within]: closed(fields) }));
  const entry = closed(required({ symbol: symbolSchema(dialect) }), fields);
  const listed = required({ [symbols.list]: { type: "array", items: entry } });
  return joinFields(counts, required(symbols.count === null ? {} : { [symbols.count]: count }), listed);
}

/** A schema with the dialect's form of this name. */
function formed(name: string, schema: JsonObject, { items }: DialectPlan): JsonObject {
  const form = items?.[name];
  return form === undefined ? schema : formedSchema(form, schema);
}

function symbolSchema(dialect: DialectPlan): JsonObject {
  return formed("symbol", closed(symbolFields(dialect)), dialect);
}

function symbolFields(dialect: DialectPlan): Fields {
  return joinFields(
    required({ name: text, kind: text }),
    documentFields(dialect),
    spanFields(dialect),
    dialect.symbol.extent === "declaration" ? optional({ selection_range: spanSchema(dialect) }) : none,
    optional({ container: text }),
  );
}

/** The schema of an item, with an id if the tool asks for ids. */
function itemSchema(output: OutputPlan, shape: ShapeFacts, dialect: DialectPlan): JsonObject {
  const item = shape.item(dialect, output);
  if (!output.ids || !isTable(item.properties)) return item;
  const properties = item.properties as JsonObject;
  const inner = shape.identified === undefined ? undefined : properties[shape.identified];
  if (shape.identified === undefined || !isTable(inner) || !isTable(inner.items)) return withId(item);
  const list = { ...(inner as JsonObject), items: withId(inner.items as JsonObject) };
  return { ...item, properties: { ...properties, [shape.identified]: list } };
}

function withId(item: JsonObject): JsonObject {
  const id = { type: "string", pattern: "^sha256:[0-9a-f]{64}$" };
  const required = Array.isArray(item.required) ? item.required : [];
  return { ...item, properties: { ...(item.properties as JsonObject), id }, required: [...required, "id"] };
}

function disambiguation(dialect: DialectPlan): JsonObject {
  const candidate = formed("candidates", closed(symbolFields(dialect), optional({ text })), dialect);
  return {
    needs_disambiguation: { const: true },
    candidates: { type: "array", items: candidate },
  };
}

/** The members of a refusal; a dialect may repeat its message and its number. */
function refusalMembers({ errors }: DialectPlan): JsonObject {
  return {
    error: coded,
    next_steps: { type: "array", items: nextStep },
    ...(errors.message === "" ? {} : { [errors.message]: text }),
    ...(errors.number === "" ? {} : { [errors.number]: { type: "integer" } }),
  };
}
