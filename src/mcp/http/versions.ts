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
  const shown = /^[\w.-]{1,32}$/.test(revision) ? revision : "(unreadable)";
  const message = `Bad Request: Unsupported protocol version: ${shown} (supported versions: ${served.join(", ")})`;
  return rpcError(400, -32000, message);
}

/** Whether a body opens a session. */
export function isHandshake(body: unknown): boolean {
  return messagesIn(body).some((message) => isRequest(message, "initialize"));
}

/** A handshake that asks for the newest revision, whatever it asked for. */
export function withNewestRevision(body: unknown): unknown {
  if (!isTable(body) || !isTable(body.params)) return body;
  return { ...body, params: { ...body.params, protocolVersion: LATEST_PROTOCOL_VERSION } };
}
