/** The channel of the program that started the proxy: when the signal of a request aborts. */
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  CancellationTokenSource,
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { connectHost } from "../../src/lsp/wire/host-connection.js";

describe("a request of the host, as on Node 20.0", () => {
  const any = Object.getOwnPropertyDescriptor(AbortSignal, "any");
  beforeEach(() => {
    Reflect.deleteProperty(AbortSignal, "any");
  });
  afterEach(() => {
    if (any !== undefined) Object.defineProperty(AbortSignal, "any", any);
  });

  /** A channel whose method `wait` answers once its signal aborts, and `now` at once. */
  function open() {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const signals: AbortSignal[] = [];
    const connection = connectHost({
      input,
      output,
      maxBytes: 100_000,
      methods: {
        now: async (_params, signal) => signal.aborted,
        wait: (_params, signal) => {
          signals.push(signal);
          return new Promise((resolve) => signal.addEventListener("abort", () => resolve("aborted")));
        },
      },
      onProblem: () => undefined,
    });
    const host = createMessageConnection(new StreamMessageReader(output), new StreamMessageWriter(input));
    host.listen();
    return { connection, host, signals };
  }

  it("has a signal that is not aborted", async () => {
    const { connection, host } = open();
    expect(await host.sendRequest("now")).toBe(false);
    connection.close();
  });

  it("aborts when the host cancels it, and no other does", async () => {
    const { connection, host, signals } = open();
    const cancellation = new CancellationTokenSource();
    void host.sendRequest("wait").catch(() => undefined);
    const answer = host.sendRequest("wait", {}, cancellation.token);
    await vi.waitFor(() => expect(signals).toHaveLength(2), 10_000);
    cancellation.cancel();
    expect(await answer).toBe("aborted");
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    connection.close();
  });

  it("aborts when the channel is closed", async () => {
    const { connection, host, signals } = open();
    void host.sendRequest("wait").catch(() => undefined);
    await vi.waitFor(() => expect(signals).toHaveLength(1), 10_000);
    connection.close();
    expect(signals[0]?.aborted).toBe(true);
  });
});
