/** How a call ended: its answer, or its refusal in both forms. A refusal never says more than the agent may know. */
import type { Answer } from "../../abi/handler.js";
import type { Plan, ToolPlan } from "../../abi/plan.js";
import { type Code, codes } from "../../base/codes.js";
import type { JsonObject } from "../../base/json.js";
import { nearest } from "../../base/nearest.js";
import { type NextStep, Refusal, type Warning } from "../../base/problem.js";
import { trustCommandIn } from "../../lsp/process/trusted.js";
import type { Log } from "../../lsp/types.js";
import { renameMembers } from "../../protocol/dialect-format.js";
import { SCHEMA_VERSION } from "../../protocol/envelope.js";
import {
  errorMembers,
  errorNumber,
  errorWords,
  protocolError,
  stepLine,
  type ToolTexts,
  warningLine,
  warningValue,
  wholeText,
} from "./answer-text.js";
import type { Evidence, Unready } from "./evidence.js";
import { stepsAfterRefusal } from "./next-steps.js";

/** Refusals that may only mean that a server was not ready. */
const maybeNotReady: readonly Code[] = ["lsp/timeout", "lsp/no-answer"];

export interface CallOutcome extends Answer {
  isError: boolean;
  /** Of a refusal: its code, whatever the dialect calls it. */
  code?: Code | undefined;
  /** Of a refusal: the JSON-RPC error for a dialect that uses those. */
  error: { number: number; code: string; message: string; data: JsonObject } | null;
  /** Of a refusal for lack of trust: the command with which the user gives it. */
  trustCommand?: string | undefined;
}

/** How a call ended, if it was stopped. */
interface CallEnd {
  timeoutMs: number;
  isCancelled: boolean;
  isExpired: boolean;
}

/** The refusal for an error: cancellation and timeout first, then a refusal as it is, else an internal error. */
export function refusalOf(
  tool: ToolPlan,
  error: unknown,
  { timeoutMs, isCancelled, isExpired }: CallEnd,
  log: Log,
): Refusal {
  if (isCancelled) return new Refusal("call/cancelled", "The call was cancelled.", { cause: error });
  if (isExpired && timeoutMs === 0)
    return new Refusal("call/not-begun", `${tool.name} was not started: no time was left for it.`);
  if (isExpired) {
    const message = `${tool.name} did not finish within ${timeoutMs} ms.`;
    return new Refusal("lsp/timeout", message, { cause: error });
  }
  if (error instanceof Refusal) return error;
  log("error", `fault in ${tool.name}`, {
    cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return new Refusal("runtime/fault", "An internal error happened; the log has its cause.", {
    cause: error,
  });
}

/**
 * The outcome of a refused call. The state of the servers is added by the refusal's code alone: a server's own timeout
 * may end just before the call's, and the message must not depend on which came first.
 */
export function refused(
  tool: ToolPlan,
  plain: Refusal,
  plan: Plan,
  evidence: Evidence,
  texts: ToolTexts,
): CallOutcome {
  const { input } = evidence;
  const unready = maybeNotReady.includes(plain.code) ? evidence.unready : undefined;
  const message = unready ? `${plain.message.replace(/\.?$/, ".")} ${unreadyText(unready)}` : plain.message;
  const refusal = new Refusal(plain.code, message, {
    nextSteps: [...plain.nextSteps, ...stepsAfterRefusal(plan, tool, plain.code, input)],
    data: plain.data,
    cause: plain.cause,
  });
  const warnings: Warning[] = [...evidence.warnings];
  if (unready !== undefined) {
    const data = { server_id: unready.servers.join(",") };
    warnings.push({ code: "answer/not-ready", message: unreadyText(unready), data });
  }
  const steps = stepsOf(refusal, plan.mcp.listed);
  const { dialect, errorText } = texts;
  const words = errorWords(dialect.errors, refusal);
  const { data } = refusal;
  const hasData = Object.keys(data).length > 0;
  const isEditRefused = tool.output.outcomes === "applied" && plain.code.startsWith("edit/");
  const structured: JsonObject = {
    schema_version: SCHEMA_VERSION,
    ok: false,
    tool: tool.name,
    ...(unready === undefined ? {} : { readiness: unready.readiness }),
    error: hasData ? { ...words, data } : words,
    ...errorMembers(dialect.errors, refusal, words.message),
    ...(isEditRefused ? { applied: false, failure_reason: words.message } : {}),
    ...(dialect.echo === null || input === undefined ? {} : { [dialect.echo]: input }),
    next_steps: steps.map((step): JsonObject => ({ ...step })),
    warnings: warnings.map(warningValue),
  };
  const renamed = renameMembers(dialect, structured);
  const text =
    (isEditRefused ? wholeText(texts, renamed) : undefined) ??
    errorText?.({ ...structured, ...words, data, number: errorNumber(dialect.errors, refusal) }) ??
    [
      `Error ${words.code}: ${words.message}`,
      // The message of invalid arguments says it all.
      ...(hasData && refusal.code !== "guard/invalid-arguments" ? [`Details: ${JSON.stringify(data)}`] : []),
      ...steps.map(stepLine),
      ...warnings.map((warning) => warningLine(warning, dialect)),
    ].join("\n");
  return {
    isError: true,
    code: refusal.code,
    structured: renamed,
    notes: "",
    headline: `${words.code}: ${words.message}`,
    text,
    error: protocolError(refusal, dialect.errors),
    trustCommand: trustCommandIn(plain.nextSteps),
  };
}

/** A refusal's steps; where none of them fixes the cause, the catalogue's fix for the code is added. */
function stepsOf(refusal: Refusal, listed: readonly string[]): NextStep[] {
  const own = refusal.nextSteps.filter((step) => step.kind !== "tool" || listed.includes(step.tool));
  const hasFix = own.some((step) => step.kind !== "tool");
  return hasFix ? own : [...own, { kind: "doc", text: codes[refusal.code].fix }];
}

function unreadyText({ readiness, servers }: Unready): string {
  const [noun, verb] = servers.length === 1 ? ["server", "is"] : ["servers", "are"];
  return `The language ${noun} ${servers.join(", ")} ${verb} ${readiness}.`;
}

/** The refusal of a tool that is not listed. One that only the effects hide is named. */
export function unlistedTool(name: string, { tools, mcp: { listed }, allow }: Plan): Refusal {
  const hidden = tools.find((tool) => tool.name === name && !allow.effects.includes(tool.effect));
  if (hidden === undefined) return unknownTool(name, listed);
  return new Refusal(
    "guard/effect-not-allowed",
    `The config does not allow the effect \`${hidden.effect}\`.`,
  );
}

export function unknownTool(name: string, listed: readonly string[]): Refusal {
  const near = nearest(name, listed);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return new Refusal("guard/unknown-tool", `There is no tool of that name.${hint}`);
}
