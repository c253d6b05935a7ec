/** The status of a server that was never started; whatever is known of another is laid over it. */
import type { ServerState, ServerStatus } from "./types.js";

/** Nothing known but the id and whether it could be started. */
export function blankStatus(id: string, state: ServerState): ServerStatus {
  return {
    id,
    root: null,
    otherRoots: [],
    state,
    readiness: "unknown",
    pid: null,
    version: null,
    uptimeMs: null,
    lastUsedMs: null,
    restarts: 0,
    openDocuments: 0,
    pendingRequests: 0,
    memoryMb: null,
    locked: null,
    encoding: null,
    features: [],
    progress: null,
    notWatched: [],
    lastError: null,
    stderr: [],
  };
}
