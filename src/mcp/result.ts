/** How an outcome is told to a client, as the dialect says: as structure, as text, or as both. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { DialectPlan } from "../abi/plan.js";
import type { CallOutcome } from "../runtime/session.js";

/** The tool result of an outcome. An error is always told in text too: some clients show their model nothing else. */
export function toolResult(outcome: CallOutcome, dialect: DialectPlan): CallToolResult {
  const { isError, structured, text } = outcome;
  const withText = dialect.result !== "structured" || isError;
  const withStructure = dialect.result !== "text" || dialect.outputSchemas;
  return {
    content: withText ? [{ type: "text", text }] : [],
    ...(withStructure ? { structuredContent: structured } : {}),
    ...(isError ? { isError: true } : {}),
  };
}
