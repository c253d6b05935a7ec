/**
 * One editor at a time for all workspaces of a state folder, because their roots may overlap, among processes that may be killed at any moment. The locks of a folder are
 * numbered, and the highest number counts: it is held (`lock-7`), given back (`free-7`), or left by a process that is
 * dead, and only in the last two cases may the next number be taken. The highest number stays, so that a slow process
 * sees that it is late.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isTable } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { type Disk, isAbsence, systemCode } from "./disk.js";
import { lifeOf, ownIdentity, type ProcessIdentity } from "./process-identity.js";

const LOOK_MS = 25;
const MOST_BYTES = 10_000;

/** A process that cannot be seen from here (another container) is taken for dead after so long; an edit takes seconds. */
const UNSEEN_MS = 600_000;

/** A lock that is held. */
export interface Lock {
  /** Whether its last holder died with it. */
  readonly isTakenOver: boolean;
  /** Throws when the lock was lost, which happens only to a process that slept for very long. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/** Locks that this process holds: one of its own that is not here it could not give back. */
const held = new Set<string>();

interface Holder extends ProcessIdentity {
  sinceMs: number;
}

interface Numbered {
  number: number;
  name: string;
  free: boolean;
}

/** Takes the lock of a folder, waiting for another living holder at most `waitMs`. */
export async function takeLock(disk: Disk, folder: string, waitMs: number): Promise<Lock> {
  const own = await ownIdentity();
  const end = performance.now() + waitMs;
  for (;;) {
    const lock = await tryLock(disk, folder, own);
    if (lock !== undefined) return lock;
    if (performance.now() >= end)
      throw new Refusal("edit/busy", "Another process is editing files; nothing was changed.");
    // Another process's release tells nobody; looking is the only way.
    await delay(LOOK_MS);
  }
}

async function tryLock(disk: Disk, folder: string, own: ProcessIdentity): Promise<Lock | undefined> {
  const highest = await highestIn(disk, folder);
  if (highest !== undefined && !(await isFree(disk, folder, highest, own))) return undefined;
  const number = (highest?.number ?? 0) + 1;
  const file = join(folder, `lock-${number}`);
  if (!(await claim(disk, folder, file, own))) return undefined;
  held.add(file);
  try {
    // Whoever took a higher number since we looked may have removed the one that would have stopped us.
    const now = await locksIn(disk, folder);
    if (now.some((lock) => lock.number > number || (lock.number === number && lock.free))) {
      held.delete(file);
      await forget(disk, file);
      return undefined;
    }
    for (const lock of now) if (lock.number < number) await forget(disk, join(folder, lock.name));
    // What processes left that died while they tried; one that lives tries again.
    for (const name of await disk.list(folder))
      if (name.startsWith("new-")) await forget(disk, join(folder, name));
  } catch (error) {
    held.delete(file);
    throw error;
  }
  return {
    isTakenOver: highest !== undefined && !highest.free,
    async check() {
      if ((await highestIn(disk, folder))?.number !== number)
        throw new Refusal("edit/busy", "Another process has taken over.");
    },
    async release() {
      held.delete(file);
      // A new name needs no space on the disk, so even a full one lets go.
      await disk.rename(file, join(folder, `free-${number}`));
    },
  };
}

/** Writes a lock, whole from the first moment; false when another was quicker. */
async function claim(disk: Disk, folder: string, file: string, own: ProcessIdentity): Promise<boolean> {
  const staged = join(folder, `new-${randomBytes(16).toString("hex")}`);
  const holder: Holder = { ...own, sinceMs: Date.now() };
  try {
    await disk.write(staged, Buffer.from(JSON.stringify(holder)), "private");
    await disk.link(staged, file);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST" || isAbsence(error)) return false;
    throw error;
  } finally {
    await forget(disk, staged);
  }
}

async function locksIn(disk: Disk, folder: string): Promise<Numbered[]> {
  return (await disk.list(folder)).flatMap((name) => {
    const [, kind, number] = /^(lock|free)-(\d{1,15})$/.exec(name) ?? [];
    return number === undefined ? [] : [{ number: Number(number), name, free: kind === "free" }];
  });
}

async function highestIn(disk: Disk, folder: string): Promise<Numbered | undefined> {
  return sortBy(await locksIn(disk, folder), ({ number, free }) => [number, free]).at(-1);
}

async function isFree(disk: Disk, folder: string, lock: Numbered, own: ProcessIdentity): Promise<boolean> {
  if (lock.free) return true;
  const holder = await readHolder(disk, join(folder, lock.name));
  // Gone since it was listed: given back, or somebody took a higher number.
  if (holder === undefined) return false;
  if (holder === "damaged") return true;
  const life = await lifeOf(holder, own);
  if (life === "alive") return holder.pid === own.pid && !held.has(join(folder, lock.name));
  return life === "dead" || Date.now() - holder.sinceMs > UNSEEN_MS;
}

/** Who holds a lock. Locks appear whole, so nobody that lives wrote a damaged one. */
async function readHolder(disk: Disk, file: string): Promise<Holder | "damaged" | undefined> {
  try {
    const holder: unknown = JSON.parse((await disk.read(file, MOST_BYTES)).toString("utf8"));
    return isHolder(holder) ? holder : "damaged";
  } catch (error) {
    if (isAbsence(error)) return undefined;
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

async function forget(disk: Disk, file: string): Promise<void> {
  await disk.unlink(file).catch((error: unknown) => {
    if (!isAbsence(error)) throw error;
  });
}
