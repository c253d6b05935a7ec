/** Errors of the file system that are no bugs, in words: a folder that may not be written, a full disk. */
import { ConfigError } from "../../base/problem.js";
import { hasCode } from "../../base/system.js";
import { describeSystemError } from "../../workspace/edits/errors.js";
import { notWritable } from "./link-guard.js";

/** Codes that depend on the machine, not on the program. */
const OF_THE_MACHINE = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR", "EMFILE", "ENFILE", "EIO"];
const FULL = ["ENOSPC", "EDQUOT"];

const FREE_SPACE = "Free some space, then run the command again.";
const OTHER_FOLDER =
  "Make the folder writable for this user, or set HOME, XDG_STATE_HOME and XDG_DATA_HOME to folders that are.";

/** The error as one for the user, with the path; undefined when it may be a bug. */
export function diskFailure(error: unknown, usualPath?: string): ConfigError | undefined {
  if (!hasCode(error)) return undefined;
  // `mkdir` makes the folders above too, so this one is in a place where nothing can be made.
  const isPlace = error.code === "ENOENT" && "syscall" in error && error.syscall === "mkdir";
  if (!isPlace && !OF_THE_MACHINE.includes(error.code)) return undefined;
  const path = "path" in error && typeof error.path === "string" ? error.path : usualPath;
  if (path === undefined) return undefined;
  const why = isPlace ? "no folder can be made there" : (describeSystemError(error) ?? error.code);
  return withFix(notWritable(path, why), fullDiskFix(error.code) ?? OTHER_FOLDER);
}

/** An error of the file system when a file of the user is written. */
export function notWritten(file: string, error: Error & { code: string }): ConfigError {
  const failure = notWritable(file, describeSystemError(error) ?? error.code);
  const fix = fullDiskFix(error.code);
  return fix === undefined ? failure : withFix(failure, fix);
}

function fullDiskFix(code: string): string | undefined {
  return FULL.includes(code) ? FREE_SPACE : undefined;
}

function withFix({ problems }: ConfigError, fix: string): ConfigError {
  return new ConfigError(problems.map((problem) => ({ ...problem, fix })));
}
