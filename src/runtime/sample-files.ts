/**
 * Finds one file for each server, preferably in its main language rather than a `go.mod` or a lock file. A question
 * about the whole workspace starts a server for such a file, in that file's project; a server without a file is not
 * started.
 */
import { basename, dirname, join, relative } from "node:path";
import type { ServerPlan } from "../abi/plan.js";
import { statOf } from "../base/file-stamp.js";
import { homeOf } from "../base/home.js";
import { type KeyPart, sortBy } from "../base/order.js";
import { isInside, slashed } from "../base/paths.js";
import { Refusal } from "../base/problem.js";
import { isInOutput, likelyKey } from "../lsp/documents/project-files.js";
import { languageIdOf } from "../lsp/route.js";
import type { PoolContext, ServerPool } from "../lsp/types.js";
import type { FileChange } from "../lsp/watch/workspace-changes.js";
import { fileChangeTypes } from "../protocol/lsp-constants.js";
import type { Gate } from "../workspace/gate-types.js";
import { type Walk, walk, walkedDisk, walkInTurns } from "../workspace/walk.js";

/** The score of a file in the main language and not in a secondary folder. */
const BEST = 3;

const MOST_LIKELY = 12;
/** Files of one name. */
const MOST_NAMED = 1_000;

/** The best file found so far, by the id of the server. */
type Samples = Map<string, { path: string; score: number }>;

/** The samples of one workspace; the search runs on demand, on the disk only until the watch knows all names. */
export class SampleFiles {
  /** The last search, and what was known of the workspace when it began. */
  #last: { found: Promise<Samples>; readRoots: number; cursor: number } | undefined;

  constructor(
    private readonly gate: Gate,
    private readonly pool: Pick<ServerPool, "route" | "names">,
    private readonly serverIds: readonly string[],
    private readonly env: PoolContext["env"],
  ) {}

  /** A file that the server handles, or undefined when the bounded search finds none. */
  async find(serverId: string): Promise<string | undefined> {
    const path = (await this.#scanned()).get(serverId)?.path;
    if (path === undefined || statOf(path)?.isFile()) return path;
    this.#last = undefined;
    return (await this.#scanned()).get(serverId)?.path;
  }

  /** More files of the server's main language, one of each folder: those in source folders first. */
  async likely(serverId: string): Promise<string[]> {
    const byFolder = new Map<string, { path: string; key: KeyPart[] }>();
    for (const root of this.gate.roots)
      await walkInTurns(this.#walk(root), (name) => {
        const path = join(root, name);
        const folders = name.split("/").slice(0, -1);
        const server = this.pool.route(path).find(({ id }) => id === serverId);
        const isMain = server !== undefined && languageIdOf(server, path, "") === server.languageId;
        if (!isMain || byFolder.has(dirname(path)) || !isShown(this.gate, path)) return false;
        byFolder.set(dirname(path), { path, key: [...likelyKey(folders, isMain), name] });
        return false;
      });
    return sortBy([...byFolder.values()], ({ key }) => key)
      .slice(0, MOST_LIKELY)
      .map(({ path }) => path);
  }

  /** Files of these servers that may be shown, at most so many. */
  async filesOf(servers: readonly ServerPlan[], most: number): Promise<string[]> {
    const paths: string[] = [];
    for (const root of this.gate.roots)
      await walkInTurns(this.#walk(root), (name) => {
        const path = join(root, name);
        const isOwn = this.pool.route(path).some(({ id }) => servers.some((server) => server.id === id));
        if (isOwn && isShown(this.gate, path)) paths.push(path);
        return paths.length >= most;
      });
    return paths;
  }

  /** The absolute paths of the files of that name, as far as the watch knows the names; folders are not listed. */
  async named(name: string): Promise<string[]> {
    const found: string[] = [];
    for (const root of this.gate.roots) {
      if (name === "" || this.pool.names().filesOf(root) === undefined) continue;
      await walkInTurns(this.#walk(root), (path) => {
        if (basename(path) === name) found.push(join(root, path));
        return found.length > MOST_NAMED;
      });
    }
    return found;
  }

  /** The samples. They are searched again when a file was created or deleted that would change them. */
  async #scanned(): Promise<Samples> {
    const names = this.pool.names();
    const last = this.#last;
    if (last?.readRoots === names.readRoots) {
      const found = await last.found;
      if (!names.since(last.cursor).some((change) => this.#changesSamples(change, found))) {
        last.cursor = Math.max(names.cursor, last.cursor);
        return found;
      }
    }
    const next = { found: this.#search(), readRoots: names.readRoots, cursor: names.cursor };
    this.#last = next;
    next.found.catch(() => {
      if (this.#last === next) this.#last = undefined;
    });
    return next.found;
  }

  #changesSamples({ path, type }: FileChange, found: Samples): boolean {
    if (type === fileChangeTypes.Deleted) return [...found.values()].some((sample) => sample.path === path);
    return type === fileChangeTypes.Created && this.#better(path, found).length > 0;
  }

  #walk(root: string): Walk {
    const user = { env: this.env, home: homeOf(this.env) };
    return walk(root, this.pool.names().filesOf(root) ?? walkedDisk, user);
  }

  /** Searches root by root, until every server has a file with the best score. */
  async #search(): Promise<Samples> {
    const found: Samples = new Map();
    const isDone = () => this.serverIds.every((id) => found.get(id)?.score === BEST);
    for (const root of this.gate.roots) {
      if (isDone()) break;
      await walkInTurns(this.#walk(root), (path) => {
        const better = this.#better(join(root, path), found);
        return better.length > 0 && this.#take(better, join(root, path), found).then(isDone);
      });
    }
    return found;
  }

  /** The servers for which a file is better than what they have. */
  #better(path: string, found: Samples): { id: string; score: number }[] {
    const root = this.gate.roots.find((folder) => isInside(path, folder)) ?? "";
    const base = isInOutput(slashed(relative(root, path)).split("/")) ? 0 : 1;
    const isMain = (server: ServerPlan) => languageIdOf(server, path, "") === server.languageId;
    return this.pool
      .route(path)
      .filter(({ id }) => this.serverIds.includes(id))
      .map((server) => ({ id: server.id, score: base + (isMain(server) ? 2 : 0) }))
      .filter(({ id, score }) => score > (found.get(id)?.score ?? -1));
  }

  async #take(better: readonly { id: string; score: number }[], path: string, found: Samples): Promise<void> {
    try {
      await this.gate.admit(path);
    } catch (error) {
      if (error instanceof Refusal) return;
      throw error;
    }
    for (const { id, score } of better) found.set(id, { path, score });
  }
}

/** Whether a path that was walked to may be shown: a denied one may not. */
function isShown(gate: Gate, path: string): boolean {
  return !(gate.check(path) instanceof Refusal);
}
