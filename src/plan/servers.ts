/** Server tables of the config → ServerPlans: defaulted, sorted by id, checked on their own. */
import type { ServerPlan, TransportPlan } from "../abi/plan.js";
import { canonical, type Json, type JsonObject } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import { toPointer } from "../base/pointer.js";
import type { Config, ServerConfig } from "../config/schema.js";
import { languageIds } from "../protocol/languages.js";
import { featureNames } from "../protocol/methods.js";
import { checkProgram } from "./commands.js";
import { defaultServer } from "./defaults.js";
import type { Report } from "./report.js";
import { canonicalSchema } from "./result-schema.js";
import { buildTransport } from "./transports.js";

/** A server with the pointer of its table, for problems found later. */
export interface PlacedServer {
  plan: ServerPlan;
  pointer: string;
  /** Where it stands among the servers of the config. */
  index: number;
}

/** The enabled servers, sorted by id. */
export function buildServers(config: Config, report: Report): PlacedServer[] {
  const known = (config.servers ?? []).map((server) => server.id);
  const placed = (config.servers ?? []).flatMap((server, index) => {
    if (server.enabled === false) return [];
    const pointer = toPointer(["servers", index]);
    checkNames(server, pointer, known, report);
    return [{ plan: buildServer(server, pointer, config, report), pointer, index }];
  });
  return sortBy(placed, ({ plan }) => [plan.id]);
}

function buildServer(server: ServerConfig, pointer: string, config: Config, report: Report): ServerPlan {
  const transport = buildTransport(server, pointer, config.allow?.hosts ?? [], report);
  const restart = server.restart ?? {};
  const limits = server.limits ?? {};
  const extensions = sortedSet(server.extensions ?? []);
  return {
    id: server.id,
    command: buildCommand(server, transport, pointer, report),
    args: server.args ?? [],
    extensions,
    filenames: sortedSet(server.filenames ?? []),
    globs: sortedSet(server.globs ?? []),
    ...buildLanguages(server, extensions),
    rootMarkers: server.root_markers ?? [],
    rootPick: server.root_pick ?? "nearest",
    rootDir: server.root_dir ?? null,
    cwd: server.cwd ?? null,
    workspaceFolders: server.workspace_folders ?? [],
    env: canonical(server.env ?? {}),
    transport,
    initializeOptions: canonical((server.initialize_options ?? null) as Json),
    clientCapabilities: canonical((server.client_capabilities ?? {}) as JsonObject),
    settings: canonical((server.workspace_configuration ?? {}) as JsonObject),
    pushSettings: server.push_configuration ?? true,
    initializeTimeoutMs: server.initialize_timeout_ms ?? defaultServer.initializeTimeoutMs,
    requestTimeoutMs: server.request_timeout_ms ?? defaultServer.requestTimeoutMs,
    requestTimeoutOverridesMs: canonical(server.request_timeout_overrides_ms ?? {}),
    warmupTimeoutMs: server.warmup_timeout_ms ?? defaultServer.warmupTimeoutMs,
    replies: canonical((server.replies ?? {}) as JsonObject),
    forward: server.forward ?? [],
    ready: {
      progress: server.ready?.progress ?? true,
      notification: server.ready?.notification ?? null,
      field: server.ready?.field ?? null,
      text: sortedSet(server.ready?.text ?? []),
      atOnce: server.ready?.at_once ?? false,
      eachFolder: server.ready?.each_folder ?? false,
    },
    check: server.check
      ? {
          method: server.check.method,
          params: canonical(server.check.params as Json),
          withinMs: server.check.within_ms,
          pauseMs: server.check.pause_ms,
        }
      : null,
    projectFiles: sortedSet(server.project_files ?? []),
    idleShutdownMs: server.idle_shutdown_ms ?? defaultServer.idleShutdownMs,
    restartIntervalMinutes: server.restart_interval_minutes ?? 0,
    restart: {
      max: restart.max ?? defaultServer.restart.max,
      windowMs: restart.window_ms ?? defaultServer.restart.windowMs,
      backoffMs: restart.backoff_ms ?? defaultServer.restart.backoffMs,
    },
    features: buildFeatures(server),
    priority: server.priority ?? 0,
    executeCommands: sortedSet(server.execute_commands ?? []),
    customMethods: customMethods(server.id, config),
    limits: {
      memoryMb: limits.memory_mb ?? null,
      openFiles: limits.open_files ?? null,
      processes: limits.processes ?? null,
      nice: limits.nice ?? null,
    },
    sandbox: server.sandbox ?? "none",
    untrusted: {
      start: server.untrusted?.start ?? true,
      loads: canonical(server.untrusted?.loads ?? {}),
      without: sortedSet(server.untrusted?.without ?? []),
      initializeOptions: canonical((server.untrusted?.initialize_options ?? {}) as JsonObject),
      settings: canonical((server.untrusted?.workspace_configuration ?? {}) as JsonObject),
    },
    openOnChange: server.open_on_change ?? false,
    diagnostics: { pull: server.diagnostics?.pull ?? true, onSave: server.diagnostics?.on_save ?? false },
    shareRoots: server.share_roots ?? true,
    install: server.install ?? null,
  };
}

function buildCommand(
  server: ServerConfig,
  transport: TransportPlan,
  pointer: string,
  report: Report,
): string[] {
  // What runs already is not started, whatever program a preset names.
  if (transport.kind !== "stdio" && transport.mode === "connect") return [];
  const words = typeof server.command === "string" ? [server.command] : (server.command ?? []);
  const [program] = words;
  if (program !== undefined) {
    checkProgram(
      program,
      typeof server.command === "string" ? `${pointer}/command` : `${pointer}/command/0`,
      report,
    );
  } else {
    report.add("plan/no-command", pointer, `The server \`${server.id}\` has no command.`);
  }
  return words;
}

/** Without `language_id` the ids come from the extensions, so that a preset can leave out what everyone knows. */
/** The language ids of a server's files: those that it names, else those that its extensions are known by. */
export function buildLanguages(
  server: Pick<ServerConfig, "extensions" | "language_id" | "language_ids">,
  extensions: readonly string[],
): Pick<ServerPlan, "languageId" | "languageIds"> {
  const [first] = server.extensions ?? [];
  const languageId =
    server.language_id ?? (first === undefined ? "plaintext" : (languageIds[first] ?? first));
  const ids: { [match: string]: string } = {};
  if (server.language_id === undefined)
    for (const extension of extensions) ids[extension] = languageIds[extension] ?? languageId;
  Object.assign(ids, server.language_ids);
  for (const [match, id] of Object.entries(ids)) if (id === languageId) delete ids[match];
  return { languageId, languageIds: canonical(ids) };
}

function buildFeatures(server: ServerConfig): ServerPlan["features"] {
  const { features } = server;
  return {
    only: features && "only" in features ? sortedSet(features.only) : null,
    except: features && "except" in features ? sortedSet(features.except) : [],
  };
}

function customMethods(id: string, config: Config): ServerPlan["customMethods"] {
  const mine = (config.methods ?? []).filter(
    (entry) => entry.servers === undefined || entry.servers.includes(id),
  );
  return canonical(
    Object.fromEntries(
      mine.map(({ method, capability = null, result }) => [
        method,
        { capability, result: canonicalSchema(result) },
      ]),
    ),
  );
}

/** Names that a server's table uses for other things: features and servers. */
function checkNames(server: ServerConfig, pointer: string, known: string[], report: Report): void {
  const { features } = server;
  const key = features && "only" in features ? "only" : "except";
  const named = features ? ("only" in features ? features.only : features.except) : [];
  named.forEach((name, index) => {
    if (!featureNames.includes(name))
      report.unknown(
        "plan/unknown-feature",
        `${pointer}/features/${key}/${index}`,
        "The feature",
        name,
        featureNames,
      );
  });
  server.forward?.forEach((rule, index) => {
    if (!known.includes(rule.to))
      report.unknown("plan/unknown-server", `${pointer}/forward/${index}/to`, "The server", rule.to, known);
  });
}
