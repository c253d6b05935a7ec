/** How a call ended, and what is told when it was not answered: never more than the agent may know. */
import type { Answer } from "../abi/handler.js";
import type { Plan, ToolPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { type NextStep, Refusal, type Warning } from "../base/problem.js";
import type { Log } from "../lsp/types.js";
import type { Evidence } from "./evidence.js";
import { leadOn } from "./lead-on.js";
import { refuse } from "./refuse.js";
import { protocolError, type Wording } from "./wording.js";

/** What a call gave, in both forms. */
export interface CallOutcome extends Answer {
  isError: boolean;
  /** Of a refusal: what a dialect of protocol errors tells. */
  error: { number: number; code: string; message: string; data: JsonObject } | null;
}

/** Why a call was stopped, if it was. */
export interface Clock {
  /** The time that the call had, in milliseconds. */
  timeoutMs: number;
  isCancelled(): boolean;
  expired(): boolean;
}

/** What the agent is told of an error: the time's end first, then a refusal as it is, else only that it is our fault. */
export function refusalOf(
  tool: ToolPlan,
  error: unknown,
  { timeoutMs, isCancelled, expired }: Clock,
  evidence: Evidence,
  log: Log,
): Refusal {
  if (isCancelled()) return new Refusal("call/cancelled", "The call was cancelled.", { cause: error });
  if (expired()) {
    const [why] = unready(evidence);
    const message = `${tool.name} did not come to an end within ${timeoutMs} ms.${why ? ` ${why.message}` : ""}`;
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

/** The outcome of a call that was refused. */
export function refused(
  tool: ToolPlan,
  plain: Refusal,
  plan: Plan,
  warnings: Warning[],
  wording: Wording,
  input: JsonObject | undefined,
): CallOutcome {
  const refusal = leading(plain, leadOn(plan, tool, plain.code, input));
  const answer = refuse(tool.name, refusal, plan.mcp.listed, warnings, wording, input);
  return { isError: true, ...answer, error: protocolError(refusal, wording.dialect.errors) };
}

/** The refusal with further steps behind its own. */
function leading(refusal: Refusal, steps: NextStep[]): Refusal {
  if (steps.length === 0) return refusal;
  return new Refusal(refusal.code, refusal.message, {
    nextSteps: [...refusal.nextSteps, ...steps],
    data: refusal.data,
    cause: refusal.cause,
  });
}

/** What a call that came to nothing must say of a server that was not ready. */
export function unready(evidence: Evidence): { code: "answer/not-ready"; message: string }[] {
  if (evidence.readiness !== "indexing" && evidence.readiness !== "starting") return [];
  return [{ code: "answer/not-ready", message: `The language server is ${evidence.readiness}.` }];
}

/** The refusal of a name that no tool has. */
export function unknownTool(name: string, listed: readonly string[]): Refusal {
  const near = nearest(name, listed);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return new Refusal("guard/unknown-tool", `There is no tool of that name.${hint}`);
}
