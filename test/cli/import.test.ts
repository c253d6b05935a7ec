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
    expect(notes).toContain("`npx` would download it at each start; install `typescript-language-server`");
  });

  it("leaves out what no config can hold, with a note", async () => {
    const { config, notes } = await imported(
      "cclsp.json",
      `{ "servers": [{ "extensions": ["mine"], "command": ["my-ls"], "initializationOptions":
        { "a": null, "b": [1, null], "c": { "d": 9007199254740993 }, "e": 1e21, "f": 1e400, "g": 1.5 } }] }`,
    );
    expect(config.servers).toEqual([
      expect.objectContaining({ initialize_options: { b: [1], c: {}, g: 1.5 } }),
    ]);
    for (const path of ["a", "b[1]", "c.d", "e", "f"])
      expect(notes).toContain(`servers[0].initializationOptions.${path}: a config has no null`);
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
    expect(notes).toBe("not imported: lsp_servers[0].colour: not supported here\n");
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
    expect(notes).toMatch(/^not imported: built-in servers of helix that the file does not name;.*\n$/);
  });

  it("servers that Helix knows itself are known by their names, with their features and in their order", async () => {
    const { config, notes } = await imported(
      "languages.toml",
      `[[language]]
name = "python"
language-servers = ["pyright", { name = "ruff", except-features = ["hover"] }, "of-my-own"]
`,
    );
    expect(config.servers).toEqual([
      { id: "pyright", kind: "pyright" },
      { id: "ruff", kind: "ruff", features: { except: ["hover"] }, priority: -1 },
    ]);
    expect(notes).toContain('language-servers "of-my-own": it names no program');
  });

  it("another program's own names are read as it means them, not as the catalogue would", async () => {
    const byName = async (file: string, block: object | string) => {
      const { config, notes } = await imported(file, block);
      return {
        kinds: Object.fromEntries(
          (config.servers as { id: string; kind: string }[]).map(({ id, kind }) => [id, kind]),
        ),
        notes,
      };
    };
    const off = { disabled: true };
    const opencode = await byName("opencode.json", {
      lsp: {
        ...{ typescript: off, "ruby-lsp": off, rust: off, csharp: off, bash: off, terraform: off, vue: off },
        ...{ "lua-ls": off, "yaml-ls": off, "ocaml-lsp": off, "kotlin-ls": off, fsharp: off, razor: off },
      },
    });
    expect(opencode.kinds).toEqual({
      ...{ typescript: "typescript-language-server", "ruby-lsp": "rubocop", rust: "rust-analyzer" },
      ...{ csharp: "roslyn-language-server", bash: "bash-language-server", terraform: "terraform-ls" },
      ...{ vue: "vue-language-server", "lua-ls": "lua-language-server", "yaml-ls": "yaml-language-server" },
      ...{ "ocaml-lsp": "ocamllsp", "kotlin-ls": "kotlin-lsp", fsharp: "fsautocomplete" },
    });
    for (const note of [
      "lsp.razor: it names no program, and the catalogue has none of that name; left out",
      "how opencode starts its built-in servers; presets are used instead: typescript as `typescript-language-server`",
      "built-in servers of opencode that the file does not name",
      'vue: `vue-language-server` works only with others; write `extends = ["stacks/vue"]`',
    ])
      expect(opencode.notes).toContain(note);
    const helix = await byName("languages.toml", '[[language]]\nname = "r"\nlanguage-servers = ["r"]\n');
    expect(helix.kinds).toEqual({ r: "r_language_server" });
    const options = { options: { a: 1 } };
    const crush = await byName("crush.json", {
      lsp: { ts_ls: { ...options }, html: { ...options } },
    });
    expect(crush.kinds).toEqual({
      ts_ls: "typescript-language-server",
      html: "vscode-html-language-server",
    });
  });

  it("who serves a file, and as what, stays as it was", async () => {
    const { config } = await imported(".lsp.json", {
      ts: {
        command: "typescript-language-server",
        args: ["--stdio"],
        extensionToLanguage: { ".ts": "typescript" },
      },
      js: { command: "vtsls", args: ["--stdio"], extensionToLanguage: { ".js": "flow", ".jsx": "flow" } },
    });
    expect(config.servers).toEqual([
      { id: "ts", kind: "typescript-language-server", extensions: ["ts"], language_id: "typescript" },
      { id: "js", kind: "vtsls", extensions: ["js", "jsx"], language_id: "flow" },
    ]);
  });

  it("the program is found behind those that fetch it, and a bad entry does not cost the others", async () => {
    const server = (...command: string[]) => ({ command, extensions: [`x${command.length}${command[0]}`] });
    const { config, notes } = await imported("cclsp.json", {
      servers: [
        server("pipx", "run", "python-lsp-server"),
        server("uvx", "--python", "3.12", "--with", "x", "ruff", "server"),
        server("npx", "-y", "@vue/language-server@2", "--stdio"),
        server("pnpm", "dlx", "vscode-x-ls@1.2"),
        server("bundle", "exec", "my-rb-ls", "--stdio"),
        server(`${"$"}{CLAUDE_PLUGIN_ROOT}/bin/x`),
      ],
    });
    expect(config.allow).toEqual({
      commands: ["my-rb-ls", "pylsp", "ruff", "vscode-x-ls", "vue-language-server"],
    });
    expect(config.servers).toHaveLength(5);
    expect(notes).toContain("`pipx run` would download it at each start; install `pylsp`");
    expect(notes).toContain("`bundle exec` finds it in the project's own environment; install `my-rb-ls`");
    expect(notes).toMatch(/CLAUDE_PLUGIN_ROOT.*; left out/);
  });

  it("keys without a counterpart are reported, and the others are converted", async () => {
    const claude = await imported(".lsp.json", {
      a: {
        ...{ command: "a-ls", extensionToLanguage: { ".a": "a" }, restartOnCrash: false, maxRestarts: 3 },
        ...{ shutdownTimeout: 5, trustRequired: true },
      },
      far: { transport: "socket", socket: { port: 7001 }, extensionToLanguage: { ".far": "far" } },
    });
    expect(claude.config.servers[0]).toMatchObject({ restart: { max: 0 } });
    expect(claude.notes).toMatch(/a\.shutdownTimeout: .*\n.*a\.trustRequired: /);
    expect(claude.notes).not.toContain("transport");
    const mcpls = await imported(
      "mcpls.toml",
      '[[lsp_servers]]\ncommand = "m-ls"\nfile_patterns = ["*.m1"]\nheuristics = { max_depth = 3 }\n',
    );
    expect(mcpls.notes).toContain("heuristics: max_depth");
    const copilot = await imported("lsp.json", {
      lspServers: { rust: { command: "rust-analyzer", fileExtensions: { ".rs": "rust" }, disabled: true } },
    });
    expect(copilot.config.servers[0]).toMatchObject({ enabled: false });
  });

  it("recognises blocks that only switch servers, marketplaces, and files that name other files", async () => {
    const opencode = await imported("opencode.json", {
      lsp: { rust: { disabled: true }, "php intelephense": { disabled: true } },
    });
    expect(opencode.config.servers).toEqual([
      { id: "rust", kind: "rust-analyzer", enabled: false },
      { id: "php-intelephense", kind: "intelephense", enabled: false },
    ]);
    write("opencode.json", { lsp: true });
    expect(await proxy("import", "opencode.json", "--dry-run")).toMatchObject({ code: 1 });
    const market = await imported("marketplace.json", {
      plugins: [
        { name: "go", lspServers: { gopls: { command: "gopls", extensionToLanguage: { ".go": "go" } } } },
        { name: "x", lspServers: "./.lsp.json" },
      ],
    });
    expect(market.config.servers).toEqual([{ id: "gopls", kind: "gopls" }]);
    expect(market.notes).toContain("plugins[1].lspServers: its servers are in ./.lsp.json; import that file");
    write("plugin.json", { name: "x", lspServers: "./.lsp.json" });
    const plugin = await proxy("import", "plugin.json");
    expect(plugin).toMatchObject({ code: 1 });
    expect(plugin.stderr).toContain("import that file");
    write("broken.json", "{");
    expect((await proxy("import", "broken.json", "--from", "foo")).stderr).toContain(
      "there is no format `foo`",
    );
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

  it("reports each table of our own files that is not imported, and each invalid entry", async () => {
    const own = { limits: { max_items: 5 }, mcp: { read_only: true }, version: 1 };
    const server = { id: "x", command: "x-ls", extensions: ["x"] };
    const { config, notes } = await imported("other.json", { ...own, servers: [server, "gopls"] });
    expect(config.servers).toEqual([expect.objectContaining({ id: "x" })]);
    for (const note of ["limits: only servers", "mcp: only servers", "servers[1]: it is not a table"])
      expect(notes).toContain(note);
    expect(notes).not.toContain("version");
  });

  it("reports each entry without a head that is no server, and each unusable value", async () => {
    const { config, notes } = await imported(".lsp.json", {
      $schema: "https://example.com/x.json",
      ok: { command: "ok-ls", extensionToLanguage: { ".ok": "ok" } },
      word: "gopls",
      list: ["gopls"],
      number: { command: 5, extensionToLanguage: { ".n": "n" } },
      gopls: { extensionToLanguage: { ".go": "go" } },
      flat: { command: "flat-ls", extensionToLanguage: [".flat"] },
      far: { transport: "tcp", socket: { port: "x" }, extensionToLanguage: { ".far": "far" } },
    });
    expect(config.servers).toEqual([{ id: "ok", command: "ok-ls", extensions: ["ok"], language_id: "ok" }]);
    for (const note of [
      ...["word: it is not a table", "list: it is not a table", "number.command: it is not a program"],
      ...["number: it names no program; left out", "gopls: it names no program; left out"],
      ...["flat.extensionToLanguage: it is not a table of extensions", "far.socket: it is not a port"],
    ])
      expect(notes).toContain(`not imported: ${note}`);
    expect(notes).not.toContain("$schema");
  });

  it("reads qwen-code's sockets that are files", async () => {
    const { config } = await imported(".lsp.json", {
      near: { transport: "socket", socket: "/run/near.sock", extensionToLanguage: { ".n": "n" } },
    });
    expect(config.servers).toEqual([
      { id: "near", transport: { pipe: "/run/near.sock" }, extensions: ["n"], language_id: "n" },
    ]);
  });

  it("starts a server that has a command and a socket", async () => {
    const { config } = await imported(".lsp.json", {
      x: {
        ...{ command: "x-ls", transport: "socket", socket: { port: 7001 } },
        extensionToLanguage: { ".x": "x" },
      },
    });
    expect(config.servers).toEqual([
      expect.objectContaining({ command: "x-ls", transport: { tcp: "127.0.0.1:7001", mode: "start" } }),
    ]);
  });

  it("reports where a preset serves more files than the server did", async () => {
    const { notes } = await imported("cclsp.json", {
      servers: [{ extensions: ["ts"], command: ["typescript-language-server", "--stdio"] }],
    });
    expect(notes).toMatch(/the limit to its extensions; `typescript-language-server` serves .*\btsx\b.* too/);
  });

  it("writes a file, never over another, and refuses what it does not know", async () => {
    write("cclsp.json", { servers: [{ extensions: ["go"], command: ["gopls"] }] });
    expect(await proxy("import", "cclsp.json")).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, "lspi.toml"), "utf8")).toContain("# Imported from cclsp.json (cclsp).");
    expect(await proxy("import", "cclsp.json")).toMatchObject({ code: 1 });
    expect(await proxy("import", "cclsp.json", "--force")).toMatchObject({ code: 0 });
    expect(await proxy("import", "nowhere.json")).toMatchObject({ code: 2 });
    write("odd.json", { a: 1 });
    expect((await proxy("import", "odd.json")).stderr).toContain("unknown format");
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
    expect(stderr).toMatch(/not exported: mine: replies/);
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

  it("keeps the order of preference, and reports what neither format has", async () => {
    write(
      "lspi.toml",
      `[allow]
commands = ["a-ls", "b-ls", "c-ls"]
[[servers]]
id = "second"
command = "a-ls"
extensions = ["tsx"]
language_id = "typescriptreact"
root_markers = ["a"]
priority = 1
root_dir = "packages"
[[servers]]
id = "first"
command = "b-ls"
extensions = ["tsx"]
language_id = "typescriptreact"
root_markers = ["b"]
priority = 10
open_on_change = true
ready.at_once = true
initialize_options = { a = 1 }
workspace_configuration = { b = 2 }
[[servers]]
id = "off"
command = "c-ls"
extensions = ["c1"]
enabled = false
`,
    );
    const helix = await proxy("export", "helix", "--config", "lspi.toml");
    const languages = parse(helix.stdout) as { language: object[]; "language-server": { first: object } };
    expect(languages.language).toEqual([
      expect.objectContaining({
        ...{ name: "tsx", "language-id": "typescriptreact", roots: ["b"] },
        "language-servers": ["first", "second"],
      }),
    ]);
    expect(languages["language-server"].first).toMatchObject({ config: { a: 1, b: 2 } });
    for (const note of [
      "off: it is disabled",
      "first: ready, open_on_change have",
      "second: root_dir",
      "second: root_markers",
    ])
      expect(helix.stderr).toContain(note);
    const claude = await proxy("export", "claude", "--config", "lspi.toml");
    expect(JSON.parse(claude.stdout).second).toMatchObject({ workspaceFolder: "packages" });
    for (const note of [
      "off: it is disabled",
      "first: ready, open_on_change, priority, root_markers",
      "second: priority",
    ])
      expect(claude.stderr).toContain(note);
  });

  it("lists the preferred server first for Claude Code", async () => {
    const server = { command: "my-ls", extensions: ["x"] };
    const servers = [
      { id: "a", ...server },
      { id: "b", ...server, priority: 5 },
    ];
    write("c.json", { allow: { commands: ["my-ls"] }, servers });
    const { stdout } = await proxy("export", "claude", "--config", "c.json");
    expect(Object.keys(JSON.parse(stdout))).toEqual(["b", "a"]);
  });

  it("leaves out of TOML what it cannot say, with a note", async () => {
    const server = { id: "x", command: "my-ls", extensions: ["x"], initialize_options: { a: null, b: 1 } };
    write("c.json", { allow: { commands: ["my-ls"] }, servers: [server] });
    const { code, stdout, stderr } = await proxy("export", "helix", "--config", "c.json");
    expect(code).toBe(0);
    expect(parse(stdout)).toMatchObject({ "language-server": { x: { config: { b: 1 } } } });
    expect(stderr).toContain("x: config.a: TOML has no null");
  });

  it("knows two formats", async () => {
    write("lspi.toml", config);
    expect((await proxy("export", "emacs", "--config", "lspi.toml")).code).toBe(2);
  });
});
