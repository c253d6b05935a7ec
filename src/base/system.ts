/** Codes of system errors such as `ENOENT`, and facts about processes. */
import { readFileSync } from "node:fs";

/** Whether an error comes from the system and has a code such as `ENOENT`. */
export function hasCode(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

/** The error's code; empty when it has none. */
export function systemCode(error: unknown): string {
  return hasCode(error) ? error.code : "";
}

/** Whether a process with this id runs, of any user. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

/** A process as `/proc/PID/stat` describes it. */
interface ProcessFacts {
  parent: number;
  group: number;
  /** When it was started, in clock ticks after boot. */
  start: number;
  residentPages: number;
}

/** The facts of a process, on Linux; undefined when none with this id runs. */
export function processFacts(pid: number): ProcessFacts | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name before the state may contain spaces and brackets.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  const field = (index: number): number => Number(fields[index]);
  return { parent: field(1), group: field(2), start: field(19), residentPages: field(21) };
}
