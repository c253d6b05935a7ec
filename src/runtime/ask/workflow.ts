/**
 * Combines the results of the tools within a tool. If every step failed, the whole fails; one failure among
 * others is a warning. A cut or a question of one step is one of the whole.
 */
import { canonicalText } from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { Evidence } from "../answer/evidence.js";
import type { ToolResult } from "./batch.js";

export interface Step {
  name: string;
  ran: ToolResult;
}

/** Warns of steps that failed, were cut or ask back. Throws when every step that the answer is made of failed. */
export function warnOfSteps(evidence: Evidence, steps: readonly Step[], decisive: readonly Step[]): void {
  if (decisive.length > 0 && decisive.every(({ ran }) => ran.refusal !== undefined))
    throw allFailed(decisive);
  for (const { name, ran } of steps) {
    const { refusal } = ran;
    if (refusal !== undefined)
      evidence.warn("answer/step-failed", `The step ${name} ${howFailed(refusal)}: ${refusal.message}`, {
        step: name,
        code: refusal.code,
      });
    if (ran.isCut) evidence.truncated(`The answer of the step ${name} is cut.`, { step: name });
    if (ran.candidates !== undefined)
      evidence.warn("answer/several-matches", `The step ${name} must know which symbol is meant.`, {
        step: name,
      });
  }
  const candidates = steps.flatMap(({ ran }) => ran.candidates ?? []);
  if (candidates.length > 0) evidence.question = uniqueBy(candidates, canonicalText);
}

function howFailed({ code }: Refusal): string {
  return code === "call/not-begun" ? "was skipped" : "failed";
}

/** Names the operations of a batch whose answers are cut. */
export function warnOfCuts(evidence: Evidence, operations: number[]): void {
  if (operations.length === 0) return;
  evidence.truncated(`Answers are cut within: operations ${operations.join(", ")}.`, { operations });
}

/** A reason that all steps share is the reason of the whole; several are listed together. */
function allFailed(steps: readonly Step[]): Refusal {
  const refusals = steps.flatMap(({ name, ran }) =>
    ran.refusal === undefined ? [] : [{ name, refusal: ran.refusal }],
  );
  const [first] = refusals;
  const isOne = refusals.every(({ refusal }) => refusal.code === first?.refusal.code);
  if (first !== undefined && isOne) return first.refusal;
  const lines = refusals.map(({ name, refusal }) => `${name}: ${refusal.message}`);
  return new Refusal("call/steps-failed", `Every step failed. ${lines.join(" ")}`, {
    nextSteps: refusals.flatMap(({ refusal }) => refusal.nextSteps),
    data: { steps: refusals.map(({ name, refusal }) => ({ step: name, code: refusal.code })) },
  });
}
