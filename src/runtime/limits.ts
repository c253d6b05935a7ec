/**
 * How much one answer may say. Items are cut after they were sorted, never a random subset; texts are cut on code
 * points. What is left out is always counted.
 */
import type { Answer } from "../abi/handler.js";
import type { Plan, ToolPlan } from "../abi/plan.js";
import type { Json } from "../base/json.js";

/** What every client that was tried hands to its model without cutting it. */
const pageCharacters = 40_000;

/** The size that each form of an answer must keep. */
export interface Caps {
  /** Characters of each of the answer's two forms. */
  characters: number;
  /** Bytes of each of them. */
  bytes: number;
}

/** The caps of a tool: its own, and the profile's budget, lowered by what a call asked for, shared by the forms sent. */
export function capsOf(plan: Plan, tool: ToolPlan, asked: Json | undefined): Caps {
  const forms = plan.dialect.result === "both" ? 2 : 1;
  const total = Math.min(
    plan.limits.maxTotalChars,
    typeof asked === "number" ? asked : Number.POSITIVE_INFINITY,
  );
  return {
    characters: Math.min(pageCharacters, Math.floor(total / forms)),
    bytes: Math.min(tool.maxBytes, plan.limits.maxBytes),
  };
}

/** Whether both forms of an answer keep the caps. */
export function fits(answer: Answer, caps: Caps): boolean {
  return [JSON.stringify(answer.structured), `${answer.text}${answer.notes}`].every(
    (form) => form.length <= caps.characters && Buffer.byteLength(form) <= caps.bytes,
  );
}

/** The largest count up to `most` for which `isFine` holds; 0 when it holds for none. `isFine` never turns true again. */
export function largest(most: number, isFine: (count: number) => boolean): number {
  if (isFine(most)) return most;
  let low = 0;
  let high = most;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isFine(middle)) low = middle;
    else high = middle;
  }
  return low;
}
