/** How a call ended, and what is told when it was not answered: never more than the agent may know. */
import type { Answer } from "../../abi/handler.js";
import type { Plan, ToolPlan } from "../../abi/plan.js";
import type { Code } from "../../base/codes.js";
import type { JsonObject } from "../../base/json.js";
import { nearest } from "../../base/nearest.js";
import { type NextStep, Refusal, type Warning } from "../../base/problem.js";
import type { Log } from "../../lsp/types.js";
import type { Evidence, Unready } from "./evidence.js";
import { leadOn } from "./lead-on.js";
import { refuse } from "./refuse.js";
import { protocolError, type Wording } from "./wording.js";

/** Refusals that may only mean that a server was not ready. */
const early: readonly Code[] = ["lsp/timeout", "lsp/no-answer"];

/** What a call gave, in both forms. */
export interface CallOutcome extends Answer {
  isError: boolean;
  /** Of a refusal: what a dialect of protocol errors tells. */
  error: { number: number; code: string; message: string; data: JsonObject } | null;
}

/** Why a call was stopped, if it was. */
export interface CallEnd {
  /** The time that the call had, in milliseconds. */
  timeoutMs: number;
  isCancelled: boolean;
  isExpired: boolean;
}

/** What the agent is told of an error: the time's end first, then a refusal as it is, else only that it is our fault. */
export function refusalOf(
  tool: ToolPlan,
  error: unknown,
  { timeoutMs, isCancelled, isExpired }: CallEnd,
  log: Log,
): Refusal {
  if (isCancelled) return new Refusal("call/cancelled", "The call was cancelled.", { cause: error });
  if (isExpired && timeoutMs === 0)
    return new Refusal("call/not-begun", `${tool.name} was not begun: no time was left for it.`);
  if (isExpired) {
    const message = `${tool.name} did not come to an end within ${timeoutMs} ms.`;
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
 * The outcome of a call that was refused. What its servers were at is told here, by the refusal's code alone: a server's
 * share of the time may end a moment before the whole, and what is told must not depend on which was first.
 */
export function refused(
  tool: ToolPlan,
  plain: Refusal,
  plan: Plan,
  evidence: Evidence,
  wording: Wording,
): CallOutcome {
  const { input } = evidence;
  const unready = early.includes(plain.code) ? evidence.unready : undefined;
  const message = unready ? `${plain.message.replace(/\.?$/, ".")} ${unreadyText(unready)}` : plain.message;
  const refusal = leading(plain, message, leadOn(plan, tool, plain.code, input));
  const warnings = [...evidence.warnings, ...(unready ? [notReady(unready)] : [])];
  const beside = { warnings, readiness: unready?.readiness, input };
  const answer = refuse(tool.name, refusal, plan.mcp.listed, beside, wording);
  return { isError: true, ...answer, error: protocolError(refusal, wording.dialect.errors) };
}

/** The refusal in other words, with further steps behind its own. */
function leading(refusal: Refusal, message: string, steps: NextStep[]): Refusal {
  return new Refusal(refusal.code, message, {
    nextSteps: [...refusal.nextSteps, ...steps],
    data: refusal.data,
    cause: refusal.cause,
  });
}

function notReady(unready: Unready): Warning {
  const data = { server_id: unready.servers.join(",") };
  return { code: "answer/not-ready", message: unreadyText(unready), data };
}

function unreadyText({ readiness, servers }: Unready): string {
  const [noun, verb] = servers.length === 1 ? ["server", "is"] : ["servers", "are"];
  return `The language ${noun} ${servers.join(", ")} ${verb} ${readiness}.`;
}

/** The refusal of a name that no tool has. */
export function unknownTool(name: string, listed: readonly string[]): Refusal {
  const near = nearest(name, listed);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return new Refusal("guard/unknown-tool", `There is no tool of that name.${hint}`);
}
