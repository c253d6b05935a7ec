/** What the process table says about a server's group: whether it lives, how much memory it holds. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const PAGE_BYTES = 4096;

/** Resident memory of a process group in megabytes, or null where the system does not tell. */
export function groupMemoryMb(group: number): number | null {
  const members = groupMembers(group);
  if (!members) return null;
  const pages = members.reduce((sum, member) => sum + member.residentPages, 0);
  return Math.round((pages * PAGE_BYTES) / 1_048_576);
}

/** Whether any process of the group still runs; zombies that nobody collects do not count. */
export function groupLives(group: number): boolean {
  const members = groupMembers(group);
  if (members) return members.length > 0;
  return signalGroup(group, 0);
}

/** Sends a signal to a group; false when there is no such group. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === "win32" ? group : -group, signal);
    return true;
  } catch {
    return false;
  }
}

/** Resolves with true when the group is gone, or with false after `timeoutMs`. */
export async function groupGone(group: number, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  // Processes that are not our own children tell nobody when they end; looking is the only way.
  while (groupLives(group)) {
    if (performance.now() >= end) return false;
    await delay(15);
  }
  return true;
}

/** Running processes of a group, from Linux's process table; undefined elsewhere. */
function groupMembers(group: number): { pid: number; residentPages: number }[] | undefined {
  if (process.platform !== "linux") return undefined;
  const members: { pid: number; residentPages: number }[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statFields(name);
    if (!fields || Number(fields[2]) !== group || fields[0] === "Z" || fields[0] === "X") continue;
    members.push({ pid: Number(name), residentPages: Number(fields[21]) });
  }
  return members;
}

/** Fields of `/proc/<pid>/stat` from the state on: the name before it may hold spaces and brackets. */
function statFields(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
