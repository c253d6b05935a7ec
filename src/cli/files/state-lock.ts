/** A lock for the records in the user's state folder: each is read, changed and written back as a whole. */
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { homeOf } from "../../base/home.js";
import { stateFolder } from "../../config/state-folder.js";
import { takeLock } from "../../workspace/edits/lock.js";
import { realDisk } from "../../workspace/edits/real-disk.js";
import type { Io } from "../command.js";
import { diskFailure } from "./disk-failure.js";

const TIMEOUT_MS = 30_000;

/**
 * Changes a record under the lock. Throws a Refusal when another process holds the lock too long, and a ConfigError when
 * the state folder cannot be written.
 */
export async function withStateLock<T>(io: Io, change: () => T | Promise<T>): Promise<T> {
  const folder = join(stateFolder(io.env, homeOf(io.env)), "changes");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = await takeLock(realDisk, realpathSync.native(folder), TIMEOUT_MS);
    try {
      return await change();
    } finally {
      await lock.release();
    }
  } catch (error) {
    throw diskFailure(error, folder) ?? error;
  }
}
