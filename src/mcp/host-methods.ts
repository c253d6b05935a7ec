/**
 * Requests of the program that started the proxy, as llxprt-code's LSP client does: diagnostics of a file or of all
 * files, the state of the servers, and the end. Each is a call of a tool; where it fails, the answer is empty, so that
 * no edit of the host fails because of it.
 */
import { resolve } from "node:path";
import { define, fieldsOf, itemsOf, type JsonObject } from "../base/json.js";
import type { Log } from "../lsp/types.js";
import type { HostMethod } from "../lsp/wire/host-connection.js";
import type { Runtime } from "../runtime/runtime.js";
import type { SessionCalls } from "./calls.js";

export interface HostContext {
  runtime: Runtime;
  calls: SessionCalls;
  /** The tools behind the methods, and the severities that are reported. */
  channel: NonNullable<Runtime["loaded"]["plan"]["mcp"]["hostChannel"]>;
  /** Absolute folder that relative paths of answers start from, as the host names it. */
  folder: string;
  log: Log;
}

/** A diagnostic as the host reads it; line and column count from one. */
interface HostDiagnostic {
  file: string;
  line: number;
  column: number;
  severity: string;
  message: string;
  code?: string;
  source?: string;
}

/** States of servers → the host's words. A server that was not needed yet is well. */
const states: { readonly [state: string]: string } = {
  running: "ok",
  starting: "starting",
  idle: "idle",
  stopped: "idle",
  disabled: "disabled",
};

/** The methods by their names. `lsp/shutdown` stops every server before it answers. */
export function hostMethods(context: HostContext): { [method: string]: HostMethod } {
  const { runtime, calls, channel, folder, log } = context;
  const { tools, severities } = channel;
  const session = runtime.openSession({ isHost: true });

  /** The structured answer of a tool. */
  const ask = async (tool: string, args: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
    const { isError, structured, text } = await session.call(tool, args, { signal });
    if (isError) throw new Error(text);
    return structured;
  };
  const orElse =
    (empty: unknown, method: HostMethod): HostMethod =>
    (params, signal) =>
      method(params, signal).catch((error: unknown) => {
        log("info", "a question of the host failed", { cause: error instanceof Error ? error.message : "" });
        return empty;
      });
  const { field } = runtime.loaded.plan.dialect.document;
  const wanted: ReadonlySet<string> = new Set(severities);
  const toHostDiagnostics = (items: unknown, file?: string): HostDiagnostic[] =>
    itemsOf(items)
      .filter((item) => wanted.has(String(fieldsOf<HostDiagnostic>(item).severity)))
      .map((item) => hostDiagnostic(item, file));

  return {
    "lsp/checkFile": orElse([], async (params, signal) => {
      const { filePath, text } = fieldsOf<{ filePath: string; text: string }>(params);
      if (typeof filePath !== "string") throw new Error("lsp/checkFile: `filePath` is not a text");
      const check = async () => {
        const { diagnostics } = await ask(tools.checkFile, { [field]: filePath }, signal);
        return toHostDiagnostics(diagnostics);
      };
      return typeof text === "string" ? runtime.withText(filePath, text, check) : check();
    }),
    "lsp/diagnostics": orElse({}, async (_params, signal) => {
      // Only files that a server has checked have any, so none is started for them.
      if (runtime.pool.running().length === 0) return {};
      const { files } = await ask(tools.diagnostics, {}, signal);
      const found: { [file: string]: HostDiagnostic[] } = {};
      for (const entry of itemsOf(files)) {
        const { path, diagnostics } = fieldsOf<{ path: string; diagnostics: unknown[] }>(entry);
        const items = toHostDiagnostics(diagnostics, String(path));
        if (items.length > 0) define(found, resolve(folder, String(path)), items);
      }
      return found;
    }),
    "lsp/status": orElse([], async (_params, signal) => {
      const { servers } = await ask(tools.status, {}, signal);
      return itemsOf(servers).map(hostStatus);
    }),
    "lsp/shutdown": orElse(null, async () => {
      await calls.close();
      return null;
    }),
  };
}

function hostDiagnostic(item: unknown, file?: string): HostDiagnostic {
  const { path, line, character, severity, message, code, source } = fieldsOf<
    HostDiagnostic & { path: string; character: number }
  >(item);
  return {
    file: file ?? String(path),
    line: Number(line),
    column: Number(character),
    severity: severity === "information" ? "info" : String(severity),
    message: String(message),
    ...(code === undefined ? {} : { code: String(code) }),
    ...(source === undefined ? {} : { source: String(source) }),
  };
}

function hostStatus(item: unknown): JsonObject {
  const { id, state, last_error: error } = fieldsOf<{ id: string; state: string; last_error: string }>(item);
  const known = String(state);
  const word = Object.hasOwn(states, known) ? (states[known] ?? "broken") : "broken";
  return {
    serverId: String(id),
    state: word,
    status: known === "running" ? "active" : known,
    healthy: word === "ok" || word === "idle",
    ...(word === "broken" && typeof error === "string" ? { detail: `${known}: ${error}` } : {}),
  };
}
