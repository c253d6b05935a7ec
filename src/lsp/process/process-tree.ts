/**
 * A server's process with all that it started, wherever that went: its group, the children of those in it, and every
 * process that inherited its mark, in the environment or as a limit, also in a group or session of its own (rust-analyzer
 * gives `cargo check` one). So it can be ended whole, before and after the server itself has gone.
 */
import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { markedProcesses, processTable, type RunningProcess } from "./processes.js";

/** The variable that marks a server's processes; its value means nothing. */
export const MARK_NAME = "LSP_PROXY_MARK";

const LOOK_MS = 15;
const LOOK_MOST_MS = 120;

/** What the processes of one owner inherit; it means nothing by itself. */
export interface Mark {
  /** In the environment. */
  text: string;
  /** As a limit: see inherited-limits. */
  number: string;
}

/** Digits of a server's number after those of its owner's. */
export const SERVER_DIGITS = 6;
let servers = 0;

/** The mark of one proxy, with which those of its servers begin. */
export function ownerMark(): Mark {
  return { text: randomUUID(), number: String(randomInt(1e9, 9e9)) };
}

/** A mark that no other server has. */
export function newMark(owner: Mark): Mark {
  servers = (servers + 1) % 10 ** SERVER_DIGITS;
  const number = `${owner.number}${String(servers).padStart(SERVER_DIGITS, "0")}`;
  return { text: `${owner.text}.${randomUUID()}`, number };
}

export class ProcessTree {
  readonly #group: number;
  readonly #mark: Mark;

  /** `group` is the pid of the server, which leads a group of its own. */
  constructor(group: number, mark: Mark) {
    this.#group = group;
    this.#mark = mark;
  }

  /** Resident memory in megabytes, or null where the system does not tell. */
  get memoryMb(): number | null {
    const bytes = this.#members()?.reduce((sum, member) => sum + member.residentBytes, 0);
    return bytes === undefined ? null : Math.round(bytes / 1_048_576);
  }

  /** How many processes it has, or null where the system does not tell. */
  get size(): number | null {
    return this.#members()?.length ?? null;
  }

  /** Sends a signal to every process of the tree. */
  signal(signal: NodeJS.Signals): void {
    const members = this.#members();
    // The group first: between looking and signalling it may have grown.
    send(process.platform === "win32" ? this.#group : -this.#group, signal);
    for (const { pid, group } of members ?? []) if (group !== this.#group) send(pid, signal);
  }

  /** Resolves with true when nothing of the tree runs any more, or with false after `timeoutMs`. */
  async gone(timeoutMs: number): Promise<boolean> {
    const end = performance.now() + timeoutMs;
    // Processes that are not our own children tell nobody when they end; looking is the only way.
    for (let pause = LOOK_MS; this.#lives(); pause = Math.min(pause * 1.5, LOOK_MOST_MS)) {
      if (performance.now() >= end) return false;
      await delay(pause);
    }
    return true;
  }

  #lives(): boolean {
    const members = this.#members();
    return members ? members.length > 0 : send(this.#group, 0);
  }

  /** The group, what is marked, and all that descends from either; undefined where the system does not tell. */
  #members(): RunningProcess[] | undefined {
    const marked = new Set(markedProcesses(this.#mark));
    const table = processTable();
    if (!table) return undefined;
    const members = new Set(
      table.filter(({ pid, group }) => group === this.#group || marked.has(pid)).map(({ pid }) => pid),
    );
    for (let before = -1; members.size > before; ) {
      before = members.size;
      for (const { pid, parent } of table) if (members.has(parent)) members.add(pid);
    }
    return table.filter(({ pid }) => members.has(pid));
  }
}

/** False when there is no such process or group. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch {
    return false;
  }
}
