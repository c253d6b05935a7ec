/** How long the built program blocks: starts it with a hook that measures, and reads what that wrote. */
import { readFileSync } from "node:fs";

/** No text makes a call pass its deadline by more than this: no turn of the event loop may take longer. */
export const MAX_BLOCKED_MS = 1_000;

/** Arguments of Node and variables with which a program measures; it writes into this file. */
export function measuring(file: string): { args: string[]; env: { BLOCKED_TIME_FILE: string } } {
  const hook = new URL("./blocked-time.mjs", import.meta.url).href;
  return { args: ["--import", hook], env: { BLOCKED_TIME_FILE: file } };
}

/** The most processor time that the program took in one go, in milliseconds. */
export function blockedMs(file: string): number {
  return Number(readFileSync(file, "utf8"));
}
