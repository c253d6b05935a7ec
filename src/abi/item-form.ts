/** The form that a dialect gives to an item or to an answer: which members it has, and where their values come from. */
import type { Json } from "../base/json.js";

/** How a value is shown. */
export const formConversions = [
  /** `{ start, end }` instead of flat members, counted as the dialect counts. */
  "range",
  /** The same, counted from 0. */
  "zero_based_range",
  /** `{ line, character }` alone, counted as the dialect counts. */
  "position",
  /** The same, counted from 0. */
  "zero_based_position",
  /** A number counted from 1, shown counted from 0. */
  "zero_based",
  /** A path, shown as a `file:` URI. */
  "uri",
  /** The word of a symbol's kind, shown as the number of LSP. */
  "kind_number",
  /** The word of a severity, shown as the number of LSP. */
  "severity_number",
  /** The state of a server, shown as whether it is `running`. */
  "is_running",
] as const;

export type FormConversion = (typeof formConversions)[number];

export type FormPlan =
  /** The value at a path, converted; or a list with a form for each of its items. */
  | { kind: "value"; at: string[]; as: FormConversion | null; each: FormPlan | null }
  /** An object. Left out when none of its members exists or the condition does not hold. */
  | { kind: "table"; members: [string, FormPlan][]; when: FormCondition | null };

/** That there is a value at the path, or with `is` this one. */
export interface FormCondition {
  at: string[];
  is?: Json;
}
