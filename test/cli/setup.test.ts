/** `setup`: from an empty home to a real answer of each language's server, in one command that can be run again. */
import {
  chmodSync,
  existsSync,
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
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { binaries, program, repository } from "../live/session.js";
import { noTerminal, onTerminal } from "./pty.js";
import { run } from "./run.js";
import { runHere } from "./terminal.js";

let top: string;
const at = (...names: string[]) => join(top, ...names);
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-setup-")));
  for (const name of ["home", "bin", "ws", "run"]) mkdirSync(at(name));
  symlinkSync(process.execPath, at("bin", "node"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function write(name: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  chmodSync(at(name), mode);
}
const read = (...names: string[]) => readFileSync(at(...names), "utf8");

/** An empty home; PATH has what a test puts into `bin`, and `more`. */
function env(more = ""): { [name: string]: string } {
  const unset = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"];
  return {
    ...Object.fromEntries([...unset, "GEMINI_CLI_HOME", "COPILOT_HOME"].map((name) => [name, ""])),
    HOME: at("home"),
    XDG_RUNTIME_DIR: at("run"),
    PATH: `${at("bin")}:${more}/usr/bin:/bin`,
  };
}
const setup = (args: string[], typed?: string) =>
  runHere(["setup", ...args], { cwd: at("ws"), env: env(), ...(typed === undefined ? {} : { typed }) });

/** Puts a real server of this repository on PATH. */
function serve(name: string): void {
  write(
    `bin/${name}`,
    `#!/bin/sh\nexec "${process.execPath}" "${realpathSync(join(binaries, name))}" "$@"\n`,
    0o755,
  );
}

/** Every file below a folder, with its text. */
function tree(of: string): { [file: string]: string } {
  const names = readdirSync(at(of), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(at(of, name)).isFile() && !name.includes("changes"));
  return Object.fromEntries(files.map((name) => [name, read(of, name)]));
}

describe("the built program in an empty home", () => {
  const there = (cwd: string) => ({ cwd: at(cwd), env: env(`${binaries}:`) });

  it("proves each language, writes one entry for all projects, and does nothing twice", async () => {
    mkdirSync(at("home/.codex"));
    write("bin/lsp-proxy", `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, 0o755);
    // The first file has only exports of others: the server is proved with one that has symbols.
    write("ws/index.ts", 'export * from "./src/a";\n');
    write("ws/src/a.ts", "export function hello(name: string): string {\n  return name;\n}\n");
    write("ws/tsconfig.json", '{ "compilerOptions": { "strict": true } }\n');
    write("ws/b.py", "def greet(name):\n    return name\n");
    const before = tree("ws");
    const first = await run(["setup", "--yes"], there("ws"));
    expect(first.stdout).toMatch(/^✓ languages .*python 1/m);
    expect(first.stdout).toMatch(/^✓ trust /m);
    expect(first.stdout).toMatch(/^✓ install +already installed: .*pyright/m);
    expect(first.stdout).toMatch(/^✓ client +Codex: wrote .*config\.toml$/m);
    expect(first.stdout).toMatch(/^✓ answer +pyright: 1 symbol in b\.py/m);
    expect(first.stdout).toMatch(/^✓ answer +typescript: 1 symbol in src\/a\.ts/m);
    expect(first.stdout).toMatch(/^ready; each step alone: .*`lsp-proxy client NAME --write`/m);
    expect(first.code).toBe(0);
    expect(tree("ws")).toEqual(before);
    expect(read("home/.codex/config.toml")).not.toContain(at("ws"));

    const home = tree("home");
    const second = await runHere(["setup", "--yes", "--only", "python"], there("ws"));
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(/^✓ client +already set up: Codex$/m);
    expect(tree("home")).toEqual(home);

    // The entry serves another project, started there as a client would.
    write("other/c.py", "def other_one():\n    return 1\n");
    expect((await runHere(["trust", "--yes"], there("other"))).code).toBe(0);
    const [, command = ""] = /^command = "(.*)"$/m.exec(read("home/.codex/config.toml")) ?? [];
    expect(read("home/.codex/config.toml")).toContain('args = ["serve", "--shared"]');
    const client = new Client({ name: "setup", version: "0" });
    const started = { command, args: ["serve", "--shared"], cwd: at("other"), env: env(`${binaries}:`) };
    await client.connect(new StdioClientTransport({ ...started, stderr: "ignore" }));
    const answer = await client.callTool({ name: "get_document_symbols", arguments: { file_path: "c.py" } });
    await client.close();
    expect((await runHere(["hub", "stop"], there("other"))).stderr).toContain("was stopped");
    expect(JSON.stringify(answer)).toContain("other_one");
  }, 180_000);
});

describe("a server that is missing", () => {
  /** An npm whose registry is this repository: what it installs is the real server. */
  function npm(): void {
    const server = join(repository, "node_modules/bash-language-server");
    write(
      "bin/npm",
      `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path"), args = process.argv.slice(2);
if (args[0] === "view") process.exit(1);
const modules = path.join(args[args.indexOf("--prefix") + 1], "node_modules");
fs.mkdirSync(path.join(modules, ".bin"), { recursive: true });
fs.symlinkSync(${JSON.stringify(server)}, path.join(modules, "bash-language-server"));
fs.writeFileSync(path.join(modules, ".bin/bash-language-server"), "#!/bin/sh\\nexec \\"${process.execPath}\\" \\"${join(server, "out/cli.js")}\\" \\"$@\\"\\n", { mode: 0o755 });
`,
      0o755,
    );
  }
  beforeEach(() => write("ws/a.sh", "greet() {\n  echo hello\n}\n"));

  it("is installed, outside the project, and answers", async () => {
    npm();
    const { code, stdout } = await setup(["--yes"]);
    expect(stdout).toMatch(/^✓ install +bash-language-server is installed$/m);
    expect(stdout).toMatch(
      /^✓ answer +bash-language-server: 1 symbol in a\.sh \(\d+ ms\); has not reported whether it has indexed/m,
    );
    expect(code).toBe(0);
    expect(readdirSync(at("ws"))).toEqual(["a.sh"]);
    expect((await setup(["--yes"])).stdout).toMatch(/^✓ install +already installed: bash-language-server$/m);
  }, 120_000);

  it("and cannot be installed is reported with the command; the others answer, and the exit code says no", async () => {
    write("bin/npm", "#!/bin/sh\necho no network >&2\nexit 1\n", 0o755);
    write("ws/b.css", ".greet {\n}\n");
    serve("vscode-css-language-server");
    const { code, stdout } = await setup(["--yes"]);
    expect(stdout).toMatch(
      /^✗ install +bash-language-server is not installed\n +→ `lsp-proxy install bash-language-server`$/m,
    );
    expect(stdout).toMatch(/^✓ answer +vscode-css-language-server: 1 symbol/m);
    expect(stdout).toContain("not ready");
    expect(code).toBe(1);
    expect((await setup(["--yes", "--only", "css"])).code).toBe(0);
  }, 120_000);

  it("is not installed unasked where there is no terminal to ask on", async () => {
    npm();
    await runHere(["trust", "--yes"], { cwd: at("ws"), env: env() });
    const { code, stdout } = await setup([]);
    expect(stdout).toMatch(/^✗ install +bash-language-server is not installed.*\n.*run with --yes/m);
    expect(code).toBe(1);
    expect(existsSync(at("home/.local/share/lsp-proxy/servers/bash-language-server"))).toBe(false);
  });

  it("is not installed against the user's will", async () => {
    npm();
    await runHere(["trust", "--yes"], { cwd: at("ws"), env: env() });
    const { code, stdout, stderr } = await setup([], "n\n");
    expect(stderr).toContain("Install bash-language-server? [Y/n]");
    expect(stdout).toMatch(/^✗ install +bash-language-server is not installed$/m);
    expect(code).toBe(1);
    expect(existsSync(at("home/.local/share/lsp-proxy/servers/bash-language-server"))).toBe(false);
  });
});

it("a server that is there and does not answer is a problem", async () => {
  write("ws/main.go", "package main\n");
  write("bin/gopls", "#!/bin/sh\nexit 1\n", 0o755);
  const { code, stdout } = await setup(["--yes"]);
  expect(stdout).toMatch(/^✓ install +already installed: gopls$/m);
  expect(stdout).toMatch(/^✗ answer +gopls: /m);
  expect(code).toBe(1);
}, 60_000);

it("for a server that lacks only trust, the refusal names trust and not the list of programs", async () => {
  write("ws/src/main.rs", "fn main() {}\n");
  write("ws/Cargo.toml", '[package]\nname = "a"\n');
  write("bin/rust-analyzer", "#!/bin/sh\necho rust-analyzer 1.0.0\n", 0o755);
  // A program in the workspace counts only where that is trusted.
  write("ws/a.sh", "greet() {\n  echo hello\n}\n");
  write("ws/node_modules/.bin/bash-language-server", "#!/bin/sh\nexit 1\n", 0o755);
  for (const command of ["setup", "doctor"]) {
    const { stdout } = await runHere([command], { cwd: at("ws"), env: env() });
    expect(stdout).toMatch(
      /rust-analyzer: .* is not trusted .*\n +→ `lsp-proxy trust` trusts the workspace\. Or confine it/,
    );
    expect(stdout).toMatch(
      /bash-language-server: .* is not trusted\n +→ `lsp-proxy trust` trusts the workspace$/m,
    );
    expect(stdout).not.toContain("allow.commands");
    if (command === "setup") {
      expect(stdout).toMatch(/^✓ install +already installed: rust-analyzer$/m);
      expect(stdout).toMatch(
        /^· install +only in the workspace, which is not trusted: bash-language-server$/m,
      );
    }
  }
  const status = await runHere(["status"], { cwd: at("ws"), env: env() });
  expect(status.stdout).toMatch(
    /rust-analyzer: unavailable\n(?: .*\n)* +last_error: .* is not trusted: run `lsp-proxy trust`$/m,
  );
  expect(status.stdout).toMatch(
    /bash-language-server: unavailable\n(?: .*\n)* +last_error: .*run `lsp-proxy trust`$/m,
  );
  expect(status.stdout).not.toContain("lsp-proxy install");
}, 60_000);

describe.skipIf(noTerminal)("Ctrl-C at a question", () => {
  const at80 = () => ({ columns: 80, cwd: at("ws"), env: env() });
  const STOPPED = "lsp-proxy: stopped. What is done is kept; `lsp-proxy setup` goes on from there\n";
  beforeEach(() => write("ws/a.sh", "greet() {\n  echo hello\n}\n"));

  it("ends the whole command, and keeps what was done", async () => {
    write("bin/npm", "#!/bin/sh\nexit 1\n", 0o755);
    const { code, text } = await onTerminal(["setup"], {
      ...at80(),
      meanwhile: [
        [/Trust it now\?/, (type) => type("y\r")],
        [/Install bash-language-server\?/, (type) => type("\u0003")],
      ],
    });
    expect(text.endsWith(STOPPED), text).toBe(true);
    expect(text).not.toContain("is not installed");
    expect(code).toBe(130);
    expect((await runHere(["trust", "--list"], { env: env() })).stdout).toBe(`folder  ${at("ws")}\n`);
  }, 120_000);

  it("is not a no, as the end of the input is", async () => {
    const question = /Trust it now\?/;
    const ended = await onTerminal(["setup"], {
      ...at80(),
      meanwhile: [
        [question, (type) => type("\u0004")],
        [/Install bash-language-server\?/, (type) => type("\u0004")],
      ],
    });
    expect(ended.text).toContain("! trust");
    expect(ended.code).toBe(1);
    const stopped = await onTerminal(["setup"], {
      ...at80(),
      meanwhile: [[question, (type) => type("\u0003")]],
    });
    expect(stopped.text).not.toContain("! trust");
    expect(stopped.text.endsWith(STOPPED), stopped.text).toBe(true);
    expect(stopped.code).toBe(130);
  }, 120_000);
});

it("a folder without a language is reported", async () => {
  const { code, stdout } = await setup(["--yes"]);
  expect(stdout).toMatch(/^✗ languages /m);
  expect(code).toBe(1);
  // There is nothing to trust yet.
  expect(stdout).not.toContain("is trusted");
  expect((await runHere(["trust", "--list"], { env: env() })).stdout).toBe("nothing is trusted\n");
});

describe("trust", () => {
  const config = '[allow]\ncommands = ["pyright-langserver"]\n[[servers]]\nid = "py"\nkind = "pyright"\n';
  beforeEach(() => {
    serve("pyright-langserver");
    write("ws/b.py", "def greet():\n    return 1\n");
  });

  it("is asked for, and without it a config that was found starts nothing", async () => {
    write("ws/lspi.toml", config);
    // Enter does not give trust.
    const refused = await setup([], "\n");
    expect(refused.stderr).toContain("Trust it now? [y/N]");
    expect(refused.stdout.replaceAll(/\s+/g, " ")).toMatch(
      /! trust .* is not trusted: what its lspi\.toml starts or allows is not used → `lsp-proxy trust` trusts it; then run `lsp-proxy setup` again\./,
    );
    expect(refused.stdout).not.toContain("✓ answer");
    expect(refused.code).toBe(1);
    expect(await setup([])).toMatchObject({ code: 1, stdout: expect.stringContaining("is not trusted") });
  });

  it("that is refused is told with the servers that it keeps from starting, and setup goes on", async () => {
    write("ws/src/main.rs", "fn main() {}\n");
    write("bin/rust-analyzer", "#!/bin/sh\necho rust-analyzer 1.0.0\n", 0o755);
    const { stdout } = await setup([], "no\n");
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /! trust .* is not trusted: rust-analyzer may run its code, and will not start → `lsp-proxy trust` trusts it;/,
    );
    expect(stdout).toMatch(/^✓ answer +pyright: 1 symbol in b\.py/m);
    expect(stdout).toMatch(/^✗ answer +rust-analyzer: /m);
  }, 60_000);

  it("with a config its servers are the ones that are proved", async () => {
    write("ws/lspi.toml", config);
    write("ws/a.sh", "greet() {\n  echo hello\n}\n");
    const { code, stdout } = await setup(["--yes"]);
    expect(stdout).toMatch(/^✓ answer +py: 1 symbol in b\.py/m);
    expect(stdout).toMatch(/^· answer +the config has no server for 1 file of shellscript\n.*lsp-proxy add/m);
    expect(code).toBe(0);
    expect(read("ws/lspi.toml")).toBe(config);
  }, 60_000);
});

describe("clients", () => {
  beforeEach(async () => {
    serve("vscode-css-language-server");
    write("ws/a.css", ".greet {\n}\n");
    for (const name of [".codex", ".gemini"]) mkdirSync(at("home", name));
    await runHere(["trust", "--yes"], { cwd: at("ws"), env: env() });
  });
  const written = () =>
    [".codex/config.toml", ".gemini/settings.json", ".cursor/mcp.json"].filter((name) =>
      existsSync(at("home", name)),
    );

  it("are asked for on a terminal, and not written by a script that does not say which of several", async () => {
    const script = await setup(["--yes"]);
    expect(script.stdout).toMatch(/^· client +no client was set up\n +→ .*lsp-proxy client/m);
    expect(script.code).toBe(0);
    expect(written()).toEqual([]);
    expect((await setup([])).stdout).toContain("no client was set up");
    expect(written()).toEqual([]);
    const asked = await setup([], "7\n2\n");
    expect(asked.stderr).toContain("1  Codex\n2  Gemini CLI\n");
    expect(asked.stderr).toContain("`7` is not a number from 1 to 2");
    expect(written()).toEqual([".gemini/settings.json"]);
    await setup([], "\n");
    expect(written()).toEqual([".codex/config.toml", ".gemini/settings.json"]);
  }, 120_000);

  it("are those that the command line names, installed or not", async () => {
    expect((await setup(["--yes", "--client", "codex", "--client", "cursor"])).code).toBe(0);
    expect(written()).toEqual([".codex/config.toml", ".cursor/mcp.json"]);
    expect(await setup(["--client", "codx"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("codex"),
    });
  }, 60_000);

  it("are not offered for a file that only `client` has made", async () => {
    rmSync(at("home/.gemini"), { recursive: true });
    const client = (...words: string[]) => runHere(["client", ...words], { cwd: at("ws"), env: env() });
    for (const name of ["cursor", "claude-code"]) expect((await client(name, "--write")).code).toBe(0);
    const offered = async () => (await setup([], "none\n")).stderr.match(/^\d {2}.*$/gm);
    expect(await offered()).toEqual(["1  Codex"]);
    expect((await client()).stdout).toMatch(/^cursor +Cursor {2,}\S*\.cursor\/mcp\.json$/m);
    // What the client itself writes beside it, or into the same file, shows that it is there.
    write("home/.cursor/extensions/x.json", "{}");
    write("home/.claude.json", JSON.stringify({ ...JSON.parse(read("home/.claude.json")), numStartups: 1 }));
    expect(await offered()).toEqual(["1  Codex", "2  Claude Code", "3  Cursor"]);
  }, 120_000);

  it("whose file is broken are a problem, and the file stays", async () => {
    write("home/.gemini/settings.json", "{ oops");
    const { code, stdout } = await setup(["--yes", "--client", "gemini", "--client", "codex"]);
    expect(stdout).toMatch(/^✗ client +Gemini CLI: /m);
    expect(stdout).toMatch(/^✓ client +Codex: wrote /m);
    expect(code).toBe(1);
    expect(read("home/.gemini/settings.json")).toBe("{ oops");
  }, 60_000);

  it("serve every project, also when another folder was named", async () => {
    const args = ["setup", "--yes", "--client", "codex", "--workspace", at("ws")];
    expect((await runHere(args, { cwd: at("home"), env: env() })).code).toBe(0);
    expect(read("home/.codex/config.toml")).not.toContain(at("ws"));
  }, 60_000);
});
