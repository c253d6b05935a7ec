/**
 * An answer in the dialect's words: members spelt as it says, and `content` worded by the tool's own text where it has
 * one. What a worded text cannot carry (warnings, the next page, doubt) is kept beside it, never lost.
 */
import type { TextFunction } from "../../abi/bundle.js";
import type { Answer } from "../../abi/handler.js";
import type { DialectPlan, ErrorDialect, ToolPlan } from "../../abi/plan.js";
import type { Json, JsonObject } from "../../base/json.js";
import type { Refusal } from "../../base/problem.js";
import type { Soon } from "../../base/soon.js";
import { cutCharacters } from "../../base/text.js";
import { codeWord, spellMembers } from "../../protocol/members.js";
import { documentKey } from "../../protocol/spelling.js";
import type { LoadedBundle } from "../bundle/load.js";
import { fileOf } from "../shapes/spelt.js";

const headlineCharacters = 200;
const internalError = -32603;

/** How the answers of one tool are worded. */
export interface Wording {
  dialect: DialectPlan;
  /** The tool's own text; undefined where the shape's lines are told. */
  text: TextFunction | undefined;
  /** What is said when nothing was found. */
  empty: string | null;
  /** The dialect's text for refusals. */
  errorText: TextFunction | undefined;
}

/** An answer before the dialect has worded it. */
export interface Draft {
  structured: JsonObject;
  headline: string;
  /** The shape's own lines. */
  lines: string[];
  /** What the shape's lines say and a text of the tool's own may not: that nothing is known. */
  doubt: string[];
  /** What must be known beside them. */
  notes: string[];
  items: Json[];
  isEmpty: boolean;
}

const opened = new WeakMap<ToolPlan, Wording>();

/** The wording of a tool, with its texts loaded: at once, when that was done before. */
export function openWording(loaded: LoadedBundle, tool: ToolPlan): Soon<Wording> {
  return opened.get(tool) ?? loadWording(loaded, tool);
}

async function loadWording(loaded: LoadedBundle, tool: ToolPlan): Promise<Wording> {
  const { dialect } = loaded.plan;
  const { errors } = dialect;
  const wording = {
    dialect,
    text: tool.text === null && dialect.text === null ? undefined : await loaded.text(tool.name),
    empty: tool.empty,
    errorText: errors.text === null ? undefined : await loaded.errorText(),
  };
  opened.set(tool, wording);
  return wording;
}

/** Both forms of an answer. */
export function worded({ dialect, text, empty }: Wording, draft: Draft): Answer {
  const { headline, lines, doubt } = draft;
  const notes = doubt.length + draft.notes.length === 0 ? "" : [...doubt, ...draft.notes].join("\n");
  const structured = spellMembers(dialect, draft.structured);
  if (draft.isEmpty && empty !== null) return { structured, text: empty, notes, headline };
  if (text === undefined)
    return { structured, text: [headline, ...lines, ...draft.notes].join("\n"), notes: "", headline };
  const view = {
    ...draft.structured,
    headline: cutCharacters(headline, headlineCharacters).text,
    by_file: byFile(draft.items, dialect),
    answer: structured,
  };
  const said = text(view).replace(/\n+$/, "");
  // A text that is the whole answer says all that the notes do.
  const isWhole = said === JSON.stringify(structured, null, 2);
  return { structured, text: said, notes: isWhole ? "" : notes, headline };
}

/** Code and message of a refusal as the dialect tells them. */
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
  const number = numberOf(errors, refusal);
  return { number, code, message, data: { code, ...refusal.data } };
}

/** Members of the answer that say again what a refusal is, for clients that look for them there. */
export function errorMembers(errors: ErrorDialect, refusal: Refusal, message: string): JsonObject {
  return {
    ...(errors.message === "" ? {} : { [errors.message]: message }),
    ...(errors.number === "" ? {} : { [errors.number]: numberOf(errors, refusal) }),
  };
}

/** The number that a dialect has for a refusal. */
export function numberOf(errors: ErrorDialect, { code }: Refusal): number {
  return codeWord(errors.numbers, code) ?? internalError;
}

/** Items that stand together in one file. */
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
