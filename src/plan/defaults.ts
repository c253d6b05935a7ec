/**
 * Default values of limits, servers, dialect and HTTP, and two fixed values: the size of a batch and the paths
 * that are always denied.
 */
import type {
  DashboardPlan,
  DialectPlan,
  HttpPlan,
  LimitsPlan,
  MetricsPlan,
  ServerPlan,
  SharePlan,
  ToolAnnotations,
} from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { snakeCase } from "../base/words.js";
import type { Config } from "../config/schema.js";

/** Keys are camelCase in the plan and snake_case in the config. */
type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : "";
type ConfigForm<T> = { [key in keyof T as SnakeCase<key & string>]?: T[key] | undefined };

/** A part of the plan: the config's values, and the defaults for the rest. */
export function withDefaults<T extends object>(defaults: T, given: ConfigForm<T> = {}): T {
  const values: { [key: string]: unknown } = given;
  const entries = Object.entries(defaults).map(([key, value]) => [key, values[snakeCase(key)] ?? value]);
  return Object.fromEntries(entries) as T;
}

/** The same values as a config writes them. */
function asConfig<T extends object>(values: T): Required<ConfigForm<T>> {
  const entries = Object.entries(values).map(([key, value]) => [snakeCase(key), value]);
  return Object.fromEntries(entries) as Required<ConfigForm<T>>;
}

export const defaultLimits: LimitsPlan = {
  maxItems: 200,
  maxBytes: 65_536,
  maxTotalChars: 120_000,
  maxTotalCharsHard: 2_000_000,
  // Every client that was tested passes this much to its model without cutting it.
  maxPageChars: 40_000,
  maxTextChars: 40_000,
  maxMessageBytes: 67_108_864,
  maxFileBytes: 8_388_608,
  timeoutMs: 30_000,
  maxServers: 8,
  maxOpenDocuments: 100,
  proxyMemoryMb: 1024,
  hoverParts: 8,
  hoverChars: 8192,
  completionChars: 2000,
  signatureChars: 4000,
  tooltipChars: 1000,
  diagnosticChars: 4096,
  fixChars: 400,
  diagnosticsPerFile: 200,
  candidates: 20,
  refusalPlaces: 20,
  refusalActions: 30,
  sourceFiles: 5,
  stderrLines: 10,
  afterEditPerFile: 20,
  afterEditOtherFiles: 5,
  afterEditTotal: 50,
  afterEditCheckedFiles: 20,
  afterEditSeverity: "error",
};

const serverTimes = {
  initializeTimeoutMs: 20_000,
  requestTimeoutMs: 30_000,
  warmupTimeoutMs: 5_000,
  idleShutdownMs: 300_000,
};

export const defaultRestart: ServerPlan["restart"] = { max: 5, windowMs: 300_000, backoffMs: [250, 8_000] };

/** The keys of a server that are copied from its config as they are. */
export const defaultServer = partOfServer({
  ...serverTimes,
  args: [],
  rootMarkers: [],
  rootPick: "nearest",
  rootDir: null,
  cwd: null,
  workspaceFolders: [],
  forward: [],
  restartIntervalMinutes: 0,
  priority: 0,
  sandbox: "none",
  openOnChange: false,
  warmImports: 0,
  shareRoots: true,
  install: null,
});

function partOfServer<K extends keyof ServerPlan>(values: Pick<ServerPlan, K>): Pick<ServerPlan, K> {
  return values;
}

export const defaultReady: ServerPlan["ready"] = {
  progress: true,
  notification: null,
  field: null,
  text: [],
  atOnce: false,
  eachFolder: false,
};

export const defaultServerLimits: ServerPlan["limits"] = {
  memoryMb: null,
  openFiles: null,
  processes: null,
  nice: null,
};

export const defaultStep = { eachLimit: 50, waitMs: 5_000, settleMs: 150 };

/** Sizes of a page; a tool's `max_items` may lower them. */
export const defaultPage = { size: 100, maxSize: 200 };

/** Source text shown with a location: lines before and after it, and the maximum of characters. */
export const defaultSnippet = { contextLines: 0, maxChars: 400 };

/** The annotations of a tool follow from its effect. */
export const noAnnotations: ToolAnnotations = {
  readOnly: null,
  destructive: null,
  idempotent: null,
  openWorld: null,
};

/** Maximum of operations in one batch. */
export const maxOperations = 50;

/** Always denied: files in `.git` can make the next `git` command run a program. */
export const alwaysDenied: readonly string[] = ["**/.git/**"];

/**
 * Environment variables that servers inherit: user, locale, folders and toolchains. None of them holds a secret, and
 * none differs from terminal to terminal: sessions with different ones share no servers.
 */
export const defaultEnv: readonly string[] = `
APPDATA CARGO_HOME COMSPEC DENO_DIR DOTNET_ROOT GEM_HOME GEM_PATH GOBIN GOCACHE GOFLAGS GOMODCACHE
GOPATH GOROOT HOME HOMEDRIVE HOMEPATH JAVA_HOME LANG LC_ALL LC_CTYPE LOCALAPPDATA LOGNAME NODE_PATH
NVM_DIR PATH PATHEXT PROGRAMDATA PROGRAMFILES PYENV_ROOT PYTHONPATH RUSTUP_HOME RUSTUP_TOOLCHAIN SHELL
SYSTEMROOT TEMP TMP TMPDIR TZ USER USERPROFILE VIRTUAL_ENV WINDIR XDG_CACHE_HOME XDG_CONFIG_HOME
XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME`
  .trim()
  .split(/\s+/);

export const defaultDialect: DialectPlan = {
  document: { field: "file_path", form: "path" },
  position: {
    form: "flat",
    answers: "flat",
    line: "line",
    character: "character",
    lineBase: 1,
    characterBase: 1,
    unit: "utf-32",
    fuzz: true,
    missing: "refuse",
  },
  symbol: { name: "symbol_name", kind: "symbol_kind", extent: "from_name" },
  query: "query",
  listing: { size: "page_size", cursor: "cursor", most: "max_results", beyond: "refuse", refusePast: null },
  result: "both",
  text: null,
  echo: null,
  members: {},
  errors: {
    form: "result",
    text: null,
    code: "code",
    message: "",
    number: "",
    codes: {},
    messages: {},
    numbers: {},
  },
  warnings: { code: "code", codes: {} },
  outputSchemas: false,
};

export const defaultHttp: HttpPlan = {
  enabled: true,
  bind: "127.0.0.1",
  port: 3939,
  path: "/mcp",
  tokenEnv: "LSP_PROXY_TOKEN",
  tokenFile: null,
  allowedOrigins: [],
  allowedHosts: ["127.0.0.1", "[::1]", "localhost"],
  strict: false,
  olderHandshakes: [],
  isBindSealed: false,
  sessions: true,
  maxSessions: 64,
  sessionIdleMs: 30 * 60_000,
  sessionRoots: "narrow",
  maxBodyBytes: 1_048_576,
  maxCalls: 64,
  maxCallsPerSession: 16,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  drainMs: 10_000,
};

export const defaultShare: SharePlan = { idleMinutes: 10, warm: false };

export const defaultDashboard: DashboardPlan = { enabled: true, keepAnswers: true };

export const defaultMetrics: MetricsPlan = { enabled: false, tokenEnv: "LSP_PROXY_METRICS_TOKEN" };

/** The defaults as a config. They are the bounds of a config that nobody trusts. */
export function defaultConfig(): Config {
  const { maxTotalChars, maxTotalCharsHard, maxPageChars, maxTextChars, ...limits } = defaultLimits;
  const { tokenFile, isBindSealed, ...http } = defaultHttp;
  return {
    workspace: { roots: ["."], extra_roots: [], deny: [...alwaysDenied] },
    allow: { effects: ["read"], env: [...defaultEnv] },
    limits: asConfig(limits),
    mcp: {
      warmup: false,
      context: "default",
      // The smaller number: every client can show it.
      output: { max_total_chars_default: maxPageChars, max_total_chars_hard: maxTotalCharsHard },
    },
    http: { ...asConfig(http), older_handshakes: [] },
    share: asConfig(defaultShare),
    dashboard: asConfig(defaultDashboard),
    metrics: asConfig(defaultMetrics),
  };
}

/** The defaults that bound an untrusted config: those of a config, and the timeouts and restart rule of a server. */
export function everyDefault(): { config: JsonObject; server: JsonObject } {
  const server = { ...asConfig(serverTimes), restart: asConfig(defaultRestart) };
  return { config: defaultConfig() as JsonObject, server: server as JsonObject };
}
