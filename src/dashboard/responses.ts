/** Responses of the dashboard: headers, files of the page, JSON, and the bodies that it reads. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { codes } from "../base/codes.js";
import { parseJson } from "../base/json.js";
import { Refusal } from "../base/problem.js";
import type { ApiError } from "./api.js";

const MAX_BODY_BYTES = 1_048_576;

/** The page loads only its own files, nothing inline, and no other page may show it. */
export const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

const TYPES: { [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export function sendText(
  outgoing: ServerResponse,
  status: number,
  text: string,
  headers: { [name: string]: string } = {},
): void {
  const type = { "content-type": "text/plain; charset=utf-8", "content-length": Buffer.byteLength(text) };
  outgoing.writeHead(status, { ...SECURITY_HEADERS, ...type, ...headers }).end(text);
}

export function sendJson(outgoing: ServerResponse, value: unknown, status = 200): void {
  sendText(outgoing, status, JSON.stringify(value), { "content-type": "application/json" });
}

export function sendError(outgoing: ServerResponse, status: number, code: string, message: string): void {
  const next = Object.hasOwn(codes, code) ? codes[code as keyof typeof codes].fix : null;
  const body: ApiError = { error: { code, message, next } };
  sendJson(outgoing, body, status);
}

/** Answers with a file of the page; false where there is none of that name. */
export function sendFile(outgoing: ServerResponse, folder: string, name: string): boolean {
  const type = /^\w[\w.-]*$/.test(name) ? TYPES[extname(name)] : undefined;
  if (type === undefined) return false;
  try {
    const content = readFileSync(join(folder, name));
    const headers = { "content-type": type, "content-length": content.length };
    outgoing.writeHead(200, { ...SECURITY_HEADERS, ...headers }).end(content);
    return true;
  } catch {
    return false;
  }
}

/** The JSON in the body of a request. Throws a Refusal where there is none, it is too large or it ends early. */
export async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of incoming as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > MAX_BODY_BYTES) throw new Refusal("guard/too-large", "The body is too large.");
      parts.push(part);
    }
  } catch (error) {
    // Reading fails only when the client disconnects.
    throw error instanceof Refusal ? error : new Refusal("guard/invalid-arguments", "The body ended early.");
  }
  const value = parseJson(Buffer.concat(parts).toString("utf8"));
  if (value === undefined) throw new Refusal("guard/invalid-arguments", "The body is not JSON.");
  return value;
}
