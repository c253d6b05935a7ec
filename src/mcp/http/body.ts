/** The body of a request, read to its end and never beyond its bound. */
import type { IncomingMessage } from "node:http";

/** The bytes of a body; undefined when there are more than `most`. Rejects when the client goes away first. */
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
    request.once("error", reject);
    request.once("close", () => reject(new Error("the client went away")));
  });
}
