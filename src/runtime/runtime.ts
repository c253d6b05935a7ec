/** A loaded bundle at work: one path gate, one pool of language servers, any number of sessions. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { ToolEntry } from "../abi/bundle.js";
import { sha256 } from "../base/hash.js";
import { sortedSet } from "../base/order.js";
import { Refusal } from "../base/problem.js";
import { sharedAbortController } from "../base/timing.js";
import { createPool } from "../lsp/pool.js";
import { lockFileIn } from "../lsp/process/lock.js";
import type { Log, PoolContext, ServerPool, Trace } from "../lsp/types.js";
import type { Edits } from "../workspace/edits/edits.js";
import type { EditsOptions } from "../workspace/edits/types.js";
import { openGate } from "../workspace/gate.js";
import { libraryRoots } from "../workspace/library-roots.js";
import type { Gate } from "../workspace/types.js";
import type { LoadedBundle } from "./bundle/load.js";
import type { SavedPreviews } from "./edits/saved-previews.js";
import { MemoryWatch } from "./memory-watch.js";
import { SampleFiles } from "./sample-files.js";
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
  /** What the status of the servers says besides: why this proxy serves its client alone. */
  notShared?: string | undefined;
  /** Called when the memory of this process is over its limit and nothing is left to end. The process must end. */
  onOutOfMemory?: ((message: string) => void) | undefined;
  /** The folder of the servers that `lsp-proxy install` installed. */
  serversFolder?: string | undefined;
  /** Folders of package managers' programs that PATH may lack. */
  toolFolders?: readonly string[] | undefined;
  /** The name of a server of the catalogue for a file that no server of the plan handles. */
  suggestServer?: ((path: string) => Promise<string | undefined>) | undefined;
  otherServer?: PoolContext["otherServer"];
  /** Overrides the limits of file watching; for tests. */
  watchOptions?: PoolContext["watchOptions"];
  /** Whether an answer that violates its own output schema is a fault instead of a logged warning; for tests. */
  strictAnswers?: boolean;
}

/** A bundle with its servers, ready for sessions. */
export interface Runtime {
  readonly loaded: LoadedBundle;
  readonly version: string;
  readonly tools: ToolEntry[];
  readonly pool: ServerPool;
  /** A `brief` session stores its previews for later processes. Only the same holder can undo a session's edits. */
  openSession(options?: { brief?: boolean; holder?: string }): Session;
  /** Starts the servers that have a file in the workspace. A server that does not start is logged. */
  warmup(): Promise<void>;
  /** Watches the memory of this process. Transports register the clients whose data they hold. */
  readonly memory: MemoryWatch;
  /** Cancels every call and stops every server; resolves when they are gone. */
  close(): Promise<void>;
}

interface OpenEngine {
  edits: Edits;
  /** Previews that later processes can apply. */
  savePreviews: () => SavedPreviews;
}

/** The edit engine, where edits are allowed. First the edits of a process that died are finished or rolled back. */
async function openEngine(
  gate: Gate,
  { stateFolder, ownFiles, log }: RuntimeContext,
  isAllowed: boolean,
): Promise<OpenEngine | undefined> {
  // Nobody has edited here, and nobody may: no code for edits is loaded.
  if (!isAllowed && !existsSync(join(stateFolder, "edits"))) return undefined;
  const { openEdits, recoverEdits, SavedPreviews } = await import("./edits/engine.js");
  const options: EditsOptions = {
    gate,
    stateFolder,
    ownFiles,
    recovered: ({ outcome, reasons }) =>
      log(outcome === "conflict" ? "warn" : "info", "an edit of a process that died", {
        outcome,
        reasons: reasons.map(({ path, message }) => `${path} ${message}`),
      }),
  };
  if (!isAllowed) {
    await recoverEdits(options);
    return undefined;
  }
  return {
    edits: await openEdits(options),
    savePreviews: () => new SavedPreviews(stateFolder, gate.roots[0] ?? ""),
  };
}

/** Opens the runtime of a bundle. No language server is started yet. */
export async function openRuntime(loaded: LoadedBundle, context: RuntimeContext): Promise<Runtime> {
  const { plan } = loaded;
  const { base, log } = context;
  const roots = plan.workspace.roots.map((root) => resolve(base, root));
  const gate = await openGate({
    roots,
    extraRoots: plan.workspace.extraRoots,
    libraryOf: libraryRoots(sortedSet(plan.servers.flatMap((server) => server.libraryRoots)), {
      env: context.env,
      home: context.env.HOME ?? homedir(),
      roots,
    }),
    deny: plan.workspace.deny,
  });
  const memory = new MemoryWatch({
    limitMb: plan.limits.proxyMemoryMb,
    log,
    onOutOfMemory: (message) => context.onOutOfMemory?.(message),
  });
  const pool = createPool(plan, {
    ...context,
    onStarted: (server) => memory.addServer(server),
    roots: gate.roots,
    lockFile: lockFileIn(context.stateFolder),
    ownFolders: [context.stateFolder, context.configFolder, context.serversFolder].filter(
      (folder) => folder !== undefined,
    ),
  });
  const engine = await openEngine(gate, context, plan.allow.effects.includes("edit"));
  const samples = new SampleFiles(
    gate,
    pool,
    plan.servers.map((server) => server.id),
    context.env,
  );
  const shared = {
    ...{ loaded, plan, pool, gate, samples, edits: engine?.edits, log },
    suggestServer: context.suggestServer,
    refusal: context.refusal,
    notShared: context.notShared,
    strictAnswers: context.strictAnswers ?? false,
    listed: new Map(
      plan.tools.filter(({ name }) => plan.mcp.listed.includes(name)).map((tool) => [tool.name, tool]),
    ),
  };
  const sessions = new Set<Session>();
  const closed = sharedAbortController();

  const warm = async (serverId: string): Promise<void> => {
    try {
      const sample = await samples.find(serverId);
      if (sample === undefined || closed.signal.aborted) return;
      const server = await pool.get(serverId, sample, closed.signal);
      await server.ensureOpen(sample, closed.signal);
    } catch (error) {
      if (closed.signal.aborted) return;
      const code = error instanceof Refusal ? error.code : "runtime/fault";
      log("warn", `warmup: ${serverId} did not start`, { code, cause: String(error) });
    }
  };

  return {
    loaded,
    version: context.version,
    tools: loaded.tools,
    pool,
    memory,
    openSession(options) {
      const savedPreviews = options?.brief ? engine?.savePreviews() : undefined;
      // The journal outlives the token, so it stores a hash of the holder only.
      const holder = options?.holder === undefined ? undefined : sha256(`holder ${options.holder}`);
      const session = new Session(shared, (gone) => sessions.delete(gone), { savedPreviews, holder });
      sessions.add(session);
      return session;
    },
    async warmup() {
      await Promise.all(plan.servers.slice(0, plan.limits.maxServers).map((server) => warm(server.id)));
    },
    async close() {
      closed.abort();
      for (const session of [...sessions]) session.close();
      await pool.close();
      await engine?.edits.close();
      memory.close();
    },
  };
}
