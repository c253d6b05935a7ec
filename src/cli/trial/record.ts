/**
 * A transcript of what went between the proxy and one language server: one JSON document per line, with the workspace's
 * own path replaced, so that tests can play the server without having it. What a server logs is left out, unless that is
 * how it says that it is ready.
 */
import { basename } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { fileUri } from "../../base/file-uri.js";
import { isTable } from "../../base/json.js";
import { ReadyStatus } from "../../lsp/ready-status.js";
import type { Trace } from "../../lsp/types.js";

/** What stands for the workspace's URI, path and name in a transcript. */
const URI = "<workspace-uri>";
const PATH = "<workspace>";
const NAME = "<workspace-name>";

/** Messages that say nothing to the proxy. */
const TALK: ReadonlySet<unknown> = new Set(["window/logMessage", "telemetry/event", "$/logTrace"]);

/** Hears a server's traffic and gives it back as lines. */
export function openTranscript(
  workspace: string,
  servers: readonly Pick<ServerPlan, "ready">[],
): { trace: Trace; text(): string } {
  const statuses = servers.map(({ ready }) => new ReadyStatus(ready));
  const isTalk = ({ method, params }: Record<string, unknown>): boolean =>
    TALK.has(method) && !statuses.some((status) => status.take(String(method), params));
  const lines: string[] = [];
  const uri = fileUri(workspace);
  return {
    trace({ side, direction, message }) {
      if (side !== "lsp" || !isTable(message) || isTalk(message)) return;
      // What the proxy offers is the proxy's business, and changes with it.
      const kept = message.method === "initialize" ? { ...message, params: {} } : message;
      const line = JSON.stringify({ direction, message: kept });
      lines.push(
        line
          .replaceAll(uri, URI)
          .replaceAll(workspace, PATH)
          .replaceAll(`"name":${JSON.stringify(basename(workspace))}`, `"name":"${NAME}"`),
      );
    },
    text: () => `${lines.join("\n")}\n`,
  };
}
