/** A loaded bundle at work: one path gate, one pool of language servers, any number of sessions. */
import type { ToolEntry } from "../abi/bundle.js";
import { sha256 } from "../base/hash.js";
import { Refusal } from "../base/problem.js";
import { Listeners, type Subscribe, sharedAbortController } from "../base/timing.js";
import { readText } from "../lsp/documents/read-text.js";
import type { Log, PoolContext, ServerPool, Trace } from "../lsp/types.js";
import type { LoadedBundle } from "./bundle/load.js";
import type { BundleServices } from "./bundle-services.js";
import type { CallWatch } from "./call-observer.js";
import type { ServerFinder } from "./call-state.js";
import { MemoryWatch } from "./memory-watch.js";
import { closeParts, openParts } from "./runtime-parts.js";
import { Session } from "./session.js";

export interface RuntimeContext {
  /** Absolute folder that relative paths of the plan start from. */
  base: string;
  env: PoolContext["env"];
  log: Log;
  trace?: Trace | undefined;
  /** The user's state folder: the journal of edits, the locked programs. */
  stateFolder: string;
  /** The folder of the user's own config, if known. */
  configFolder?: string | undefined;
  /** The proxy's own files: its config, bundle and tokens. No edit may touch them. */
  ownFiles: readonly string[];
  /** Extra folders searched for a bare command before PATH. */
  binFolders: string[];
  /** Real paths of folders that the user trusts, if known. */
  trusted?: readonly string[] | undefined;
  /** Real paths of folders whose programs are never started. */
  avoid: string[];
  version: string;
  /** Every call is refused with this. */
  refusal?: Refusal | undefined;
  /** A note for the server status: why this proxy serves its client alone. */
  notShared?: string | undefined;
  /** The watch of this process's memory, where another runtime has it; otherwise the runtime makes one. */
  memory?: MemoryWatch | undefined;
  /** Called when the memory of this process is over its limit and nothing is left to end. The process must end. */
  onOutOfMemory?: ((message: string) => void) | undefined;
  /** The folder of the servers that `lsp-proxy install` installed. */
  serversFolder?: string | undefined;
  /** Folders of package managers' programs that PATH may lack. */
  toolFolders?: readonly string[] | undefined;
  suggestServers?: BundleServices["suggestServers"];
  otherServer?: PoolContext["otherServer"];
  /** Overrides the limits of file watching; for tests. */
  watchOptions?: PoolContext["watchOptions"];
  /** Whether an answer that violates its own output schema is a fault instead of a logged warning; for tests. */
  strictAnswers?: boolean;
}

/** The part of the context that a changed config replaces. */
export type ChangedContext = Pick<
  RuntimeContext,
  "base" | "ownFiles" | "binFolders" | "trusted" | "avoid" | "refusal" | "otherServer"
>;

/** A bundle with its servers, ready for sessions. */
export interface Runtime {
  readonly loaded: LoadedBundle;
  readonly version: string;
  readonly tools: ToolEntry[];
  readonly pool: ServerPool;
  /** Real paths of the folders that may be read. */
  readonly roots: readonly string[];
  /**
   * With `savesPreviews`, previews are stored on disk for later processes. Only the same holder can undo a session's
   * edits. The session of the host may call the tools of its channel, listed or not, and no others.
   */
  openSession(options?: { savesPreviews?: boolean; holder?: string; isHost?: boolean }): Session;
  /**
   * Runs while a file has this text instead of the one on disk,
   * one run after the other. Refuses files outside the roots.
   */
  withText<T>(file: string, text: string, run: () => Promise<T>): Promise<T>;
  /** The text of a file, if it may be read; `shown` is its path as agents see it. Throws a Refusal. */
  readFile(name: string): Promise<{ shown: string; text: string }>;
  /**
   * Starts the servers that have a file in the workspace, unless calls are refused. One that does not start is logged.
   */
  warmup(): Promise<void>;
  /** Registers a listener for changes of files and diagnostics. */
  readonly onActivity: Subscribe;
  /** Watches the memory of this process. Transports register the clients whose data they hold. */
  readonly memory: MemoryWatch;
  /** Follows the calls of sessions that are opened from now on; undefined where nobody does. */
  watch: CallWatch | undefined;
  /** How servers are looked for again. Does nothing until it is replaced. */
  readonly finder: ServerFinder;
  /** Aborts when the runtime is closed. */
  readonly closed: AbortSignal;
  /** Switches to another bundle. Calls that run finish with the old one; servers that are the same keep running. */
  update(loaded: LoadedBundle, changed: ChangedContext): Promise<void>;
  /** Calls the listener after each update, until the returned function is called. */
  onUpdated(listener: () => void): () => void;
  /** Sets why a changed config is not used, for the status; undefined where it is. */
  reportConfig(problem: string | undefined): void;
  /** Cancels every call and stops every server; resolves when they are gone. */
  close(): Promise<void>;
}

/** Opens the runtime of a bundle. No language server is started yet. */
export async function openRuntime(loaded: LoadedBundle, context: RuntimeContext): Promise<Runtime> {
  const memory =
    context.memory ??
    new MemoryWatch({
      limitMb: loaded.plan.limits.proxyMemoryMb,
      log: context.log,
      onOutOfMemory: (message) => context.onOutOfMemory?.(message),
    });
  const finder: ServerFinder = { lookAgain: async () => undefined, laterLook: () => undefined };
  const wiring = { memory, unsaved: new Map<string, string>(), activity: new Listeners(), finder };
  const { unsaved, activity } = wiring;
  let parts = await openParts(loaded, context, wiring);
  const sessions = new Set<Session>();
  let lastText: Promise<unknown> = Promise.resolve();
  /** The last update; the next one begins when it has ended. */
  let lastUpdate: Promise<unknown> = Promise.resolve();
  const closed = sharedAbortController();
  const listeners = new Listeners();
  /** Earlier parts that still serve calls. */
  const ending = new Set<Promise<void>>();

  const warm = async (serverId: string): Promise<void> => {
    const { samples, pool, log } = parts.shared;
    try {
      const sample = await samples.find(serverId);
      if (sample === undefined || closed.signal.aborted) return;
      const server = await pool.get(serverId, sample, closed.signal);
      await server.ensureOpen(sample, closed.signal);
      await server.openProjects(() => undefined, closed.signal);
    } catch (error) {
      if (closed.signal.aborted) return;
      const code = error instanceof Refusal ? error.code : "runtime/fault";
      log("warn", `warmup: ${serverId} did not start`, { code, cause: String(error) });
    }
  };

  const switchTo = async (next: LoadedBundle, changed: ChangedContext): Promise<void> => {
    if (closed.signal.aborted) return;
    const old = parts;
    parts = await openParts(next, { ...old.context, ...changed }, wiring, old);
    for (const session of sessions) session.switchTo(parts.shared);
    const ended = Promise.allSettled(old.shared.running).then(() => closeParts(old));
    ending.add(ended);
    void ended.finally(() => ending.delete(ended));
    listeners.notify();
  };

  return {
    get loaded() {
      return parts.shared.loaded;
    },
    version: context.version,
    get tools() {
      return parts.shared.loaded.tools;
    },
    get roots() {
      return parts.shared.gate.roots;
    },
    get pool() {
      return parts.shared.pool;
    },
    memory,
    finder,
    watch: undefined,
    closed: closed.signal,
    onActivity: activity.subscribe,
    openSession(options) {
      const savedPreviews = options?.savesPreviews ? parts.engine?.savePreviews() : undefined;
      // The journal outlives the token, so it stores a hash of the holder only.
      const holder = options?.holder === undefined ? undefined : sha256(`holder ${options.holder}`);
      const { isHost = false } = options ?? {};
      const owner = { savedPreviews, holder, isHost };
      const session = new Session(parts.shared, (gone) => sessions.delete(gone), owner);
      sessions.add(session);
      return session;
    },
    withText(file, text, run) {
      const result = lastText.then(async () => {
        const { path } = await parts.shared.gate.admitFile(file);
        unsaved.set(path, text);
        return run().finally(() => unsaved.delete(path));
      });
      lastText = result.catch(() => undefined);
      return result;
    },
    async readFile(name) {
      const { gate, plan } = parts.shared;
      const { path, shown } = await gate.admitFile(name);
      return { shown, text: (await readText(path, shown, plan.limits.maxFileBytes)).lines.text };
    },
    async warmup() {
      // Every call is refused, so no server would be used.
      if (parts.shared.refusal !== undefined) return;
      const { servers, limits } = parts.shared.plan;
      await Promise.all(servers.slice(0, limits.maxServers).map((server) => warm(server.id)));
    },
    update(next, changed) {
      const updated = lastUpdate.then(() => switchTo(next, changed));
      lastUpdate = updated.catch(() => undefined);
      return updated;
    },
    onUpdated: listeners.subscribe,
    reportConfig: (problem) => {
      parts.shared.configProblem = problem;
    },
    async close() {
      closed.abort();
      for (const session of [...sessions]) session.close();
      // The parts that an update is opening are closed as well.
      await lastUpdate;
      await closeParts(parts);
      await Promise.all(ending);
      if (context.memory === undefined) memory.close();
    },
  };
}
