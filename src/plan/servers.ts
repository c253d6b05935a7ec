/** Server tables of the config → ServerPlans, sorted by id, and the check of the routes from files to servers. */
import { posix } from "node:path";
import type { ProjectQueryPlan, ServerPlan, TransportPlan } from "../abi/plan.js";
import { canonical, type Json, type JsonObject } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import type { Config, ServerConfig } from "../config/schema.js";
import { languageIds } from "../protocol/languages.js";
import { featureNames, shareFeatures } from "../protocol/methods.js";
import {
  defaultReady,
  defaultRestart,
  defaultServer,
  defaultServerLimits,
  withDefaults,
} from "./defaults.js";
import type { Report } from "./report.js";
import { canonicalSchema } from "./result-schema.js";
import { buildTransport } from "./transports.js";

/** A server and the report of its table, for problems that are found later. */
export interface PlacedServer {
  plan: ServerPlan;
  report: Report;
  /** Its index in the config. */
  index: number;
}

/** The ids of the servers that names stand for: the server of that id, or where there is none, those of that kind. */
export function serverIds(names: readonly string[], { servers = [] }: Config): string[] {
  return sortedSet(
    names.flatMap((name) =>
      servers.some(({ id }) => id === name)
        ? [name]
        : servers.filter(({ kind }) => kind === name).map(({ id }) => id),
    ),
  );
}

/** The names by which a tool or a method may mean servers. */
export function knownServers({ servers = [] }: Config): string[] {
  return sortedSet(servers.flatMap(({ id, kind }) => (kind === undefined ? [id] : [id, kind])));
}

/** The enabled servers, sorted by id. */
export function buildServers(config: Config, report: Report): PlacedServer[] {
  const known = (config.servers ?? []).map((server) => server.id);
  const placed = (config.servers ?? []).flatMap((server, index) => {
    if (isDisabled(server, config)) return [];
    const at = report.at("servers", index);
    checkNames(server, known, at);
    return [{ plan: buildServer(server, config, at), report: at, index }];
  });
  return sortBy(placed, ({ plan }) => [plan.id]);
}

/** Ids of the servers that are not used, sorted. */
export function disabledServers(config: Config): string[] {
  const disabled = (config.servers ?? []).filter((server) => isDisabled(server, config));
  return sortedSet(disabled.map(({ id }) => id));
}

function isDisabled({ enabled }: ServerConfig, config: Config): boolean {
  return enabled === false || config.allow?.servers === false;
}

function buildServer(server: ServerConfig, config: Config, report: Report): ServerPlan {
  const transport = buildTransport(server, config.allow?.hosts ?? [], report);
  const ready = withDefaults(defaultReady, server.ready);
  const extensions = sortedSet(server.extensions ?? []);
  return {
    ...withDefaults(defaultServer, server),
    id: server.id,
    command: buildCommand(server, transport, report),
    extensions,
    filenames: sortedSet(server.filenames ?? []),
    globs: sortedSet(server.globs ?? []),
    ...buildLanguages(server, extensions),
    env: canonical(server.env ?? {}),
    transport,
    minVersion: server.probe?.at_least ?? null,
    initializeOptions: canonical((server.initialize_options ?? null) as Json),
    clientCapabilities: canonical((server.client_capabilities ?? {}) as JsonObject),
    settings: canonical((server.workspace_configuration ?? {}) as JsonObject),
    pushSettings: server.push_configuration ?? true,
    requestTimeoutOverridesMs: canonical(server.request_timeout_overrides_ms ?? {}),
    neverCancel: sortedSet(server.never_cancel ?? []),
    replies: canonical((server.replies ?? {}) as JsonObject),
    ready: { ...ready, text: sortedSet(ready.text) },
    check: server.check
      ? {
          method: server.check.method,
          params: canonical(server.check.params as Json),
          withinMs: server.check.within_ms,
          pauseMs: server.check.pause_ms,
        }
      : null,
    symbolLimit: server.symbol_limit ?? null,
    libraryRoots: sortedSet(server.library_roots ?? []),
    projectQuery: server.project_query === undefined ? null : projectQuery(server.project_query),
    projectFiles: sortedSet(server.project_files ?? []),
    settingsFiles: sortedSet(server.settings_files ?? []),
    projectFix: server.project_fix ?? null,
    restart: withDefaults(defaultRestart, server.restart),
    features: buildFeatures(server),
    executeCommands: sortedSet(server.execute_commands ?? []),
    customMethods: customMethods(server.id, config),
    limits: withDefaults(defaultServerLimits, server.limits),
    untrusted: {
      start: server.untrusted?.start ?? true,
      loads: canonical(server.untrusted?.loads ?? {}),
      without: sortedSet(server.untrusted?.without ?? []),
      initializeOptions: canonical((server.untrusted?.initialize_options ?? {}) as JsonObject),
      settings: canonical((server.untrusted?.workspace_configuration ?? {}) as JsonObject),
    },
    diagnostics: { pull: server.diagnostics?.pull ?? true, onSave: server.diagnostics?.on_save ?? false },
  };
}

function buildCommand(server: ServerConfig, transport: TransportPlan, report: Report): string[] {
  // A running server is not started, even if its preset names a program.
  if (transport.kind !== "stdio" && transport.mode === "connect") return [];
  const words = [server.command ?? []].flat();
  const [program] = words;
  const at = typeof server.command === "string" ? report.at("command") : report.at("command", 0);
  if (program !== undefined) checkProgram(program, at);
  else report.add("plan/no-command", `The server \`${server.id}\` has no command.`);
  return words;
}

/** The language ids of a server's files. Without `language_id` they come from the extensions. */
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
  for (const [match, id] of Object.entries(ids)) {
    if (id === languageId) delete ids[match];
  }
  return { languageId, languageIds: canonical(ids) };
}

function projectQuery(query: NonNullable<ServerConfig["project_query"]>): ProjectQueryPlan {
  const { none = [], markers, ...rest } = query;
  const sorted = { ...rest, none: sortedSet(none) };
  return markers === undefined ? sorted : { ...sorted, markers: sortedSet(markers) };
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
    (entry) => entry.servers === undefined || serverIds(entry.servers, config).includes(id),
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

/** Checks the names of features and of other servers. */
function checkNames({ features, forward }: ServerConfig, known: string[], report: Report): void {
  for (const [key, names] of Object.entries(features ?? {}))
    report.at("features", key).checkNames("plan/unknown-feature", "The feature", names, featureNames);
  forward?.forEach(({ to, request }, index) => {
    const at = report.at("forward", index);
    if ((to === undefined) !== (request === undefined))
      at.add("plan/bad-forward", "A forward rule has only one of `to` and `request`.");
    if (to !== undefined && !known.includes(to))
      at.at("to").unknown("plan/unknown-server", "The server", to, known);
  });
}

const bareName = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;
const absolutePath = /^(\/|[A-Za-z]:[\\/]|\\\\)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused too
const shellSyntax = /[*?[\]{}$;&|<>'"`\u0000-\u001f\u007f]/;

/** A program must be a bare name or an absolute path, without glob or shell syntax. */
export function checkProgram(program: string, report: Report): void {
  const why = programProblem(program);
  if (why !== undefined) report.add("plan/bad-command", `The command ${JSON.stringify(program)} ${why}.`);
}

function programProblem(program: string): string | undefined {
  if (bareName.test(program)) return undefined;
  if (!absolutePath.test(program)) return "is neither a bare name nor an absolute path";
  if (shellSyntax.test(program)) return "contains glob or shell syntax";
  if (hasDots(program)) return "contains `.` or `..` as a folder";
  return undefined;
}

function hasDots(path: string): boolean {
  return path.split(/[\\/]/).some((part) => part === ".." || part === ".");
}

/** Each server needs files, and two servers for one file need a rule. */
export function checkRoutes(servers: readonly PlacedServer[]): void {
  const forwarded = new Set(servers.flatMap(({ plan }) => plan.forward.map((rule) => rule.to)));
  for (const { plan, report } of servers) {
    if (claims(plan).length === 0 && !forwarded.has(plan.id))
      report.add("plan/no-route", `No file is routed to the server \`${plan.id}\`.`);
  }
  servers.forEach((server, index) => {
    for (const other of servers.slice(index + 1)) checkPair(server, other);
  });
}

function checkPair(one: PlacedServer, other: PlacedServer): void {
  if (one.plan.priority !== other.plan.priority) return;
  // The deepest `root_dir` that contains a file decides.
  if (rootName(one.plan) !== rootName(other.plan)) return;
  const taken = new Set(claims(one.plan));
  const shared = claims(other.plan).filter((claim) => taken.has(claim));
  if (shared.length === 0) return;
  if (!shareFeatures(one.plan, other.plan)) return;
  const some = shared.slice(0, 5).join(", ");
  const { report } = one.index > other.index ? one : other;
  report.add(
    "plan/route-conflict",
    `The servers \`${one.plan.id}\` and \`${other.plan.id}\` both claim ${some}${shared.length > 5 ? ", …" : ""}.`,
  );
}

function claims(plan: ServerPlan): string[] {
  return [
    ...plan.extensions.map((extension) => `*.${extension}`),
    ...plan.filenames,
    ...plan.globs.map((glob) => `glob ${glob}`),
  ];
}

/** The server's root as the config names it; without one it is the config's folder. */
function rootName({ rootDir }: ServerPlan): string {
  return posix.join(rootDir ?? ".", "/");
}
