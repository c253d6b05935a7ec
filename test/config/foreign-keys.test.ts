import { describe, expect, test } from "vitest";
import { ConfigError } from "../../src/base/problem.js";
import { loadConfig } from "../../src/config/load.js";
import { overShipped, request, SHIPPED } from "./memory-files.js";

/** A file as lspi 0.2's own documentation writes it, in TOML with snake_case keys. */
const toml = `workspace_root = "."

[[servers]]
id = "rust"
kind = "rust_analyzer"
extensions = ["rs"]
root_dir = "."
initialize_timeout_ms = 10000
request_timeout_ms = 30000
request_timeout_overrides_ms = { "textDocument/references" = 120000 }
warmup_timeout_ms = 5000
restart_interval_minutes = 60
idle_shutdown_ms = 600000
workspace_folders = ["crates/a"]
initialize_options = { rootDir = "kept", cargo = { allFeatures = true } }
client_capabilities = { experimental = { requestTimeoutMs = 1 } }
workspace_configuration = { "rust-analyzer" = { languageId = "kept" } }
env = { rootDir = "kept" }

[[servers]]
id = "cs"
kind = "omnisharp"
extensions = ["cs"]

[[servers]]
id = "py"
kind = "basedpyright"
extensions = ["py"]

[[servers]]
id = "other"
kind = "generic"
command = "other-ls"
language_id = "other"
extensions = ["oth"]
adapter = "tsserver"

[mcp]
context = "codex"
read_only = true
[mcp.tools]
allow = ["find_definition"]
exclude = ["get_hover"]
[mcp.output]
max_total_chars_default = 50000
max_total_chars_hard = 100000
`;

/** The same in JSON, in its camelCase aliases. */
const json = JSON.stringify({
  workspaceRoot: ".",
  servers: [
    {
      id: "rust",
      kind: "rust_analyzer",
      extensions: ["rs"],
      rootDir: ".",
      initializeTimeoutMs: 10000,
      requestTimeoutMs: 30000,
      requestTimeoutOverridesMs: { "textDocument/references": 120000 },
      warmupTimeoutMs: 5000,
      restartIntervalMinutes: 60,
      idleShutdownMs: 600000,
      workspaceFolders: ["crates/a"],
      initializeOptions: { rootDir: "kept", cargo: { allFeatures: true } },
      clientCapabilities: { experimental: { requestTimeoutMs: 1 } },
      workspaceConfiguration: { "rust-analyzer": { languageId: "kept" } },
      env: { rootDir: "kept" },
    },
    { id: "cs", kind: "omnisharp", extensions: ["cs"] },
    { id: "py", kind: "basedpyright", extensions: ["py"] },
    {
      id: "other",
      kind: "generic",
      command: "other-ls",
      languageId: "other",
      extensions: ["oth"],
      adapter: "tsserver",
    },
  ],
  mcp: {
    context: "codex",
    readOnly: true,
    tools: { allow: ["find_definition"], exclude: ["get_hover"] },
    output: { maxTotalCharsDefault: 50000, maxTotalCharsHard: 100000 },
  },
});

const load = (file: string, text: string) =>
  loadConfig(request({ shipped: SHIPPED, configPath: file }), overShipped({ [file]: text }));

describe("a file written for lspi 0.2", () => {
  test("loads unchanged, in both of its spellings, to the same config", () => {
    expect(load("/w/lspi.json", json).config).toEqual(load("/w/lspi.toml", toml).config);
  });

  test("means what it meant", () => {
    const { config, base } = load("/w/.lspi/config.toml", toml);
    expect([base, config.workspace]).toEqual(["/w", { roots: ["."] }]);
    const [rust, cs, py, other] = config.servers ?? [];
    expect(rust).toMatchObject({
      command: "rust-analyzer",
      root_dir: ".",
      env: { rootDir: "kept" },
      initialize_options: { rootDir: "kept", cargo: { allFeatures: true } },
      client_capabilities: { experimental: { serverStatusNotification: true, requestTimeoutMs: 1 } },
      workspace_configuration: { "rust-analyzer": { languageId: "kept" } },
      ready: { notification: "experimental/serverStatus" },
    });
    expect(cs).toMatchObject({ args: ["-lsp"], warmup_timeout_ms: 1000 });
    expect(py?.request_timeout_overrides_ms).toMatchObject({
      "textDocument/definition": 45000,
      "textDocument/rename": 60000,
    });
    expect(other).toMatchObject({ command: "other-ls", args: ["--stdio"], request_timeout_ms: 45000 });
    expect(other?.forward).toEqual([{ notification: "tsserver/request", reply: "tsserver/response" }]);
    expect(config.mcp?.output).toEqual({ max_total_chars_default: 50000, max_total_chars_hard: 100000 });
  });

  test("its contexts bring budgets and read-only", () => {
    const mcpOf = (context: string) => load("/w/lspi.toml", `[mcp]\ncontext = "${context}"\n`).config.mcp;
    expect(mcpOf("full")).toMatchObject({ output: { max_total_chars_default: 120000 } });
    expect(mcpOf("codex")).toMatchObject({ read_only: true, output: { max_total_chars_default: 80000 } });
    expect(mcpOf("navigation")).toMatchObject({
      read_only: true,
      output: { max_total_chars_default: 60000 },
    });
  });

  test("problems name the file's own spelling and place", () => {
    const text =
      'workspaceRoot = 5\n[[servers]]\nid = "x"\nrootDir = 1\nroot_markers = ["a"]\nrequestTimeoutMs = 1\nrequest_timeout_ms = "2"\n';
    try {
      load("/w/lspi.toml", text);
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(
        error.problems.map(
          ({ code, pointer, place }) => `${code} ${pointer} ${place?.line}:${place?.column}`,
        ),
      ).toEqual([
        "config/wrong-type /workspaceRoot 1:17",
        "config/wrong-type /servers/0/rootDir 4:11",
        "config/duplicate-key /servers/0/requestTimeoutMs 6:1",
        "config/wrong-type /servers/0/request_timeout_ms 7:22",
      ]);
    }
  });
});

describe("a file written for pathfinder", () => {
  const server = { command: ["other-ls"], extensions: ["oth"], rootDir: "sub" };
  const loaded = (rest: object) => load("/w/lspi.json", JSON.stringify({ server, ...rest })).config;

  test("keeps the keys of ours beside its root", () => {
    expect(loaded({}).workspace).toEqual({ roots: ["sub"] });
    expect(loaded({ workspace: { deny: ["secret/**"] } }).workspace).toEqual({
      roots: ["sub"],
      deny: ["secret/**"],
    });
    expect(() => loaded({ workspace: { bogus: 1 } })).toThrow("bogus");
    expect(() => loaded({ workspace: { roots: ["."] } })).toThrow("rootDir");
  });
});
