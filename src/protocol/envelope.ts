/**
 * The whole answer of a tool as a JSON Schema: the evidence that every answer carries, the shape's own members, and
 * the two other outcomes, several symbols of one name and a refusal. Closed at every level that is ours.
 *
 * | member | when |
 * |---|---|
 * | schema_version (1), ok, tool, warnings [{ code, message, data? }] | always |
 * | server_id (the servers that answered, joined by `,`, or null), readiness, truncated | with an answer |
 * | total, shown, dropped | with a counted list; next_cursor? when there is another page; `output.count` says `shown` again |
 * | `output.symbols.list` [{ symbol, <items> }] | in place of the items, where a tool asks for it |
 * | document? { path, sha256 } | when one document is the subject |
 * | needs_disambiguation (true), candidates | instead of the shape's members, where a symbol may be named; beside them, where a
 *   tool within this one asks back |
 * | next_steps? | when the answer was cut and no page follows, or something was left out |
 * | error { code, message, data? }, next_steps | with `ok: false`; readiness? beside it where a server was not ready |
 */
import type { DialectPlan, OutputPlan, ToolPlan } from "../abi/plan.js";
import { isTable, type JsonObject } from "../base/json.js";
import { madeOnce } from "../base/made-once.js";
import { Fault } from "../base/problem.js";
import { spellSchema } from "./members.js";
import { optional, required } from "./shapes/facts.js";
import { type ShapeFacts, shapes } from "./shapes.js";
import { closed, documentFields, type Fields, joinFields, spanFields } from "./spelling.js";

/** The version of answers; it grows when a member changes its meaning. */
export const SCHEMA_VERSION = 1;

const text: JsonObject = { type: "string" };
const count: JsonObject = { type: "integer", minimum: 0 };
const openTable: JsonObject = { type: "object" };

const warning = closed({
  properties: { code: text, message: text, data: openTable },
  required: ["code", "message"],
});

const nextStep = closed({
  properties: {
    kind: { enum: ["tool", "config", "command", "doc"] },
    tool: text,
    arguments: openTable,
    why: text,
    text,
  },
  required: ["kind"],
});

/** The output schema of a tool. */
export const outputSchema = madeOnce(
  (tool: ToolPlan, dialect: DialectPlan): JsonObject => ({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `${tool.name} answer`,
    ...answerSchema(tool, dialect),
  }),
);

const answerSchemas = new WeakMap<DialectPlan, Map<string, JsonObject>>();

/** What a tool's answers look like: the same table for all tools whose answers are alike. */
export function answerSchema(tool: ToolPlan, dialect: DialectPlan): JsonObject {
  const known = answerSchemas.get(dialect) ?? new Map<string, JsonObject>();
  answerSchemas.set(dialect, known);
  const named = tool.input.includes("symbol") || tool.input.includes("text");
  const isWorkflow = tool.steps.some((step) => step.kind === "tool");
  // Everything that the schema depends on, besides the dialect.
  const key = JSON.stringify([named, isWorkflow, tool.output]);
  const schema = known.get(key) ?? makeAnswerSchema(tool.output, { named, isWorkflow }, dialect);
  known.set(key, schema);
  return schema;
}

function makeAnswerSchema(
  output: OutputPlan,
  { named, isWorkflow }: { named: boolean; isWorkflow: boolean },
  dialect: DialectPlan,
): JsonObject {
  const answer = answerFields(output, dialect);
  const outcomes: JsonObject[] = [outcome(true, answer.required, otherMembers(named && !isWorkflow))];
  // A workflow may carry the question of a tool within it beside its own members; its own question stands alone.
  const besides = isWorkflow ? Object.keys(answer.properties) : [];
  if (named) outcomes.push(outcome(true, ["needs_disambiguation", "candidates"], ["error", ...besides]));
  outcomes.push(outcome(false, ["error", "next_steps"], []));
  return spellSchema(dialect, {
    ...closed({
      properties: {
        ...evidence(dialect).properties,
        ...(dialect.echo === null ? {} : { [dialect.echo]: openTable }),
        ...answer.properties,
        ...(named || isWorkflow ? disambiguation(dialect).properties : {}),
        ...refusal.properties,
        ...refusalMembers(dialect),
      },
      required: ["schema_version", "ok", "tool", "warnings"],
    }),
    oneOf: outcomes,
  });
}

function otherMembers(named: boolean): string[] {
  return named ? ["error", "needs_disambiguation", "candidates"] : ["error"];
}

/** One way in which a call can end: what it must have, and what it must not. */
function outcome(ok: boolean, required: string[], without: string[]): JsonObject {
  const properties: JsonObject = { ok: { const: ok } };
  for (const name of without) properties[name] = false;
  return { properties, required };
}

/** The members that any answer may have, whatever its tool; a tool's own have other names. */
export const evidenceMembers: readonly string[] = [
  ...["schema_version", "ok", "tool", "server_id", "readiness", "total", "shown", "truncated", "next_cursor"],
  ...["dropped", "warnings", "document", "needs_disambiguation", "candidates", "error", "next_steps"],
];

function evidence(dialect: DialectPlan): Fields {
  return {
    properties: {
      schema_version: { const: SCHEMA_VERSION },
      ok: { type: "boolean" },
      tool: text,
      server_id: { type: ["string", "null"] },
      readiness: { enum: ["ready", "indexing", "starting", "unknown"] },
      total: count,
      shown: count,
      truncated: { type: "boolean" },
      next_cursor: text,
      dropped: count,
      warnings: { type: "array", items: warning },
      document: closed(
        joinFields(documentFields(dialect), {
          properties: { sha256: { type: "string", pattern: "^[0-9a-f]{64}$" } },
          required: ["sha256"],
        }),
      ),
    },
    required: [],
  };
}

function answerFields(output: OutputPlan, dialect: DialectPlan): Fields {
  const shape = shapes[output.shape];
  if (!shape) throw new Fault(`a plan has the shape ${output.shape}, which does not exist`);
  const list = listFields(output, shape, dialect);
  const counts = shape.counted ? ["total", "shown", "dropped"] : [];
  const evidenced = {
    properties: {},
    required: ["server_id", "readiness", "truncated", ...counts],
  };
  return joinFields(evidenced, shape.beside(dialect, output), list);
}

function listFields(output: OutputPlan, shape: ShapeFacts, dialect: DialectPlan): Fields {
  const { list, within } = shape;
  if (list === null) return { properties: {}, required: [] };
  const fields = required({
    [output.list ?? list]: { type: "array", items: itemSchema(output, shape, dialect) },
  });
  const { count: counter, symbols } = output;
  const counts = required(counter === null ? {} : { [counter]: count });
  if (symbols === null)
    return joinFields(counts, within === undefined ? fields : required({ [within]: closed(fields) }));
  const entry = closed(joinFields(required({ symbol: closed(symbolFields(dialect)) }), fields));
  const listed = required({ [symbols.list]: { type: "array", items: entry } });
  return joinFields(counts, required(symbols.count === null ? {} : { [symbols.count]: count }), listed);
}

function symbolFields(dialect: DialectPlan): Fields {
  return joinFields(
    required({ name: text, kind: text }),
    documentFields(dialect),
    spanFields(dialect),
    optional({ container: text }),
  );
}

/** The schema of an item, with the id that a tool may ask for. */
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

function disambiguation(dialect: DialectPlan): Fields {
  const candidate = closed(joinFields(symbolFields(dialect), optional({ text })));
  return {
    properties: {
      needs_disambiguation: { const: true },
      candidates: { type: "array", items: candidate },
    },
    required: [],
  };
}

/** Members that say a refusal's message and number again, where the dialect has them. */
function refusalMembers({ errors }: DialectPlan): JsonObject {
  return {
    ...(errors.message === "" ? {} : { [errors.message]: text }),
    ...(errors.number === "" ? {} : { [errors.number]: { type: "integer" } }),
  };
}

const refusal: Fields = {
  properties: {
    error: closed({
      properties: { code: text, message: text, data: openTable },
      required: ["code", "message"],
    }),
    next_steps: { type: "array", items: nextStep },
  },
  required: [],
};
