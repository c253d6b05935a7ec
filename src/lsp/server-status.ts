/**
 * The status of servers: in words, that of a server that never ran, and what a session limited to some roots may see.
 */
import type { Plan, ServerPlan } from "../abi/plan.js";
import { Refusal } from "../base/problem.js";
import { findProgram, isInUntrustedFolder, type ProgramContext, runsElsewhere } from "./process/program.js";
import { trustCommand } from "./process/trusted.js";
import type { Readiness, ServerState, ServerStatus } from "./types.js";

/**
 * How ready a server is, in words. It may report later that it is ready, so the words do not say that it never does.
 */
export function readinessText(readiness: Readiness): string {
  if (readiness !== "unknown") return readiness;
  return "has not reported whether it has indexed, so answers may be incomplete at first";
}

/** The states in which it helps to know how the server is installed. */
const FAILED_STATES: readonly ServerState[] = ["unavailable", "backoff", "broken"];

const WITHHELD = "its messages are shown only to sessions that see the whole workspace";

/** The status of a server of which only the id and the state are known. */
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
    partlyWatchedFolders: [],
    lastError: null,
    advisesInstall: FAILED_STATES.includes(state),
    stderr: [],
  };
}

/** The status of a server that was not started yet. */
export function unstartedStatus(plan: Plan, server: ServerPlan, context: ProgramContext): ServerStatus {
  const isThere = runsElsewhere(server) || findProgram(plan, server, context) !== undefined;
  const status = blankStatus(server.id, isThere ? "idle" : "unavailable");
  if (isThere || !isInUntrustedFolder(plan, server, context)) return status;
  const lastError = `its program lies in the workspace, which is not trusted: run \`${trustCommand()}\``;
  return { ...status, advisesInstall: false, lastError };
}

/** A status without texts of the server: they may name or quote files of other roots. */
export function withoutServerTexts(status: ServerStatus): ServerStatus {
  const lastError = status.lastError === null ? null : WITHHELD;
  return { ...status, progress: null, lastError, stderr: [] };
}

/** Rethrows the refusal of a start without texts of the server. */
export function rethrowWithoutServerTexts(serverId: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Refusal) || (error.code !== "lsp/start-failed" && error.code !== "lsp/failed"))
      throw error;
    const { code, nextSteps } = error;
    throw new Refusal(code, `server "${serverId}" did not start; ${WITHHELD}`, { nextSteps, cause: error });
  };
}
