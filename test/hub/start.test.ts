/** The start of a hub that does not go well: the hub is killed, or its folder cannot be written. */
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { version } from "../../src/cli/shipped.js";
import { findHub } from "../../src/hub/find-hub.js";
import { socketOf } from "../../src/hub/hub-folder.js";
import { hubKey, launchFile, writeRecord } from "../../src/hub/launch-record.js";
import { HubUser, place } from "./support.js";

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

it("the time for a hub to answer is part of the time to wait for a hub", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const silent = createServer({ allowHalfOpen: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
    const launch = { flags: {}, cwd: user.top, workspace: user.top, version: version() };
    const file = launchFile(folder, launch, user.env);
    const record = { start: "start", env: [], files: {} };
    writeRecord(file, record);
    // Another process starts the hub.
    writeFileSync(`${file}.starting`, String(process.pid));
    const found = findHub({ launch, env: user.env, executable: "none", session: {} }).catch(String);
    await vi.advanceTimersByTimeAsync(14_000);
    silent.listen(socketOf(folder, hubKey(record, user.env)));
    await once(silent, "listening");
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
