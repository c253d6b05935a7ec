/** The state of servers, sessions and memory as the page shows it, and how memory developed. */
import type { ServerPlan } from "../abi/plan.js";
import type { ServerStatus } from "../lsp/types.js";
import type { Runtime } from "../runtime/runtime.js";
import type { ChartData, LiveState, MemorySeries, ServerRow } from "./api.js";
import type { CallRecord } from "./record.js";

const MB = 1024 * 1024;
const STDERR_LINES = 20;
/** An hour, at the interval of `Events`. */
const MAX_SAMPLES = 720;
const MAX_LINES = 64;
/** Times that are computed from durations differ a little each time; smaller changes are none. */
const SAME_TIME_MS = 1_500;

export interface ShownWorkspace {
  name: string;
  runtime: Runtime;
}

export class Live {
  /** The rows of the last state, by their keys. */
  #rows = new Map<string, ServerRow>();
  readonly #at: number[] = [];
  readonly #memory = new Map<string, { label: string; mb: (number | null)[] }>();

  constructor(
    private readonly workspaces: readonly ShownWorkspace[],
    private readonly record: CallRecord,
  ) {}

  state(): LiveState {
    const servers = this.workspaces.flatMap((workspace) => this.#servers(workspace));
    this.#rows = new Map(servers.map((row) => [row.key, row]));
    return {
      memoryMb: Math.round(process.memoryUsage.rss() / MB),
      servers,
      sessions: this.record.sessions(),
    };
  }

  /** Adds a point to the memory series. */
  sample(): void {
    const now = Date.now();
    const { memoryMb, servers } = this.state();
    const used = servers.flatMap(({ key, id, root, memoryMb: mb }) =>
      mb === null
        ? []
        : [
            {
              name: key,
              label: servers.some((other) => other.id === id && other.key !== key)
                ? `${id} ${root ?? ""}`
                : id,
              mb,
            },
          ],
    );
    const points = [{ name: "proxy", label: "lsp-proxy", mb: memoryMb }, ...used];
    for (const { name, label } of points.slice(0, MAX_LINES))
      if (!this.#memory.has(name)) this.#memory.set(name, { label, mb: this.#at.map(() => null) });
    this.#at.push(now);
    if (this.#at.length > MAX_SAMPLES) this.#at.shift();
    for (const [name, line] of this.#memory) {
      line.mb.push(points.find((point) => point.name === name)?.mb ?? null);
      if (line.mb.length > this.#at.length) line.mb.shift();
      if (line.mb.every((mb) => mb === null)) this.#memory.delete(name);
    }
  }

  charts(): ChartData {
    const { statistics } = this.record;
    const lines = [...this.#memory].map(([name, { label, mb }]) => ({ name, label, mb: [...mb] }));
    const memory: MemorySeries = { at: [...this.#at], lines };
    return { minutes: statistics.minutes(), tools: statistics.tools(), memory };
  }

  #servers({ name, runtime }: ShownWorkspace): ServerRow[] {
    const { servers } = runtime.loaded.plan;
    return runtime.pool.status().map((status) => {
      const plan = servers.find(({ id }) => id === status.id);
      return this.#row(name, status, plan);
    });
  }

  #row(workspace: string, status: ServerStatus, plan: ServerPlan | undefined): ServerRow {
    const { id, root, state } = status;
    const key = [workspace, id, root ?? ""].join("|");
    const before = this.#rows.get(key);
    const extensions = (plan?.extensions ?? []).map((extension) => `.${extension}`);
    return {
      key,
      workspace,
      id,
      state,
      root,
      readiness: status.readiness,
      progress: status.progress,
      otherRoots: status.otherRoots,
      pid: status.pid,
      version: status.version,
      startedAt: timeBefore(status.uptimeMs, before?.startedAt),
      lastUsedAt: timeBefore(status.lastUsedMs, before?.lastUsedAt),
      restarts: status.restarts,
      memoryMb: status.memoryMb,
      pendingRequests: status.pendingRequests,
      openDocuments: status.openDocuments,
      lastError: status.lastError,
      stderr: status.stderr.slice(-STDERR_LINES),
      files: [...extensions, ...(plan?.filenames ?? [])],
      install: status.advisesInstall ? (plan?.install ?? null) : null,
    };
  }
}

/** The time so many milliseconds ago: the known one, unless it has changed. */
function timeBefore(ms: number | null, known: number | null | undefined): number | null {
  if (ms === null) return null;
  const time = Math.round(Date.now() - ms);
  return typeof known === "number" && Math.abs(known - time) < SAME_TIME_MS ? known : time;
}
