/**
 * The hub process. It switches to a changed config if every session would find the same one. It exits when idle, on
 * `hub stop`, when the program changed, or when the new config needs another hub.
 */
import { fstatSync, ftruncateSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { namesIn } from "../../base/disk.js";
import { stampFrom, statOf } from "../../base/file-stamp.js";
import { isTable, type JsonObject, parseJson } from "../../base/json.js";
import { here } from "../../base/platform.js";
import { whenAborted } from "../../base/timing.js";
import { askOnce, openSocket } from "../../hub/ask-hub.js";
import { MAX_LOG_BYTES, REASON_PREFIX } from "../../hub/find-hub.js";
import {
  allSockets,
  HubUnavailable,
  openHubFolder,
  pidFile,
  shownFile,
  socketOf,
} from "../../hub/hub-folder.js";
import { hubKey, isFresh, type LaunchRecord, writeRecord } from "../../hub/launch-record.js";
import type { Log } from "../../lsp/types.js";
import { Hub } from "../../mcp/hub/hub.js";
import { takeLock } from "../../workspace/edits/lock.js";
import { realDisk } from "../../workspace/edits/real-disk.js";
import { Input, type Io, UsageError } from "../command.js";
import {
  allowedSources,
  type HubDashboardServer,
  hubDashboardServer,
} from "../dashboard/hub-dashboard-server.js";
import { openPages, type ServedPages } from "../dashboard/served-pages.js";
import { openLog } from "../log/log.js";
import { type Loaded, loadFrom, type Opened, openLoaded } from "../open.js";
import { type Load, ServedConfig } from "../served-config.js";
import { tryServers } from "../server-trials.js";
import { executable } from "../shipped.js";
import { abortOn } from "../signals.js";
import { trustOffer } from "../trust-offer.js";
import { warmUp } from "../warm-up.js";
import { watchFiles, watchFolder } from "../watch-files.js";
import { compatibilityHash, recordOf, startHashes } from "./hub-start.js";

const LOCK_MS = 10_000;
const UPKEEP_MS = 1_000;
const MAX_RECORD_AGE_MS = 30 * 24 * 60 * 60 * 1000;
const STDERR = 2;

/**
 * Runs the hub of a launch until it ends. Where another one already listens, only the record is written. Returns
 * whether the hub could be started; the log says why not.
 */
export async function runHub(launch: string, io: Io): Promise<boolean> {
  try {
    await runOrThrow(launch, io);
    return true;
  } catch (error) {
    if (!(error instanceof HubUnavailable)) throw error;
    io.stderr.writeLine(`${REASON_PREFIX}${error.message}`);
    return false;
  }
}

async function runOrThrow(launch: string, io: Io): Promise<void> {
  const { input, file } = launchIn(launch);
  const launched = { input, io, file, log: openLog(input, io, "warn") };
  const signal = abortOn("SIGTERM", "SIGINT");
  // It belongs to no terminal.
  process.on("SIGHUP", () => undefined);
  const began = Date.now();
  const found = await loadFrom(input, io, { servesUntrusted: true });
  const started = await start(found, launched);
  if (started === undefined) return;
  const { hub, opened, dashboard } = started;
  const { runtime } = opened;
  const plan = () => runtime.loaded.plan;
  if (plan().share.warm || plan().mcp.warmup) void runtime.warmup();
  const leave = () => hub.end(false, plan().limits.timeoutMs);
  followConfig(started, launched, leave, began);
  const stops = [watchFiles([executable], leave), watchFolder(opened.base, leave)];
  const upkeep = setInterval(() => {
    keepLogSmall();
    // Without its socket, which a cleaner of temporary files may remove, it gets no new sessions.
    if (!hub.isReachable) leave();
  }, UPKEEP_MS);
  void whenAborted(signal).then(() => hub.end(true, plan().http.drainMs));
  await hub.ended;
  for (const stop of stops) stop();
  clearInterval(upkeep);
  hub.close();
  await dashboard?.close();
  await runtime.close();
  // A connection that was just accepted must not keep the process.
  io.exitAfter?.(1_000);
}

interface Started {
  hub: Hub;
  dashboard: HubDashboardServer | undefined;
  opened: Opened;
  record: LaunchRecord;
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

/** Opens the runtime and listens; undefined where another hub listens already. */
async function start(found: Loaded, launched: Launched): Promise<Started | undefined> {
  const { input, io } = launched;
  const record = recordOf(found, input);
  return takePlace(record, launched, async (path) => {
    const opened = await openLoaded(found, input, io);
    const pages = await pagesOf(opened, launched, (count) => {
      hub.viewers = count;
    });
    const dashboard = pages && hubDashboardServer(pages);
    const hub = hubOf(opened, launched, record, dashboard);
    await hub.listen(path);
    return { hub, opened, record, dashboard };
  });
}

/** Lets the hub listen where the record says, and writes the record; undefined where another one listens already. */
async function takePlace<T>(
  record: LaunchRecord,
  { io, file }: Launched,
  listen: (path: string) => Promise<T>,
): Promise<T | undefined> {
  const folder = openHubFolder(io.env);
  const path = socketOf(folder, hubKey(record, io.env));
  const locks = join(folder, "lock");
  mkdirSync(locks, { recursive: true, mode: 0o700 });
  // The lock makes it the only one.
  const lock = await takeLock(realDisk, realpathSync.native(locks), LOCK_MS);
  try {
    const isTaken = (await askOnce(path, "status")) !== undefined;
    if (!isTaken) {
      await removeLeftOver(folder, [path, ...allSockets(folder)]);
      removeOldRecords(folder);
    }
    const listening = isTaken ? undefined : await listen(path);
    if (!isTaken && here.hasSocketFiles) writeFileSync(pidFile(path), `${process.pid}\n`, { mode: 0o600 });
    if (!isTaken && !here.hasSocketFiles) writeFileSync(shownFile(folder, path), "");
    writeRecord(file, record);
    return listening;
  } finally {
    await lock.release();
  }
}

/** Removes sockets of hubs that were killed. While the lock is held, no other hub begins to listen. */
async function removeLeftOver(folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const socket = await openSocket(path);
    if (socket === undefined) rmSync(shownFile(folder, path), { force: true });
    socket?.destroy();
  }
}

/** Removes files of launches and hubs that nobody has used for a month. */
function removeOldRecords(folder: string): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const changedAt = statOf(path)?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (/\.(json|log|pid|bind)$/.test(name) && Date.now() - changedAt > MAX_RECORD_AGE_MS)
      rmSync(path, { force: true });
  }
}

/** Records the calls for the dashboard, which is opened when somebody asks for it. */
async function pagesOf(
  { runtime, base, source }: Opened,
  { input, io, log }: Launched,
  onViewers: (count: number) => void,
): Promise<ServedPages | undefined> {
  const workspace = { name: basename(base), runtime, input, io, source };
  return openPages({ kind: "hub", workspaces: [workspace], source: allowedSources, log, onViewers });
}

/** A link to the dashboard; undefined where there is none. */
async function linkOf(dashboard: HubDashboardServer | undefined, log: Log): Promise<string | undefined> {
  try {
    return await dashboard?.link();
  } catch (error) {
    log("error", "the dashboard cannot be opened", { cause: String(error) });
    return undefined;
  }
}

function hubOf(
  { runtime, found, base, refusal }: Opened,
  { input, io, log }: Launched,
  record: LaunchRecord,
  dashboard: HubDashboardServer | undefined,
): Hub {
  /** The calls of the command line have one session, so that their cursors stay valid. */
  const shell = runtime.openSession({ savesPreviews: true });
  return new Hub({
    runtime,
    log,
    workspace: base,
    start: startHashes(record, input, io.env),
    dashboard: () => linkOf(dashboard, log),
    trust(leave) {
      if (found === undefined) return undefined;
      // The record of trust is one of the watched files: the next hub has the trust.
      const reload = async () => {
        leave();
        return false;
      };
      return trustOffer(found, refusal !== undefined, reload, io, log);
    },
    async call({ kind, body }, signal, onProgress): Promise<JsonObject> {
      if (kind === "lookAgain") {
        await runtime.finder.lookAgain();
        return {};
      }
      if (kind === "tryServers") {
        const trials: JsonObject[] = [];
        const ids = Array.isArray(body.ids) ? body.ids.map(String) : [];
        for await (const trial of tryServers(runtime, { ids, base, env: io.env })) trials.push({ ...trial });
        return { trials };
      }
      if (kind === "callWarm") await warmUp(runtime, Number(body.warmMs), signal);
      const outcome = await shell.call(String(body.name), body.args, { signal, onProgress });
      return { outcome: outcome as unknown as JsonObject };
    },
  });
}

/**
 * Watches the config. The hub switches to a changed one, under its new key. It leaves its sessions to another hub
 * where they may differ in what they would find, or another one has the key already.
 */
function followConfig(
  { hub, opened, record: first }: Started,
  launched: Launched,
  leave: () => void,
  began: number,
): void {
  const { input, io, file, log } = launched;
  const { runtime } = opened;
  const hash = compatibilityHash(opened, input);
  let record = first;
  const takes = (next: Loaded) => {
    const isSame = compatibilityHash(next, input) === hash;
    if (!isSame) leave();
    return isSame;
  };
  const failed = (error: unknown) => log("error", "the changed config", { cause: String(error) });
  const listen = (path: string) => hub.listen(path).then(() => true);
  const onUsed = async (next: Loaded) => {
    const before = record;
    record = recordOf(next, input);
    if (record.start === before.start) writeRecord(file, record);
    else if (!(await takePlace(record, launched, listen).catch(failed))) leave();
  };
  const load: Load = (options) => loadFrom(input, io, options);
  const config = new ServedConfig(runtime, opened, load, { io, log, takes, onUsed });
  // A file may have changed after it was read and before it was watched.
  const changedAt = (path: string) => stampFrom(statOf(path))?.changedAt ?? 0;
  if (!isFresh(first) || Object.keys(first.files).some((path) => changedAt(path) > began))
    config.reload().catch(failed);
}

function keepLogSmall(): void {
  try {
    const stats = fstatSync(STDERR);
    if (stats.isFile() && stats.size > MAX_LOG_BYTES) ftruncateSync(STDERR);
  } catch {
    // It has no log then.
  }
}
