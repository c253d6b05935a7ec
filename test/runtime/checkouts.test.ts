/** Real git under a running session: another branch with a thousand changed files, a worktree, projects in projects. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import type { Scenario } from "../fake-server/index.js";
import { openTestWorkspace, type TestWorkspace, type TestWorkspaceOptions } from "./test-workspace.js";

const workspaces: TestWorkspace[] = [];
afterEach(async () => {
  for (const work of workspaces.splice(0)) await work.close();
});

async function open(options: TestWorkspaceOptions): Promise<TestWorkspace> {
  const work = await openTestWorkspace(options);
  workspaces.push(work);
  return work;
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

async function hover({ call }: TestWorkspace, file: string): Promise<unknown> {
  const { structured } = await call("get_hover", { file_path: file, line: 1, character: 1 });
  return structured.contents ?? structured.error;
}

it("handles a checkout of another branch with 1 000 changed files", { timeout: 120_000 }, async () => {
  const work = await open({ servers: { fake: { scenario } } });
  const { folder, received } = work;
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
  for (const index of [0, 1, 2]) expect(await hover(work, name(index))).toEqual([`one ${index}\n`]);
  expect(await hover(work, "gone.fake")).toEqual(["only in one\n"]);

  git(folder, "checkout", "-q", "two");
  // A document that is open, then one that is not, then one that is gone.
  expect(await hover(work, name(1))).toEqual(["two 1\n"]);
  expect(await hover(work, name(999))).toEqual(["two 999\n"]);
  expect(await hover(work, "gone.fake")).toMatchObject({ code: "guard/not-a-file" });
  const told = (await received("workspace/didChangeWatchedFiles")) as {
    changes: { uri: string; type: number }[];
  }[];
  const changes = new Map(told.flatMap((params) => params.changes.map(({ uri, type }) => [uri, type])));
  expect([...changes].filter(([uri, type]) => uri.includes("/src/") && type === 2)).toHaveLength(count);
  expect(changes.get(work.uri("gone.fake"))).toBe(3);
  // Every document that was open has the new text, not only the one that was asked about.
  const changed = await received("textDocument/didChange");
  expect(JSON.stringify(changed)).toContain("two 2");
});

it("serves a git worktree beside its repository, each with its own root and text", async () => {
  const work = await open({
    files: { "main/Project.toml": "", "main/a.fake": "main\n" },
    servers: { fake: { scenario, config: { root_markers: ["Project.toml"] } } },
  });
  const { folder, runtime } = work;
  const main = join(folder, "main");
  git(main, "init", "-q", "-b", "main");
  git(main, "add", ".");
  git(main, "commit", "-q", "-m", "main");
  expect(await hover(work, "main/a.fake")).toEqual(["main\n"]);
  git(main, "worktree", "add", "-q", "-b", "side", "../side");
  writeFileSync(join(folder, "side/a.fake"), "side\n");
  expect(await hover(work, "side/a.fake")).toEqual(["side\n"]);
  expect(await hover(work, "main/a.fake")).toEqual(["main\n"]);
  expect(runtime.pool.status().map(({ root }) => root)).toEqual([main, join(folder, "side")]);
  git(main, "worktree", "remove", "--force", "../side");
  expect(await hover(work, "side/a.fake")).toMatchObject({ code: "guard/not-a-file" });
  expect(await hover(work, "main/a.fake")).toEqual(["main\n"]);
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
  const work = await open({
    files: monorepo,
    servers: { fake: { scenario, config: { root_markers: ["Project.toml"], ...config } } },
  });
  for (const file of ["packages/a/x.fake", "packages/a/inner/y.fake", "packages/b/z.fake"])
    await hover(work, file);
  const { structured } = await work.call("get_server_status", {});
  expect((structured.servers as JsonObject[]).map(({ root }) => root)).toEqual(roots);
});

it("stops the idlest server past the cap, and starts it again when it is needed", async () => {
  const work = await open({
    files: { "p/Project.toml": "", "p/a.fake": "p\n", "q/Project.toml": "", "q/b.fake": "q\n" },
    servers: { fake: { scenario, config: { root_markers: ["Project.toml"] } } },
    config: { limits: { max_servers: 1 } },
  });
  for (const [file, text] of [
    ["p/a.fake", "p\n"],
    ["q/b.fake", "q\n"],
    ["p/a.fake", "p\n"],
  ]) {
    expect(await hover(work, file ?? "")).toEqual([text]);
    expect(work.runtime.pool.running()).toHaveLength(1);
  }
});

it("a command about the workspace is executed once, also by a server that runs for several roots", async () => {
  const work = await open({
    files: { "p/Project.toml": "", "p/a.fake": "p\n", "q/Project.toml": "", "q/b.fake": "q\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: { hoverProvider: true, executeCommandProvider: { commands: ["go"] } },
          replies: {
            "textDocument/hover": { contents: { $text: true } },
            "workspace/executeCommand": { $: "/params" },
          },
        },
        config: { root_markers: ["Project.toml"], execute_commands: ["go"] },
      },
    },
    config: {
      allow: { commands: [process.execPath], effects: ["read", "command"] },
      tools: [
        {
          name: "run_go",
          description: "x",
          effect: "command",
          input: "workspace",
          steps: [{ id: "done", kind: "execute_command", command: "go" }],
          output: "json",
        },
      ],
    },
  });
  await hover(work, "p/a.fake");
  await hover(work, "q/b.fake");
  const servers = work.runtime.pool.running();
  expect(servers).toHaveLength(2);
  const { structured } = await work.call("run_go", {});
  expect(structured).toMatchObject({ value: { command: "go" } });
  const { signal } = new AbortController();
  const params = { method: "workspace/executeCommand" };
  const executed = servers.map(
    async (server) => (await server.request("fake/received", params, { signal })).value,
  );
  expect((await Promise.all(executed)).flat()).toHaveLength(1);
});
