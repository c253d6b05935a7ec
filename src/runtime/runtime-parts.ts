/** The parts that serve one bundle of a runtime: path gate, pool of language servers, sample files, edits. */
import { resolve } from "node:path";
import type { Plan } from "../abi/plan.js";
import { homeOf } from "../base/home.js";
import { canonicalText } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import type { Listeners } from "../base/timing.js";
import { createPool } from "../lsp/pool.js";
import { lockFileIn } from "../lsp/process/lock.js";
import type { StartedServer } from "../lsp/types.js";
import { openGate } from "../workspace/gate.js";
import { libraryRoots } from "../workspace/library-roots.js";
import type { LoadedBundle } from "./bundle/load.js";
import type { BundleServices } from "./bundle-services.js";
import type { ServerFinder } from "./call-state.js";
import { type OpenEngine, openEngine } from "./edits/open-engine.js";
import type { MemoryWatch } from "./memory-watch.js";
import type { RuntimeContext } from "./runtime.js";
import { SampleFiles } from "./sample-files.js";

/** The parts that all bundles of a runtime share. */
interface Wiring {
  memory: MemoryWatch;
  /** Texts that count instead of those on disk, by path. */
  unsaved: Map<string, string>;
  activity: Listeners;
  finder: ServerFinder;
}

/** The parts of a runtime for one bundle. */
interface Parts {
  context: RuntimeContext;
  shared: BundleServices;
  engine: OpenEngine | undefined;
}

/**
 * Opens what serves one bundle. Servers of earlier parts are taken over where they are the same in the same workspace.
 */
export async function openParts(
  loaded: LoadedBundle,
  context: RuntimeContext,
  { memory, unsaved, activity, finder }: Wiring,
  earlier?: Parts,
): Promise<Parts> {
  const { plan } = loaded;
  const { base, log } = context;
  const roots = plan.workspace.roots.map((root) => resolve(base, root));
  const gate = await openGate({
    roots,
    extraRoots: plan.workspace.extraRoots,
    libraryOf: libraryRoots(sortedSet(plan.servers.flatMap((server) => server.libraryRoots)), {
      env: context.env,
      home: homeOf(context.env),
      roots,
    }),
    deny: plan.workspace.deny,
  });
  const poolContext = {
    ...context,
    unsaved,
    onActivity: () => activity.notify(),
    onStarted: (server: StartedServer) => memory.addServer(server),
    roots: gate.roots,
    lockFile: lockFileIn(context.stateFolder),
    ownFolders: [context.stateFolder, context.configFolder, context.serversFolder].filter(
      (folder) => folder !== undefined,
    ),
  };
  const engine = await openEngine(gate, context, plan.allow.effects.includes("edit"));
  const keepsServers =
    earlier !== undefined &&
    serversDependOn(plan, context) === serversDependOn(earlier.shared.plan, earlier.context);
  const pool = createPool(plan, poolContext, keepsServers ? earlier.shared.pool : undefined);
  const ids = plan.servers.map((server) => server.id);
  const samples = new SampleFiles(gate, pool, ids, context.env);
  const toolsNamed = (names: readonly string[]) =>
    new Map(plan.tools.filter(({ name }) => names.includes(name)).map((tool) => [tool.name, tool]));
  const shared = {
    loaded,
    plan,
    pool,
    gate,
    samples,
    edits: engine?.edits,
    log,
    finder,
    suggestServers: context.suggestServers,
    refusal: context.refusal,
    notShared: context.notShared,
    strictAnswers: context.strictAnswers ?? false,
    listed: toolsNamed(plan.mcp.listed),
    ofHost: toolsNamed(Object.values(plan.mcp.hostChannel?.tools ?? {})),
    running: new Set<Promise<unknown>>(),
    configProblem: undefined,
  };
  return { context, shared, engine };
}

/** Everything beside its own plan that a server was started with. */
function serversDependOn(
  { workspace, limits, allow }: Plan,
  { base, trusted = [], binFolders, avoid }: RuntimeContext,
): string {
  // A plan has only servers whose program and host it allows. A server is told of the effects when it starts.
  const { effects, env } = allow;
  const { maxMessageBytes, maxFileBytes, maxOpenDocuments } = limits;
  const bounds = [maxMessageBytes, maxFileBytes, maxOpenDocuments];
  return canonicalText([workspace, bounds, effects, env, base, trusted, binFolders, avoid]);
}

export async function closeParts({ shared, engine }: Parts): Promise<void> {
  await shared.pool.close();
  await engine?.edits.close();
}
