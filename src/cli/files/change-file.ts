/**
 * Another program's file, changed for a person: as a whole or not at all, its permissions kept, links to it kept, a copy of what
 * it was before the first change beside it. Whoever saves it at the same moment is not overwritten.
 */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isInside } from "../../base/paths.js";
import { ConfigError } from "../../base/problem.js";
import { diskFiles } from "../../config/files.js";
import { checkUserFile, notWritable, tellingWhy, userFileTarget, writeUserFile } from "./user-file.js";

/** What became of a file. */
export type Change = "unchanged" | "changed" | "created" | "deleted";

const BACKUP = ".before-lsp-proxy";
const MARK = "\uFEFF";
const ATTEMPTS = 5;

/** A file's text as it stands; empty when there is none. It must not lie outside the folder, when one is named. */
export function currentText(file: string, within?: string): string {
  return tellingWhy(file, () => textOf(targetOf(file, within)).text);
}

/** How a file is changed. */
export interface ChangeOptions {
  /** The folder that the file must lie in: no link of a repository leads to a file of the person's. */
  within?: string | undefined;
  /** Whether a file with that text is no longer needed. */
  isNothing?: (text: string) => boolean;
  /** Whether a copy is kept of what the file was before the first change. */
  keepsCopy?: (text: string) => boolean;
  /** Whether the new text means that the file is again what its copy says; the copy then takes its place. */
  isUndone?: (copy: string, after: string) => boolean;
}

/** What became of a file, for people. */
export const changeWords: { readonly [change in Change]: string } = {
  ...{ unchanged: "nothing to change in", changed: "changed", created: "wrote", deleted: "removed" },
};

/** The file with what the function makes of its text; one that was not there before and of which nothing is left goes. */
export function changeFile(
  file: string,
  change: (text: string) => string,
  { within, isNothing = () => false, keepsCopy = () => true, isUndone = () => false }: ChangeOptions = {},
): Change {
  return tellingWhy(file, () => {
    const target = targetOf(file, within);
    for (let attempt = 1; ; attempt++) {
      const { bytes, text, mark } = textOf(target);
      const after = change(text);
      if (after === text) return "unchanged";
      if (bytes !== undefined) checkUserFile(target);
      // The owner of the file may have saved it while we looked at it.
      if (attempt < ATTEMPTS && !isSame(contentOf(target), bytes)) continue;
      const copy = textOf(`${target}${BACKUP}`);
      const isBack = copy.bytes !== undefined && isUndone(copy.text, after);
      const whole = isBack ? copy.mark + copy.text : mark + after;
      return put(target, bytes, whole, {
        isNothing: isNothing(after),
        keepsCopy: bytes !== undefined && keepsCopy(text),
      });
    }
  });
}

function targetOf(file: string, within: string | undefined): string {
  const target = userFileTarget(file);
  if (within !== undefined && !isInside(target, diskFiles.realpath(within)))
    throw notWritable(file, "a link leads out of the workspace");
  return target;
}

function put(
  target: string,
  before: Buffer | undefined,
  after: string,
  { isNothing, keepsCopy }: { isNothing: boolean; keepsCopy: boolean },
): Change {
  const backup = `${target}${BACKUP}`;
  const kept = contentOf(backup);
  if (isNothing && kept === undefined) {
    rmSync(target);
    return "deleted";
  }
  mkdirSync(dirname(target), { recursive: true });
  if (keepsCopy && before !== undefined && kept === undefined)
    writeFileSync(backup, before, { flag: "wx", mode: statSync(target).mode & 0o777 });
  writeUserFile(target, after);
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
  const facts = statSync(file, { throwIfNoEntry: false });
  // A pipe that lies in a repository would be waited for, for ever.
  if (facts && !facts.isFile()) throw notWritable(file, "it is no plain file");
  return facts && readFileSync(file);
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
