/**
 * Finds one file for each server, preferably in its main language rather than a `go.mod` or a lock file. A question about
 * the whole workspace starts a server for such a file, in that file's project; a server without a file is not started.
 */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { ServerPlan } from "../abi/plan.js";
import { type KeyPart, sortBy } from "../base/order.js";
import { Refusal } from "../base/problem.js";
import { languageIdOf } from "../lsp/route.js";
import type { PoolContext, ServerPool } from "../lsp/types.js";
import type { Gate } from "../workspace/types.js";
import { walk, walkedDisk, walkInTurns } from "../workspace/walk.js";

/** A search is reused for so long at least, and for so many times as long as it took. */
const MIN_REUSE_MS = 15_000;
const REUSE_FACTOR = 20;
/** Folders that mostly hold build output or other people's code: a file in one is the last choice. */
const secondary = new Set(["target", "dist", "build", "out", "vendor", "venv", "__pycache__"]);
/** The score of a file in the main language and not in a secondary folder. */
const BEST = 3;

/** Folders that mostly hold a project's own code. */
const sources = new Set(["src", "source", "sources", "lib", "app", "packages"]);
const MOST_LIKELY = 12;

/** A search whose result is reused for a while. */
class Reused<T> {
  #last: { found: Promise<T>; until: number } | undefined;

  constructor(private readonly now: () => number) {}

  get(search: () => Promise<T>): Promise<T> {
    if (this.#last !== undefined && this.now() <= this.#last.until) return this.#last.found;
    const began = this.now();
    const last = { found: search(), until: Number.POSITIVE_INFINITY };
    this.#last = last;
    const ended = () => {
      last.until = this.now() + Math.max(MIN_REUSE_MS, REUSE_FACTOR * (this.now() - began));
    };
    last.found.then(ended, ended);
    return last.found;
  }

  forget(): void {
    this.#last = undefined;
  }
}

/** The best file found so far, by the id of the server. */
type Samples = Map<string, { path: string; score: number }>;

/** The samples of one workspace; the search runs on demand. */
export class SampleFiles {
  readonly #scan: Reused<Samples>;
  readonly #likely = new Map<string, Reused<string[]>>();

  constructor(
    private readonly gate: Gate,
    private readonly pool: Pick<ServerPool, "route">,
    private readonly serverIds: readonly string[],
    private readonly env: PoolContext["env"],
    private readonly now: () => number = Date.now,
  ) {
    this.#scan = new Reused(now);
  }

  /** A file that the server handles, or undefined when the bounded search finds none. */
  async find(serverId: string): Promise<string | undefined> {
    const path = (await this.#scanned()).get(serverId)?.path;
    const facts = path === undefined ? undefined : await stat(path).catch(() => undefined);
    if (path === undefined || facts?.isFile()) return path;
    this.#scan.forget();
    return (await this.#scanned()).get(serverId)?.path;
  }

  /** More files of the server's main language, one of each folder: those in source folders first. */
  likely(serverId: string): Promise<string[]> {
    const known = this.#likely.get(serverId) ?? new Reused(this.now);
    this.#likely.set(serverId, known);
    return known.get(() => this.#searchFolders(serverId));
  }

  #scanned(): Promise<Samples> {
    return this.#scan.get(() => this.#search());
  }

  async #searchFolders(serverId: string): Promise<string[]> {
    const byFolder = new Map<string, { path: string; key: KeyPart[] }>();
    for (const root of this.gate.roots)
      await walkInTurns(walk(root, walkedDisk, this.#person()), (name) => {
        const path = join(root, name);
        const folders = name.split("/").slice(0, -1);
        const server = this.pool.route(path).find(({ id }) => id === serverId);
        const isMain = server !== undefined && languageIdOf(server, path, "") === server.languageId;
        if (!isMain || byFolder.has(dirname(path)) || !isShown(this.gate, path)) return false;
        const isSource = folders.some((folder) => sources.has(folder));
        const isSecondary = folders.some((folder) => secondary.has(folder));
        byFolder.set(dirname(path), { path, key: [isSecondary, !isSource, folders.length, name] });
        return false;
      });
    return sortBy([...byFolder.values()], ({ key }) => key)
      .slice(0, MOST_LIKELY)
      .map(({ path }) => path);
  }

  #person() {
    return { env: this.env, home: this.env.HOME ?? homedir() };
  }

  /** Searches root by root, until every server has a file with the best score. */
  async #search(): Promise<Samples> {
    const found: Samples = new Map();
    const isDone = () => this.serverIds.every((id) => found.get(id)?.score === BEST);
    for (const root of this.gate.roots) {
      if (isDone()) break;
      await walkInTurns(walk(root, walkedDisk, this.#person()), (path) => {
        const better = this.#better(join(root, path), path, found);
        return better.length > 0 && this.#take(better, join(root, path), found).then(isDone);
      });
    }
    return found;
  }

  /** The servers for which a file is better than what they have. */
  #better(path: string, shown: string, found: Samples): { id: string; score: number }[] {
    const base = shown.split("/").some((folder) => secondary.has(folder)) ? 0 : 1;
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
  return !(gate.place(path) instanceof Refusal);
}
