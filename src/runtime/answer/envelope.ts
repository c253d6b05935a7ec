/** The members around every answer, and the text that says the same: servers, completeness, warnings, candidates. */
import type { Answer } from "../../abi/handler.js";
import type { OutputPlan } from "../../abi/plan.js";
import { define, defineAll, type Json, type JsonObject } from "../../base/json.js";
import type { NextStep, Warning } from "../../base/problem.js";
import { renameMembers } from "../../protocol/dialect-format.js";
import { SCHEMA_VERSION } from "../../protocol/envelope.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import type { CallState } from "../call-state.js";
import type { Shape } from "../shapes/shape.js";
import {
  renderAnswer,
  stepLine,
  type ToolTexts,
  textOf,
  warningLine,
  warningValue,
  wholeText,
} from "./answer-text.js";
import { addMembers, formed } from "./dialect-forms.js";

/** A whole answer, or one page of its list. */
interface Body {
  items: Json[];
  beside: JsonObject;
  /** For a counted list: where the page is in the whole. */
  counts: { offset: number; total: number; next: string | undefined } | undefined;
  isTruncated: boolean;
  /** Warnings about what was dropped to make the rest fit. */
  warnings: Warning[];
  /** Next steps, where the answer was cut and no page follows. */
  steps: NextStep[];
}

export interface AnswerShape {
  call: Pick<CallState, "tool" | "texts">;
  facts: ShapeFacts;
  shape: Shape;
}

export function envelop({ call, facts, shape }: AnswerShape, header: Header, body: Body): Answer {
  const { texts, tool } = call;
  const { items, beside } = body;
  const { dialect } = texts;
  const warnings = [...header.warnings, ...body.warnings, ...cutWarnings(header, body)];
  const lines = shape.text(items, beside, dialect);
  const answer = renderAnswer(texts, {
    structured: structureOf(header, body, warnings, (out) => {
      defineList(out, tool.output, facts, items, header, texts);
      if (dialect.answers !== undefined) addMembers(out, tool.output.shape, header.symbol, texts);
    }),
    headline: headline(header, body, shape),
    lines: header.document === undefined ? lines : [documentLine(header.document), ...lines],
    unknown: shape.unknown?.(beside) ?? [],
    notes: [
      ...warnings.map((warning) => warningLine(warning, dialect)),
      ...nextPageLines(body, dialect.listing.cursor),
      ...body.steps.map(stepLine),
    ],
    items,
    isEmpty: items.length === 0 && (facts.list !== null || beside.text === null),
  });
  const { counts, isTruncated } = body;
  return {
    ...answer,
    isCut: isTruncated,
    shown: counts && items.length,
    next: counts?.next,
    status: beside.status,
  };
}

function nextPageLines({ counts }: Body, argument: string): string[] {
  return counts?.next === undefined
    ? []
    : [`Next page: call again with the same arguments and ${argument} "${counts.next}".`];
}

function structureOf(
  header: Header,
  { counts, items, beside, steps, isTruncated }: Omit<Body, "warnings">,
  warnings: Warning[],
  addList: (out: JsonObject) => void = () => undefined,
): JsonObject {
  const out: JsonObject = {
    schema_version: SCHEMA_VERSION,
    ok: true,
    tool: header.tool,
    server_id: header.serverId,
    readiness: header.readiness,
    ...(counts && { total: counts.total, shown: items.length }),
    truncated: isTruncated,
    ...(counts?.next !== undefined && { next_cursor: counts.next }),
    ...(counts && { dropped: header.dropped }),
    ...(header.document && { document: header.document }),
  };
  defineAll(out, header.echo);
  defineAll(out, beside);
  addList(out);
  if (header.candidates !== undefined) {
    out.needs_disambiguation = true;
    out.candidates = header.candidates;
  }
  if (steps.length > 0) out.next_steps = steps.map((step): JsonObject => ({ ...step }));
  out.warnings = warnings.map(warningValue);
  return out;
}

/** Adds the list under its name, maybe in a table or under the symbol that the call named. */
function defineList(
  out: JsonObject,
  { list: name, count, symbols, shape, item = shape, raw }: OutputPlan,
  { list: usual, within }: ShapeFacts,
  whole: Json[],
  { symbol }: Header,
  texts: ToolTexts,
): void {
  if (usual === null || raw !== undefined) return;
  const list = name ?? usual;
  const items = texts.dialect.items === undefined ? whole : formed(item, whole, texts);
  if (count !== null) define(out, count, items.length);
  if (symbols === null) {
    if (within === undefined) define(out, list, items);
    else define(out, within, { [list]: items });
    return;
  }
  const found: Json[] = symbol === undefined ? [] : [{ symbol, [list]: items }];
  if (symbols.count !== null) define(out, symbols.count, found.length);
  define(out, symbols.list, found);
}

/** The answer when several symbols or lines match: the candidates, in the same members as other answers have. */
export function disambiguation(
  header: Header,
  message: string,
  candidates: JsonObject[],
  isTruncated: boolean,
  lines: string[],
  texts: ToolTexts,
): Answer {
  const { dialect, text } = texts;
  const warnings: Warning[] = [...header.warnings, { code: "answer/several-matches", message }];
  const body = { items: [], beside: {}, counts: undefined, isTruncated, steps: [] };
  const title = `${header.tool}: needs disambiguation, ${candidates.length} candidates${serverText(header)}`;
  // A template has no words for candidates; where the structure is sent, the headline is enough.
  const isShort = text !== undefined && dialect.result !== "text";
  const plain = structureOf(
    { ...header, candidates: formed("candidates", candidates, texts) },
    body,
    warnings,
  );
  const structured = renameMembers(dialect, plain);
  const long = () =>
    [title, ...lines, ...warnings.map((warning) => warningLine(warning, dialect))].join("\n");
  return {
    structured,
    notes: "",
    headline: title,
    candidates,
    isCut: isTruncated,
    text: isShort ? title : (wholeText(texts, structured) ?? long()),
  };
}

function cutWarnings(header: Header, { isTruncated, counts, items }: Body): Warning[] {
  if (!isTruncated || counts?.next !== undefined) return [];
  if (counts !== undefined && counts.offset + items.length < counts.total)
    return [{ code: "answer/truncated", message: `${items.length} of ${counts.total} are shown.` }];
  return header.warnings.some((warning) => warning.code === "answer/truncated")
    ? []
    : [{ code: "answer/truncated", message: "The answer was cut." }];
}

function headline(header: Header, { counts, items, beside }: Body, shape: Shape): string {
  const servers = serverText(header);
  if (counts === undefined || shape.nouns === undefined) return `${header.tool}${servers}`;
  const { offset, total } = counts;
  const subject = shape.subject?.(beside);
  if (subject !== undefined) return `${header.tool}: ${subject}${servers}`;
  const [one, many] = shape.nouns;
  const noun = total === 1 ? one : many;
  if (total === 0) {
    const isUnknown = (shape.unknown?.(beside) ?? []).length > 0;
    return `${header.tool}: ${isUnknown ? "unknown whether there are" : "no"} ${many}${servers}`;
  }
  const amount = items.length === total ? total : `${offset + 1}-${offset + items.length} of ${total}`;
  return `${header.tool}: ${amount} ${noun}${servers}`;
}

/** The servers that answered; an answer of the proxy itself has no readiness. */
function serverText({ serverId, readiness }: Header): string {
  return serverId === null ? "" : ` (server ${serverId}, ${readiness})`;
}

function documentLine(document: JsonObject): string {
  const name = `Document: ${textOf(document.path ?? document.uri)}`;
  return document.sha256 === undefined ? name : `${name} sha256 ${textOf(document.sha256)}`;
}

/** The header of an answer, fixed before the answer is cut or paged. */
export interface Header {
  tool: string;
  serverId: string | null;
  readiness: string;
  dropped: number;
  isCut: boolean;
  document: JsonObject | undefined;
  /** The call's own arguments, where the dialect echoes them. */
  echo: JsonObject;
  symbol: Json | undefined;
  /** The candidates, where a tool within this one needs to know which symbol is meant. */
  candidates: Json[] | undefined;
  warnings: Warning[];
}

/** The header of a call's answer, from its evidence so far. */
export function headerOf(call: CallState): Header {
  const { evidence, plan, places } = call;
  const { readiness, dropped, document } = evidence;
  return {
    tool: call.tool.name,
    serverId: evidence.serverId,
    readiness,
    dropped,
    isCut: evidence.isCut,
    echo: {
      ...(plan.dialect.echo === null ? {} : { [plan.dialect.echo]: call.input }),
      ...(plan.dialect.position.used === undefined ? {} : usedPosition(call, plan.dialect.position.used)),
    },
    symbol: evidence.symbol && formedSymbol(call, evidence.symbol),
    candidates: evidence.candidates,
    document: document && {
      ...places.document(document.admitted),
      ...(call.tool.effect === "edit" && { sha256: document.hash }),
    },
    warnings: [
      ...evidence.warnings,
      ...readinessWarnings(readiness),
      ...snippetWarnings(call),
      ...(places.hasLibraries ? [libraryWarning] : []),
      ...droppedWarnings(dropped),
    ],
  };
}

/** The position that was asked about, for tools that take one. */
function usedPosition({ evidence, tool }: CallState, member: string): JsonObject {
  const place = tool.input.includes("position") ? evidence.target?.place : undefined;
  return place === undefined ? {} : { [member]: { line: place.line, character: place.character } };
}

function formedSymbol({ texts }: CallState, symbol: JsonObject): Json | undefined {
  return formed("symbol", [symbol], texts)[0];
}

function readinessWarnings(readiness: string): Warning[] {
  if (readiness !== "indexing" && readiness !== "starting") return [];
  const server = `${readiness === "starting" ? "A" : "The"} language server`;
  const message = `${server} is still ${readiness}; the answer may be incomplete.`;
  return [{ code: "answer/not-ready", message }];
}

/** Marks answers with files of dependencies: they are read-only, and their paths are absolute. */
const libraryWarning: Warning = {
  code: "answer/library",
  message:
    "Files with an absolute path belong to dependencies or a standard library: they can be read, not edited.",
  data: { library: true },
};

function droppedWarnings(dropped: number): Warning[] {
  if (dropped === 0) return [];
  const [lie, are] = dropped === 1 ? ["result lies", "is"] : ["results lie", "are"];
  const message = `${dropped} ${lie} outside the workspace and ${are} not shown.`;
  return [{ code: "answer/dropped", message }];
}

/** Warnings about the snippets of this page only. */
export function snippetWarnings({ places }: CallState): Warning[] {
  if (!places.isSnippetCut) return [];
  const message = "A snippet was longer than allowed and was cut around its range.";
  return [{ code: "answer/snippet-cut", message }];
}

/** The header without the warnings that belong to one page only. */
export function sharedHeader(header: Header): Header {
  return { ...header, warnings: header.warnings.filter(({ code }) => code !== "answer/snippet-cut") };
}
