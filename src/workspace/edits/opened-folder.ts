/**
 * Names within opened folders. A path's folder is opened first and must still be the folder of that name; what is done
 * then goes through the open folder, so that a symbolic link swapped in between check and use leads nowhere.
 */
import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { standsAt } from "../../base/guarded-open.js";

/** How a folder is opened, and no link in its place. */
export const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** A folder that is no longer where its name says. */
export class MovedFolder extends Error {
  readonly code = "EMOVED";
}

/** Does something with a path's name inside its own, verified folder. */
export async function within<T>(path: string, act: (name: string) => Promise<T>): Promise<T> {
  const folder = dirname(path);
  if (process.platform === "win32") {
    if ((await fs.realpath(folder)) !== folder) throw moved();
    return act(path);
  }
  const handle = await openFolder(folder);
  try {
    // Through the open folder, where the system can; elsewhere the check just before must do.
    const anchor = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : folder;
    return await act(join(anchor, basename(path)));
  } finally {
    await handle.close();
  }
}

/** The same with two paths. */
export function between(
  from: string,
  to: string,
  act: (from: string, to: string) => Promise<void>,
): Promise<void> {
  return within(from, (source) => within(to, (target) => act(source, target)));
}

/** A folder's handle, after making sure that every name on the way is a real one. */
export async function openFolder(folder: string): Promise<fs.FileHandle> {
  const handle = await fs.open(folder, FOLDER_FLAGS);
  try {
    if (!(await standsAt(handle, folder))) throw moved();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function moved(): MovedFolder {
  return new MovedFolder("the folder is not where it was");
}
