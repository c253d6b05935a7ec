/** The hub that already runs for a command line, for single calls: `call`, `status` and `doctor` are warm then. */
import { lstatOf } from "../../base/file-stamp.js";
import { isTable, type JsonObject, parseJson } from "../../base/json.js";
import type { Refusal } from "../../base/problem.js";
import { LineReader } from "../../base/text.js";
import { cancelled } from "../../base/timing.js";
import { askOnce, exchange, unlessUnavailable } from "../../hub/ask-hub.js";
import {
  allSockets,
  checkHubFolder,
  HubUnavailable,
  hubFolder,
  isSocketThere,
  socketOf,
} from "../../hub/hub-folder.js";
import { interruptedCall } from "../../hub/interrupted.js";
import { hubKey, launchFile, readRecord } from "../../hub/launch-record.js";
import { type HubCommand, type PrivateMessage, privateMessage } from "../../hub/lines.js";
import type { CallOptions, CallOutcome, Session } from "../../runtime/session.js";
import type { Input, Io } from "../command.js";
import type { Loaded } from "../open.js";
import type { Trial } from "../server-trials.js";
import { recordOf } from "./hub-start.js";

const MAX_LINE = 64 * 1024 * 1024;
const TRIAL_MS = 600_000;
const LOOK_MS = 10_000;

/** A read or a trial throws HubUnavailable when the hub ends before its answer. Any other call is refused then. */
export interface RunningHub extends Pick<Session, "call"> {
  /** Starts the servers and waits until they are ready, at most so long; then calls the tool. */
  callWarm(waitMs: number, name: string, args: JsonObject, options: CallOptions): Promise<CallOutcome>;
  /** Asks each server one thing, as `doctor` does. */
  tryServers(ids: readonly string[]): Promise<Trial[]>;
}

/** A command's question to a hub. */
interface HubQuestion<T> {
  found: Loaded;
  input: Input;
  io: Io;
  ask(hub: RunningHub): Promise<T>;
  /** Where there is no hub, or it ends before its answer. */
  alone(): Promise<T>;
}

/** Asks the hub that runs for what was loaded; this process by itself where there is none. */
export async function askRunningHub<T>({ found, input, io, ask, alone }: HubQuestion<T>): Promise<T> {
  try {
    const hub = await runningHub(found, input, io);
    return hub === undefined ? await alone() : await ask(hub);
  } catch (error) {
    if (!(error instanceof HubUnavailable)) throw error;
    return alone();
  }
}

/** The hub that runs for what was loaded; undefined where there is none, or a trace is asked for. */
async function runningHub(found: Loaded, input: Input, io: Io): Promise<RunningHub | undefined> {
  if (input.text("trace") !== undefined) return undefined;
  const path = hubPath(found, input, io) ?? (await movedHub(found, input, io));
  if (path === undefined || (await askOnce(path, "status")) === undefined) return undefined;
  const { tools } = found.loaded.plan;
  const call = async (
    kind: HubCommand["kind"],
    body: JsonObject,
    options: CallOptions,
  ): Promise<CallOutcome> => {
    const { outcome } = (await askHub(path, kind, body, options)) ?? {};
    if (isTable(outcome)) return outcome as unknown as CallOutcome;
    if (options.signal.aborted) return refused(cancelled(undefined));
    if (tools.some(({ name, effect }) => name === body.name && effect === "read")) throw hubEnded();
    return refused(interruptedCall());
  };
  return {
    call: (name, args, options) => call("call", { name, args: args as JsonObject }, options),
    callWarm: (warmMs, name, args, options) => call("callWarm", { name, args, warmMs }, options),
    tryServers: async (ids) => {
      const signal = AbortSignal.timeout(TRIAL_MS);
      const { trials } = (await askHub(path, "tryServers", { ids: [...ids] }, { signal })) ?? {};
      if (Array.isArray(trials)) return trials as Trial[];
      if (signal.aborted) return [];
      throw hubEnded();
    },
  };
}

function hubEnded(): HubUnavailable {
  return new HubUnavailable("the hub ended before its answer");
}

/** The socket of the hub for what was loaded, if it is there. */
export function hubPath(found: Loaded, input: Input, io: Io): string | undefined {
  try {
    const folder = hubFolder(io.env);
    if (lstatOf(folder) === undefined) return undefined;
    checkHubFolder(folder);
    if (allSockets(folder).length === 0) return undefined;
    const path = socketOf(folder, hubKey(recordOf(found, input), io.env));
    return isSocketThere(path) ? path : undefined;
  } catch (error) {
    if (error instanceof HubUnavailable) return undefined;
    throw error;
  }
}

/**
 * The socket of the hub that sessions of the same command line have, once it has seen what the files of the workspace
 * choose now; undefined where there is none, or it needs another config.
 */
async function movedHub(found: Loaded, input: Input, io: Io): Promise<string | undefined> {
  if (!found.isScanned) return undefined;
  try {
    const { launchOf } = await import("./serve-shared.js");
    const folder = hubFolder(io.env);
    const record = readRecord(launchFile(folder, launchOf(input, io), io.env));
    const path = record && socketOf(folder, hubKey(record, io.env));
    if (path === undefined || !isSocketThere(path)) return undefined;
    await askHub(path, "lookAgain", {}, { signal: AbortSignal.timeout(LOOK_MS) });
    return hubPath(found, input, io);
  } catch (error) {
    if (error instanceof HubUnavailable) return undefined;
    throw error;
  }
}

/** The hub's answer; undefined when it ends before. Ending the connection cancels what was asked. */
async function askHub(
  path: string,
  kind: HubCommand["kind"],
  body: JsonObject,
  { signal, onProgress }: CallOptions,
): Promise<PrivateMessage["body"] | undefined> {
  const asked = await unlessUnavailable(exchange(path, kind, body));
  if (asked?.answer.kind !== "ready") return undefined;
  const { socket } = asked;
  return new Promise((resolve) => {
    const end = () => {
      signal.removeEventListener("abort", end);
      socket.destroy();
      resolve(undefined);
    };
    const onLine = (line: string) => {
      const reply = privateMessage(parseJson(line));
      if (reply?.kind === "progress") onProgress?.(String(reply.body.text));
      if (reply?.kind === "answer") resolve(reply.body);
    };
    const lines = new LineReader(MAX_LINE, onLine, end);
    signal.addEventListener("abort", end, { once: true });
    socket.on("data", lines.push);
    socket.once("end", end).once("close", end).resume();
  });
}

/** The outcome of a call that the hub did not answer. */
function refused({ code, message }: Refusal): CallOutcome {
  const text = `Error ${code}: ${message}`;
  const structured = { ok: false, error: { code, message } };
  return { isError: true, code, error: null, structured, text, headline: text, notes: "" };
}
