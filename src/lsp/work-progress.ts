/**
 * The work-done progress that a server has open. Progress that begins while requests are pending may belong to one of
 * them ("finding references"), so it says nothing about indexing until they are answered. Progress that was waited for
 * in vain is not waited for again until it changes.
 */
import type { ProgressToken, WorkDoneProgressBegin } from "vscode-languageserver-protocol";
import { fieldsOf } from "./fields.js";

/** Progress without a report for this long was forgotten by its server and is ignored. */
const STALE_MS = 60_000;
/** A new wait must be this much longer than an earlier one in vain: 1 / 0.8 times. */
const LONGER = 0.8;

/** The time in which one request is pending. */
export interface RequestSpan {
  sentAt: number;
  /** Whether the server reports progress on such requests: progress that begins meanwhile is then the request's own. */
  reportsProgress: boolean;
  /** Titles of the progress that began meanwhile. */
  began: Set<string>;
}

export interface Progress extends ProgressText {
  seenAt: number;
  beganAt: number;
  /** Requests that were pending when it began. */
  during: readonly RequestSpan[];
  /** Whether it is known to belong to one request. */
  isOwn: boolean;
  /** How long it was waited for in vain since it last changed. */
  vainMs: number;
}

interface ProgressText {
  title: string;
  message: string;
  percentage: number | undefined;
}

export class WorkProgress {
  readonly #open = new Map<string | number, Progress>();
  readonly #pending = new Set<RequestSpan>();
  #begun = 0;

  /** How many times the server began progress. */
  get begun(): number {
    return this.#begun;
  }

  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Open progress that is not stale, the latest last. */
  get live(): readonly Progress[] {
    const now = performance.now();
    return [...this.#open.values()].filter(({ seenAt }) => now - seenAt < STALE_MS);
  }

  /** Live progress that cannot belong to a pending request. */
  get general(): readonly Progress[] {
    return this.live.filter(({ isOwn, during }) => !isOwn && !during.some((span) => this.#pending.has(span)));
  }

  requestSent(reportsProgress: boolean): RequestSpan {
    const span: RequestSpan = { sentAt: performance.now(), reportsProgress, began: new Set() };
    this.#pending.add(span);
    return span;
  }

  /** Progress with a title that also began during the `previous` try of the same request is the request's own. */
  requestEnded(span: RequestSpan, previous: RequestSpan | undefined): void {
    this.#pending.delete(span);
    for (const progress of this.#open.values())
      if (progress.during.includes(span) && previous?.began.has(progress.title)) progress.isOwn = true;
  }

  clear(): void {
    this.#open.clear();
  }

  /** Records that all open progress was waited for in vain for this long. */
  waitedInVain(ms: number): void {
    for (const progress of this.#open.values()) progress.vainMs = Math.max(progress.vainMs, ms);
  }

  /** Takes the parameters of `$/progress` and returns what happened. "answered": a request's own progress ended. */
  take(params: unknown): "begun" | "changed" | "answered" | "ended" | undefined {
    const { token, value } = fieldsOf<{ token: ProgressToken; value: unknown }>(params);
    if (typeof token !== "string" && typeof token !== "number") return undefined;
    const { kind } = fieldsOf<{ kind: string }>(value);
    const open = this.#open.get(token);
    if (kind === "begin") {
      this.#open.set(token, this.#begin(textOf(value)));
      return "begun";
    }
    if (kind === "end") {
      this.#open.delete(token);
      return open && (this.#isOfPendingRequest(open) ? "answered" : "ended");
    }
    if (kind !== "report" || !open) return undefined;
    const text = textOf(value, open);
    if (text.message !== open.message || text.percentage !== open.percentage) open.vainMs = 0;
    Object.assign(open, text, { seenAt: performance.now() });
    return "changed";
  }

  #isOfPendingRequest({ during }: Progress): boolean {
    return during.some((span) => span.reportsProgress && this.#pending.has(span));
  }

  #begin(text: ProgressText): Progress {
    this.#begun++;
    for (const span of this.#pending) span.began.add(text.title);
    const now = performance.now();
    return { ...text, seenAt: now, beganAt: now, during: [...this.#pending], isOwn: false, vainMs: 0 };
  }
}

/** Whether a wait of `waitMs` is clearly longer than an earlier one that was in vain. */
export function isWorthWaiting(vainMs: number, waitMs: number): boolean {
  return vainMs < waitMs * LONGER;
}

function textOf(value: unknown, before?: ProgressText): ProgressText {
  const { title, message, percentage } = fieldsOf<WorkDoneProgressBegin>(value);
  return {
    title: typeof title === "string" ? title : (before?.title ?? ""),
    message: typeof message === "string" ? message : (before?.message ?? ""),
    percentage: typeof percentage === "number" ? percentage : before?.percentage,
  };
}
