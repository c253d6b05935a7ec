/**
 * The JSON-RPC connection to one server: a vscode-jsonrpc connection plus the accounting of requests. Every request
 * ends: with a reply, a timeout, a cancellation, or the end of the server. Knows nothing of LSP.
 */
import type { Writable } from "node:stream";
import {
  AbstractMessageWriter,
  CancellationTokenSource,
  createMessageConnection,
  ErrorCodes,
  type Message,
  type MessageConnection,
  ParameterStructures,
  ProgressType,
  ResponseError,
  TraceFormat,
  Trace as TraceLevel,
} from "vscode-jsonrpc/node";
import { fieldsOf, isTable } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { cancelled, Deadline, nextTurn, untilAborted, withTimeout } from "../../base/timing.js";
import type { Transport } from "../process/launch.js";
import type { PartTaker, Trace } from "../types.js";
import { ResyncReader, type Skipped } from "./resync-reader.js";

/** Requests that may be pending at a server; further ones are refused. */
const MAX_PENDING = 256;
/** Last replies of a server that has ended are waited for this long. */
const DRAIN_MS = 1_000;
/** After an unreadable message, pending requests may still be answered for this long. */
const LOST_MS = 2_000;
const MAX_LOSSES = 32;
/** A closed pipe usually means that the process is ending; its exit code says more than the closed pipe. */
const CLOSED_MS = 2_000;

interface ConnectionOptions {
  name: string;
  maxBytes: number;
  /** Methods whose requests are not cancelled at the server. */
  neverCancel: readonly string[];
  trace?: Trace | undefined;
  onSkipped: (skipped: Skipped) => void;
  onTimeout: (refusal: Refusal) => void;
  onRequest: (method: string, params: unknown) => unknown;
  onNotification: (method: string, params: unknown) => void;
}

export interface SendOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Takes partial results, if the server sends any. */
  parts?: PartTaker | undefined;
}

interface PendingRequest {
  method: string;
  /** Aborted with a refusal to end the request early. */
  abort: AbortController;
}

export class ServerConnection {
  readonly #writer: BoundedWriter;
  readonly #connection: MessageConnection;
  readonly #pending = new Set<PendingRequest>();
  /** Resolves with the reason when the server has ended, or is ended by us, and every pending request was rejected. */
  readonly ended: Promise<string>;
  #endedByUs: (reason: string) => void = () => undefined;
  #isOpen = true;
  #tokens = 0;
  #losses = 0;
  #failure: Refusal | undefined;
  /** Methods with a cancelled request since the last one that succeeded. */
  readonly #cancelled = new Set<string>();

  constructor(
    private readonly transport: Transport,
    private readonly options: ConnectionOptions,
  ) {
    const reader = new ResyncReader(transport.input, options.maxBytes, (skipped) => {
      options.onSkipped(skipped);
      if (skipped.lost) this.#replyLost(skipped);
    });
    this.#writer = new BoundedWriter(transport.output, (reason) => void this.end(reason));
    this.#connection = createMessageConnection(reader, this.#writer);
    this.#connection.onRequest((method, params) => options.onRequest(method, params));
    this.#connection.onNotification((method, params) => options.onNotification(method, params));
    this.#connection.onUnhandledProgress((params) => options.onNotification("$/progress", params));
    // A failed write rejects the request that made it.
    this.#connection.onError(() => {});
    if (options.trace) this.#traceTo(options.trace);
    const drained = new Promise<true>((resolve) => {
      reader.onClose(() => resolve(true));
    });
    this.#connection.onClose(() => void this.#closed());
    const exited = transport.ended.then(async (reason) => {
      if (!this.#failure) await drain(drained);
      this.#fail(reason);
      return reason;
    });
    const endedByUs = new Promise<string>((resolve) => {
      this.#endedByUs = resolve;
    });
    this.ended = Promise.race([exited, endedByUs]);
    this.#connection.listen();
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Refuses further work for a server that reads or answers nothing, so that what waits for it stays bounded. */
  refuseWhenFull(): void {
    if (this.#pending.size < MAX_PENDING && !this.#writer.isBusy) return;
    throw new Refusal("lsp/busy", `server "${this.options.name}" does not keep up with its requests`);
  }

  /** Whether a request of this method was cancelled, and none has succeeded since. */
  wasCancelled(method: string): boolean {
    return this.#cancelled.has(method);
  }

  /** Ends the server at once. The reason continues "the server ..."; pending requests are refused with it. */
  async end(reason: string): Promise<void> {
    this.#fail(reason);
    this.#endedByUs(reason);
    await this.transport.kill();
  }

  /** Rejects every pending and every later request. */
  #fail(reason: string): void {
    if (this.#failure) return;
    const refusal = new Refusal("lsp/exited", `server "${this.options.name}" ${reason}`);
    this.#failure = refusal;
    this.#isOpen = false;
    for (const { abort } of [...this.#pending]) abort.abort(refusal);
    this.#connection.dispose();
  }

  notify(method: string, params?: unknown): void {
    if (!this.#isOpen) return;
    // A failed write means that the server is ending, which is reported elsewhere.
    this.#connection.sendNotification(method, ...positional(params)).catch(() => {});
  }

  /** Sends a request. On timeout and abort the server is sent `$/cancelRequest`, unless it must not be. */
  async request(
    method: string,
    params: unknown,
    { timeoutMs, signal, parts }: SendOptions,
  ): Promise<unknown> {
    if (this.#failure) throw this.#failure;
    if (signal?.aborted) throw cancelled(signal);
    this.refuseWhenFull();
    const request: PendingRequest = { method, abort: new AbortController() };
    const parents = [request.abort.signal, ...(signal ? [signal] : [])];
    const deadline = new Deadline(parents, timeoutMs, () => this.#timedOut(method, timeoutMs));
    const cancellation = new CancellationTokenSource();
    deadline.signal.addEventListener("abort", () => {
      if (!this.#isOpen || this.options.neverCancel.includes(method)) return;
      this.#cancelled.add(method);
      cancellation.cancel();
    });
    this.#pending.add(request);
    const partial = parts && this.#partialResults(params, parts);
    try {
      const sent = positional(partial?.params ?? params);
      const { token } = cancellation;
      const answer = this.#connection.sendRequest(method, ...sent, token);
      const value: unknown = await untilAborted(deadline.signal, answer);
      this.#cancelled.delete(method);
      return value;
    } catch (error) {
      throw deadline.signal.aborted ? cancelled(deadline.signal) : await this.#reasonOf(error);
    } finally {
      deadline.clear();
      partial?.dispose();
      this.#pending.delete(request);
    }
  }

  /** The parameters with a token under which the server may send partial results as `$/progress`. */
  #partialResults(params: unknown, parts: PartTaker): { params: object; dispose: () => void } {
    const partialResultToken = `part-${++this.#tokens}`;
    const { dispose } = this.#connection.onProgress(new ProgressType<unknown>(), partialResultToken, (part) =>
      parts.take(part),
    );
    return { params: { ...(isTable(params) ? params : {}), partialResultToken }, dispose };
  }

  /** A reply was lost and its request is unknown: requests that are still pending after a moment are given up. */
  #replyLost({ text }: Skipped): void {
    if (this.#losses >= MAX_LOSSES) return;
    this.#losses += 1;
    const suspects = [...this.#pending];
    const timer = setTimeout(() => {
      this.#losses -= 1;
      for (const { method, abort } of suspects.filter((request) => this.#pending.has(request))) {
        const message = `server "${this.options.name}" sent ${text}; it may have been the answer to ${method}`;
        abort.abort(new Refusal("lsp/garbled", message));
      }
    }, LOST_MS);
    timer.unref();
  }

  #timedOut(method: string, timeoutMs: number): Refusal {
    const message = `server "${this.options.name}" did not answer ${method} within ${timeoutMs} ms`;
    const refusal = new Refusal("lsp/timeout", message);
    this.options.onTimeout(refusal);
    return refusal;
  }

  /** A server that closed a pipe can never answer again: it is ended, unless it is ending by itself. */
  async #closed(): Promise<void> {
    this.#isOpen = false;
    if ((await withTimeout(this.transport.ended, CLOSED_MS)) !== undefined) return;
    await this.end("closed its input or output");
  }

  /** The server's own error, or the end of the server that a failed write announces. */
  async #reasonOf(error: unknown): Promise<Error> {
    if (error instanceof ResponseError && error.code !== ErrorCodes.MessageWriteError) return error;
    await withTimeout(this.ended, DRAIN_MS);
    if (this.#failure) return this.#failure;
    return new Refusal("lsp/exited", `server "${this.options.name}" cannot be written to`, { cause: error });
  }

  #traceTo(trace: Trace): void {
    const log = (entry: unknown): void => {
      const { type, message } = fieldsOf<{ type: string; message: unknown }>(entry);
      const direction = String(type).startsWith("send") ? "sent" : "received";
      trace({ side: "lsp", server: this.options.name, direction, message });
    };
    void this.#connection.trace(TraceLevel.Messages, { log }, { traceFormat: TraceFormat.JSON });
  }
}

/** Waits for the last replies. When this process is busy, timers run before pipes: they get a few more turns. */
async function drain(drained: Promise<true>): Promise<void> {
  if (await withTimeout(drained, DRAIN_MS)) return;
  for (let turn = 0; turn < 4; turn++) await nextTurn();
}

/** Parameters as vscode-jsonrpc takes them: none rather than `[null]`, which TypeScript 7 rejects. */
function positional(params: unknown): unknown[] {
  if (params === undefined || params === null) return [];
  return Array.isArray(params) ? [ParameterStructures.byPosition, ...params] : [params];
}

/** Above these, further requests are refused. */
const BUSY_MESSAGES = 1_000;
const BUSY_BYTES = 8 * 1024 * 1024;
/** Above these, the server is given up: only a server that floods us and reads nothing gets here. */
const MAX_MESSAGES = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** Writes messages. Everything that waits until the server reads it is bounded; over the bound nothing more is kept. */
export class BoundedWriter extends AbstractMessageWriter {
  #messages = 0;

  /** `onFull` is called with the reason, once for each message that is not kept. */
  constructor(
    private readonly output: Writable,
    private readonly onFull: (reason: string) => void,
  ) {
    super();
    output.on("error", (error) => this.fireError(error, undefined, undefined));
    output.on("close", () => this.fireClose());
  }

  get isBusy(): boolean {
    return this.#messages >= BUSY_MESSAGES || this.output.writableLength >= BUSY_BYTES;
  }

  async write(message: Message): Promise<void> {
    const isFull = this.#messages >= MAX_MESSAGES || this.output.writableLength > MAX_BYTES;
    if (isFull) {
      const reason = `did not read its input: ${this.#messages} messages waited for it, and it was ended`;
      this.onFull(reason);
      throw new Error(reason);
    }
    const body = Buffer.from(JSON.stringify(message));
    this.#messages += 1;
    try {
      await new Promise<void>((resolve, reject) => {
        const frame = Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
        this.output.write(frame, (error) => (error ? reject(error) : resolve()));
      });
    } finally {
      this.#messages -= 1;
    }
  }

  end(): void {
    this.output.end();
  }
}
