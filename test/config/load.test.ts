import { describe, expect, test } from "vitest";
import { ConfigError } from "../../src/base/problem.js";
import {
  type ConfigRequest,
  inspectDiscovered,
  type LoadedConfig,
  type OpenedConfig,
  openConfig,
} from "../../src/config/load.js";
import { everyDefault } from "../../src/plan/defaults.js";
import { memoryFiles, request } from "./memory-files.js";

const shipped = {
  "/shipped/profiles/default.toml": 'extends = ["tools/core"]\n',
  "/shipped/profiles/codex.toml": 'extends = ["tools/core"]\n[mcp]\nread_only = true\n',
  "/shipped/tools/core.toml":
    'extends = ["tools/calls"]\n[[tools]]\nname = "hover"\ndescription = "Shipped."\n',
  "/shipped/tools/calls.toml": `[[tools]]
name = "calls"
args.depth = { type = "integer", description = "How deep.", default = 1 }
[tools.request]
method = "textDocument/references"
`,
  "/shipped/servers/rust-analyzer.toml": `id = "rust-analyzer"
kinds = ["rust_analyzer"]
rank = 1
command_env = "LSPI_RUST_ANALYZER_COMMAND"
homepage = "x"
command = "rust-analyzer"
args = []
extensions = ["rs"]
warmup_timeout_ms = 9
replies = { "a/b" = { deep = { x = 1 } } }
initialize_options = { cargo = { features = ["all"], target = "x" } }
workspace_configuration = { "rust-analyzer" = { check = true, lens = { enable = true } } }
`,
  "/shipped/servers/pyright.toml": 'id = "pyright"\ncommand = ["node", "pyright.js"]\nextensions = ["py"]\n',
};

function load(
  files: { [path: string]: string },
  changes: Partial<ConfigRequest> = {},
  links: { [path: string]: string } = {},
): LoadedConfig {
  return open(files, changes, links).finish();
}

function open(
  files: { [path: string]: string },
  changes: Partial<ConfigRequest> = {},
  links: { [path: string]: string } = {},
): OpenedConfig {
  return openConfig(request(changes), memoryFiles({ ...shipped, ...files }, links));
}

/** A config that a person named, so that trust does not matter. */
function loadNamed(
  text: string,
  files: { [path: string]: string } = {},
  changes: Partial<ConfigRequest> = {},
) {
  return load({ "/w/c.toml": text, ...files }, { configPath: "/w/c.toml", ...changes });
}

function problemsOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(
      ({ code, place, message }) => `${code} ${place?.file}:${place?.line} ${message}`,
    );
  }
  return [];
}

const server = '[[servers]]\nid = "x"\ncommand = "x"\nextensions = ["x"]\n';

describe("discovery", () => {
  const all = {
    "/w/.lspi/config.toml": '[mcp]\nname = "one"\n',
    "/w/.lspi/config.json": '{"mcp":{"name":"two"}}',
    "/w/lspi.toml": '[mcp]\nname = "three"\n',
    "/w/lspi.json": '{"mcp":{"name":"four"}}',
    "/elsewhere/env.toml": '[mcp]\nname = "env"\n',
    "/elsewhere/named.toml": '[mcp]\nname = "named"\n',
  };

  test("takes the first of: flag, variable, .lspi/config.toml, .lspi/config.json, lspi.toml, lspi.json", () => {
    const names: (string | undefined)[] = [];
    const env = { LSPI_CONFIG_PATH: "/elsewhere/env.toml" };
    names.push(load(all, { configPath: "/elsewhere/named.toml", env }).config.mcp?.name);
    names.push(load(all, { env }).config.mcp?.name);
    const left: { [path: string]: string } = { ...all };
    for (const file of ["/w/.lspi/config.toml", "/w/.lspi/config.json", "/w/lspi.toml", "/w/lspi.json"]) {
      names.push(load(left, { isTrusted: () => true }).config.mcp?.name);
      delete left[file];
    }
    expect(names).toEqual(["named", "env", "one", "two", "three", "four"]);
    expect(load(left).main).toEqual({ kind: "embedded", file: null, hash: null });
  });

  test("the base is the file's folder, or the one above `.lspi`", () => {
    expect(load(all, { isTrusted: () => true }).base).toBe("/w");
    expect(load(all, { configPath: "/elsewhere/named.toml" }).base).toBe("/elsewhere");
    expect(load({}).base).toBe("/w");
  });

  test("a workspace that was named is the base of a config that was named, and of no other", () => {
    const own = { "/w/c.toml": server, "/w/lspi.toml": "" };
    const facts = (changes: Partial<ConfigRequest>) => {
      const { base, folder } = load(own, { base: "/elsewhere", ...changes });
      return [base, folder];
    };
    expect(facts({ configPath: "/w/c.toml" })).toEqual(["/elsewhere", "/w"]);
    expect(facts({ env: { LSPI_CONFIG_PATH: "/w/c.toml" } })).toEqual(["/elsewhere", "/w"]);
    expect(facts({ configPath: "/w/c.toml", base: undefined })).toEqual(["/w", "/w"]);
    expect(facts({})).toEqual(["/w", "/w"]);
  });

  test("a file that was named must exist", () => {
    expect(problemsOf(() => load({}, { configPath: "/w/no.toml" }))).toEqual([
      "config/not-found undefined:undefined `/w/no.toml` does not exist",
    ]);
    expect(problemsOf(() => load({}, { env: { LSPI_CONFIG_PATH: "/w/no.toml" } }))).toEqual([
      "config/not-found undefined:undefined `/w/no.toml`, named by `LSPI_CONFIG_PATH`, does not exist",
    ]);
  });

  test("without a config servers are chosen from every preset", () => {
    const opened = open({});
    const presets = opened.lacksServers?.presets() ?? [];
    const loaded = opened.finish({ servers: presets.map(({ id }) => ({ id, kind: id })) });
    expect(loaded.config.servers?.map(({ id, command }) => [id, command])).toEqual([
      ["pyright", ["node", "pyright.js"]],
      ["rust-analyzer", "rust-analyzer"],
    ]);
  });

  test("only where a config names no servers they are chosen", () => {
    const named = (text: string) => open({ "/w/c.toml": text }, { configPath: "/w/c.toml" });
    const none = named("[limits]\nmax_items = 5\n");
    expect(none.lacksServers).toMatchObject({ base: "/w", isNamed: true });
    const { config } = none.finish({ servers: [{ id: "pyright", kind: "pyright" }] });
    expect([config.servers?.length, config.limits?.max_items]).toEqual([1, 5]);
    expect(named(server).lacksServers).toBeUndefined();
    expect(open({ "/home/me/.config/lsp-proxy/config.toml": server }).lacksServers).toBeUndefined();
  });
});

describe("layers", () => {
  test("profile, user, extends in order, the file, the command line", () => {
    const files = {
      "/home/me/.config/lsp-proxy/config.toml":
        "[limits]\nmax_items = 2\nmax_bytes = 20002\ntimeout_ms = 202\n",
      "/w/a.toml": "[limits]\nmax_bytes = 20003\ntimeout_ms = 203\nmax_servers = 3\n",
      "/w/b.toml": "[limits]\nmax_servers = 4\n",
    };
    const { config } = loadNamed('extends = ["./a.toml", "./b.toml"]\n[limits]\ntimeout_ms = 205\n', files, {
      commandLine: { limits: { timeout_ms: 206 } },
    });
    expect(config.limits).toEqual({ max_items: 2, max_bytes: 20003, max_servers: 4, timeout_ms: 206 });
    expect(config.extends).toBeUndefined();
  });

  test("XDG_CONFIG_HOME moves the user's config", () => {
    const files = { "/x/lsp-proxy/config.toml": "[limits]\nmax_items = 7\n" };
    expect(load(files, { env: { XDG_CONFIG_HOME: "/x" } }).config.limits?.max_items).toBe(7);
  });

  test("servers merge by id, tools by name, methods by method; arrays replace, tables merge", () => {
    const below = `${server}args = ["a", "b"]\nenv = { A = "1", B = "2" }\n[[methods]]\nmethod = "m"\nservers = ["x"]\n`;
    const { config } = loadNamed(
      `extends = ["./below.toml"]
[[servers]]
id = "x"
args = ["c"]
env = { B = "3" }
[[servers]]
id = "y"
command = "y"
[[tools]]
name = "calls"
args.depth = { default = 2 }
[[methods]]
method = "m"
capability = "z"
`,
      { "/w/below.toml": below },
    );
    expect(config.servers).toEqual([
      { id: "x", command: "x", extensions: ["x"], args: ["c"], env: { A: "1", B: "3" } },
      { id: "y", command: "y" },
    ]);
    expect(config.tools?.find(({ name }) => name === "calls")?.args).toEqual({
      depth: { type: "integer", description: "How deep.", default: 2 },
    });
    expect(config.methods).toEqual([{ method: "m", servers: ["x"], capability: "z" }]);
  });

  test("steps take the place of a request, and one transport that of another", () => {
    const { config } = loadNamed(
      `extends = ["./b.toml"]\n[[tools]]\nname = "calls"\n[[tools.steps]]\nid = "a"\nmethod = "m"\n[[servers]]\nid = "t"\ntransport = { pipe = "/p" }\n`,
      { "/w/b.toml": '[[servers]]\nid = "t"\ntransport = { tcp = "h:1" }\n' },
    );
    const calls = config.tools?.find(({ name }) => name === "calls");
    expect([calls?.request, calls?.steps]).toEqual([undefined, [{ id: "a", method: "m" }]]);
    expect(config.servers?.[0]?.transport).toEqual({ pipe: "/p" });
  });

  test("a key that only the merged config lacks is reported at its table", () => {
    expect(problemsOf(() => loadNamed('\n[[tools]]\nname = "new"\nargs.n = { type = "string" }\n'))).toEqual([
      "config/missing-key /w/c.toml:4 `description` is missing in `n`",
    ]);
  });

  test("extends: unknown names, URLs, circles, absent files and shipped servers", () => {
    const files = { "/w/loop.toml": 'extends = ["./c.toml"]\n' };
    const text =
      'extends = [\n"tools/kore",\n"https://x/y.toml",\n"./loop.toml",\n"./no.toml",\n"/abs.toml"]\n';
    expect(problemsOf(() => loadNamed(text, files))).toEqual([
      "config/bad-extends /w/c.toml:2 `tools/kore` is not a shipped config",
      "config/bad-extends /w/c.toml:3 `https://x/y.toml` is a URL; layers are files",
      "config/bad-extends /w/c.toml:5 `./no.toml` does not exist",
      "config/bad-extends /w/c.toml:6 `/abs.toml` is not a shipped config",
      "config/bad-extends /w/loop.toml:1 `./c.toml` extends itself",
    ]);
    const chain = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`/w/${n}.toml`, `extends = ["./${n + 1}.toml"]\n`]),
    );
    expect(problemsOf(() => loadNamed('extends = ["./0.toml"]\n', chain))).toEqual([
      "config/bad-extends /w/99.toml:1 `./100.toml` exceeds the limit of 100 layers",
    ]);
    expect(loadNamed('extends = ["servers/pyright"]').config.servers).toEqual([
      {
        ...{ id: "pyright", kind: "pyright", command: ["node", "pyright.js"], extensions: ["py"] },
        untrusted: { start: false },
      },
    ]);
  });

  test("problems of every layer come together", () => {
    const files = {
      "/home/me/.config/lsp-proxy/config.toml": "limit = 1\n",
      "/w/team.toml": "version = 2\n[mcp]\nreed_only = true\n",
    };
    const found = problemsOf(() =>
      loadNamed(
        'extends = ["./team.toml"]\n[[servers]]\nid = "a"\n[[servers]]\nid = "a"\nkind = "pyrigth"\n',
        files,
        {
          commandLine: { mcp: { context: "codx" } },
        },
      ),
    );
    expect(found).toEqual([
      "config/unknown-key /home/me/.config/lsp-proxy/config.toml:1 unknown key `limit`",
      "config/duplicate-id /w/c.toml:5 two servers are called `a`",
      "config/unknown-preset /w/c.toml:6 there is no preset `pyrigth`",
      "config/bad-value /w/team.toml:1 `version` must be 1, found 2",
      "config/unknown-key /w/team.toml:3 unknown key `reed_only` in `mcp`",
      "config/unknown-preset command line:1 there is no profile `codx`",
    ]);
  });
});

describe("presets", () => {
  test("a server overrides its preset, by id or by another name of it; options merge deep", () => {
    const { config } = loadNamed(`[[servers]]
id = "rust"
kind = "rust_analyzer"
initialize_options = { cargo = { target = "y" } }
workspace_configuration = { "rust-analyzer" = { lens = { enable = false } } }
replies = { "a/b" = { other = 1 }, "c/d" = 1 }
`);
    expect(config.servers).toEqual([
      {
        id: "rust",
        kind: "rust_analyzer",
        command: "rust-analyzer",
        args: [],
        extensions: ["rs"],
        warmup_timeout_ms: 9,
        replies: { "a/b": { other: 1 }, "c/d": 1 },
        initialize_options: { cargo: { features: ["all"], target: "y" } },
        workspace_configuration: { "rust-analyzer": { check: true, lens: { enable: false } } },
        untrusted: { start: false },
      },
    ]);
  });

  test.each([
    ['command = "rust-analyzer"', false],
    ['command = "/opt/bin/rust-analyzer"\nargs = ["--more"]', false],
    ['command = ["node", "pyright.js"]', false],
    ['command = "rust-analyzer"\nuntrusted.start = true', true],
    ['command = "mine"', undefined],
    ['kind = "generic"\ncommand = "rust-analyzer"', false],
  ])(
    "a server that is named by its program has that preset's settings for untrusted workspaces: %s",
    (words, start) => {
      const { config } = loadNamed(`[[servers]]\nid = "x"\n${words}\nextensions = ["x"]\n`);
      expect(config.servers?.[0]?.untrusted?.start).toBe(start);
    },
  );

  test("an adapter adds quirks and nothing else", () => {
    const { config } = loadNamed('[[servers]]\nid = "x"\ncommand = "x"\nadapter = "rust-analyzer"\n');
    expect(Object.keys(config.servers?.[0] ?? {}).toSorted()).toEqual([
      "adapter",
      "command",
      "id",
      "replies",
      "untrusted",
      "warmup_timeout_ms",
      "workspace_configuration",
    ]);
  });

  test("the catalogue's programs, and those that the environment puts in their place", () => {
    const env = { LSPI_RUST_ANALYZER_COMMAND: "/opt/ra" };
    const loaded = loadNamed('[[servers]]\nid = "r"\nkind = "rust_analyzer"\n', {}, { env });
    expect(loaded.config.servers?.[0]?.command).toBe("/opt/ra");
    expect(loaded.catalogueCommands).toEqual(["/opt/ra", "node", "rust-analyzer"]);
    expect(
      loadNamed('[[servers]]\nid = "r"\nkind = "rust_analyzer"\ncommand = "mine"\n', {}, { env }).config
        .servers?.[0],
    ).toMatchObject({ command: "mine" });
  });

  test("profiles by context, and which of them bring a tool", () => {
    const loaded = loadNamed('[mcp]\ncontext = "codex"\n');
    expect(loaded.config.mcp).toEqual({ read_only: true, context: "codex" });
    expect(loaded.config.tools?.map(({ name }) => name)).toEqual(["calls", "hover"]);
    expect(loaded.toolProfiles("hover")).toEqual(["codex", "default"]);
    expect(loaded.toolProfiles("none")).toEqual([]);
  });
});

describe("where values come from", () => {
  const loaded = loadNamed(
    '[[tools]]\nname = "hover"\ndescription = "Mine."\n[[servers]]\nid = "p"\nkind = "pyright"\n[mcp]\nreadOnly = true\n',
  );

  test("locate answers with the layer that brought the value; a preset stands where it is asked for", () => {
    const at = (pointer: string) => {
      const place = loaded.locate(pointer);
      return place && `${place.file}:${place.line}:${place.column}`;
    };
    const hover = loaded.config.tools?.findIndex(({ name }) => name === "hover");
    expect(at(`/tools/${hover}/description`)).toBe("/w/c.toml:3:15");
    expect(at("/tools/0/request/method")).toBe("/shipped/tools/calls.toml:5:10");
    expect(at("/servers/0/command/1")).toBe("/w/c.toml:6:8");
    expect(at("/servers/0/id")).toBe("/w/c.toml:5:6");
    expect(at("/mcp/read_only")).toBe("/w/c.toml:8:12");
    expect(at("/tools/99")).toBeUndefined();
  });

  test("origin names a shipped config, or `config`", () => {
    expect(loaded.origin("/tools/0")).toBe("configs/tools/calls.toml");
    expect(loaded.origin("/tools/1")).toBe("config");
    expect(loaded.origin("/servers/0/command")).toBe("configs/servers/pyright.toml");
  });
});

describe("trust", () => {
  const found = { "/w/lspi.toml": `${server}[[servers]]\nid = "p"\nkind = "pyright"\n` };
  const hashOf = (files: { [path: string]: string }) =>
    inspectDiscovered(request(), memoryFiles({ ...shipped, ...files }))?.hash;

  test("a discovered file that starts programs is refused, with what it would start", () => {
    expect(problemsOf(() => load(found))).toEqual([
      "config/untrusted /w/lspi.toml:1 `lspi.toml` is not trusted; it would start `node`, `x`",
    ]);
    expect(load(found, { env: { LSPI_CONFIG_PATH: "/w/lspi.toml" } }).main.kind).toBe("named");
  });

  test("a server that is only switched off needs no trust", () => {
    const off = { "/w/lspi.toml": '[[servers]]\nid = "p"\nkind = "pyright"\nenabled = false\n' };
    expect(load(off).config.servers).toMatchObject([{ id: "p", enabled: false }]);
    const user = { "/home/me/.config/lsp-proxy/config.toml": '[[servers]]\nid = "p"\nkind = "pyright"\n' };
    const more = `${off["/w/lspi.toml"]}command = "evil"\nenv = { A = "1" }\n`;
    const { config } = load({ ...user, "/w/lspi.toml": more });
    expect(config.servers).toMatchObject([{ id: "p", enabled: false }]);
    expect(JSON.stringify(config.servers)).not.toContain("evil");
  });

  test("a variable with a relative path names no file, since it would name and trust one in every workspace", () => {
    for (const path of ["lspi.toml", "./lspi.toml", "../w/lspi.toml"])
      expect(problemsOf(() => load(found, { env: { LSPI_CONFIG_PATH: path } })).join()).toContain(
        "config/relative-variable",
      );
    const env = { LSPI_CONFIG_PATH: "lspi.toml" };
    expect(load(found, { env, configPath: "/w/lspi.toml" }).main.kind).toBe("named");
  });

  test("a server that runs elsewhere is connected to, not started", () => {
    const far = {
      "/w/lspi.toml": '[[servers]]\nid = "far"\ntransport = { tcp = "127.0.0.1:7" }\nextensions = ["far"]\n',
    };
    expect(problemsOf(() => load(far))).toEqual([
      "config/untrusted /w/lspi.toml:1 `lspi.toml` is not trusted; it asks for a connection to `127.0.0.1:7`",
    ]);
  });

  test("a server that is started and reached over a socket is started too", () => {
    const started = {
      "/w/lspi.toml":
        '[allow]\nhosts = ["build.lan"]\n[[servers]]\nid = "own"\ncommand = "own-server"\ntransport = { tcp = "127.0.0.1:0", mode = "start" }\nextensions = ["own"]\n',
    };
    expect(problemsOf(() => load(started))).toEqual([
      "config/untrusted /w/lspi.toml:1 `lspi.toml` is not trusted; it would start `own-server` and asks for language servers on `build.lan`",
    ]);
  });

  test("it is trusted by the hash of itself and of what it extends by path", () => {
    const files = { "/w/lspi.toml": 'extends = ["./s.toml"]\n', "/w/s.toml": server };
    const hash = hashOf(files);
    const asked: string[] = [];
    const isTrusted = (file: string, given: string) => {
      asked.push(file);
      return given === hash;
    };
    expect(load(files, { isTrusted }).main).toEqual({ kind: "discovered", file: "/w/lspi.toml", hash });
    expect(asked).toEqual(["/w/lspi.toml"]);
    const changed = { ...files, "/w/s.toml": `${server}# changed\n` };
    expect(problemsOf(() => load(changed, { isTrusted }))).toHaveLength(1);
    expect(hashOf(changed)).not.toBe(hash);
  });

  test.each([
    ["allowed commands", '[allow]\ncommands = ["sh"]\n'],
    ["effects", '[allow]\neffects = ["read", "edit"]\n'],
    ["the environment", '[allow]\nenv = ["SECRET"]\n'],
    ["a root outside", '[workspace]\nroots = ["../.."]\n'],
    ["an extra root", '[workspace]\nextra_roots = ["/etc"]\n'],
    ["a shipped server", 'extends = ["servers/pyright"]\n'],
    ["a tool", '[[tools]]\nname = "t"\nrequest = { method = "m" }\n'],
    ["a method", '[[methods]]\nmethod = "m"\n'],
    ["instructions", '[mcp]\ninstructions = "Obey."\n'],
    ["a gateway", '[http]\nbind = "0.0.0.0"\n'],
  ])("%s needs trust", (_, text) => {
    expect(problemsOf(() => load({ "/w/lspi.toml": text }))[0]).toMatch(/^config\/untrusted/);
    expect(problemsOf(() => load({ "/w/lspi.toml": text }, { isTrusted: () => true }))).toEqual([]);
  });

  test("a root that leaves the workspace by a link needs trust", () => {
    const files = { "/w/lspi.toml": '[workspace]\nroots = ["src"]\n' };
    const defaults = everyDefault();
    expect(problemsOf(() => load(files, { defaults }))).toEqual([]);
    expect(problemsOf(() => load(files, { defaults }, { "/w/src": "/etc" }))).toHaveLength(1);
  });

  test("a link that leaves the workspace is refused unread, even if what it leads to is trusted", () => {
    const files = { "/w/lspi.toml": server, "/other/lspi.toml": "secret: of somebody\n" };
    const asked: string[] = [];
    const isTrusted = (file: string) => asked.push(file) > 0;
    for (const links of [{ "/w/lspi.toml": "/other/lspi.toml" }, { "/w/lspi.toml": "/etc/shadow" }])
      expect(problemsOf(() => load(files, { isTrusted }, links))).toEqual([
        "config/strayed undefined:undefined `/w/lspi.toml` is a link to a file outside the workspace",
      ]);
    expect(asked).toEqual([]);
  });

  test("a config is trusted where it was found, in the workspace's real folder", () => {
    const files = { "/real/configs/mine.toml": server };
    const links = { "/w": "/real", "/real/lspi.toml": "/real/configs/mine.toml" };
    const asked: string[] = [];
    const isTrusted = (file: string) => asked.push(file) > 0;
    expect(load(files, { isTrusted }, links).base).toBe("/w");
    expect(asked).toEqual(["/real/lspi.toml"]);
  });

  test("a discovered file may not extend files outside the workspace; a named one may", () => {
    const files = { "/w/lspi.toml": 'extends = ["../up.toml"]\n', "/up.toml": "[limits]\nmax_items = 1\n" };
    expect(problemsOf(() => load(files))).toEqual([
      "config/bad-extends /w/lspi.toml:1 `../up.toml` is outside the workspace",
    ]);
    expect(load(files, { configPath: "/w/lspi.toml" }).config.limits?.max_items).toBe(1);
  });

  test("what a person must see before trusting", () => {
    expect(inspectDiscovered(request(), memoryFiles({ ...shipped, ...found }))).toMatchObject({
      file: "/w/lspi.toml",
      grants: { starts: ["node", "x"], asks: [] },
      problems: [],
    });
    expect(inspectDiscovered(request(), memoryFiles(shipped))).toBeUndefined();
  });
});

describe("a workspace's config only narrows the user's", () => {
  const user = `[allow]
commands = ["x", "y"]
effects = ["read"]
[limits]
max_items = 10
timeout_ms = 500
[mcp]
read_only = true
[mcp.tools]
allow = ["hover"]
exclude = ["calls"]
[workspace]
deny = ["secret/**"]
`;
  const workspace = `[allow]
commands = ["y", "z"]
effects = ["read", "edit"]
env = ["PATH"]
[limits]
max_items = 20
timeout_ms = 400
[mcp]
read_only = false
[mcp.tools]
allow = ["calls"]
exclude = []
[workspace]
deny = []
`;
  const files = { "/home/me/.config/lsp-proxy/config.toml": user, "/w/lspi.toml": workspace };

  test.each([
    ["none", "read_only", "read_only"],
    ["read_only", "none", "read_only"],
    ["read_only", "no_network", "read_only"],
    ["read_only_no_network", "no_network", "read_only_no_network"],
    ["no_network", "read_only_no_network", "read_only_no_network"],
  ])("a server's sandbox: the user's %s under a workspace's %s is %s", (ours, theirs, sandbox) => {
    const server = (word: string, most: number) =>
      `[[servers]]\nid = "s"\ncommand = "y"\nextensions = ["s"]\nsandbox = "${word}"\nlimits = { memory_mb = ${most}, processes = ${most} }\n`;
    const { config } = load(
      {
        "/home/me/.config/lsp-proxy/config.toml": `[allow]\ncommands = ["y"]\n${server(ours, 100)}`,
        "/w/lspi.toml": server(theirs, 200),
      },
      { isTrusted: () => true },
    );
    expect(config.servers).toMatchObject([{ sandbox, limits: { memory_mb: 100, processes: 100 } }]);
  });

  test("intersections, minima, and read-only that stays", () => {
    const { config, warnings } = load(files, { isTrusted: () => true });
    expect(config.allow).toEqual({ commands: ["y"], effects: ["read"], env: ["PATH"] });
    expect(config.limits).toEqual({ max_items: 10, timeout_ms: 400 });
    expect(config.mcp).toEqual({ read_only: true, tools: { allow: ["hover"], exclude: ["calls"] } });
    expect(config.workspace?.deny).toEqual(["secret/**"]);
    expect(
      warnings.map(({ code, severity, place, message }) => [code, severity, place?.line, message]),
    ).toEqual([
      ["config/shrunk", "warning", 2, '"z" is not in the user\'s own list'],
      ["config/shrunk", "warning", 3, '"edit" is not in the user\'s own list'],
      ["config/shrunk", "warning", 6, "20 is ignored: it is more than the user's own 10"],
      ["config/shrunk", "warning", 9, "false is ignored: the user's own config says true"],
      ["config/shrunk", "warning", 11, '"calls" is not in the user\'s own list'],
    ]);
  });

  test("a file that a person named is not narrowed", () => {
    const { config, warnings } = load(files, { configPath: "/w/lspi.toml" });
    expect([config.allow?.commands, config.limits?.max_items, warnings]).toEqual([["y", "z"], 20, []]);
  });
});
