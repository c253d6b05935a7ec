/**
 * The text form of answers: the shape's lines, or the tool's own template with notes for what it cannot carry
 * (warnings, the next page, unknown results), and the helpers with which shapes write their lines.
 */
import type { TextFunction } from "../../abi/bundle.js";
import type { Answer, AnswerOptions } from "../../abi/handler.js";
import type { DialectPlan, ErrorDialect } from "../../abi/plan.js";
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import type { NextStep, Refusal, Warning } from "../../base/problem.js";
import { cutCharacters } from "../../base/text.js";
import { snippetLimits } from "../../protocol/bounds.js";
import { codeWord, documentKey, renameMembers, spanNames } from "../../protocol/dialect-format.js";
import type { Lighter } from "../shapes/shape.js";
import { withMoreCharacters } from "./next-steps.js";
import type { SnippetBounds } from "./places.js";

const HEADLINE_CHARACTERS = 200;
const INTERNAL_ERROR = -32603;

export interface ToolTexts {
  dialect: DialectPlan;
  /** The tool's own template; undefined where the shape's lines are shown. */
  text: TextFunction | undefined;
  /** The text for an empty result. */
  empty: string | null;
  /** The dialect's text for refusals. */
  errorText: TextFunction | undefined;
  /** The `file:` URI of a path as answers show it. */
  uriOf(path: string): string;
}

/** The parts of an answer that its text is made of. */
interface AnswerParts {
  structured: JsonObject;
  headline: string;
  lines: string[];
  /** Lines that say that the result is not known; a template may not say it. */
  unknown: string[];
  /** Warnings, the next page and next steps. */
  notes: string[];
  items: Json[];
  isEmpty: boolean;
}

export function renderAnswer({ dialect, text, empty }: ToolTexts, parts: AnswerParts): Answer {
  const { headline, lines } = parts;
  const notes = [...parts.unknown, ...parts.notes].join("\n");
  const structured = renameMembers(dialect, parts.structured);
  if (parts.isEmpty && empty !== null) return { structured, text: empty, notes, headline };
  if (text === undefined)
    return { structured, text: [headline, ...lines, ...parts.notes].join("\n"), notes: "", headline };
  const view = {
    ...parts.structured,
    headline: cutCharacters(headline, HEADLINE_CHARACTERS).text,
    by_file: groupByFile(parts.items, dialect),
    answer: structured,
  };
  const rendered = text(view).replace(/\n+$/, "");
  // A template that prints the whole answer includes what the notes say.
  const isWhole = rendered === JSON.stringify(structured, null, 2);
  return { structured, text: rendered, notes: isWhole ? "" : notes, headline };
}

/** The tool's text, if its template prints the whole answer; undefined for any other template. */
export function wholeText({ text }: Pick<ToolTexts, "text">, structured: JsonObject): string | undefined {
  const whole = JSON.stringify(structured, null, 2);
  return text?.({ answer: structured }).replace(/\n+$/, "") === whole ? whole : undefined;
}

export function warningValue({ code, message, data }: Warning): JsonObject {
  return data === undefined ? { code, message } : { code, message, data };
}

/** A warning as a line, under the dialect's code. */
export function warningLine({ code, message, data }: Warning, { warnings }: DialectPlan): string {
  return `Warning ${codeWord(warnings.codes, code) ?? code}: ${message}${data === undefined ? "" : ` ${JSON.stringify(data)}`}`;
}

export function stepLine(step: NextStep): string {
  return step.kind === "tool"
    ? `Next: call ${step.tool} with ${JSON.stringify(step.arguments)} (${step.why})`
    : `Next: ${step.text}`;
}

/** Code and message of a refusal in the dialect's words. */
export function errorWords({ codes, messages }: ErrorDialect, { code, message }: Refusal) {
  return { code: codeWord(codes, code) ?? code, message: codeWord(messages, code) ?? message };
}

export function protocolError(refusal: Refusal, errors: ErrorDialect) {
  const { code, message } = errorWords(errors, refusal);
  const number = errorNumber(errors, refusal);
  return { number, code, message, data: { code, ...refusal.data } };
}

/** Extra members with a refusal's message and number, for clients that look for them there. */
export function errorMembers(errors: ErrorDialect, refusal: Refusal, message: string): JsonObject {
  return {
    ...(errors.message === "" ? {} : { [errors.message]: message }),
    ...(errors.number === "" ? {} : { [errors.number]: errorNumber(errors, refusal) }),
  };
}

export function errorNumber(errors: ErrorDialect, { code }: Refusal): number {
  return codeWord(errors.numbers, code) ?? INTERNAL_ERROR;
}

/** Neighbouring items of one file, grouped. */
function groupByFile(items: Json[], dialect: DialectPlan): JsonObject[] {
  const groups: { file: string; items: Json[] }[] = [];
  for (const item of items) {
    const file = fileOf(item, dialect);
    const last = groups.at(-1);
    if (last?.file === file) last.items.push(item);
    else groups.push({ file, items: [item] });
  }
  return groups.map((group) => ({ [documentKey(dialect)]: group.file, items: group.items }));
}

/** An item as a table; anything else as an empty table. */
export function table(item: Json | undefined): JsonObject {
  return isTable(item) ? (item as JsonObject) : {};
}

/** A text member, or the empty text. */
export function textOf(item: Json | undefined): string {
  return typeof item === "string" ? item : "";
}

export function fileOf(item: Json, dialect: DialectPlan): string {
  return textOf(table(item)[documentKey(dialect)]);
}

/** `line:character` of a position. */
export function placeText(item: Json, dialect: DialectPlan): string {
  const members = table(item);
  return pair(dialect.position.answers === "object" ? members.position : members, dialect);
}

/** `line:character-line:character` of a range, or an empty text when the item has none. */
export function rangeText(item: Json, dialect: DialectPlan): string {
  const members = table(item);
  if (dialect.position.answers === "object") {
    const range = table(members.range);
    return members.range === undefined ? "" : `${pair(range.start, dialect)}-${pair(range.end, dialect)}`;
  }
  const names = spanNames(dialect);
  if (members[names.line] === undefined) return "";
  return `${members[names.line]}:${members[names.character]}-${members[names.endLine]}:${members[names.endCharacter]}`;
}

/** Lines under one heading per file; the items are sorted by file. */
export function byFile(items: Json[], dialect: DialectPlan, line: (item: Json) => string[]): string[] {
  const lines: string[] = [];
  let current: string | undefined;
  for (const item of items) {
    const file = fileOf(item, dialect);
    if (file !== current) lines.push(file);
    current = file;
    lines.push(...line(item).map((text) => `  ${text}`));
  }
  return lines;
}

function pair(point: Json | undefined, dialect: DialectPlan): string {
  const members = table(point);
  return `${members[dialect.position.line]}:${members[dialect.position.character]}`;
}

/** What a tool or a call asks for, within the allowed bounds; undefined for no snippets. */
export function snippetBounds(asked: AnswerOptions["snippet"]): SnippetBounds | undefined {
  if (asked?.show === false) return undefined;
  const within = (
    value: Json | undefined,
    { least, most }: { least: number; most: number },
    otherwise: number,
  ) => (typeof value === "number" ? Math.min(most, Math.max(least, Math.floor(value))) : otherwise);
  return {
    contextLines: within(asked?.contextLines, snippetLimits.contextLines, 0),
    maxChars: within(asked?.maxChars, snippetLimits.maxChars, 400),
  };
}

export const withoutSnippets: Lighter = {
  levels: (items) => (items.some(hasText) ? 1 : 0),
  lighten: (items, level) => (level === 0 ? items : items.map(withoutText)),
  describe: (items, _level, call) => ({
    warning: {
      code: "answer/snippets-dropped",
      message: "The snippets were left out, so that more places fit.",
      data: { count: items.filter(hasText).length },
    },
    steps: withMoreCharacters(call),
    isCut: false,
  }),
};

function hasText(item: Json): boolean {
  return table(item).text !== undefined;
}

function withoutText(item: Json): Json {
  const { text: _, text_line: __, text_cut: ___, ...place } = table(item);
  return place;
}
