/**
 * Actions of the runtime itself: server status, restart and stop, config, edits. They send no question to a
 * language server.
 */
import type { RuntimeAction } from "../abi/plan.js";
import { isTable, type Json, type JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { sortedSet } from "../base/order.js";
import { Refusal } from "../base/problem.js";
import type { CallState } from "./call-state.js";
import { editFiles } from "./edits/argument-edits.js";
import { createFile, deleteFile, renameFile } from "./edits/file-edits.js";
import { UndoRequest } from "./edits/proposed-edit.js";
import { insertAfterSymbol, insertBeforeSymbol, replaceSymbol } from "./edits/symbol-edits.js";
import { describeConfig, describeServer, languagesOf } from "./introspect.js";

type Action = (call: CallState, args: JsonObject) => Promise<unknown>;

const actions: { [action in RuntimeAction]: Action } = {
  server_status: async (call, args) => {
    const wanted = serverIn(call, args);
    return call.pool.status().filter((status) => wanted === undefined || status.id === wanted);
  },
  list_servers: async (call, args) => ({
    servers: call.plan.servers.map((server) => describeServer(server, args.include_env === true)),
    languages: languagesOf(call.pool.status(), call.plan.servers),
  }),
  current_config: async ({ plan }) => describeConfig(plan),
  restart_server: async (call, args) => ({
    restarted: await forEach(call, args, (id) => call.pool.restart(id)),
  }),
  stop_server: async (call, args) => ({ stopped: await forEach(call, args, (id) => call.pool.stop(id)) }),
  edit_files: editFiles,
  create_file: createFile,
  rename_file: renameFile,
  delete_file: deleteFile,
  replace_symbol: replaceSymbol,
  insert_before_symbol: insertBeforeSymbol,
  insert_after_symbol: insertAfterSymbol,
  undo_edit: async (_call, args) => new UndoRequest(String(args.undo_token ?? "")),
};

/** Runs an action on the servers that the arguments name: one by its id, those of some extensions, or all. */
async function forEach(
  call: CallState,
  args: JsonObject,
  act: (serverId: string | undefined) => Promise<string[]>,
): Promise<string[]> {
  const extensions = Array.isArray(args.extensions)
    ? args.extensions.map((name) => plainExtension(name))
    : [];
  if (extensions.length === 0) return act(serverIn(call, args));
  const chosen = call.plan.servers.filter(({ extensions: own }) =>
    extensions.some((name) => own.includes(name)),
  );
  if (chosen.length === 0)
    throw new Refusal("guard/invalid-arguments", "No language server is configured for these extensions.");
  const acted = await Promise.all(chosen.map(({ id }) => act(id)));
  return sortedSet(acted.flat());
}

function plainExtension(name: Json): string {
  return String(name).replace(/^\./, "");
}

/** Runs the action of a `runtime` step. The result is plain JSON, or server statuses that the shape renders. */
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
