/**
 * The user's own folder of hubs: their sockets, the launch records, the log. Other users must not be able to write
 * there, so both the hub and the process that connects to it check its owner and its mode before every use.
 */
import { mkdirSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join, win32 } from "node:path";
import { lstatOf, statOf } from "../base/file-stamp.js";
import { type Environment, folderNamedBy, temporaryFolder } from "../base/home.js";
import { here, type Platform } from "../base/platform.js";
import { systemCode } from "../base/system.js";

/** Why no hub can be used. The session is served without one then. */
export class HubUnavailable extends Error {}

const SOCKET = ".sock";
const PIPES = "\\\\.\\pipe\\";
/** The system's limit for the path of a Unix socket is 104 bytes on macOS and 108 on Linux. */
const MAX_SOCKET_PATH = 103;

export function hubFolder(env: Environment, platform: Platform = here): string {
  const { dataVariable } = platform;
  if (dataVariable !== undefined)
    return win32.join(folderNamedBy(env, dataVariable, platform) ?? temporaryFolder(env), "lsp-proxy", "hub");
  const runtime = folderNamedBy(env, "XDG_RUNTIME_DIR", platform);
  if (runtime !== undefined && statOf(runtime)?.isDirectory()) return join(runtime, "lsp-proxy");
  return join(temporaryFolder(env), `lsp-proxy-${process.geteuid?.() ?? ""}`);
}

/**
 * The folders of this user's hubs that are there. A client often starts lsp-proxy without XDG_RUNTIME_DIR, which a
 * terminal has. A folder of that kind that another user made is not used.
 */
export function hubFolders(env: Environment): string[] {
  const own = hubFolder(env);
  const other = hubFolder({ ...env, XDG_RUNTIME_DIR: undefined });
  return [...new Set([own, other])].filter((folder) => {
    if (lstatOf(folder) === undefined) return false;
    try {
      checkHubFolder(folder);
      return true;
    } catch (error) {
      if (folder === own) throw error;
      return false;
    }
  });
}

/** Makes the folder where it is missing, and checks it. */
export function openHubFolder(env: Environment): string {
  const folder = hubFolder(env);
  try {
    mkdirSync(folder, { recursive: here.dataVariable !== undefined, mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (code !== "EEXIST") throw new HubUnavailable(`${dirname(folder)} cannot be written (${code})`);
  }
  checkHubFolder(folder);
  return folder;
}

/** Throws where the folder is a link, or another user owns it or can use it. */
export function checkHubFolder(folder: string): void {
  const stats = lstatOf(folder);
  if (!stats?.isDirectory()) throw new HubUnavailable(`${folder} is not a folder`);
  if (!here.hasModes) return;
  if (stats.uid !== process.geteuid?.()) throw new HubUnavailable(`${folder} belongs to another user`);
  if ((stats.mode & 0o077) !== 0)
    throw new HubUnavailable(`other users have access to ${folder}; \`chmod 700\` it, or remove it`);
}

/** Where the hub with this key listens: on Windows pipes have names of their own, outside of all folders. */
export function socketOf(folder: string, key: string, platform = here): string {
  if (!platform.hasSocketFiles) return `${PIPES}lsp-proxy-${userInfo().username}-${key}`;
  const path = join(folder, `${key}${SOCKET}`);
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH)
    throw new HubUnavailable(`the path ${path} is too long for a socket`);
  return path;
}

/** Whether this user's socket is there. It may be left over from a hub that was killed. */
export function isSocketThere(path: string): boolean {
  if (!here.hasSocketFiles) return true;
  const stats = lstatOf(path);
  return stats?.isSocket() === true && stats.uid === process.geteuid?.();
}

/** Identifies the socket at a path: another hub may listen there after a socket was removed. */
export function socketIdentity(path: string): string | undefined {
  if (!here.hasSocketFiles) return path;
  const stats = isSocketThere(path) ? lstatOf(path) : undefined;
  return stats && `${stats.dev}:${stats.ino}`;
}

/** The file with the process id of the hub that listens on a socket: a hub that is stuck cannot be asked for it. */
export function pidFile(socket: string): string {
  return `${socket.slice(0, -SOCKET.length)}.pid`;
}

/**
 * The file that shows a socket to others: the socket itself, or an empty file for a pipe, since pipes are not listed.
 */
export function shownFile(folder: string, path: string, platform = here): string {
  if (platform.hasSocketFiles) return path;
  return join(folder, `${path.slice(path.lastIndexOf("-") + 1)}${SOCKET}`);
}

/** The sockets of all hubs of this user. Some may be left over from hubs that were killed. */
export function allSockets(folder: string, platform = here): string[] {
  return namesOf(folder)
    .filter((name) => name.endsWith(SOCKET))
    .map((name) => socketOf(folder, name.slice(0, -SOCKET.length), platform));
}

function namesOf(folder: string): string[] {
  if (lstatOf(folder) === undefined) return [];
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new HubUnavailable(`${folder} cannot be read (${systemCode(error)})`);
  }
}
