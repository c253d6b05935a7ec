/** What a shape is made of, and the members that several shapes share. */
import type { DialectPlan, OutputPlan } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import { type Fields, spanSchema } from "../spelling.js";

/** A sort key of a shape's items; `range` stands for its four numbers, `document` for the path or URI. */
export type OrderKey =
  | "document"
  | "range"
  | "place"
  | "name"
  | "kind"
  | "container"
  | "severity"
  | "code"
  | "source"
  | "message"
  | "title"
  | "label"
  | "type"
  | "command"
  | "scheme"
  | "identifier"
  | "id"
  | "root";

export interface ShapeFacts {
  description: string;
  /** The member that holds the items; null when the answer is one value. */
  list: string | null;
  /** The table that the list stands in, when it is not the answer itself. */
  within?: string;
  /** The list is what it is: a call may page through it, but not ask for less of it. */
  uncapped?: true;
  /** Whether the items are a result list, with counts, caps and an order of its own. */
  counted: boolean;
  /** Whether every item must be told, so that no number of items cuts the list. */
  isWhole?: boolean;
  /** The member of an item whose entries carry the ids, where it is not the item itself. */
  identified?: string;
  /** Sort keys in order; the canonical text of an item decides last. Empty: the shape itself puts them in order. */
  order: readonly OrderKey[];
  /** The schema of one item. */
  item(dialect: DialectPlan, output: OutputPlan): JsonObject;
  /** Members beside the list. */
  beside(dialect: DialectPlan, output: OutputPlan): Fields;
}

/** The schema of a text. */
export const text: JsonObject = { type: "string" };

/** The schema of a list of texts. */
export const texts: JsonObject = { type: "array", items: text };

/** No members. */
export const none: Fields = { properties: {}, required: [] };

/** Members that may be absent. */
export const optional = (properties: JsonObject): Fields => ({ properties, required: [] });

/** Members that are always there. */
export const required = (properties: JsonObject): Fields => ({
  properties,
  required: Object.keys(properties),
});

/** Where a symbol's name stands, in a dialect whose range of a symbol is the whole declaration. */
export const selectionRange = (dialect: DialectPlan): Fields =>
  dialect.symbol.extent === "declaration" ? optional({ selection_range: spanSchema(dialect) }) : none;

/** What every symbol has. */
export const symbolName = required({ name: text, kind: text });
