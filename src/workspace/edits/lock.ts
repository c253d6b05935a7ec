/**
 * A lock between processes that may be killed at any time. All workspaces of a state folder share one, because roots may
 * overlap. Lock files are numbered and the highest number counts: `lock-7` is held or its process is dead, `free-7` was
 * released. The highest number is never removed, so a slow process sees that it lost the lock.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isTable } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { delay } from "../../base/timing.js";
import type { Disk } from "./disk.js";
import { isAbsent, systemCode } from "./errors.js";

const POLL_MS = 25;
const MAX_FILE_BYTES = 10_000;

/** A holder that is not visible from here (another container) counts as dead after this time; edits take seconds. */
const INVISIBLE_HOLDER_MS = 600_000;

export interface Lock {
  /** Whether the last holder died without releasing it. */
  readonly isTakenOver: boolean;
  /** Throws when another process took the lock, which happens only after a very long suspension. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/** Identifies a process, also after a restart of the machine: process ids are reused. */
export interface ProcessIdentity {
  host: string;
  /** The boot id of the machine; empty where the system has none. */
  boot: string;
  /** The process id namespace. */
  space: string;
  pid: number;
  /** Start time, in the system's own form. */
  start: string;
}

interface Holder extends ProcessIdentity {
  sinceMs: number;
}

interface LockFile {
  number: number;
  name: string;
  isFree: boolean;
}

/** Locks that this process holds. A lock file with our pid that is not here is from an earlier process. */
const held = new Set<string>();

/** Takes the lock of a folder, waiting at most `waitMs` for a living holder. */
export async function takeLock(disk: Disk, folder: string, waitMs: number): Promise<Lock> {
  const own = await ownIdentity();
  const end = performance.now() + waitMs;
  for (;;) {
    const lock = await tryLock(disk, folder, own);
    if (lock !== undefined) return lock;
    if (performance.now() >= end)
      throw new Refusal("edit/busy", "Another process is editing files; nothing was changed.");
    await delay(POLL_MS);
  }
}

async function tryLock(disk: Disk, folder: string, own: ProcessIdentity): Promise<Lock | undefined> {
  const highest = await highestLock(disk, folder);
  if (highest !== undefined && !(await isAvailable(disk, folder, highest, own))) return undefined;
  const number = (highest?.number ?? 0) + 1;
  const file = join(folder, `lock-${number}`);
  if (!(await createLockFile(disk, folder, file, own))) return undefined;
  held.add(file);
  try {
    // A process that took a higher number meanwhile may have removed the file that would have stopped us.
    const locks = await listLocks(disk, folder);
    if (locks.some((lock) => lock.number > number || (lock.number === number && lock.isFree))) {
      held.delete(file);
      await unlinkIfPresent(disk, file);
      return undefined;
    }
    for (const lock of locks) if (lock.number < number) await unlinkIfPresent(disk, join(folder, lock.name));
    // Staged files of processes that died; a living one tries again.
    for (const name of await disk.list(folder))
      if (name.startsWith("new-")) await unlinkIfPresent(disk, join(folder, name));
  } catch (error) {
    held.delete(file);
    throw error;
  }
  return {
    isTakenOver: highest !== undefined && !highest.isFree,
    async check() {
      if ((await highestLock(disk, folder))?.number !== number)
        throw new Refusal("edit/busy", "Another process has taken over the lock.");
    },
    async release() {
      held.delete(file);
      // A rename needs no disk space.
      await disk.rename(file, join(folder, `free-${number}`));
    },
  };
}

/** Creates a complete lock file atomically; false when another process was faster. */
async function createLockFile(
  disk: Disk,
  folder: string,
  file: string,
  own: ProcessIdentity,
): Promise<boolean> {
  const staged = join(folder, `new-${randomBytes(16).toString("hex")}`);
  const holder: Holder = { ...own, sinceMs: Date.now() };
  try {
    await disk.write(staged, Buffer.from(JSON.stringify(holder)), "private");
    await disk.link(staged, file);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST" || isAbsent(error)) return false;
    throw error;
  } finally {
    await unlinkIfPresent(disk, staged);
  }
}

async function listLocks(disk: Disk, folder: string): Promise<LockFile[]> {
  return (await disk.list(folder)).flatMap((name) => {
    const [, kind, number] = /^(lock|free)-(\d{1,15})$/.exec(name) ?? [];
    return number === undefined ? [] : [{ number: Number(number), name, isFree: kind === "free" }];
  });
}

async function highestLock(disk: Disk, folder: string): Promise<LockFile | undefined> {
  return sortBy(await listLocks(disk, folder), ({ number, isFree }) => [number, isFree]).at(-1);
}

/** Whether the next number may be taken: the lock was released or its holder is dead. */
async function isAvailable(
  disk: Disk,
  folder: string,
  lock: LockFile,
  own: ProcessIdentity,
): Promise<boolean> {
  if (lock.isFree) return true;
  const holder = await readHolder(disk, join(folder, lock.name));
  // Gone since it was listed: released, or replaced by a higher number.
  if (holder === undefined) return false;
  if (holder === "damaged") return true;
  const life = await lifeOf(holder, own);
  if (life === "alive") return holder.pid === own.pid && !held.has(join(folder, lock.name));
  return life === "dead" || Date.now() - holder.sinceMs > INVISIBLE_HOLDER_MS;
}

/** Reads a lock file. They are created complete, so no living process wrote a damaged one. */
async function readHolder(disk: Disk, file: string): Promise<Holder | "damaged" | undefined> {
  try {
    const holder: unknown = JSON.parse((await disk.read(file, MAX_FILE_BYTES)).toString("utf8"));
    return isHolder(holder) ? holder : "damaged";
  } catch (error) {
    if (isAbsent(error)) return undefined;
    if (error instanceof SyntaxError) return "damaged";
    throw error;
  }
}

function isHolder(value: unknown): value is Holder {
  if (!isTable(value)) return false;
  const texts = [value.host, value.boot, value.space, value.start];
  if (!texts.every((text) => typeof text === "string")) return false;
  return Number.isInteger(value.pid) && typeof value.sinceMs === "number";
}

async function unlinkIfPresent(disk: Disk, file: string): Promise<void> {
  await disk.unlink(file).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  const [boot, space, start] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
    startTimeOf(process.pid),
  ]);
  return { host: hostname(), boot: boot.trim(), space, pid: process.pid, start: start ?? "" };
}

/** Whether a process still runs; `unknown` when it is not visible from here. */
export async function lifeOf(
  other: ProcessIdentity,
  own: ProcessIdentity,
): Promise<"alive" | "dead" | "unknown"> {
  if (other.host !== own.host) return "unknown";
  if (other.boot !== own.boot) return "dead";
  if (other.space !== own.space) return "unknown";
  const start = await startTimeOf(other.pid);
  return start !== undefined && start === other.start ? "alive" : "dead";
}

/** When a process started; undefined when there is none with this id. */
async function startTimeOf(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
    // The name in brackets may contain anything, brackets too.
    const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields === undefined || fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  }
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) !== "EPERM") return undefined;
  }
  if (process.platform === "win32") return "";
  const { stdout } = await promisify(execFile)("/bin/ps", ["-o", "lstart=", "-p", String(pid)], {
    env: { LC_ALL: "C" },
  }).catch(() => ({ stdout: "" }));
  return stdout.trim();
}
