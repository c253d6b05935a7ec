/** One HTTP request that passed the checks, with its body and its connection. */
import type { ServerResponse } from "node:http";
import { JSON_ONLY } from "../accept-header.js";

export interface Exchange {
  request: Request;
  outgoing: ServerResponse;
  /** The holder of the request's token. */
  holder: string;
  /** The parsed body; undefined for a method without one. */
  body: unknown;
  messages: unknown[];
  /** Whether the client accepts an event stream; otherwise it gets one JSON document. */
  isStreamed: boolean;
  /** The session, where the client does not name it. */
  sessionId?: string | undefined;
}

/** The headers that the SDKs read. No other header, and no token, is passed on to them. */
const FORWARDED_HEADERS = [
  "accept",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
];

/** The request for an SDK, without its body. Its signal aborts when the client disconnects. */
export function sdkRequest({ request, isStreamed, sessionId }: Exchange): Request {
  const { method, url, signal } = request;
  const headers = new Headers();
  for (const name of FORWARDED_HEADERS) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (sessionId !== undefined) headers.set("mcp-session-id", sessionId);
  if (method === "POST" && !isStreamed) headers.set("accept", JSON_ONLY);
  return new Request(url, { method, headers, signal });
}

/** Calls back once when the response was sent or the client has disconnected. */
export function onceClosed(outgoing: ServerResponse, callback: () => void): void {
  if (outgoing.destroyed) callback();
  else outgoing.once("close", callback);
}
