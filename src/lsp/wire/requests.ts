/**
 * Asks a server until the answer can be believed or the time is over. A server that is indexing is asked again when it
 * has finished: early answers lie (typescript-language-server gives the import line as a definition). Errors of the
 * server become refusals here.
 */

import { ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import type { RetryPlan } from "../../abi/plan.js";
import { isTable } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { methods } from "../../protocol/methods.js";
import type { ReadinessState } from "../readiness.js";
import type { RequestOptions, ServerReply } from "../types.js";
import type { Flight } from "../work-progress.js";
import { UNREADABLE } from "./reader.js";
import { redact } from "./redact.js";
import type { Wire } from "./wire.js";

/** Answers about one file's own text: indexing changes nothing in them. */
const LOCAL = new Set([
  "textDocument/documentSymbol",
  "textDocument/foldingRange",
  "textDocument/selectionRange",
  "textDocument/documentLink",
  "textDocument/formatting",
  "textDocument/rangeFormatting",
  "textDocument/onTypeFormatting",
  "textDocument/linkedEditingRange",
]);
/** LSP's ContentModified and ServerCancelled. The package that names them would be most of the program's start. */
const RETRIED: ReadonlySet<number> = new Set([-32801, -32802]);
/** LSP's RequestCancelled. */
const CANCELLED = -32800;
const MAX_RETRIES = 5;
const RETRY_MS = 100;
/** Part of the time after which an answer in hand is given rather than waited with. */
const HOLD = 0.9;
/** Most answers of one call that are not believed because of the server's own work. */
const MAX_DOUBTED = 8;

export interface Asking {
  name: string;
  roots: readonly string[];
  wire: Wire;
  readiness: ReadinessState;
  /** Whether the server reports on its work on a method's requests. */
  tellsProgress: (method: string) => boolean;
  /** How long an empty answer about one file's own text is waited with. */
  warmupMs: number;
}

/** The reply of a server, held while it is indexing and repeated while it is empty; `ended` hears of its end, or of its failure. */
export async function ask(
  given: Asking,
  method: string,
  params: unknown,
  { signal, retryEmpty, parts, roots, onProgress }: RequestOptions,
  timeoutMs: number,
  ended?: () => void,
): Promise<ServerReply> {
  const asking = roots === undefined ? given : { ...given, roots };
  const { readiness } = asking;
  let stop: (() => void) | undefined;
  try {
    stop = onProgress && follow(given, onProgress);
    const start = performance.now();
    const left = (part: number): number => start + timeoutMs * part - performance.now();
    const once = (): Promise<unknown> => {
      parts?.begin();
      return asking.wire.request(method, params, Math.max(1, Math.round(left(1))), signal, parts);
    };
    let empties = 0;
    let refused = 0;
    let previous: Flight | undefined;
    const isOfProject = isRead(method) && !LOCAL.has(method);
    if (isOfProject && mustWaitToAsk(asking)) await waitToAsk(asking, left(HOLD), signal);
    for (let doubted = 0; ; ) {
      const flight = readiness.depart(asking.tellsProgress(method));
      let outcome: { value: unknown } | Refusal;
      try {
        outcome = { value: await once() };
      } catch (error) {
        outcome = await askAgain(asking, method, { error, once, left: () => left(1), signal });
      } finally {
        readiness.arrive(flight, previous);
      }
      previous = flight;
      const first = doubted === 0;
      const isPast = isOfProject && first && readiness.turnedDuring(flight);
      const doubts = (waitMs: number): boolean => readiness.doubts(flight, first, waitMs);
      const timeMs = holdMs(asking, method, left(HOLD));
      const held = isRead(method) && timeMs > 0 && doubted < MAX_DOUBTED && (isPast || doubts(timeMs));
      if (outcome instanceof Refusal) {
        if (!isEarly(outcome) || refused++ > 1) throw outcome;
        if (!held && !(await waitForSign(readiness, retryEmpty, left(HOLD), signal))) throw outcome;
      } else if (!isEmpty(outcome.value)) {
        // True of this file's own text, and no evidence about the rest of the project.
        if (LOCAL.has(method)) return { value: outcome.value, readiness: "ready" };
        if (!held) return believed(readiness, outcome.value);
      } else if (!held && !(await waitForMore(readiness, retryEmpty, empties++, left(HOLD), signal))) {
        return { value: outcome.value, readiness: readiness.now };
      }
      if (!held) continue;
      doubted++;
      if (isPast || (await hold(asking, doubts, timeMs, signal))) continue;
      if (outcome instanceof Refusal) throw outcome;
      return { value: outcome.value, readiness: readiness.now };
    }
  } finally {
    stop?.();
    ended?.();
  }
}

/**
 * Waits for the status of a server that is known to send one: what it says before has to be asked for again. Half of the
 * time and of the patience are kept, as one that stays silent may answer all the same.
 */
function waitToAsk({ readiness, warmupMs }: Asking, leftMs: number, signal: AbortSignal): Promise<boolean> {
  return readiness.waitForStatus(Math.min(warmupMs, leftMs) / 2, warmupMs, signal);
}

function mustWaitToAsk({ readiness }: Asking): boolean {
  return readiness.awaitsStatus && readiness.now !== "indexing";
}

/** How long an answer is held: one about a file's own text, which is empty, for no longer than a server needs to warm up. */
function holdMs({ warmupMs }: Asking, method: string, leftMs: number): number {
  return LOCAL.has(method) ? Math.min(warmupMs, leftMs) : leftMs;
}

/** Waits while the server is at work; false when it still is at the end of the time. */
async function hold(
  { readiness, warmupMs }: Asking,
  doubts: (waitMs: number) => boolean,
  timeMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const indexing = (): boolean => readiness.now === "indexing";
  if (indexing() || !readiness.awaitsStatus) {
    const isOver = (): boolean => !indexing() && (readiness.awaitsStatus || !doubts(timeMs));
    if (await readiness.wait(isOver, timeMs, signal)) return true;
    readiness.waitedInVain(timeMs);
    return false;
  }
  // The status that this kind of server sends has not come yet. One that never sends it is waited for once.
  return (await readiness.waitForStatus(timeMs, warmupMs, signal)) || !readiness.awaitsStatus;
}

function believed(readiness: ReadinessState, value: unknown): ServerReply {
  readiness.answered();
  return { value, readiness: readiness.now };
}

/** Waits before an empty answer is asked for again; false when it is to be believed. */
async function waitForMore(
  readiness: ReadinessState,
  retry: RetryPlan | undefined,
  empties: number,
  leftMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (!retry || (retry.while === "not_ready" && !readiness.mayFill)) return false;
  if (empties + 1 >= retry.attempts || leftMs <= retry.delayMs) {
    readiness.emptySettled();
    return false;
  }
  // Any sign from the server ends the pause early.
  const before = readiness.now;
  await readiness.wait(() => readiness.now !== before, retry.delayMs, signal);
  return true;
}

/**
 * Whether a server refused what it will answer once it has loaded: elm-language-server says "unhandled method" until then,
 * also before it says that it loads; flow gives the question up while it is not connected to its daemon.
 */
function isEarly({ code, data }: Refusal): boolean {
  return code === "lsp/not-supported" || data.code === CANCELLED;
}

/** Waits for a first sign of a server that has shown nothing yet; false when none comes in the pause between two questions. */
async function waitForSign(
  readiness: ReadinessState,
  retry: RetryPlan | undefined,
  leftMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (!retry || !readiness.mayFill) return false;
  const before = readiness.now;
  return readiness.wait(() => readiness.now !== before, Math.min(retry.delayMs, leftMs), signal);
}

/** A question that failed. */
interface Failed {
  error: unknown;
  /** Asks it once more. */
  once(): Promise<unknown>;
  /** Milliseconds that are left. */
  left(): number;
  signal: AbortSignal;
}

/** Asks once more, and again, while the server says that its own state changed under a question. */
async function askAgain(
  asking: Asking,
  method: string,
  { error, once, left, signal }: Failed,
): Promise<{ value: unknown } | Refusal> {
  let latest = error;
  for (let retries = 0; ; retries++) {
    if (!(latest instanceof ResponseError)) throw latest;
    const again = isRead(method) && RETRIED.has(latest.code) && retries < MAX_RETRIES && left() > RETRY_MS;
    if (!again) return refusalOf(asking, method, latest);
    await asking.readiness.wait(() => false, RETRY_MS * (retries + 1), signal);
    try {
      return { value: await once() };
    } catch (error) {
      latest = error;
    }
  }
}

/** Whether asking twice does no more than asking once: true of LSP's own requests, unknown of all others. */
export function isRead(method: string): boolean {
  return Object.hasOwn(methods, method) && method !== "workspace/executeCommand";
}

/** An error of a server as a refusal, without paths outside the roots. */
export function refusalOf(
  asking: Pick<Asking, "name" | "roots">,
  method: string,
  error: ResponseError<unknown>,
): Refusal {
  const words = redact(String(error.message).slice(0, 2_000), asking.roots).slice(0, 500);
  const said = `server "${asking.name}" answered ${method} with an error: ${words}`;
  if (error.code === ErrorCodes.MethodNotFound) {
    return new Refusal("lsp/not-supported", `server "${asking.name}" does not support ${method}`);
  }
  if (error.code === UNREADABLE)
    return new Refusal("lsp/garbled", `server "${asking.name}" answered ${method} with ${words}`);
  return new Refusal("lsp/failed", said, { data: { method, code: error.code } });
}

/** Whether an answer says nothing: null, an empty list, or an empty completion list. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isTable(value) && Array.isArray(value.items) && value.items.length === 0 && value.kind === undefined;
}

function follow({ readiness, roots }: Asking, tell: (text: string) => void): () => void {
  let last: string | null = null;
  const report = (): void => {
    if (readiness.text === null || readiness.text === last) return;
    last = readiness.text;
    tell(redact(last, roots));
  };
  report();
  return readiness.onChange(report);
}
