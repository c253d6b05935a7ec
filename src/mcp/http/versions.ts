/**
 * Revisions of the session era that are served. One that is not is answered before any session is looked for, in words
 * that clients know: they fall back to an older revision on this answer, and on no other.
 */
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { isTable } from "../../base/json.js";
import { isRequest, messagesIn, rpcError } from "./rpc.js";

/** The answer to a revision that is not served; undefined when it is. Strictly, only the newest is, and it must be named. */
export function refuseRevision(
  revision: string | undefined,
  body: unknown,
  strict: boolean,
): Response | undefined {
  if (revision === undefined) {
    // Before the handshake no revision has been agreed on.
    if (!strict || isHandshake(body)) return undefined;
    return rpcError(400, -32000, "Bad Request: MCP-Protocol-Version header is required");
  }
  const served = strict ? [LATEST_PROTOCOL_VERSION] : SUPPORTED_PROTOCOL_VERSIONS;
  if (served.includes(revision)) return undefined;
  return rpcError(400, -32000, `Bad Request: ${unsupported(revision, served)}`);
}

/** Whether a body opens a session. */
export function isHandshake(body: unknown): boolean {
  return messagesIn(body).some((message) => isRequest(message, "initialize"));
}

/**
 * A handshake as strictness reads it: one that asks for the newest revision, or for an older one that may be asked for and
 * is answered with the newest; the answer to any other.
 */
export function strictHandshake(body: unknown, older: readonly string[]): { body: unknown } | Response {
  const params = isTable(body) && isTable(body.params) ? body.params : {};
  const served = [LATEST_PROTOCOL_VERSION, ...older];
  const { protocolVersion: asked } = params;
  if (typeof asked !== "string" || !served.includes(asked))
    return rpcError(200, -32602, unsupported(typeof asked === "string" ? asked : "", served), body);
  const newest = { ...params, protocolVersion: LATEST_PROTOCOL_VERSION };
  return { body: { ...(isTable(body) ? body : {}), params: newest } };
}

function unsupported(revision: string, served: readonly string[]): string {
  const shown = /^[\w.-]{1,32}$/.test(revision) ? revision : "(unreadable)";
  return `Unsupported protocol version: ${shown} (supported versions: ${served.join(", ")})`;
}
