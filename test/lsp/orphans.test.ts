/** However a proxy ends, its servers and their children end with it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { markedLines, tableOf } from "../../src/lsp/process/process-tree.js";
import { fakePlan, fakeServer } from "../fake-server/index.js";
import { act, afterThis, alive, ask, scenarios, session, until, workspace } from "./support.js";

const outfile = fileURLToPath(new URL("../../node_modules/.cache/lsp-proxy-test/host.mjs", import.meta.url));

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL("./host.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
});

const withPrlimit = process.platform === "linux" && existsSync("/usr/bin/prlimit");

/** A server that nothing but SIGKILL ends. */
const stubborn = { ignoreShutdown: true, ignoreExit: true, ignoreStdinEnd: true, refuseSigterm: true };

async function host(
  scenario: object,
): Promise<{ process: ChildProcess; pids: number[]; lines: AsyncIterator<string> }> {
  const root = workspace({});
  const plan = fakePlan([fakeServer(scenarios(), scenario)]);
  const child = spawn(process.execPath, [outfile, JSON.stringify({ plan, root })], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  afterThis(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const pids = JSON.parse((await lines.next()).value);
  expect(pids).toHaveLength(3);
  expect(pids.every(alive)).toBe(true);
  return { process: child, pids, lines };
}

test.each(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"] as const)("%s of the proxy", async (name) => {
  const { process: proxy, pids } = await host(stubborn);
  const started = performance.now();
  proxy.kill(name);
  await until(() => !pids.some(alive));
  expect(performance.now() - started).toBeLessThan(20_000);
});

test.each(["exit", "throw"])("the proxy ends by itself: %s", async (word) => {
  const { process: proxy, pids } = await host(stubborn);
  proxy.stdin?.write(`${word}\n`);
  await until(() => !pids.some(alive));
});

test("close: gone when it resolves, and the proxy can end", async () => {
  const { process: proxy, pids, lines } = await host(stubborn);
  proxy.stdin?.write("close\n");
  await lines.next();
  expect(pids.some(alive)).toBe(false);
  proxy.stdin?.end();
  await once(proxy, "exit");
});

test.each([
  ["a child", { spawn: true }],
  ["a child in a session of its own", { spawn: "apart" }],
])("a server that dies by itself takes %s with it, while the proxy runs on", async (_name, spawning) => {
  const { server, pool } = await session({});
  await act(server, spawning);
  const children = (await ask(server, "fake/children")) as number[];
  expect(children.map(alive)).toEqual([true]);
  await act(server, { signal: "SIGKILL" }).catch(() => undefined);
  await until(() => !children.some(alive));
  expect(pool.running()).toEqual([]);
});

test.each([
  ["has no parent any more", false],
  ["has no parent and an empty environment", true],
])("stop ends what a server started apart, also what %s", async (_name, bare) => {
  const { server, pool } = await session({});
  const folder = scenarios();
  const file = join(folder, "pid");
  await act(server, { daemon: file, bare: bare && withPrlimit });
  const pid = await pidIn(file);
  expect(alive(pid)).toBe(true);
  await pool.stop("fake");
  expect(alive(pid)).toBe(false);
});

test.runIf(withPrlimit)(
  "a daemon with an empty environment counts and ends with its server's limits",
  async () => {
    const limits = { memoryMb: null, openFiles: null, processes: 1, nice: null };
    const { server, pool } = await session({}, { server: { limits } });
    const file = join(scenarios(), "pid");
    // On a slow machine it may be ended before it has answered.
    await act(server, { daemon: file, bare: true }).catch(() => undefined);
    const pid = await pidIn(file);
    await until(() => pool.status()[0]?.lastError?.includes("limits.processes = 1") === true);
    await until(() => !alive(pid));
  },
);

test.runIf(withPrlimit)("a daemon with an empty environment ends with a proxy that is killed", async () => {
  const file = join(scenarios(), "pid");
  const { process: proxy } = await host({ on: { initialized: [{ daemon: file, bare: true }] } });
  const pid = await pidIn(file);
  proxy.kill("SIGKILL");
  await until(() => !alive(pid));
});

test.runIf(withPrlimit)("the mark stays with servers: neither we nor the next program carry it", async () => {
  const { pool } = await session({});
  const limit = (pid: number | string) =>
    /Max realtime timeout +(\S+)/.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1];
  expect(limit(pool.status()[0]?.pid ?? 0)).toMatch(/^\d{16}$/);
  expect(limit("self")).toBe("unlimited");
});

async function pidIn(file: string): Promise<number> {
  await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
  return Number(readFileSync(file, "utf8"));
}

test("the process table that ps prints is read as the system's own", () => {
  const columns = ["-A", "-o", "pid=,ppid=,pgid=,rss=,stat="];
  const own = tableOf(execFileSync("ps", columns, { encoding: "utf8" }))?.find(
    ({ pid }) => pid === process.pid,
  );
  expect(own).toMatchObject({ parent: process.ppid, group: expect.any(Number) });
  expect(own?.residentBytes).toBeGreaterThan(10 * 1_048_576);
  expect(tableOf("  7     1     7  100 Z+\n")).toEqual([]);
  expect(markedLines("   12 node x A=1 M=abc\n 13 node\n", "M=abc")).toEqual([12]);
});

test("the guard is cheap and ends with its proxy", async () => {
  const { process: proxy } = await host({});
  const guards = await guardsOf(proxy.pid ?? 0);
  expect(guards).toHaveLength(1);
  expect(guards[0]?.kilobytes).toBeLessThan(4_096);
  proxy.kill("SIGKILL");
  await until(() => !alive(guards[0]?.pid ?? 0));
});

test("a guard that is killed is replaced", async () => {
  const { process: proxy, pids } = await host(stubborn);
  const [first] = await guardsOf(proxy.pid ?? 0);
  process.kill(first?.pid ?? 0, "SIGKILL");
  let next: { pid: number }[] = [];
  const deadline = performance.now() + 10_000;
  while (next[0] === undefined || next[0].pid === first?.pid) {
    if (performance.now() > deadline) throw new Error("no new guard came");
    next = await guardsOf(proxy.pid ?? 0);
  }
  proxy.kill("SIGKILL");
  await until(() => !pids.some(alive));
});

async function guardsOf(parent: number): Promise<{ pid: number; kilobytes: number }[]> {
  const listing = spawn("ps", ["-eo", "pid=,ppid=,rss=,comm="]);
  let text = "";
  listing.stdout.on("data", (part) => {
    text += part;
  });
  await once(listing, "close");
  return text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ppid, , name]) => Number(ppid) === parent && /^(sh|dash|bash)$/.test(name ?? ""))
    .map(([pid, , rss]) => ({ pid: Number(pid), kilobytes: Number(rss) }));
}
