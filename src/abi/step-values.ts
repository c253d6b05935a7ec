/** The part of a Plan that describes values in steps: references, and what is done with the list that a step gives. */
import type { Json } from "../base/json.js";

/**
 * A literal that may contain references. A table `{ from = "…" }` of the config becomes a `ref`; one with `given` and
 * `missing` too one of these two values, by whether the argument is there.
 */
export type Template =
  | { kind: "literal"; value: Json }
  | { kind: "ref"; ref: Ref }
  | { kind: "given"; ref: Ref; given: Json; missing: Json }
  | { kind: "list"; items: Template[] }
  | { kind: "table"; entries: [string, Template][] };

/** `input.X`, `step.ID.path`, `each.path`, `document.uri | language_id | version`. */
export interface Ref {
  root: "input" | "step" | "each" | "document";
  /** The argument, step id or document field; null for all of `input` or `each`. */
  name: string | null;
  path: string[];
}

/** The forms to which `pick` converts a value. */
export type PickForm = "path" | "range" | "position" | "location" | "kind" | "text" | "count";

/** A value picked from an item: its path, and the form in which it is kept. */
export interface PickPlan {
  at: string[];
  as: PickForm | null;
  /** For a count: only locations outside the place at this path. */
  outside: string[] | null;
}

/** A condition on the value at a path of an item. Exactly one of `is` … `lessThan` is set, or two bounds. */
export interface ConditionPlan {
  at: string[];
  is: Template | null;
  in: Template | null;
  exists: boolean | null;
  moreThan: Template | null;
  lessThan: Template | null;
  outside: string[] | null;
}

/** The operations on the list of a step, in this order. */
export interface ListPlan {
  /** Path of the list in the reply. */
  items: string[];
  /** Path of an item's children, which become items too; null for none. */
  flatten: string[] | null;
  where: ConditionPlan[];
  pick: [name: string, member: PickPlan][] | null;
  sort: { at: string[]; descending: boolean }[];
  limit: Template | null;
}

/** When a step runs. Null means: whatever it is. */
export interface WhenPlan {
  capability: string | null;
  command: string | null;
  argument: string | null;
  is: Template | null;
}
