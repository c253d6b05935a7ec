/**
 * The process table of this system, read when it is asked for: Linux's own files, `ps` on other Unixes. Processes that
 * have ended and wait to be collected do not count.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { hasMark } from "./inherited-limits.js";

const PAGE_BYTES = 4096;
const PS_MS = 5_000;
const PS_BYTES = 64 * 1_048_576;

export interface RunningProcess {
  pid: number;
  parent: number;
  group: number;
  residentBytes: number;
}

/** All running processes; undefined where the system does not tell. */
export function processTable(): RunningProcess[] | undefined {
  if (process.platform === "win32") return undefined;
  if (process.platform !== "linux") return tableOf(ps("-A", "-o", "pid=,ppid=,pgid=,rss=,stat="));
  return numbered().flatMap((pid) => {
    const fields = statFields(pid);
    if (!fields || fields[0] === "Z" || fields[0] === "X") return [];
    const residentBytes = Number(fields[21]) * PAGE_BYTES;
    return [{ pid, parent: Number(fields[1]), group: Number(fields[2]), residentBytes }];
  });
}

/** The pids of processes that inherited a mark, as far as the system tells. */
export function markedProcesses({ text, number }: { text: string; number: string }): number[] {
  if (process.platform === "win32") return [];
  if (process.platform !== "linux") return markedLines(ps("-A", "-E", "-ww", "-o", "pid=,command="), text);
  return numbered().filter(
    (pid) =>
      read(`/proc/${pid}/environ`)?.includes(text) || hasMark(read(`/proc/${pid}/limits`) ?? "", number),
  );
}

/** What `ps` printed as pid, parent, group, kilobytes and state. */
export function tableOf(text: string | undefined): RunningProcess[] | undefined {
  if (text === undefined) return undefined;
  return text.split("\n").flatMap((line) => {
    const [pid, parent, group, kilobytes, state] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith("Z")) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        residentBytes: Number(kilobytes) * 1024,
      },
    ];
  });
}

/** The pids of the lines, each beginning with one, that hold a mark. */
export function markedLines(text: string | undefined, mark: string): number[] {
  const lines = (text ?? "").split("\n").filter((line) => line.includes(mark));
  return lines.map((line) => Number.parseInt(line, 10)).filter((pid) => pid > 0);
}

function ps(...args: string[]): string | undefined {
  try {
    return execFileSync("ps", args, {
      encoding: "utf8",
      timeout: PS_MS,
      maxBuffer: PS_BYTES,
      stdio: ["ignore", "pipe", "ignore"],
      // Whatever else PATH names may be a repository's own.
      env: { PATH: "/usr/bin:/bin" },
    });
  } catch {
    return undefined;
  }
}

function numbered(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Fields of `/proc/<pid>/stat` from the state on: the name before it may hold spaces and brackets. */
function statFields(pid: number): string[] | undefined {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** A file of a process that may be gone, or somebody else's. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
