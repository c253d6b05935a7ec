/** What a config that says nothing gets. The one place where these numbers stand. */
import type { DialectPlan, HttpPlan, LimitsPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import type { Config, ServerConfig } from "../config/schema.js";

export const defaultLimits: LimitsPlan = {
  maxItems: 200,
  maxBytes: 65_536,
  maxTotalChars: 120_000,
  maxTotalCharsHard: 2_000_000,
  // What every client that was tried hands to its model without cutting it.
  maxPageChars: 40_000,
  maxTextChars: 40_000,
  maxMessageBytes: 67_108_864,
  maxFileBytes: 8_388_608,
  timeoutMs: 30_000,
  maxServers: 8,
  maxOpenDocuments: 100,
};

export const defaultServer = {
  initializeTimeoutMs: 20_000,
  requestTimeoutMs: 30_000,
  warmupTimeoutMs: 5_000,
  idleShutdownMs: 300_000,
  restart: {
    max: 5,
    windowMs: 300_000,
    backoffMs: [250, 8_000] as [number, number],
  },
};

export const defaultStep = { eachLimit: 50, waitMs: 5_000, settleMs: 150 };

/** Sizes of a page, before a tool's own cap lowers them. */
export const defaultPage = { size: 100, maxSize: 200 };

/** Text of the file beside a place: the line itself, and at the most so many characters. */
export const defaultSnippet = { contextLines: 0, maxChars: 400 };

/** Operations in one batch. */
export const mostOperations = 50;

/** What is refused whatever a config denies: who writes there runs programs with the next `git` command. */
export const alwaysDenied: readonly string[] = ["**/.git/**"];

/**
 * Environment variables that a server inherits: what programs need to find themselves, their user and their
 * toolchain. Nothing here ever carries a secret.
 */
export const defaultEnv: readonly string[] = [
  "APPDATA",
  "CARGO_HOME",
  "COMSPEC",
  "DENO_DIR",
  "DOTNET_ROOT",
  "GEM_HOME",
  "GEM_PATH",
  "GOBIN",
  "GOCACHE",
  "GOFLAGS",
  "GOMODCACHE",
  "GOPATH",
  "GOROOT",
  "HOME",
  "HOMEDRIVE",
  "HOMEPATH",
  "JAVA_HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOCALAPPDATA",
  "LOGNAME",
  "NODE_PATH",
  "NVM_DIR",
  "PATH",
  "PATHEXT",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PYENV_ROOT",
  "PYTHONPATH",
  "RUSTUP_HOME",
  "RUSTUP_TOOLCHAIN",
  "SHELL",
  "SYSTEMROOT",
  "TEMP",
  "TERM",
  "TMP",
  "TMPDIR",
  "TZ",
  "USER",
  "USERPROFILE",
  "VIRTUAL_ENV",
  "WINDIR",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "XDG_STATE_HOME",
];

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

/** The same of a server, as a config says it: what a server of the user's own has where they say nothing. */
function defaultServerConfig(): Partial<ServerConfig> {
  const { restart } = defaultServer;
  return {
    initialize_timeout_ms: defaultServer.initializeTimeoutMs,
    request_timeout_ms: defaultServer.requestTimeoutMs,
    warmup_timeout_ms: defaultServer.warmupTimeoutMs,
    idle_shutdown_ms: defaultServer.idleShutdownMs,
    restart: { max: restart.max, window_ms: restart.windowMs, backoff_ms: restart.backoffMs },
  };
}

/** The same as a config: the bounds of one that nobody trusts. Of a page it knows only the smaller number that every client shows. */
export function defaultConfig(): Config {
  const limits = defaultLimits;
  const http = defaultHttp;
  return {
    workspace: { roots: ["."], extra_roots: [], deny: [...alwaysDenied] },
    allow: { effects: ["read"], env: [...defaultEnv] },
    limits: {
      max_items: limits.maxItems,
      max_bytes: limits.maxBytes,
      max_message_bytes: limits.maxMessageBytes,
      max_file_bytes: limits.maxFileBytes,
      timeout_ms: limits.timeoutMs,
      max_servers: limits.maxServers,
      max_open_documents: limits.maxOpenDocuments,
    },
    mcp: {
      warmup: false,
      context: "default",
      output: {
        max_total_chars_default: limits.maxPageChars,
        max_total_chars_hard: limits.maxTotalCharsHard,
      },
    },
    http: {
      bind: http.bind,
      port: http.port,
      path: http.path,
      token_env: http.tokenEnv,
      allowed_origins: [...http.allowedOrigins],
      allowed_hosts: [...http.allowedHosts],
      strict: http.strict,
      older_handshakes: [],
      max_sessions: http.maxSessions,
      session_idle_ms: http.sessionIdleMs,
      session_roots: http.sessionRoots,
      max_body_bytes: http.maxBodyBytes,
      max_calls: http.maxCalls,
      max_calls_per_session: http.maxCallsPerSession,
      headers_timeout_ms: http.headersTimeoutMs,
      body_timeout_ms: http.bodyTimeoutMs,
      drain_ms: http.drainMs,
    },
  };
}

/** Both, as the trees by which a config that was found is measured. */
export function everyDefault(): { config: JsonObject; server: JsonObject } {
  return { config: defaultConfig() as JsonObject, server: defaultServerConfig() as JsonObject };
}
