/** Finds the hub of a launch, or starts it. Of many processes that look for the same hub at once, one starts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { statOf } from "../base/file-stamp.js";
import type { Environment } from "../base/home.js";
import type { JsonObject } from "../base/json.js";
import { isRunning, systemCode } from "../base/system.js";
import { delay } from "../base/timing.js";
import { ANSWER_MS, exchange, HubSilent } from "./ask-hub.js";
import { HubUnavailable, isSocketThere, openHubFolder, socketOf } from "./hub-folder.js";
import { type HubLaunch, hubKey, isFresh, launchFile, readRecord } from "./launch-record.js";

/** How long a hub may take until it has answered. Some clients wait 20 s for their server. */
const START_MS = 15_000;
const POLL_MS = 40;
/** Begins the log's line that says why the hub could not be started. */
export const REASON_PREFIX = "lsp-proxy: no hub: ";
/** A larger log is begun anew. */
export const MAX_LOG_BYTES = 1_048_576;

interface HubRequest {
  launch: HubLaunch;
  env: Environment;
  /** The program, whose `hub run` is the hub. */
  executable: string;
  /** The facts that the session sends to the hub. */
  session: JsonObject;
}

/** The connection of a session to its hub. */
export interface HubConnection {
  socket: Socket;
  /** The names of the tools that only read. */
  reads: ReadonlySet<string>;
  /** Identifies the tools; another hub may have others. */
  bundle: string;
}

/** Connects a session to the hub of the launch. Throws HubUnavailable when there is none in time. */
export async function findHub(request: HubRequest): Promise<HubConnection> {
  const { launch, env } = request;
  const folder = openHubFolder(env);
  const file = launchFile(folder, launch, env);
  // All keys have the same length: where this path is too long, no hub can listen.
  socketOf(folder, hubKey({ start: "", env: [] }, env));
  const end = performance.now() + START_MS;
  let starting: Starting | undefined;
  let isNew = false;
  try {
    for (;;) {
      isNew ||= isMarkHeld(`${file}.starting`);
      const session = await joinHub(folder, file, request, end - performance.now()).catch((error) => {
        if (!(error instanceof HubSilent)) throw error;
        // A hub that has just been started may be busy.
        if (!isNew) throw new HubUnavailable(`${error.message}; see ${file}.log`);
        return undefined;
      });
      if (session !== undefined) return session;
      if (starting?.failure !== undefined) throw new HubUnavailable(`${starting.failure}; see ${file}.log`);
      if (performance.now() >= end)
        throw new HubUnavailable(`no hub was ready within ${START_MS / 1000} s; see ${file}.log`);
      if (starting?.isOver) starting.end();
      if (starting === undefined || starting.isOver) starting = startHub(file, request);
      await delay(POLL_MS);
    }
  } finally {
    starting?.end();
  }
}

/** Connects to the hub that the launch's record names, if it listens and answers within the time that is left. */
async function joinHub(
  folder: string,
  file: string,
  { env, session }: HubRequest,
  leftMs: number,
): Promise<HubConnection | undefined> {
  const record = readRecord(file);
  if (record === undefined) return undefined;
  const path = socketOf(folder, hubKey(record, env));
  if (!isSocketThere(path) || !isFresh(record)) return undefined;
  const joined = await exchange(path, "session", session, Math.min(leftMs, ANSWER_MS));
  if (joined === undefined) return undefined;
  const { socket, answer } = joined;
  const { reads, bundle } = answer.body;
  if (answer.kind === "ready" && Array.isArray(reads))
    return { socket, reads: new Set(reads.map(String)), bundle: String(bundle) };
  socket.destroy();
  if (answer.kind === "full")
    throw new HubUnavailable("the hub has as many sessions as `http.max_sessions` allows");
  return undefined;
}

interface Starting {
  /** Whether the process has ended: another hub was faster, it was killed, or it failed. */
  readonly isOver: boolean;
  readonly failure: string | undefined;
  /** Lets the process run alone, and others start one. */
  end(): void;
}

/**
 * Starts a hub in the background, unless another process is doing that. Throws HubUnavailable where none can be
 * started.
 */
function startHub(file: string, request: HubRequest): Starting | undefined {
  const mark = `${file}.starting`;
  try {
    return takeMark(mark) ? spawnHub(file, mark, request) : undefined;
  } catch (error) {
    removeMark(mark);
    throw new HubUnavailable(
      `no hub can be started with files in ${dirname(file)}: ${(error as Error).message}`,
    );
  }
}

function spawnHub(file: string, mark: string, { launch, env, executable }: HubRequest): Starting {
  const words = ["hub", "run", JSON.stringify({ flags: launch.flags, record: file })];
  const log = openLogFile(`${file}.log`);
  const state = { isOver: false, failure: undefined as string | undefined };
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, [executable, ...words], {
      cwd: launch.cwd,
      env: { ...env },
      detached: true,
      stdio: ["ignore", log, log],
      windowsHide: true,
    });
  } finally {
    closeSync(log);
  }
  child.once("error", (error) => Object.assign(state, { isOver: true, failure: error.message }));
  // A hub that a signal ended did not fail: another one may be started.
  child.once("exit", (code) =>
    Object.assign(state, {
      isOver: true,
      failure: code ? (loggedReason(`${file}.log`) ?? `the hub ended with ${code}`) : undefined,
    }),
  );
  return {
    get isOver() {
      return state.isOver;
    },
    get failure() {
      return state.failure;
    },
    end() {
      child.unref();
      removeMark(mark);
    },
  };
}

/** Takes the mark of the process that starts the hub. One whose process is gone, or too slow, does not count. */
function takeMark(mark: string): boolean {
  for (const isLast of [false, true]) {
    try {
      writeFileSync(mark, String(process.pid), { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      if (isLast || isMarkHeld(mark)) return false;
      rmSync(mark, { force: true });
    }
  }
  return false;
}

/** Lets others start a hub. A mark that cannot be removed does not count after a while. */
function removeMark(mark: string): void {
  try {
    rmSync(mark, { force: true });
  } catch {
    // Its age shows that it does not count.
  }
}

function isMarkHeld(mark: string): boolean {
  const age = Date.now() - (statOf(mark)?.mtimeMs ?? 0);
  if (age > START_MS) return false;
  try {
    const pid = Number(readFileSync(mark, "utf8"));
    // The file is empty for a moment after it was made.
    return !(pid > 0) || isRunning(pid);
  } catch {
    return false;
  }
}

/** The reason in the last line of a log, if the hub wrote one. */
function loggedReason(log: string): string | undefined {
  try {
    const last = readFileSync(log, "utf8").trimEnd().split("\n").at(-1) ?? "";
    return last.startsWith(REASON_PREFIX) ? last.slice(REASON_PREFIX.length) : undefined;
  } catch {
    return undefined;
  }
}

function openLogFile(file: string): number {
  const log = openSync(file, "a", 0o600);
  if (fstatSync(log).size > MAX_LOG_BYTES) ftruncateSync(log);
  return log;
}
