/** The dashboard of the built program: how it is found, what it follows, and who loads it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import type { DashboardState, SetupInfo } from "../../src/dashboard/api.js";
import { noTerminal, onTerminal } from "../cli/pty.js";
import { run } from "../cli/run.js";
import { runHere } from "../cli/terminal.js";
import { HubUser } from "../hub/support.js";
import { program, repository } from "../live/session.js";
import { callOf, openRaw, send } from "../mcp/http/support.js";
import { writeTestWorkspace } from "../runtime/test-workspace.js";
import { Visitor } from "./support.js";

const place = { file_path: "a.fake", line: 1, character: 1 };
const scenario = {
  capabilities: { hoverProvider: true },
  replies: { "textDocument/hover": { contents: "here" } },
};
const token = "a-token-of-the-program-0123456789";

let user: HubUser;
const folders: string[] = [];
const children: ChildProcess[] = [];
beforeEach(() => {
  user = new HubUser();
});
afterEach(async () => {
  for (const child of children.splice(0)) await ended(child, "SIGKILL");
  await user.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, "close");
  }
  return child.exitCode;
}

function workspaceWith(config: JsonObject = {}) {
  const { outside, folder } = writeTestWorkspace({
    files: { "a.fake": "word word\n" },
    servers: { fake: { scenario } },
    config: { extends: ["tools/core"], allow: { commands: [process.execPath] }, ...config },
  });
  folders.push(outside);
  return { folder, outside, args: ["--config", join(outside, "lspi.json")] };
}

/** Starts the program and gives what it has printed so far. */
function start(words: string[], env: { [name: string]: string } = {}, cwd = user.top) {
  const child = spawn(process.execPath, [program, ...words], { cwd, env: { ...user.env, ...env } });
  children.push(child);
  const printed = { stdout: "", stderr: "" };
  child.stdout.on("data", (part: Buffer) => {
    printed.stdout += part.toString();
  });
  child.stderr.on("data", (part: Buffer) => {
    printed.stderr += part.toString();
  });
  return { child, printed };
}

const records = () => join(user.top, "state", "lsp-proxy", "gateways");

async function startGateway(args: string[], env: { [name: string]: string } = {}) {
  const { child, printed } = start(["serve", "--http", "--port", "0", ...args], {
    LSP_PROXY_TOKEN: token,
    ...env,
  });
  await expect.poll(() => printed.stderr).toMatch(/ on http:\S+/);
  const [, url = ""] = / on (http:\S+)/.exec(printed.stderr) ?? [];
  // The record, by which a dashboard is found, is written right after.
  await expect.poll(() => existsSync(join(records(), `${child.pid}.json`))).toBe(true);
  return { child, url, session: () => openRaw(url, token) };
}

/** The link of what runs. Only the program itself can start a hub where none does. */
async function link(args: string[], command = runHere): Promise<string> {
  const asked = { env: user.env, cwd: user.top };
  const { code, stdout, stderr } = await command(["dashboard", "--no-open", ...args], asked);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.trim();
}

/** Follows a link as a browser does. */
async function follow(address: string): Promise<Visitor> {
  const response = await fetch(address);
  const [cookie = ""] = response.headers.getSetCookie()[0]?.split(";") ?? [];
  return new Visitor(address, cookie);
}

describe("the dashboard of a hub", () => {
  it("is that of the hub that runs, or of a new one, stays as long as a page is open, and shows problems", async () => {
    const { args, outside } = workspaceWith({ share: { idle_minutes: 0.05 } });
    const first = await link(args, run);
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/open\?code=[\w-]{32}$/);
    // At once: without a page the hub ends after three seconds.
    const visitor = await follow(first);
    const stream = visitor.events();
    await expect.poll(() => stream.heard()).not.toEqual([]);
    const { pid } = await user.hub();
    const second = await link(args);
    expect(new URL(second).origin).toBe(new URL(first).origin);
    // A page is open: the hub does not end after its idle time of three seconds.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(await user.hub()).toMatchObject({ pid, sessions: 0 });

    // It shows the problems of a changed config.
    const file = join(outside, "lspi.json");
    const good = readFileSync(file, "utf8");
    writeFileSync(file, '{ "no_such_key": 1 }');
    const { workspaces } = await visitor.state();
    expect(await visitor.json(`api/config?workspace=${workspaces[0]?.name}`)).toMatchObject({
      explain: null,
      problems: expect.arrayContaining([
        expect.objectContaining({ severity: "error", code: "config/unknown-key", line: 1 }),
      ]),
      weights: expect.arrayContaining([expect.objectContaining({ name: "get_hover" })]),
    });
    writeFileSync(file, good);
    stream.close();
    await expect.poll(() => user.hubs()).toEqual([]);
  });

  it("shows the calls of a real language server, restarts it, and says when the hub ends", async () => {
    const folder = join(user.top, "project");
    cpSync(join(repository, "test/fixtures/typescript"), folder, { recursive: true });
    symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
    const args = ["--workspace", folder, "--trust-workspace"];
    const agent = await user.open(args);
    const visitor = await follow(await link(args));
    const stream = visitor.events();
    await expect.poll(() => stream.heard()).not.toEqual([]);
    const asked = { file_path: "src/greet.ts", line: 2, character: 17 };
    await agent.call("find_references", asked);
    await expect.poll(() => stream.calls().map(({ outcome }) => outcome)).toEqual(["running", "ok"]);
    expect(stream.calls()[1]).toMatchObject({
      ...{ tool: "find_references", target: "src/greet.ts:2:17", client: "hub-test", items: 7 },
      ...{ server: "typescript", workspace: "project" },
    });
    const state = () => visitor.state();
    const typescript = ({ live }: DashboardState) => live.servers.find(({ id }) => id === "typescript");
    const before = typescript(await state());
    expect(before).toMatchObject({
      state: "running",
      root: folder,
      restarts: 0,
      memoryMb: expect.any(Number),
    });
    expect((await state()).live.sessions).toMatchObject([{ client: "hub-test", calls: 1, roots: [folder] }]);
    expect((await visitor.post("api/restart", { workspace: "project", server: "typescript" })).status).toBe(
      200,
    );
    const after = typescript(await state());
    expect(after).toMatchObject({ state: "running", restarts: 1 });
    expect(after?.pid).not.toBe(before?.pid);
    const { source, explain, total, problems } = await visitor.json<{ [name: string]: unknown }>(
      "api/config?workspace=project",
    );
    expect({ source, problems }).toEqual({ source: "the embedded default", problems: [] });
    expect(explain).toContain("find_references");
    expect(total).toMatchObject({ bytes: expect.any(Number), tokens: expect.any(Number) });
    const setup = await visitor.json<{ clients: JsonObject[]; languages: JsonObject[] }>(
      "api/setup?workspace=project",
    );
    expect(setup.clients.find(({ name }) => name === "Codex")).toMatchObject({
      file: expect.stringContaining("config.toml"),
      text: expect.stringContaining("lsp-proxy"),
    });
    expect(setup.languages).toContainEqual(
      expect.objectContaining({ language: expect.stringContaining("typescript") }),
    );
    await runHere(["hub", "stop", "--all"], { env: user.env, cwd: user.top });
    await expect.poll(() => stream.isEnded).toBe(true);
    expect(stream.heard().at(-1)).toEqual({ name: "bye", data: { reason: "the hub ends" } });
  });

  it.skipIf(process.platform !== "linux")("is opened by a file that only this user can read", async () => {
    const { args } = workspaceWith();
    const bin = join(user.top, "bin");
    mkdirSync(bin);
    const opened = join(user.top, "opened");
    const opener = `#!/bin/sh\nprintf '%s\\n' "$@" >${opened}\nexit $STATUS\n`;
    writeFileSync(join(bin, "xdg-open"), opener, { mode: 0o755 });
    const open = (env: { [name: string]: string }, command = runHere) =>
      command(["dashboard", ...args], { env: { ...user.env, PATH: `${bin}:${user.env.PATH}`, ...env } });
    expect(await open({ DISPLAY: ":0", STATUS: "0" }, run)).toMatchObject({ code: 0, stdout: "" });
    // The program does not wait long for what opens the file.
    await expect.poll(() => existsSync(opened) && readFileSync(opened, "utf8")).toMatch(/\n$/);
    const file = readFileSync(opened, "utf8").trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [, address = ""] = /url=(http:[^"]+)"/.exec(readFileSync(file, "utf8")) ?? [];
    expect(await (await follow(address)).state()).toMatchObject({ kind: "hub" });
    // Without a browser, or a screen, the address is printed.
    for (const env of [
      { DISPLAY: ":0", WAYLAND_DISPLAY: "", STATUS: "3" },
      { DISPLAY: "", WAYLAND_DISPLAY: "", STATUS: "0" },
    ]) {
      const { code, stdout, stderr } = await open(env);
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/open/),
      ]);
      expect(stderr).toContain("no browser could be started");
    }
  });

  it.skipIf(process.platform !== "linux")("is opened by no program of the workspace", async () => {
    const { args, folder } = workspaceWith();
    const bin = join(folder, "node_modules/.bin");
    const trace = join(user.top, "started");
    mkdirSync(bin, { recursive: true });
    for (const path of [join(bin, "xdg-open"), join(folder, "xdg-open")])
      writeFileSync(path, `#!/bin/sh\necho started >>${trace}\n`, { mode: 0o755 });
    const open = (path: string) =>
      run(["dashboard", ...args], { cwd: folder, env: { ...user.env, DISPLAY: ":0", PATH: path } });
    for (const path of [`${bin}:/nowhere`, ".:/nowhere", ":/nowhere", folder])
      expect(await open(path)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http:/) });
    expect(existsSync(trace)).toBe(false);
  });

  it("says so where the config turns it off", async () => {
    const { args } = workspaceWith({ dashboard: { enabled: false } });
    const { code, stdout, stderr } = await run(["dashboard", "--no-open", ...args], { env: user.env });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("`dashboard.enabled`");
  });
});

describe("the dashboard of a gateway", () => {
  it("is found by its record, which only this user can read and which ends with it", async () => {
    const { args } = workspaceWith();
    const { child, url, session } = await startGateway(args);
    const file = join(records(), `${child.pid}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const visitor = await follow(await link(args));
    expect(await visitor.state()).toMatchObject({ kind: "gateway", pid: child.pid });
    await send(url, { headers: await session(), body: callOf(1, place, "get_hover") });
    expect((await visitor.state()).calls).toMatchObject([{ tool: "get_hover", outcome: "ok" }]);
    expect(await user.hubs()).toEqual([]);

    // It is not looked for at an address that others could have written.
    chmodSync(file, 0o666);
    expect(await (await follow(await link(args, run))).state()).toMatchObject({ kind: "hub" });
    expect(await ended(child, "SIGTERM")).toBe(0);
    expect(readdirSync(records())).toEqual([]);
  });

  it("has entries for clients with the address where it listens, whatever the config says", async () => {
    const { args, outside } = workspaceWith({ http: { port: 3939 } });
    const second = join(user.top, "second");
    mkdirSync(second);
    const { url } = await startGateway([...args, "--serve-workspace", second]);
    const visitor = await follow(await link(args));
    const names = (await visitor.state()).workspaces.map(({ name }) => name);
    const [name = ""] = names;
    expect(names).toEqual([expect.any(String), "second"]);
    for (const workspace of names) {
      const { clients, note } = await visitor.json<SetupInfo>(`api/setup?workspace=${workspace}`);
      const own = new URL(`/mcp/${workspace}`, url).href;
      expect(clients.find(({ name: title }) => title === "Claude Code")?.text).toContain(`"${own}"`);
      expect(note).toContain("`http.port`");
    }
    writeFileSync(join(outside, "lspi.json"), '{ "no_such_key": 1 }');
    const { status, text } = await visitor.get(`api/setup?workspace=${name}`);
    expect([status, text]).toEqual([400, expect.stringContaining("has errors")]);
  });
});

describe("status --watch", () => {
  const evil = "\u001b]0;evil\u0007.fake";

  it("prints a line for what changes, without control characters of others, until it is stopped", async () => {
    const { args } = workspaceWith();
    const agent = await user.open(args);
    const { child, printed } = start(["status", "--watch", ...args]);
    await expect.poll(() => printed.stdout).toContain("server fake: idle\n");
    await agent.call("get_hover", place);
    await agent.call("get_hover", { ...place, file_path: evil });
    await expect.poll(() => printed.stdout).toMatch(/get_hover a\.fake:1:1 ok \d+ ms \d+ tokens\n/);
    await expect.poll(() => printed.stdout).toContain("\\u001b]0;evil\\u0007.fake:1:1 guard/");
    await expect.poll(() => printed.stdout).toMatch(/server fake: ready, pid \d+/);
    expect(printed.stdout).not.toContain("server fake: unknown");
    expect(printed.stdout).toContain("session s1: hub-test 0\n");
    expect(printed.stdout).not.toContain("\u001b");
    await agent.close();
    await expect.poll(() => printed.stdout).toContain("session s1: ended\n");
    expect(await ended(child, "SIGINT")).toBe(0);
    expect(printed.stderr).toBe("");
  });

  it.skipIf(noTerminal !== undefined)("draws the state on a terminal, and ends with the hub", async () => {
    const { args } = workspaceWith();
    // A client often starts its hub with other variables than a terminal has.
    const agent = await user.open(args, { SHELL: "/bin/another" });
    const shown = await onTerminal(["status", "--watch", ...args], {
      columns: 100,
      cwd: user.top,
      env: user.env,
      meanwhile: [
        [/fake/, () => void agent.call("get_hover", { ...place, file_path: evil })],
        [/guard\//, () => void runHere(["hub", "stop", "--all"], { env: user.env, cwd: user.top })],
      ],
    });
    expect(shown.code).toBe(1);
    expect(shown.text).toContain("what was watched has ended");
    expect(shown.text).toMatch(/\\u001b\]0;evil/);
    expect(shown.raw).not.toContain("\u001b]0;evil");
    expect(shown.width).toBeLessThanOrEqual(100);
  });
});

describe("a session that does not use the dashboard", () => {
  const tracer = new URL("../cli/module-trace.mjs", import.meta.url).pathname;

  /** The dashboard's modules among those that a process has loaded. */
  function loadedParts(trace: string): string[] {
    const urls = readFileSync(trace, "utf8")
      .split("\n")
      .filter((url) => url.startsWith("file:"));
    const code = [...new Set(urls)].map((url) => readFileSync(new URL(url), "utf8")).join("\n");
    expect(code).toContain("// src/cli/main.ts");
    const parts = [
      ...code.matchAll(/^\s*\/\/ (src\/(?:cli\/)?dashboard\/\S+|node_modules\/prom-client\/)/gm),
    ];
    return [...new Set(parts.map(([, part = ""]) => part))].toSorted();
  }

  // That one with a hub loads nothing of it either is tested with the rest of what it does not load, in hub.test.ts.
  it("loads nothing of it on stdio", async () => {
    const { args } = workspaceWith();
    const trace = join(user.top, "modules");
    const env = { NODE_OPTIONS: `--import ${tracer}`, MODULE_TRACE: trace };
    const session = await user.open(args, env, { alone: true });
    await session.call("get_hover", place);
    expect(loadedParts(trace)).toEqual([]);
  });

  it("loads only the record in a gateway, and the metrics only where they are on", async () => {
    for (const enabled of [false, true]) {
      const { args } = workspaceWith({ metrics: { enabled } });
      const trace = join(user.top, `modules-${enabled}`);
      const env = { NODE_OPTIONS: `--import ${tracer}`, MODULE_TRACE: trace };
      const { url, session } = await startGateway(args, env);
      await send(url, { headers: await session(), body: callOf(1, place, "get_hover") });
      const parts = loadedParts(trace);
      expect(parts).toContain("src/dashboard/record.ts");
      expect(parts.includes("node_modules/prom-client/")).toBe(enabled);
      for (const part of ["pages", "events", "login", "live", "actions"])
        if (!enabled) expect(parts).not.toContain(`src/dashboard/${part}.ts`);
      expect(parts).not.toContain("src/dashboard/pages.ts");
      expect(parts).not.toContain("src/dashboard/events.ts");
    }
  });
});
