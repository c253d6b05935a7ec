/** `hub run`: the process of a hub. It ends when it is idle, told to, or when its config or program has changed. */
import { fstatSync, ftruncateSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { factsOf, stampFrom } from "../../base/file-stamp.js";
import { isTable, type JsonObject, parseJson } from "../../base/json.js";
import { ConfigError } from "../../base/problem.js";
import { whenAborted } from "../../base/timing.js";
import { askOnce, openSocket } from "../../hub/ask-hub.js";
import { MAX_LOG_BYTES } from "../../hub/find-hub.js";
import { allSockets, openHubFolder, socketOf } from "../../hub/hub-folder.js";
import { hubKey, isFresh, type LaunchRecord, writeRecord } from "../../hub/launch-record.js";
import type { Log } from "../../lsp/types.js";
import { Hub } from "../../mcp/hub/hub.js";
import { takeLock } from "../../workspace/edits/lock.js";
import { realDisk } from "../../workspace/edits/real-disk.js";
import { abortOn, Input, type Io, UsageError } from "../command.js";
import { type HubPage, hubPage, hubSource } from "../dashboard/hub-page.js";
import { openPages, type ServedPages } from "../dashboard/served-pages.js";
import { openLog } from "../log/log.js";
import { type Loaded, loadFrom, type Opened, openLoaded } from "../open.js";
import { tryServers } from "../server-trials.js";
import { executable } from "../shipped.js";
import { trustOffer } from "../trust-offer.js";
import { warmUp } from "../warm-up.js";
import { watchFiles, watchFolder } from "../watch-files.js";
import { recordOf } from "./hub-start.js";

const LOCK_MS = 10_000;
const STDERR = 2;

interface Started {
  hub: Hub;
  page: HubPage | undefined;
  opened: Opened;
  record: LaunchRecord;
}

/** Runs the hub of a launch until it ends. Where another one already listens, only the record is written. */
export async function runHub(launch: string, io: Io): Promise<void> {
  const { input, file } = launchIn(launch);
  const log = openLog(input, io, "warn");
  const signal = abortOn("SIGTERM", "SIGINT");
  // It belongs to no terminal.
  process.on("SIGHUP", () => undefined);
  const began = Date.now();
  const found = await loadFrom(input, io, { servesUntrusted: true });
  const started = await start(found, { input, io, file, log });
  if (started === undefined) return;
  const { hub, opened, page } = started;
  const { runtime, refusal } = opened;
  const { share, limits, http } = runtime.loaded.plan;
  if (share.warm && refusal === undefined) void runtime.warmup();
  const leave = () => hub.end(false, limits.timeoutMs);
  const stopWatching = watchStart(started, { input, io, file, log }, leave, began);
  const boundLog = setInterval(keepLogSmall, 60_000);
  void whenAborted(signal).then(() => hub.end(true, http.drainMs));
  await hub.ended;
  stopWatching();
  clearInterval(boundLog);
  hub.close();
  await page?.close();
  await runtime.close();
  // A connection that was just accepted must not keep the process.
  io.exitAfter?.(1_000);
}

interface Launched {
  input: Input;
  io: Io;
  /** The launch record, without its ending. */
  file: string;
  log: Log;
}

/** The command line that the hub serves. */
function launchIn(text: string): { input: Input; file: string } {
  const launch = parseJson(text);
  if (!isTable(launch) || !isTable(launch.flags) || typeof launch.record !== "string")
    throw new UsageError("`hub run` is how `serve --shared` starts its background process");
  return { input: new Input(launch.flags as Input["flags"]), file: launch.record };
}

/** Opens the runtime and listens; undefined where another hub listens already. The lock makes it the only one. */
async function start(found: Loaded, { input, io, file, log }: Launched): Promise<Started | undefined> {
  const folder = openHubFolder(io.env);
  const record = recordOf(found);
  const path = socketOf(folder, hubKey(record, io.env));
  const locks = join(folder, "lock");
  mkdirSync(locks, { recursive: true, mode: 0o700 });
  const lock = await takeLock(realDisk, realpathSync(locks), LOCK_MS);
  try {
    if ((await askOnce(path, "status")) !== undefined) {
      writeRecord(file, record);
      return undefined;
    }
    if (process.platform !== "win32") await removeLeftOver([path, ...allSockets(folder)]);
    const opened = await openLoaded(found, input, io);
    const pages = await pagesOf(opened, { input, io, file, log }, (count) => {
      hub.viewers = count;
    });
    const page = pages && hubPage(pages);
    const hub = hubOf(opened, { input, io, file, log }, page);
    await hub.listen(path);
    writeRecord(file, record);
    return { hub, opened, record, page };
  } finally {
    await lock.release();
  }
}

/** Removes sockets of hubs that were killed. While the lock is held, no other hub begins to listen. */
async function removeLeftOver(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const socket = await openSocket(path);
    if (socket === undefined) rmSync(path, { force: true });
    socket?.destroy();
  }
}

/** Records the calls for the dashboard, which is opened when somebody asks for it. */
async function pagesOf(
  { runtime, base, source }: Opened,
  { input, io, log }: Launched,
  onViewers: (count: number) => void,
): Promise<ServedPages | undefined> {
  const workspace = { name: basename(base), runtime, input, io, source };
  return openPages({ kind: "hub", workspaces: [workspace], source: hubSource, log, onViewers });
}

/** A link to the dashboard; undefined where there is none. */
async function linkOf(page: HubPage | undefined, log: Log): Promise<string | undefined> {
  try {
    return await page?.link();
  } catch (error) {
    log("error", "the dashboard cannot be opened", { cause: String(error) });
    return undefined;
  }
}

function hubOf(
  { runtime, found, base, refusal }: Opened,
  { io, log }: Launched,
  page: HubPage | undefined,
): Hub {
  /** The calls of the command line have one session, so that their cursors stay valid. */
  const shell = runtime.openSession({ brief: true });
  return new Hub({
    runtime,
    log,
    workspace: base,
    dashboard: () => linkOf(page, log),
    trust(leave) {
      if (found === undefined) return undefined;
      // The record of trust is one of the watched files: the next hub has the trust.
      const goOn = async () => {
        leave();
        return false;
      };
      return trustOffer(found, refusal !== undefined, goOn, io, log);
    },
    async call({ name, args, warmMs, ids }, signal, onProgress): Promise<JsonObject> {
      if (Array.isArray(ids)) {
        const trials: JsonObject[] = [];
        const request = { ids: ids.map(String), base, env: io.env };
        for await (const trial of tryServers(runtime, request)) trials.push({ ...trial });
        return { trials };
      }
      if (typeof warmMs === "number") await warmUp(runtime, warmMs, signal);
      const outcome = await shell.call(String(name), args, { signal, onProgress });
      return { outcome: outcome as unknown as JsonObject };
    },
  });
}

/** Ends the hub when its program changed, or its config so that it means something else. Gives the end of the watch. */
function watchStart(
  { record, opened }: Started,
  { input, io, file, log }: Launched,
  end: () => void,
  began: number,
): () => void {
  const check = async () => {
    try {
      const found = recordOf(await loadFrom(input, io, { servesUntrusted: true }));
      if (found.start === record.start) writeRecord(file, found);
      else end();
    } catch (error) {
      // While a config is being edited it may have problems. Those who use the hub go on with what they have.
      const cause = error instanceof ConfigError ? error.message : String(error);
      log("warn", "the config was changed and cannot be used", { cause });
    }
  };
  const files = Object.keys(record.files);
  const stops = [
    watchFiles([executable], end),
    watchFiles(files, () => void check()),
    watchFolder(opened.base, end),
  ];
  // A file may have changed after it was read and before it was watched.
  if (!isFresh(record) || files.some((path) => (stampFrom(factsOf(path))?.changedAt ?? 0) > began))
    void check();
  return () => {
    for (const stop of stops) stop();
  };
}

function keepLogSmall(): void {
  try {
    const stats = fstatSync(STDERR);
    if (stats.isFile() && stats.size > MAX_LOG_BYTES) ftruncateSync(STDERR);
  } catch {
    // It has no log then.
  }
}
