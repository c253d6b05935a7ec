/** The built program for hostile soaks: started with a hook that measures its memory, found again in /proc. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BlockedTime, MAX_BLOCKED_MS } from "../../blocked-time.js";
import { program, testEnvironment } from "../../live/session.js";
import { alive } from "../../lsp/support.js";
import { limitFor } from "../../processor-time.mjs";
import type { Run } from "./run.js";

const here = fileURLToPath(new URL(".", import.meta.url));

export const token = "a-token-of-the-soak-0123456789";
export const hostileToken = "another-token-of-the-soak-98765";

/** Marks every process of a run: the proxies have it in their environment, and so do the servers, by their config. */
export const MARK = "LSP_PROXY_SOAK_RUN";

export interface Start {
  command: string;
  args: string[];
  env: { [name: string]: string };
  blocked: BlockedTime;
}

/** How `serve` is started on a config; `name` tells the proxies of a run apart. */
export function serve(top: string, name: string, run: string, more: string[] = []): Start {
  const hook = pathToFileURL(join(here, "collect.mjs")).href;
  const blocked = new BlockedTime();
  return {
    command: process.execPath,
    args: [
      ...["--expose-gc", "--import", hook, ...blocked.args(), program],
      ...["serve", "--config", join(top, "lspi.json"), ...more],
    ],
    env: {
      ...testEnvironment(),
      XDG_STATE_HOME: join(top, "state"),
      LSP_PROXY_TOKEN: `${token} ${hostileToken}`,
      SOAK_MEMORY_FILE: join(top, `memory-${name}.json`),
      [MARK]: run,
    },
    blocked,
  };
}

/** The pids of all processes of a run. */
export function processesOf(run: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    if (pid === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${MARK}=${run}`) && alive(pid);
    } catch {
      return false;
    }
  });
}

/** A process and how it was started. */
export function describeProcess(pid: number): string {
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").slice(0, 200)}`;
  } catch {
    return `${pid}`;
  }
}

/** How long a process has waited for a processor. */
export function queuedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1_000_000;
  } catch {
    return 0;
  }
}

/** The most memory that a process has had, in MB. */
export function peakMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/**
 * What a proxy has in use after a collection, in MB; undefined when it did not react within the time. What the allocator
 * keeps although it is free is no growth; it counts in the peak. `enoughMb` is little enough: it is not measured further.
 */
export async function settledMb(
  pid: number,
  start: Start,
  withinMs: number,
  enoughMb = 0,
): Promise<number | undefined> {
  const file = start.env.SOAK_MEMORY_FILE ?? "";
  const until = Date.now() + withinMs;
  let least: number | undefined;
  // Some is released only by a second collection, so the least of several measurements counts.
  for (let turn = 0; turn < 8; turn++) {
    rmSync(file, { force: true });
    process.kill(pid, "SIGUSR2");
    const usage = await written(file, until);
    if (usage === undefined) return undefined;
    const used = usage.heapUsed + usage.external;
    least = Math.min(least ?? Number.POSITIVE_INFINITY, used / 1_048_576);
    if (least <= enoughMb) break;
    await pause(250);
  }
  return least;
}

async function written(file: string, until: number): Promise<NodeJS.MemoryUsage | undefined> {
  while (Date.now() < until) {
    try {
      return JSON.parse(readFileSync(file, "utf8"));
    } catch {
      await pause(50);
    }
  }
  return undefined;
}

/** No deadline may be noticed late: a proxy that has ended took the processor for a short time only. */
export function checkBlocked(run: Run, name: string, { blocked }: Start): void {
  const { longestMs } = blocked.read();
  run.blockedMs = Math.max(run.blockedMs, longestMs);
  if (longestMs > limitFor(longestMs, MAX_BLOCKED_MS))
    run.fail(`${name}: the proxy blocked for ${Math.round(longestMs)} ms of processor time`);
  blocked.close();
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
