/**
 * How much a server knows yet, from its own evidence only: open work-done progress, the status notification that the
 * plan names, and answers. Never from the clock.
 */
import type { ServerPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { fromPointer, getAt } from "../base/pointer.js";
import type { Refusal } from "../base/problem.js";
import { cancelled } from "./cancel.js";
import type { Readiness } from "./types.js";

/** A progress that reports nothing for so long was forgotten by its server and is no evidence any more. */
const STALE_MS = 60_000;

interface Progress {
  title: string;
  message: string;
  percentage: number | undefined;
  seen: number;
}

export class ReadinessState {
  readonly #ready: ServerPlan["ready"];
  readonly #field: string[];
  readonly #open = new Map<string | number, Progress>();
  readonly #listeners = new Set<() => void>();
  #initialized = false;
  /** What the status notification said last; undefined before the first. */
  #told: boolean | undefined;
  #progressEnded = false;
  /** A question was answered with something: evidence of readiness only for servers that are declared so. */
  #answered = false;
  #begun = 0;
  #signAt = 0;
  /** An empty answer stayed empty after all retries: asking again teaches nothing. */
  #emptySettled = false;
  #statusGivenUp = false;
  #death: Refusal | undefined;

  constructor(ready: ServerPlan["ready"]) {
    this.#ready = ready;
    this.#field = fromPointer(ready.field ?? "");
  }

  get now(): Readiness {
    if (!this.#initialized) return "starting";
    // A status with a field tells both ways; one without can only say "ready", and later progress speaks against it.
    if (this.#told !== undefined && this.#ready.field !== null) return this.#told ? "ready" : "indexing";
    if (this.#ready.progress && this.atWork) return "indexing";
    if (this.#told) return "ready";
    if (this.#awaitsStatus) return "unknown";
    return this.#progressEnded || (this.#ready.atOnce && this.#answered) ? "ready" : "unknown";
  }

  /** Whether the server has progress open, of any kind: also of checks that its readiness does not depend on. */
  get atWork(): boolean {
    return this.#live().length > 0;
  }

  /** How many times the server began progress. */
  get begun(): number {
    return this.#begun;
  }

  /** When the server last said anything of its own work. */
  get signAt(): number {
    return this.#signAt;
  }

  /** Whether an answer given now may be an early one: the server says that it works, or has yet to say anything. */
  get mustHold(): boolean {
    return this.now === "indexing" || this.#awaitsStatus;
  }

  /** The status that the plan names did not come in time; answers count without it from now on. */
  giveUpOnStatus(): void {
    this.#statusGivenUp = true;
    this.#changed();
  }

  get #awaitsStatus(): boolean {
    return this.#ready.notification !== null && this.#told === undefined && !this.#statusGivenUp;
  }

  /** Whether an empty answer may still turn into another one. */
  get mayFill(): boolean {
    return this.now !== "ready" && !this.#answered && !this.#emptySettled;
  }

  /** The server's own words on what it is doing, or null. */
  get text(): string | null {
    const progress = this.#live().at(-1);
    if (!progress) return null;
    const percent = progress.percentage === undefined ? "" : ` ${Math.round(progress.percentage)} %`;
    return [`${progress.title}${percent}`, progress.message]
      .filter((part) => part !== "")
      .join(": ")
      .slice(0, 200);
  }

  /** Calls back on every change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  initialized(): void {
    this.#initialized = true;
    this.#sign();
  }

  /** A request was answered with something. */
  answered(): void {
    if (this.#answered || this.now === "indexing") return;
    this.#answered = true;
    this.#changed();
  }

  /** The server has ended: everybody who waits for it hears why. */
  died(death: Refusal): void {
    this.#death = death;
    this.#open.clear();
    this.#changed();
  }

  /** Why the server has ended, or undefined while it lives. */
  get death(): Refusal | undefined {
    return this.#death;
  }

  emptySettled(): void {
    this.#emptySettled = true;
  }

  /** Takes any notification of the server that is evidence. */
  notified(method: string, params: unknown): void {
    if (method === "$/progress") this.#progressed(params);
    if (method !== this.#ready.notification) return;
    const value = getAt(params, this.#field);
    this.#told = this.#ready.field === null ? true : value === true;
    this.#sign();
  }

  #progressed(params: unknown): void {
    const { token, value } = isTable(params) ? params : {};
    if ((typeof token !== "string" && typeof token !== "number") || !isTable(value)) return;
    const before = this.#open.get(token);
    if (value.kind === "end") {
      if (this.#open.delete(token)) this.#progressEnded ||= this.#ready.progress;
    } else if (value.kind === "begin" || (value.kind === "report" && before)) {
      this.#open.set(token, {
        title: typeof value.title === "string" ? value.title : (before?.title ?? ""),
        message: typeof value.message === "string" ? value.message : (before?.message ?? ""),
        percentage: typeof value.percentage === "number" ? value.percentage : before?.percentage,
        seen: performance.now(),
      });
      if (value.kind === "begin") {
        this.#emptySettled = false;
        this.#begun++;
      }
    } else return;
    this.#sign();
  }

  #sign(): void {
    this.#signAt = performance.now();
    this.#changed();
  }

  #live(): Progress[] {
    const now = performance.now();
    return [...this.#open.values()].filter((progress) => now - progress.seen < STALE_MS);
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /**
   * Waits while the server says that it is at work, at most `timeoutMs`. A server that names a status notification is
   * also waited for while it has not sent the first.
   */
  async settle(timeoutMs: number, signal: AbortSignal): Promise<Readiness> {
    const busy = (): boolean => this.now === "starting" || this.mustHold;
    await this.wait(() => !busy(), timeoutMs, signal);
    return this.now;
  }

  /** Waits until a condition on this state holds (true) or the time is over (false); throws when cancelled. */
  async wait(holds: () => boolean, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) throw cancelled(signal);
    if (this.#death) throw this.#death;
    if (holds()) return true;
    if (timeoutMs <= 0) return false;
    return new Promise((resolve, reject) => {
      const finish = (end: () => void): void => {
        clearTimeout(timer);
        stop();
        signal.removeEventListener("abort", onAbort);
        end();
      };
      const onAbort = (): void => finish(() => reject(cancelled(signal)));
      const timer = setTimeout(() => finish(() => resolve(holds())), timeoutMs);
      const stop = this.onChange(() => {
        const death = this.#death;
        if (death) finish(() => reject(death));
        else if (holds()) finish(() => resolve(true));
      });
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
