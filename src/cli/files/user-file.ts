/**
 * Files of a person that a command writes: as a whole or not at all, behind links, with the permissions and the owner that they
 * have. A file that says it is read-only, or that is someone else's, is not replaced.
 */
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codes } from "../../base/codes.js";
import { ConfigError } from "../../base/problem.js";
import { diskFiles, hasCode, readOrExplain } from "../../config/files.js";
import { describeSystemError } from "../../workspace/edits/errors.js";
import { type Input, isOn, type Surroundings } from "../command.js";
import { visible } from "../terminal/width.js";

/** A file's content, undefined when there is none; throws a ConfigError when it cannot be read. */
export function readUserFile(file: string): string | Uint8Array | undefined {
  const answer = readOrExplain(diskFiles, file);
  if ("content" in answer) return answer.content;
  if (answer.absent) return undefined;
  throw failed("cli/not-readable", `\`${file}\` ${answer.failure}`);
}

/** Writes a file; throws a ConfigError that says why when it cannot be written. */
export function writeUserFile(file: string, text: string): void {
  tellingWhy(file, () => {
    const target = userFileTarget(file);
    const facts = statSync(target, { throwIfNoEntry: false });
    checkWritable(file, target, facts);
    replace(file, target, text, facts);
  });
}

/** Whether a file may be written: a file that is there only with `--force`. Says so where not. */
export function mayWrite(file: string, input: Input, io: Surroundings): boolean {
  if (!isOn(input, "force") && lstatSync(file, { throwIfNoEntry: false })) {
    io.stderr.write(`lsp-proxy: ${visible(file)} is there already; --force replaces it\n`);
    return false;
  }
  checkUserFile(file);
  return true;
}

/** Throws the same ConfigError beforehand, for work that takes long before there is something to write. */
export function checkUserFile(file: string): void {
  tellingWhy(file, () => {
    const target = userFileTarget(file);
    checkWritable(file, target, statSync(target, { throwIfNoEntry: false }));
    accessSync(dirname(target), constants.W_OK);
  });
}

/** The file that a name means: behind links, also one that leads to nothing yet. */
export function userFileTarget(file: string, hops = 0): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (!hasCode(error) || error.code !== "ENOENT" || hops > 8) throw error;
  }
  const link = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(file) : undefined;
  if (link !== undefined) return userFileTarget(resolve(dirname(file), link), hops + 1);
  const folder = dirname(file);
  return folder === file ? file : join(userFileTarget(folder, hops), basename(file));
}

/** Replacing a file needs no right to write it, so the file itself is asked. */
function checkWritable(file: string, target: string, facts: Stats | undefined): void {
  if (facts === undefined) {
    if (!statSync(dirname(target), { throwIfNoEntry: false })?.isDirectory())
      throw notWritable(file, "its folder does not exist");
    return;
  }
  if (!facts.isFile())
    throw notWritable(file, facts.isDirectory() ? "it is a folder" : "it is no plain file");
  if ((facts.mode & 0o222) === 0) throw notWritable(file, "it is marked read-only");
  accessSync(target, constants.W_OK);
}

function replace(file: string, target: string, text: string, facts: Stats | undefined): void {
  const staged = `${target}.${process.pid}-${Date.now()}.new`;
  const descriptor = openSync(staged, "wx", facts === undefined ? 0o666 : 0o600);
  try {
    try {
      writeFileSync(descriptor, text);
      if (facts !== undefined) keepOwner(file, descriptor, facts);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(staged, target);
  } catch (error) {
    rmSync(staged, { force: true });
    throw error;
  }
}

function keepOwner(file: string, descriptor: number, { uid, gid, mode }: Stats): void {
  const own = fstatSync(descriptor);
  if (own.uid !== uid || own.gid !== gid) {
    try {
      fchownSync(descriptor, uid, gid);
    } catch (error) {
      if (!hasCode(error)) throw error;
      throw notWritable(file, "it belongs to another user or group, which a new file could not");
    }
  }
  fchmodSync(descriptor, mode & 0o7777);
}

/** Turns an error of the system into one for the person. */
export function tellingWhy<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!hasCode(error)) throw error;
    throw notWritable(file, describeSystemError(error) ?? error.code);
  }
}

/** The problem of a file that cannot be written. */
export function notWritable(file: string, why: string): ConfigError {
  return failed("cli/not-writable", `\`${file}\` cannot be written: ${why}`);
}

function failed(code: "cli/not-writable" | "cli/not-readable", message: string): ConfigError {
  return new ConfigError([{ code, severity: "error", message, pointer: "", fix: codes[code].fix }]);
}
