/** Actions of the runtime itself: server status, restart and stop, config, edits. No language server is asked. */
import { basename } from "node:path";
import type { Plan, RuntimeAction, ServerPlan } from "../abi/plan.js";
import { isTable, type Json, type JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { sortBy, sortedSet } from "../base/order.js";
import { Refusal } from "../base/problem.js";
import { countdown, delay } from "../base/timing.js";
import { snakeCase } from "../base/words.js";
import type { ServerStatus } from "../lsp/types.js";
import type { CallState } from "./call-state.js";
import { symbolSource } from "./point/symbol-source.js";

const editing = () => import("./edits/index.js");

/** How often busy servers are looked at. */
const POLL_MS = 50;

type Action = (call: CallState, args: JsonObject) => Promise<unknown>;

const actions: { [action in RuntimeAction]: Action } = {
  server_status: async (call, args) => {
    const wanted = serverIn(call, args);
    if (call.configProblem !== undefined) call.evidence.warn("answer/config-not-used", call.configProblem);
    if (call.plan.servers.length === 0) await warnOfNoServer(call);
    if (call.notShared !== undefined) call.evidence.warn("answer/not-shared", call.notShared);
    return call.pool.status().filter((status) => wanted === undefined || status.id === wanted);
  },
  list_servers: async (call, args) => ({
    servers: call.plan.servers.map((server) => describeServer(server, args.include_env === true)),
    languages: languagesOf(call.pool.status(), call.plan.servers),
  }),
  current_config: async ({ plan }) => describeConfig(plan),
  symbol_source: symbolSource,
  restart_server: async (call, args) => {
    const { acted, ...busy } = await forEach(call, args, (id) => call.pool.restart(id));
    return { restarted: acted, ...busy };
  },
  stop_server: async (call, args) => {
    const { acted, ...busy } = await forEach(call, args, (id) => call.pool.stop(id));
    return { stopped: acted, ...busy };
  },
  edit_files: async (call, args) => (await editing()).editFiles(call, args),
  create_file: async (call, args) => (await editing()).createFile(call, args),
  rename_file: async (call, args) => (await editing()).renameFile(call, args),
  delete_file: async (call, args) => (await editing()).deleteFile(call, args),
  replace_symbol: async (call, args) => (await editing()).replaceSymbol(call, args),
  insert_before_symbol: async (call, args) => (await editing()).insertBeforeSymbol(call, args),
  insert_after_symbol: async (call, args) => (await editing()).insertAfterSymbol(call, args),
  delete_symbol: async (call, args) => (await editing()).deleteSymbol(call, args),
  undo_edit: async (_call, args) => (await editing()).proposeUndo(args),
};

async function warnOfNoServer(call: CallState): Promise<void> {
  const { missingServers } = await import("./ask/no-server.js");
  const { why, would, nextSteps } = await missingServers(call, []);
  const steps = nextSteps.map(({ text }) => text).join("; ");
  call.evidence.warn("answer/no-server", `${why}.${would} Next: ${steps}`);
}

/**
 * Runs an action on the servers that the arguments name: one by its id, those of some extensions, or all. With
 * `busy_wait_ms`, servers that still answer requests after that time are left alone and listed.
 */
async function forEach(
  call: CallState,
  args: JsonObject,
  act: (serverId: string) => Promise<string[]>,
): Promise<{ acted: string[]; busy?: string[] }> {
  const ids = chosenServers(call, args);
  const { busy_wait_ms: wait } = args;
  const busy = typeof wait === "number" ? await busyAfter(call, ids, wait) : undefined;
  const free = ids.filter((id) => !busy?.includes(id));
  const acted = sortedSet((await Promise.all(free.map(act))).flat());
  return { acted, ...(busy === undefined ? {} : { busy }) };
}

/** The ids of those servers that still have requests to answer when the time is up. */
async function busyAfter(call: CallState, ids: readonly string[], waitMs: number): Promise<string[]> {
  const remainingMs = countdown(waitMs);
  for (;;) {
    const status = call.pool
      .status()
      .filter(({ id, pendingRequests }) => pendingRequests > 0 && ids.includes(id));
    if (status.length === 0 || remainingMs() <= 0) return sortedSet(status.map(({ id }) => id));
    await delay(POLL_MS, call.signal);
  }
}

function chosenServers(call: CallState, args: JsonObject): string[] {
  const given = Array.isArray(args.extensions) ? args.extensions : [];
  const extensions = given.map((name) => String(name).replace(/^\./, ""));
  const named = serverIn(call, args);
  if (extensions.length === 0) return named === undefined ? call.plan.servers.map(({ id }) => id) : [named];
  const chosen = call.plan.servers.filter(({ extensions: own }) =>
    extensions.some((name) => own.includes(name)),
  );
  if (chosen.length === 0)
    throw new Refusal("guard/invalid-arguments", "No language server is configured for these extensions.");
  return chosen.map(({ id }) => id);
}

/** Runs the action of a `runtime` step. The result is plain JSON, server statuses to render, or a proposed edit. */
export async function runAction(call: CallState, action: RuntimeAction, args: Json): Promise<unknown> {
  return actions[action](call, isTable(args) ? (args as JsonObject) : {});
}

function serverIn(call: CallState, args: JsonObject): string | undefined {
  const id = args.server_id;
  if (typeof id !== "string" || id === "") return undefined;
  const known = call.plan.servers.map((server) => server.id);
  if (known.includes(id)) return id;
  const near = nearest(id, known);
  throw new Refusal(
    "guard/invalid-arguments",
    `There is no server of that id.${near === undefined ? "" : ` Did you mean ${near}?`}`,
  );
}

/** Environment values, arguments, settings and paths are left out: they may hold secrets or lie outside the roots. */
function describeServer(server: ServerPlan, withEnv: boolean): JsonObject {
  return {
    id: server.id,
    program: basename(server.command[0] ?? ""),
    languages: languagesIn(server),
    extensions: server.extensions,
    filenames: server.filenames,
    priority: server.priority,
    execute_commands: server.executeCommands,
    install: server.install,
    ...(withEnv ? { env: Object.keys(server.env) } : {}),
  };
}

/** Each language with its servers and the features of those that run. */
function languagesOf(statuses: readonly ServerStatus[], servers: readonly ServerPlan[]): JsonObject[] {
  const names = sortedSet(servers.flatMap(languagesIn));
  return names.map((language) => {
    const ids = servers.filter((server) => languagesIn(server).includes(language)).map(({ id }) => id);
    const running = statuses.filter((status) => ids.includes(status.id) && status.state === "running");
    return {
      language,
      servers: ids,
      // A server announces its features when it starts. Until then they are unknown, not none.
      features: running.length === 0 ? null : sortedSet(running.flatMap((status) => status.features)),
    };
  });
}

function describeConfig(plan: Plan): JsonObject {
  const { mcp, allow, limits, workspace, dialect } = plan;
  return {
    context: mcp.context,
    read_only: mcp.readOnly,
    effects: allow.effects,
    commands: allow.commands.map((program) => basename(program)),
    env: allow.env,
    roots: workspace.roots.length + workspace.extraRoots.length,
    deny: workspace.deny,
    limits: Object.fromEntries(Object.entries(limits).map(([name, value]) => [snakeCase(name), value])),
    dialect: { result: dialect.result, position: { ...dialect.position }, document: { ...dialect.document } },
    servers: plan.servers.map((server) => ({
      ...describeServer(server, true),
      root_markers: server.rootMarkers,
      initialize_timeout_ms: server.initializeTimeoutMs,
      request_timeout_ms: server.requestTimeoutMs,
      idle_shutdown_ms: server.idleShutdownMs,
    })),
    tools: sortBy(
      plan.tools.filter((tool) => mcp.listed.includes(tool.name)),
      (tool) => [tool.name],
    ).map((tool) => ({ name: tool.name, effect: tool.effect, timeout_ms: tool.timeoutMs })),
  };
}

function languagesIn(server: ServerPlan): string[] {
  return sortedSet([server.languageId, ...Object.values(server.languageIds)]);
}
