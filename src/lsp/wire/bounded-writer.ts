/**
 * Writes messages to a server. Everything that waits until the server reads it is bounded, in number and in bytes:
 * requests, notifications, and answers to the server's own requests. Over the bound nothing more is kept.
 */
import type { Writable } from "node:stream";
import { AbstractMessageWriter, type Message } from "vscode-jsonrpc/node";

/** Above these, further requests are refused. */
const BUSY_MESSAGES = 1_000;
const BUSY_BYTES = 32 * 1024 * 1024;
/** Above these, the server is given up: only a server that floods us and reads nothing gets here. */
const MAX_MESSAGES = 10_000;
const MAX_BYTES = 128 * 1024 * 1024;

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
