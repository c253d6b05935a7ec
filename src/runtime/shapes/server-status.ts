/**
 * Renders the status of the language servers as an answer: file types, state, memory, last error and the last
 * stderr lines.
 */

import type { JsonObject } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import { fileUri } from "../../base/paths.js";
import { readinessText } from "../../lsp/server-status.js";
import type { Readiness, ServerStatus } from "../../lsp/types.js";
import { table, textOf } from "../answer/answer-text.js";
import { isEmpty } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import type { Shape } from "./shape.js";

export const serverStatus: Shape = {
  nouns: ["server", "servers"],
  async normalize(reply, call) {
    const statuses = reply.parts.flatMap((part) => part.value as ServerStatus[]);
    return { items: statuses.map((status) => render(call, status)), beside: {} };
  },
  text: (items) => items.flatMap((item) => lines(table(item))),
};

function render(call: CallState, status: ServerStatus): JsonObject {
  const plan = call.plan.servers.find((server) => server.id === status.id);
  const shown = (paths: readonly string[]) =>
    paths.flatMap((path) => call.places.show(fileUri(path))?.shown ?? []);
  const languages = plan === undefined ? [] : [plan.languageId, ...Object.values(plan.languageIds)];
  return {
    id: status.id,
    root: status.root === null ? null : (shown([status.root])[0] ?? null),
    other_roots: shown(status.otherRoots),
    state: status.state,
    readiness: status.readiness,
    extensions: plan?.extensions ?? [],
    filenames: plan?.filenames ?? [],
    languages: sortedSet(languages),
    features: status.features,
    version: status.version,
    encoding: status.encoding,
    pid: status.pid,
    uptime_ms: whole(status.uptimeMs),
    last_used_ms: whole(status.lastUsedMs),
    restarts: status.restarts,
    open_documents: status.openDocuments,
    pending_requests: status.pendingRequests,
    memory_mb: status.memoryMb,
    locked: status.locked,
    progress: status.progress,
    not_watched: shown(status.partlyWatchedFolders),
    last_error: status.lastError,
    stderr: status.stderr.slice(-call.plan.limits.stderrLines),
    install: status.advisesInstall ? (plan?.install ?? null) : null,
  };
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

/** Every member that is not empty, the state first. */
function lines(item: JsonObject): string[] {
  const { id, state, readiness, stderr, ...rest } = item;
  const facts = Object.entries(rest).filter(([, value]) => !isEmpty(value));
  const errors = (Array.isArray(stderr) ? stderr : []).map((line) => `  stderr: ${textOf(line)}`);
  return [
    // Only a server that runs has anything to report.
    `${textOf(id)}: ${textOf(state)}${state === "running" ? `, ${readinessText(readiness as Readiness)}` : ""}`,
    ...facts.map(([name, value]) => `  ${name}: ${Array.isArray(value) ? value.join(" ") : String(value)}`),
    ...errors,
  ];
}
