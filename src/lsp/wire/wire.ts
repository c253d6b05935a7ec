/**
 * One connection to a server: requests that always end (answer, timeout, cancel or death), notifications in order,
 * and the two handlers for what the server sends. Knows JSON-RPC, not LSP.
 */

import type { Writable } from "node:stream";
import {
  createMessageConnection,
  ErrorCodes,
  type Message,
  type MessageConnection,
  type MessageWriter,
  ParameterStructures,
  ResponseError,
} from "vscode-jsonrpc/node";
import { Refusal } from "../../base/problem.js";
import type { Transport } from "../process/launch.js";
import type { PartTaker, Trace } from "../types.js";
import { AnswerLane } from "./answer-lane.js";
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
  resolve: (value: unknown) => void;
  fail: (reason: Error) => void;
  /** The same, and the server hears that nobody waits any more. */
  giveUp: (reason: Error) => void;
}

/** An answer, as far as it is one. */
interface AnswerMessage extends Message {
  id?: unknown;
  method?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown } | null;
}

export class Wire {
  readonly #name: string;
  readonly #output: Writable;
  readonly #maxBytes: number;
  readonly #connection: MessageConnection;
  readonly #onLate: WireOptions["onLate"];
  readonly #writer: MessageWriter;
  /** By the number of the request. */
  readonly #pending = new Map<number, Question>();
  #asked = 0;
  readonly #parts = new PartialResults();
  #losses = 0;
  readonly #over: Promise<string>;
  #death: Refusal | undefined;

  constructor(transport: Transport, options: WireOptions) {
    this.#name = options.name;
    this.#output = transport.output;
    this.#maxBytes = options.maxBytes;
    this.#onLate = options.onLate;
    const onSkipped = (skipped: Skipped): void => {
      options.onSkipped(skipped);
      if (skipped.lost) this.#lost(skipped);
    };
    const lane = new AnswerLane((message) => this.#take(message));
    [this.#connection, this.#writer] = connect(transport, options, lane, onSkipped);
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
    for (const question of [...this.#pending.values()]) question.fail(refusal);
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
    signal?: AbortSignal,
    parts?: PartTaker,
  ): Promise<unknown> {
    const asking = (asked: unknown): Promise<unknown> => this.#ask(method, asked, timeoutMs, signal);
    return parts ? this.#parts.during(params, parts, asking) : asking(params);
  }

  #ask(method: string, params: unknown, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    if (this.#death) return Promise.reject(this.#death);
    if (signal?.aborted) return Promise.reject(cancelled(signal));
    return new Promise((resolve, reject) => {
      this.refuseWhenFull();
      const id = this.#asked++;
      const finish = (): void => {
        clearTimeout(alarm);
        this.#pending.delete(id);
        signal?.removeEventListener("abort", onAbort);
      };
      const question: Question = {
        method,
        resolve: (value) => {
          finish();
          resolve(value);
        },
        fail: (reason) => {
          finish();
          reject(reason);
        },
        giveUp: (reason) => {
          this.notify("$/cancelRequest", { id });
          question.fail(reason);
        },
      };
      const onAbort = (): void => question.giveUp(cancelled(signal));
      const alarm = setTimeout(() => question.giveUp(this.#late(method, timeoutMs)), timeoutMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#pending.set(id, question);
      const message = { jsonrpc: "2.0", id, method, params: params ?? undefined };
      this.#writer.write(message).catch((error: unknown) => this.#named(error).then(question.fail));
    });
  }

  /** Takes an answer to a question that somebody waits for. */
  #take(message: Message): boolean {
    const { id, method, result, error } = message as AnswerMessage;
    const question = typeof id === "number" && method === undefined ? this.#pending.get(id) : undefined;
    if (question === undefined || (result === undefined && !error)) return false;
    if (error) question.fail(new ResponseError(error.code, error.message, error.data));
    else question.resolve(result);
    return true;
  }

  /** Some answer cannot be read, and nobody knows whose: what is still unanswered after a moment is given up. */
  #lost({ text }: Skipped): void {
    if (this.#losses >= MAX_LOSSES) return;
    this.#losses += 1;
    const suspects = [...this.#pending];
    const timer = setTimeout(() => {
      this.#losses -= 1;
      for (const [id, question] of suspects) {
        if (this.#pending.get(id) !== question) continue;
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
  lane: AnswerLane,
  onSkipped: (skipped: Skipped) => void,
): [MessageConnection, MessageWriter] {
  const see = (direction: "sent" | "received") => (message: Message) =>
    trace?.({ side: "lsp", server: name, direction, message });
  const plain = new ResyncReader(input, maxBytes, onSkipped);
  const writer = trace ? tapWriter(new FrameWriter(output), see("sent")) : new FrameWriter(output);
  const reader = lane.reader(trace ? tapReader(plain, see("received")) : plain);
  return [createMessageConnection(reader, writer, undefined, { messageStrategy: lane }), writer];
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
