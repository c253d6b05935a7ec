/**
 * Another program's file, changed for a person: as a whole or not at all, its permissions kept, links to it kept, a copy of what
 * it was before the first change beside it. Whoever saves it at the same moment is not overwritten.
 */
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codes } from "../base/codes.js";
import { ConfigError } from "../base/problem.js";
import { hasCode } from "../config/files.js";
import { systemWords } from "../workspace/edits/system-words.js";
import { replaceFile } from "./edit-config.js";

/** What became of a file. */
export type Change = "unchanged" | "changed" | "created" | "deleted";

const BACKUP = ".before-lsp-proxy";
const MARK = "\uFEFF";
const ATTEMPTS = 5;

/** A file's text as it stands; empty when there is none. */
export function currentText(file: string): string {
  return told(file, () => textOf(targetOf(file)).text);
}

/** The file with what the function makes of its text; one that was not there before and of which nothing is left goes. */
export function changeFile(
  file: string,
  change: (text: string) => string,
  { isNothing = () => false }: { isNothing?: (text: string) => boolean } = {},
): Change {
  return told(file, () => {
    const target = targetOf(file);
    for (let attempt = 1; ; attempt++) {
      const { bytes, text, mark } = textOf(target);
      const after = change(text);
      if (after === text) return "unchanged";
      checkWritable(target, bytes !== undefined);
      // The owner of the file may have saved it while we looked at it.
      if (attempt < ATTEMPTS && !isSame(contentOf(target), bytes)) continue;
      return put(target, bytes, mark + after, isNothing(after));
    }
  });
}

function told<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!hasCode(error)) throw error;
    throw notWritable(file, systemWords(error) ?? error.code);
  }
}

function put(target: string, before: Buffer | undefined, after: string, isNothing: boolean): Change {
  const backup = `${target}${BACKUP}`;
  const kept = contentOf(backup);
  if (isNothing && kept === undefined) {
    rmSync(target);
    return "deleted";
  }
  mkdirSync(dirname(target), { recursive: true });
  if (before !== undefined && kept === undefined)
    writeFileSync(backup, before, { flag: "wx", mode: statSync(target).mode & 0o777 });
  replaceFile(target, after);
  // A copy of what the file is again is of no use.
  if (kept?.equals(Buffer.from(after))) rmSync(backup);
  return before === undefined ? "created" : "changed";
}

function textOf(file: string): { bytes: Buffer | undefined; text: string; mark: string } {
  const bytes = contentOf(file);
  const whole = bytes === undefined ? "" : decoded(file, bytes);
  const mark = whole.startsWith(MARK) ? MARK : "";
  return { bytes, text: whole.slice(mark.length), mark };
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (hasCode(error) && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function isSame(left: Buffer | undefined, right: Buffer | undefined): boolean {
  return left === undefined || right === undefined ? left === right : left.equals(right);
}

function decoded(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ConfigError([
      {
        ...{ code: "config/syntax", severity: "error", pointer: "", place: { file, line: 1, column: 1 } },
        ...{ message: "the file is not UTF-8", fix: "Save the file as UTF-8." },
      },
    ]);
  }
}

/** The file that a name means: behind links, also one that leads to nothing yet. */
function targetOf(file: string, hops = 0): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (!hasCode(error) || error.code !== "ENOENT" || hops > 8) throw error;
  }
  const link = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(file) : undefined;
  if (link !== undefined) return targetOf(resolve(dirname(file), link), hops + 1);
  const folder = dirname(file);
  return folder === file ? file : join(targetOf(folder, hops), basename(file));
}

/** Replacing a file needs no right to write it, so a file that says it is read-only is asked. */
function checkWritable(file: string, isThere: boolean): void {
  if (isThere && (statSync(file).mode & 0o200) === 0) throw notWritable(file, "it is marked read-only");
}

function notWritable(file: string, why: string): ConfigError {
  const code = "client/not-writable";
  const message = `\`${file}\` cannot be written: ${why}`;
  return new ConfigError([{ code, severity: "error", message, pointer: "", fix: codes[code].fix }]);
}
