/** The entry of a tool in `tools/list`. It is kept short, because it takes space in the model's context. */
import type { ToolEntry } from "../abi/bundle.js";
import type { DialectPlan, ToolPlan } from "../abi/plan.js";
import { define, isTable, type Json, type JsonObject } from "../base/json.js";
import { outputSchema } from "../protocol/envelope.js";
import { inputSchema } from "./input-schema.js";

/** Keywords to leave out: descriptions state the bounds and the validator checks them. */
const bounds: readonly string[] = ["minimum", "maximum", "minLength", "maxLength"];

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
      // MCP ignores `idempotentHint` for tools that only read.
      ...(isRead ? {} : { idempotentHint: false }),
      openWorldHint: tool.steps.some((step) => step.kind === "execute_command"),
    },
  };
}

/** Removes the bounds from a schema, but not properties with such names. */
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
