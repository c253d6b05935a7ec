/** Turns the outcome of a call into an MCP tool result: text, structured content or both, as the dialect says. */
import type { DialectPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import type { CallOutcome } from "../runtime/session.js";

/** A tool result, the same in every protocol version. */
export interface ToolResult {
  // The result types of the SDKs allow additional members.
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: JsonObject;
  isError?: true;
}

/** The tool result of an outcome. Errors always have a text, because some clients show their model nothing else. */
export function toolResult(
  outcome: CallOutcome,
  dialect: DialectPlan,
  form: DialectPlan["result"] = dialect.result,
): ToolResult {
  const { isError, structured, text, notes } = outcome;
  const withText = form !== "structured" || isError;
  const withStructure = form !== "text" || dialect.outputSchemas;
  // Without structured content, the notes that a tool's own text leaves out need a block of their own.
  const texts = form === "text" && notes !== "" ? [text, notes] : [text];
  const result: ToolResult = {
    content: withText ? texts.map((block) => ({ type: "text", text: block })) : [],
  };
  if (withStructure) result.structuredContent = structured;
  if (isError && dialect.errors.form !== "text") result.isError = true;
  return result;
}

/** A JSON-RPC error: an unknown tool, or any refusal in a dialect that reports refusals this way. */
export class ProtocolError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data: JsonObject | undefined,
  ) {
    super(message);
    this.name = "ProtocolError";
  }
}
