/** An entry in a client's file serves every project: no folder of a project in it, and no path of this machine where others read it. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { executable } from "../../src/cli/shipped.js";
import { readClients } from "../../src/config/catalogue/clients.js";
import { diskFiles } from "../../src/config/files.js";
import { repository } from "../live/session.js";
import { runHere } from "./terminal.js";

const clients = readClients(join(repository, "configs"), diskFiles);

let folder: string;
let home: string;
let project: string;
let bin: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-portable-")));
  [home, project, bin] = [join(folder, "home"), join(folder, "project"), join(folder, "bin")];
  for (const made of [home, project, bin]) mkdirSync(made);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command in a folder, without `lsp-proxy` on PATH unless `bin` has one. */
function act(words: string[], cwd = project) {
  const names = ["CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "COPILOT_HOME", "GOPATH"];
  const unset = Object.fromEntries([...names, "XDG_CONFIG_HOME", "XDG_STATE_HOME"].map((name) => [name, ""]));
  return runHere(words, { cwd, env: { ...unset, HOME: home, PATH: `${bin}:/usr/bin:/bin` } });
}

function putOnPath() {
  writeFileSync(join(bin, "lsp-proxy"), "#!/bin/sh\n");
  chmodSync(join(bin, "lsp-proxy"), 0o755);
}

/** The texts of all files of clients; how many tools are loaded at once is not compared. */
function filesIn(place: string): string {
  const files = readdirSync(place, { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.startsWith(".local") && statSync(join(place, name)).isFile(),
  );
  const texts = files.toSorted().map((name) => readFileSync(join(place, name), "utf8"));
  return texts.join("\n").replace(/"alwaysLoad": (true|false)/, '"alwaysLoad": ...');
}

const scopes = ["user", "project"] as const;
const cases = clients.flatMap(({ id, files, workspace }) =>
  scopes.flatMap((scope) =>
    files[0]?.[scope] === undefined ? [] : [{ id, scope, told: workspace?.[scope] ?? null }],
  ),
);

describe.each(cases)("$id, $scope", ({ id, scope, told }) => {
  const words = ["client", id, "--scope", scope];

  it.runIf(told !== null)("names no project and starts the command on PATH", async () => {
    putOnPath();
    const { code, stdout, stderr } = await act(words);
    expect(code).toBe(0);
    expect(stdout).not.toContain(folder);
    expect(stdout).not.toContain(executable);
    expect(stdout).not.toContain(process.execPath);
    expect(stdout).not.toContain("cwd");
    expect(stdout).toContain('"lsp-proxy"');
    expect(stdout.includes("--workspace")).toBe(told?.startsWith("$") === true);
    expect(stderr).not.toContain("PATH");
    const other = join(folder, "other");
    mkdirSync(other);
    expect((await act(words, other)).stdout).toBe(stdout);
    expect((await act([...words, "--workspace", project], other)).stdout).toContain(project);
  });

  it.runIf(told === null)("is for one project, and the user is told", async () => {
    putOnPath();
    const { stdout, stderr } = await act(words);
    expect(stdout).toContain(project);
    expect(stdout).toContain(executable);
    expect(stderr).toContain("this entry is for one project");
  });
});

it("without `lsp-proxy` on PATH one's own file has its path; a project's has the command, and the user is told", async () => {
  const own = await act(["client", "codex"]);
  expect(own.stdout).toContain(executable);
  expect(own.stdout).not.toContain(project);
  expect(own.stderr).not.toContain("not on PATH");
  const shared = await act(["client", "claude-code", "--scope", "project"]);
  expect(shared.stdout).not.toContain(executable);
  expect(shared.stderr).toContain("`lsp-proxy` is not on PATH");
  const absolute = await act(["client", "claude-code", "--scope", "project", "--absolute"]);
  expect(absolute.stdout).toContain(executable);
});

it("a command that npm or npx put on PATH for one run does not count", async () => {
  const temporary = join(folder, "node_modules", ".bin");
  mkdirSync(temporary, { recursive: true });
  bin = temporary;
  putOnPath();
  expect((await act(["client", "codex"])).stdout).toContain(executable);
});

it("replaces an entry that was for one project, says so, and leaves nothing of it", async () => {
  putOnPath();
  const file = join(home, ".codex", "config.toml");
  await act(["client", "codex", "--write", "--workspace", project]);
  expect(readFileSync(file, "utf8")).toContain(`cwd = "${project}"`);
  const { stderr } = await act(["client", "codex", "--write"], join(folder, "home"));
  expect(stderr).toContain(`was for ${project} and is for every project now`);
  expect(readFileSync(file, "utf8")).not.toContain(folder);
  expect(readFileSync(file, "utf8")).toContain('args = ["serve", "--shared"]');
  expect((await act(["client", "codex", "--write"])).stdout).toMatch(/^nothing to change in /);
  expect((await act(["client", "codex", "--remove"])).stdout).toMatch(/^removed /);
});

it.each(clients.filter(({ workspace }) => workspace?.user !== undefined))(
  "$id: an entry written in a project that only reads keeps the tools and the questions of one that edits",
  async ({ id }) => {
    putOnPath();
    writeFileSync(join(project, "lspi.toml"), '[allow]\neffects = ["read", "edit"]\n');
    await act(["trust", "--yes"]);
    await act(["client", id, "--write"]);
    const written = filesIn(home);
    const other = join(folder, "other");
    mkdirSync(other);
    const again = await act(["client", id, "--write"], other);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(nothing to change|changed)/) });
    expect(filesIn(home)).toBe(written);
  },
);

it("`doctor` says what an entry is for, and warns where that is another project", async () => {
  putOnPath();
  writeFileSync(join(project, "lspi.toml"), "");
  const clientsOf = async (cwd: string) => {
    const { stdout } = await act(["doctor", "--no-start", "--trust-workspace", "--json"], cwd);
    const { findings } = JSON.parse(stdout) as { findings: { area: string; state: string; text: string }[] };
    return findings.filter(({ area }) => area === "clients");
  };
  await act(["client", "codex", "--write"]);
  expect(await clientsOf(project)).toMatchObject([
    { state: "ok", text: expect.stringMatching(/, for every project$/) },
  ]);
  await act(["client", "codex", "--write", "--workspace", project]);
  expect(await clientsOf(project)).toMatchObject([
    { state: "ok", text: expect.stringContaining(`, for ${project}`) },
  ]);
  const other = join(folder, "other");
  mkdirSync(other);
  expect(await clientsOf(other)).toMatchObject([
    { state: "warning", text: expect.stringContaining(`, for ${project}, not for ${other}`) },
  ]);
});
