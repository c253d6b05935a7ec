/** `import` reads other programs' servers, `export` writes them back; nothing is lost without a word. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runHere } from "./terminal.js";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-import-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const proxy = (...args: string[]) => runHere(args, { cwd: folder });
const write = (name: string, content: string | object) =>
  writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));

/** The config that an import gives, and what it says on the way. */
async function imported(name: string, content: string | object) {
  write(name, content);
  const { code, stdout, stderr } = await proxy("import", name, "--dry-run");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return { config: parse(stdout) as { servers: object[]; allow: object }, notes: stderr };
}

describe("import", () => {
  it("cclsp", async () => {
    const { config, notes } = await imported("cclsp.json", {
      servers: [
        {
          extensions: ["ts", "tsx"],
          command: ["npx", "--", "typescript-language-server", "--stdio"],
          rootDir: "packages/a",
        },
        { extensions: ["py"], command: ["uvx", "--from", "python-lsp-server", "pylsp"], restartInterval: 5 },
        { extensions: ["mine"], command: ["my-ls"], initializationOptions: { a: 1 } },
      ],
    });
    expect(config.allow).toEqual({ commands: ["my-ls", "pylsp", "typescript-language-server"] });
    expect(config.servers).toEqual([
      { id: "typescript-language-server", kind: "typescript-language-server", root_dir: "packages/a" },
      { id: "pylsp", kind: "pylsp", restart_interval_minutes: 5 },
      { id: "my-ls", command: "my-ls", args: [], extensions: ["mine"], initialize_options: { a: 1 } },
    ]);
    expect(notes).toContain(
      "`npx` would fetch it at each start; `typescript-language-server` must be installed",
    );
  });

  it("mcpls", async () => {
    const { config, notes } = await imported(
      "mcpls.toml",
      `[workspace]
roots = ["/x"]
[[lsp_servers]]
language_id = "mine"
command = "my-ls"
args = ["--stdio"]
file_patterns = ["**/*.mine", "Mine*"]
timeout_seconds = 12
heuristics = { project_markers = ["mine.toml"] }
colour = "blue"
`,
    );
    expect(config.servers).toEqual([
      {
        id: "my-ls",
        command: "my-ls",
        args: ["--stdio"],
        extensions: ["mine"],
        globs: ["Mine*"],
        language_id: "mine",
        root_markers: ["mine.toml"],
        request_timeout_ms: 12_000,
      },
    ]);
    expect(notes).toBe("not carried over: lsp_servers[0].colour: has no counterpart here\n");
  });

  it("Claude Code's .lsp.json, and qwen-code's with a socket", async () => {
    const { config } = await imported(".lsp.json", {
      go: { command: "gopls", args: ["serve"], extensionToLanguage: { ".go": "go" } },
      mine: {
        command: "my-ls",
        extensionToLanguage: { ".mine": "mine", ".mix": "mixed" },
        settings: { a: true },
        startupTimeout: 5000,
        maxRestarts: 3,
      },
      far: {
        transport: "tcp",
        socket: { host: "127.0.0.1", port: 7001 },
        extensionToLanguage: { ".far": "far" },
      },
    });
    expect(config.servers).toEqual([
      { id: "go", kind: "gopls", args: ["serve"] },
      {
        id: "mine",
        command: "my-ls",
        extensions: ["mine", "mix"],
        language_id: "mine",
        language_ids: { mix: "mixed" },
        workspace_configuration: { a: true },
        initialize_timeout_ms: 5000,
        restart: { max: 3 },
      },
      { id: "far", transport: { tcp: "127.0.0.1:7001" }, extensions: ["far"], language_id: "far" },
    ]);
  });

  it("Copilot CLI's lsp.json", async () => {
    const { config } = await imported("lsp.json", {
      lspServers: {
        rust: { command: "rust-analyzer", fileExtensions: { ".rs": "rust" }, requestTimeoutMs: 90_000 },
      },
    });
    expect(config.servers).toEqual([{ id: "rust", kind: "rust-analyzer", request_timeout_ms: 90_000 }]);
  });

  it("opencode's and crush's blocks, by name alone too, with comments in the JSON", async () => {
    const opencode = await imported(
      "opencode.json",
      `{ // servers
        "lsp": {
          "pyright": { "disabled": true },
          "zig": { "command": ["zls"], "extensions": [".zig"], "env": { "A": "b" }, },
          "nothing-known": { "extensions": [".x"] }
        }
      }`,
    );
    expect(opencode.config.servers).toEqual([
      { id: "pyright", kind: "pyright", enabled: false },
      { id: "zig", kind: "zls", env: { A: "b" } },
    ]);
    expect(opencode.notes).toContain("lsp.nothing-known: it names no program");
    const crush = await imported("crush.json", {
      lsp: { lua: { command: "lua-language-server", filetypes: ["lua"], options: { Lua: {} }, timeout: 10 } },
    });
    expect(crush.config.servers).toEqual([
      {
        id: "lua",
        kind: "lua-language-server",
        workspace_configuration: { Lua: {} },
        initialize_timeout_ms: 10_000,
      },
    ]);
  });

  it("Helix's languages.toml: languages refer to servers, and several serve one file in turn", async () => {
    const { config, notes } = await imported(
      "languages.toml",
      `[language-server.my-ls]
command = "my-ls"
config = { a = 1 }
timeout = 30
[language-server.lint]
command = "my-lint"
[[language]]
name = "mine"
file-types = ["mine", { glob = "Minefile" }, { glob = "mines/*.txt" }]
roots = ["mine.toml"]
language-servers = ["my-ls", { name = "lint", only-features = ["diagnostics", "format"] }]
auto-format = true
[[language]]
name = "mined"
language-id = "mine-d"
file-types = ["mined"]
language-servers = ["my-ls"]
`,
    );
    expect(config.servers).toEqual([
      {
        id: "my-ls",
        command: "my-ls",
        extensions: ["mine", "mined"],
        filenames: ["Minefile"],
        globs: ["**/mines/*.txt"],
        language_id: "mine",
        language_ids: { mined: "mine-d" },
        root_markers: ["mine.toml"],
        initialize_options: { a: 1 },
        workspace_configuration: { a: 1 },
        request_timeout_ms: 30_000,
      },
      {
        id: "lint",
        command: "my-lint",
        extensions: ["mine"],
        filenames: ["Minefile"],
        globs: ["**/mines/*.txt"],
        language_id: "mine",
        root_markers: ["mine.toml"],
        features: { only: ["diagnostics", "formatting"] },
        priority: -1,
      },
    ]);
    expect(notes).toBe("");
  });

  it("lspi's own files", async () => {
    const { config } = await imported(
      "other.toml",
      '[[servers]]\nid = "r"\nkind = "rust_analyzer"\nrequestTimeoutMs = 5\n[[servers]]\nid = "x"\nkind = "generic"\ncommand = "x-ls"\nextensions = ["x"]\n',
    );
    expect(config.servers).toEqual([
      { id: "r", kind: "rust_analyzer", request_timeout_ms: 5 },
      { id: "x", kind: "generic", command: "x-ls", extensions: ["x"] },
    ]);
  });

  it("writes a file, never over another, and refuses what it does not know", async () => {
    write("cclsp.json", { servers: [{ extensions: ["go"], command: ["gopls"] }] });
    expect(await proxy("import", "cclsp.json")).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, "lspi.toml"), "utf8")).toContain("# Imported from cclsp.json (cclsp).");
    expect(await proxy("import", "cclsp.json")).toMatchObject({ code: 1 });
    expect(await proxy("import", "cclsp.json", "--force")).toMatchObject({ code: 0 });
    expect(await proxy("import", "nowhere.json")).toMatchObject({ code: 2 });
    write("odd.json", { a: 1 });
    expect((await proxy("import", "odd.json")).stderr).toContain("of no format that is known");
    write("broken.json", "{");
    expect(await proxy("import", "broken.json")).toMatchObject({ code: 3 });
  });
});

describe("export", () => {
  const config = `[allow]
commands = ["gopls", "my-ls"]
[[servers]]
id = "go"
kind = "gopls"
[[servers]]
id = "mine"
command = "my-ls"
args = ["--stdio"]
extensions = ["mine", "mix"]
language_id = "mine"
language_ids = { mix = "mixed" }
root_markers = ["mine.toml"]
initialize_options = { a = 1 }
replies = { "x/y" = 1 }
`;
  const plan = async (file: string) => {
    const { stdout } = await proxy("explain", "--json", "--config", file);
    return JSON.parse(stdout).servers.find(({ id }: { id: string }) => id === "mine");
  };

  it.each([
    ["claude", ".lsp.json"],
    ["helix", "languages.toml"],
  ])("%s, and back again", async (format, file) => {
    write("lspi.toml", config);
    const { code, stderr } = await proxy("export", format, "--config", "lspi.toml", "--output", file);
    expect(code).toBe(0);
    expect(stderr).toMatch(/not carried over: mine: replies/);
    expect(await proxy("export", format, "--config", "lspi.toml", "--output", file)).toMatchObject({
      code: 1,
    });
    const back = await proxy("import", file, "--output", "back.toml");
    expect(back).toMatchObject({ code: 0 });
    expect(parse(readFileSync(join(folder, "back.toml"), "utf8")).servers).toContainEqual(
      expect.objectContaining({ kind: "gopls" }),
    );
    const [before, after] = [await plan("lspi.toml"), await plan("back.toml")];
    for (const key of ["command", "args", "extensions", "languageId", "languageIds", "initializeOptions"])
      expect(after[key], key).toEqual(before[key]);
  });

  it("knows two formats", async () => {
    write("lspi.toml", config);
    expect((await proxy("export", "emacs", "--config", "lspi.toml")).code).toBe(2);
  });
});
