/** The body of a request, read to its end and never beyond its bound. */
import type { IncomingMessage } from "node:http";

/** The client left before its request was whole: nobody is there to be answered. */
export class ClientGone extends Error {
  constructor() {
    super("the client went away");
    this.name = "ClientGone";
  }
}

/** The bytes of a body; undefined when there are more than `most`. Rejects with ClientGone. */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= most) chunks.push(chunk);
      else {
        request.removeAllListeners("data");
        request.pause();
        resolve(undefined);
      }
    });
    // Each request is closed at some time; only one that is not whole was left.
    const leave = () => {
      if (!request.readableEnded) reject(new ClientGone());
    };
    request.once("end", () => {
      const [first] = chunks;
      resolve(chunks.length === 1 ? first : Buffer.concat(chunks));
    });
    request.once("error", leave);
    request.once("close", leave);
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** What a body says; undefined when it is not JSON. */
export function parseBody(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}
