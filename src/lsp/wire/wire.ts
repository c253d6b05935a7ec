/**
 * One connection to a server: requests that always end (answer, timeout, cancel or death), notifications in order,
 * and the two handlers for what the server sends. Knows JSON-RPC, not LSP.
 */

import type { Writable } from "node:stream";
import {
  CancellationTokenSource,
  createMessageConnection,
  ErrorCodes,
  type Message,
  type MessageConnection,
  ParameterStructures,
  ResponseError,
} from "vscode-jsonrpc/node";
import { Refusal } from "../../base/problem.js";
import type { StopSignal } from "../../base/stop.js";
import type { Transport } from "../process/launch.js";
import type { PartTaker, Trace } from "../types.js";
import { cancelled } from "./cancel.js";
import { PartialResults } from "./partial-results.js";
import { ResyncReader, type Skipped } from "./reader.js";
import { tapReader, tapWriter } from "./tap.js";
import { FrameWriter } from "./writer.js";

const DRAIN_MS = 1_000;
/** Questions that may be open at a server at once; past them it is answered for. */
const MAX_PENDING = 256;

/** How long questions wait on after a message that may have been the answer to any of them. */
const LOST_MS = 2_000;
/** So many losses are followed at once. */
const MAX_LOSSES = 32;

/** How long a closed output may wait for the news of how the process ended, which says more. */
const CLOSED_MS = 2_000;

export interface WireOptions {
  /** How the server is called in messages. */
  name: string;
  maxBytes: number;
  trace?: Trace | undefined;
  onSkipped: (skipped: Skipped) => void;
  /** Hears of each question that was not answered in time. */
  onLate: (refusal: Refusal) => void;
  onRequest: (method: string, params: unknown) => unknown;
  onNotification: (method: string, params: unknown) => void;
}

/** A question that waits for its answer. */
interface Question {
  method: string;
  fail: (reason: Error) => void;
  /** The same, and the server hears that nobody waits any more. */
  giveUp: (reason: Error) => void;
}

export class Wire {
  readonly #name: string;
  readonly #output: Writable;
  readonly #maxBytes: number;
  readonly #connection: MessageConnection;
  readonly #onLate: WireOptions["onLate"];
  readonly #pending = new Set<Question>();
  readonly #parts = new PartialResults();
  #losses = 0;
  readonly #over: Promise<string>;
  #death: Refusal | undefined;

  constructor(transport: Transport, options: WireOptions) {
    this.#name = options.name;
    this.#output = transport.output;
    this.#maxBytes = options.maxBytes;
    this.#onLate = options.onLate;
    this.#connection = connect(transport, options, (skipped) => {
      options.onSkipped(skipped);
      if (skipped.lost) this.#lost(skipped);
    });
    this.#connection.onRequest((method, params) => options.onRequest(method, params));
    this.#connection.onNotification((method, params) => options.onNotification(method, params));
    // The connection keeps a handler of its own for progress, which would hide it from the one for everything.
    this.#connection.onNotification("$/progress", (params) => {
      if (!this.#parts.take(params)) options.onNotification("$/progress", params);
    });
    // Write errors surface where the write was made; the process's own end says the rest.
    this.#connection.onError(() => {});
    const drained = new Promise<void>((done) => {
      this.#connection.onClose(() => done());
    });
    this.#over = transport.ended.then(async (reason) => {
      // The last answers may still be in the pipe.
      if (!this.#death) await drain(drained);
      this.fail(new Refusal("lsp/exited", `server "${this.#name}" ${reason}`));
      return reason;
    });
    void drained.then(async () => {
      // A server that closed its output and lives on can never answer again. One that has ended is told of above.
      if (await within(transport.ended, CLOSED_MS)) return;
      this.fail(new Refusal("lsp/exited", `server "${this.#name}" closed its output`));
      await transport.kill();
    });
    this.#connection.listen();
  }

  /** Resolves, with the reason, when the server has ended and everything pending was rejected. */
  get over(): Promise<string> {
    return this.#over;
  }

  get dead(): boolean {
    return this.#death !== undefined;
  }

  /** Requests that wait for an answer. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Refuses more work while a server takes in nothing, or answers nothing: what waits here stays bounded. */
  refuseWhenFull(): void {
    if (this.#pending.size < MAX_PENDING && this.#output.writableLength <= this.#maxBytes) return;
    throw new Refusal("lsp/busy", `server "${this.#name}" does not keep up with its questions`);
  }

  /** Rejects all that is pending, and everything later, with this refusal. */
  fail(refusal: Refusal): void {
    if (this.#death) return;
    this.#death = refusal;
    for (const question of [...this.#pending]) question.fail(refusal);
    this.#connection.dispose();
  }

  notify(method: string, params?: unknown): void {
    if (this.#death) return;
    const send = async (): Promise<void> => this.#connection.sendNotification(method, ...spread(params));
    // A closed connection or a failed write means that the server is ending, and `over` tells everybody.
    send().catch(() => {});
  }

  /** Asks and waits; on timeout and abort the server hears `$/cancelRequest`. With `parts` it may answer piecemeal. */
  request(
    method: string,
    params: unknown,
    timeoutMs: number,
    signal?: StopSignal,
    parts?: PartTaker,
  ): Promise<unknown> {
    const asking = (asked: unknown): Promise<unknown> => this.#ask(method, asked, timeoutMs, signal);
    return parts ? this.#parts.during(params, parts, asking) : asking(params);
  }

  #ask(method: string, params: unknown, timeoutMs: number, signal?: StopSignal): Promise<unknown> {
    if (this.#death) return Promise.reject(this.#death);
    if (signal?.aborted) return Promise.reject(cancelled(signal));
    return new Promise((resolve, reject) => {
      this.refuseWhenFull();
      const source = new CancellationTokenSource();
      const finish = (): void => {
        clearTimeout(timer);
        this.#pending.delete(question);
        signal?.removeEventListener("abort", onAbort);
      };
      const fail = (reason: Error): void => {
        finish();
        reject(reason);
      };
      const giveUp = (reason: Error): void => {
        source.cancel();
        fail(reason);
      };
      const question: Question = { method, fail, giveUp };
      const onAbort = (): void => giveUp(cancelled(signal));
      const timer = setTimeout(() => giveUp(this.#late(method, timeoutMs)), timeoutMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#pending.add(question);
      const send = async (): Promise<unknown> =>
        this.#connection.sendRequest<unknown>(method, ...spread(params), source.token);
      send().then(
        (value) => {
          finish();
          resolve(value);
        },
        (error: unknown) => void this.#named(error).then(fail),
      );
    });
  }

  /** Some answer cannot be read, and nobody knows whose: what is still unanswered after a moment is given up. */
  #lost({ text }: Skipped): void {
    if (this.#losses >= MAX_LOSSES) return;
    this.#losses += 1;
    const suspects = [...this.#pending];
    const timer = setTimeout(() => {
      this.#losses -= 1;
      for (const question of suspects) {
        if (!this.#pending.has(question)) continue;
        const words = `server "${this.#name}" sent ${text}; it may have been the answer to ${question.method}`;
        question.giveUp(new Refusal("lsp/garbled", words));
      }
    }, LOST_MS);
    timer.unref();
  }

  #late(method: string, timeoutMs: number): Refusal {
    const words = `server "${this.#name}" did not answer ${method} within ${timeoutMs} ms`;
    const refusal = new Refusal("lsp/timeout", words);
    this.#onLate(refusal);
    return refusal;
  }

  /** The server's own error, or the end that a failed write announces. */
  async #named(error: unknown): Promise<Error> {
    if (error instanceof ResponseError && error.code !== ErrorCodes.MessageWriteError) return error;
    await within(this.#over, DRAIN_MS);
    if (this.#death) return this.#death;
    return new Refusal("lsp/exited", `server "${this.#name}" cannot be written to`, { cause: error });
  }
}

function connect(
  { input, output }: Transport,
  { name, trace, maxBytes }: WireOptions,
  onSkipped: (skipped: Skipped) => void,
): MessageConnection {
  const reader = new ResyncReader(input, maxBytes, onSkipped);
  const writer = new FrameWriter(output);
  if (!trace) return createMessageConnection(reader, writer);
  const see = (direction: "sent" | "received") => (message: Message) =>
    trace({ side: "lsp", server: name, direction, message });
  return createMessageConnection(tapReader(reader, see("received")), tapWriter(writer, see("sent")));
}

/**
 * Waits for the last answers of a server that has ended. A busy process sees its timers before its pipes, so after the
 * time it looks at the pipes once more: a read, the reader's turn, the connection's.
 */
async function drain(drained: Promise<void>): Promise<void> {
  if (await within(drained, DRAIN_MS)) return;
  for (let turn = 0; turn < 4; turn++) await new Promise((done) => setImmediate(done));
}

/** Whether the promise is done within the time. */
async function within(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((done) => {
    timer = setTimeout(() => done(false), timeoutMs);
  });
  const settled = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return settled;
}

/** Parameters as the connection wants them: none at all rather than `[null]`, which TypeScript 7 rejects. */
function spread(params: unknown): unknown[] {
  if (params === undefined || params === null) return [];
  return Array.isArray(params) ? [ParameterStructures.byPosition, ...params] : [params];
}
