/**
 * Reads and writes files of the user: atomically, through links, keeping permissions and owner. A read-only file or one
 * of another user is not replaced.
 */
import {
  accessSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, relative, sep } from "node:path";
import { writeAtomically } from "../../base/atomic-write.js";
import { lstatOf } from "../../base/file-stamp.js";
import { readRegularFile } from "../../base/guarded-open.js";
import { isInside } from "../../base/paths.js";
import { hasCode } from "../../base/system.js";
import { decodeUtf8 } from "../../base/text.js";
import { diskFiles, readOrExplain } from "../../config/files.js";
import { MAX_OTHER_BYTES } from "../../config/text/read.js";
import { configError, failure, type Input, type Io } from "../command.js";
import { notWritten } from "./disk-failure.js";
import { guardedFolders, guardedTarget, notWritable, writeTarget } from "./link-guard.js";

/** A file's content, undefined when it does not exist. Throws a ConfigError when it cannot be read. */
export function readUserFile(file: string): string | Uint8Array | undefined {
  const answer = readOrExplain(diskFiles, file);
  if ("content" in answer) return answer.content;
  if (answer.absent) return undefined;
  throw configError("cli/not-readable", `\`${file}\` ${answer.failure}`);
}

/**
 * Writes a file. Throws a ConfigError with the reason when it cannot be written, or when a link leads out of `guarded`.
 */
export function writeUserFile(file: string, text: string, guarded: readonly string[]): void {
  explainErrors(file, () => {
    const target = guardedTarget(file, guarded);
    const stats = statSync(target, { throwIfNoEntry: false });
    checkWritable(file, target, stats);
    writeAtomically(
      target,
      text,
      stats && { mode: 0o600, prepare: (descriptor) => copyOwner(file, descriptor, stats) },
    );
  });
}

/** Whether a file may be written: an existing one only with `--force`. Prints the reason if not. */
export function mayOverwrite(file: string, input: Input, io: Io): boolean {
  if (!input.isOn("force") && lstatOf(file)) {
    failure(io, `${file} already exists; --force replaces it`);
    return false;
  }
  checkUserFile(file, guardedFolders(input, io));
  return true;
}

/** Throws the error of `writeUserFile` early, before long work. */
export function checkUserFile(file: string, guarded: readonly string[]): void {
  explainErrors(file, () => {
    const target = guardedTarget(file, guarded);
    checkWritable(file, target, statSync(target, { throwIfNoEntry: false }));
    accessSync(dirname(target), constants.W_OK);
  });
}

/** The real path of a file, also of one that does not exist yet. */
export function realUserFile(file: string): string {
  return explainErrors(file, () => writeTarget(file));
}

/** A path relative to the current folder if it is inside it. */
export function shownPath(path: string, io: Io): string {
  return isInside(path, io.cwd) ? relative(io.cwd, path) : path;
}

/** Throws a ConfigError when a link on the way to a file or folder leads out of a guarded folder. */
export function checkLinks(path: string, guarded: readonly string[]): void {
  explainErrors(path, () => guardedTarget(path, guarded));
}

/** A rename needs no write permission on the file itself, so it is checked here. */
function checkWritable(file: string, target: string, stats: Stats | undefined): void {
  if (stats === undefined) {
    if (!statSync(dirname(target), { throwIfNoEntry: false })?.isDirectory())
      throw notWritable(file, "its folder does not exist");
    return;
  }
  if (!stats.isFile())
    throw notWritable(file, stats.isDirectory() ? "it is a folder" : "it is not a regular file");
  if ((stats.mode & 0o222) === 0) throw notWritable(file, "it is marked read-only");
  accessSync(target, constants.W_OK);
}

function copyOwner(file: string, descriptor: number, { uid, gid, mode }: Stats): void {
  const own = fstatSync(descriptor);
  if (own.uid !== uid || own.gid !== gid) {
    try {
      fchownSync(descriptor, uid, gid);
    } catch (error) {
      if (!hasCode(error)) throw error;
      throw notWritable(file, "it belongs to another user or group");
    }
  }
  fchmodSync(descriptor, mode & 0o7777);
}

/** Turns system errors into a ConfigError. */
function explainErrors<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!hasCode(error)) throw error;
    throw notWritten(file, error);
  }
}

/** The outcome, in the words that are printed before the file's name. */
export type WriteOutcome = "nothing to change in" | "changed" | "wrote" | "removed";

interface ChangeOptions {
  /** The folder that the file must be in, so that no link of a repository leads to another file of the user. */
  within?: string | undefined;
  /** Whether a file with this text is deleted. */
  isEmpty?: (text: string) => boolean;
  /** Whether a backup of the file before the first change is kept. */
  needsBackup?: (text: string) => boolean;
  /** Whether the new text undoes all changes, so that the backup is restored instead. */
  isUndone?: (backup: string, after: string) => boolean;
}

const BACKUP = ".before-lsp-proxy";
const ATTEMPTS = 5;

/** A file's text; empty when it does not exist. */
export function currentText(file: string, within?: string): string {
  return explainErrors(file, () => readCurrent(targetWithin(file, within)).text);
}

/** Throws the error of `changeFile` early, before another file is changed. It creates the folders that are missing. */
export function checkChangeable(file: string, within?: string): void {
  explainErrors(file, () => {
    const target = targetWithin(file, within);
    if (existsSync(target)) return checkUserFile(target, []);
    let folder = dirname(target);
    while (!existsSync(folder)) folder = dirname(folder);
    // With the dot it fails where a file is in place of the folder.
    accessSync(`${folder}${sep}.`, constants.W_OK);
  });
}

/** Changes a file of another program. A file without a backup that becomes empty is deleted. */
export function changeFile(
  file: string,
  change: (text: string) => string,
  { within, isEmpty = () => false, needsBackup = () => true, isUndone = () => false }: ChangeOptions = {},
): WriteOutcome {
  return explainErrors(file, () => {
    const target = targetWithin(file, within);
    for (let attempt = 1; ; attempt++) {
      const { bytes, text, mark } = readCurrent(target);
      const after = change(text);
      if (after === text) return "nothing to change in";
      if (bytes !== undefined) checkUserFile(target, []);
      // Another program may have saved the file in the meantime.
      if (attempt < ATTEMPTS && readCurrent(target).text !== text) continue;
      const backup = readCurrent(`${target}${BACKUP}`);
      if (isEmpty(after) && backup.bytes === undefined) {
        rmSync(target);
        return "removed";
      }
      const isRestored = backup.bytes !== undefined && isUndone(backup.text, after);
      const content = isRestored ? backup.mark + backup.text : mark + after;
      mkdirSync(dirname(target), { recursive: true });
      if (bytes !== undefined && backup.bytes === undefined && needsBackup(text))
        writeAtomically(`${target}${BACKUP}`, bytes, { mode: statSync(target).mode & 0o777 });
      writeUserFile(target, content, []);
      if (backup.bytes?.equals(Buffer.from(content))) rmSync(`${target}${BACKUP}`);
      return bytes === undefined ? "wrote" : "changed";
    }
  });
}

function targetWithin(file: string, within: string | undefined): string {
  const target = writeTarget(file);
  if (within !== undefined && !isInside(target, diskFiles.realpath(within)))
    throw notWritable(file, "a link leads out of the workspace");
  return target;
}

function readCurrent(file: string): { bytes: Buffer | undefined; text: string; mark: string } {
  const exists = statSync(file, { throwIfNoEntry: false }) !== undefined;
  const bytes = exists ? readRegularFile(file, MAX_OTHER_BYTES + 1)?.bytes : undefined;
  if (exists && bytes === undefined) throw notWritable(file, "it is not a regular file");
  if (bytes !== undefined && bytes.length > MAX_OTHER_BYTES)
    throw notWritable(file, "it is larger than 64 MB");
  const decoded = bytes === undefined ? { text: "", mark: "" } : decodeUtf8(bytes);
  if (decoded === undefined) throw configError("config/syntax", `\`${file}\` is not UTF-8`);
  return { bytes, ...decoded };
}
