/** The part of a Plan that describes the answers of a tool. */
import type { JsonObject } from "../base/json.js";
import type { PickForm, Template } from "./step-values.js";
import type { ShapeName } from "./tool-plan.js";

export interface OutputPlan {
  shape: ShapeName;
  /** JSON Pointer into the value of the last step; "" for all of it. */
  at: string;
  /** For `text`: the language of a fenced block, or null. */
  language: string | null;
  /** For edits: only preview, or apply if the call asks for it. */
  apply: "never" | "on_request";
  /** For edits: whether to copy each file before editing it, and the suffix of the copy; null for never. */
  backups: { create: Template; suffix: Template } | null;
  /** For `json`: the declared schema of the value, or null for any value. */
  schema: JsonObject | null;
  /** Name of the list member, if it differs from the shape's. */
  list: string | null;
  /** Name of a member that repeats `shown`; null for none. */
  count: string | null;
  /** Group the items by matching symbol: names of the list member and of its count; null for a flat list. */
  symbols: { list: string; count: string | null } | null;
  /** Whether each item has an id, a hash of its content. */
  ids: boolean;
  /** For `hover`: whether each text says if it is Markdown or plain text. */
  marked: boolean;
  /** The member with all hover texts as one. */
  joined?: string;
  /** The member with the hover in LSP's form, instead of the list of texts. */
  raw?: string;
  /** The form of the items in `dialect.items`, if it is not the one of the shape. */
  item?: string;
  /**
   * For `batch`: report each operation as `outcome` (a word) or as `success` (a boolean). For edits: `applied` adds a
   * member of that name, and `failure_reason` to the refusal of an edit.
   */
  outcomes: "word" | "success" | "applied";
  /** How much source text to show with each location. */
  snippet: { show: Template; contextLines: Template; maxChars: Template };
  /** Which items to leave out of `diagnostics` and `document_symbols`; null for none. */
  filter: FilterPlan | null;
  /** Maximum of characters in the answer: a number or an argument; null for the limit of the config. */
  maxChars: Template | null;
  /** Steps whose values a `json` answer contains under their ids; empty for the value of the last step alone. */
  gather: string[];
  /** For `items`: the members of an item, in the order in which they are shown. */
  columns: ColumnPlan[];
  /** For `members`: the answers that stand side by side. */
  members: MemberPlan[];
}

/** A member of custom items and the form of its value; null for any value. */
export interface ColumnPlan {
  name: string;
  as: PickForm | null;
}

/** One of several answers in one: the value of a step in its own shape, or the number of its items. */
export interface MemberPlan {
  name: string;
  step: string;
  shape: ShapeName | "count";
  at: string;
  language: string | null;
  snippet: boolean;
  maxItems: number;
  columns: ColumnPlan[];
}

/** Each is a value or an argument; null for no filter of that kind. */
export interface FilterPlan {
  /** The mildest severity to show. */
  severity: Template | null;
  /** How many levels of symbols to show. */
  depth: Template | null;
  /** The kinds of symbols to show. */
  kinds: Template | null;
  /** Whether to show the variables inside functions. */
  locals: Template | null;
  /** Whether to show imported names. */
  imports: Template | null;
  /** The folder whose symbols to show: an absolute path. */
  folder: Template | null;
}
