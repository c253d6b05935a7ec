/** The start of a hub that does not go well: the hub is killed, or its folder cannot be written. */
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Socket } from "node:net";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isRunning } from "../../src/base/system.js";
import { version } from "../../src/cli/shipped.js";
import { findHub, type HubConnection } from "../../src/hub/find-hub.js";
import { socketOf } from "../../src/hub/hub-folder.js";
import { hubKey, launchFile, writeRecord } from "../../src/hub/launch-record.js";
import { privateLine } from "../../src/hub/lines.js";
import { HubUser, place, type SharedSession } from "./support.js";

const LONG = { timeout: 60_000 };

let user: HubUser;
let folder: string;
beforeEach(() => {
  user = new HubUser();
  folder = join(user.runFolder, "lsp-proxy");
});
afterEach(() => user.close());

it("a hub that is killed while it starts is started again, also one that holds the lock", async () => {
  const { args } = user.workspace();
  const starts = join(user.top, "starts");
  const slowed = new URL("slow-listen.mjs", import.meta.url).pathname;
  const opening = user.open(args, { NODE_OPTIONS: `--import ${slowed}`, HUB_STARTS: starts });
  // The process id 0 would be this process's own group: a number whose line is not complete does not count.
  const started = () =>
    existsSync(starts) ? [...readFileSync(starts, "utf8").matchAll(/^[1-9]\d*\n/gm)] : [];
  const kill = (index: number) => process.kill(Number(started()[index]?.[0] ?? Number.NaN), "SIGKILL");
  await expect.poll(() => started().length, LONG).toBe(1);
  kill(0);
  await expect.poll(() => started().length, LONG).toBe(2);
  const locks = join(folder, "lock");
  const isLocked = () => existsSync(locks) && readdirSync(locks).some((name) => name.startsWith("lock-"));
  await expect.poll(isLocked, LONG).toBe(true);
  kill(1);

  const session = await opening;
  expect((await session.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  const { structuredContent } = await session.call("get_server_status", {});
  expect(structuredContent.warnings ?? []).toEqual([]);
  expect(await user.hub()).toMatchObject({ sessions: 1 });
});

/** The beginning of the names of a launch's files: its mark, its log, its record. */
function fileOf(config: string): string {
  const workspace = realpathSync.native(user.top);
  return launchFile(folder, { flags: { config }, cwd: user.top, workspace, version: version() }, user.env);
}

it.each([
  // Every write to a file fails, as on a full disk.
  ["the folder is full", "EFBIG", { under: ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh"] }, () => undefined],
  ["the log cannot be opened", "EISDIR", {}, (file: string) => mkdirSync(`${file}.log`)],
  ["a mark cannot be removed", "EISDIR", {}, (file: string) => mkdirSync(`${file}.starting`)],
])("where %s, a session serves by itself, and says so", async (_, why, options, spoil) => {
  const { args, config } = user.workspace();
  mkdirSync(folder, { mode: 0o700 });
  spoil(fileOf(config));
  const before = readdirSync(folder);
  const session = await user.open(args, {}, options);
  expect((await session.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  const { structuredContent } = await session.call("get_server_status", {});
  expect(structuredContent.warnings).toEqual([
    expect.objectContaining({ code: "answer/not-shared", message: expect.stringContaining(why) }),
  ]);
  // No mark is left that would hold up the next session.
  expect(readdirSync(folder)).toEqual(before);
});

/** Why a session has servers of its own, from its status. */
async function reasonOf(session: SharedSession): Promise<string> {
  const { structuredContent } = await session.call("get_server_status", {});
  const [warning] = structuredContent.warnings as { code: string; message: string }[];
  expect(warning?.code).toBe("answer/not-shared");
  return String(warning?.message);
}

it("where no socket can have such a long path, no hub is started", async () => {
  const { args } = user.workspace();
  const long = join(user.top, "x".repeat(90));
  mkdirSync(long, { mode: 0o700 });
  const session = await user.open(args, { XDG_RUNTIME_DIR: long });
  expect(await reasonOf(session)).toContain("too long for a socket");
  expect(readdirSync(join(long, "lsp-proxy"))).toEqual([]);
});

it("a session beside a hub that does not answer serves by itself at once, and says so", async () => {
  const { args, config } = user.workspace();
  await (await user.open(args)).close();
  const { pid } = await user.hub();
  process.kill(pid, "SIGSTOP");
  try {
    const reason = await reasonOf(await user.open(args));
    expect(reason).toMatch(/^The language servers are not shared: the hub at \S+ does not answer; /);
    expect(reason).toContain(`see ${fileOf(config)}.log.`);
    // None was started beside it, which would have waited for an answer once more.
    expect(readFileSync(`${fileOf(config)}.log`, "utf8")).not.toContain("no hub: ");
  } finally {
    process.kill(pid, "SIGCONT");
  }
});

/** A process that listens for the launch's hub and does not answer. */
async function openSilentHub() {
  mkdirSync(folder, { mode: 0o700 });
  const launch = { flags: {}, cwd: user.top, workspace: user.top, version: version() };
  const file = launchFile(folder, launch, user.env);
  const record = { start: "start", env: [], files: {} };
  writeRecord(file, record);
  const silent = createServer({ allowHalfOpen: true });
  const listen = async () => {
    silent.listen(socketOf(folder, hubKey(record, user.env)));
    await once(silent, "listening");
  };
  const find = () => findHub({ launch, env: user.env, executable: "none", session: {} }).catch(String);
  return { file, silent, listen, find };
}

it("a hub that is silent is not waited for, unless it is being started", async () => {
  const { file, silent, listen, find } = await openSilentHub();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    await listen();
    const asked = async () => {
      const [socket] = (await once(silent, "connection")) as [Socket];
      await once(socket, "data");
      return socket;
    };
    let found = find();
    await asked();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await found).toContain("does not answer");

    writeFileSync(`${file}.starting`, String(process.pid));
    found = find();
    const first = asked();
    await first;
    const second = asked();
    await vi.advanceTimersByTimeAsync(3_100);
    // It asks again.
    (await second).write(privateLine("ready", { reads: [], bundle: "of-the-new-hub" }));
    const { bundle, socket } = (await found) as HubConnection;
    expect(bundle).toBe("of-the-new-hub");
    socket.destroy();
  } finally {
    silent.close();
    vi.useRealTimers();
  }
});

it("a hub whose socket was removed ends, so that it does not stay beside the next one", async () => {
  const { args } = user.workspace();
  await (await user.open(args)).close();
  await user.hub();
  rmSync(folder, { recursive: true });
  await expect.poll(() => user.processes(), LONG).toEqual([]);
});

it("it also ends beside the next one, and leaves that one's socket alone", async () => {
  const { args } = user.workspace();
  const first = await user.open(args);
  await first.call("get_hover", place);
  const { pid } = await user.hub();
  const [socket = ""] = readdirSync(folder).filter((name) => name.endsWith(".sock"));
  rmSync(join(folder, socket));
  const second = await user.open(args);
  const next = await user.hub();
  expect(next.pid).not.toBe(pid);
  await expect.poll(() => isRunning(pid), LONG).toBe(false);
  expect(await user.hub()).toMatchObject({ pid: next.pid });
  for (const { call } of [first, second])
    expect((await call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  expect(await user.hub()).toMatchObject({ pid: next.pid, sessions: 2 });
});

it("a workspace and its config have one hub, by whatever links they are named", async () => {
  const { config } = user.workspace();
  const link = join(user.top, "link");
  symlinkSync(dirname(config), link);
  const sessions = [
    await user.open(["--config", config, "-w", dirname(config)]),
    await user.open(["--config", join(link, basename(config)), "-w", link]),
  ];
  for (const session of sessions)
    expect((await session.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  expect(await user.hub()).toMatchObject({ sessions: 2 });
});

it("a session whose workspace was deleted says so", async () => {
  const { config } = user.workspace();
  const session = await user.open(["--config", config, "-w", dirname(config)]);
  rmSync(dirname(config), { recursive: true });
  await expect.poll(() => user.hubs(), LONG).toEqual([]);
  await expect(session.call("get_hover", place)).rejects.toThrow(/the workspace \S+ does not exist any more/);
});

it("records and logs that were not used for a month are removed with the next start", async () => {
  const { args } = user.workspace();
  mkdirSync(folder, { mode: 0o700 });
  const monthAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
  for (const name of ["old.json", "old.log", "old.pid", "new.log"]) writeFileSync(join(folder, name), "");
  for (const name of ["old.json", "old.log", "old.pid"]) utimesSync(join(folder, name), monthAgo, monthAgo);
  await (await user.open(args)).close();
  await user.hub();
  expect(readdirSync(folder)).toContain("new.log");
  expect(readdirSync(folder).filter((name) => name.startsWith("old"))).toEqual([]);
});

it("the time for a hub to answer is part of the time to wait for a hub", async () => {
  const { file, silent, listen, find } = await openSilentHub();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    // Another process starts the hub.
    writeFileSync(`${file}.starting`, String(process.pid));
    const found = find();
    await vi.advanceTimersByTimeAsync(14_000);
    await listen();
    const connected = once(silent, "connection");
    await vi.advanceTimersByTimeAsync(100);
    const [socket] = (await connected) as [Socket];
    await once(socket, "data");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await Promise.race([found, nextTurn("it waits")])).toContain("no hub was ready within 15 s");
    socket.destroy();
  } finally {
    silent.close();
    vi.useRealTimers();
  }
});
