/** What `tools/list` says of a tool. */
import type { ToolEntry } from "../abi/bundle.js";
import type { DialectPlan, ToolPlan } from "../abi/plan.js";
import { outputSchema } from "../protocol/envelope.js";
import { inputSchema } from "./input-schema.js";

/** The entry of a tool, with the hints that clients go by. */
export function toolEntry(tool: ToolPlan, dialect: DialectPlan): ToolEntry {
  const isRead = tool.effect === "read";
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchema(tool, dialect),
    outputSchema: outputSchema(tool, dialect),
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: !isRead,
      idempotentHint: isRead,
      openWorldHint: tool.steps.some((step) => step.kind === "execute_command"),
    },
  };
}
