/** The facts that describe an output shape. */
import type { DialectPlan, OutputPlan } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import type { Fields } from "../schema-fields.js";

export interface ShapeFacts {
  /** The member that holds the items; null if the answer is one value. */
  list: string | null;
  /** The object that contains the list, if it is not the answer itself. */
  within?: string;
  /** A call may page through the list but cannot ask for fewer items. */
  uncapped?: true;
  /** Whether the answer has `total`, `shown` and `dropped`, and the list can be capped. */
  counted: boolean;
  /** Whether an answer always contains every item. */
  isWhole?: boolean;
  /** The member of an item whose entries get the ids, if the item itself does not. */
  identified?: string;
  /**
   * Members to sort by, or `range` (its four numbers), `place` (line and character), `document` (path or URI). Ties are
   * broken by the canonical text of an item. Empty if the shape sorts its items itself.
   */
  order: readonly string[];
  /** The schema of one item. */
  item(dialect: DialectPlan, output: OutputPlan): JsonObject;
  /** Members of the answer in addition to the list. */
  otherMembers?(dialect: DialectPlan, output: OutputPlan): Fields;
}
