/** Servers over TCP and socket files: connecting, accepting, and their failures. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ServerPlan, TransportPlan } from "../../src/abi/plan.js";
import type { JsonObject } from "../../src/base/json.js";
import type { ServerPool } from "../../src/lsp/types.js";
import { fakeServer, fakeServerPath, type Scenario } from "../fake-server/index.js";
import {
  afterThis,
  alive,
  ask,
  poolOf,
  received,
  scenarios,
  signal,
  until,
  workspace,
  write,
} from "./support.js";

const local = { kind: "tcp", host: "127.0.0.1", port: 0 } as const;
const pipe = { kind: "pipe", path: "<fresh>/s.sock" } as const;
const soon = { restart: { max: 5, windowMs: 300_000, backoffMs: [1, 2] as [number, number] } };

function poolWith(scenario: Scenario, overrides: Partial<ServerPlan>, hosts?: string[]): ServerPool {
  const server = fakeServer(scenarios(), scenario, { ...soon, ...overrides });
  const allow = {
    commands: [process.execPath],
    hosts: hosts ?? [],
    effects: ["read" as const],
    env: ["PATH"],
  };
  return poolOf(workspace({}), [server], { allow });
}

/** A scripted server that nobody here started, and its port. */
async function elsewhere(scenario: Scenario, port = 0): Promise<{ running: ChildProcess; port: number }> {
  const file = join(scenarios(), "s.json");
  write(file, JSON.stringify(scenario));
  const running = spawn(process.execPath, [fakeServerPath, file, "--port", String(port)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  afterThis(() => void running.kill());
  const bound = await new Promise<number>((done) => {
    running.stderr.once("data", (text) => done(JSON.parse(String(text).slice(10)).port));
  });
  return { running, port: bound };
}

const reached = (port: number): TransportPlan => ({ ...local, mode: "connect", port });

describe("a program that is started and spoken to over a socket", () => {
  test.each<[string, TransportPlan, string[]]>([
    ["listens on TCP", { ...local, mode: "start" }, ["--port", "<port>"]],
    ["listens on a socket", { ...pipe, mode: "start" }, ["--pipe", "<pipe>"]],
    ["calls us over TCP", { ...local, mode: "listen" }, ["--call", "<port>"]],
    ["calls us over a socket", { ...pipe, mode: "listen" }, ["--call", "<pipe>"]],
  ])("%s", async (_name, transport, args) => {
    const pool = poolWith({}, { transport, args });
    const server = await pool.get("fake", undefined, signal());
    expect(await ask(server, "fake/documents")).toEqual([]);
    const [status] = pool.status();
    expect(status).toMatchObject({ state: "running", pid: expect.any(Number) });
    const [init] = await received(server, "initialize");
    expect(init?.processId).toBe(process.pid);
    await pool.close();
    expect(alive(status?.pid ?? 0)).toBe(false);
  });

  test("one that ends before it listens says so, with its last words", async () => {
    const scenario: Scenario = { start: [{ stderr: "no licence\n", times: 1 }, { exit: 3 }] };
    const pool = poolWith(scenario, { transport: { ...local, mode: "start" }, args: ["--port", "<port>"] });
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({
      code: "lsp/start-failed",
      message: expect.stringContaining("exited with code 3"),
    });
    expect(pool.status()[0]).toMatchObject({ stderr: ["no licence"] });
  });

  test.each(["start", "listen"] as const)("one that never comes (%s) is given up and ended", async (mode) => {
    const pids = join(scenarios(), "pid");
    const start: JsonObject[] = [{ daemon: pids }, { waitFile: join(scenarios(), "never") }];
    const scenario: Scenario = { start, ignoreStdinEnd: true };
    const pool = poolWith(scenario, { transport: { ...local, mode }, initializeTimeoutMs: 3_000 });
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({
      code: "lsp/start-failed",
      message: expect.stringContaining("no connection within 3000 ms"),
    });
    expect(pool.status()[0]).toMatchObject({ pid: null, restarts: 0 });
    if (existsSync(pids)) await until(() => !alive(Number(readFileSync(pids, "utf8"))));
  });

  test("an address that is taken is not mistaken for the server", async () => {
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(0, "127.0.0.1", done));
    afterThis(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    for (const mode of ["start", "listen"] as const) {
      const pool = poolWith({}, { transport: { ...local, port, mode }, args: ["--port", "<port>"] });
      await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({ code: "lsp/start-failed" });
    }
  });

  test("its folder is removed with it", async () => {
    const pool = poolWith({}, { transport: { ...pipe, mode: "start" }, args: ["--pipe", "<pipe>"] });
    const server = await pool.get("fake", undefined, signal());
    const path = ((await ask(server, "fake/arguments")) as string[]).at(-1) ?? "";
    expect(existsSync(path)).toBe(true);
    await pool.close();
    await until(() => !existsSync(join(path, "..")));
  });

  test("a connection that is closed ends the program, and the next call has another", async () => {
    const scenario = { on: { "fake/documents": [{ closeOutput: true, once: join(scenarios(), "once") }] } };
    const overrides = { transport: { ...local, mode: "start" as const }, args: ["--port", "<port>"] };
    const pool = poolWith({ ...scenario, ignoreStdinEnd: true }, overrides);
    const server = await pool.get("fake", undefined, signal());
    const pid = pool.status()[0]?.pid ?? 0;
    await expect(ask(server, "fake/documents")).rejects.toMatchObject({ code: "lsp/exited" });
    await until(() => !alive(pid));
    const next = await pool.get("fake", undefined, signal());
    expect(await ask(next, "fake/documents")).toEqual([]);
    expect(next.generation).toBe(2);
  });
});

describe("a server that runs elsewhere", () => {
  test("gets no process id of ours, and is neither started nor ended", async () => {
    const { running, port } = await elsewhere({ ignoreStdinEnd: true });
    const pool = poolWith({}, { command: [], transport: reached(port) });
    const server = await pool.get("fake", undefined, signal());
    const [init] = await received(server, "initialize");
    expect(init?.processId).toBeNull();
    await pool.close();
    const again = poolWith({}, { command: [], transport: reached(port) });
    await again.get("fake", undefined, signal());
    expect(running.exitCode).toBeNull();
  });

  test("is refused while no server listens, pauses, and is reached when one does", async () => {
    const { running, port } = await elsewhere({});
    running.kill();
    await new Promise((done) => running.once("exit", done));
    const pool = poolWith({}, { command: [], transport: reached(port) });
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({
      code: "lsp/start-failed",
      message: expect.stringContaining("ECONNREFUSED"),
    });
    expect(pool.status()[0]?.lastError).toContain("cannot be reached");
    await elsewhere({}, port);
    expect(await ask(await pool.get("fake", undefined, signal()), "fake/documents")).toEqual([]);
  });

  test("that drops the connection during a request is reported, and reached again", async () => {
    const once = join(scenarios(), "once");
    const { port } = await elsewhere({
      on: { "fake/documents": [{ closeOutput: true, once }] },
      ignoreStdinEnd: true,
    });
    const pool = poolWith({}, { command: [], transport: reached(port) });
    const server = await pool.get("fake", undefined, signal());
    await expect(ask(server, "fake/documents")).rejects.toMatchObject({
      code: "lsp/exited",
      message: expect.stringContaining("closed the connection"),
    });
    const next = await pool.get("fake", undefined, signal());
    expect(await ask(next, "fake/documents")).toEqual([]);
    expect(next.crashNotice()).toContain("closed the connection");
  });

  test("that takes the connection and says nothing is given up in time", async () => {
    const mute = createServer();
    await new Promise<void>((done) => mute.listen(0, "127.0.0.1", done));
    afterThis(() => void mute.close());
    const { port } = mute.address() as AddressInfo;
    const pool = poolWith({}, { command: [], transport: reached(port), initializeTimeoutMs: 500 });
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({ code: "lsp/start-failed" });
  });

  test("on another machine is not reached unless that is allowed, whatever the bundle says", async () => {
    const transport = { ...reached(9), host: "192.0.2.1" } as TransportPlan;
    const pool = poolWith({}, { command: [], transport });
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({
      code: "lsp/not-allowed",
      nextSteps: [{ kind: "config", text: 'Add "192.0.2.1" to `allow.hosts`.' }],
    });
  });
});
