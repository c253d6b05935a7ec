/** One writer at a time for the records in the user's state folder: each is read, changed and written back as a whole. */
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "../../config/state-folder.js";

import { takeLock } from "../../workspace/edits/lock.js";
import { realDisk } from "../../workspace/edits/real-disk.js";
import { homeOf, type Surroundings } from "../command.js";

/** A record takes moments to change; whoever waits longer than this waits for something that hangs. */
const WAIT_MS = 30_000;

/** Changes a record while nobody else does. Throws a Refusal when another process does not let go. */
export async function whileLocked<T>(io: Surroundings, change: () => T | Promise<T>): Promise<T> {
  const folder = join(stateFolder(io.env, homeOf(io)), "changes");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = await takeLock(realDisk, realpathSync(folder), WAIT_MS);
  try {
    return await change();
  } finally {
    await lock.release();
  }
}
