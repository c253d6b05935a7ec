#!/usr/bin/env node
/** The executable: enables the compile cache, then runs `main` with the process's streams and environment. */
import { lstatSync, mkdirSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { escapeText } from "../base/hidden-characters.js";
import { homeOf } from "../base/home.js";
import { environmentOf, here } from "../base/platform.js";
import { stateFolder } from "../config/state-folder.js";

/** Functions that Node 20, whose types we compile with, does not have. */
interface CompileCache {
  enableCompileCache?(folder: string): void;
  getCompileCacheDir?(): string | undefined;
}

const cache: typeof module & CompileCache = module;

// The reader of our output may close it early. Further output is then dropped.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    const isHandledElsewhere = stream.listenerCount("error") > 1;
    if (error.code !== "EPIPE" && !isHandledElsewhere) throw error;
  });

// Node would print the message of an error raw, and it may contain text of a repository or a server.
process.on("uncaughtException", (error) => {
  process.stderr.write(`lsp-proxy: internal error: ${escapeText(error.stack ?? String(error))}\n`);
  process.exit(70);
});

enableCompileCache();
// Imported only now, so that its code is cached too.
void import("./main.js")
  .then(({ main }) =>
    main(process.argv.slice(2), {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      env: environmentOf(process.env),
      cwd: process.cwd(),
      exitAfter: (milliseconds) => void setTimeout(() => process.exit(), milliseconds).unref(),
    }),
  )
  .then((code) => {
    process.exitCode = code;
    // An open stdin would keep the process alive after the command has ended.
    process.stdin.destroy();
  });

/**
 * Turns on Node's compile cache (Node 22.8 and later), unless the user has chosen a folder for it or turned it off.
 * Cached code is executed, so it is kept in the state folder, and only if no other user can write there.
 */
function enableCompileCache(): void {
  if (cache.enableCompileCache === undefined || cache.getCompileCacheDir?.() !== undefined) return;
  if (process.env.NODE_DISABLE_COMPILE_CACHE !== undefined) return;
  const folder = cacheFolder();
  if (folder !== undefined) cache.enableCompileCache(folder);
}

function cacheFolder(): string | undefined {
  try {
    const folder = join(stateFolder(process.env, homeOf(process.env)), "compiled");
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
  return !here.hasModes || (stats.uid === process.geteuid?.() && (stats.mode & 0o022) === 0);
}
