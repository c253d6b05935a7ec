/**
 * Checks the protocol version of requests with sessions.
 * Clients fall back to an older version only on this exact error.
 */
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { isTable } from "../../base/json.js";
import { isRequest, messagesIn, rpcError } from "./json-rpc.js";

/** The error for an unsupported version. `strict` allows only the newest one and requires the header. */
export function rejectVersion(
  version: string | undefined,
  body: unknown,
  strict: boolean,
): Response | undefined {
  if (version === undefined) {
    // Before the handshake no version has been negotiated.
    if (!strict || isHandshake(body)) return undefined;
    return rpcError(400, -32000, "Bad Request: MCP-Protocol-Version header is required");
  }
  const supported = strict ? [LATEST_PROTOCOL_VERSION] : SUPPORTED_PROTOCOL_VERSIONS;
  if (supported.includes(version)) return undefined;
  return rpcError(400, -32000, `Bad Request: ${unsupported(version, supported)}`);
}

/** Whether a body opens a session. */
export function isHandshake(body: unknown): boolean {
  return messagesIn(body).some((message) => isRequest(message, "initialize"));
}

/** For `strict`: one of the allowed older versions is answered with the newest; any other version is an error. */
export function strictHandshake(body: unknown, older: readonly string[]): { body: unknown } | Response {
  const params = isTable(body) && isTable(body.params) ? body.params : {};
  const supported = [LATEST_PROTOCOL_VERSION, ...older];
  const { protocolVersion: requested } = params;
  if (typeof requested !== "string" || !supported.includes(requested))
    return rpcError(200, -32602, unsupported(String(requested ?? ""), supported), body);
  const newest = { ...params, protocolVersion: LATEST_PROTOCOL_VERSION };
  return { body: { ...(isTable(body) ? body : {}), params: newest } };
}

function unsupported(version: string, supported: readonly string[]): string {
  const shown = /^[\w.-]{1,32}$/.test(version) ? version : "(unreadable)";
  return `Unsupported protocol version: ${shown} (supported versions: ${supported.join(", ")})`;
}
