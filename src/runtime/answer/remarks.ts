/** Warnings and next steps, in the structure and as lines of the text: both forms say the same. */
import type { DialectPlan } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import type { NextStep, Warning } from "../../base/problem.js";
import { codeWord } from "../../protocol/members.js";

/** A warning as a member of the answer. */
export function warningValue({ code, message, data }: Warning): JsonObject {
  return data === undefined ? { code, message } : { code, message, data };
}

/** A warning as a line, under the dialect's code. */
export function warningLine({ code, message, data }: Warning, { warnings }: DialectPlan): string {
  return `Warning ${codeWord(warnings.codes, code) ?? code}: ${message}${data === undefined ? "" : ` ${JSON.stringify(data)}`}`;
}

/** A next step as a line. */
export function stepLine(step: NextStep): string {
  return step.kind === "tool"
    ? `Next: call ${step.tool} with ${JSON.stringify(step.arguments)} (${step.why})`
    : `Next: ${step.text}`;
}
