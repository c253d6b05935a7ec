/**
 * Reads text files so that nothing but text gets through and nothing hangs: no devices, no pipes, no links swapped in,
 * no binaries, nothing over the limit. A byte-order mark counts in the hash and is left out of the text, as editors do.
 */
import { constants, type Stats } from "node:fs";
import { entryFacts } from "../../base/facts.js";
import { standsAt } from "../../base/guarded-open.js";
import { sha256 } from "../../base/hash.js";
import { Refusal } from "../../base/problem.js";
import { Lines } from "../../base/text.js";
import { openToRead } from "./reads.js";

/** Clocks of file systems are coarse: a file changed this close to its reading may change again unseen. */
const RACY_MS = 2_000;

/** What can be told of a file without reading it. */
export interface Stamp {
  text: string;
  /** Whether an equal stamp later proves that the content is equal too. */
  solid: boolean;
  /** Whether it had no other name when it was read, under which it could be written to. */
  hasOneName: boolean;
}

export interface FileText {
  hash: string;
  lines: Lines;
  stamp: Stamp;
}

/** The stamp of a regular file, or undefined when there is none. */
export function stampOf(path: string): Stamp | undefined {
  const stats = entryFacts(path);
  return stats?.isFile() ? toStamp(stats) : undefined;
}

function toStamp(stats: Stats): Stamp {
  const solid = Date.now() - Math.max(stats.mtimeMs, stats.ctimeMs) > RACY_MS;
  return { text: stampText(stats), solid, hasOneName: stats.nlink === 1 };
}

/** What changes when a file's content does. */
export type ContentFacts = Pick<Stats, "ino" | "size" | "mtimeMs" | "ctimeMs">;

/** The same as a text. */
export function stampText(stats: ContentFacts): string {
  return `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
}

/** How often a file that was put anew while it was opened is opened again: editors save by renaming. */
const OPENINGS = 3;

/** Reads a text file by its real path; `shown` is its name in refusals. */
export async function readText(path: string, shown: string, maxBytes: number): Promise<FileText> {
  const refuse = (why: string): Refusal => new Refusal("guard/not-a-file", `${shown} ${why}`);
  for (let opening = 0; opening < OPENINGS; opening++) {
    const text = await readOnce(path, maxBytes, refuse);
    if (text !== undefined) return text;
  }
  throw refuse("is reached through a symbolic link now");
}

/** The text, or undefined when what was opened is not what stands at the path. */
async function readOnce(
  path: string,
  maxBytes: number,
  refuse: (why: string) => Refusal,
): Promise<FileText | undefined> {
  // Not following the last link, and not waiting for a pipe's other end.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await openToRead(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw refuse(openProblems[error.code ?? ""] ?? "cannot be opened");
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refuse(stats.isDirectory() ? "is a folder" : "is not a regular file");
    if (!(await standsAt(file, path))) return undefined;
    const tooLarge = () => refuse(`is larger than ${maxBytes} bytes`);
    if (stats.size > maxBytes) throw tooLarge();
    const bytes = await file.readFile();
    if (bytes.length > maxBytes) throw tooLarge();
    return { hash: sha256(bytes), lines: new Lines(decode(bytes, refuse)), stamp: toStamp(stats) };
  } finally {
    await file.close();
  }
}

const openProblems: { [code: string]: string } = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EACCES: "may not be read",
  EISDIR: "is a folder",
  ELOOP: "is a symbolic link now",
  ENXIO: "is not a regular file",
};

function decode(bytes: Uint8Array, refuse: (why: string) => Refusal): string {
  if (bytes.includes(0)) throw refuse("is a binary file");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse("is not UTF-8 text");
  }
}
