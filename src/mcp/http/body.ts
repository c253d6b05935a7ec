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
    request.once("end", () => resolve(Buffer.concat(chunks)));
    const leave = () => reject(new ClientGone());
    request.once("error", leave);
    request.once("close", leave);
  });
}
