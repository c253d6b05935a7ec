/**
 * Node's compile cache, for a Node that the build left no code for. What lies in it is run, so it lies in the folder of what this
 * program remembers, which confined servers cannot write, and is used only where nobody but this user can.
 */
"use strict";
const { lstatSync, mkdirSync } = require("node:fs");
const { enableCompileCache, getCompileCacheDir } = require("node:module");
const { homedir } = require("node:os");
const { dirname, isAbsolute, join } = require("node:path");

/** Turns it on, unless the user has done so with a folder of theirs, or forbidden it; whether it is on. A start never fails for it. */
function enableCache() {
  if (getCompileCacheDir() === undefined && process.env.NODE_DISABLE_COMPILE_CACHE === undefined) {
    const folder = ownFolder();
    if (folder !== undefined) enableCompileCache(folder);
  }
  return getCompileCacheDir() !== undefined;
}

function ownFolder() {
  const { XDG_STATE_HOME, HOME } = process.env;
  try {
    const folder = join(
      XDG_STATE_HOME || join(HOME || homedir(), ".local", "state"),
      "lsp-proxy",
      "compiled",
    );
    if (!isAbsolute(folder)) return undefined;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return [folder, dirname(folder)].every(isOurs) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a folder is this user's, and only theirs to write in. Windows keeps a user's folders from others by itself. */
function isOurs(folder) {
  const facts = lstatSync(folder);
  if (!facts.isDirectory()) return false;
  return process.geteuid === undefined || (facts.uid === process.geteuid() && (facts.mode & 0o022) === 0);
}

module.exports = { enableCache };
