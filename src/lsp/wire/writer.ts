/**
 * Writes LSP messages to a server's input, each in one piece and in the order in which they are given. Header and body
 * together wake the server once; apart they would wake it twice, the first time for nothing.
 */
import type { Writable } from "node:stream";
import { AbstractMessageWriter, type Message } from "vscode-jsonrpc/node";

/** The writer of one connection. */
export class FrameWriter extends AbstractMessageWriter {
  readonly #output: Writable;
  #errors = 0;

  constructor(output: Writable) {
    super();
    this.#output = output;
    output.on("error", (error: Error) => this.fireError(error));
    output.on("close", () => this.fireClose());
  }

  /** Resolves when the system has taken the message, which may be long after a server that reads nothing got it. */
  write(message: Message): Promise<void> {
    return new Promise((resolve, reject) => {
      const body = JSON.stringify(message);
      this.#output.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, "utf8", (error) => {
        if (!error) {
          this.#errors = 0;
          resolve();
          return;
        }
        this.fireError(error, message, ++this.#errors);
        reject(error);
      });
    });
  }

  end(): void {
    this.#output.end();
  }
}
