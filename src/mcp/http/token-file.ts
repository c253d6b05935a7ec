/**
 * Tokens in a file of this user's that nobody else can read. The file is looked at before every use, and read again when
 * it has changed: tokens are changed without a restart, and a file that became readable for others counts no more.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs";
import { readTokens, type TokenSource, tokenProblem } from "./tokens.js";

const mostBytes = 65_536;

/** The tokens of a file, by the function that reads its text. */
export function fileTokens(
  path: string,
  read: (text: string) => Buffer[] = (text) => readTokens(text, `\`${path}\``),
): TokenSource {
  let mark = "";
  let digests: Buffer[] = [];
  return {
    name: `the file ${path}`,
    digests() {
      const now = markOf(path);
      if (now !== mark) {
        digests = read(readPrivate(path));
        mark = now;
      }
      return digests;
    },
  };
}

/** The text of a file that only its owner, who is this user, can read; a token problem otherwise. */
export function readPrivate(path: string): string {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a pipe of that name would hold the gateway for ever.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    const facts = fstatSync(descriptor);
    if (!isPrivate(facts)) throw tokenProblem("http/loose-file", `\`${path}\` is not a file of yours alone`);
    if (facts.size > mostBytes)
      throw tokenProblem("http/bad-tokens", `\`${path}\` is larger than ${mostBytes} bytes`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

function isPrivate(facts: Stats): boolean {
  if (!facts.isFile()) return false;
  const user = process.getuid?.();
  // Where there are no such bits, the system's own lists decide who reads the file.
  return user === undefined || (facts.uid === user && (facts.mode & 0o077) === 0);
}

/** What changes when a file does, its permissions included. */
function markOf(path: string): string {
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
