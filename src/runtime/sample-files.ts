/**
 * One file of each server's language, found by a bounded search: one in its main language where there is one, since a server
 * has little to say about its go.mod or its lock file. A question about the whole workspace starts a server
 * for such a file, in that file's own project, and does not start a server that has no file here.
 */
import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ServerPlan } from "../abi/plan.js";
import { sortBy } from "../base/order.js";
import { Refusal } from "../base/problem.js";
import { languageIdOf } from "../lsp/language-id.js";
import type { ServerPool } from "../lsp/types.js";
import type { Gate } from "../workspace/types.js";

const mostEntries = 20_000;
const deepest = 8;
const scanLifeMs = 15_000;
/** Folders that hold copies, builds or other people's code. */
const skipped = new Set(["node_modules", "target", "dist", "build", "out", "vendor", "venv", "__pycache__"]);

/** The samples of one workspace, searched for when they are asked for. */
export class SampleFiles {
  #scan: { found: Promise<Map<string, string>>; at: number } | undefined;

  constructor(
    private readonly gate: Gate,
    private readonly pool: ServerPool,
    private readonly serverIds: readonly string[],
    private readonly now: () => number = Date.now,
  ) {}

  /** A file that the server handles, or undefined when the bounded search finds none. */
  async find(serverId: string): Promise<string | undefined> {
    const path = (await this.#scanned()).get(serverId);
    if (path === undefined || (await isFile(path))) return path;
    this.#scan = undefined;
    return (await this.#scanned()).get(serverId);
  }

  #scanned(): Promise<Map<string, string>> {
    if (this.#scan === undefined || this.now() - this.#scan.at > scanLifeMs)
      this.#scan = { found: this.#search(), at: this.now() };
    return this.#scan.found;
  }

  /** Breadth first, in code-unit order: the same files give the same samples. */
  async #search(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const settled = new Set<string>();
    let level = this.gate.roots;
    let seen = 0;
    for (let depth = 0; depth <= deepest && level.length > 0; depth++) {
      const next: string[] = [];
      for (const folder of level) {
        for (const entry of await entriesOf(folder)) {
          if (++seen > mostEntries || settled.size === this.serverIds.length) return found;
          const path = join(folder, entry.name);
          if (entry.isDirectory() && !entry.name.startsWith(".") && !skipped.has(entry.name)) next.push(path);
          if (entry.isFile()) await this.#take(path, found, settled);
        }
      }
      level = next;
    }
    return found;
  }

  async #take(path: string, found: Map<string, string>, settled: Set<string>): Promise<void> {
    const isMain = (server: ServerPlan) => languageIdOf(server, path, "") === server.languageId;
    const better = this.pool
      .route(path)
      .filter(({ id }) => this.serverIds.includes(id) && !settled.has(id))
      .filter((server) => isMain(server) || !found.has(server.id));
    if (better.length === 0 || !(await isAdmitted(this.gate, path))) return;
    for (const server of better) {
      found.set(server.id, path);
      if (isMain(server)) settled.add(server.id);
    }
  }
}

/** Whether the gate lets a file through. */
export async function isAdmitted(gate: Gate, path: string): Promise<boolean> {
  try {
    await gate.admit(path);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  // A folder that cannot be listed holds no sample; the call itself says what it cannot read.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return sortBy(entries, (entry) => [entry.name]);
}

async function isFile(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ?? false;
}
