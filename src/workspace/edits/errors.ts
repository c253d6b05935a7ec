/** Errors of edits: refusals that carry all their reasons, and errors of the file system in words. */
import type { Code } from "../../base/codes.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { systemCode } from "../../base/system.js";
import type { Gate } from "../gate-types.js";
import type { Reason } from "./types.js";

const MAX_REASONS = 100;

const systemErrors: { [code: string]: string } = {
  ENOSPC: "the disk is full",
  EDQUOT: "the user's share of the disk is full",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  EEXIST: "something already exists there",
  ENOTEMPTY: "a folder that is not empty is in the way",
  EISDIR: "a folder is in the way",
  ENOTDIR: "a file is in the way of a folder",
  ENOENT: "it does not exist any more",
  EBUSY: "it is in use",
  EXDEV: "the target is on another file system",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "a symbolic link is in the way",
  EFBIG: "it is too large",
  ECHANGED: "it changed meanwhile",
  EMOVED: "its folder was moved or replaced meanwhile",
};

/** A refusal that lists all reasons. A single reason also gives the refusal its code. */
export function refuseEdit(all: Reason[], code?: Code, lead = "Nothing was changed"): Refusal {
  const reasons = sortReasons(all);
  const [first] = reasons;
  const ownCode = code ?? (reasons.length === 1 && first !== undefined ? first.code : "edit/refused");
  const listed = reasons.slice(0, 3).map(({ path, message }) => `${path} ${message}`);
  const more = reasons.length > listed.length ? `; and ${reasons.length - listed.length} more` : "";
  return new Refusal(ownCode, `${lead}: ${listed.join("; ")}${more}.`, {
    data: {
      reasons: reasons.slice(0, MAX_REASONS).map((reason) => ({ ...reason })),
      reason_count: reasons.length,
    },
  });
}

/** A Refusal or an error of the file system as a reason; any other error is thrown. */
export function reasonOf(error: unknown, path: string, code: Code): Reason {
  if (error instanceof Refusal) return reasonOfRefusal(error, path);
  return { code, path, message: `cannot be read: ${describeOrThrow(error)}` };
}

/** A refusal as a reason. The message of the gate's is a whole sentence, which may begin with the path. */
export function reasonOfRefusal({ code, message }: Refusal, path: string): Reason {
  if (!message.endsWith(".")) return { code, path, message };
  const sentence = message.slice(0, -1);
  if (sentence.startsWith(`${path} `)) return { code, path, message: sentence.slice(path.length + 1) };
  const clause = sentence.replace(/^(?:The|A|Only)\b/, (word) => word.toLowerCase());
  return { code, path, message: `is refused: ${clause}` };
}

/** Sorts by path and removes duplicates. */
export function sortReasons(reasons: Reason[]): Reason[] {
  const unique = uniqueBy(reasons, ({ code, path, message }) => JSON.stringify([code, path, message]));
  return sortBy(unique, ({ path, code, message }) => [path, code, message]);
}

export function shownPath(gate: Gate, path: string): string {
  const placed = gate.check(path);
  return placed instanceof Refusal ? "a path outside the workspace" : placed.shown;
}

export function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Codes that only say that nothing exists at a path. */
export const ABSENT = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/** Waits for work that may fail with one of these codes: undefined then. */
export async function tolerate<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(systemCode(error))) return undefined;
    throw error;
  }
}

/** A file system error in words, without a path; undefined for any other error. */
export function describeSystemError(error: unknown): string | undefined {
  const code = systemCode(error);
  return systemErrors[code] ?? (/^E[A-Z0-9]+$/.test(code) ? `the system reports ${code}` : undefined);
}

/** The same; throws any other error. */
export function describeOrThrow(error: unknown): string {
  const description = describeSystemError(error);
  if (description === undefined) throw error;
  return description;
}

/** Turns a file system error that occurs before anything is written into a refusal. */
export async function refuseOnSystemError<T>(code: Code, lead: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Refusal(code, `${lead}: ${describeOrThrow(error)}. Nothing was changed.`, { cause: error });
  }
}

/** Waits for work whose file system errors must not make a finished edit fail. */
export async function ignoreSystemErrors(work: Promise<void>): Promise<void> {
  await work.catch(describeOrThrow);
}
