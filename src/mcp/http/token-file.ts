/**
 * Tokens in a file that only its owner can read. The file is checked at every use and read again when it has changed, so
 * tokens change without a restart, and a file that others can read is no longer used.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs";
import { readTokens, type TokenSource, tokenProblem } from "./tokens.js";

const MAX_BYTES = 65_536;

/** The tokens of a file; `read` gives the digests in its text. */
export function fileTokens(
  path: string,
  read: (text: string) => Buffer[] = (text) => readTokens(text, `\`${path}\``),
): TokenSource {
  let stamp = "";
  let digests: Buffer[] = [];
  return {
    name: `the file ${path}`,
    digests() {
      const now = stampOf(path);
      if (now !== stamp) {
        digests = read(readPrivate(path));
        stamp = now;
      }
      return digests;
    },
  };
}

/** The text of a regular file that belongs to this user and that nobody else can read. */
export function readPrivate(path: string): string {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a named pipe would block forever.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!isPrivate(stats))
      throw tokenProblem("http/loose-file", `\`${path}\` is not a regular file that only you can read`);
    if (stats.size > MAX_BYTES)
      throw tokenProblem("http/bad-tokens", `\`${path}\` is larger than ${MAX_BYTES} bytes`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

function isPrivate(stats: Stats): boolean {
  if (!stats.isFile()) return false;
  const user = process.getuid?.();
  // Windows has no permission bits; its access control lists decide who reads the file.
  return user === undefined || (stats.uid === user && (stats.mode & 0o077) === 0);
}

/** Changes when the file or its permissions do. */
function stampOf(path: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
    return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): Error {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code === "ENOENT"
    ? tokenProblem("http/no-token", `\`${path}\` does not exist`)
    : tokenProblem("http/bad-tokens", `\`${path}\` cannot be read (${code})`);
}
