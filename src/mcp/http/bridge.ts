/**
 * Between Node's requests and responses and the web's, which both SDKs speak. Only headers that the protocol knows are
 * passed on: no token gets any further.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

const passedHeaders = [
  "accept",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
];

/** How long the head of an answer waits for its first part: most answers are out in one piece by then. */
const headMs = 20;

/** The request as the SDKs see it, without its body; its signal aborts when the client goes away. */
export function webRequest(
  request: IncomingMessage,
  response: ServerResponse,
  accept: string | undefined,
): Request {
  const gone = new AbortController();
  const leave = () => {
    if (!response.writableFinished) gone.abort();
  };
  response.once("close", leave);
  if (response.destroyed) leave();
  const headers = new Headers();
  for (const name of passedHeaders) {
    const value = request.headers[name];
    if (value !== undefined) headers.set(name, [value].flat().join(", "));
  }
  if (accept !== undefined) headers.set("accept", accept);
  // Nobody reads the address; it only has to be one.
  return new Request("http://localhost/", { method: request.method ?? "GET", headers, signal: gone.signal });
}

/** Sends a response as its parts come; ends early, and tells the source so, when the client goes away. */
export async function sendResponse(response: Response, to: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(response.headers);
  if (response.body === null) {
    to.writeHead(response.status, { ...headers, "content-length": 0 }).end();
    return;
  }
  to.writeHead(response.status, headers);
  const head = setTimeout(() => to.flushHeaders(), headMs);
  const reader = response.body.getReader();
  const leave = () => void reader.cancel().catch(() => undefined);
  to.once("close", leave);
  if (to.destroyed) leave();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    clearTimeout(head);
    holdForThisTurn(to);
    if (!to.write(part.value)) await drained(to);
  }
  clearTimeout(head);
  to.off("close", leave);
  to.end();
}

/** What is written in one turn, or is the end, goes out together: each piece of its own would wake the client once more. */
function holdForThisTurn(to: ServerResponse): void {
  to.cork();
  setImmediate(() => {
    if (!to.writableEnded) to.uncork();
  });
}

function drained(to: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      to.off("drain", done);
      to.off("close", done);
      resolve();
    };
    to.once("drain", done);
    to.once("close", done);
    if (to.destroyed) done();
  });
}
