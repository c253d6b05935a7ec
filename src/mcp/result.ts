/** How an outcome is told to a client, as the dialect says: as structure, as text, or as both. */
import type { DialectPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import type { CallOutcome } from "../runtime/session.js";

/** A tool result, as every revision of the protocol has it. */
export interface ToolResult {
  // The SDKs' own types of a result are open.
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: JsonObject;
  isError?: true;
}

/** The tool result of an outcome. An error is always told in text too: some clients show their model nothing else. */
export function toolResult(
  outcome: CallOutcome,
  dialect: DialectPlan,
  form: DialectPlan["result"] = dialect.result,
): ToolResult {
  const { isError, structured, text, notes } = outcome;
  const withText = form !== "structured" || isError;
  const withStructure = form !== "text" || dialect.outputSchemas;
  // Where the structure is not sent, what a text of the tool's own leaves out stands in a block beside it.
  const texts = form === "text" && notes !== "" ? [text, notes] : [text];
  const result: ToolResult = {
    content: withText ? texts.map((block) => ({ type: "text", text: block })) : [],
  };
  if (withStructure) result.structuredContent = structured;
  if (isError && dialect.errors.form !== "text") result.isError = true;
  return result;
}

/** A refusal as a JSON-RPC error: of a dialect that tells refusals so, or of a call that names no tool. */
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
