/** The entry of a tool in `tools/list`. It is kept short, because it takes space in the model's context. */
import type { ToolEntry } from "../abi/bundle.js";
import type { DialectPlan, ToolPlan } from "../abi/plan.js";
import { define, isTable, type JsonObject } from "../base/json.js";
import { outputSchema } from "../protocol/envelope.js";
import { inputSchema } from "./input-schema.js";

/** Keywords to leave out: descriptions state the bounds and the validator checks them. */
const bounds: readonly string[] = ["minimum", "maximum", "minLength", "maxLength"];

export function toolEntry(tool: ToolPlan, dialect: DialectPlan): ToolEntry {
  const { readOnly, destructive, idempotent, openWorld } = tool.annotations;
  const isRead = readOnly ?? tool.effect === "read";
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: withoutBounds(inputSchema(tool, dialect)),
    outputSchema: outputSchema(tool, dialect),
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: destructive ?? !isRead,
      // MCP ignores `idempotentHint` for tools that only read.
      ...(isRead && idempotent === null ? {} : { idempotentHint: idempotent ?? false }),
      openWorldHint: openWorld ?? tool.steps.some((step) => step.kind === "execute_command"),
    },
  };
}

/** Removes the bounds from a schema, but not the entries of `properties` with such names. */
function withoutBounds(schema: JsonObject, isProperties = false): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!isProperties && bounds.includes(key)) continue;
    const isMap = !isProperties && key === "properties";
    define(out, key, isTable(value) ? withoutBounds(value as JsonObject, isMap) : value);
  }
  return out;
}
