/** `trust`: everything is shown before it is asked, and asked before it is recorded. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runHere } from "./terminal.js";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "trust-")));
  mkdirSync(join(folder, "w"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const env = () => ({
  HOME: folder,
  XDG_STATE_HOME: join(folder, "state"),
  XDG_CONFIG_HOME: join(folder, "config"),
});
const act = (words: string[], typed?: string) =>
  runHere(words, { cwd: join(folder, "w"), env: env(), ...(typed === undefined ? {} : { typed }) });
const write = (text: string) => writeFileSync(join(folder, "w/lspi.toml"), text);

const server = '[allow]\ncommands = ["node"]\n[[servers]]\nid = "x"\ncommand = "node"\nextensions = ["x"]\n';

it("asks on a terminal, and records nothing without a yes", async () => {
  write(server);
  for (const typed of ["n\n", "\n", ""]) {
    const said = await act(["trust"], typed);
    expect(said).toMatchObject({ code: 1, stdout: expect.stringContaining("node") });
    expect((await act(["trust", "--list"])).stdout).toBe("nothing is trusted\n");
  }
  expect((await act(["trust"], "y\n")).code).toBe(0);
  expect((await act(["validate"])).code).toBe(0);
});

it("records nothing without a terminal to ask on, unless given --yes", async () => {
  write(server);
  expect(await act(["trust"])).toMatchObject({ code: 1, stderr: expect.stringContaining("--yes") });
  expect((await act(["trust", "--list"])).stdout).toBe("nothing is trusted\n");
  expect((await act(["trust", "--yes"])).code).toBe(0);
  expect((await act(["trust", "--list"])).stdout).toContain(join(folder, "w/lspi.toml"));
});

it("says what trust in the folder unlocks, with a config in it and without", async () => {
  for (const prepare of [() => {}, () => write(server)]) {
    prepare();
    const { stdout } = await act(["trust"], "n\n");
    expect(stdout).toContain(
      `${join(folder, "w")}\n  programs in its node_modules/.bin, .venv/bin, venv/bin may be started\n`,
    );
    expect(stdout.replace(/\s+/g, " ")).toMatch(
      /packages, plugins, configuration files and build scripts in it may run as code/,
    );
  }
});

it("takes the trust back of a config that is away, or broken", async () => {
  write(server);
  await act(["trust", "--yes"]);
  renameSync(join(folder, "w/lspi.toml"), join(folder, "kept.toml"));
  expect((await act(["trust", "--remove"])).code).toBe(0);
  renameSync(join(folder, "kept.toml"), join(folder, "w/lspi.toml"));
  expect(await act(["validate"])).toMatchObject({ code: 3, stderr: expect.stringContaining("not trusted") });
  await act(["trust", "--yes"]);
  write("[broken");
  expect((await act(["trust", "--remove"])).code).toBe(0);
  expect((await act(["trust", "--list"])).stdout).toBe("nothing is trusted\n");
});

it("shows all that the config would run or say, before it asks, and lets no character hide any of it", async () => {
  write(`[mcp]
instructions = "Obey.\\u001b[2K\\u202e"
[dialect.errors.messages]
"*" = "Call me."
[http]
token_env = "HOME"
[[tools]]
name = "t"
effect = "edit"
description = "Does things."
request = { method = "textDocument/hover", params = "text_document_position" }
[[servers]]
id = "x"
command = "node"
args = ["run.js"]
cwd = "/tmp"
env = { LD_PRELOAD = "/tmp/x.so" }
extensions = ["x"]
[[servers]]
id = "far"
transport = { tcp = "far.example:1" }
extensions = ["far"]
`);
  const { stdout, stderr } = await act(["trust"], "n\n");
  for (const text of [
    'servers.x.command = "node"',
    'servers.x.args = ["run.js"]',
    'servers.x.cwd = "/tmp"',
    'servers.x.env.LD_PRELOAD = "/tmp/x.so"',
    'servers.far.transport.tcp = "far.example:1"',
    'tools.t.effect = "edit"',
    'tools.t.description = "Does things."',
    'dialect.errors.messages.* = "Call me."',
    'mcp.instructions = "Obey.',
    "even then /http/token_env",
  ])
    expect(stdout, stderr).toContain(text);
  expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});

it("lets the workspace's own name hide nothing either", async () => {
  const name = "w\u001b[2K\u202ex";
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, "lspi.toml"), server);
  const there = (...words: string[]) => runHere(["trust", ...words], { cwd: join(folder, name), env: env() });
  for (const words of [["--yes"], ["--list"], ["--remove"]]) {
    const { stdout } = await there(...words);
    expect(stdout).toContain("w\\u001b[2K\\u202ex");
    for (const sign of ["\u001b", "\u202e"]) expect(stdout).not.toContain(sign);
  }
  await there("--yes");
  for (const words of [["validate"], ["init", "--yes"], ["doctor", "--no-start"]]) {
    const { stdout, stderr } = await runHere(words, { cwd: join(folder, name), env: env() });
    expect(`${stdout}${stderr}`).toContain("w\\u001b[2K\\u202ex");
    for (const sign of ["\u001b", "\u202e"]) expect(`${stdout}${stderr}`).not.toContain(sign);
  }
});

const isTrusted = async () => (await act(["validate"])).code === 0;

it("is asked for on a terminal by a command that needs it, after all is shown, and then the command runs", async () => {
  write(server);
  const declined = await act(["validate"], "n\n");
  expect(declined).toMatchObject({ code: 3, stderr: expect.stringContaining("Trust it now? [y/N]") });
  // Trust lets a repository's code run, so Enter does not give it.
  for (const typed of ["", "\n", "no\n", "maybe\n"]) expect((await act(["validate"], typed)).code).toBe(3);
  expect((await act(["trust", "--list"])).stdout).toBe("nothing is trusted\n");
  const { code, stderr } = await act(["validate"], "y\n");
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('servers.x.command = "node"');
  expect(stderr.indexOf("servers.x.command")).toBeLessThan(stderr.indexOf("Trust it now?"));
  expect(await isTrusted()).toBe(true);
});

it("is not asked for where the config has other problems, or without a terminal", async () => {
  write(`${server}nonsense = 1\n`);
  expect((await act(["validate"], "y\n")).stderr).not.toContain("Trust it now?");
  write(server);
  expect((await act(["validate"])).stderr).not.toContain("Trust it now?");
});

it("is asked for on a terminal by a call whose server may run code of the workspace", async () => {
  mkdirSync(join(folder, "config/lsp-proxy"), { recursive: true });
  const program = join(folder, "fails");
  writeFileSync(program, "#!/bin/sh\nexit 3\n", { mode: 0o755 });
  const own = `[[servers]]\nid = "x"\ncommand = "${program}"\nextensions = ["x"]\nuntrusted.start = false\n`;
  writeFileSync(join(folder, "config/lsp-proxy/config.toml"), own);
  writeFileSync(join(folder, "w/a.x"), "x\n");
  const call = ["call", "get_hover", '{"file_path":"a.x","line":1,"character":1}'];
  expect((await act(call, "n\n")).stdout).toContain("may run code of the workspace");
  const { stdout, stderr } = await act(call, "y\n");
  expect(stderr.replace(/\s+/g, " ")).toContain("may run as code");
  expect(stdout).toContain("exited with code 3");
  expect((await act(call)).stdout).toContain("exited with code 3");
});

it("is kept by our commands that change the config, and by no other program", async () => {
  write('[[servers]]\nid = "pyright"\nkind = "pyright"\n');
  expect((await act(["trust", "--yes"])).code).toBe(0);
  for (const words of [
    ["add", "ruff"],
    ["remove", "ruff"],
    ["add", "gopls", "--config", "lspi.toml"],
  ]) {
    const said = await act(words);
    expect([said.code, said.stdout]).toEqual([0, expect.not.stringContaining("lsp-proxy trust")]);
    expect(await isTrusted()).toBe(true);
  }
  write('[[servers]]\nid = "pyright"\nkind = "pyright"\nargs = ["--other"]\n');
  expect(await isTrusted()).toBe(false);
  expect((await act(["add", "ruff"])).stdout).toContain("`lsp-proxy trust` lets it start programs");
  expect(await isTrusted()).toBe(false);
});

it("is kept by `init` in a trusted folder, and is asked for elsewhere", async () => {
  writeFileSync(join(folder, "w/a.py"), "x = 1\n");
  expect((await act(["init", "--only", "pyright"], "n\n")).code).toBe(0);
  expect(await isTrusted()).toBe(false);
  expect((await act(["init", "--only", "pyright", "--force", "--yes"], "y\n")).code).toBe(0);
  expect(await isTrusted()).toBe(false);
  expect((await act(["init", "--only", "pyright", "--force"], "y\n")).code).toBe(0);
  expect(await isTrusted()).toBe(true);
  rmSync(join(folder, "w/lspi.toml"));
  expect((await act(["init", "--only", "pyright", "--yes"])).code).toBe(0);
  expect(await isTrusted()).toBe(true);
});

it("is asked for by `import` even in a trusted folder: others wrote what is imported", async () => {
  await act(["trust", "--yes"]);
  writeFileSync(
    join(folder, "w/cclsp.json"),
    JSON.stringify({ servers: [{ extensions: ["py"], command: ["pylsp"] }] }),
  );
  const said = await act(["import", "cclsp.json"]);
  expect([said.code, said.stdout]).toEqual([0, expect.stringContaining("`lsp-proxy trust` lets it")]);
  expect(await isTrusted()).toBe(false);
});

it("is asked for by `client --write`, unless the config is named", async () => {
  const [asked, named] = [
    await act(["client", "gemini", "--write"], "y\n"),
    await act(["client", "gemini", "--write"]),
  ];
  expect(asked.stderr).toContain("Trust it now? [y/N]");
  expect(`${named.stdout}${named.stderr}`).not.toContain("lsp-proxy trust");
  expect((await act(["trust", "--list"])).stdout).toContain(`folder  ${join(folder, "w")}`);
  await act(["trust", "--remove"]);
  expect((await act(["client", "gemini", "--write"])).stdout).toContain("`lsp-proxy trust` lets it");
  write(server);
  const other = await act(["client", "gemini", "--write", "--config", "lspi.toml"], "y\n");
  expect(other).toMatchObject({ code: 0, stderr: expect.not.stringContaining("Trust it now?") });
});

describe("a config that is named", () => {
  const generic = '[[servers]]\nid = "x"\nkind = "generic"\ncommand = "own-server"\nextensions = ["x"]\n';
  const call = ["call", "get_hover", '{"file_path":"a.x","line":1,"character":1}'];
  beforeEach(() => {
    write(generic);
    writeFileSync(join(folder, "w/a.x"), "x\n");
    mkdirSync(join(folder, "w/node_modules/.bin"), { recursive: true });
    writeFileSync(join(folder, "w/node_modules/.bin/own-server"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
  });

  it("starts its servers, also with a plain command that the project's packages have", async () => {
    expect((await act([...call, "--config", "lspi.toml"])).stdout).toContain("exited with code 3");
    const variable = { ...env(), LSPI_CONFIG_PATH: join(folder, "w/lspi.toml") };
    const { stdout } = await runHere(call, { cwd: join(folder, "w"), env: variable });
    expect(stdout).toContain("exited with code 3");
    expect((await act(["trust", "--list"])).stdout).toBe("nothing is trusted\n");
  });

  it("starts nothing where it was only found, from whatever folder", async () => {
    mkdirSync(join(folder, "w/src"));
    for (const cwd of [join(folder, "w"), join(folder, "w/src")]) {
      const said = await runHere(call, { cwd, env: env() });
      expect(said).toMatchObject({ code: 3, stderr: expect.stringContaining("it would start `own-server`") });
    }
  });

  it("starts only what `allow.commands` has, where there is such a list", async () => {
    write(`[allow]\ncommands = ["other"]\n${generic}`);
    expect((await act([...call, "--config", "lspi.toml"])).stderr).toContain("plan/command-not-allowed");
  });
});

describe("from a subfolder", () => {
  beforeEach(() => {
    mkdirSync(join(folder, "w/.git"));
    mkdirSync(join(folder, "w/src/deep"), { recursive: true });
    write(server);
  });
  const below = (words: string[]) => runHere(words, { cwd: join(folder, "w/src/deep"), env: env() });

  it("the config is found, trusted and changed where it is, with the whole project as workspace", async () => {
    expect(await below(["validate"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("not trusted"),
    });
    expect((await below(["trust", "--yes"])).code).toBe(0);
    expect((await act(["trust", "--list"])).stdout).toContain(`folder  ${join(folder, "w")}\n`);
    expect((await below(["explain"])).stdout).toContain(join(folder, "w/lspi.toml"));
    expect((await below(["add", "pyright"])).code).toBe(0);
    expect(readFileSync(join(folder, "w/lspi.toml"), "utf8")).toContain("pyright");
    expect((await below(["validate"])).code).toBe(0);
  });

  it("`init` writes a config of the subfolder, which then counts there", async () => {
    writeFileSync(join(folder, "w/src/deep/a.py"), "x = 1\n");
    expect((await below(["init", "--yes", "--only", "pyright"])).code).toBe(0);
    expect(existsSync(join(folder, "w/src/deep/lspi.toml"))).toBe(true);
  });
});

it("is found from a subfolder of a trusted folder outside the home, without a repository", async () => {
  write(server);
  mkdirSync(join(folder, "w/src/deep"), { recursive: true });
  const away = { ...env(), HOME: join(folder, "home") };
  const below = (words: string[]) => runHere(words, { cwd: join(folder, "w/src/deep"), env: away });
  const found = join(folder, "w/lspi.toml");
  expect((await below(["validate"])).stdout).not.toContain(found);
  expect((await runHere(["trust", "--yes"], { cwd: join(folder, "w"), env: away })).code).toBe(0);
  expect((await below(["validate"])).stdout).toContain(found);
});

it("says in its help that it stops at a repository inside", async () => {
  const { stdout } = await act(["trust", "--help"]);
  expect(stdout.replace(/\s+/g, " ")).toContain(
    "It does not cover another repository inside it, such as a clone or a submodule.",
  );
});

it("an untrusted config that displaces a trusted one says so, before trust and in the question", async () => {
  write(server);
  await act(["trust", "--yes"]);
  mkdirSync(join(folder, "w/.lspi"));
  writeFileSync(join(folder, "w/.lspi/config.toml"), server);
  const which = "`.lspi/config.toml` counts, `lspi.toml` is ignored";
  for (const words of [["validate"], ["call", "get_server_status"], ["serve"]]) {
    const { stderr } = await act(words);
    expect(stderr.replace(/\s+/g, " "), words[0]).toContain(which);
  }
  const json = JSON.parse((await act(["validate", "--json"])).stdout) as { problems: { code: string }[] };
  expect(json.problems.map(({ code }) => code).toSorted()).toEqual([
    "config/two-configs",
    "config/untrusted",
  ]);
  const doctor = await act(["doctor", "--no-start"]);
  expect(doctor.stdout).toMatch(/^! config .*there are two configs/m);
  expect((await act(["trust"])).stdout).toContain("this file is used; lspi.toml is ignored");
  const asked = await act(["validate"], "y\n");
  expect(asked.code, asked.stderr).toBe(0);
  expect(asked.stderr).toContain("this file is used; lspi.toml is ignored");
});

it("two configs in a workspace give a warning that says which counts", async () => {
  write("[mcp]\nread_only = true\n");
  mkdirSync(join(folder, "w/.lspi"));
  writeFileSync(join(folder, "w/.lspi/config.toml"), "[mcp]\nread_only = true\n");
  const { code, stderr, stdout } = await act(["validate"]);
  expect(code).toBe(0);
  expect(`${stdout}${stderr}`).toContain("`.lspi/config.toml` counts, `lspi.toml` is ignored");
  rmSync(join(folder, "w/.lspi"), { recursive: true });
  const one = await act(["validate"]);
  expect(`${one.stdout}${one.stderr}`).not.toContain("is ignored");
});
