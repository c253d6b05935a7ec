/**
 * Which era of the protocol a message belongs to, told from the message alone, so that the package for the newer one is
 * loaded only for a client that speaks it. Whether what it says is right is that package's to judge.
 */
import { isTable } from "../base/json.js";

const claim = "io.modelcontextprotocol/protocolVersion";
const firstModern = "2026-07-28";

/** Whether a message is of the era without sessions: it names its revision itself, or asks what the server is. */
export function isModernMessage(message: unknown): boolean {
  if (!isTable(message)) return false;
  if (message.method === "server/discover") return true;
  const { params } = message;
  return isTable(params) && isTable(params._meta) && params._meta[claim] !== undefined;
}

/** The revision that stands beside a request of the era without sessions. */
export function revisionIn(envelope: Record<string, unknown>): unknown {
  return envelope[claim];
}

/** Where a result of that era names who gives it. */
export const serverInfo = "io.modelcontextprotocol/serverInfo";

/** Whether a revision is of the era without sessions; revisions are dates. */
export function isModernRevision(revision: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(revision) && revision >= firstModern;
}

/** The name that a client gives itself beside a request of the era without sessions. */
export function clientNameIn(envelope: unknown): string | undefined {
  const client = isTable(envelope) ? envelope["io.modelcontextprotocol/clientInfo"] : undefined;
  return isTable(client) && typeof client.name === "string" ? client.name : undefined;
}

/** Whether a client says beside a request of the era without sessions that it has roots. */
export function hasRoots(envelope: unknown): boolean {
  const capabilities = isTable(envelope) ? envelope["io.modelcontextprotocol/clientCapabilities"] : undefined;
  return isTable(capabilities) && capabilities.roots !== undefined;
}
