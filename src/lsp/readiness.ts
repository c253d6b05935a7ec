/**
 * How much a server knows yet, from its own evidence only: open work-done progress, the status notification that the
 * plan names, and answers. Never from the clock.
 */

import type { ServerPlan } from "../abi/plan.js";
import type { Refusal } from "../base/problem.js";
import { ReadyStatus } from "./ready-status.js";
import type { Readiness } from "./types.js";
import { cancelled } from "./wire/cancel.js";
import { type Flight, isWorth, WorkProgress } from "./work-progress.js";

export class ReadinessState {
  readonly #ready: ServerPlan["ready"];
  readonly #status: ReadyStatus;
  readonly #progress: WorkProgress;
  readonly #listeners = new Set<() => void>();
  #initialized = false;
  #progressEnded = false;
  /** A question was answered with something: evidence of readiness only for servers that are declared so. */
  #answered = false;
  #signAt = 0;
  /** An empty answer stayed empty after all retries: asking again teaches nothing. */
  #emptySettled = false;
  /** How long a status that says "not yet" was waited for in vain since the server last gave a sign. */
  #toldVainMs = 0;
  #death: Refusal | undefined;

  /** `onNews` hears of progress that is not a question's own. */
  constructor(ready: ServerPlan["ready"], onNews: () => void = () => undefined) {
    this.#ready = ready;
    this.#status = new ReadyStatus(ready);
    this.#progress = new WorkProgress(onNews);
  }

  get now(): Readiness {
    if (!this.#initialized) return "starting";
    // A status with a field tells both ways; one without can only say "ready", and later progress speaks against it.
    if (this.#statusDecides) return this.#status.told ? "ready" : "indexing";
    if (this.#ready.progress && this.#progress.general.length > 0) return "indexing";
    if (this.#status.told) return "ready";
    if (this.awaitsStatus) return "unknown";
    return this.#progressEnded || (this.#ready.atOnce && this.#answered) ? "ready" : "unknown";
  }

  /** Whether the server has progress open, of any kind: also of checks that its readiness does not depend on. */
  get atWork(): boolean {
    return this.#progress.live.length > 0;
  }

  /** Whether waiting so long for what is open could tell more than an earlier wait, which was in vain. */
  isWorthWaiting(waitMs: number): boolean {
    return this.#progress.live.some(({ vainMs }) => isWorth(vainMs, waitMs)) || this.mustHold(waitMs);
  }

  /** So long was waited for the end of the server's work, in vain. */
  waitedInVain(ms: number): void {
    this.#progress.waitedInVain(ms);
    this.#toldVainMs = Math.max(this.#toldVainMs, ms);
  }

  /** A question goes out; `arrive` ends its flight. `tellsProgress`: the server reports on such questions while it works on them. */
  depart(tellsProgress = false): Flight {
    return this.#progress.depart(tellsProgress);
  }

  /** The question of this flight was answered, or given up; `previous` is the flight in which it was asked before. */
  arrive(flight: Flight, previous?: Flight): void {
    this.#progress.arrive(flight, previous);
    // Only what is open can have turned out to be the question's own, or not to be.
    if (this.#progress.isOpen) this.#changed();
  }

  /** Whether the server has shown nothing yet by which its first answers could be judged, nor is known to be ready at once. */
  get isSilent(): boolean {
    return this.now === "unknown" && !this.#ready.atOnce && !this.awaitsStatus && this.begun === 0;
  }

  /** How many times the server began progress. */
  get begun(): number {
    return this.#progress.begun;
  }

  /** When the server last said anything of its own work. */
  get signAt(): number {
    return this.#signAt;
  }

  /** Whether an answer given now may be an early one that a wait of `waitMs` could better. */
  mustHold(waitMs: number): boolean {
    if (this.now !== "indexing") return this.awaitsStatus;
    if (this.#statusDecides) return isWorth(this.#toldVainMs, waitMs);
    return this.#progress.general.some(({ vainMs }) => isWorth(vainMs, waitMs));
  }

  /**
   * Whether the answer of this flight may be an early one. Progress that was open before the question is a reason.
   * What began after it is one for the `first` answer only, as loading begins with the first question about a project,
   * and never while it may be another's, unless no work of this server was ever seen to end.
   */
  doubts(flight: Flight, first: boolean, waitMs: number): boolean {
    if (this.awaitsStatus || this.#statusDecides || !this.#ready.progress) return this.mustHold(waitMs);
    const { live } = this.#progress;
    if (live.length === 0) return false;
    const { general } = this.#progress;
    const before = general.filter(({ beganAt }) => beganAt <= flight.sentAt);
    const since = (this.#progressEnded ? general : live).filter(({ during }) => during.includes(flight));
    return [...before, ...(first ? since : [])].some(({ vainMs }) => isWorth(vainMs, waitMs));
  }

  /** Whether the status turned to "ready" while this question was on its way: its answer may be from before. */
  turnedDuring({ sentAt }: Flight): boolean {
    return this.#status.told === true && this.#status.readySince > sentAt;
  }

  /**
   * Waits for the first status that the plan names, or for progress, at most `timeoutMs` and what is left of `patienceMs`,
   * which is for all such waits; once it is used up, answers count without a status. False when none came.
   */
  async waitForStatus(timeoutMs: number, patienceMs: number, signal: AbortSignal): Promise<boolean> {
    const since = performance.now();
    const waitMs = Math.min(timeoutMs, this.#status.patienceLeft(patienceMs));
    const isTold = (): boolean => !this.awaitsStatus || this.now === "indexing";
    if (await this.wait(isTold, waitMs, signal)) return true;
    this.#status.waitedInVain(since, waitMs, patienceMs);
    if (!this.awaitsStatus) this.#changed();
    return false;
  }

  get #statusDecides(): boolean {
    return this.#status.told !== undefined && this.#status.isTwoWay;
  }

  /** Whether the server has yet to send the status that it is known for. */
  get awaitsStatus(): boolean {
    return this.#status.isAwaited;
  }

  /** Whether an empty answer may still turn into another one. */
  get mayFill(): boolean {
    // A status that only ever says "ready" may come a moment before the answers do (vim-language-server).
    const isSure = this.now === "ready" && (this.#ready.notification === null || this.#status.isTwoWay);
    return !isSure && !this.#answered && !this.#emptySettled;
  }

  /** The server's own words on what it is doing, or null. */
  get text(): string | null {
    const progress = this.#progress.live.at(-1);
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

  /** The server was given more folders, of which it knows nothing yet. */
  foldersAdded(count: number): void {
    this.#status.foldersAdded(count);
    this.#changed();
  }

  /** The server was notified of new source files: one that announces that it has listed its files does so again. */
  filesAdded(): void {
    this.#status.filesAdded();
    this.#changed();
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
    this.#progress.clear();
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
    if (this.#status.take(method, params)) this.#sign();
  }

  #progressed(params: unknown): void {
    const what = this.#progress.take(params);
    if (what === undefined) return;
    if (what === "ended") this.#progressEnded ||= this.#ready.progress;
    if (what === "begun") this.#emptySettled = false;
    this.#sign();
  }

  #sign(): void {
    this.#signAt = performance.now();
    this.#toldVainMs = 0;
    this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /**
   * Waits while the server says that it is at work, at most `timeoutMs`. A server that names a status notification is
   * also waited for while it has not sent the first.
   */
  async settle(timeoutMs: number, signal: AbortSignal): Promise<Readiness> {
    const busy = (): boolean => this.now === "starting" || this.mustHold(timeoutMs);
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
