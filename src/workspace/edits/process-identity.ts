/**
 * Which process this is, told so that another process, also after a crash or a restart of the machine, can find out
 * whether it still runs. A process id alone is not enough: it is used again.
 */
import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

/** A process of one start of one machine (or container). */
export interface ProcessIdentity {
  host: string;
  /** This start of the machine; empty where the system does not tell. */
  boot: string;
  /** The numbering that the process id belongs to. */
  space: string;
  pid: number;
  /** When the process began, as the system tells it. */
  start: string;
}

/** This process. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const [boot, space, start] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
    startOf(process.pid),
  ]);
  return { host: hostname(), boot: boot.trim(), space, pid: process.pid, start: start ?? "" };
}

/** Whether a process still runs; `unknown` for one that cannot be seen from here. */
export async function lifeOf(
  other: ProcessIdentity,
  own: ProcessIdentity,
): Promise<"alive" | "dead" | "unknown"> {
  if (other.host !== own.host) return "unknown";
  if (other.boot !== own.boot) return "dead";
  if (other.space !== own.space) return "unknown";
  const start = await startOf(other.pid);
  return start !== undefined && start === other.start ? "alive" : "dead";
}

/** When a process began, or undefined when there is none of that number. */
async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
    // The name before the last bracket may hold anything.
    const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields === undefined || fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  }
  if (!runs(pid)) return undefined;
  if (process.platform === "win32") return "";
  const { stdout } = await promisify(execFile)("/bin/ps", ["-o", "lstart=", "-p", String(pid)], {
    env: { LC_ALL: "C" },
  }).catch(() => ({ stdout: "" }));
  return stdout.trim();
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
