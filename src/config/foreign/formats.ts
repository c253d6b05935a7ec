/** The formats that `import` reads, the more telling ones first. */
import { isTable, type JsonObject } from "../../base/json.js";
import { serverSchema } from "../schema.js";
import {
  as,
  command,
  disabled,
  entriesIn,
  extensions,
  type ForeignList,
  type ForeignServer,
  type Format,
  languages,
  lost,
  patterns,
  seconds,
  unusable,
} from "./format.js";
import { helix } from "./helix.js";

const cclsp: Format = {
  name: "cclsp",
  title: "cclsp.json of cclsp",
  matches: (tree) => Array.isArray(tree.servers) && tree.servers.every((entry) => hasWords(entry, "command")),
  lists: under("servers"),
  keys: {
    command,
    extensions,
    rootDir: as("root_dir"),
    restartInterval: as("restart_interval_minutes"),
    initializationOptions: as("initialize_options"),
  },
};

/** lspi's own files, and ours: the keys of a server are the same. */
const lspi: Format = {
  name: "lspi",
  title: "a config of lspi (or of lsp-proxy itself)",
  isOurs: true,
  matches: (tree) => Array.isArray(tree.servers),
  lists: under("servers"),
  servers: (tree) =>
    under("servers")(tree)
      .flatMap(entriesIn)
      .map(({ entry: { id, ...entry }, at }) => ({
        name: typeof id === "string" ? id : undefined,
        at,
        entry,
      })),
  remarks: (tree) =>
    Object.keys(tree)
      .filter((key) => !["servers", "version", "$schema"].includes(key))
      .map((key) => `${key}: only servers are imported, and the programs that they start are allowed`),
  keys: Object.fromEntries(Object.keys(serverSchema.shape).map((key) => [key, as(key)])),
};

const mcpls: Format = {
  name: "mcpls",
  title: "mcpls.toml of mcpls",
  matches: (tree) => Array.isArray(tree.lsp_servers),
  lists: under("lsp_servers"),
  keys: {
    command,
    args: as("args"),
    env: as("env"),
    language_id: as("language_id"),
    file_patterns: patterns,
    initialization_options: as("initialize_options"),
    settings: as("workspace_configuration"),
    timeout_seconds: seconds("request_timeout_ms"),
    heuristics: (value, notes) => {
      if (!isTable(value)) return undefined;
      const { project_markers: markers, ...others } = value;
      const lost = Object.keys(others);
      if (lost.length > 0) notes(`${lost.join(", ")}: has no counterpart here`);
      return Array.isArray(markers) ? { root_markers: markers } : undefined;
    },
  },
};

/** The keys of an entry in `.lsp.json`, whoever reads it. */
const lspJsonKeys: Format["keys"] = {
  command,
  args: as("args"),
  env: as("env"),
  extensionToLanguage: languages,
  initializationOptions: as("initialize_options"),
  settings: as("workspace_configuration"),
  startupTimeout: as("initialize_timeout_ms"),
  requestTimeout: as("request_timeout_ms"),
  maxRestarts: (value, _, { restartOnCrash }) => ({ restart: { max: restartOnCrash === false ? 0 : value } }),
  workspaceFolder: as("root_dir"),
  transport: (value, notes, { socket }) => {
    if (value === "stdio" || socket !== undefined) return undefined;
    notes('write `transport = { tcp = "host:port" }` by hand');
    return undefined;
  },
  // With a command the server is started first, and listens there.
  socket: (value, notes, { command: program }) => {
    const mode: JsonObject = program === undefined ? {} : { mode: "start" };
    const { host, port, path } = isTable(value) ? value : { path: value };
    if (typeof path === "string") return { transport: { pipe: path, ...mode } };
    if (typeof port !== "number") return unusable("a port or the path of a socket", notes);
    return { transport: { tcp: `${String(host ?? "127.0.0.1")}:${port}`, ...mode } };
  },
  shutdownTimeout: lost("how long a server has to end is fixed here"),
  restartOnCrash: (value) => (value === false ? { restart: { max: 0 } } : undefined),
  loggingConfig: lost("logging is asked for on the command line: --log-level"),
  trustRequired: lost("a config that is found in a workspace is trusted as a whole: `lsp-proxy trust`"),
};

const copilot: Format = {
  name: "copilot",
  title: "lsp.json of Copilot CLI",
  matches: (tree) => entries(tree.lspServers).some(({ entry }) => "fileExtensions" in entry),
  lists: under("lspServers"),
  keys: {
    command,
    args: as("args"),
    env: as("env"),
    fileExtensions: languages,
    rootUri: as("root_dir"),
    initializationOptions: as("initialize_options"),
    requestTimeoutMs: as("request_timeout_ms"),
    disabled,
  },
};

const claude: Format = {
  name: "claude",
  title: ".lsp.json of Claude Code and qwen-code, or the lspServers of a plugin or a marketplace",
  matches: (tree) =>
    filesOfLspJson(tree).length > 0 ||
    listsOfLspJson(tree)
      .flatMap(entriesIn)
      .some(({ entry }) => "command" in entry || "socket" in entry),
  lists: listsOfLspJson,
  remarks: (tree) =>
    filesOfLspJson(tree).map(({ at, file }) => `${at}: its servers stand in ${file}; import that file`),
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
  hasOwnServers: true,
  remarks: ({ lsp }) =>
    typeof lsp === "boolean"
      ? ["lsp: it turns opencode's own servers on or off, of which the file names none"]
      : [],
  keys: { command, extensions, env: as("env"), initialization: as("initialize_options"), disabled },
};

const crush: Format = {
  name: "crush",
  title: "crush.json of crush",
  matches: (tree) => entries(tree.lsp).some(isOfCrush),
  lists: under("lsp"),
  hasOwnServers: true,
  keys: {
    command,
    args: as("args"),
    env: as("env"),
    filetypes: extensions,
    root_markers: as("root_markers"),
    init_options: as("initialize_options"),
    options: as("workspace_configuration"),
    timeout: seconds("initialize_timeout_ms"),
    disabled,
    enabled: as("enabled"),
  },
};

/** Every format, in the order in which they are tried. */
export const formats: readonly Format[] = [cclsp, lspi, mcpls, helix, copilot, opencode, crush, claude];

function hasWords(entry: unknown, key: string): boolean {
  return isTable(entry) && Array.isArray(entry[key]);
}

/** The entries under one key of the file. */
function under(key: string): (tree: JsonObject) => ForeignList[] {
  return (tree) => [{ value: tree[key], at: key }];
}

/** Whether an entry says what only crush's can. */
function isOfCrush({ entry }: ForeignServer): boolean {
  const own = ["filetypes", "init_options", "options", "root_markers", "timeout"];
  return typeof entry.command === "string" || own.some((key) => key in entry);
}

function entries(value: unknown): ForeignServer[] {
  return entriesIn({ value, at: "" });
}

function listsOfLspJson(tree: JsonObject): ForeignList[] {
  if ("lspServers" in tree) return typeof tree.lspServers === "string" ? [] : under("lspServers")(tree);
  if (!Array.isArray(tree.plugins)) return [{ value: tree, at: "" }];
  return tree.plugins.flatMap((plugin, index) =>
    isTable(plugin) && typeof plugin.lspServers !== "string"
      ? [{ value: plugin.lspServers, at: `plugins[${index}].lspServers` }]
      : [],
  );
}

/** Where a plugin names a file instead of its servers. */
function filesOfLspJson(tree: JsonObject): { at: string; file: string }[] {
  const plugins = Array.isArray(tree.plugins) ? tree.plugins : [tree];
  return plugins.flatMap((plugin, index) => {
    const file = isTable(plugin) ? plugin.lspServers : undefined;
    const at = plugin === tree ? "lspServers" : `plugins[${index}].lspServers`;
    return typeof file === "string" ? [{ at, file }] : [];
  });
}
