/** Starts the scripted server in tests: a scenario in, the plan that runs it out. */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ABI_VERSION, type Plan, type ServerPlan } from "../../src/abi/plan.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import { defaultDialect, defaultHttp, defaultLimits } from "../../src/plan/defaults.js";

/** See README.md for the words. */
export interface Scenario {
  capabilities?: JsonObject;
  serverInfo?: { name: string; version: string };
  replies?: { [method: string]: Json };
  start?: JsonObject[];
  on?: { [message: string]: JsonObject[] };
  ignoreShutdown?: boolean;
  ignoreExit?: boolean;
  ignoreStdinEnd?: boolean;
  refuseSigterm?: boolean;
}

/** Path of the scripted server's program. */
export const fakeServerPath = fileURLToPath(new URL("./server.mjs", import.meta.url));

const own = Object.fromEntries(
  ["received", "arrivals", "documents", "children", "arguments", "do"].map((name) => [
    `fake/${name}`,
    { capability: null, result: null },
  ]),
);

/** A server that plays the scenario for `*.fake` files; the scenario is written into `folder`. */
export function fakeServer(
  folder: string,
  scenario: Scenario,
  overrides: Partial<ServerPlan> = {},
): ServerPlan {
  const file = join(folder, `scenario-${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(scenario));
  const plan = serverPlan("fake", [process.execPath, fakeServerPath, file], ["fake"], "fake");
  return { ...plan, customMethods: { ...own }, ...overrides };
}

/** A server plan with the defaults of the config. */
export function serverPlan(
  id: string,
  command: string[],
  extensions: string[],
  languageId: string,
): ServerPlan {
  return {
    id,
    command,
    args: [],
    extensions,
    filenames: [],
    globs: [],
    languageId,
    languageIds: {},
    rootMarkers: [],
    rootPick: "nearest",
    rootDir: null,
    cwd: null,
    workspaceFolders: [],
    env: {},
    transport: { kind: "stdio" },
    initializeOptions: null,
    clientCapabilities: {},
    settings: {},
    pushSettings: true,
    initializeTimeoutMs: 20_000,
    requestTimeoutMs: 30_000,
    requestTimeoutOverridesMs: {},
    neverCancel: [],
    warmupTimeoutMs: 5_000,
    replies: {},
    forward: [],
    check: null,
    ready: { progress: true, notification: null, field: null, text: [], atOnce: false, eachFolder: false },
    symbolLimit: null,
    libraryRoots: [],
    projectQuery: null,
    projectFiles: [],
    settingsFiles: [],
    projectFix: null,
    idleShutdownMs: 300_000,
    restartIntervalMinutes: 0,
    restart: { max: 5, windowMs: 300_000, backoffMs: [250, 8_000] },
    features: { only: null, except: [] },
    priority: 0,
    executeCommands: [],
    customMethods: {},
    limits: { memoryMb: null, openFiles: null, processes: null, nice: null },
    sandbox: "none",
    untrusted: { start: true, loads: {}, without: [], initializeOptions: {}, settings: {} },
    openOnChange: false,
    warmImports: 0,
    diagnostics: { pull: true, onSave: false },
    shareRoots: true,
    minVersion: null,
    install: null,
  };
}

/** A plan with these servers, no tools, and every program of theirs allowed. */
export function fakePlan(servers: ServerPlan[], overrides: Partial<Plan> = {}): Plan {
  return {
    prompts: [],
    resources: [],
    share: { idleMinutes: 10, warm: false },
    dashboard: { enabled: true, keepAnswers: true },
    metrics: { enabled: false, tokenEnv: "LSP_PROXY_METRICS_TOKEN" },
    abi: ABI_VERSION,
    workspace: { roots: ["."], extraRoots: [], deny: ["**/.git/**"] },
    allow: {
      commands: servers.flatMap((server) => server.command.slice(0, 1)),
      hosts: [],
      effects: ["read"],
      env: ["PATH", "HOME", "LANG"],
    },
    limits: { ...defaultLimits, maxFileBytes: 4_194_304 },
    servers,
    disabledServers: [],
    tools: [],
    dialect: defaultDialect,
    mcp: {
      version: null,
      warmup: false,
      name: "lsp-proxy",
      context: "full",
      readOnly: true,
      instructions: "",
      listed: [],
      hostChannel: null,
      clients: [],
    },
    http: defaultHttp,
    ...overrides,
  };
}
