/**
 * The silhouette of every shape: raw replies in, items as the dialect spells them out, and the same items as lines of
 * text. Order, duplicates, caps and pages are not a shape's business; they are done once for all of them.
 */
import type { AnswerOptions } from "../../abi/handler.js";
import type { DialectPlan } from "../../abi/plan.js";
import type { Json, JsonObject } from "../../base/json.js";
import type { CallState } from "../call-state.js";
import type { ReplyData } from "../reply.js";

/** What a shape makes of a reply. */
export interface Normalized {
  /** The items of the list; empty where the shape has none. */
  items: Json[];
  /** Members beside the list. */
  beside: JsonObject;
}

/** One output shape at run time. */
export interface Shape {
  /** What a person calls the items, one and many; undefined where they are not counted. */
  nouns: readonly [string, string] | undefined;
  normalize(reply: ReplyData, call: CallState, options: AnswerOptions): Promise<Normalized>;
  /** The same with no text longer than so many characters, for shapes that can be cut within. */
  shorten?(items: Json[], beside: JsonObject, characters: number): Normalized;
  /** The answer's own lines; the evidence around them is added elsewhere. */
  text(items: Json[], beside: JsonObject, dialect: DialectPlan): string[];
}
