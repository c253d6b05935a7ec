/**
 * The silhouette of every shape: raw replies in, items as the dialect spells them out, and the same items as lines of
 * text. Order, duplicates, caps and pages are not a shape's business; they are done once for all of them. Where there may be
 * very many items, a shape gives rows to be listed, and says how one is spelt.
 */
import type { AnswerOptions } from "../../abi/handler.js";
import type { DialectPlan } from "../../abi/plan.js";
import type { Json, JsonObject } from "../../base/json.js";
import type { NextStep, Warning } from "../../base/problem.js";
import type { Soon } from "../../base/soon.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { ReplyData } from "../ask/reply.js";
import type { CallState } from "../call-state.js";
import type { List } from "../listing/list.js";

/** What a shape makes of a reply. */
export interface Normalized {
  /** The items of the list; empty where the shape has none. */
  items: Json[];
  /** Members beside the list. */
  beside: JsonObject;
}

/** The same where items are spelt only when they are shown: sorted, and without duplicates. */
export interface Listed {
  list: List;
  beside: JsonObject;
}

/** One raw item of a reply, with the server that gave it. */
export interface Entry {
  server: LanguageServer;
  item: unknown;
}

/** What is said of what was given up. */
export interface GivenUp {
  warning: Warning;
  steps: NextStep[];
  /** Whether the answer is cut without it, rather than only plainer. */
  isCut: boolean;
}

/** The same items with less in them, by grades: the higher, the lighter. */
export interface Lighter {
  /** The highest grade; 0 when there is nothing to give up. */
  grades(items: Json[]): number;
  lighten(items: Json[], grade: number): Json[];
  /** What is said of it, and how to get what was given up. */
  tell(items: Json[], grade: number, call: CallState): GivenUp;
}

/** One output shape at run time. */
export interface Shape {
  /** What a person calls the items, one and many; undefined where they are not counted. */
  nouns: readonly [string, string] | undefined;
  /** The raw items of one server's reply, where it is not simply their list. */
  entries?(value: unknown): unknown[];
  /** The raw items that will be shown, the best first, where that is not simply all of them in their order. */
  choose?(entries: Entry[], call: CallState): Entry[];
  normalize(reply: ReplyData, call: CallState, options: AnswerOptions): Soon<Normalized | Listed>;
  /** What is given up before items are, where the shape has something to give up. */
  lighter?: Lighter;
  /** The same with no text, or no item, longer than so many characters, for shapes that can be cut within. */
  shorten?(items: Json[], beside: JsonObject, characters: number): Normalized;
  /** The answer's own lines; the evidence around them is added elsewhere. */
  text(items: Json[], beside: JsonObject, dialect: DialectPlan): string[];
  /** What is not known, where the shape's own lines are not told: an empty list must not pass for a clean one. */
  doubt?(beside: JsonObject): string[];
}
