/**
 * Records the messages between lsp-proxy and one language server, one JSON document per line with the workspace's path
 * replaced, so that tests can replay the server. Log messages are left out, unless they signal readiness.
 */
import { basename } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { isTable } from "../../base/json.js";
import { fileUri } from "../../base/paths.js";
import { ReadyStatus } from "../../lsp/readiness-signals.js";
import type { Trace } from "../../lsp/types.js";

const LOG_METHODS: ReadonlySet<unknown> = new Set(["window/logMessage", "telemetry/event", "$/logTrace"]);

/** A trace that records LSP traffic, and the transcript of it. */
export function openTranscript(
  workspace: string,
  servers: readonly Pick<ServerPlan, "ready">[],
): { trace: Trace; text(): string } {
  const statuses = servers.map(({ ready }) => new ReadyStatus(ready));
  const isLog = ({ method, params }: Record<string, unknown>): boolean =>
    LOG_METHODS.has(method) && !statuses.some((status) => status.take(String(method), params));
  const lines: string[] = [];
  const uri = fileUri(workspace);
  // As in the JSON of a message, where a backslash is written twice.
  const folder = JSON.stringify(workspace).slice(1, -1);
  const name = JSON.stringify(basename(workspace));
  return {
    trace({ side, direction, message }) {
      if (side !== "lsp" || !isTable(message) || isLog(message)) return;
      // The capabilities of lsp-proxy change with its version.
      const kept = message.method === "initialize" ? { ...message, params: {} } : message;
      const line = JSON.stringify({ direction, message: kept });
      lines.push(
        line
          .replaceAll(uri, "<workspace-uri>")
          .replaceAll(folder, "<workspace>")
          .replaceAll(`"name":${name}`, `"name":"<workspace-name>"`),
      );
    },
    text: () => `${lines.join("\n")}\n`,
  };
}
