/** The form that a dialect gives to an item or to an answer: which members it has, and where their values come from. */
import type { Json } from "../base/json.js";

/**
 * How a value is shown: a range or position as an object, counted as the dialect does or from zero; a number that
 * counts from one as one that counts from zero; a path as a `file:` URI; the number of LSP for the word of a symbol's
 * kind or of a severity; whether the state of a server is `running`.
 */
export const formConversions = [
  "range",
  "zero_based_range",
  "position",
  "zero_based_position",
  "zero_based",
  "uri",
  "kind_number",
  "severity_number",
  "is_running",
] as const;

export type FormConversion = (typeof formConversions)[number];

export type FormPlan =
  /** The value at a path, converted; or a list with a form for each of its items. */
  | { kind: "value"; at: string[]; as: FormConversion | null; each: FormPlan | null }
  /** An object; without any of its members it is left out, and if the condition does not hold. */
  | { kind: "table"; members: [string, FormPlan][]; when: FormCondition | null };

/** That there is a value at the path, or with `is` this one. */
export interface FormCondition {
  at: string[];
  is?: Json;
}
