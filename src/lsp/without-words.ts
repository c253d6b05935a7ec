/**
 * What is told of a server to a session that sees a part of the workspace: nothing that the server said unasked, or to
 * others. It may be about files of theirs, and may quote them.
 */
import { Refusal } from "../base/problem.js";
import type { ServerStatus } from "./types.js";

const withheld = "what it said is told to those who see the whole workspace";

/** A status without the server's own words. */
export function withoutWords(status: ServerStatus): ServerStatus {
  return {
    ...status,
    progress: null,
    lastError: status.lastError === null ? null : withheld,
    stderr: [],
  };
}

/** Throws why a server did not start, without what it said to that. */
export function rethrowWithoutWords(serverId: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Refusal) || (error.code !== "lsp/start-failed" && error.code !== "lsp/failed"))
      throw error;
    const { code, nextSteps } = error;
    throw new Refusal(code, `server "${serverId}" did not start; ${withheld}`, { nextSteps, cause: error });
  };
}
