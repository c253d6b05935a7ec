/**
 * What the proxy reports about itself. Environment values, arguments, settings and paths of servers are left out:
 * they may hold secrets or lie outside the roots.
 */
import { basename } from "node:path";
import type { Plan, ServerPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import type { ServerStatus } from "../lsp/types.js";

export function describeServer(server: ServerPlan, withEnv: boolean): JsonObject {
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
export function languagesOf(statuses: readonly ServerStatus[], servers: readonly ServerPlan[]): JsonObject[] {
  const names = sortedSet(servers.flatMap(languagesIn));
  return names.map((language) => {
    const ids = servers.filter((server) => languagesIn(server).includes(language)).map(({ id }) => id);
    const running = statuses.filter((status) => ids.includes(status.id) && status.state === "running");
    return {
      language,
      servers: ids,
      // A server announces its features when it starts. Until then they are unknown, which is not the same as
      // none.
      features: running.length === 0 ? null : sortedSet(running.flatMap((status) => status.features)),
    };
  });
}

/** The active config. */
export function describeConfig(plan: Plan): JsonObject {
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

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
