/** `serve --shared`: sessions share one hub, notice its end, and go on. Language servers are scripted. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { run } from "../cli/run.js";
import { runHere } from "../cli/terminal.js";
import { program } from "../live/session.js";
import { HubUser, isThere, place, type SharedSession, slow } from "./support.js";

const resource = {
  name: "references",
  uri: "lsp://references/{path}",
  tool: "find_references",
  args: { file_path: { from: "uri.path" }, line: 1, character: 1 },
};

/** A start of a hub costs more than a question to it, so these tests ask one hub, in this order. */
describe("one hub", () => {
  const user = new HubUser();
  const config = { http: { max_calls_per_session: 2 }, resources: [resource] };
  const { args, folder } = user.workspace(config, slow);
  const asked = { env: user.env, cwd: user.top };
  const go = join(folder, "go");
  let [one, two]: SharedSession[] = [];
  const sessions = () => {
    if (one === undefined || two === undefined) throw new Error("the first test opens the sessions");
    return { one, two };
  };
  writeFileSync(go, "");
  afterAll(() => user.close());

  it("gives two sessions the same language server, also in different terminals, and keeps what is theirs apart", async () => {
    one = await user.open(args, { TERM: "xterm-256color" });
    expect((await one.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
    two = await user.open(args, { TERM: "dumb" });
    const [[first], [second]] = [await one.status(), await two.status()];
    expect(first?.pid).toBeGreaterThan(0);
    expect(second?.pid).toBe(first?.pid);
    expect(await user.hub()).toMatchObject({ sessions: 2, servers: ["fake"] });

    const asked = { ...place, page_size: 1 };
    const { structuredContent: page } = await one.call("find_references", asked);
    expect(page.next_cursor).toEqual(expect.any(String));
    const further = { ...asked, cursor: page.next_cursor };
    expect((await two.call("find_references", further)).structuredContent).toMatchObject({
      ok: false,
      error: { code: expect.stringMatching(/^page\//) },
    });
    expect((await one.call("find_references", further)).structuredContent).toMatchObject({ ok: true });

    const rename = { ...place, new_name: "name" };
    const { structuredContent: preview } = await one.call("rename_symbol", rename);
    expect(preview).toMatchObject({ status: "preview" });
    const apply = { ...rename, dry_run: false, edit_token: preview.edit_token };
    expect((await two.call("rename_symbol", apply)).structuredContent).toMatchObject({ ok: false });
    const { structuredContent: applied } = await one.call("rename_symbol", apply);
    expect(applied).toMatchObject({ status: "applied" });
    const undo = { undo_token: applied.undo_token, dry_run: false };
    expect((await two.call("undo_edit", undo)).structuredContent).toMatchObject({ ok: false });
    expect((await one.call("undo_edit", undo)).structuredContent).toMatchObject({ ok: true });
    expect(readFileSync(join(folder, "a.fake"), "utf8")).toBe("word word word\n");
  });

  it("answers a session while another one waits, and limits the calls of each", async () => {
    const { one, two } = sessions();
    for (const name of ["go", "asked-hover"]) rmSync(join(folder, name));
    const waiting = [one.call("get_hover", place), one.call("get_hover", place)];
    await expect.poll(() => isThere(folder, "asked-hover")).toBe(true);
    expect((await one.call("find_references", place)).structuredContent).toMatchObject({
      error: { code: "call/too-many", message: expect.stringContaining("http.max_calls_per_session") },
    });
    expect((await two.call("find_references", place)).structuredContent).toMatchObject({ ok: true });
    writeFileSync(go, "");
    for (const { structuredContent } of await Promise.all(waiting))
      expect(structuredContent).toMatchObject({ ok: true });
  });

  it("loads no config code, no compiler, no SDK and no dashboard in the process of a session", async () => {
    const trace = join(user.top, "modules");
    const tracer = new URL("../cli/module-trace.mjs", import.meta.url).pathname;
    const thin = { NODE_OPTIONS: `--import ${tracer}`, MODULE_TRACE: trace };
    const session = await user.open(args, thin);
    await session.call("get_hover", place);
    const chunks = readFileSync(trace, "utf8")
      .split("\n")
      .filter((url) => url.startsWith("file:"));
    const texts = [...new Set(chunks)].map((url) => readFileSync(new URL(url), "utf8"));
    const code = texts.join("\n");
    expect(code).toContain("// src/hub/relay.ts");
    const others = ["src/runtime/", "src/emit/", "src/mcp/", "src/lsp/pool", "node_modules/"];
    for (const part of [...others, "src/dashboard/", "src/cli/dashboard/"])
      expect(code).not.toContain(`// ${part}`);
    await session.close();
  });

  it("answers a line that is too long or no JSON, and the session continues", async () => {
    const input = [
      "no JSON",
      `{"jsonrpc":"2.0","id":8,"method":"ping","params":{"text":"${"x".repeat(5 * 1024 * 1024)}"}}`,
      `{"lsp-proxy":"stop"}`,
      `{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`,
    ];
    const { pid } = await user.hub();
    const { stdout } = await run(["serve", "--shared", ...args], {
      ...asked,
      input: `${input.join("\n")}\n`,
    });
    const answers = stdout.trim().split("\n");
    const codes = answers.map((line) => (JSON.parse(line) as { error?: { code: number } }).error?.code);
    expect(codes.sort()).toEqual([-32600, -32600, -32700, undefined]);
    expect(answers.at(-1)).toContain('"id":9');
    // A message of a client is never one to the hub.
    expect((await user.hub()).pid).toBe(pid);
  });

  const references = (more: object = {}) => [
    ...["call", "find_references", JSON.stringify({ ...place, page_size: 1, ...more }), "--json"],
    ...args,
  ];

  it("is asked by the command line: `call`, `status` and `doctor` are warm, and start none", async () => {
    const { one } = sessions();
    const [{ pid } = { pid: null }] = await one.status();
    const first = JSON.parse((await run(references(), asked)).stdout) as { next_cursor: string };
    const second = await runHere(references({ cursor: first.next_cursor }), asked);
    expect(JSON.parse(second.stdout)).toMatchObject({ ok: true, shown: 1 });
    const { stdout, code } = await runHere(["status", "--json", ...args], asked);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { servers: { pid: number }[] }).servers[0]?.pid).toBe(pid);
    const found = JSON.parse((await runHere(["doctor", "--json", ...args], asked)).stdout) as JsonObject;
    expect(found.servers).toEqual([
      expect.objectContaining({ id: "fake", failure: null, readiness: "ready" }),
    ]);
    expect(JSON.stringify(found.findings)).toContain("fake: version unknown, runs in the hub");
    expect(await one.status()).toEqual([expect.objectContaining({ pid, restarts: 0 })]);
    // The hub may see late that the sessions of the tests before have ended.
    await expect.poll(async () => (await user.hub()).sessions).toBe(2);
  });

  it("ends with `hub stop` in the folder that it serves; only the next call of a session starts another", async () => {
    const { one } = sessions();
    const { pid } = await user.hub();
    const elsewhere = await runHere(["hub", "stop"], asked);
    expect(elsewhere).toMatchObject({ code: 0, stderr: expect.stringContaining("no hub runs") });
    const listed = await runHere(["hub"], asked);
    expect(listed.stdout).toMatch(
      new RegExp(`^${folder}\n  2 sessions · fake · \\d+ MB · \\d+ (s|min) · pid ${pid} · `),
    );
    const stopped = await run(["hub", "stop"], { ...asked, cwd: folder });
    expect(stopped).toMatchObject({ code: 0, stderr: expect.stringContaining("was stopped") });
    await expect.poll(() => user.processes().length).toBe(2);
    expect(await user.hubs()).toEqual([]);
    expect((await runHere(references(), asked)).code).toBe(0);
    expect(await user.hubs()).toEqual([]);
    expect((await one.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
    expect((await user.hub()).pid).not.toBe(pid);
    expect(one.closed()).toBe(0);
  });

  it("ends unseen by its clients: reads are asked again, an edit in flight is refused, subscriptions last", async () => {
    const { one, two } = sessions();
    const modern = new ModernClient({ name: "t", version: "0" }, { versionNegotiation: { mode: "auto" } });
    const options = { command: process.execPath, args: [program, "serve", "--shared", ...args] };
    await modern.connect(new ModernStdio({ ...options, env: user.env, cwd: user.top }));
    const hover = { name: "get_hover", arguments: place };
    expect(await modern.callTool(hover)).toMatchObject({ structuredContent: { ok: true } });
    const uri = "lsp://references/a.fake";
    const told: string[] = [];
    two.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      told.push(params.uri);
    });
    await two.client.subscribeResource({ uri });
    const tools = await one.client.listTools();
    for (const name of ["go", "asked-hover", "asked-rename"]) rmSync(join(folder, name));
    const read = one.call("get_hover", place);
    const edit = one.call("rename_symbol", { ...place, new_name: "name", dry_run: false });
    await expect.poll(() => isThere(folder, "asked-hover") && isThere(folder, "asked-rename")).toBe(true);
    const { pid } = await user.hub();
    // Before the kill: the next hub makes it again when it is asked.
    rmSync(join(folder, "asked-hover"));
    process.kill(pid, "SIGKILL");
    expect((await edit).structuredContent).toMatchObject({ ok: false, error: { code: "call/interrupted" } });
    await expect.poll(() => isThere(folder, "asked-hover")).toBe(true);
    writeFileSync(go, "");
    expect((await read).structuredContent).toMatchObject({ ok: true });
    expect(readFileSync(join(folder, "a.fake"), "utf8")).toBe("word word word\n");
    expect(await one.client.listTools()).toEqual(tools);
    expect(await modern.callTool(hover)).toMatchObject({ structuredContent: { ok: true } });
    // It may have changed while there was no hub.
    await expect.poll(() => told.splice(0)).toEqual([uri]);
    writeFileSync(join(folder, "a.fake"), "word word\n");
    await two.client.readResource({ uri });
    await expect.poll(() => told).toEqual([uri]);
    expect([one.closed(), two.closed()]).toEqual([0, 0]);
    const hub = await user.hub();
    expect(hub).toMatchObject({ sessions: 3 });
    expect(hub.pid).not.toBe(pid);
    await modern.close();
  });
});

let user: HubUser;
beforeEach(() => {
  user = new HubUser();
});
afterEach(async () => {
  await user.close();
});

describe("which sessions share a hub", () => {
  it("ends with one hub when twenty sessions start at once, also after a kill", async () => {
    const { args } = user.workspace();
    const starts = join(user.top, "starts");
    const slowed = new URL("slow-listen.mjs", import.meta.url).pathname;
    const env = { NODE_OPTIONS: `--import ${slowed}`, HUB_STARTS: starts };
    // Sessions in one folder leave the start to one of them. Those in different folders do not know of each other.
    const folders = Array.from({ length: 4 }, (_, index) => join(user.top, `folder-${index}`));
    for (const folder of folders) mkdirSync(folder);
    const everyFolder = Array.from({ length: 5 }, () => folders).flat();
    const sessions = await Promise.all(everyFolder.map((cwd) => user.open(args, env, { cwd })));
    const haveOneHub = async () => {
      const answers = await Promise.all(sessions.map((session) => session.call("get_hover", place)));
      expect(answers.map(({ structuredContent }) => structuredContent.ok)).toEqual(answers.map(() => true));
      expect(await user.hub()).toMatchObject({ sessions: 20 });
      // None is left over that nobody can find.
      await expect.poll(() => user.processes().filter((words) => words.includes("hub run"))).toHaveLength(1);
      const pids = await Promise.all(sessions.map(async (session) => (await session.status())[0]?.pid));
      expect(new Set(pids).size).toBe(1);
      const started = readFileSync(starts, "utf8").trim().split("\n");
      rmSync(starts);
      expect(started.length).toBeGreaterThan(1);
      expect(started.length).toBeLessThan(10);
    };
    await haveOneHub();
    // Its socket is left over, and all twenty look for another hub at once.
    process.kill((await user.hub()).pid, "SIGKILL");
    await haveOneHub();
  });

  it("gives each worktree of a repository a hub of its own, which ends when its workspace is gone", async () => {
    const { folder, config } = user.workspace();
    const second = join(user.top, "other", "work");
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...words], {
        stdio: "ignore",
        // Not the user's: it may want signed commits.
        env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
      });
    git("init");
    git("add", ".");
    git("commit", "-m", "first");
    git("worktree", "add", second);
    writeFileSync(join(second, "a.fake"), "word\n");
    // The bundle does not depend on where its config is: both sessions have the same.
    copyFileSync(config, join(user.top, "other", "lspi.json"));
    const totals: unknown[] = [];
    const sessions: SharedSession[] = [];
    for (const file of [config, join(user.top, "other", "lspi.json")]) {
      const session = await user.open(["--config", file]);
      sessions.push(session);
      totals.push((await session.call("find_references", place)).structuredContent.total);
    }
    expect(totals).toEqual([3, 1]);
    const workspaces = (await user.hubs()).map(({ workspace }) => workspace).toSorted();
    expect(workspaces).toEqual([folder, second].map((path) => realpathSync(dirname(path))).toSorted());

    for (const session of sessions) await session.close();
    expect(user.processes().length).toBeGreaterThan(1);
    for (const path of [folder, second]) rmSync(dirname(path), { recursive: true });
    await expect.poll(() => user.processes()).toEqual([]);
  });

  it("gives another environment another hub, which ends when it has no sessions for a while, with its servers", async () => {
    const { args } = user.workspace({ share: { idle_minutes: 0.05 } });
    const one = await user.open(args);
    const two = await user.open(args, { JAVA_HOME: "/elsewhere" });
    await Promise.all([one, two].map((session) => session.call("get_hover", place)));
    expect((await user.hubs()).map(({ sessions }) => sessions)).toEqual([1, 1]);
    expect(user.processes().length).toBeGreaterThan(2);
    for (const session of [one, two]) await session.close();
    await expect.poll(() => user.processes()).toEqual([]);
  });
});

it("a hub ends soon when nobody uses it", async () => {
  const { args } = user.workspace();
  const record = join(user.runFolder, "lsp-proxy", "record");
  mkdirSync(join(user.runFolder, "lsp-proxy"), { mode: 0o700 });
  const launch = JSON.stringify({ flags: { config: args[1] }, record });
  const began = Date.now();
  // It is waited for until it ends, which with `share.idle_minutes` would take ten minutes.
  expect((await run(["hub", "run", launch], { env: user.env, cwd: user.top })).code).toBe(0);
  expect(Date.now() - began).toBeGreaterThan(20_000);
});

it("trust for one run is not shared; it is asked for through the client, and after a yes all sessions have it", async () => {
  const { folder, config } = user.workspace();
  const found = JSON.parse(readFileSync(config, "utf8")) as JsonObject;
  writeFileSync(join(folder, "lspi.json"), JSON.stringify({ ...found, workspace: { roots: ["."] } }));
  const trusting = await user.open(["--trust-workspace"], {}, { cwd: folder });
  expect((await trusting.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  const { pid } = await user.hub();
  const hubs = async () => (await user.hubs()).filter((hub) => hub.pid !== pid);
  const plain = await user.open([], {}, { cwd: folder });
  expect((await plain.call("get_hover", place)).structuredContent).toMatchObject({
    error: { code: "config/untrusted" },
  });
  expect(await user.hubs()).toHaveLength(2);

  const questions: string[] = [];
  const answer = (question: string) => questions.push(question) > 0;
  const asking = await user.open([], {}, { cwd: folder, answer });
  expect(await hubs()).toEqual([expect.objectContaining({ sessions: 2 })]);
  expect((await asking.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  expect(questions).toEqual([expect.stringContaining("do you trust this workspace?")]);
  await expect.poll(async () => (await hubs()).map(({ sessions }) => sessions)).toEqual([2]);
  expect((await plain.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  expect([plain.closed(), asking.closed()]).toEqual([0, 0]);
  await expect.poll(() => plain.changes()).toBeGreaterThan(0);
});

it("trust for one run is not shared where the tools and servers are the same", async () => {
  const folder = join(user.top, "w");
  mkdirSync(folder);
  writeFileSync(join(folder, "a.ts"), "export const one = 1;\n");
  const sessions = [];
  for (const args of [["--trust-workspace"], [], []])
    sessions.push(await user.open(args, {}, { cwd: folder }));
  const [trusting, ...plain] = await Promise.all(sessions.map(({ client }) => client.listTools()));
  expect(plain).toEqual([trusting, trusting]);
  expect((await user.hubs()).map((hub) => hub.sessions).sort()).toEqual([1, 2]);
});

describe("a session without a hub", () => {
  it("serves by itself where others have access to the folder of hubs, and says so", async () => {
    const { args } = user.workspace();
    mkdirSync(join(user.runFolder, "lsp-proxy"), { mode: 0o700 });
    chmodSync(join(user.runFolder, "lsp-proxy"), 0o755);
    const session = await user.open(args);
    expect((await session.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
    const { structuredContent } = await session.call("get_server_status", {});
    expect(structuredContent.warnings).toEqual([
      expect.objectContaining({ code: "answer/not-shared", message: expect.stringContaining("chmod 700") }),
    ]);
    expect(readdirSync(join(user.runFolder, "lsp-proxy"))).toEqual([]);
    chmodSync(join(user.runFolder, "lsp-proxy"), 0o700);
  });

  it.each([
    ["is a link", (path: string) => symlinkSync(mkdtempSync(join(user.top, "elsewhere-")), path)],
    [
      "belongs to another user",
      (path: string) => {
        mkdirSync(path, { mode: 0o700 });
        chownSync(path, 54_321, 54_321);
      },
    ],
  ])("serves by itself where the folder of hubs %s", async (why, make) => {
    // Only root can give a folder away.
    if (why.startsWith("belongs") && process.getuid?.() !== 0) return;
    const { args } = user.workspace();
    const path = join(user.runFolder, "lsp-proxy");
    make(path);
    const session = await user.open(args);
    const { structuredContent } = await session.call("get_server_status", {});
    expect(structuredContent.warnings).toEqual([expect.objectContaining({ code: "answer/not-shared" })]);
    expect(readdirSync(path)).toEqual([]);
    rmSync(path, { recursive: true });
  });

  it("reports the problems of a config like a private one", async () => {
    const { args, config } = user.workspace();
    writeFileSync(config, "{");
    const { code, stderr } = await run(["serve", "--shared", ...args], { env: user.env, cwd: user.top });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("lspi.json") });
  });
});
