/**
 * Limits of a process that all it starts inherit, set with util-linux's `prlimit` where that is installed: open files, and a
 * mark. The mark is a number of ours as the soft limit of real-time computing, decades long and so without effect. Unlike
 * the environment it stays with a daemon that was started with an empty one; only a program that sets it anew loses it.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter } from "node:path";
import type { PoolContext } from "../types.js";
import { findTool } from "./program.js";

const SET_MS = 5_000;
const FOLDERS = ["/usr/bin", "/bin"];

/** The program that sets limits; undefined where it is not installed. */
export function findPrlimit(context: Pick<PoolContext, "roots" | "avoid" | "env">): string | undefined {
  if (process.platform !== "linux") return undefined;
  const PATH = [...FOLDERS, context.env.PATH ?? ""].join(delimiter);
  return findTool("prlimit", { ...context, env: { PATH } });
}

/** The words that limit the open files of the program whose words follow; undefined where that cannot be done. */
export function openFilesWords(prlimit: string | undefined, most: number): string[] | undefined {
  const hard = Number(limitOf("Max open files")?.hard.replace("unlimited", "Infinity"));
  // More than the system's own limit is none at all.
  return prlimit === undefined || !(most <= hard) ? undefined : [prlimit, `--nofile=${most}:${most}`, "--"];
}

/**
 * Starts a process that is born with the mark: for that moment it is our own limit. Where we carry one ourselves, somebody
 * ends us and all of ours by it, and it stays.
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

/** Whether what `/proc` tells of a process's limits has this mark. */
export function hasMark(limits: string, number: string): boolean {
  return limits.includes(` ${number} `);
}

function setOwn(prlimit: string, soft: string): void {
  // Not awaited on purpose: nothing else of ours may be started meanwhile.
  spawnSync(prlimit, ["--pid", String(process.pid), `--rttime=${soft}:`], {
    timeout: SET_MS,
    stdio: "ignore",
    env: {},
  });
}

function limitOf(name: string): { soft: string; hard: string } | undefined {
  const line = ownLimits()
    .split("\n")
    .find((text) => text.startsWith(name));
  const [soft, hard] = line?.slice(name.length).trim().split(/\s+/) ?? [];
  return soft === undefined || hard === undefined ? undefined : { soft, hard };
}

function ownLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "latin1");
  } catch {
    return "";
  }
}
