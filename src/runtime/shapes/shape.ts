/**
 * The interface of every output shape: raw replies in, rendered items out, and the same items as lines of text. Shapes
 * that return `Listed` sort and remove duplicates through `collect`; `buildAnswer` does it for others, and pages all.
 */
import type { AnswerOptions } from "../../abi/handler.js";
import type { DialectPlan } from "../../abi/plan.js";
import type { Json, JsonObject } from "../../base/json.js";
import type { NextStep, Warning } from "../../base/problem.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { ReplyData } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import type { List } from "../listing/list.js";

/** The rendered form of a reply. */
export interface Normalized {
  /** The items of the list; empty where the shape has none. */
  items: Json[];
  beside: JsonObject;
}

/** The same where items are rendered when they are shown; the list is sorted and has no duplicates. */
interface Listed {
  list: List;
  beside: JsonObject;
}

/** One raw item of a reply, with its server. */
export interface Entry {
  server: LanguageServer;
  item: unknown;
}

/** What was dropped to make an answer fit. */
export interface Dropped {
  warning: Warning;
  steps: NextStep[];
  /** Whether the answer counts as cut without it. */
  isCut: boolean;
}

/** Drops optional parts of items, level by level: the higher the level, the smaller the items. */
export interface Lighter {
  /** The highest level; 0 when there is nothing to drop. */
  levels(items: Json[]): number;
  lighten(items: Json[], level: number): Json[];
  /** The warning about what a level drops, and how to get it. */
  describe(items: Json[], level: number, call: CallState): Dropped;
}

export interface Shape {
  /** Singular and plural of the items; undefined where they are not counted. */
  nouns: readonly [string, string] | undefined;
  /** What the answer is about where that is not a number of items; undefined where it is. */
  subject?(beside: JsonObject): string | undefined;
  /** The raw items of one server's reply, where the reply is not simply their list. */
  entries?(value: unknown): unknown[];
  /** The raw items that will be shown, best first, where that is not simply all of them in their order. */
  choose?(entries: Entry[], call: CallState): Promise<Entry[]>;
  normalize(reply: ReplyData, call: CallState, options: AnswerOptions): Promise<Normalized | Listed>;
  /** How optional parts of items are dropped before items are. */
  lighter?: Lighter;
  /** The same with no text, or no item, longer than so many characters, for shapes that can be cut inside. */
  shorten?(items: Json[], beside: JsonObject, characters: number, call: CallState): Normalized;
  /** The lines of the items; headline, document and warnings are added elsewhere. */
  text(items: Json[], beside: JsonObject, dialect: DialectPlan): string[];
  /** Lines that say that the result is not known, for answers whose own lines are not shown. */
  unknown?(beside: JsonObject): string[];
}
