/** What `tools/list` says of a tool: as little as an agent needs to call it rightly. */
import type { ToolEntry } from "../abi/bundle.js";
import type { DialectPlan, ToolPlan } from "../abi/plan.js";
import { define, isTable, type Json, type JsonObject } from "../base/json.js";
import { outputSchema } from "../protocol/envelope.js";
import { inputSchema } from "./input-schema.js";

/** Bounds are told in the descriptions and held by the validator: a model's context need not carry them twice. */
const bounds: readonly string[] = ["minimum", "maximum", "minLength", "maxLength"];

/** The entry of a tool, with the hints that clients go by. */
export function toolEntry(tool: ToolPlan, dialect: DialectPlan): ToolEntry {
  const isRead = tool.effect === "read";
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: withoutBounds(inputSchema(tool, dialect)),
    outputSchema: outputSchema(tool, dialect),
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: !isRead,
      // Of a tool that only reads, MCP takes the repetition for harmless without being told.
      ...(isRead ? {} : { idempotentHint: false }),
      openWorldHint: tool.steps.some((step) => step.kind === "execute_command"),
    },
  };
}

/** A schema of arguments without the keywords that only bound a value; `properties` may have any name. */
function withoutBounds(schema: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (bounds.includes(key)) continue;
    define(
      out,
      key,
      key === "properties" && isTable(value) ? propertiesOf(value as JsonObject) : inner(value),
    );
  }
  return out;
}

function propertiesOf(properties: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(properties)) define(out, name, inner(value));
  return out;
}

function inner(value: Json): Json {
  return isTable(value) ? withoutBounds(value as JsonObject) : value;
}
