/**
 * Sends a request until its answer can be trusted or the time is over. A server that is indexing is asked again when it
 * has finished: early answers are wrong (typescript-language-server gives the import line as a definition). Errors of
 * the server become refusals here.
 */
import { ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import type { CompletionList, DocumentDiagnosticReport } from "vscode-languageserver-protocol";
import { fieldsOf } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { errorCodes } from "../../protocol/lsp-constants.js";
import { readMethods, singleFileMethods } from "../../protocol/methods.js";
import type { ReadinessState } from "../readiness.js";
import type { RequestSpan } from "../readiness-signals.js";
import type { ServerReply, ServerRequestOptions } from "../types.js";
import type { ServerConnection } from "./connection.js";
import { MALFORMED, UNREADABLE } from "./message-format.js";
import { redact } from "./redact.js";

const MAX_RETRIES = 5;
const RETRY_MS = 100;
/** After this share of the time, the answer that came is returned instead of waiting longer. */
const HOLD_SHARE = 0.9;
/** How many answers of one call are not trusted because the server is working. */
const MAX_DOUBTED = 8;
/** How many refusals of one call may be due to a server that has not loaded. */
const MAX_EARLY_REFUSALS = 2;

export interface RequestTarget {
  name: string;
  roots: readonly string[];
  connection: ServerConnection;
  readiness: ReadinessState;
  reportsProgress: (method: string) => boolean;
  /** How long an empty answer about one file's own text is not trusted. */
  warmupMs: number;
  /** Whether the server may be ended because it fails since a cancellation. True at most once in two minutes. */
  mayEndStuck: () => boolean;
  /** Ends the server, so that the next request starts it again. */
  end: (reason: string) => Promise<void>;
}

interface GivenRequest {
  method: string;
  params: unknown;
  options: ServerRequestOptions;
  timeoutMs: number;
}

type Outcome = { value: unknown } | Refusal;

/** One request of a call. While the server is indexing the answer is held; an empty answer is asked for again. */
export class ReadyRequest {
  readonly #start = performance.now();
  readonly #isSingleFile: boolean;
  readonly #isRead: boolean;
  /** Whether the answer depends on the whole project, which the server may still be indexing. */
  readonly #isOfProject: boolean;
  #doubted = 0;
  #emptyAnswers = 0;
  #earlyRefusals = 0;

  constructor(
    private readonly target: RequestTarget,
    private readonly given: GivenRequest,
  ) {
    this.#isSingleFile = singleFileMethods.has(given.method);
    this.#isRead = readMethods.has(given.method);
    this.#isOfProject = this.#isRead && !this.#isSingleFile;
  }

  async run(): Promise<ServerReply> {
    const { readiness, reportsProgress } = this.target;
    const { onProgress } = this.given.options;
    const stopProgress = onProgress && reportProgress(this.target, onProgress);
    let previous: RequestSpan | undefined;
    try {
      if (this.#isOfProject) await this.#waitForFirstStatus();
      for (;;) {
        const span = readiness.requestSent(reportsProgress(this.given.method));
        let outcome: Outcome;
        try {
          outcome = await this.#sendUntilCurrent();
        } finally {
          readiness.requestEnded(span, previous);
        }
        previous = span;
        const reply = await this.#replyOf(outcome, span);
        if (reply !== undefined) return reply;
      }
    } finally {
      stopProgress?.();
    }
  }

  /** The reply to return; undefined after a wait, when the request is to be sent again. Throws a final refusal. */
  async #replyOf(outcome: Outcome, span: RequestSpan): Promise<ServerReply | undefined> {
    const { readiness } = this.target;
    if (outcome instanceof Refusal) this.#throwWhenFinal(outcome);
    // An answer about one file's own text holds whatever the server still indexes.
    else if (this.#isSingleFile && !isEmpty(outcome.value)) {
      readiness.answeredAboutFile();
      return { value: outcome.value, readiness: "ready" };
    }
    const isFirst = this.#doubted === 0;
    const becameReady = this.#isOfProject && isFirst && readiness.becameReadyDuring(span);
    const isDoubtful = (waitMs: number): boolean => readiness.isDoubtful(span, isFirst, waitMs);
    const holdMs = this.#holdMs();
    const mayHold = this.#isRead && holdMs > 0 && this.#doubted < MAX_DOUBTED;
    if (mayHold && (becameReady || isDoubtful(holdMs))) {
      this.#doubted++;
      if (becameReady || (await this.#waitWhileWorking(isDoubtful, holdMs))) return undefined;
    } else {
      if (await this.#waitToRetry(outcome)) return undefined;
      if (!(outcome instanceof Refusal || isEmpty(outcome.value))) readiness.answered();
    }
    if (outcome instanceof Refusal) throw outcome;
    return { value: outcome.value, readiness: readiness.now };
  }

  /**
   * Throws a refusal unless the server may answer once it has loaded: elm-language-server says "unhandled method" until
   * then, and flow cancels requests while it is not connected to its daemon.
   */
  #throwWhenFinal(refusal: Refusal): void {
    const isEarly = refusal.code === "lsp/not-supported" || refusal.data.code === errorCodes.RequestCancelled;
    if (!isEarly || this.#earlyRefusals++ >= MAX_EARLY_REFUSALS) throw refusal;
  }

  /** Waits before a refused or empty request is sent again; false when the outcome is final. */
  async #waitToRetry(outcome: Outcome): Promise<boolean> {
    if (outcome instanceof Refusal) return this.#waitForFirstSign();
    return isEmpty(outcome.value) && this.#waitAfterEmpty();
  }

  #leftMs(share = 1): number {
    return this.#start + this.given.timeoutMs * share - performance.now();
  }

  /** How long an answer may be held. An empty one about a single file is held only while the server warms up. */
  #holdMs(): number {
    const left = this.#leftMs(HOLD_SHARE);
    return this.#isSingleFile ? Math.min(this.target.warmupMs, left) : left;
  }

  /** Sends the request, and again when the server says that its state changed before it could answer. */
  async #sendUntilCurrent(): Promise<Outcome> {
    const { name, roots, readiness, connection } = this.target;
    const { method, params, options } = this.given;
    let failedBefore: string | undefined;
    for (let retries = 0; ; retries++) {
      try {
        const timeoutMs = Math.max(1, Math.round(this.#leftMs()));
        options.parts?.begin();
        const { signal, parts } = options;
        return { value: await connection.request(method, params, { timeoutMs, signal, parts }) };
      } catch (error) {
        if (!(error instanceof ResponseError)) throw error;
        const isStale =
          error.code === errorCodes.ContentModified || error.code === errorCodes.ServerCancelled;
        const mayRetry = retries < MAX_RETRIES && this.#leftMs() > RETRY_MS;
        if (this.#isRead && isInternal(error) && connection.wasCancelled(method)) {
          const isSame = error.message === failedBefore;
          failedBefore = error.message;
          if (!isSame && mayRetry) continue;
          if (isSame && this.target.mayEndStuck()) throw await this.#stuck();
        }
        if (!this.#isRead || !isStale || !mayRetry)
          return refusalOf({ name, roots: options.roots ?? roots }, method, error);
      }
      await readiness.wait(() => false, RETRY_MS * (retries + 1), options.signal);
    }
  }

  /**
   * A cancelled request has left the server in a state in which it answers every later one with the same internal error
   * (pyright's references do). It is ended, and the request is sent again to its next start.
   */
  async #stuck(): Promise<Refusal> {
    const { name, end } = this.target;
    const reason = `answered ${this.given.method} with the same internal error since a request was cancelled, and was ended`;
    await end(reason);
    return new Refusal("lsp/exited", `server "${name}" ${reason}`);
  }

  /** Waits for the first status, for half of the time: a server that never sends it may still answer. */
  async #waitForFirstStatus(): Promise<void> {
    const { readiness, warmupMs } = this.target;
    if (!readiness.awaitsStatus || readiness.now === "indexing") return;
    const waitMs = Math.min(warmupMs, this.#leftMs(HOLD_SHARE)) / 2;
    await readiness.waitForStatus(waitMs, warmupMs, this.given.options.signal);
  }

  /** Waits while the server works; false when it still does at the end of the time. */
  async #waitWhileWorking(isDoubtful: (waitMs: number) => boolean, holdMs: number): Promise<boolean> {
    const { readiness, warmupMs } = this.target;
    const { signal } = this.given.options;
    const isIndexing = (): boolean => readiness.now === "indexing";
    if (isIndexing() || !readiness.awaitsStatus) {
      const isOver = (): boolean => !isIndexing() && (readiness.awaitsStatus || !isDoubtful(holdMs));
      if (await readiness.wait(isOver, holdMs, signal)) return true;
      readiness.waitedInVain(holdMs);
      return false;
    }
    // A server that never sends its first status is waited for once.
    return (await readiness.waitForStatus(holdMs, warmupMs, signal)) || !readiness.awaitsStatus;
  }

  /** Waits before the next try after an empty answer; false when the empty answer is final. */
  async #waitAfterEmpty(): Promise<boolean> {
    const { readiness } = this.target;
    const { retryEmpty, signal } = this.given.options;
    const attempts = ++this.#emptyAnswers;
    if (!retryEmpty || (retryEmpty.while === "not_ready" && !readiness.emptyMayChange)) return false;
    const { delayMs, maxDelayMs = delayMs } = retryEmpty;
    const waitMs = Math.max(delayMs, Math.min(attempts * delayMs, maxDelayMs));
    if (attempts >= retryEmpty.attempts || this.#leftMs(HOLD_SHARE) <= waitMs) {
      readiness.emptySettled();
      return false;
    }
    const before = readiness.now;
    await readiness.wait(() => readiness.now !== before, waitMs, signal);
    return true;
  }

  /** Waits for the first report of a server on its state; false when none comes within the retry delay. */
  async #waitForFirstSign(): Promise<boolean> {
    const { readiness } = this.target;
    const { retryEmpty, signal } = this.given.options;
    if (!retryEmpty || !readiness.emptyMayChange) return false;
    const before = readiness.now;
    const waitMs = Math.min(retryEmpty.delayMs, this.#leftMs(HOLD_SHARE));
    return readiness.wait(() => readiness.now !== before, waitMs, signal);
  }
}

function isInternal({ code }: ResponseError<unknown>): boolean {
  return code === ErrorCodes.InternalError || code === ErrorCodes.UnknownErrorCode;
}

/** An error of a server as a refusal, without paths outside the roots. */
export function refusalOf(
  { name, roots }: Pick<RequestTarget, "name" | "roots">,
  method: string,
  error: ResponseError<unknown>,
): Refusal {
  const text = redact(String(error.message).slice(0, 2_000), roots).slice(0, 500);
  if (error.code === ErrorCodes.MethodNotFound)
    return new Refusal("lsp/not-supported", `server "${name}" does not support ${method}`);
  if (error.code === UNREADABLE)
    return new Refusal("lsp/garbled", `server "${name}" answered ${method} with ${text}`);
  if (error.code === MALFORMED)
    return new Refusal("lsp/invalid-reply", `server "${name}" answered ${method} with ${text}`);
  const message = `server "${name}" answered ${method} with an error: ${text}`;
  return new Refusal("lsp/failed", message, { data: { method, code: error.code } });
}

/** Whether an answer holds nothing: null, an empty list, or an empty completion list. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  const { items, kind } = fieldsOf<CompletionList & DocumentDiagnosticReport>(value);
  return Array.isArray(items) && items.length === 0 && kind === undefined;
}

/** Reports each new progress text of the server until the returned function is called. */
function reportProgress({ readiness, roots }: RequestTarget, report: (text: string) => void): () => void {
  let last: string | null = null;
  const update = (): void => {
    if (readiness.text === null || readiness.text === last) return;
    last = readiness.text;
    report(redact(last, roots));
  };
  update();
  return readiness.onChange(update);
}
