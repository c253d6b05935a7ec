/**
 * One file of each server's language, found by the walk that `init` takes: one in its main language where there is one,
 * since a server has little to say about its go.mod or its lock file. A question about the whole workspace starts a server
 * for such a file, in that file's own project, and does not start a server that has no file here.
 */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { ServerPlan } from "../abi/plan.js";
import { Refusal } from "../base/problem.js";
import { languageIdOf } from "../lsp/documents/language-id.js";
import type { PoolContext, ServerPool } from "../lsp/types.js";
import type { Gate } from "../workspace/types.js";
import { walk, walkedDisk, walkInTurns } from "../workspace/walk.js";

/** How long a search counts: so long at least, and so many times as long as it took. */
const LIFE_MS = 15_000;
const LIFE_TIMES = 20;
/** Folders that mostly hold builds or other people's code: a file in one is taken where there is no other. */
const aside = new Set(["target", "dist", "build", "out", "vendor", "venv", "__pycache__"]);
/** How good a sample is: in the main language, and not aside. */
const BEST = 3;

/** A file for a server, and how good it is. */
interface Sample {
  path: string;
  worth: number;
}

type Samples = Map<string, Sample>;

/** The samples of one workspace, searched for when they are asked for. */
export class SampleFiles {
  #scan: { found: Promise<Samples>; until: number } | undefined;

  constructor(
    private readonly gate: Gate,
    private readonly pool: Pick<ServerPool, "route">,
    private readonly serverIds: readonly string[],
    private readonly env: PoolContext["env"],
    private readonly now: () => number = Date.now,
  ) {}

  /** A file that the server handles, or undefined when the bounded search finds none. */
  async find(serverId: string): Promise<string | undefined> {
    const path = (await this.#scanned()).get(serverId)?.path;
    if (path === undefined || (await isFile(path))) return path;
    this.#scan = undefined;
    return (await this.#scanned()).get(serverId)?.path;
  }

  #scanned(): Promise<Samples> {
    if (this.#scan !== undefined && this.now() <= this.#scan.until) return this.#scan.found;
    const began = this.now();
    const scan = { found: this.#search(), until: Number.POSITIVE_INFINITY };
    this.#scan = scan;
    const ended = () => {
      scan.until = this.now() + Math.max(LIFE_MS, LIFE_TIMES * (this.now() - began));
    };
    scan.found.then(ended, ended);
    return scan.found;
  }

  /** Root by root, until every server has the best that it can have. */
  async #search(): Promise<Samples> {
    const found: Samples = new Map();
    const isDone = () => this.serverIds.every((id) => found.get(id)?.worth === BEST);
    const person = { env: this.env, home: this.env.HOME ?? homedir() };
    for (const root of this.gate.roots) {
      if (isDone()) break;
      await walkInTurns(walk(root, walkedDisk, person), (path) => {
        const better = this.#better(join(root, path), path, found);
        return better.length > 0 && this.#take(better, join(root, path), found).then(isDone);
      });
    }
    return found;
  }

  /** The servers for which a file is better than what they have. */
  #better(path: string, shown: string, found: Samples): { id: string; worth: number }[] {
    const place = shown.split("/").some((folder) => aside.has(folder)) ? 0 : 1;
    return this.pool
      .route(path)
      .filter(({ id }) => this.serverIds.includes(id))
      .map((server) => ({ id: server.id, worth: place + (isMain(server, path) ? 2 : 0) }))
      .filter(({ id, worth }) => worth > (found.get(id)?.worth ?? -1));
  }

  async #take(better: readonly { id: string; worth: number }[], path: string, found: Samples): Promise<void> {
    if (!(await isAdmitted(this.gate, path))) return;
    for (const { id, worth } of better) found.set(id, { path, worth });
  }
}

function isMain(server: ServerPlan, path: string): boolean {
  return languageIdOf(server, path, "") === server.languageId;
}

/** Whether the gate lets a file through. */
async function isAdmitted(gate: Gate, path: string): Promise<boolean> {
  try {
    await gate.admit(path);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ?? false;
}
