/**
 * Answers that several calls may have: one that is kept and still true, or one that is under way for somebody else. Looking
 * for them is bounded, and what takes longer is not waited for: sharing must not cost more than asking.
 */

import type { ToolPlan } from "../../abi/plan.js";
import type { Refusal } from "../../base/problem.js";
import type { StopSignal } from "../../base/stop.js";
import type { PoolMark, ServerPool } from "../../lsp/types.js";
import type { Evidence, Learned } from "../answer/evidence.js";
import type { CallOutcome } from "../answer/outcome.js";
import { isTimeToAsk } from "../deadline.js";
import type { AnswerCache } from "./answer-cache.js";
import type { Caller, InFlight } from "./in-flight.js";

const lookMs = 2000;

/** An outcome that others may be told too. */
export interface Told {
  outcome: CallOutcome;
  /** What it rests on, for a call that this one is a part of. */
  learned: Learned;
  /** Why there is no answer, where there is none. */
  refusal: Refusal | undefined;
  /** Whether its time was up: who has more time may ask again. */
  isLate: boolean;
  /** The only session that it is good in, where its cursor is. */
  owner: string | undefined;
  /** A cursor of the listing that it is the first page of, good while its session holds that. */
  listing: string | undefined;
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
  /** What the asker may see, as a text: others who see the same are answered the same. */
  sight: string;
  /** The session that asks. */
  asker: string;
  /** Whether the session still holds the listing of a cursor. */
  holds(listing: string): boolean;
  cancel: StopSignal;
  remainingMs(): number;
  onProgress(message: string): void;
}

/** Asks anew, from where things stand. */
export type Ask = (
  mark: PoolMark | undefined,
  signal: StopSignal,
  onProgress: (message: string) => void,
) => Promise<Fresh>;

/** What the answers of one runtime are shared through. */
export interface Sharing {
  pool: ServerPool;
  inFlight: InFlight<Fresh>;
  answers: AnswerCache<Told>;
}

/** The answer that is kept, or under way, or new. */
export function shareAnswer(sharing: Sharing, question: Question, ask: Ask): Promise<Told> {
  const { tool, args, sight, asker } = question;
  const askedAt = Date.now();
  // As it was written: who asks the same twice writes it alike, and to bring it in order takes longer than all else here.
  const key = `${tool} ${JSON.stringify(args ?? {})} ${sight}`;
  const share = (mark: PoolMark | undefined) =>
    mark === undefined
      ? ask(mark, question.cancel, question.onProgress)
      : shareAt(sharing, question, { key, mark, askedAt }, ask);
  const glanced = glanceFor(sharing, asker, key);
  return glanced === undefined ? briefly(question, () => sharing.pool.mark()).then(share) : share(glanced);
}

/** A question as it is known by, and where things stood when it was asked. */
interface Asked {
  key: string;
  mark: PoolMark;
  askedAt: number;
}

function shareAt(sharing: Sharing, question: Question, asked: Asked, ask: Ask): Promise<Told> {
  const { key, mark } = asked;
  const { asker, cancel, onProgress } = question;
  const kept = keptAnswer(sharing, question, key, mark);
  if (kept !== undefined) return Promise.resolve(kept);
  let isOwn = false;
  const caller: Caller<Fresh, Told> = {
    signal: cancel,
    onProgress,
    given(told) {
      // After the answer is on its way: keeping it is nobody's hurry. Whoever began knows where things stood before; if they left, it is not kept.
      if (isOwn) setImmediate(keep, sharing, asked, told);
      // A cursor is good in its own session only, and another's end of time is not one's own. One's own may come a moment
      // before the clock has it: asked anew, the call would end at once and know nothing of what it waited for.
      const isGood = told.owner === undefined || told.owner === asker;
      const isAgain = told.isLate && isTimeToAsk(question.remainingMs());
      return isGood && !isAgain ? told : ask(mark, cancel, onProgress);
    },
    // Whoever left alone is told so; what they shared goes on for the others.
    left: () => ask(undefined, cancel, onProgress),
  };
  return sharing.inFlight.join(`${mark.files} ${key}`, caller, (signal, tell) => {
    isOwn = true;
    return ask(mark, signal, tell);
  });
}

/** Where things stand, at a glance. What another call found may only be taken over by whoever has looked at everything. */
function glanceFor({ pool, answers, inFlight }: Sharing, asker: string, key: string): PoolMark | undefined {
  if (answers.has(key, asker)) return undefined;
  const glanced = pool.glance();
  return glanced && inFlight.has(`${glanced.files} ${key}`) ? undefined : glanced;
}

/** The answer that is kept for all, or for this session alone while it holds the further pages. */
function keptAnswer(
  { answers }: Sharing,
  { asker, holds }: Question,
  key: string,
  mark: PoolMark,
): Told | undefined {
  const own = answers.get(key, mark, asker);
  if (own?.listing !== undefined && holds(own.listing)) return own;
  return answers.get(key, mark);
}

/** What a look at how things stand finds, or undefined when it takes too long or nobody waits for it: then a call goes its own way. */
export function briefly<T>(
  { cancel, remainingMs }: Pick<Question, "cancel" | "remainingMs">,
  look: () => Promise<T>,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined);
    if (cancel.aborted) abort();
    cancel.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(resolve, Math.min(lookMs, remainingMs() / 2), undefined);
    look()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        cancel.removeEventListener("abort", abort);
      });
  });
}

/** Keeps an answer. What has happened since its mark shows when it is looked for: the mark is another one then. */
function keep({ answers }: Sharing, { key, mark, askedAt }: Asked, fresh: Fresh): void {
  if (!fresh.isKept) return;
  const { outcome, learned, refusal, isLate, owner, listing } = fresh;
  // What a server has yet to say belongs to one call, and is nothing that can be written down.
  if (learned.awaited.length > 0) return;
  const told: Told = { outcome, learned, refusal, isLate, owner, listing };
  answers.put(key, mark, told, fresh.files, askedAt, owner);
}

/** Whether identical calls may share an answer: those that only read what language servers tell. */
export function isShared(tool: ToolPlan): boolean {
  return (
    tool.effect === "read" && tool.steps.every(({ kind }) => kind === "request" || kind === "diagnostics")
  );
}

/** Whether an answer may be given again: what servers push at their own time is asked for every time. */
export function isKept(tool: ToolPlan, { isPage, listing, readiness }: Evidence): boolean {
  const isFirst = !isPage || listing !== undefined;
  return isFirst && readiness === "ready" && tool.steps.every(({ kind }) => kind === "request");
}
