/**
 * The input schema of a tool: a flat, closed object. Descriptions repeat the bounds, because some clients drop them.
 */
import type { ArgPlan, DialectPlan, ToolPlan } from "../abi/plan.js";
import { isTable, type Json, type JsonObject } from "../base/json.js";
import {
  batchArgumentTexts,
  documentChangesSchema,
  fileEditsSchema,
  textEditsSchema,
} from "../protocol/edit-arguments.js";
import { isInsteadOfPointing, isPlaceType, placeSchema } from "../protocol/place-arguments.js";
import { listingFields, pointingFields } from "../protocol/pointing.js";
import { closed, type Fields, joinFields, optional, required } from "../protocol/schema-fields.js";

export function inputSchema(tool: ToolPlan, dialect: DialectPlan): JsonObject {
  const pointing = pointingFields(tool.input, dialect);
  const own = {
    properties: withoutBlanks(pointing.properties, tool.require),
    required: isInsteadOfPointing(tool) ? [] : pointing.required,
  };
  return closed(
    asPointed(joinFields(own, { properties: {}, required: tool.require }), tool),
    argFields(tool.args, dialect),
    listingFields(tool, dialect),
  );
}

/** Required strings must not be blank. */
function withoutBlanks(properties: JsonObject, names: readonly string[]): JsonObject {
  const entries = Object.entries(properties).map(([name, schema]): [string, Json] => [
    name,
    names.includes(name) && isTable(schema) && schema.type === "string"
      ? { ...(schema as JsonObject), minLength: 1, pattern: "\\S" }
      : schema,
  ]);
  return Object.fromEntries(entries);
}

/** The pointing arguments with the names and descriptions that the tool gives them. */
function asPointed({ properties, required: needed }: Fields, { pointing }: ToolPlan): Fields {
  const nameOf = (field: string) => pointing[field]?.name ?? field;
  const entries = Object.entries(properties).map(([field, schema]): [string, Json] => {
    const description = pointing[field]?.description ?? null;
    return [nameOf(field), description === null ? schema : { ...(schema as JsonObject), description }];
  });
  return { properties: Object.fromEntries(entries), required: needed.map(nameOf) };
}

function argFields(args: readonly ArgPlan[], dialect: DialectPlan): Fields {
  return {
    properties: Object.fromEntries(args.map((arg) => [arg.name, argSchema(arg, dialect)])),
    required: args.filter((arg) => arg.required).map((arg) => arg.name),
  };
}

/** The operations of a batch. The arguments are checked by the tool that each operation calls. */
function operationsSchema(arg: ArgPlan): JsonObject {
  return {
    type: "array",
    minItems: 1,
    maxItems: arg.maximum,
    description: arg.description,
    items: closed(
      required({ tool: { type: "string", enum: arg.enum } }),
      optional({
        args: { type: "object", description: "The tool's arguments." },
        id: { type: "string", maxLength: 100, description: "Your name for the operation." },
      }),
    ),
  };
}

/** The options of a batch. */
const batchOptions: JsonObject = closed(
  optional({
    parallel: {
      type: "boolean",
      default: false,
      description: batchArgumentTexts.parallel,
    },
    stop_on_error: {
      type: "boolean",
      default: true,
      description: batchArgumentTexts.stopOnError,
    },
    atomic: { type: "boolean", default: false, description: batchArgumentTexts.atomic },
    dry_run: { type: "boolean", default: false, description: batchArgumentTexts.dryRun },
  }),
);

function argSchema(arg: ArgPlan, dialect: DialectPlan): JsonObject {
  if (arg.type === "operations") return operationsSchema(arg);
  if (arg.type === "batch_options") return { ...batchOptions, description: arg.description };
  if (arg.type === "file_edits") return { ...fileEditsSchema(dialect), description: arg.description };
  if (arg.type === "document_changes") return { ...documentChangesSchema, description: arg.description };
  if (arg.type === "text_edits") return { ...textEditsSchema, description: arg.description };
  if (arg.type === "string_map")
    return {
      type: "object",
      maxProperties: 10_000,
      additionalProperties: { type: "string", maxLength: 4096 },
      description: arg.description,
    };
  const schema = valueSchema(arg, dialect);
  const description = describe(arg);
  if (description !== "") schema.description = description;
  if (arg.default !== null) schema.default = arg.default;
  return schema;
}

function valueSchema(arg: ArgPlan, dialect: DialectPlan): JsonObject {
  const { form, type } = arg;
  if (type === "string_list")
    return { type: "array", maxItems: 1000, items: { type: "string", ...textBounds(arg) } };
  if (form?.kind === "list") {
    const { items, minItems, maxItems } = form;
    return { type: "array", ...withoutNulls({ minItems, maxItems }), items: argSchema(items, dialect) };
  }
  if (form?.kind === "object") return closed(argFields(form.properties, dialect));
  if (form?.kind === "place" && isPlaceType(type)) return placeSchema(type, form, dialect);
  const texts = form?.kind === "text" ? withoutNulls({ pattern: form.pattern, format: form.format }) : {};
  return { type, ...textBounds(arg), ...texts, ...numberBounds(arg) };
}

function textBounds({ enum: words, minLength, maxLength }: ArgPlan): JsonObject {
  return withoutNulls({ enum: words, minLength, maxLength });
}

/** A clamped number may be out of bounds, so its bounds are in the description only. */
function numberBounds({ beyond, minimum, maximum }: ArgPlan): JsonObject {
  return beyond === "clamp" ? {} : withoutNulls({ minimum, maximum });
}

function withoutNulls(table: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(table).filter(([, value]) => value !== null));
}

function describe(arg: ArgPlan): string {
  const length = between(arg.minLength, arg.maxLength);
  const size = between(arg.minimum, arg.maximum);
  const bounds = [...(length ? [`${length} characters`] : []), ...(size ? [size] : [])];
  const text = bounds.length === 0 ? arg.description : `${arg.description} (${bounds.join(", ")})`;
  return text.trim();
}

function between(low: number | null, high: number | null): string | null {
  if (low === null) return high === null ? null : `at most ${high}`;
  return high === null ? `at least ${low}` : `${low} to ${high}`;
}
