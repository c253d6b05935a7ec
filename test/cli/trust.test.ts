/** `trust`: everything is shown before it is asked, and asked before it is recorded. */
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
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
      `${join(folder, "w")}\n  language servers in its node_modules/.bin may be started\n`,
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
