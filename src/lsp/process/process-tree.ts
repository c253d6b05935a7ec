/**
 * A server's process with everything that it started: its process group, every process that carries its mark (in the
 * environment or as a limit), and all their children. Some leave the group, such as the `cargo check` of rust-analyzer.
 * Read from /proc on Linux and from `ps` on other Unixes; processes that have ended but are not reaped do not count.
 */
import { execFile, execFileSync } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { here, type Platform } from "../../base/platform.js";
import { processFacts } from "../../base/system.js";
import { countdown, delay } from "../../base/timing.js";

export const MARK_NAME = "LSP_PROXY_MARK";
/** Digits of a server's own number, after those of its owner. */
export const SERVER_DIGITS = 6;

const POLL_MS = 15;
const MAX_POLL_MS = 120;
const PAGE_BYTES = 4096;
const LIST_MS = 5_000;
const PS_BYTES = 64 * 1_048_576;

/** What every process of one owner inherits. */
interface Mark {
  /** In the environment. */
  text: string;
  /** As a resource limit, which also a daemon with an empty environment keeps. */
  number: string;
}

let servers = 0;

/** A mark for this proxy; the marks of its servers begin with it. */
export function ownerMark(): Mark {
  return { text: randomUUID(), number: String(randomInt(1e9, 9e9)) };
}

export function newMark(owner: Mark): Mark {
  servers = (servers + 1) % 10 ** SERVER_DIGITS;
  const number = `${owner.number}${String(servers).padStart(SERVER_DIGITS, "0")}`;
  return { text: `${owner.text}.${randomUUID()}`, number };
}

interface RunningProcess {
  pid: number;
  parent: number;
  group: number;
  residentBytes: number;
  /** When it was started, in clock ticks; 0 where that is not known. */
  start: number;
}

export class ProcessTree {
  /** What ran before the server was not started by it. Most processes of a machine need not be looked at further. */
  readonly #start: number;

  /** `group` is the pid of the server, which leads its own process group. */
  constructor(
    private readonly group: number,
    private readonly mark: Mark,
    private readonly platform: Platform = here,
  ) {
    this.#start = platform.processList === "proc" ? (processOf(group)?.start ?? 0) : 0;
  }

  /** Resident memory in megabytes; null where the system does not report it. */
  get memoryMb(): number | null {
    const bytes = this.#members()?.reduce((sum, member) => sum + member.residentBytes, 0);
    return bytes === undefined ? null : Math.round(bytes / 1_048_576);
  }

  /** The number of processes; null where the system does not report it. */
  get size(): number | null {
    return this.#members()?.length ?? null;
  }

  /** `hasLeader` is false when the server itself has ended. */
  signal(signal: NodeJS.Signals, hasLeader = true): void {
    if (!this.platform.hasProcessGroups) {
      // Without it nothing leads to its children, and its id may be another's by now.
      if (hasLeader) endTree(this.group);
      return;
    }
    const members = this.#members();
    // The group first: it may have grown since the members were listed.
    send(-this.group, signal);
    for (const { pid, group } of members ?? []) {
      if (group !== this.group) send(pid, signal);
    }
  }

  /** Resolves with true when no process of the tree runs any more, with false after `timeoutMs`. */
  async gone(timeoutMs: number): Promise<boolean> {
    const left = countdown(timeoutMs);
    // There is no event for the end of processes that are not our own children.
    for (let pause = POLL_MS; this.#isRunning(); pause = Math.min(pause * 1.5, MAX_POLL_MS)) {
      if (left() <= 0) return false;
      await delay(pause);
    }
    return true;
  }

  #isRunning(): boolean {
    const members = this.#members();
    return members ? members.length > 0 : send(this.group, 0);
  }

  /** Undefined where the system does not list processes. */
  #members(): RunningProcess[] | undefined {
    const table = processTable(this.platform)?.filter(({ start }) => start >= this.#start);
    if (!table) return undefined;
    const marked = new Set(markedProcesses(table, this.mark, this.platform));
    const members = new Set(
      table.filter(({ pid, group }) => group === this.group || marked.has(pid)).map(({ pid }) => pid),
    );
    for (let before = -1; members.size > before; ) {
      before = members.size;
      for (const { pid, parent } of table) {
        if (members.has(parent)) members.add(pid);
      }
    }
    return table.filter(({ pid }) => members.has(pid));
  }
}

/** Ends a process of Windows with its children. Where that fails, at least the process itself is ended. */
function endTree(pid: number): void {
  const program = join(process.env.SYSTEMROOT || "C:\\Windows", "System32", "taskkill.exe");
  const options = { windowsHide: true, timeout: LIST_MS };
  execFile(program, ["/pid", String(pid), "/t", "/f"], options, (error) => {
    if (error !== null) send(pid, "SIGKILL");
  });
}

/** Returns false when there is no such process or group. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch {
    return false;
  }
}

function processTable({ processList }: Platform): RunningProcess[] | undefined {
  if (processList === "none") return undefined;
  if (processList === "ps") return tableOf(ps("-A", "-o", "pid=,ppid=,pgid=,rss=,stat="));
  return pids().flatMap((pid) => processOf(pid) ?? []);
}

/** A process that runs, from /proc. */
function processOf(pid: number): RunningProcess | undefined {
  const facts = processFacts(pid);
  if (facts === undefined) return undefined;
  const { residentPages, ...rest } = facts;
  return { pid, ...rest, residentBytes: residentPages * PAGE_BYTES };
}

function markedProcesses(
  table: readonly RunningProcess[],
  { text, number }: Mark,
  { processList }: Platform,
): number[] {
  if (processList === "ps") return markedLines(ps("-A", "-E", "-ww", "-o", "pid=,command="), text);
  const pids = table.map(({ pid }) => pid);
  return pids.filter(
    (pid) =>
      readProc(`/proc/${pid}/environ`)?.includes(text) ||
      readProc(`/proc/${pid}/limits`)?.includes(` ${number} `),
  );
}

/** Parses the output of `ps`: pid, parent, group, kilobytes and state. */
export function tableOf(text: string | undefined): RunningProcess[] | undefined {
  if (text === undefined) return undefined;
  return text.split("\n").flatMap((line) => {
    const [pid, parent, group, kilobytes, state] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith("Z")) return [];
    const residentBytes = Number(kilobytes) * 1024;
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), start: 0, residentBytes }];
  });
}

export function markedLines(text: string | undefined, mark: string): number[] {
  const lines = (text ?? "").split("\n").filter((line) => line.includes(mark));
  return lines.map((line) => Number.parseInt(line, 10)).filter((pid) => pid > 0);
}

function ps(...args: string[]): string | undefined {
  try {
    return execFileSync("ps", args, {
      encoding: "utf8",
      timeout: LIST_MS,
      maxBuffer: PS_BYTES,
      stdio: ["ignore", "pipe", "ignore"],
      // The inherited PATH may name folders of a repository.
      env: { PATH: "/usr/bin:/bin" },
    });
  } catch {
    return undefined;
  }
}

function pids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The text of a file in /proc; undefined when the process is gone or belongs to another user. */
export function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
