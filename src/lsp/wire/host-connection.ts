/**
 * A JSON-RPC connection to the program that started the proxy, in LSP's frames. What it sends and what it has not read
 * are bounded; bytes that are no message are skipped and answered with an error.
 */
import type { Readable, Writable } from "node:stream";
import {
  type CancellationToken,
  createMessageConnection,
  ErrorCodes,
  ResponseError,
} from "vscode-jsonrpc/node";
import { sharedAbortController } from "../../base/timing.js";
import { BoundedWriter } from "./connection.js";
import { ResyncReader } from "./resync-reader.js";

/** Requests that may be answered at the same time; further ones are refused. */
const MAX_RUNNING = 64;

/** Answers a request. The signal aborts when the host cancels it or is gone. */
export type HostMethod = (params: unknown, signal: AbortSignal) => Promise<unknown>;

interface HostConnectionOptions {
  input: Readable;
  output: Writable;
  maxBytes: number;
  methods: { readonly [method: string]: HostMethod };
  /** Called with what was skipped, and why the connection was given up. */
  onProblem: (text: string) => void;
}

export interface HostConnection {
  /** Resolves when the host has closed its side, or no longer reads. */
  readonly ended: Promise<void>;
  /** Whether the host has sent a message. */
  readonly isUsed: boolean;
  notify(method: string): Promise<void>;
  close(): void;
}

export function connectHost(options: HostConnectionOptions): HostConnection {
  const { input, output, methods, onProblem } = options;
  const closed = sharedAbortController();
  let [isUsed, running] = [false, 0];
  const writer = new BoundedWriter(output, () => {
    onProblem("the host does not read its answers; its channel is closed");
    closed.abort();
  });
  const reader = new ResyncReader(input, options.maxBytes, ({ text }) => {
    onProblem(`the host sent what is no message: ${text.slice(0, 200)}`);
    const error = { code: ErrorCodes.ParseError, message: "not a JSON-RPC message within the size limit" };
    // A message without a readable id is answered with null, as JSON-RPC wants it.
    const message = { jsonrpc: "2.0", id: null, error };
    writer.write(message).catch(() => undefined);
  });
  const connection = createMessageConnection(reader, writer);
  const answer = async (method: string, params: unknown, token: CancellationToken): Promise<unknown> => {
    isUsed = true;
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined) throw new ResponseError(ErrorCodes.MethodNotFound, `there is no method ${method}`);
    if (running >= MAX_RUNNING)
      throw new ResponseError(ErrorCodes.InternalError, `${MAX_RUNNING} requests are running`);
    const request = new AbortController();
    const abort = () => request.abort();
    if (closed.signal.aborted) abort();
    token.onCancellationRequested(abort);
    closed.signal.addEventListener("abort", abort);
    running++;
    try {
      return await run(params, request.signal);
    } finally {
      closed.signal.removeEventListener("abort", abort);
      running--;
    }
  };
  connection.onRequest(answer);
  connection.onNotification(() => {
    isUsed = true;
  });
  connection.onError(() => undefined);
  const ended = new Promise<void>((resolve) => {
    reader.onClose(() => resolve());
    closed.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  connection.listen();
  return {
    ended,
    get isUsed() {
      return isUsed;
    },
    notify: (method) => connection.sendNotification(method),
    close() {
      closed.abort();
      connection.dispose();
    },
  };
}
