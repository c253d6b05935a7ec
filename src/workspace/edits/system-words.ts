/** The system's errors in words that tell an agent what is in the way, without a path. */
import type { Code } from "../../base/codes.js";
import { Refusal } from "../../base/problem.js";
import { systemCode } from "./disk.js";

const words: { [code: string]: string } = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  EEXIST: "something is already there",
  ENOTEMPTY: "a folder that is not empty is in the way",
  EISDIR: "a folder is in the way",
  ENOTDIR: "a file is in the way of a folder",
  ENOENT: "it is not there any more",
  EBUSY: "it is in use",
  ETXTBSY: "it is being run",
  EXDEV: "it would go to another file system",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "a symbolic link is in the way",
  EFBIG: "it is too large",
  EIO: "the disk does not work",
  ECHANGED: "it changed meanwhile",
  EMOVED: "its folder was moved or replaced meanwhile",
};

/** What an error of the system means; undefined when it is not one. */
export function systemWords(error: unknown): string | undefined {
  const code = systemCode(error);
  return words[code] ?? (/^E[A-Z0-9]+$/.test(code) ? `the system says ${code}` : undefined);
}

/** Turns a failure of the system, before anything was touched, into a refusal. */
export async function inWords<T>(code: Code, lead: string, act: Promise<T>): Promise<T> {
  try {
    return await act;
  } catch (error) {
    const words = systemWords(error);
    if (words === undefined) throw error;
    throw new Refusal(code, `${lead}: ${words}. Nothing was changed.`, { cause: error });
  }
}

/** Waits for something whose failure must not turn a done edit into a failed one. */
export async function unlessSystem(act: Promise<void>): Promise<void> {
  await act.catch((error: unknown) => {
    if (systemWords(error) === undefined) throw error;
  });
}
