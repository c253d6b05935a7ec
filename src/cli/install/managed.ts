/**
 * The folder of installed servers: `<id>/<version>` each, complete or not there at all. An installation is made in a
 * hidden folder beside it and renamed at the end; what a killed one left is removed by the next.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { namesIn } from "../../base/disk.js";
import { statOf } from "../../base/file-stamp.js";
import { isTable } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import { isRunning } from "../../base/system.js";
import { INSTALL_RECORD, installedVersions } from "../../lsp/process/search.js";

/** The record of an installed server. */
export interface InstallRecord {
  id: string;
  version: string;
  /** The package manager that installed it. */
  by: string;
  program: string;
}

export interface ManagedServer extends InstallRecord {
  path: string;
}

const LEFTOVER = /^\.(?:new|old)-(\d+)-/;
const MAX_AGE_MS = 86_400_000;

/** The installed servers by name; of each the one that counts. */
export function managedServers(serversFolder: string): ManagedServer[] {
  return sortedSet(namesIn(serversFolder)).flatMap((id) => managedServer(serversFolder, id) ?? []);
}

export function managedServer(serversFolder: string, id: string): ManagedServer | undefined {
  const [path] = installedVersions(join(serversFolder, id));
  if (path === undefined) return undefined;
  // One with a damaged record is still listed, so that it can be upgraded or uninstalled.
  const record = recordIn(path) ?? { id, version: basename(path), by: "unknown", program: "" };
  return { ...record, path };
}

/** The record of an installed version; undefined when it is missing or damaged. */
function recordIn(path: string): InstallRecord | undefined {
  try {
    const record: unknown = JSON.parse(readFileSync(join(path, INSTALL_RECORD), "utf8"));
    if (!isTable(record)) return undefined;
    const { id, version, by, program } = record;
    const texts = [id, version, by, program];
    return texts.every((text) => typeof text === "string") ? (record as unknown as InstallRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** Fills a new folder and puts it in place as `<id>/<version>`. Nothing is left of it when anything fails. */
export async function placeServer(
  serversFolder: string,
  id: string,
  fill: (folder: string) => Promise<InstallRecord>,
  /** Adapts files that name the folder they were made in. */
  moved: (folder: string, target: string) => void,
): Promise<ManagedServer> {
  const own = join(serversFolder, id);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  removeLeftovers(own);
  const staged = mkdtempSync(join(own, `.new-${process.pid}-`));
  try {
    const record = await fill(staged);
    const target = join(own, record.version);
    if (recordIn(target) === undefined) {
      moved(staged, target);
      writeFileSync(join(staged, INSTALL_RECORD), `${JSON.stringify(record, null, 2)}\n`);
      if (existsSync(target)) removeVersions(own, [target]);
      renameSync(staged, target);
    }
    removeVersions(
      own,
      installedVersions(own).filter((path) => path !== target),
    );
    return { ...record, path: target };
  } finally {
    rmSync(staged, { recursive: true, force: true });
    removeEmpty(own);
  }
}

/** Removes a server. Returns whether there was one. */
export function removeServer(serversFolder: string, id: string): boolean {
  const own = join(serversFolder, id);
  const versions = installedVersions(own);
  removeVersions(own, versions);
  if (existsSync(own)) removeLeftovers(own);
  removeEmpty(own);
  return versions.length > 0;
}

/** A version disappears by a rename before its files are removed, so that no part of it is ever started. */
function removeVersions(own: string, versions: readonly string[]): void {
  for (const path of versions) {
    const old = mkdtempSync(join(own, `.old-${process.pid}-`));
    renameSync(path, join(old, "server"));
    rmSync(old, { recursive: true, force: true });
  }
}

/** Removes what processes that no longer run have left. */
function removeLeftovers(own: string): void {
  for (const name of readdirSync(own)) {
    const pid = Number(LEFTOVER.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid)) continue;
    const path = join(own, name);
    const age = Date.now() - (statOf(path)?.mtimeMs ?? 0);
    if (!isRunning(pid) || age > MAX_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
}

function removeEmpty(own: string): void {
  if (existsSync(own) && readdirSync(own).length === 0) rmSync(own, { recursive: true, force: true });
}

/** The bytes of all files in a folder; links count as nothing. */
export function sizeOf(path: string): number {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.isFile() ? stats.size : 0;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
