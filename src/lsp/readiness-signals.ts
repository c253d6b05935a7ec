/** The signals of readiness: work-done progress, and the status notification that the plan describes. */
import type { ProgressToken, WorkDoneProgressBegin } from "vscode-languageserver-protocol";
import type { ServerPlan } from "../abi/plan.js";
import { fieldsOf, fromPointer, getAt } from "../base/json.js";
import { cutCharacters, detached } from "../base/text.js";

/** The most open progress of one server, of which the oldest is dropped, and the most titles kept for one request. */
const MAX_OPEN = 200;
const MAX_TITLES = 1_000;
/** Characters of a token and of each text. */
const MAX_TOKEN = 1_000;
const MAX_TEXT = 200;
/** Progress without a report for this long is ignored: its server has forgotten to end it. */
const STALE_MS = 60_000;
/** A wait is worthwhile when earlier ones in vain took less than this share of it. */
const WORTHWHILE_SHARE = 0.8;

/** The time in which one request is pending. */
export interface RequestSpan {
  sentAt: number;
  /** Whether the server reports progress on such requests: progress that begins meanwhile is then the request's own. */
  reportsProgress: boolean;
  /** Titles of the progress that began meanwhile. */
  began: Set<string>;
}

interface Progress extends ProgressText {
  seenAt: number;
  beganAt: number;
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
  /** How many times the server began progress. */
  begun = 0;

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
    if (typeof token !== "number" && !(typeof token === "string" && token.length <= MAX_TOKEN))
      return undefined;
    const { kind } = fieldsOf<{ kind: string }>(value);
    const open = this.#open.get(token);
    if (kind === "begin") {
      this.#open.delete(token);
      this.#open.set(token, this.#begin(textOf(value)));
      const [oldest] = this.#open.keys();
      if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
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
    this.begun++;
    for (const { began } of this.#pending) {
      if (began.size < MAX_TITLES) began.add(text.title);
    }
    const now = performance.now();
    return { ...text, seenAt: now, beganAt: now, during: [...this.#pending], isOwn: false, vainMs: 0 };
  }
}

/** Whether a wait of `waitMs` is clearly longer than `vainMs`, which earlier waits took in vain. */
export function isWorthWaiting(vainMs: number, waitMs: number): boolean {
  return vainMs < waitMs * WORTHWHILE_SHARE;
}

function cut(text: string): string {
  const start = cutCharacters(text, MAX_TEXT);
  return start.cut ? detached(start.text) : text;
}

function textOf(value: unknown, before?: ProgressText): ProgressText {
  const { title, message, percentage } = fieldsOf<WorkDoneProgressBegin>(value);
  return {
    title: typeof title === "string" ? cut(title) : (before?.title ?? ""),
    message: typeof message === "string" ? cut(message) : (before?.message ?? ""),
    percentage: typeof percentage === "number" ? percentage : before?.percentage,
  };
}

/** Tolerance for sums of fractions of milliseconds. */
const ROUNDING_MS = 1;
/** How long to wait for a server that lists its files again; an idle one takes 0.2 s. */
const LISTING_MS = 5_000;

export class ReadyStatus {
  readonly #field: string[];
  #isReady: boolean | undefined;
  /** How many "ready" notifications are still missing: one, or one for each folder. */
  #missing = 1;
  /** When the status last became "ready". */
  readySince = 0;
  /** How long calls have waited in vain for the first status, and until when. Overlapping waits count once. */
  #vainMs = 0;
  #vainUntil = 0;
  #isGivenUp = false;
  /** Until this time the server may list its files again, and its earlier status does not count. */
  #listsUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly ready: ServerPlan["ready"]) {
    this.#field = fromPointer(ready.field ?? "");
  }

  /** The last status; undefined before the first, and while the server lists its files again. */
  get isReady(): boolean | undefined {
    return performance.now() < this.#listsUntil ? undefined : this.#isReady;
  }

  get isAwaited(): boolean {
    return this.ready.notification !== null && this.isReady === undefined && !this.#isGivenUp;
  }

  /** Whether the status can also say "not ready": a boolean field can, a text or a bare notification cannot. */
  get isTwoWay(): boolean {
    return this.ready.field !== null && this.ready.text.length === 0;
  }

  /** Takes any notification; returns whether it was the status. */
  take(method: string, params: unknown): boolean {
    if (method !== this.ready.notification) return false;
    const isReady = this.#read(getAt(params, this.#field));
    if (isReady === undefined) return false;
    if (isReady) this.#missing = Math.max(0, this.#missing - 1);
    if (isReady && this.#missing > 0) return true;
    if (isReady && !this.isReady) this.readySince = performance.now();
    this.#listsUntil = Number.NEGATIVE_INFINITY;
    this.#isReady = isReady;
    return true;
  }

  /** Expects further "ready" notifications from a server that sends one for each folder. */
  foldersAdded(count: number): void {
    if (!this.ready.eachFolder || count === 0) return;
    this.#missing += count;
    this.#isReady = undefined;
    this.#vainMs = 0;
    this.#isGivenUp = false;
  }

  /** Source files were added: pyright lists its files again, logs how many it found, and knows no new one before. */
  filesAdded(): void {
    if (!this.ready.eachFolder || this.#isReady !== true) return;
    this.#listsUntil = performance.now() + LISTING_MS;
    this.#vainMs = 0;
    this.#isGivenUp = false;
  }

  /** The meaning of a value; undefined for a text that says nothing about readiness. */
  #read(value: unknown): boolean | undefined {
    const { field, text } = this.ready;
    if (field === null) return true;
    if (text.length === 0) return value === true;
    return typeof value === "string" && text.some((part) => value.includes(part)) ? true : undefined;
  }

  /** How much longer the first status may be waited for. */
  patienceLeft(patienceMs: number): number {
    const left = patienceMs - this.#vainMs;
    const listingMs = this.#listsUntil - performance.now();
    return listingMs > 0 ? Math.min(left, listingMs) : left;
  }

  /** Records a wait in vain. When the whole patience is used up, the status is given up. */
  waitedInVain(since: number, waitMs: number, patienceMs: number): void {
    const until = Math.max(since + waitMs, this.#vainUntil);
    this.#vainMs += until - Math.max(since, this.#vainUntil);
    this.#vainUntil = until;
    this.#isGivenUp ||= this.patienceLeft(patienceMs) < ROUNDING_MS;
  }
}
