/** What the operating system says: the codes of its errors, and whether a process runs. */

/** Whether an error comes from the system and has a code such as `ENOENT`. */
export function hasCode(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

/** The error's code; empty when it has none. */
export function systemCode(error: unknown): string {
  return hasCode(error) ? error.code : "";
}

/** Whether a process with this id runs, of whatever user. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
