/** How a call is shown in its row: what it points at, how it ended, how large its answer is. */
import type { DialectPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { Refusal } from "../base/problem.js";
import { cutCharacters, detached } from "../base/text.js";
import { estimatedTokens } from "../base/token-estimate.js";
import type { CallToolResult, Performed } from "../runtime/call-observer.js";
import type { CallRow } from "./api.js";

const MAX_NAME = 120;
const MAX_TARGET = 240;

/** The answer to a call, as texts. */
export interface TextResult {
  isError: boolean;
  text: string;
  structured: string | undefined;
}

export interface MeasuredResult extends TextResult {
  textBytes: number;
  structuredBytes: number;
}

/** How a call ended, and what was learned of it. */
export function endOf(performed: Performed | undefined, error: unknown): Partial<CallRow> {
  const facts = performed === undefined ? {} : factsOf(performed);
  const refusal = performed?.refusal ?? refusalIn(error);
  if (refusal === undefined) return { outcome: error === undefined ? "ok" : "error", ...facts };
  const kind = refusal.code === "call/cancelled" ? "cancelled" : "error";
  return { outcome: kind, code: refusal.code, ...facts };
}

function factsOf({ evidence, outcome }: Performed): Partial<CallRow> {
  return { server: evidence.serverId, readiness: evidence.readiness, items: outcome.shown ?? null };
}

/** The refusal that an error is, or that a protocol error reports. */
function refusalIn(error: unknown): Refusal | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause].find((each) => each instanceof Refusal);
}

export function answerOf({ content, structuredContent, isError }: CallToolResult): MeasuredResult {
  const text = content.map((block) => block.text).join("\n");
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  const structuredBytes = Buffer.byteLength(structured ?? "");
  return { isError: isError === true, text, structured, textBytes: Buffer.byteLength(text), structuredBytes };
}

/** The size of an answer. Of its two forms a model reads one, so the larger counts as tokens. */
export function sizeOf(answer: MeasuredResult | undefined): Pick<CallRow, "bytes" | "tokens"> {
  if (answer === undefined) return { bytes: null, tokens: null };
  const { textBytes: text, structuredBytes: structure } = answer;
  return { bytes: text + structure, tokens: estimatedTokens(Math.max(text, structure)) };
}

/** The target of the arguments, in the names of the dialect: a place in a file, a symbol or a query. */
export function callTarget(args: unknown, { document, position, symbol, query }: DialectPlan): string {
  if (!isTable(args)) return "";
  const place = isTable(args.position) ? args.position : args;
  const numbers = [place[position.line], place[position.character]].filter(isNumber);
  const file = args[document.field];
  const where = typeof file === "string" ? [[file, ...numbers].join(":")] : [];
  const names = [args[symbol.name], args[query]].filter((name) => typeof name === "string" && name !== "");
  return cut([...where, ...names].join(" "), MAX_TARGET);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

/** The beginning of a text. */
export function cut(text: string, most: number): string {
  const start = cutCharacters(text, most);
  return start.cut ? detached(`${start.text}...`) : text;
}

/** The beginning of a name that a client gave. */
export function short(name: string): string {
  return cut(name, MAX_NAME);
}
