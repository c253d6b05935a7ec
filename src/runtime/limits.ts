/**
 * How much one answer may say. Items are cut after they were sorted, never a random subset; texts are cut on code
 * points. What is left out is always counted.
 */
import type { Answer } from "../abi/handler.js";
import type { Plan, ToolPlan } from "../abi/plan.js";

/** What every client that was tried hands to its model without cutting it. */
const pageCharacters = 40_000;

/** The size that each form of an answer must keep. */
export interface Caps {
  /** Characters of each of the answer's two forms. */
  characters: number;
  /** Bytes of each of them. */
  bytes: number;
}

/** The caps of a tool: its own, and the profile's budget shared by the forms that are sent. */
export function capsOf(plan: Plan, tool: ToolPlan): Caps {
  const forms = plan.dialect.result === "both" ? 2 : 1;
  return {
    characters: Math.min(pageCharacters, Math.floor(plan.limits.maxTotalChars / forms)),
    bytes: Math.min(tool.maxBytes, plan.limits.maxBytes),
  };
}

/** Whether both forms of an answer keep the caps. */
export function fits(answer: Answer, caps: Caps): boolean {
  return [JSON.stringify(answer.structured), answer.text].every(
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
