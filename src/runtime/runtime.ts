/** A loaded bundle at work: one gate, one pool of language servers, any number of sessions. */
import { resolve } from "node:path";
import type { ToolEntry } from "../abi/bundle.js";
import { sha256 } from "../base/hash.js";
import { Refusal } from "../base/problem.js";
import { createPool } from "../lsp/pool.js";
import { lockFileIn } from "../lsp/process/lock.js";
import type { Log, PoolContext, ServerPool, Trace } from "../lsp/types.js";
import { openEdits, recoverEdits } from "../workspace/edits/edits.js";
import type { Edits, EditsOptions } from "../workspace/edits/types.js";
import { openGate } from "../workspace/gate.js";
import type { Gate } from "../workspace/types.js";
import type { LoadedBundle } from "./bundle/load.js";
import { LastingPreviews } from "./edits/lasting.js";
import { SampleFiles } from "./sample-files.js";
import { Session } from "./session.js";

/** What a runtime needs from its surroundings. */
export interface RuntimeContext {
  /** Absolute folder that paths of the plan start from. */
  base: string;
  env: PoolContext["env"];
  log: Log;
  trace?: Trace | undefined;
  /** Where the user's state stands: the journal of edits, the locked programs. */
  stateFolder: string;
  /** Where the user's own config stands, or would; none where none is named. */
  configFolder?: string | undefined;
  /** Files and folders that say what this proxy may do: its config, its bundle, its tokens. No edit touches them. */
  ownFiles: readonly string[];
  /** Extra folders searched for a bare command before PATH. */
  binFolders: string[];
  /** Real paths of folders that the user trusts; none where none is named. */
  trusted?: readonly string[] | undefined;
  /** Real paths of folders whose programs do not count. */
  avoid: string[];
  version: string;
  /** How much of the workspace is watched, where that is not the usual. */
  watchOptions?: PoolContext["watchOptions"];
}

/** A bundle with its servers, ready for sessions. */
export interface Runtime {
  readonly loaded: LoadedBundle;
  readonly version: string;
  readonly tools: ToolEntry[];
  readonly pool: ServerPool;
  /**
   * Opens a session; the previews of a `brief` one can be applied by a later process of the same user, and the edits of
   * one that has a holder are taken back by no other.
   */
  openSession(options?: { brief?: boolean; holder?: string }): Session;
  /** Starts the servers that have a file in the workspace; a server that does not start is logged, not thrown. */
  warmup(): Promise<void>;
  /** Cancels every call and ends every server; resolves when they are gone. */
  close(): Promise<void>;
}

/**
 * The engine of edits, where they are allowed. In any case, what a process that died left behind is finished or taken
 * back first, and logged: half of an edit helps nobody.
 */
async function openEngine(
  gate: Gate,
  { stateFolder, ownFiles, log }: RuntimeContext,
  isAllowed: boolean,
): Promise<Edits | undefined> {
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
  if (isAllowed) return openEdits(options);
  await recoverEdits(options);
  return undefined;
}

/** Opens the runtime of a bundle. No language server is started yet. */
export async function openRuntime(loaded: LoadedBundle, context: RuntimeContext): Promise<Runtime> {
  const { plan } = loaded;
  const { base, log } = context;
  const gate = await openGate({
    roots: plan.workspace.roots.map((root) => resolve(base, root)),
    extraRoots: plan.workspace.extraRoots,
    deny: plan.workspace.deny,
  });
  const pool = createPool(plan, {
    ...context,
    roots: gate.roots,
    lockFile: lockFileIn(context.stateFolder),
    ownFolders: [context.stateFolder, ...(context.configFolder === undefined ? [] : [context.configFolder])],
  });
  const edits = await openEngine(gate, context, plan.allow.effects.includes("edit"));
  const samples = new SampleFiles(
    gate,
    pool,
    plan.servers.map((server) => server.id),
    context.env,
  );
  const shared = {
    ...{ loaded, plan, pool, gate, samples, edits, log },
    listed: new Map(
      plan.tools.filter(({ name }) => plan.mcp.listed.includes(name)).map((tool) => [tool.name, tool]),
    ),
  };
  const sessions = new Set<Session>();
  const closed = new AbortController();

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
    openSession(options) {
      const lasting = options?.brief
        ? new LastingPreviews(context.stateFolder, gate.roots[0] ?? "")
        : undefined;
      // The journal outlasts the token: what it keeps of a holder opens nothing.
      const holder = options?.holder === undefined ? undefined : sha256(`holder ${options.holder}`);
      const session = new Session(shared, (gone) => sessions.delete(gone), { lasting, holder });
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
      await edits?.close();
    },
  };
}
