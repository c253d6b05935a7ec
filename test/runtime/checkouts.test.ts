/** Real git under a running session: another branch with a thousand changed files, a worktree, projects in projects. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import type { Scenario } from "../fake-server/index.js";
import { openWorkshop, type Workshop, type WorkshopOptions } from "./workshop.js";

const workshops: Workshop[] = [];
afterEach(async () => {
  for (const workshop of workshops.splice(0)) await workshop.close();
});

async function open(options: WorkshopOptions): Promise<Workshop> {
  const workshop = await openWorkshop(options);
  workshops.push(workshop);
  return workshop;
}

function git(folder: string, ...args: string[]): void {
  const who = ["-c", "user.name=test", "-c", "user.email=test@example.test", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
}

const scenario: Scenario = {
  capabilities: { hoverProvider: true, workspaceSymbolProvider: true },
  replies: { "textDocument/hover": { contents: { $text: true } }, "workspace/symbol": [] },
};
const count = 1_000;
const name = (index: number) => `src/d${index % 20}/f${index}.fake`;

function fill(folder: string, text: (index: number) => string): void {
  for (let index = 0; index < count; index++) {
    const path = join(folder, name(index));
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text(index));
  }
}

async function hover({ call }: Workshop, file: string): Promise<unknown> {
  const { structured } = await call("get_hover", { file_path: file, line: 1, character: 1 });
  return structured.contents ?? structured.error;
}

it("absorbs a checkout of another branch with 1 000 changed files", { timeout: 120_000 }, async () => {
  const workshop = await open({ servers: { fake: { scenario } } });
  const { folder, received } = workshop;
  git(folder, "init", "-q", "-b", "one");
  fill(folder, (index) => `one ${index}\n`);
  writeFileSync(join(folder, "gone.fake"), "only in one\n");
  git(folder, "add", ".");
  git(folder, "commit", "-q", "-m", "one");
  git(folder, "checkout", "-q", "-b", "two");
  git(folder, "rm", "-q", "gone.fake");
  fill(folder, (index) => `two ${index}\n`);
  git(folder, "commit", "-q", "-a", "-m", "two");
  git(folder, "checkout", "-q", "one");
  for (const index of [0, 1, 2]) expect(await hover(workshop, name(index))).toEqual([`one ${index}\n`]);
  expect(await hover(workshop, "gone.fake")).toEqual(["only in one\n"]);

  git(folder, "checkout", "-q", "two");
  // A document that is open, then one that is not, then one that is gone.
  expect(await hover(workshop, name(1))).toEqual(["two 1\n"]);
  expect(await hover(workshop, name(999))).toEqual(["two 999\n"]);
  expect(await hover(workshop, "gone.fake")).toMatchObject({ code: "guard/not-a-file" });
  const told = (await received("workspace/didChangeWatchedFiles")) as {
    changes: { uri: string; type: number }[];
  }[];
  const changes = new Map(told.flatMap((params) => params.changes.map(({ uri, type }) => [uri, type])));
  expect([...changes].filter(([uri, type]) => uri.includes("/src/") && type === 2)).toHaveLength(count);
  expect(changes.get(workshop.uri("gone.fake"))).toBe(3);
  // Every document that was open has the new text, not only the one that was asked about.
  const changed = await received("textDocument/didChange");
  expect(JSON.stringify(changed)).toContain("two 2");
});

it("serves a git worktree beside its repository, each with its own root and text", async () => {
  const workshop = await open({
    files: { "main/Project.toml": "", "main/a.fake": "main\n" },
    servers: { fake: { scenario, config: { root_markers: ["Project.toml"] } } },
  });
  const { folder, runtime } = workshop;
  const main = join(folder, "main");
  git(main, "init", "-q", "-b", "main");
  git(main, "add", ".");
  git(main, "commit", "-q", "-m", "main");
  expect(await hover(workshop, "main/a.fake")).toEqual(["main\n"]);
  git(main, "worktree", "add", "-q", "-b", "side", "../side");
  writeFileSync(join(folder, "side/a.fake"), "side\n");
  expect(await hover(workshop, "side/a.fake")).toEqual(["side\n"]);
  expect(await hover(workshop, "main/a.fake")).toEqual(["main\n"]);
  expect(runtime.pool.status().map(({ root }) => root)).toEqual([main, join(folder, "side")]);
  git(main, "worktree", "remove", "--force", "../side");
  expect(await hover(workshop, "side/a.fake")).toMatchObject({ code: "guard/not-a-file" });
  expect(await hover(workshop, "main/a.fake")).toEqual(["main\n"]);
});

const monorepo = {
  "Project.toml": "",
  "packages/a/Project.toml": "",
  "packages/a/x.fake": "",
  "packages/a/inner/Project.toml": "",
  "packages/a/inner/y.fake": "",
  "packages/b/z.fake": "",
};

it.each<[string, JsonObject, string[]]>([
  ["nearest", {}, [".", "packages/a", "packages/a/inner"]],
  ["farthest", { root_pick: "farthest" }, ["."]],
])("gives each project of a monorepo the right root: %s", async (_pick, config, roots) => {
  const workshop = await open({
    files: monorepo,
    servers: { fake: { scenario, config: { root_markers: ["Project.toml"], ...config } } },
  });
  for (const file of ["packages/a/x.fake", "packages/a/inner/y.fake", "packages/b/z.fake"])
    await hover(workshop, file);
  const { structured } = await workshop.call("get_server_status", {});
  expect((structured.servers as JsonObject[]).map(({ root }) => root)).toEqual(roots);
});

it("stops the idlest server past the cap, and starts it again when it is needed", async () => {
  const workshop = await open({
    files: { "p/Project.toml": "", "p/a.fake": "p\n", "q/Project.toml": "", "q/b.fake": "q\n" },
    servers: { fake: { scenario, config: { root_markers: ["Project.toml"] } } },
    config: { limits: { max_servers: 1 } },
  });
  for (const [file, text] of [
    ["p/a.fake", "p\n"],
    ["q/b.fake", "q\n"],
    ["p/a.fake", "p\n"],
  ]) {
    expect(await hover(workshop, file ?? "")).toEqual([text]);
    expect(workshop.runtime.pool.running()).toHaveLength(1);
  }
});
