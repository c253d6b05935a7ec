/**
 * Turns on Node's compile cache (Node 22.8 and later). Cached code is executed, so it is kept in the state folder, which
 * sandboxed servers cannot write to, and only if no other user can write there.
 */
import { lstatSync, mkdirSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { stateFolder } from "../config/state-folder.js";

/** Functions that Node 20, whose types we compile with, does not have. */
interface CompileCache {
  enableCompileCache?(folder: string): void;
  getCompileCacheDir?(): string | undefined;
}

const cache: typeof module & CompileCache = module;

/** Does nothing where Node has no such cache, or where the user has chosen a folder or turned the cache off. */
export function enableCompileCache(): void {
  if (cache.enableCompileCache === undefined || cache.getCompileCacheDir?.() !== undefined) return;
  if (process.env.NODE_DISABLE_COMPILE_CACHE !== undefined) return;
  const folder = cacheFolder();
  if (folder !== undefined) cache.enableCompileCache(folder);
}

function cacheFolder(): string | undefined {
  try {
    const folder = join(stateFolder(process.env, process.env.HOME || homedir()), "compiled");
    if (!isAbsolute(folder)) return undefined;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return isPrivate(folder) && isPrivate(dirname(folder)) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Whether only this user can write into a folder. On Windows the profile's own permissions ensure that. */
function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) return false;
  return process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & 0o022) === 0);
}
