/** The members around every answer and the text that says the same: evidence, completeness, warnings, refusals. */
import type { Answer } from "../abi/handler.js";
import type { DialectPlan } from "../abi/plan.js";
import { codes } from "../base/codes.js";
import type { Json, JsonObject } from "../base/json.js";
import type { NextStep, Refusal, Warning } from "../base/problem.js";
import { SCHEMA_VERSION } from "../protocol/envelope.js";
import { codeWord, spellMembers } from "../protocol/members.js";
import type { CallState } from "./call-state.js";
import type { Shape } from "./shapes/shape.js";
import { textOf } from "./shapes/spelt.js";
import { errorMembers, errorWords, numberOf, type Wording, worded } from "./wording.js";

/** What is known of an answer before it is cut or paged. */
export interface Head {
  tool: string;
  serverId: string | null;
  readiness: string;
  dropped: number;
  isCut: boolean;
  document: JsonObject | undefined;
  /** The call's own arguments, where the dialect gives them back. */
  echo: JsonObject;
  /** The candidates, where a tool within this one must know which symbol is meant. */
  question: JsonObject[] | undefined;
  warnings: Warning[];
}

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

/** The evidence of a call, frozen. */
export function headOf(call: CallState): Head {
  const { evidence } = call;
  const { readiness, dropped, document } = evidence;
  const warnings = [...evidence.warnings];
  if (readiness === "indexing" || readiness === "starting")
    warnings.push({
      code: "answer/not-ready",
      message: "The language server is still indexing; the answer may be incomplete.",
    });
  if (call.places.isSnippetCut)
    warnings.push({
      code: "answer/snippet-cut",
      message: "A text beside a place is longer than it may be; it was cut around the place.",
    });
  if (dropped > 0)
    warnings.push({
      code: "answer/dropped",
      message: `${dropped} ${dropped === 1 ? "result lies" : "results lie"} outside the workspace and ${dropped === 1 ? "is" : "are"} not shown.`,
    });
  return {
    tool: call.tool.name,
    serverId: evidence.serverId,
    readiness,
    dropped,
    isCut: evidence.isCut,
    echo: call.plan.dialect.echo === null ? {} : { [call.plan.dialect.echo]: call.input },
    question: evidence.question,
    document: document && { ...call.places.document(document.admitted), sha256: document.hash },
    warnings,
  };
}

/** Where an answer's list stands: under a name, maybe in a table; a null name for answers without one. */
export interface ListPlace {
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
  const { counts, items, beside, steps } = window;
  const warnings = [...head.warnings, ...window.warnings, ...cutWarning(head, window)];
  const structured: JsonObject = {
    schema_version: SCHEMA_VERSION,
    ok: true,
    tool: head.tool,
    server_id: head.serverId,
    readiness: head.readiness,
    ...(counts && { total: counts.total, shown: items.length }),
    truncated: window.isTruncated,
    ...(counts?.next === undefined ? {} : { next_cursor: counts.next }),
    ...(counts && { dropped: head.dropped }),
    ...(head.document && { document: head.document }),
    ...head.echo,
    ...beside,
    ...listMember(place, items),
    ...(head.question && { needs_disambiguation: true, candidates: head.question }),
    ...(steps.length === 0 ? {} : { next_steps: steps.map((step): JsonObject => ({ ...step })) }),
    warnings: warnings.map(warningValue),
  };
  const { listing } = wording.dialect;
  const answer = worded(wording, {
    structured,
    headline: headline(head, window, shape),
    lines: [
      ...(head.document ? [documentLine(head.document)] : []),
      ...shape.text(items, beside, wording.dialect),
    ],
    doubt: shape.doubt?.(beside) ?? [],
    notes: [
      ...warnings.map((warning) => warningLine(warning, wording.dialect)),
      ...(counts?.next === undefined
        ? []
        : [`Next page: call again with ${listing.cursor} "${counts.next}".`]),
      ...steps.map(stepLine),
    ],
    items,
    isEmpty: items.length === 0 && (place.list !== null || beside.text === null),
  });
  return { ...answer, isCut: window.isTruncated };
}

function listMember({ list, within }: ListPlace, items: Json[]): JsonObject {
  if (list === null) return {};
  return within === undefined ? { [list]: items } : { [within]: { [list]: items } };
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

/** A refusal in both forms; without next steps of its own it gives the fix that the catalogue has for its code. */
export function refuse(
  tool: string,
  refusal: Refusal,
  listed: readonly string[],
  warnings: Warning[],
  { dialect, errorText }: Wording,
  input?: JsonObject,
): Answer {
  const own = refusal.nextSteps.filter((step) => step.kind !== "tool" || listed.includes(step.tool));
  // A call that leads on says where to look; what mends the matter is told besides.
  const isMended = own.some((step) => step.kind !== "tool");
  const steps: NextStep[] = isMended ? own : [...own, { kind: "doc", text: codes[refusal.code].fix }];
  const { data } = refusal;
  const { code, message } = errorWords(dialect.errors, refusal.code, refusal.message);
  const hasData = Object.keys(data).length > 0;
  const structured: JsonObject = {
    schema_version: SCHEMA_VERSION,
    ok: false,
    tool,
    error: hasData ? { code, message, data } : { code, message },
    ...errorMembers(dialect.errors, refusal, message),
    ...(dialect.echo === null || input === undefined ? {} : { [dialect.echo]: input }),
    next_steps: steps.map((step): JsonObject => ({ ...step })),
    warnings: warnings.map(warningValue),
  };
  return {
    structured: spellMembers(dialect, structured),
    notes: "",
    headline: `${code}: ${message}`,
    text:
      errorText?.({ ...structured, code, message, data, number: numberOf(dialect.errors, refusal) }) ??
      [
        `Error ${code}: ${message}`,
        ...(hasData ? [`Details: ${JSON.stringify(data)}`] : []),
        ...steps.map(stepLine),
        ...warnings.map((warning) => warningLine(warning, dialect)),
      ].join("\n"),
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

function warningValue({ code, message, data }: Warning): JsonObject {
  return data === undefined ? { code, message } : { code, message, data };
}

function warningLine({ code, message, data }: Warning, { warnings }: DialectPlan): string {
  return `Warning ${codeWord(warnings.codes, code) ?? code}: ${message}${data === undefined ? "" : ` ${JSON.stringify(data)}`}`;
}

function stepLine(step: NextStep): string {
  return step.kind === "tool"
    ? `Next: call ${step.tool} with ${JSON.stringify(step.arguments)} (${step.why})`
    : `Next: ${step.text}`;
}
