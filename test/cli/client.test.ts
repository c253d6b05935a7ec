/** `client`: stanzas printed, written into clients' files and taken out again; what else is in the files stays. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { executable } from "../../src/cli/shipped.js";
import { readClients } from "../../src/config/catalogue/clients.js";
import { diskFiles } from "../../src/config/files.js";
import { repository } from "../live/session.js";
import { runHere } from "./terminal.js";

const clients = readClients(join(repository, "configs"), diskFiles);
const SECRET = "a-secret-value-0123456789";

const withAllTools =
  '[allow]\ncommands = ["x"]\nenv = ["PATH", "GOPATH", "MY_KEY"]\neffects = ["read", "edit"]\n[[servers]]\nid = "x"\ncommand = "x"\nextensions = ["x"]\n';

/** The config of the tests about lists of tools. The others have a profile with one tool, which is read faster. */
function useAllTools(): void {
  write(join(project, "lspi.toml"), withAllTools);
}

let folder: string;
let home: string;
let project: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-client-")));
  home = join(folder, "home");
  project = join(folder, 'a "project"');
  mkdirSync(home);
  mkdirSync(project);
  write(
    join(project, "lspi.toml"),
    `${withAllTools}[mcp]\nname = "lsp-proxy"\ncontext = "pathfinder"\nwarmup = false\n`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A registry that has the versions of the list, and an address where nobody listens. */
const published = [JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).version as string];
const registry = createServer((request, response) => {
  if (request.url !== "/lsp-proxy" || published.length === 0) {
    response.writeHead(404).end("{}");
    return;
  }
  const versions = Object.fromEntries(
    published.map((version) => [
      version,
      { name: "lsp-proxy", version, dist: { tarball: "http://x/y.tgz" } },
    ]),
  );
  const tags = { latest: published.at(-1) };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ name: "lsp-proxy", "dist-tags": tags, versions }));
});
let registryUrl = "";
beforeAll(async () => {
  registry.listen(0, "127.0.0.1");
  await once(registry, "listening");
  registryUrl = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
});
afterAll(() => registry.close());

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const read = (...path: string[]) => readFileSync(join(...path), "utf8");

function client(...args: string[]) {
  return clientWith({}, ...args);
}

function clientWith(more: { [name: string]: string }, ...args: string[]) {
  return runHere(["client", ...args, "--config", join(project, "lspi.toml")], {
    cwd: project,
    env: {
      ...{ HOME: home, XDG_CONFIG_HOME: "", CODEX_HOME: "", CLAUDE_CONFIG_DIR: "", GEMINI_CLI_HOME: "" },
      ...{ npm_config_registry: registryUrl, npm_config_cache: join(folder, "npm") },
      ...{ npm_config_noproxy: "127.0.0.1", npm_execpath: "" },
      ...{ COPILOT_HOME: "", XDG_STATE_HOME: "", GOPATH: "/go", MY_KEY: SECRET, LSP_PROXY_TOKEN: SECRET },
      ...more,
    },
  });
}

/** Every file below a folder, with its text, but for what a lock leaves behind. */
function tree(of: string): { [file: string]: string } {
  const files = readdirSync(of, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(of, name)).isFile() && !name.includes(join("lsp-proxy", "changes")),
  );
  return Object.fromEntries(files.map((name) => [name, read(of, name)]));
}

describe("every client", () => {
  const remote = "https://lsp.example.org/mcp";
  const cases = clients.flatMap(({ id, files, no_http }) =>
    (["user", "project"] as const)
      .filter((scope) => files[0]?.[scope] !== undefined)
      .flatMap((scope) =>
        no_http === undefined
          ? [
              [id, scope, ""],
              [id, scope, "--http"],
              [id, scope, `--url=${remote}`],
            ]
          : [[id, scope, ""]],
      ),
  ) as [string, string, string][];

  it.each(cases)(
    "%s, %s %s: is set up in one go, twice without a difference, and as before after --remove",
    async (id, scope, http) => {
      const flags = ["--scope", scope, ...(http === "" ? [] : [http])];
      // Lists of tools do not depend on how the proxy is reached.
      if (http === "") useAllTools();
      const before = { ...tree(home), ...tree(project) };
      const printed = await client(id, ...flags);
      expect(printed.code).toBe(0);
      const written = await client(id, ...flags, "--write");
      expect(written.code).toBe(0);
      expect(written.stdout).toMatch(/^wrote /);
      const after = { ...tree(home), ...tree(project) };
      const texts = Object.values(after).join("\n");
      expect(texts).not.toContain(SECRET);
      expect(printed.stdout).not.toContain(SECRET);
      const target = { "": executable, "--http": "http://127.0.0.1:3939/mcp" }[http] ?? remote;
      expect(texts).toContain(JSON.stringify(target));
      expect(printed.stdout).toContain(JSON.stringify(target));
      expect((await client(id, ...flags, "--write")).stdout).toMatch(/^nothing to change in /);
      expect({ ...tree(home), ...tree(project) }).toEqual(after);
      // Also when the config is gone.
      rmSync(join(project, "lspi.toml"));
      const removed = await client(id, ...flags, "--remove");
      expect(removed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^removed /) });
      delete before["lspi.toml"];
      expect({ ...tree(home), ...tree(project) }).toEqual(before);
    },
  );

  it("is listed, with who is here and who knows the proxy", async () => {
    mkdirSync(join(home, ".codex"));
    await client("cursor", "--write");
    const { stdout } = await client();
    expect(stdout).toMatch(/^codex +Codex +yes *$/m);
    // Only we wrote its file, so Cursor itself may not be here.
    expect(stdout).toMatch(/^cursor +Cursor {4,}\S*\.cursor\/mcp\.json$/m);
    write(join(home, ".cursor", "argv.json"), "{}");
    expect((await client()).stdout).toMatch(/^cursor +Cursor +yes +\S*\.cursor\/mcp\.json$/m);
    expect(stdout).toMatch(/^zed +Zed *$/m);
    for (const { id } of clients) expect(stdout).toMatch(new RegExp(`^${id} `, "m"));
  });
});

describe("a file that is there", () => {
  const theirs = '{\n  // mine\n  "mcpServers": { "other": { "command": "y" } },\n  "theme": "dark"\n}\n';

  it("keeps the rest, has one copy of what it was, and loses the copy with the entry", async () => {
    useAllTools();
    const file = join(home, ".gemini", "settings.json");
    write(file, theirs);
    chmodSync(file, 0o640);
    expect((await client("gemini", "--write")).stdout).toMatch(/^changed /);
    expect(read(file)).toContain("// mine");
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const copy = `${file}.before-lsp-proxy`;
    expect(read(copy)).toBe(theirs);
    expect(statSync(copy).mode & 0o777).toBe(0o640);
    await client("gemini", "--write", "--read-only");
    expect(read(copy)).toBe(theirs);
    expect(JSON.parse(read(file).replace("// mine", "")).mcpServers["lsp-proxy"].args).toContain(
      "--read-only",
    );
    await client("gemini", "--remove");
    expect(read(file)).toBe(theirs);
    expect(existsSync(copy)).toBe(false);
  });

  it("is reached through links, also one that leads to nothing yet, and the links stay", async () => {
    const real = join(folder, "dotfiles", "config.toml");
    write(real, 'model = "x"\n');
    mkdirSync(join(home, ".codex"));
    symlinkSync(real, join(home, ".codex", "config.toml"));
    mkdirSync(join(home, ".cursor"));
    symlinkSync(join("..", "..", "dotfiles", "new", "mcp.json"), join(home, ".cursor", "mcp.json"));
    await client("codex", "--write");
    await client("cursor", "--write");
    expect(lstatSync(join(home, ".codex", "config.toml")).isSymbolicLink()).toBe(true);
    expect(read(real)).toMatch(/^model = "x"\n\n# lsp-proxy for Codex/);
    expect(lstatSync(join(home, ".cursor", "mcp.json")).isSymbolicLink()).toBe(true);
    expect(read(folder, "dotfiles", "new", "mcp.json")).toContain("lsp-proxy");
  });

  it.each([
    ["broken", ".cursor/mcp.json", "{ oops", "config/syntax"],
    ["not UTF-8", ".cursor/mcp.json", Buffer.from([0x7b, 0xff]), "config/syntax"],
    [
      "someone else's by that name",
      ".cursor/mcp.json",
      '{"mcpServers":{"lsp-proxy":{"command":"z"}}}',
      "client/taken",
    ],
  ])("that is %s is refused, and nothing is lost", async (_what, name, text, code) => {
    mkdirSync(join(home, dirname(name)));
    writeFileSync(join(home, name), text);
    for (const flag of ["--write", "--remove"]) {
      const { code: exit, stderr } = await client("cursor", flag);
      expect({ exit, stderr }).toMatchObject({ exit: 3, stderr: expect.stringContaining(`error[${code}]`) });
    }
    expect(readFileSync(join(home, name))).toEqual(Buffer.from(text));
    expect(readdirSync(join(home, dirname(name)))).toEqual(["mcp.json"]);
  });

  it("that is read-only, or whose folder cannot be, is refused", async () => {
    const file = join(home, ".cursor", "mcp.json");
    write(file, "{}");
    chmodSync(file, 0o444);
    const marked = await client("cursor", "--write");
    expect(marked).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/cli\/not-writable.*read-only/),
    });
    expect(read(file)).toBe("{}");
    write(join(home, ".codex"), "a file where a folder would be");
    const blocked = await client("codex", "--write");
    expect(blocked).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/cli\/not-writable.*in the way/),
    });
  });

  it("of a project is not left by a link of the project, nor waited for when it is a pipe", async () => {
    write(join(home, ".cursor", "mcp.json"), "{}");
    mkdirSync(join(project, ".cursor"));
    symlinkSync(join(home, ".cursor", "mcp.json"), join(project, ".cursor", "mcp.json"));
    const led = await client("cursor", "--write", "--scope", "project");
    expect(led).toMatchObject({ code: 3, stderr: expect.stringContaining("leads out of the workspace") });
    expect(read(home, ".cursor", "mcp.json")).toBe("{}");
    spawnSync("mkfifo", [join(project, ".mcp.json")]);
    const piped = await client("claude-code", "--write", "--scope", "project");
    expect(piped).toMatchObject({ code: 3, stderr: expect.stringContaining("not a regular file") });
  });

  it("is not touched when another of the same client is broken", async () => {
    write(join(home, ".claude", "settings.json"), "{ oops");
    expect((await client("claude-code", "--write")).code).toBe(3);
    expect(existsSync(join(home, ".claude.json"))).toBe(false);
  });

  it("is not touched when another of the same client cannot be written", async () => {
    const settings = join(home, ".claude", "settings.json");
    const config = join(home, ".claude.json");
    write(settings, "{}");
    chmodSync(settings, 0o444);
    const marked = await client("claude-code", "--write");
    expect(marked).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("read-only") });
    expect(existsSync(config)).toBe(false);
    rmSync(dirname(settings), { recursive: true });
    write(dirname(settings), "a file where a folder would be");
    const blocked = await client("claude-code", "--write");
    expect(blocked).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("in the way") });
    expect(existsSync(config)).toBe(false);
  });

  it("keeps its byte order mark", async () => {
    write(join(home, ".cursor", "mcp.json"), "\uFEFF{}\n");
    expect((await client("cursor", "--write")).code).toBe(0);
    expect(read(home, ".cursor", "mcp.json")).toMatch(/^\uFEFF\{\n {2}"mcpServers"/);
  });

  it("may be larger than a config of ours, with a history in it", async () => {
    const history = Array.from({ length: 2_000 }, (_, index) => `${index} ${"x".repeat(1_000)}`);
    write(join(home, ".claude.json"), JSON.stringify({ history }, null, 2));
    const { code, stderr } = await client("claude-code", "--write");
    expect(code, stderr).toBe(0);
    const { history: kept, mcpServers } = JSON.parse(read(home, ".claude.json"));
    expect(kept).toEqual(history);
    expect(Object.keys(mcpServers)).toEqual(["lsp-proxy"]);
  });

  it("with another entry of that name is replaced when forced", async () => {
    write(join(home, ".cursor", "mcp.json"), '{"mcpServers":{"lsp-proxy":{"command":"z"}}}');
    expect((await client("cursor", "--write", "--force")).code).toBe(0);
    expect(JSON.parse(read(home, ".cursor", "mcp.json")).mcpServers["lsp-proxy"].command).toBe(
      process.execPath,
    );
  });
});

describe("what others have in a file", () => {
  const cursor = () => JSON.parse(read(home, ".cursor", "mcp.json"));

  it("stays, also under names that begin like ours", async () => {
    const file = join(home, ".cursor", "mcp.json");
    const theirs =
      '{"mcpServers":{"lsp-proxy-two":{"command":"other"},"lsp-proxyish":{"url":"https://x"}}}\n';
    write(file, theirs);
    await client("cursor", "--write");
    expect(Object.keys(cursor().mcpServers)).toEqual(["lsp-proxy-two", "lsp-proxyish", "lsp-proxy"]);
    await client("cursor", "--remove");
    expect(read(file)).toBe(theirs);
  });

  it.each(["cursor", "copilot-cli", "opencode", "crush", "vscode"])(
    "%s: several projects stand side by side, each by its name",
    async (id) => {
      useAllTools();
      const names = ["lsp-proxy-two", "lsp-proxy_three", "lsp-proxy"];
      for (const name of names) await client(id, "--write", "--name", name);
      const all = Object.values(tree(home)).join("\n");
      for (const name of names) expect(all).toContain(`"${name}": {`);
      await client(id, "--remove");
      const rest = Object.values(tree(home)).join("\n");
      expect(rest).not.toContain('"lsp-proxy": {');
      for (const name of names.slice(0, 2)) expect(rest).toContain(`"${name}": {`);
    },
  );

  it("stays in a client's list of tools; names of ours go with what the config no longer has", async () => {
    useAllTools();
    const file = join(home, ".config", "crush", "crush.json");
    const listed = () => JSON.parse(read(file)).permissions.allowed_tools;
    write(file, '{"permissions":{"allowed_tools":["mcp_lsp-proxy_two_x","view"]}}');
    await client("crush", "--write");
    expect(listed()).toEqual(expect.arrayContaining(["mcp_lsp-proxy_two_x", "mcp_lsp-proxy_get_hover"]));
    write(
      join(project, "lspi.toml"),
      `${read(project, "lspi.toml")}\n[mcp.tools]\nexclude = ["get_hover"]\n`,
    );
    await client("crush", "--write");
    expect(listed()).not.toContain("mcp_lsp-proxy_get_hover");
    await client("crush", "--remove");
    expect(listed()).toEqual(["mcp_lsp-proxy_two_x", "view"]);
  });

  it("is not taken for ours by a folder's name, and ours is known from any installation", async () => {
    const file = join(home, ".cursor", "mcp.json");
    const foreign =
      '{"mcpServers":{"lsp-proxy":{"command":"my-tool","args":["--root","/me/lsp-proxy-notes"]}}}';
    write(file, foreign);
    for (const flag of ["--write", "--remove"])
      expect(await client("cursor", flag)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("client/taken"),
      });
    expect(read(file)).toBe(foreign);
    const script = join("/opt", "tool", ...executable.split("/").slice(-3));
    for (const [command, ...args] of [
      ["node", script, "serve", "--workspace", "/w"],
      ["npx", "-y", "lsp-proxy@0.0.1", "serve"],
      ["/usr/bin/lsp-proxy"],
    ]) {
      write(file, JSON.stringify({ mcpServers: { "lsp-proxy": { command, args } } }));
      expect((await client("cursor", "--write")).code).toBe(0);
    }
  });

  it("and a gateway's entry is known after its token has another variable", async () => {
    await client("cursor", "--write", "--http");
    write(join(project, "lspi.toml"), `${read(project, "lspi.toml")}\n[http]\ntoken_env = "OTHER_TOKEN"\n`);
    expect((await client("cursor", "--write", "--http")).code).toBe(0);
    expect(read(home, ".cursor", "mcp.json")).toContain("OTHER_TOKEN");
    expect((await client("cursor", "--remove")).code).toBe(0);
  });

  it("stays in the entry's environment", async () => {
    const file = join(home, ".config", "Claude", "claude_desktop_config.json");
    await client("claude-desktop", "--write");
    write(file, read(file).replace('"env": {', '"env": {\n        "MY_KEY": "by-hand",'));
    await client("claude-desktop", "--write", "--private");
    expect(JSON.parse(read(file)).mcpServers["lsp-proxy"].env).toMatchObject({
      MY_KEY: "by-hand",
      GOPATH: "/go",
    });
  });
});

describe("the user is warned", () => {
  it("when an entry was another project's, and not when it is written again", async () => {
    for (const flags of [[], ["--private"], ["--http"], []])
      expect((await client("vscode", "--write", ...flags)).stderr).toBe("");
    const other = join(folder, "other", "lspi.toml");
    write(other, `${read(project, "lspi.toml")}\n[http]\nport = 4000\n`);
    const args = ["client", "vscode", "--write", "--config", other];
    const env = { HOME: home, XDG_STATE_HOME: "", XDG_CONFIG_HOME: "" };
    const told = async (...flags: string[]) =>
      (await runHere([...args, ...flags], { cwd: project, env })).stderr;
    const [mine, theirs] = [join(project, "lspi.toml"), "http://127.0.0.1:4000/mcp"];
    expect(await told()).toContain(`was for ${mine} and is for ${other} now`);
    expect((await client("vscode", "--write")).stderr).toContain(`was for ${other} and is for ${mine} now`);
    await client("vscode", "--write", "--http");
    expect(await told("--http")).toContain(`was for http://127.0.0.1:3939/mcp and is for ${theirs} now`);
    expect((await client("vscode", "--write")).stderr).toContain(`was for ${theirs} and is for ${mine} now`);
  });

  it("when a call may take longer than a client waits, or a start", async () => {
    useAllTools();
    const slow = `${read(project, "lspi.toml")}\n[limits]\ntimeout_ms = 290000\n`;
    for (const id of ["cursor", "claude-desktop", "windsurf"])
      expect((await client(id)).stderr).not.toContain("waits");
    expect((await client("claude-code", "--npx")).stderr).toMatch(
      /waits at most 30 s for a start \(set `MCP_TIMEOUT` to change this\), but a start may take 60 s/,
    );
    write(join(project, "lspi.toml"), slow);
    for (const id of ["cursor", "claude-desktop", "windsurf"])
      expect((await client(id)).stderr).toMatch(/waits at most 60 s for a call, but a call may take 300 s/);
    for (const id of ["vscode", "opencode", "zed", "codex", "claude-code", "gemini"])
      expect((await client(id)).stderr).not.toContain("waits");
    write(join(project, "lspi.toml"), slow.replace("290000", "291000"));
    for (const id of ["vscode", "opencode"])
      expect((await client(id)).stderr).toMatch(/waits at most 300 s for a call, but a call may take 301 s/);
  });

  it("when a list that Cursor would take instead of its own is not there", async () => {
    useAllTools();
    const file = join(home, ".cursor", "permissions.json");
    expect((await client("cursor", "--write")).stderr).toContain("has no list `mcpAllowlist`");
    expect(existsSync(file)).toBe(false);
    expect((await client("cursor")).stdout).toContain('"mcpAllowlist": ["lsp-proxy:find_definition",');
    write(file, '{\n  // mine\n  "mcpAllowlist": ["other:*"]\n}\n');
    expect((await client("cursor", "--write")).stderr).toBe("");
    expect(read(file)).toContain("// mine");
    expect(read(file)).toContain("lsp-proxy:get_hover");
    expect(read(file)).not.toContain("rename_symbol");
    await client("cursor", "--remove");
    expect(read(file)).toBe('{\n  // mine\n  "mcpAllowlist": ["other:*"]\n}\n');
  });

  it.each([
    ["opencode", ".config/opencode/opencode.json", '{"permission":"deny"}', "permission"],
    ["claude-code", ".claude/settings.json", '{"permissions":null}', "permissions"],
    ["claude-code", ".claude/settings.json", '{"permissions":{"allow":"all"}}', "permissions.allow"],
  ])("%s: when %s with %s has no place for who asks", async (id, name, text, key) => {
    useAllTools();
    write(join(home, name), text);
    const { code, stderr } = await client(id, "--write");
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`\`${key}\` in `) });
    expect(JSON.parse(read(home, name))).toMatchObject(JSON.parse(text));
  });

  it.each(["allow", '{ "*": "allow" }'])("nothing when opencode says %s to all: ours ask", async (said) => {
    useAllTools();
    const file = join(home, ".config", "opencode", "opencode.json");
    const text = `{ "permission": ${said === "allow" ? '"allow"' : said} }\n`;
    write(file, text);
    expect((await client("opencode", "--write")).stderr).toBe("");
    const { permission } = JSON.parse(read(file));
    // The last rule that fits counts.
    expect(Object.entries(permission)[0]).toEqual(["*", "allow"]);
    expect(permission).toMatchObject({ "lsp-proxy_rename_symbol": "ask" });
    expect(permission).not.toHaveProperty("lsp-proxy_get_hover");
    write(file, read(file).replace("{", '{\n  "theme": "x",'));
    await client("opencode", "--remove");
    expect(JSON.parse(read(file))).toEqual({ theme: "x", permission: "allow" });
    write(file, text);
    await client("opencode", "--write");
    await client("opencode", "--remove");
    expect(read(file)).toBe(text);
  });

  it("what a client would take for a variable", async () => {
    project = join(folder, "dol$HOME", ["$", "{env:X}", "{env:Y}"].join(""));
    write(join(project, "lspi.toml"), '[allow]\ncommands = ["x"]\n');
    for (const id of ["gemini", "claude-code", "opencode", "vscode", "cursor"])
      expect((await client(id)).stderr).toContain("as a variable");
    expect((await client("codex")).stderr).not.toContain("as a variable");
  });

  it("that a strict gateway refuses a client's handshake until its revision is configured", async () => {
    const text = read(project, "lspi.toml");
    const remarks = async (id: string, http: string) => {
      write(join(project, "lspi.toml"), `${text}\n[http]\n${http}\n`);
      return (await client(id, "--http")).stderr;
    };
    expect(await remarks("codex", "strict = true")).toContain('older_handshakes = ["2025-06-18"]');
    expect(await remarks("codex", 'strict = true\nolder_handshakes = ["2025-06-18"]')).not.toContain(
      "revision",
    );
    expect(await remarks("codex", "strict = false")).not.toContain("revision");
    expect(await remarks("cursor", "strict = true")).not.toContain("revision");
  });

  it("that a gateway's client sends one token", async () => {
    expect((await client("gemini", "--http")).stderr).not.toContain("token");
    const several = await clientWith({ LSP_PROXY_TOKEN: `${SECRET} other` }, "gemini", "--http");
    expect(several.stderr).toContain("it must hold one");
    expect(several.stderr).not.toContain(SECRET);
    write(join(project, "lspi.toml"), `${read(project, "lspi.toml")}\n[http]\ntoken_file = "/run/tokens"\n`);
    expect((await client("gemini", "--http")).stderr).toContain("/run/tokens");
  });
});

it.each([
  ["192.168.7.7", "http://192.168.7.7:3939/mcp"],
  ["0.0.0.0", "http://127.0.0.1:3939/mcp"],
  ["::1", "http://[::1]:3939/mcp"],
])("a gateway at %s is reached at %s", async (bind, url) => {
  write(join(project, "lspi.toml"), `${read(project, "lspi.toml")}\n[http]\nbind = "${bind}"\n`);
  expect((await client("cursor", "--http")).stdout).toContain(JSON.stringify(url));
});

describe("a gateway on another machine", () => {
  it.each([
    ["https://lsp.example.org/mcp/shop", "https://lsp.example.org/mcp/shop", ""],
    ["https://lsp.example.org", "https://lsp.example.org/own", ""],
    ["http://localhost:4000/mcp", "http://localhost:4000/mcp", ""],
    ["http://[::1]:4000/mcp", "http://[::1]:4000/mcp", ""],
    ["http://127.0.0.1:4000/mcp", "http://127.0.0.1:4000/mcp", ""],
    ["http://10.0.0.7:3939/mcp", "http://10.0.0.7:3939/mcp", "the token travels unencrypted to 10.0.0.7: "],
    ["http://[fd00::7]/mcp", "http://[fd00::7]/mcp", "the token travels unencrypted to [fd00::7]: "],
    ["http://127.0.0.1.example.org/", "http://127.0.0.1.example.org/own", "unencrypted to 127.0.0.1.example"],
  ])("at %s is reached at %s", async (given, url, warning) => {
    write(join(project, "lspi.toml"), `${read(project, "lspi.toml")}\n[http]\npath = "/own"\nport = 0\n`);
    const { code, stdout, stderr } = await client("cursor", "--url", given);
    expect(code).toBe(0);
    expect(stdout).toContain(JSON.stringify(url));
    expect(stdout).toContain("LSP_PROXY_TOKEN");
    if (warning === "") expect(stderr).not.toContain("unencrypted");
    else expect(stderr).toContain(warning);
  });

  it.each([
    ["lsp.example.org", "http or https"],
    ["ftp://lsp.example.org/mcp", "http or https"],
    ["file:///etc/passwd", "http or https"],
    ["", "http or https"],
    [`https://me:${SECRET}@lsp.example.org/mcp`, "without a user"],
    [`https://lsp.example.org/mcp?token=${SECRET}`, "without a user"],
    [`https://lsp.example.org/mcp#${SECRET}`, "without a user"],
  ])("cannot be %s", async (given, words) => {
    const before = { ...tree(home), ...tree(project) };
    const { code, stderr } = await client("cursor", "--write", `--url=${given}`);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
    expect(stderr).not.toContain(SECRET);
    expect({ ...tree(home), ...tree(project) }).toEqual(before);
  });

  it("is not for a client that cannot use one", async () => {
    expect(await client("zed", "--url", "https://lsp.example.org/mcp")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("plain text"),
    });
  });

  it("is left without naming it again, and no trust is asked for a project here", async () => {
    const url = "https://lsp.example.org/mcp";
    rmSync(join(project, "lspi.toml"));
    const env = { HOME: home, XDG_STATE_HOME: "", XDG_CONFIG_HOME: "" };
    const anywhere = (...args: string[]) => runHere(["client", "gemini", ...args], { cwd: project, env });
    const before = { ...tree(home), ...tree(project) };
    expect(await anywhere("--write", "--url", url)).toMatchObject({ code: 0, stderr: "" });
    const file = join(home, ".gemini", "settings.json");
    expect(read(file)).toContain(url);
    expect((await anywhere("--write")).stderr).toContain(`was for ${url} and is for `);
    expect(read(file)).not.toContain(url);
    expect((await anywhere("--write", "--url", url)).code).toBe(0);
    expect((await anywhere("--remove")).stdout).toMatch(/^removed /);
    expect({ ...tree(home), ...tree(project) }).toEqual(before);
  });
});

describe("two clients that share a project's file", () => {
  const [writing, removing] = ["--write", "--remove"].map((flag) => [flag, "--scope", "project"]) as [
    string[],
    string[],
  ];

  it("have one entry, without a quarrel, until neither needs it", async () => {
    useAllTools();
    for (const id of ["claude-code", "copilot-cli", "claude-code"]) await client(id, ...writing);
    const text = read(project, ".mcp.json");
    await client("copilot-cli", ...writing);
    expect(read(project, ".mcp.json")).toBe(text);
    const first = await client("copilot-cli", ...removing);
    expect(first.stdout).toBe("left .mcp.json: Claude Code uses the same entry; --force removes it anyway\n");
    expect(read(project, ".mcp.json")).toBe(text);
    await client("claude-code", ...removing);
    expect(existsSync(join(project, ".mcp.json"))).toBe(false);
    expect(tree(home)).toEqual({});
  });

  it("lose it when forced, and the output names them", async () => {
    await client("claude-code", ...writing);
    await client("copilot-cli", ...writing);
    const forced = await client("claude-code", ...removing, "--force");
    expect(forced.stderr).toContain("Copilot CLI also reads .mcp.json");
    expect(existsSync(join(project, ".mcp.json"))).toBe(false);
    expect((await client("copilot-cli", ...removing)).code).toBe(0);
  });
});

describe("what the config has no more", () => {
  const tool = (name: string) =>
    `[[tools]]\nname = "${name}"\ndescription = "Looks."\ninput = "document"\noutput = "document_symbols"\nrequest = { method = "textDocument/documentSymbol", params = "text_document" }\n`;

  it("are removed at the next writing: the user's own tools, and variables; lines written by hand stay", async () => {
    useAllTools();
    const config = read(project, "lspi.toml");
    const settings = join(home, ".claude", "settings.json");
    const allowed = () => JSON.parse(read(settings)).permissions.allow;
    write(settings, '{"permissions":{"allow":["mcp__lsp-proxy__look_b","mcp__lsp-proxy__mine"]}}');
    write(join(project, "lspi.toml"), config + tool("look_a"));
    await client("claude-code", "--write");
    expect(allowed()).toContain("mcp__lsp-proxy__look_a");
    write(join(project, "lspi.toml"), config.replace('"GOPATH", ', ""));
    await client("claude-code", "--write");
    expect(allowed()).not.toContain("mcp__lsp-proxy__look_a");
    expect(allowed()).toEqual(
      expect.arrayContaining(["mcp__lsp-proxy__look_b", "mcp__lsp-proxy__mine", "mcp__lsp-proxy__get_hover"]),
    );
  });

  it("is removed from the entry's environment too, and with --remove", async () => {
    useAllTools();
    const config = read(project, "lspi.toml");
    const env = () => JSON.parse(read(home, ".gemini", "settings.json")).mcpServers["lsp-proxy"].env;
    write(join(project, "lspi.toml"), config + tool("look_a"));
    await client("gemini", "--write");
    expect(env()).toEqual({ GOPATH: "$GOPATH", MY_KEY: "$MY_KEY" });
    expect(read(home, ".gemini", "settings.json")).toContain("mcp_lsp-proxy_look_a");
    write(
      join(home, ".gemini", "settings.json"),
      read(home, ".gemini", "settings.json").replace('"GOPATH":', '"BY_HAND": "x", "GOPATH":'),
    );
    write(join(project, "lspi.toml"), config.replace('"GOPATH", ', ""));
    await client("gemini", "--write");
    expect(env()).toEqual({ BY_HAND: "x", MY_KEY: "$MY_KEY" });
    expect(read(home, ".gemini", "settings.json")).not.toContain("look_a");
    write(join(project, "lspi.toml"), config + tool("look_c"));
    await client("gemini", "--write");
    write(join(project, "lspi.toml"), config);
    await client("gemini", "--remove");
    expect(tree(home)).toEqual({});
  });

  it("is removed also without the record, if it is of the shipped profile", async () => {
    const config = read(project, "lspi.toml");
    const listed = () => JSON.parse(read(home, ".config", "crush", "crush.json")).permissions.allowed_tools;
    useAllTools();
    await client("crush", "--write");
    expect(listed()).toContain("mcp_lsp-proxy_get_hover");
    rmSync(join(home, ".local", "state"), { recursive: true });
    write(join(project, "lspi.toml"), config);
    await client("crush", "--write");
    expect(listed()).toEqual(["mcp_lsp-proxy_definition"]);
  });

  it("is not known where the record is gone or cannot be kept, and nothing breaks", async () => {
    useAllTools();
    const state = join(home, ".local", "state");
    await client("vscode", "--write");
    write(join(state, "lsp-proxy", "clients.json"), "{ oops");
    expect((await client("vscode", "--write", "--private")).code).toBe(0);
    rmSync(state, { recursive: true });
    write(state, "a file where a folder would be");
    const done = await client("vscode", "--write");
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining("could not be recorded") });
  });
});

describe("what was before", () => {
  it("is nothing again after two ways of writing", async () => {
    await client("cursor", "--write");
    await client("cursor", "--write", "--private");
    expect((await client("cursor", "--remove")).stdout).toMatch(/^removed /);
    expect(tree(home)).toEqual({});
  });

  it.each([
    ["cursor", ".cursor/mcp.json", ""],
    ["cursor", ".cursor/mcp.json", "{}"],
    ["cursor", ".cursor/mcp.json", '{ "mcpServers": {} }'],
    ["codex", ".codex/config.toml", 'model = "x"'],
    ["codex", ".codex/config.toml", 'model = "x"\n\n\n'],
  ])("%s: %s with %j is that again, to the byte", async (id, name, text) => {
    write(join(home, name), text);
    await client(id, "--write");
    await client(id, "--write", "--http");
    await client(id, "--remove");
    expect(tree(home)).toEqual({ [name]: text });
  });

  it("is not restored over what a person wrote since", async () => {
    const file = join(home, ".codex", "config.toml");
    write(file, 'model = "x"');
    await client("codex", "--write");
    write(file, `# mine\n${read(file)}`);
    await client("codex", "--remove");
    expect(read(file)).toBe('# mine\nmodel = "x"\n');
  });
});

it("a variable that names a client's folder is used, whatever is in the usual one", async () => {
  write(join(home, ".codex", "config.toml"), 'model = "x"\n');
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  await clientWith({ CODEX_HOME: elsewhere }, "codex", "--write");
  expect(read(home, ".codex", "config.toml")).toBe('model = "x"\n');
  expect(read(elsewhere, "config.toml")).toContain("[mcp_servers.lsp-proxy]");
});

describe("the command line", () => {
  it("names what it does not know, and what a client cannot do", async () => {
    expect(await client("codx")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean `codex`?"),
    });
    expect(await client("zed", "--http")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("plain text"),
    });
    expect(await client("windsurf", "--scope", "project")).toMatchObject({ code: 2 });
    expect(await client("codex", "--scope", "all")).toMatchObject({ code: 2 });
    expect(await client("codex", "--write", "--remove")).toMatchObject({ code: 2 });
    expect(await client("codex", "--npx", "--absolute")).toMatchObject({ code: 2 });
    expect(await client("codex", "--name", "a b")).toMatchObject({ code: 2 });
  });

  it("starts the proxy by npx at this version, or by its path", async () => {
    useAllTools();
    const { version } = JSON.parse(read(repository, "package.json"));
    const npx = JSON.parse((await client("vscode", "--npx")).stdout).servers["lsp-proxy"];
    expect([npx.command, ...npx.args]).toEqual(
      expect.arrayContaining([
        "npx",
        "-y",
        `lsp-proxy@${version}`,
        "serve",
        "--shared",
        "--config",
        join(project, "lspi.toml"),
      ]),
    );
    const path = JSON.parse((await client("vscode", "--absolute")).stdout).servers["lsp-proxy"];
    expect(path).toMatchObject({ command: process.execPath, args: expect.arrayContaining([executable]) });
    const own = JSON.parse((await client("vscode", "--private")).stdout).servers["lsp-proxy"];
    expect(own.args).toEqual(path.args.filter((word: string) => word !== "--shared"));
    expect(own.args).not.toEqual(path.args);
  });

  it("names no package for npx that npm's registry does not have, or that cannot be asked", async () => {
    const had = published.splice(0, 1);
    const file = join(project, ".vscode", "mcp.json");
    const write = () => client("vscode", "--write", "--npx", "--scope", "project");
    const refused = (why: RegExp) => ({ code: 1, stdout: "", stderr: expect.stringMatching(why) });
    try {
      expect(await write()).toMatchObject(refused(/lsp-proxy@\S+, but npm's registry does not have it/));
      published.push("999.0.0");
      expect(await write()).toMatchObject(refused(/does not have it; --absolute/));
      expect(await client("vscode", "--npx")).toMatchObject(refused(/does not have it/));
      const nowhere = { npm_config_registry: "http://127.0.0.1:1/" };
      const away = await clientWith(nowhere, "vscode", "--write", "--npx", "--scope", "project");
      expect(away).toMatchObject(refused(/could not be asked \(ECONNREFUSED\)/));
      expect(existsSync(file)).toBe(false);
    } finally {
      published.splice(0, published.length, ...had);
    }
    expect(await write()).toMatchObject({ code: 0 });
    expect(read(file)).toContain("npx");
    // Started by npm, it has the settings of the project that npm was started in: they do not name the registry.
    writeFileSync(join(home, ".npmrc"), "registry=http://127.0.0.1:1/\n");
    const byNpm = await clientWith({ npm_execpath: "npm" }, "vscode", "--npx");
    expect(byNpm).toMatchObject(refused(/could not be asked \(ECONNREFUSED\)/));
    rmSync(join(home, ".npmrc"));
    // What was written is removed without a registry.
    published.splice(0, 1);
    expect(await client("vscode", "--remove", "--scope", "project")).toMatchObject({ code: 0 });
    published.push(...had);
  });

  it("names the workspace too where one is given beside the config", async () => {
    const of = async (...flags: string[]) =>
      JSON.parse((await client("vscode", ...flags)).stdout).servers["lsp-proxy"].args.slice(2);
    const config = ["--shared", "--config", join(project, "lspi.toml")];
    expect(await of()).toEqual(config);
    mkdirSync(join(folder, "other"), { recursive: true });
    expect(await of("--workspace", join(folder, "other"))).toEqual([
      ...config,
      "--workspace",
      join(folder, "other"),
    ]);
    expect(await of("--workspace", ".")).toEqual([...config, "--workspace", project]);
  });

  it("passes on what the servers need: by name, by reference, by value where that is no secret", async () => {
    useAllTools();
    expect((await client("codex")).stdout).toContain('env_vars = ["GOPATH", "MY_KEY"]');
    const moved = await clientWith({ XDG_STATE_HOME: "/state" }, "codex");
    expect(moved.stdout).toContain('env_vars = ["GOPATH", "MY_KEY", "XDG_STATE_HOME"]');
    expect((await client("gemini")).stdout).toContain('"env": { "GOPATH": "$GOPATH", "MY_KEY": "$MY_KEY" }');
    const desktop = await client("claude-desktop");
    expect(desktop.stdout).toContain('"GOPATH": "/go"');
    expect(desktop.stdout).not.toContain(SECRET);
    expect(desktop.stderr).toContain("set MY_KEY for Claude Desktop by hand");
  });

  it("says which tools a client would cut", async () => {
    useAllTools();
    const long = "a-name-of-forty-characters-for-this-serv";
    expect((await client("cursor", "--name", long)).stderr).toContain("search_workspace_symbols");
    expect((await client("cursor")).stderr).not.toContain("cuts");
  });

  it("is also found by the name of its program, and for an unknown name the known ones are listed", async () => {
    useAllTools();
    const args = ["--config", join(project, "lspi.toml")];
    const byProgram = await runHere(["client", "claude", ...args], { cwd: project, env: { HOME: home } });
    const byId = await runHere(["client", "claude-code", ...args], { cwd: project, env: { HOME: home } });
    expect(byProgram.stdout).not.toBe("");
    expect(byProgram.stdout).toBe(byId.stdout);
    const unknown = await runHere(["client", "emacs"], { cwd: project, env: { HOME: home } });
    expect(unknown.stderr).toMatch(/^lsp-proxy: no client `emacs`\. There are codex, .*\.\n/);
  });

  it("has `codex` as a short form", async () => {
    useAllTools();
    const args = ["--config", join(project, "lspi.toml")];
    const short = await runHere(["codex", ...args], { cwd: project, env: { HOME: home } });
    const long = await runHere(["client", "codex", ...args], { cwd: project, env: { HOME: home } });
    expect(short.stdout).toBe(long.stdout);
  });
});

it("no client is known by name in the program, but for the short form of one", () => {
  // A cursor is also what pages have.
  const ids = clients.map(({ id }) => id).filter((id) => id !== "codex" && id !== "cursor");
  const files = readdirSync(join(repository, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const naming = files.filter((name) => {
    const code = read(repository, "src", name).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    return ids.some((id) => code.includes(`"${id}"`));
  });
  // The formats of other programs' language servers, which `import` reads, have such names too.
  expect(naming.filter((name) => !name.startsWith(join("config", "import")))).toEqual([]);
});
