/** Reads what a client says about itself: protocol version, name and roots. Protocol 2026-07-28 sends it in `_meta`. */
import { isTable } from "../base/json.js";
import type { ClientInfo } from "../runtime/call-observer.js";

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const FIRST_MODERN_VERSION = "2026-07-28";

/** Whether a message belongs to protocol 2026-07-28 or later: it names its version, or is `server/discover`. */
export function isModernMessage(message: unknown): boolean {
  if (!isTable(message)) return false;
  if (message.method === "server/discover") return true;
  const { params } = message;
  return isTable(params) && isTable(params._meta) && params._meta[VERSION_KEY] !== undefined;
}

/** Whether a protocol version is 2026-07-28 or later. Versions are dates. */
export function isModernVersion(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_MODERN_VERSION;
}

/** The client's facts in the `_meta` of a request. */
export function clientInfoIn(meta: unknown): ClientInfo | undefined {
  const client = isTable(meta) ? meta[CLIENT_INFO_KEY] : undefined;
  if (!isTable(client) || typeof client.name !== "string") return undefined;
  return { name: client.name, version: typeof client.version === "string" ? client.version : undefined };
}

/** A capability that the client declares in the `_meta` of a request. */
export function declaredIn(meta: unknown, capability: "roots" | "elicitation"): unknown {
  const capabilities = isTable(meta) ? meta[CAPABILITIES_KEY] : undefined;
  return isTable(capabilities) ? capabilities[capability] : undefined;
}

/**
 * The URIs in the `roots` of a client's answer; entries without a URI are skipped. Undefined for an empty list, with
 * which a client says that it has no roots. Throws where it is no list.
 */
export function rootUris(roots: unknown): string[] | undefined {
  if (!Array.isArray(roots)) throw new TypeError("roots is not a list");
  if (roots.length === 0) return undefined;
  return roots.flatMap((root) => (isTable(root) && typeof root.uri === "string" ? [root.uri] : []));
}
