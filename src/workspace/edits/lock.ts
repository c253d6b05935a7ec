/**
 * A lock between processes that may be killed at any time. All workspaces of a state folder share one, because roots
 * may overlap. Lock files are numbered and the highest number counts: `lock-7` is held or its process is dead, `free-7`
 * was released. The highest number is never removed, so a slow process sees that it lost the lock.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isTable, parseJson } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { here, type Platform } from "../../base/platform.js";
import { Refusal } from "../../base/problem.js";
import { isRunning, processFacts } from "../../base/system.js";
import { delay } from "../../base/timing.js";
import type { Disk } from "./disk.js";
import { ABSENT, tolerate } from "./errors.js";

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
interface ProcessIdentity {
  host: string;
  /** The boot id of the machine and the process id namespace; empty where the system has none. */
  boot: string;
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
  const locks = new LockFolder(disk, folder, await ownIdentity());
  const end = performance.now() + waitMs;
  for (;;) {
    const lock = await locks.tryTake();
    if (lock !== undefined) return lock;
    if (performance.now() >= end)
      throw new Refusal("edit/busy", "Another process is editing files; nothing was changed.");
    await delay(POLL_MS);
  }
}

class LockFolder {
  constructor(
    private readonly disk: Disk,
    private readonly folder: string,
    private readonly own: ProcessIdentity,
  ) {}

  async tryTake(): Promise<Lock | undefined> {
    const highest = await this.#highest();
    if (highest !== undefined && !(await this.#isAvailable(highest))) return undefined;
    const number = (highest?.number ?? 0) + 1;
    const name = `lock-${number}`;
    const file = join(this.folder, name);
    if (!(await this.#create(file))) return undefined;
    held.add(file);
    try {
      // A process that took a higher number meanwhile may have removed the file that would have stopped us.
      const locks = await this.#list();
      if (locks.some((lock) => lock.number > number || (lock.number === number && lock.isFree))) {
        held.delete(file);
        await this.#unlink(name);
        return undefined;
      }
      for (const lock of locks) {
        if (lock.number < number) await this.#unlink(lock.name);
      }
      // Staged files of processes that died; a living one tries again.
      for (const staged of await this.disk.list(this.folder))
        if (staged.startsWith("new-")) await this.#unlink(staged);
    } catch (error) {
      held.delete(file);
      throw error;
    }
    return {
      isTakenOver: highest !== undefined && !highest.isFree,
      check: async () => {
        if ((await this.#highest())?.number !== number)
          throw new Refusal("edit/busy", "Another process has taken over the lock.");
      },
      release: async () => {
        held.delete(file);
        // A rename needs no disk space.
        await this.disk.rename(file, join(this.folder, `free-${number}`));
      },
    };
  }

  /** Creates a complete lock file atomically; false when another process was faster. */
  async #create(file: string): Promise<boolean> {
    const staged = `new-${randomBytes(16).toString("hex")}`;
    const path = join(this.folder, staged);
    const holder: Holder = { ...this.own, sinceMs: Date.now() };
    try {
      await this.disk.write(path, Buffer.from(JSON.stringify(holder)), "private");
      const isLinked = this.disk.link(path, file).then(() => true);
      return (await tolerate([...ABSENT, "EEXIST"], isLinked)) ?? false;
    } finally {
      await this.#unlink(staged);
    }
  }

  async #list(): Promise<LockFile[]> {
    return (await this.disk.list(this.folder)).flatMap((name) => {
      const [, kind, number] = /^(lock|free)-(\d{1,15})$/.exec(name) ?? [];
      return number === undefined ? [] : [{ number: Number(number), name, isFree: kind === "free" }];
    });
  }

  async #highest(): Promise<LockFile | undefined> {
    return sortBy(await this.#list(), ({ number, isFree }) => [number, isFree]).at(-1);
  }

  /** Whether the next number may be taken: the lock was released or its holder is dead. */
  async #isAvailable({ name, isFree }: LockFile): Promise<boolean> {
    if (isFree) return true;
    const file = join(this.folder, name);
    const bytes = await tolerate(ABSENT, this.disk.read(file, MAX_FILE_BYTES));
    // Gone since it was listed: released, or replaced by a higher number.
    if (bytes === undefined) return false;
    const holder = parseJson(bytes.toString("utf8"));
    // Lock files are created complete, so no living process wrote a damaged one.
    if (!isHolder(holder)) return true;
    const life = await lifeOf(holder, this.own);
    if (life === "alive") return holder.pid === this.own.pid && !held.has(file);
    return life === "dead" || Date.now() - holder.sinceMs > INVISIBLE_HOLDER_MS;
  }

  async #unlink(name: string): Promise<void> {
    await tolerate(ABSENT, this.disk.unlink(join(this.folder, name)));
  }
}

function isHolder(value: unknown): value is Holder {
  if (!isTable(value)) return false;
  const texts = [value.host, value.boot, value.space, value.start];
  if (!texts.every((text) => typeof text === "string")) return false;
  return Number.isInteger(value.pid) && typeof value.sinceMs === "number";
}

export async function ownIdentity(platform: Platform = here): Promise<ProcessIdentity> {
  const [boot, space, start] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
    startTimeOf(process.pid, platform),
  ]);
  return { host: hostname(), boot: boot.trim(), space, pid: process.pid, start: start ?? "" };
}

/** Whether a process still runs; `unknown` when it is not visible from here. */
export async function lifeOf(
  other: ProcessIdentity,
  own: ProcessIdentity,
  platform: Platform = here,
): Promise<"alive" | "dead" | "unknown"> {
  if (other.host !== own.host) return "unknown";
  if (other.boot !== own.boot) return "dead";
  if (other.space !== own.space) return "unknown";
  const start = await startTimeOf(other.pid, platform);
  return start !== undefined && start === other.start ? "alive" : "dead";
}

/** When a process started; undefined when there is none with this id. */
async function startTimeOf(pid: number, { processList }: Platform): Promise<string | undefined> {
  if (processList === "proc") return processFacts(pid)?.start.toString();
  if (!isRunning(pid)) return undefined;
  if (processList === "none") return "";
  const { stdout } = await promisify(execFile)("/bin/ps", ["-o", "lstart=", "-p", String(pid)], {
    env: { LC_ALL: "C" },
  }).catch(() => ({ stdout: "" }));
  return stdout.trim();
}
