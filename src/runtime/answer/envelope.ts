/** The members around every answer and the text that says the same: evidence, completeness, warnings, questions. */
import type { Answer } from "../../abi/handler.js";
import type { OutputPlan } from "../../abi/plan.js";
import { define, defineAll, type Json, type JsonObject } from "../../base/json.js";
import type { NextStep, Warning } from "../../base/problem.js";
import { SCHEMA_VERSION } from "../../protocol/envelope.js";
import { spellMembers } from "../../protocol/members.js";
import type { Shape } from "../shapes/shape.js";
import { textOf } from "../shapes/spelt.js";
import type { Head } from "./head.js";
import { stepLine, warningLine, warningValue } from "./remarks.js";
import { type Wording, worded } from "./wording.js";

/** A whole answer, or one window of its list. */
export interface Window {
  items: Json[];
  beside: JsonObject;
  /** For a counted list: where the window stands in the whole. */
  counts: { offset: number; total: number; next: string | undefined } | undefined;
  isTruncated: boolean;
  /** What was given up for the others to fit. */
  warnings: Warning[];
  /** What leads on, where the answer was cut and no page follows. */
  steps: NextStep[];
}

/** Where an answer's list stands: under a name, maybe in a table or under the symbol asked about; a null name for none. */
export interface ListPlace extends Pick<OutputPlan, "count" | "symbols"> {
  list: string | null;
  within: string | undefined;
}

/** Both forms of an answer. */
export function envelop(
  head: Head,
  window: Window,
  place: ListPlace,
  shape: Shape,
  wording: Wording,
): Answer {
  const { items, beside } = window;
  const warnings = head.warnings.concat(window.warnings, cutWarning(head, window));
  const answer = worded(wording, {
    structured: structureOf(head, window, place, warnings),
    headline: headline(head, window, shape),
    lines: linesOf(head, window, shape, wording),
    doubt: shape.doubt?.(beside) ?? [],
    notes: notesOf(window, warnings, wording),
    items,
    isEmpty: items.length === 0 && (place.list !== null || beside.text === null),
  });
  answer.isCut = window.isTruncated;
  return answer;
}

/** The members one by one: a table that is put together from many others V8 keeps as a dictionary. */
function structureOf(head: Head, window: Window, place: ListPlace, warnings: Warning[]): JsonObject {
  const { counts, items, beside, steps } = window;
  const out: JsonObject = {
    schema_version: SCHEMA_VERSION,
    ok: true,
    tool: head.tool,
    server_id: head.serverId,
    readiness: head.readiness,
  };
  if (counts !== undefined) {
    out.total = counts.total;
    out.shown = items.length;
  }
  out.truncated = window.isTruncated;
  if (counts !== undefined) {
    if (counts.next !== undefined) out.next_cursor = counts.next;
    out.dropped = head.dropped;
  }
  if (head.document !== undefined) out.document = head.document;
  defineAll(out, head.echo);
  defineAll(out, beside);
  defineList(out, place, items, head);
  if (head.question !== undefined) {
    out.needs_disambiguation = true;
    out.candidates = head.question;
  }
  if (steps.length > 0) out.next_steps = steps.map((step): JsonObject => ({ ...step }));
  out.warnings = warnings.map(warningValue);
  return out;
}

function linesOf(head: Head, { items, beside }: Window, shape: Shape, { dialect }: Wording): string[] {
  const lines = shape.text(items, beside, dialect);
  return head.document === undefined ? lines : [documentLine(head.document), ...lines];
}

function notesOf({ counts, steps }: Window, warnings: Warning[], { dialect }: Wording): string[] {
  const notes = warnings.map((warning) => warningLine(warning, dialect));
  if (counts?.next !== undefined)
    notes.push(`Next page: call again with ${dialect.listing.cursor} "${counts.next}".`);
  for (const step of steps) notes.push(stepLine(step));
  return notes;
}

function defineList(
  out: JsonObject,
  { list, within, count, symbols }: ListPlace,
  items: Json[],
  { symbol }: Head,
): void {
  if (list === null) return;
  if (count !== null) define(out, count, items.length);
  if (symbols === null) {
    if (within === undefined) define(out, list, items);
    else define(out, within, { [list]: items });
    return;
  }
  const found = symbol === undefined ? [] : [{ symbol, [list]: items }];
  if (symbols.count !== null) define(out, symbols.count, found.length);
  define(out, symbols.list, found);
}

/** Several symbols or lines are meant: the question back to the agent. */
export function askBack(
  head: Head,
  message: string,
  candidates: JsonObject[],
  isTruncated: boolean,
  lines: string[],
  { dialect, text }: Wording,
): Answer {
  const warning: Warning = { code: "answer/several-matches", message };
  const warnings = [...head.warnings, warning];
  const title = `${head.tool}: needs disambiguation, ${candidates.length} candidates (${serverText(head)})`;
  const isShort = text !== undefined && dialect.result !== "text";
  return {
    structured: spellMembers(dialect, {
      schema_version: SCHEMA_VERSION,
      ok: true,
      tool: head.tool,
      server_id: head.serverId,
      readiness: head.readiness,
      truncated: isTruncated,
      ...(head.document && { document: head.document }),
      ...head.echo,
      needs_disambiguation: true,
      candidates,
      warnings: warnings.map(warningValue),
    }),
    notes: "",
    headline: title,
    candidates,
    isCut: isTruncated,
    // A tool with a text of its own has no words for a question; where the structure is sent, a headline is enough.
    text: isShort
      ? title
      : [title, ...lines, ...warnings.map((warning) => warningLine(warning, dialect))].join("\n"),
  };
}

function cutWarning(head: Head, { isTruncated, counts, items }: Window): Warning[] {
  if (!isTruncated || counts?.next !== undefined) return [];
  if (counts === undefined || counts.offset + items.length >= counts.total)
    return head.warnings.some((warning) => warning.code === "answer/truncated")
      ? []
      : [{ code: "answer/truncated", message: "The answer was cut." }];
  const message = `${items.length} of ${counts.total} are shown.`;
  return [{ code: "answer/truncated", message }];
}

function headline(head: Head, { counts, items, beside }: Window, shape: Shape): string {
  if (counts === undefined || shape.nouns === undefined) return `${head.tool} (${serverText(head)})`;
  const { offset, total } = counts;
  const [one, many] = shape.nouns;
  const noun = total === 1 ? one : many;
  const isUnknown = (shape.doubt?.(beside) ?? []).length > 0;
  const amount =
    total === 0
      ? isUnknown
        ? `unknown whether there are ${many}`
        : `no ${many}`
      : items.length === total
        ? `${total} ${noun}`
        : `${offset + 1}-${offset + items.length} of ${total} ${noun}`;
  return `${head.tool}: ${amount} (${serverText(head)})`;
}

function serverText(head: Head): string {
  return head.serverId === null
    ? `readiness ${head.readiness}`
    : `server ${head.serverId}, ${head.readiness}`;
}

function documentLine(document: JsonObject): string {
  return `Document: ${textOf(document.path ?? document.uri)} sha256 ${textOf(document.sha256)}`;
}
