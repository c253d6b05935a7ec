/**
 * Reads text files so that only text gets through and nothing hangs: no devices, no pipes, no links swapped in, no
 * binaries, nothing over the limit. A byte-order mark counts in the hash and is left out of the text, as editors do.
 */
import { open } from "node:fs/promises";
import { type FileStamp, isReliable, stampFrom } from "../../base/file-stamp.js";
import { isStillAt, READ_FLAGS } from "../../base/guarded-open.js";
import { sha256 } from "../../base/hash.js";
import { Refusal } from "../../base/problem.js";
import { systemCode } from "../../base/system.js";
import { decodeUtf8, Lines } from "../../base/text.js";

export interface FileText {
  /** SHA-256 of the file's bytes. */
  hash: string;
  lines: Lines;
  stamp: FileStamp;
  /** Whether an equal stamp later proves that the text is equal. */
  isReliable: boolean;
}

/** The text of a file that its writer has handed over. It counts until the file is read again. */
export function unsavedText(text: string, shown: string, maxBytes: number): FileText {
  const bytes = Buffer.from(text);
  if (bytes.length > maxBytes)
    throw new Refusal("guard/not-a-file", `${shown} is larger than ${maxBytes} bytes`);
  const lines = new Lines(text.replace(/^\uFEFF/, ""));
  return { hash: sha256(bytes), lines, stamp: { text: "unsaved", changedAt: 0 }, isReliable: false };
}

/** How often a file that was replaced while it was opened is opened again: editors save by renaming. */
const ATTEMPTS = 3;

/** Reads a text file by its real path; `shown` is its name in refusals. */
export async function readText(path: string, shown: string, maxBytes: number): Promise<FileText> {
  const refuse = (why: string): Refusal => new Refusal("guard/not-a-file", `${shown} ${why}`);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const text = await readOnce(path, maxBytes, refuse);
    if (text !== undefined) return text;
  }
  throw refuse("is reached through a symbolic link now");
}

/** The text, or undefined when what was opened is not what the path names. */
async function readOnce(
  path: string,
  maxBytes: number,
  refuse: (why: string) => Refusal,
): Promise<FileText | undefined> {
  const file = await open(path, READ_FLAGS).catch((error: unknown) => {
    throw refuse(openErrors[systemCode(error)] ?? "cannot be opened");
  });
  try {
    const stats = await file.stat();
    const stamp = stampFrom(stats);
    if (stamp === undefined) throw refuse(stats.isDirectory() ? "is a folder" : "is not a regular file");
    if (!(await isStillAt(file, path))) return undefined;
    const tooLarge = () => refuse(`is larger than ${maxBytes} bytes`);
    if (stats.size > maxBytes) throw tooLarge();
    const bytes = await file.readFile();
    if (bytes.length > maxBytes) throw tooLarge();
    const decoded = bytes.includes(0) ? undefined : decodeUtf8(bytes);
    if (decoded === undefined) throw refuse(whyNotText(bytes));
    const lines = new Lines(decoded.text);
    return { hash: sha256(bytes), lines, stamp, isReliable: isReliable(stamp, Date.now()) };
  } finally {
    await file.close();
  }
}

function whyNotText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16) return "is UTF-16; only UTF-8 is read";
  return bytes.includes(0) ? "is a binary file" : "is not UTF-8 text";
}

const openErrors: { [code: string]: string } = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EACCES: "may not be read",
  EISDIR: "is a folder",
  ELOOP: "is a symbolic link now",
  ENXIO: "is not a regular file",
};
