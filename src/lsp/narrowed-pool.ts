/** The servers as a session sees them that is limited to some roots. */
import { withoutServerTexts } from "./server-status.js";
import type { LanguageServer, ServerPool } from "./types.js";

/** The roots of a session that sees only a part of the workspace. */
export type SessionRoots = readonly string[] | undefined;

/** A pool that answers sessions of all roots. */
export interface WholePool extends ServerPool {
  get(
    serverId: string,
    path: string | undefined,
    signal: AbortSignal,
    roots?: SessionRoots,
  ): Promise<LanguageServer>;
  running(roots?: SessionRoots): LanguageServer[];
}

export function narrowedPool(pool: WholePool, roots: readonly string[]): ServerPool {
  return {
    get: (serverId, path, signal) => pool.get(serverId, path, signal, roots),
    running: () => pool.running(roots),
    status: () => pool.status().map(withoutServerTexts),
    route: (path) => pool.route(path),
    checkFiles: () => pool.checkFiles(),
    changeCursor: () => pool.changeCursor(),
    changedSince: (cursor) => pool.changedSince(cursor),
    names: () => pool.names(),
    restart: (serverId) => pool.restart(serverId),
    stop: (serverId) => pool.stop(serverId),
    within: (fewer) => pool.within(fewer),
    close: () => pool.close(),
  };
}
