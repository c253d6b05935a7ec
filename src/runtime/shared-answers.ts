/**
 * Answers that several calls may have: one that is kept and still true, or one that is under way for somebody else. Looking
 * for them is bounded, and what takes longer is not waited for: sharing must not cost more than asking.
 */
import { canonicalText } from "../base/json.js";
import type { Log, PoolMark, ServerPool } from "../lsp/types.js";
import type { AnswerCache } from "./answer-cache.js";
import { untilAborted, withDeadline } from "./deadline.js";
import type { InFlight } from "./in-flight.js";
import type { CallOutcome } from "./outcome.js";

const lookMs = 2000;

/** An outcome that others may be told too. */
export interface Told {
  outcome: CallOutcome;
  /** The only session that it is good in, where its cursor is. */
  owner: string | undefined;
}

/** A new outcome, and whether and with which files it may be given again. */
export interface Fresh extends Told {
  isKept: boolean;
  /** Absolute paths of the files that it shows. */
  files: string[];
}

/** A question that others may ask as well. */
export interface Question {
  tool: string;
  args: unknown;
  /** What the asker may see: others who see the same are answered the same. */
  roots: readonly string[];
  /** The session that asks. */
  asker: string;
  cancel: AbortSignal;
  remainingMs(): number;
  onProgress(message: string): void;
}

/** Asks anew, from where things stand. */
export type Ask = (
  mark: PoolMark | undefined,
  signal: AbortSignal,
  onProgress: (message: string) => void,
) => Promise<Fresh>;

/** What the answers of one runtime are shared through. */
export interface Sharing {
  pool: ServerPool;
  inFlight: InFlight<Told>;
  answers: AnswerCache;
  log: Log;
}

/** The answer that is kept, or under way, or new. */
export async function shareAnswer(sharing: Sharing, question: Question, ask: Ask): Promise<CallOutcome> {
  const { tool, args, roots, asker, cancel, onProgress } = question;
  const { pool, answers, inFlight } = sharing;
  const askedAt = Date.now();
  const key = canonicalText([tool, args ?? {}, roots]);
  const stand = await briefly(question, async () => {
    const mark = await pool.mark();
    return { mark, kept: await answers.get(key, mark) };
  });
  const alone = async () => (await ask(stand?.mark, cancel, onProgress)).outcome;
  if (stand === undefined) return alone();
  const { mark, kept } = stand;
  if (kept !== undefined) return kept;
  const told = await inFlight.join(`${mark.files} ${key}`, cancel, onProgress, async (signal, tell) => {
    const fresh = await ask(mark, signal, tell);
    if (fresh.isKept) void keep(sharing, key, mark, fresh, askedAt);
    return fresh;
  });
  // A cursor is good in its own session only.
  return told.owner === undefined || told.owner === asker ? told.outcome : alone();
}

/** What a look at how things stand finds, or undefined when it takes too long: then a call goes its own way. */
export function briefly<T>(
  { cancel, remainingMs }: Pick<Question, "cancel" | "remainingMs">,
  look: () => Promise<T>,
): Promise<T | undefined> {
  return withDeadline([cancel], Math.min(lookMs, remainingMs() / 2), async (signal, expired) => {
    try {
      return await untilAborted(signal, look());
    } catch (error) {
      if (expired()) return undefined;
      throw error;
    }
  });
}

/** Keeps an answer when nothing has changed since before it was asked for. */
async function keep(
  { pool, answers, log }: Sharing,
  key: string,
  mark: PoolMark,
  { outcome, files }: Fresh,
  askedAt: number,
): Promise<void> {
  try {
    const now = await pool.mark();
    if (now.all === mark.all) await answers.put(key, mark, outcome, files, askedAt);
  } catch (error) {
    log("debug", "an answer was not kept", { cause: String(error) });
  }
}
