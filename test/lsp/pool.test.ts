/** Who handles a file, for which root, how many run at once, and when they stop. */
import { spawn } from "node:child_process";
import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { ServerPlan } from "../../src/abi/plan.js";
import { findCommand } from "../../src/lsp/process/search.js";
import { FileRoutes, languageIdOf, rootOf } from "../../src/lsp/route.js";
import type { ServerPool } from "../../src/lsp/types.js";
import { redact } from "../../src/lsp/wire/redact.js";
import { fakePlan, fakeServer, fakeServerPath, serverPlan } from "../fake-server/index.js";
import {
  act,
  afterThis,
  alive,
  ask,
  poolOf,
  received,
  scenarios,
  session,
  signal,
  until,
  workspace,
  write,
} from "./support.js";

describe("route", () => {
  const plan = (id: string, more = {}) => ({ ...serverPlan(id, [id], [], id), ...more });

  test("by extension in any case, file name and glob; higher priority first, then id", () => {
    const servers = [
      plan("b", { extensions: ["ts", "d.ts"] }),
      plan("a", { extensions: ["TS"] }),
      plan("lint", { globs: ["src/**/*.ts"], priority: 5 }),
      plan("docker", { filenames: ["Dockerfile"] }),
    ];
    const ids = (path: string) => new FileRoutes(servers, ["/w"], "/w").of(path).map((server) => server.id);
    expect(ids("/w/src/x.Ts")).toEqual(["a", "b"]);
    expect(ids("/w/src/x.ts")).toEqual(["lint", "a", "b"]);
    expect(ids("/w/other/x.d.ts")).toEqual(["a", "b"]);
    expect(ids("/w/Dockerfile")).toEqual(["docker"]);
    expect(ids("/w/ts")).toEqual([]);
  });

  test("the deepest root_dir around a file decides between servers that answer the same requests", () => {
    const root = workspace({ "a/b/x.ts": "", "a/x.ts": "", "c/x.ts": "" });
    symlinkSync(join(root, "c"), join(root, "linked"));
    const ts = (id: string, more = {}) => plan(id, { extensions: ["ts"], ...more });
    const format = { only: ["formatting"], except: [] };
    const servers = [
      ts("inner", { rootDir: "a/b" }),
      ts("outer", { rootDir: join(root, "a") }),
      ts("linked", { rootDir: "linked" }),
      ts("lint", { rootDir: "c", priority: -1 }),
    ];
    const idsOf = (of: typeof servers, name: string) =>
      new FileRoutes(of, [root], root).of(join(root, name)).map((server) => server.id);
    const ids = (name: string) => idsOf(servers, name);
    expect(ids("a/b/x.ts")).toEqual(["inner", "lint"]);
    expect(ids("a/x.ts")).toEqual(["outer", "lint"]);
    expect(ids("c/x.ts")).toEqual(["linked", "lint"]);
    // No root contains it: the first by id. A server without a root serves it before those.
    expect(ids("x.ts")).toEqual(["inner", "lint"]);
    expect(idsOf([...servers.slice(0, 2), ts("whole")], "x.ts")).toEqual(["whole"]);
    expect(idsOf([...servers.slice(0, 2), ts("whole")], "a/x.ts")).toEqual(["outer"]);
    // Servers with different features are not rivals.
    const rest = ts("rest", { rootDir: "a", features: { only: null, except: ["formatting"] } });
    expect(idsOf([ts("format", { features: format }), rest], "a/x.ts")).toEqual(["format", "rest"]);
  });

  test("a script without an extension is routed by its first line", () => {
    const root = workspace({
      run: "#!/usr/bin/env -S FOO=1 python3.12 -u\nx",
      deploy: "#!/bin/bash\n",
      serve: "#!/usr/bin/env node\n",
      plain: "text",
      "x.sh": "#!/bin/bash",
    });
    const servers = [
      plan("pyright", { languageId: "python" }),
      plan("bashls", { languageId: "shellscript" }),
      // Which of its languages comes first says nothing about the others.
      plan("web", { languageId: "typescript", languageIds: { js: "javascript" } }),
    ];
    const ids = (name: string) =>
      new FileRoutes(servers, [root], root).of(join(root, name)).map((server) => server.id);
    expect(ids("run")).toEqual(["pyright"]);
    expect(ids("deploy")).toEqual(["bashls"]);
    expect(ids("serve")).toEqual(["web"]);
    expect([ids("plain"), ids("x.sh"), ids("missing")]).toEqual([[], [], []]);
  });

  test("language ids by file name, by the longest extension, by first line", () => {
    const server = plan("s", {
      extensions: ["ts", "sh"],
      languageId: "base",
      languageIds: { tsx: "react", "html.erb": "erb", CMakeLists: "cmake" },
    });
    const id = (path: string, line = "") => languageIdOf(server, path, line);
    expect(id("/a/x.ts")).toBe("base");
    expect(id("/a/x.TSX")).toBe("react");
    expect(id("/a/x.html.erb")).toBe("erb");
    expect(id("/a/CMakeLists")).toBe("cmake");
    expect(id("/a/run", "#!/bin/sh")).toBe("shellscript");
    expect(id("/a/x.sh", "#!/usr/bin/python")).toBe("base");
  });

  test("a script is routed by its current first line, though it was routed before", () => {
    const root = workspace({ run: "#!/bin/sh\n" });
    const servers = [
      plan("pyright", { languageId: "python" }),
      plan("bashls", { languageId: "shellscript" }),
    ];
    const routes = new FileRoutes(servers, [root], root);
    const ids = () => routes.of(join(root, "run")).map((server) => server.id);
    expect(ids()).toEqual(["bashls"]);
    writeFileSync(join(root, "run"), "#!/usr/bin/env python3\n");
    expect(ids()).toEqual(["pyright"]);
  });

  test("root: nearest or farthest marker inside the workspace, fixed, or the workspace", () => {
    const root = workspace({
      "package.json": "",
      "pkg/a/package.json": "",
      "pkg/a/src/x.ts": "",
      "pkg/b.csproj": "",
    });
    const file = join(root, "pkg/a/src/x.ts");
    const at = (more: object, path: string | undefined = file) => rootOf(plan("s", more), path, [root], root);
    expect(at({ rootMarkers: ["package.json"] })).toBe(join(root, "pkg/a"));
    expect(at({ rootMarkers: ["package.json"], rootPick: "farthest" })).toBe(root);
    expect(at({ rootMarkers: ["*.csproj"] })).toBe(join(root, "pkg"));
    expect(at({ rootMarkers: ["none"] })).toBe(root);
    expect(at({ rootDir: "pkg", rootMarkers: ["package.json"] })).toBe(join(root, "pkg"));
    expect(at({ rootMarkers: ["package.json"] }, undefined)).toBe(join(root, "pkg/a"));
    expect(rootOf(plan("s", { rootMarkers: ["package.json"] }), undefined, [root], root)).toBe(root);
  });
});

describe("pool", () => {
  test("a file's root is sought again once a marker came or went", async () => {
    const root = workspace({ "sub/a.fake": "" });
    const pool = poolOf(root, [fakeServer(scenarios(), {}, { rootMarkers: ["mark"], shareRoots: false })]);
    const rootNow = async () => (await pool.get("fake", join(root, "sub/a.fake"), signal())).root;
    await pool.checkFiles();
    expect(await rootNow()).toBe(root);
    expect(await rootNow()).toBe(root);
    writeFileSync(join(root, "sub/mark"), "");
    await pool.checkFiles();
    expect(await rootNow()).toBe(join(root, "sub"));
    rmSync(join(root, "sub/mark"));
    await pool.checkFiles();
    expect(await rootNow()).toBe(root);
  });

  test("starts nothing before it is asked, and one server however many ask", async () => {
    const root = workspace({ "a.fake": "" });
    const pool = poolOf(root, [fakeServer(scenarios(), {})]);
    expect(pool.status()).toMatchObject([{ id: "fake", state: "idle", root: null, pid: null }]);
    const got = await Promise.all(
      Array.from({ length: 10 }, () => pool.get("fake", join(root, "a.fake"), signal())),
    );
    expect(new Set(got.map((server) => server.generation))).toEqual(new Set([1]));
    expect(pool.running()).toHaveLength(1);
    expect(pool.status()).toMatchObject([{ state: "running", root, restarts: 0, encoding: "utf-16" }]);
    expect(pool.status()[0]?.memoryMb).toBeGreaterThan(5);
  });

  test("one instance for each root", async () => {
    const root = workspace({ "p/mark": "", "p/a.fake": "", "q/mark": "", "q/b.fake": "" });
    const pool = poolOf(root, [fakeServer(scenarios(), {}, { rootMarkers: ["mark"] })]);
    await Promise.all(["p/a.fake", "q/b.fake"].map((path) => pool.get("fake", join(root, path), signal())));
    expect(pool.status().map((status) => status.root)).toEqual([join(root, "p"), join(root, "q")]);
    expect(await pool.stop("fake")).toEqual(["fake", "fake"]);
    expect(pool.running()).toEqual([]);
  });

  const folders = { workspace: { workspaceFolders: { supported: true, changeNotifications: true } } };
  const nested = {
    mark: "",
    "p/mark": "",
    "p/a.fake": "",
    "q/mark": "",
    "q/b.fake": "",
    "q/r/mark": "",
    "q/r/c.fake": "",
  };

  test("one instance for all roots, where the server takes folders while it runs, also after a crash", async () => {
    const root = workspace(nested);
    const pool = poolOf(root, [
      fakeServer(scenarios(), { capabilities: folders }, { rootMarkers: ["mark"] }),
    ]);
    const paths = ["p/a.fake", "q/b.fake", "q/r/c.fake", "p/a.fake"].map((path) => join(root, path));
    const got = await Promise.all(paths.map((path) => pool.get("fake", path, signal())));
    expect(pool.status()).toMatchObject([
      { root: join(root, "p"), otherRoots: [join(root, "q"), join(root, "q/r")] },
    ]);
    const [server] = got;
    if (!server) throw new Error("no server");
    const told = await received(server, "workspace/didChangeWorkspaceFolders");
    expect(told).toMatchObject([
      { event: { added: [{ uri: pathToFileURL(join(root, "q")).href }], removed: [] } },
      { event: { added: [{ uri: pathToFileURL(join(root, "q/r")).href }], removed: [] } },
    ]);
    // What changes in a root that was added later is told as well.
    write(join(root, "q/r/d.fake"), "");
    await server.ensureOpen(paths[0] ?? "", signal());
    expect(await received(server, "workspace/didChangeWatchedFiles")).toMatchObject([
      { changes: [{ uri: pathToFileURL(join(root, "q/r/d.fake")).href }] },
    ]);
    await act(server, { signal: "SIGKILL" }).catch(() => undefined);
    const next = await pool.get("fake", paths[1], signal());
    const [initialize] = await received(next, "initialize");
    expect(initialize?.workspaceFolders).toMatchObject(["p", "q", "r"].map((name) => ({ name })));
  });

  test.each<[string, Partial<ServerPlan>]>([
    ["the config says so", { shareRoots: false }],
    ["its settings name the root", { settings: { path: "<workspace>/x" } }],
  ])("one instance for each root when %s", async (_why, plan) => {
    const root = workspace(nested);
    const pool = poolOf(root, [
      fakeServer(scenarios(), { capabilities: folders }, { rootMarkers: ["mark"], ...plan }),
    ]);
    for (const path of ["p/a.fake", "q/b.fake"]) await pool.get("fake", join(root, path), signal());
    expect(pool.status().map((status) => status.root)).toEqual([join(root, "p"), join(root, "q")]);
  });

  test("a caller that gives up does not stop the start for the others", async () => {
    const folder = scenarios();
    const pool = poolOf(workspace({}), [
      fakeServer(folder, { on: { initialize: [{ waitFile: join(folder, "go") }] } }),
    ]);
    const controller = new AbortController();
    const first = pool.get("fake", undefined, controller.signal).catch((error: unknown) => error);
    const second = pool.get("fake", undefined, signal());
    controller.abort();
    expect(await first).toMatchObject({ code: "call/cancelled" });
    write(join(folder, "go"), "");
    expect((await second).generation).toBe(1);
  });

  test("past the cap the idlest stops; when all are busy, a clear refusal", async () => {
    const folder = scenarios();
    const servers = ["a", "b", "c"].map((id) =>
      fakeServer(folder, { on: { "fake/documents": [{ never: true }] } }, { id }),
    );
    const limits = { ...fakePlan([]).limits, maxServers: 2 };
    const pool = poolOf(workspace({}), servers, { limits });
    const [a, b] = [await pool.get("a", undefined, signal()), await pool.get("b", undefined, signal())];
    await pool.get("a", undefined, signal());
    const c = await pool.get("c", undefined, signal());
    expect(pool.running().map((server) => server.plan.id)).toEqual(["a", "c"]);
    const hanging = [a, c].map((server) => ask(server, "fake/documents").catch(() => undefined));
    await until(() =>
      pool.status().every((status) => status.state !== "running" || status.pendingRequests > 0),
    );
    await expect(pool.get("b", undefined, signal())).rejects.toMatchObject({ code: "lsp/too-many" });
    expect(b.plan.id).toBe("b");
    await pool.close();
    await Promise.all(hanging);
  });

  test("an idle server stops, and the next call starts it again", async () => {
    const { server, pool, file } = await session({}, { server: { idleShutdownMs: 80 } });
    const pid = pool.status()[0]?.pid ?? 0;
    await until(() => pool.status()[0]?.state === "stopped");
    await until(() => !alive(pid));
    expect((await server.ensureOpen(file, signal())).version).toBe(1);
    expect(server.generation).toBe(2);
  });

  test("a server that is at work is not idle, however long that takes", async () => {
    const scenario = { on: { "fake/documents": [{ wait: "fake/children" }] } };
    const { server, pool } = await session(scenario, { server: { idleShutdownMs: 40 } });
    const slow = ask(server, "fake/documents");
    // Many times the idle time.
    await new Promise((done) => setTimeout(done, 800));
    expect(pool.status()[0]?.state).toBe("running");
    await ask(server, "fake/children");
    expect(await slow).toEqual([]);
    await until(() => pool.status()[0]?.state === "stopped");
  });

  test("a server over its memory limit is ended with a reason, and may start again", async () => {
    const { pool, server } = await session(
      { on: { "fake/documents": [{ never: true }] } },
      { server: { limits: { memoryMb: 1, openFiles: null, processes: null, nice: 5 } } },
    );
    const call = ask(server, "fake/documents").catch((error: unknown) => error);
    expect(await call).toMatchObject({
      code: "lsp/exited",
      message: expect.stringContaining("limits.memory_mb = 1"),
    });
    expect(pool.status()[0]?.lastError).toContain("limits.memory_mb = 1");
    await until(() => pool.status()[0]?.state !== "running");
    const next = await pool.get("fake", undefined, signal());
    expect(next.crashNotice()).toContain("over limits.memory_mb = 1");
    expect((await pool.get("fake", undefined, signal())).crashNotice()).toBeUndefined();
  }, 20_000);

  test("open files and priority are limited where the system allows it", async () => {
    const { pool } = await session(
      {},
      { server: { limits: { memoryMb: null, openFiles: 77, processes: null, nice: 7 } } },
    );
    const pid = pool.status()[0]?.pid ?? 0;
    expect(getPriority(pid)).toBe(7);
    if (process.platform !== "linux") return;
    expect(readFileSync(`/proc/${pid}/limits`, "utf8")).toMatch(/Max open files +77 +77 /);
  });

  test("a limit that cannot be set is reported, and the server runs", async () => {
    const { pool } = await session(
      {},
      { server: { limits: { memoryMb: null, openFiles: 2_000_000_000, processes: null, nice: null } } },
    );
    await until(() => pool.status()[0]?.stderr.join().includes("limits.open_files") === true);
    expect(pool.status()).toMatchObject([{ state: "running" }]);
  });

  test("restart starts the server again, with the documents of the next call", async () => {
    const { server, pool, file } = await session({});
    await server.ensureOpen(file, signal());
    expect(await pool.restart(undefined)).toEqual(["fake"]);
    await server.ensureOpen(file, signal());
    expect(server.generation).toBe(2);
    expect(await received(server, "textDocument/didOpen")).toHaveLength(1);
  });

  test("a closed pool starts nothing", async () => {
    const { pool } = await session({});
    await pool.close();
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({ code: "lsp/exited" });
    await expect(pool.get("none", undefined, signal())).rejects.toMatchObject({ code: "route/no-server" });
  });

  test("a server on TCP is reached, and not ended, by us", async () => {
    const folder = scenarios();
    const scenario = join(folder, "s.json");
    write(scenario, JSON.stringify({ ignoreStdinEnd: true }));
    const running = spawn(process.execPath, [fakeServerPath, scenario, "--port", "0"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    afterThis(() => void running.kill());
    const port = await new Promise<number>((done) => {
      running.stderr.once("data", (text) => done(JSON.parse(String(text).slice(10)).port));
    });
    const transport = { kind: "tcp" as const, mode: "connect" as const, host: "127.0.0.1", port };
    const pool = poolOf(workspace({}), [fakeServer(folder, {}, { command: [], transport })]);
    const server = await pool.get("fake", undefined, signal());
    expect(await ask(server, "fake/documents")).toEqual([]);
    expect(pool.status()[0]).toMatchObject({ state: "running", pid: null });
    await pool.close();
    const again = poolOf(workspace({}), [fakeServer(folder, {}, { command: [], transport })]);
    expect(await ask(await again.get("fake", undefined, signal()), "fake/documents")).toEqual([]);
    expect(running.exitCode).toBeNull();
  });

  test("a server on a pipe that is not there is refused", async () => {
    const pool = poolOf(workspace({}), [
      fakeServer(scenarios(), {}, { transport: { kind: "pipe", mode: "connect", path: "no.sock" } }),
    ]);
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({ code: "lsp/start-failed" });
  });

  test("a server that starts more processes than it may is ended, and the next call says why", async () => {
    const limits = { memoryMb: null, openFiles: null, processes: 2, nice: null };
    const { pool, server, file } = await session({}, { server: { limits } });
    await act(server, { spawn: true }, { spawn: "apart" });
    const children = (await ask(server, "fake/children")) as number[];
    await until(() => pool.status()[0]?.lastError?.includes("limits.processes = 2") === true);
    await until(() => !children.some(alive));
    const next = await pool.get("fake", file, signal());
    expect(next.crashNotice()).toContain("over limits.processes = 2");
  });

  test("the periodic restart comes when the server is not busy", async () => {
    const scenario = { on: { "fake/documents": [{ wait: "fake/children" }] } };
    const { pool, server, file } = await session(scenario, { server: { restartIntervalMinutes: 0.001 } });
    const slow = ask(server, "fake/documents");
    await new Promise((done) => setTimeout(done, 2_500));
    expect(pool.status()[0]?.state).toBe("running");
    await ask(server, "fake/children");
    expect(await slow).toEqual([]);
    await until(() => pool.status()[0]?.state === "stopped");
    await server.ensureOpen(file, signal());
    expect(server.generation).toBe(2);
  });

  test("a server that hangs in its start is ended by close, without waiting for its timeout", async () => {
    const pool = poolOf(workspace({}), [fakeServer(scenarios(), { on: { initialize: [{ never: true }] } })]);
    const start = pool.get("fake", undefined, signal()).catch((error: unknown) => error);
    await until(() => pool.status()[0]?.state === "starting");
    const started = performance.now();
    await pool.close();
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(await start).toMatchObject({
      code: "lsp/exited",
      message: expect.stringContaining("was stopped"),
    });
  });
});

describe("a start waits until the processes of the last one are gone", () => {
  /** A server that nothing but SIGKILL ends. */
  const stubborn = { ignoreShutdown: true, ignoreExit: true, ignoreStdinEnd: true, refuseSigterm: true };
  const atOnce: Partial<ServerPlan> = { restart: { max: 5, windowMs: 300_000, backoffMs: [1, 1] } };
  const pidOf = (pool: ServerPool) => pool.status()[0]?.pid ?? 0;

  test("after the project's files were created", async () => {
    const { pool, root } = await session(stubborn, { server: { projectFiles: ["project.json"] } });
    const pid = pidOf(pool);
    write(join(root, "project.json"), "{}");
    const next = await pool.get("fake", undefined, signal());
    expect([next.generation, alive(pid)]).toEqual([2, false]);
  });

  test("after it was ended because it used too much", async () => {
    const limits = { memoryMb: null, openFiles: null, processes: 1, nice: null };
    const { pool, server } = await session(stubborn, { server: { ...atOnce, limits } });
    const pid = pidOf(pool);
    await act(server, { spawn: true });
    await until(() => pool.status()[0]?.state !== "running");
    const next = await pool.get("fake", undefined, signal());
    expect([next.generation, alive(pid)]).toEqual([2, false]);
  });

  test("and so does a stop by hand", async () => {
    const { pool } = await session(stubborn, { server: { idleShutdownMs: 40 } });
    const pid = pidOf(pool);
    await until(() => pool.status()[0]?.state === "stopped");
    expect(alive(pid)).toBe(true);
    await pool.stop(undefined);
    expect(alive(pid)).toBe(false);
  });
});

test("commands are found by absolute path or by name, never by a relative path", () => {
  const folder = workspace({ "bin/tool": "", "bin/data": "", "other/tool": "" });
  chmodSync(join(folder, "bin/tool"), 0o755);
  chmodSync(join(folder, "other/tool"), 0o755);
  const [bin, other] = [join(folder, "bin"), join(folder, "other")];
  expect(findCommand("tool", [bin], other)).toBe(join(bin, "tool"));
  expect(findCommand("tool", [], `relative:${other}:${bin}`)).toBe(join(other, "tool"));
  expect(findCommand("data", [bin], undefined)).toBeUndefined();
  expect(findCommand("bin/tool", [folder], folder)).toBeUndefined();
  expect(findCommand("../bin/tool", [other], undefined)).toBeUndefined();
  expect(findCommand(join(bin, "tool"), [], undefined)).toBe(join(bin, "tool"));
});

test("paths in a server's words: relative inside the roots, gone outside", () => {
  const clean = (text: string) => redact(text, ["/w/p"]);
  expect(clean("at /w/p/src/a.ts:3:1 and /w/pq/b.ts")).toBe("at src/a.ts:3:1 and <path>");
  expect(clean('open "/home/me/.ssh/id" failed')).toBe('open "<path>" failed');
  expect(clean("file:///w/p/x%20y.ts and file:///etc/passwd")).toBe("x y.ts and <path>");
  expect(clean("a/b and 1/2 and and/or, https://example.com/x")).toBe(
    "a/b and 1/2 and and/or, https://example.com/x",
  );
  expect(clean("C:\\Users\\me\\x /w/p")).not.toContain("Users\\me\\y");
});
