/** The config formats of other programs that `import` reads, the more specific ones first. */
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { ConfigError } from "../../base/problem.js";
import { acceptForeignKeys } from "../foreign-keys.js";
import { serverSchema } from "../schema.js";
import { MAX_CONFIG_BYTES, readOther } from "../text/read.js";
import {
  command,
  disabled,
  extensions,
  type Format,
  languages,
  type OtherList,
  type OtherServer,
  patterns,
  rename,
  seconds,
  serversIn,
  startKeys,
  under,
  unsupported,
  unusable,
} from "./format.js";
import { helix } from "./helix.js";

const cclsp: Format = {
  name: "cclsp",
  title: "cclsp.json of cclsp",
  matches: ({ servers }) =>
    Array.isArray(servers) && servers.every((entry) => isTable(entry) && Array.isArray(entry.command)),
  lists: under("servers"),
  keys: {
    command,
    extensions,
    rootDir: rename("root_dir"),
    restartInterval: rename("restart_interval_minutes"),
    initializationOptions: rename("initialize_options"),
  },
};

/** lspi's files and ours: the keys of a server are the same. */
const lspi: Format = {
  name: "lspi",
  title: "a config of lspi (or of lsp-proxy itself)",
  isOurs: true,
  matches: (tree) => Array.isArray(tree.servers),
  lists: under("servers"),
  servers: (tree) =>
    under("servers")(tree)
      .flatMap(serversIn)
      .map(({ entry: { id, ...entry }, at }) => ({
        name: typeof id === "string" ? id : undefined,
        at,
        entry,
      })),
  notes: (tree) =>
    Object.keys(tree)
      .filter((key) => !["servers", "version", "$schema"].includes(key))
      .map((key) => `${key}: only servers and the programs that they start are imported`),
  keys: Object.fromEntries(Object.keys(serverSchema.shape).map((key) => [key, rename(key)])),
};

const mcpls: Format = {
  name: "mcpls",
  title: "mcpls.toml of mcpls",
  matches: (tree) => Array.isArray(tree.lsp_servers),
  lists: under("lsp_servers"),
  keys: {
    ...startKeys,
    language_id: rename("language_id"),
    file_patterns: patterns,
    initialization_options: rename("initialize_options"),
    settings: rename("workspace_configuration"),
    timeout_seconds: seconds("request_timeout_ms"),
    heuristics: (value, note) => {
      if (!isTable(value)) return undefined;
      const { project_markers: markers, ...others } = value;
      const unknown = Object.keys(others);
      if (unknown.length > 0) note(`${unknown.join(", ")}: not supported here`);
      return Array.isArray(markers) ? { root_markers: markers } : undefined;
    },
  },
};

/** The keys of an entry in `.lsp.json`, for every program that reads it. */
const lspJsonKeys: Format["keys"] = {
  ...startKeys,
  extensionToLanguage: languages,
  initializationOptions: rename("initialize_options"),
  settings: rename("workspace_configuration"),
  startupTimeout: rename("initialize_timeout_ms"),
  requestTimeout: rename("request_timeout_ms"),
  maxRestarts: (value, _, { restartOnCrash }) => ({ restart: { max: restartOnCrash === false ? 0 : value } }),
  workspaceFolder: rename("root_dir"),
  transport: (value, note, { socket }) => {
    if (value === "stdio" || socket !== undefined) return undefined;
    note('write `transport = { tcp = "host:port" }` by hand');
    return undefined;
  },
  // With a command the server is started first.
  socket: (value, note, { command: program }) => {
    const mode: JsonObject = program === undefined ? {} : { mode: "start" };
    const { host, port, path } = isTable(value) ? value : { path: value };
    if (typeof path === "string") return { transport: { pipe: path, ...mode } };
    if (typeof port !== "number") return unusable("a port or the path of a socket", note);
    return { transport: { tcp: `${String(host ?? "127.0.0.1")}:${port}`, ...mode } };
  },
  shutdownTimeout: unsupported("the time for a server to stop is fixed here"),
  restartOnCrash: (value) => (value === false ? { restart: { max: 0 } } : undefined),
  loggingConfig: unsupported("set the log level on the command line: --log-level"),
  trustRequired: unsupported("a config in a workspace is trusted as a whole: `lsp-proxy trust`"),
};

const copilot: Format = {
  name: "copilot",
  title: "lsp.json of Copilot CLI",
  matches: (tree) => entries(tree.lspServers).some(({ entry }) => "fileExtensions" in entry),
  lists: under("lspServers"),
  keys: {
    ...startKeys,
    fileExtensions: languages,
    rootUri: rename("root_dir"),
    initializationOptions: rename("initialize_options"),
    requestTimeoutMs: rename("request_timeout_ms"),
    disabled,
  },
};

const claude: Format = {
  name: "claude",
  title: ".lsp.json of Claude Code and qwen-code, or the lspServers of a plugin or a marketplace",
  matches: (tree) =>
    filesOfLspJson(tree).length > 0 ||
    listsOfLspJson(tree)
      .flatMap(serversIn)
      .some(({ entry }) => "command" in entry || "socket" in entry),
  lists: listsOfLspJson,
  notes: (tree) =>
    filesOfLspJson(tree).map(({ at, file }) => `${at}: its servers are in ${file}; import that file`),
  keys: lspJsonKeys,
};

const OPENCODE_KEYS = ["command", "disabled", "extensions", "initialization"];

const opencode: Format = {
  name: "opencode",
  title: "opencode.json of opencode",
  matches: ({ lsp }) => {
    const isNamed = entries(lsp).some(({ entry }) => OPENCODE_KEYS.some((key) => key in entry));
    return typeof lsp === "boolean" || (isNamed && !entries(lsp).some(isOfCrush));
  },
  lists: under("lsp"),
  hasBuiltInServers: true,
  notes: ({ lsp }) =>
    typeof lsp === "boolean" ? ["lsp: it only turns opencode's built-in servers on or off"] : [],
  keys: { command, extensions, env: rename("env"), initialization: rename("initialize_options"), disabled },
};

const crush: Format = {
  name: "crush",
  title: "crush.json of crush",
  matches: (tree) => entries(tree.lsp).some(isOfCrush),
  lists: under("lsp"),
  hasBuiltInServers: true,
  keys: {
    ...startKeys,
    filetypes: extensions,
    root_markers: rename("root_markers"),
    init_options: rename("initialize_options"),
    options: rename("workspace_configuration"),
    timeout: seconds("initialize_timeout_ms"),
    disabled,
    enabled: rename("enabled"),
  },
};

export const formats: readonly Format[] = [cclsp, lspi, mcpls, helix, copilot, opencode, crush, claude];

/** Reads a file of another program: its tree, and its format if it is the `wanted` one or recognised. */
export function readOtherConfig(
  file: string,
  content: string | Uint8Array,
  wanted: string | undefined,
): { tree: JsonObject; format: Format | undefined } {
  const source = readOther(file, content, file.endsWith(".toml") ? "toml" : "json", MAX_CONFIG_BYTES);
  if (source.broken) throw new ConfigError(source.problems);
  const { tree } = source;
  const format = formats.find(({ name, matches }) =>
    wanted === undefined ? matches(tree) : name === wanted,
  );
  return { tree: format?.isOurs ? acceptForeignKeys(source).tree : tree, format };
}

/** Whether an entry has what only crush's entries have. */
function isOfCrush({ entry }: OtherServer): boolean {
  const own = ["filetypes", "init_options", "options", "root_markers", "timeout"];
  return typeof entry.command === "string" || own.some((key) => key in entry);
}

function entries(value: Json | undefined): OtherServer[] {
  return serversIn({ value, at: "" });
}

function listsOfLspJson(tree: JsonObject): OtherList[] {
  if ("lspServers" in tree) return typeof tree.lspServers === "string" ? [] : under("lspServers")(tree);
  if (!Array.isArray(tree.plugins)) return [{ value: tree, at: "" }];
  return tree.plugins.flatMap((plugin, index) =>
    isTable(plugin) && typeof plugin.lspServers !== "string"
      ? [{ value: plugin.lspServers, at: `plugins[${index}].lspServers` }]
      : [],
  );
}

/** The plugins that name a file instead of listing their servers. */
function filesOfLspJson(tree: JsonObject): { at: string; file: string }[] {
  const plugins = Array.isArray(tree.plugins) ? tree.plugins : [tree];
  return plugins.flatMap((plugin, index) => {
    const file = isTable(plugin) ? plugin.lspServers : undefined;
    const at = plugin === tree ? "lspServers" : `plugins[${index}].lspServers`;
    return typeof file === "string" ? [{ at, file }] : [];
  });
}
