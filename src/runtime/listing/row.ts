/** What a listing is made of before anything is spelt: raw items with their places, as numbers. */
import type { JsonObject } from "../../base/json.js";
import { compareText } from "../../base/order.js";
import type { Lines } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import type { Admitted } from "../../workspace/types.js";
import type { Places } from "../answer/convert.js";
import type { LspRange } from "../lsp-values.js";

/** One raw item of a reply: who told it, where it stands, and what it says besides. */
export interface Row<T> {
  server: LanguageServer;
  uri: string;
  /** In the server's own columns; undefined when the server told only the file. */
  range: LspRange | undefined;
  what: T;
}

/** A second place that a row tells: it can be kept apart from what else the row says. */
export interface Inner<T> {
  of(what: T): LspRange | undefined;
  /** The same with that place, or without one. */
  with(what: T, range: LspRange | undefined): T;
}

/** How the rows of a shape are compared and spelt. It outlives the call that made it and must not hold on to the reply. */
export interface RowKind<T> {
  /** Its order decides among rows of one file. */
  facts: ShapeFacts;
  /** All that a row says besides the following, as one text: rows that agree in all of it are one. */
  words(what: T): string;
  /** How long that text is, where it can be told without making it. */
  characters?(what: T): number;
  /** A second place that it tells, where rows may have one. */
  inner?: Inner<T>;
  /** What it stands in, where rows may stand in something: neighbours often share it. */
  within?(what: T): string;
  /** Whether two rows agree in all of that but the second place, where it can be told without their texts. */
  isSame?(a: T, b: T): boolean;
  /** What a row says besides its place, spelt. */
  members(what: T, places: Places): JsonObject;
  /** The range that is shown, where the text decides it; the row's own otherwise. */
  range?(row: Row<T>, lines: Lines | undefined): LspRange | undefined;
  /** The whole item, with the text of its file at hand; it does not outlive the answer that shows it. */
  spell(row: Row<T>, admitted: Admitted, places: Places, lines: Lines | undefined): JsonObject;
}

/** Stands for a number that is not there; it sorts last. LSP's numbers are smaller. */
export const none = 0xffff_ffff;

/** The rows of one file, side by side. */
export interface RowFile {
  admitted: Admitted;
  start: number;
  length: number;
  /** Whether its rows are in the order in which they are shown, which its text decides. */
  isOrdered: boolean;
}

/** By what rows say besides the range that they stand for; 0 where that is the same. */
export function compareWhat<T>(kind: RowKind<T>, a: T, b: T): number {
  const { inner } = kind;
  return (inner === undefined ? 0 : compareRanges(inner.of(a), inner.of(b))) || compareWords(kind, a, b);
}

/** By what rows say besides any place. */
export function compareWords<T>(kind: RowKind<T>, a: T, b: T): number {
  const { within } = kind;
  return (
    compareText(kind.words(a), kind.words(b)) ||
    (within === undefined ? 0 : compareText(within(a), within(b)))
  );
}

/** Whether rows say the same besides their places. */
export function areSameWords<T>(kind: RowKind<T>, a: T, b: T): boolean {
  return kind.isSame === undefined ? compareWords(kind, a, b) === 0 : kind.isSame(a, b);
}

const numberedLines = 2 ** 26;
const numberedColumns = 2 ** 16;

/** Where a range begins, as one number, by which some that are far apart or far away are the same; one that is not there is the last. */
export function startNumber(range: LspRange | undefined): number {
  if (range === undefined) return numberedLines * numberedColumns;
  const { line, character } = range.start;
  if (line >= numberedLines) return numberedLines * numberedColumns - 1;
  return line * numberedColumns + Math.min(character, numberedColumns - 1);
}

/** By the four numbers; a row without a range is the last. */
export function compareRanges(a: LspRange | undefined, b: LspRange | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return (
    a.start.line - b.start.line ||
    a.start.character - b.start.character ||
    a.end.line - b.end.line ||
    a.end.character - b.end.character
  );
}
