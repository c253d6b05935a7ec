/**
 * Exports the servers of a plan to the config formats of other programs, with notes on the main settings that the
 * format cannot express.
 */
import type { ServerPlan } from "../abi/plan.js";
import { canonicalText, isTable, type Json, type JsonObject } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import { tomlKey, tomlText, withoutNulls } from "../base/toml-text.js";

/** The exported text, and notes on what it lacks. */
export interface Exported {
  text: string;
  notes: string[];
}

/** `.lsp.json` as Claude Code and qwen-code read it. */
export function claudeServers(servers: readonly ServerPlan[]): Exported {
  // Readers of the file use the first server for an extension, so sort by priority.
  const reachable = sortBy(
    servers.filter(
      ({ transport }) =>
        transport.kind === "stdio" || (transport.kind === "tcp" && transport.mode === "connect"),
    ),
    ({ priority }) => [-priority],
  );
  const notes = [
    ...servers
      .filter((server) => !reachable.includes(server))
      .map(({ id }) => `${id}: it uses a pipe, or a port that exists only once it is started; left out`),
    ...reachable.flatMap((server) => [
      ...lostFiles(server, server.filenames, "filenames"),
      ...lostFiles(server, server.globs, "globs"),
      ...lostParts(server, {
        priority: server.priority !== 0,
        root_markers: server.rootMarkers.length > 0 && server.rootDir === null,
      }),
    ]),
  ];
  const tables = reachable.map((server) => [
    server.id,
    {
      ...connection(server),
      extensionToLanguage: Object.fromEntries(
        server.extensions.map((extension) => [`.${extension}`, languageOf(server, extension)]),
      ),
      ...present("env", server.env),
      ...present("initializationOptions", server.initializeOptions),
      ...present("settings", server.settings),
      ...present("workspaceFolder", server.rootDir),
      startupTimeout: server.initializeTimeoutMs,
      maxRestarts: server.restart.max,
    },
  ]);
  return { text: `${JSON.stringify(Object.fromEntries(tables), null, 2)}\n`, notes };
}

/** Entries for Helix's `languages.toml`. */
export function helixLanguages(servers: readonly ServerPlan[]): Exported {
  const own = servers.filter(({ transport }) => transport.kind === "stdio");
  const far = servers.filter(({ transport }) => transport.kind !== "stdio");
  const languages = sortedSet(own.flatMap(languagesOf)).map((language) => ({
    language,
    // Helix asks the first server in the list first.
    servers: sortBy(
      own.filter((server) => languagesOf(server).includes(language)),
      ({ priority }) => [-priority],
    ),
  }));
  const notes = [
    ...far.map(({ id }) => `${id}: Helix only supports stdio; left out`),
    ...own.flatMap((server) => lostParts(server, { root_dir: server.rootDir !== null })),
    ...own
      .filter(({ initializeOptions, settings }) => !isEmpty(initializeOptions) && !isEmpty(settings))
      .map(
        ({ id }) =>
          `${id}: Helix has one \`config\` for initialize_options and workspace_configuration; it is both`,
      ),
    ...own.flatMap(lostNulls),
    ...languages.flatMap(({ language, servers: asked }) => lostRoots(language, asked)),
  ];
  const lines = [
    ...own.flatMap(helixServer),
    ...languages.flatMap(({ language, servers: asked }) => helixLanguage(language, asked)),
  ];
  return { text: `${lines.join("\n").trimEnd()}\n`, notes };
}

/** The `config` that Helix sends to a server. */
function helixConfig({ initializeOptions, settings }: ServerPlan): Json {
  return isTable(initializeOptions) ? { ...settings, ...initializeOptions } : (initializeOptions ?? settings);
}

function lostNulls(server: ServerPlan): string[] {
  const notes: string[] = [];
  const options = helixConfig(server);
  if (options !== null)
    withoutNulls(options, (path) => notes.push(`${server.id}: config${path}: TOML has no null; left out`));
  return notes;
}

function helixServer(server: ServerPlan): string[] {
  const [program = "", ...words] = server.command;
  const options = withoutNulls(helixConfig(server), () => {}) ?? {};
  return [
    `[language-server.${tomlKey(server.id)}]`,
    `command = ${tomlText(program)}`,
    `args = ${tomlText([...words, ...server.args])}`,
    ...(isEmpty(server.env) ? [] : [`environment = ${tomlText(server.env)}`]),
    ...(isEmpty(options) ? [] : [`config = ${tomlText(options)}`]),
    `timeout = ${Math.ceil(server.requestTimeoutMs / 1000)}`,
    "",
  ];
}

/** LSP language id → Helix name, where they differ. */
const HELIX_NAMES: { readonly [id: string]: string } = {
  csharp: "c-sharp",
  dockercompose: "docker-compose",
  javascriptreact: "jsx",
  "objective-c": "objc",
  plaintext: "text",
  shellscript: "bash",
  typescriptreact: "tsx",
};

function helixLanguage(language: string, servers: readonly ServerPlan[]): string[] {
  const types = servers.flatMap((server) => [
    ...server.extensions.filter((extension) => languageOf(server, extension) === language),
    ...[...server.filenames, ...server.globs.map((glob) => glob.replace(/^\*\*\//, ""))]
      .filter((name) => languageOf(server, name) === language)
      .map((glob) => ({ glob })),
  ]);
  const name = HELIX_NAMES[language] ?? language;
  const unique = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
  return [
    "[[language]]",
    `name = ${tomlText(name)}`,
    `language-id = ${tomlText(language)}`,
    `scope = ${tomlText(`source.${name}`)}`,
    `file-types = ${tomlText(unique)}`,
    `roots = ${tomlText(servers[0]?.rootMarkers ?? [])}`,
    `language-servers = ${tomlText(servers.map(({ id }) => id))}`,
    "",
  ];
}

/** Helix has one list of roots per language; the export uses that of the first server. */
function lostRoots(language: string, [first, ...others]: readonly ServerPlan[]): string[] {
  return others
    .filter(({ rootMarkers }) => canonicalText(rootMarkers) !== canonicalText(first?.rootMarkers ?? []))
    .map(
      ({ id }) =>
        `${id}: root_markers; for ${language} Helix takes those of ${first?.id ?? "the first server"}`,
    );
}

function connection({ command, args, transport }: ServerPlan): JsonObject {
  if (transport.kind === "tcp")
    return { transport: "socket", socket: { host: transport.host, port: transport.port } };
  const [program = "", ...words] = command;
  return { command: program, args: [...words, ...args] };
}

function languagesOf(server: ServerPlan): string[] {
  const named = [...server.extensions, ...server.filenames, ...server.globs];
  return sortedSet(named.map((name) => languageOf(server, name)));
}

function languageOf({ languageIds, languageId }: ServerPlan, name: string): string {
  return (Object.hasOwn(languageIds, name) ? languageIds[name] : undefined) ?? languageId;
}

function present(key: string, value: Json): JsonObject {
  return isEmpty(value) ? {} : { [key]: value };
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

function lostFiles({ id }: ServerPlan, names: readonly string[], key: string): string[] {
  return names.length === 0 ? [] : [`${id}: ${key} (${names.join(", ")}) have no counterpart`];
}

/** A note that lists the settings without a counterpart; `more` are those of one format. */
function lostParts(server: ServerPlan, more: { [key: string]: boolean }): string[] {
  const { ready, limits, untrusted } = server;
  const parts: { [key: string]: boolean } = {
    replies: !isEmpty(server.replies),
    forward: server.forward.length > 0,
    client_capabilities: !isEmpty(server.clientCapabilities),
    features: server.features.only !== null || server.features.except.length > 0,
    ready: ready.notification !== null || ready.atOnce,
    check: server.check !== null,
    open_on_change: server.openOnChange,
    warm_imports: server.warmImports > 0,
    diagnostics: !server.diagnostics.pull || server.diagnostics.onSave,
    cwd: server.cwd !== null,
    workspace_folders: server.workspaceFolders.length > 0,
    execute_commands: server.executeCommands.length > 0,
    limits: Object.values(limits).some((limit) => limit !== null),
    sandbox: server.sandbox !== "none",
    untrusted:
      !untrusted.start ||
      untrusted.without.length > 0 ||
      [untrusted.loads, untrusted.initializeOptions, untrusted.settings].some((part) => !isEmpty(part)),
    ...more,
  };
  const lost = Object.keys(parts).filter((key) => parts[key]);
  return lost.length === 0
    ? []
    : [`${server.id}: ${lost.join(", ")} ${lost.length > 1 ? "have" : "has"} no counterpart`];
}
