/** What the runtime itself can tell or do, without asking a language server a question. */
import type { RuntimeAction } from "../abi/plan.js";
import { isTable, type Json, type JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { Refusal } from "../base/problem.js";
import type { ServerStatus } from "../lsp/types.js";
import type { CallState } from "./call-state.js";

type Action = (call: CallState, args: JsonObject) => Promise<unknown>;

const actions: { [action in RuntimeAction]: Action } = {
  server_status: async (call, args) => {
    const wanted = serverIn(call, args);
    return statusOf(call).filter((status) => wanted === undefined || status.id === wanted);
  },
  list_servers: async (call) =>
    call.plan.servers.map(({ id, extensions, filenames, languageId, priority, install }) => ({
      id,
      extensions,
      filenames,
      language_id: languageId,
      priority,
      install,
    })),
  current_config: async ({ plan }) => ({
    context: plan.mcp.context,
    read_only: plan.mcp.readOnly,
    effects: plan.allow.effects,
    limits: { ...plan.limits },
    servers: plan.servers.map((server) => server.id),
    tools: plan.mcp.listed,
  }),
  restart_server: async (call, args) => ({ restarted: await call.pool.restart(serverIn(call, args)) }),
  stop_server: async (call, args) => ({ stopped: await call.pool.stop(serverIn(call, args)) }),
};

/** Does what a runtime step says; the value is plain JSON, or the statuses that the shape spells. */
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

/** The pool's statuses, and an idle one for each configured server that the pool has not started. */
function statusOf(call: CallState): ServerStatus[] {
  const told = call.pool.status();
  const absent = call.plan.servers.filter((server) => !told.some((status) => status.id === server.id));
  return [...told, ...absent.map(({ id }) => idle(id))];
}

function idle(id: string): ServerStatus {
  return {
    id,
    root: null,
    state: "idle",
    readiness: "unknown",
    pid: null,
    version: null,
    uptimeMs: null,
    lastUsedMs: null,
    restarts: 0,
    openDocuments: 0,
    pendingRequests: 0,
    memoryMb: null,
    encoding: null,
    features: [],
    progress: null,
    lastError: null,
    stderr: [],
  };
}
