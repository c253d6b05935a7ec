/**
 * The work-done progress that a server has open, and what it is evidence of. Progress that begins while questions are
 * on their way may be one's own ("finding references"): it says nothing of the index until they are answered. What was
 * waited for in vain is not waited for again, unless it has moved since.
 */
import { isTable } from "../base/json.js";

/** A progress that reports nothing for so long was forgotten by its server and is no evidence any more. */
const STALE_MS = 60_000;
/** Part of the time that was waited in vain from which on waiting again is the same wait. */
const AS_LONG = 0.8;

/** Titles that are remembered; a server that makes a new one for each question is not understood. */
const MOST_TITLES = 64;

/** One question on its way. */
export interface Flight {
  sentAt: number;
  /** Whether the server said that it reports on such questions: what begins meanwhile is then no evidence of more. */
  tellsProgress: boolean;
  /** Titles of the progress that began meanwhile. */
  began: Set<string>;
}

/** One piece of work that the server says it is at. */
export interface Progress {
  title: string;
  message: string;
  percentage: number | undefined;
  seen: number;
  beganAt: number;
  /** The questions that were on their way when it began. */
  during: readonly Flight[];
  /** Whether it is known to be one question's own. */
  isOwn: boolean;
  /** Whether it is no news, unless it outlives the questions that it began with. */
  isQuiet: boolean;
  /** How long it was waited for in vain since it last moved. */
  vainMs: number;
}

type Words = Pick<Progress, "title" | "message" | "percentage">;

const nothing: readonly Progress[] = [];

/** The progress of one server. */
export class WorkProgress {
  readonly #open = new Map<string | number, Progress>();
  readonly #flights = new Set<Flight>();
  /** Titles of progress that began and ended with a question which the server reports on. */
  readonly #answersTitles = new Set<string>();
  readonly #onNews: () => void;
  #begun = 0;

  /** `onNews` hears of all progress but that of questions, by which the server tells nothing of itself. */
  constructor(onNews: () => void) {
    this.#onNews = onNews;
  }

  /** How many times the server began progress. */
  get begun(): number {
    return this.#begun;
  }

  /** Whether anything is open, forgotten or not. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** All that is open and not forgotten, the latest last. */
  get live(): readonly Progress[] {
    if (this.#open.size === 0) return nothing;
    const now = performance.now();
    return [...this.#open.values()].filter((progress) => now - progress.seen < STALE_MS);
  }

  /** What is not known to be some question's own. */
  get general(): readonly Progress[] {
    const { live } = this;
    if (live.length === 0) return live;
    return live.filter(({ isOwn, during }) => !isOwn && !during.some((flight) => this.#flights.has(flight)));
  }

  /** A question goes out. */
  depart(tellsProgress: boolean): Flight {
    const flight: Flight = { sentAt: performance.now(), tellsProgress, began: new Set() };
    this.#flights.add(flight);
    return flight;
  }

  /** It was answered, or given up. What began with the `previous` asking of the same question too is its own. */
  arrive(flight: Flight, previous: Flight | undefined): void {
    this.#flights.delete(flight);
    for (const progress of this.#open.values()) {
      if (progress.during.includes(flight) && previous?.began.has(progress.title)) progress.isOwn = true;
      if (progress.isQuiet && !this.#isAnswers(progress)) this.#tellOf(progress);
    }
  }

  /** It is some work of the server's own after all. */
  #tellOf(progress: Progress): void {
    progress.isQuiet = false;
    this.#onNews();
  }

  clear(): void {
    this.#open.clear();
  }

  /** So long was waited for all that is open, in vain. */
  waitedInVain(ms: number): void {
    for (const progress of this.#open.values()) progress.vainMs = Math.max(progress.vainMs, ms);
  }

  /** Takes the parameters of a `$/progress`; says what happened, if anything: `answered` is the end of a question's own. */
  take(params: unknown): "begun" | "went-on" | "answered" | "ended" | undefined {
    const { token, value } = isTable(params) ? params : {};
    if ((typeof token !== "string" && typeof token !== "number") || !isTable(value)) {
      this.#onNews();
      return undefined;
    }
    if (value.kind === "begin") this.#open.set(token, this.#begin(wordsOf(value, undefined)));
    const before = this.#open.get(token);
    if (!before?.isQuiet) this.#onNews();
    if (value.kind === "begin") return "begun";
    if (value.kind === "end") {
      this.#open.delete(token);
      return before && this.#end(before);
    }
    if (value.kind !== "report" || !before) return undefined;
    const words = wordsOf(value, before);
    if (words.message !== before.message || words.percentage !== before.percentage) before.vainMs = 0;
    Object.assign(before, words, { seen: performance.now() });
    return "went-on";
  }

  /** Whether it is most likely the progress of a question that is still on its way. */
  #isAnswers({ during }: Progress): boolean {
    return during.some((flight) => flight.tellsProgress && this.#flights.has(flight));
  }

  #begin(words: Words): Progress {
    this.#begun++;
    for (const flight of this.#flights) flight.began.add(words.title);
    const [now, during] = [performance.now(), [...this.#flights]];
    const progress = { ...words, seen: now, beganAt: now, during, isOwn: false, isQuiet: false, vainMs: 0 };
    progress.isQuiet = this.#answersTitles.has(words.title) && this.#isAnswers(progress);
    return progress;
  }

  #end(progress: Progress): "answered" | "ended" {
    if (!this.#isAnswers(progress)) return "ended";
    if (this.#answersTitles.size < MOST_TITLES) this.#answersTitles.add(progress.title);
    return "answered";
  }
}

/** Whether waiting for so long could tell more than an earlier wait did. */
export function isWorth(vainMs: number, waitMs: number): boolean {
  return vainMs < waitMs * AS_LONG;
}

function wordsOf(value: Record<string, unknown>, before: Words | undefined): Words {
  return {
    title: typeof value.title === "string" ? value.title : (before?.title ?? ""),
    message: typeof value.message === "string" ? value.message : (before?.message ?? ""),
    percentage: typeof value.percentage === "number" ? value.percentage : before?.percentage,
  };
}
