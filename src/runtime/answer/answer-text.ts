/**
 * The text form of answers: the shape's lines, or the tool's own text template. What a template cannot carry (warnings,
 * the next page, unknown results) is kept as notes beside it.
 */
import type { TextFunction } from "../../abi/bundle.js";
import type { Answer } from "../../abi/handler.js";
import type { DialectPlan, ErrorDialect, ToolPlan } from "../../abi/plan.js";
import type { Json, JsonObject } from "../../base/json.js";
import type { NextStep, Refusal, Warning } from "../../base/problem.js";
import { cutCharacters } from "../../base/text.js";
import { documentKey } from "../../protocol/dialect-format.js";
import { codeWord, renameMembers } from "../../protocol/members.js";
import type { LoadedBundle } from "../bundle/load.js";
import { fileOf } from "../shapes/rendered.js";

const HEADLINE_CHARACTERS = 200;
const INTERNAL_ERROR = -32603;

/** The texts of one tool. */
export interface ToolTexts {
  dialect: DialectPlan;
  /** The tool's own template; undefined where the shape's lines are shown. */
  text: TextFunction | undefined;
  /** The text for an empty result. */
  empty: string | null;
  /** The dialect's text for refusals. */
  errorText: TextFunction | undefined;
}

/** The parts of an answer that its text is made of. */
export interface AnswerParts {
  structured: JsonObject;
  headline: string;
  /** The shape's own lines. */
  lines: string[];
  /** Lines that say that the result is not known; a template may not say it. */
  unknown: string[];
  /** Warnings, the next page and next steps. */
  notes: string[];
  items: Json[];
  isEmpty: boolean;
}

/** The texts of a tool, loaded from the bundle. */
export async function loadTexts(loaded: LoadedBundle, tool: ToolPlan): Promise<ToolTexts> {
  const { dialect } = loaded.plan;
  return {
    dialect,
    text: tool.text === null && dialect.text === null ? undefined : await loaded.text(tool.name),
    empty: tool.empty,
    errorText: dialect.errors.text === null ? undefined : await loaded.errorText(),
  };
}

/** Both forms of an answer. */
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
    by_file: byFile(parts.items, dialect),
    answer: structured,
  };
  const rendered = text(view).replace(/\n+$/, "");
  // A template that prints the whole answer includes what the notes say.
  const isWhole = rendered === JSON.stringify(structured, null, 2);
  return { structured, text: rendered, notes: isWhole ? "" : notes, headline };
}

/** A warning as a member of the answer. */
export function warningValue({ code, message, data }: Warning): JsonObject {
  return data === undefined ? { code, message } : { code, message, data };
}

/** A warning as a line, under the dialect's code. */
export function warningLine({ code, message, data }: Warning, { warnings }: DialectPlan): string {
  return `Warning ${codeWord(warnings.codes, code) ?? code}: ${message}${data === undefined ? "" : ` ${JSON.stringify(data)}`}`;
}

/** A next step as a line. */
export function stepLine(step: NextStep): string {
  return step.kind === "tool"
    ? `Next: call ${step.tool} with ${JSON.stringify(step.arguments)} (${step.why})`
    : `Next: ${step.text}`;
}

/** Code and message of a refusal in the dialect's words. */
export function errorWords(
  errors: ErrorDialect,
  code: string,
  message: string,
): { code: string; message: string } {
  return {
    code: codeWord(errors.codes, code) ?? code,
    message: codeWord(errors.messages, code) ?? message,
  };
}

/** A refusal as a JSON-RPC error. */
export function protocolError(refusal: Refusal, errors: ErrorDialect) {
  const { code, message } = errorWords(errors, refusal.code, refusal.message);
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

/** The dialect's number for a refusal. */
export function errorNumber(errors: ErrorDialect, { code }: Refusal): number {
  return codeWord(errors.numbers, code) ?? INTERNAL_ERROR;
}

/** Neighbouring items of one file, grouped. */
function byFile(items: Json[], dialect: DialectPlan): JsonObject[] {
  const groups: { file: string; items: Json[] }[] = [];
  for (const item of items) {
    const file = fileOf(item, dialect);
    const last = groups.at(-1);
    if (last?.file === file) last.items.push(item);
    else groups.push({ file, items: [item] });
  }
  return groups.map((group) => ({ [documentKey(dialect)]: group.file, items: group.items }));
}
