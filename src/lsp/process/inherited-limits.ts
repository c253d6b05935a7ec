/**
 * Resource limits that a server and its children inherit, set with util-linux's `prlimit` where installed: open files,
 * and a mark. The mark is a number set as the soft real-time limit, too large to have an effect. Unlike the environment
 * it stays with a daemon that was started with an empty environment.
 */
import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";
import type { PoolContext } from "../types.js";
import { readProc } from "./process-tree.js";
import { findTool } from "./program.js";

const SET_MS = 5_000;
const FOLDERS = ["/usr/bin", "/bin"];

/** The path of `prlimit`; undefined where it is not installed. */
export function findPrlimit(context: Pick<PoolContext, "roots" | "avoid" | "env">): string | undefined {
  if (process.platform !== "linux") return undefined;
  const PATH = [...FOLDERS, context.env.PATH ?? ""].join(delimiter);
  return findTool("prlimit", { ...context, env: { PATH } });
}

/** The command prefix that limits the open files of a program; undefined where that cannot be done. */
export function openFilesPrefix(prlimit: string | undefined, max: number): string[] | undefined {
  const hard = Number(limitOf("Max open files")?.hard.replace("unlimited", "Infinity"));
  // A limit above the system's own has no effect.
  return prlimit === undefined || !(max <= hard) ? undefined : [prlimit, `--nofile=${max}:${max}`, "--"];
}

/**
 * Starts a process that has the mark from its first moment: it is set as our own limit meanwhile. When this process
 * already carries a mark, its own parent finds us and our children by it, and it is left as it is.
 */
export function startMarked<T>(prlimit: string | undefined, number: string, start: () => T): T {
  if (prlimit === undefined || limitOf("Max realtime timeout")?.soft !== "unlimited") return start();
  setOwn(prlimit, number);
  try {
    return start();
  } finally {
    setOwn(prlimit, "unlimited");
  }
}

function setOwn(prlimit: string, soft: string): void {
  // Synchronous, so that no other process of ours is started meanwhile.
  spawnSync(prlimit, ["--pid", String(process.pid), `--rttime=${soft}:`], {
    timeout: SET_MS,
    stdio: "ignore",
    env: {},
  });
}

function limitOf(name: string): { soft: string; hard: string } | undefined {
  const line = readProc("/proc/self/limits")
    ?.split("\n")
    .find((text) => text.startsWith(name));
  const [soft, hard] = line?.slice(name.length).trim().split(/\s+/) ?? [];
  return soft === undefined || hard === undefined ? undefined : { soft, hard };
}
