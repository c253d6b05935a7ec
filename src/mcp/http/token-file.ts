/**
 * Tokens in a file that only its owner can read. The file is checked at every use and read again when it has changed,
 * so tokens change without a restart, and a file that others can read is no longer used.
 */
import type { Stats } from "node:fs";
import { stampFrom, statOf } from "../../base/file-stamp.js";
import { readRegularFile } from "../../base/guarded-open.js";
import { systemCode } from "../../base/system.js";
import { NOT_OURS, readTokens, type TokenSource, tokenProblem } from "./bearer-tokens.js";

const MAX_BYTES = 65_536;

/** The tokens of a file; `read` gives the digests in its text. */
export function fileTokens(
  path: string,
  read: (text: string) => Buffer[] = (text) => readTokens(text, `\`${path}\``),
  name = `the file that \`http.token_file\` names; ${NOT_OURS}`,
): TokenSource {
  let stamp: string | undefined;
  let digests: Buffer[] = [];
  return {
    name,
    file: path,
    digests() {
      // The stamp also changes with the permissions. Without one, reading says what is wrong.
      const now = stampFrom(statOf(path))?.text;
      if (now === undefined || now !== stamp) {
        digests = read(readPrivate(path));
        stamp = now;
      }
      return digests;
    },
  };
}

/** The text of a regular file that belongs to this user and that nobody else can read. */
export function readPrivate(path: string): string {
  let file: ReturnType<typeof readRegularFile>;
  try {
    file = readRegularFile(path, MAX_BYTES + 1);
  } catch (error) {
    throw unreadable(path, error);
  }
  if (file === undefined || !isPrivate(file.stats))
    throw tokenProblem("http/loose-file", `\`${path}\` is not a regular file that only you can read`);
  if (file.bytes.length > MAX_BYTES)
    throw tokenProblem("http/bad-tokens", `\`${path}\` is larger than ${MAX_BYTES} bytes`);
  return file.bytes.toString("utf8");
}

function isPrivate({ uid, mode }: Stats): boolean {
  const user = process.getuid?.();
  // Windows has no permission bits; its access control lists decide who reads the file.
  return user === undefined || (uid === user && (mode & 0o077) === 0);
}

function unreadable(path: string, error: unknown): Error {
  const code = systemCode(error);
  return code === "ENOENT"
    ? tokenProblem("http/no-token", `\`${path}\` does not exist`)
    : tokenProblem("http/bad-tokens", `\`${path}\` cannot be read (${code})`);
}
