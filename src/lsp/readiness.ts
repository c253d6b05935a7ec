/**
 * How far a server has loaded, by its own evidence only: open work-done progress, the status notification that the plan
 * names, and its answers. Elapsed time is never taken as evidence.
 */
import type { ServerPlan } from "../abi/plan.js";
import type { Refusal } from "../base/problem.js";
import { Listeners, waitUntil } from "../base/timing.js";
import { isWorthWaiting, ReadyStatus, type RequestSpan, WorkProgress } from "./readiness-signals.js";
import type { Readiness } from "./types.js";

export class ReadinessState {
  readonly #status: ReadyStatus;
  readonly #progress = new WorkProgress();
  readonly #listeners = new Listeners();
  readonly onChange = this.#listeners.subscribe;
  #isInitialized = false;
  #hasProgressEnded = false;
  /** A request got a non-empty answer: evidence only for servers that are declared ready at once. */
  #hasAnswered = false;
  /** When the server last reported on its work. */
  signAt = 0;
  /** An empty answer stayed empty after all retries. */
  #emptySettled = false;
  /** How long a status of "not ready" was waited for in vain since the server's last sign. */
  #statusVainMs = 0;
  #death: Refusal | undefined;

  constructor(private readonly ready: ServerPlan["ready"]) {
    this.#status = new ReadyStatus(ready);
  }

  get now(): Readiness {
    if (!this.#isInitialized) return "starting";
    // A one-way status can only say "ready": later progress outweighs it.
    if (this.#statusDecides) return this.#status.isReady ? "ready" : "indexing";
    if (this.ready.progress && this.#progress.general.length > 0) return "indexing";
    if (this.#status.isReady) return "ready";
    if (this.awaitsStatus) return "unknown";
    return this.#hasProgressEnded || (this.ready.atOnce && this.#hasAnswered) ? "ready" : "unknown";
  }

  /** Whether the server has any progress open, also of checks that do not affect readiness. */
  get isWorking(): boolean {
    return this.#progress.live.length > 0;
  }

  /** Whether waiting this long for open work may help, given earlier waits in vain. */
  isWorthWaiting(waitMs: number): boolean {
    return this.#progress.live.some(({ vainMs }) => isWorthWaiting(vainMs, waitMs)) || this.mustWait(waitMs);
  }

  /** Records that the end of the server's work was waited for in vain. */
  waitedInVain(ms: number): void {
    this.#progress.waitedInVain(ms);
    this.#statusVainMs = Math.max(this.#statusVainMs, ms);
  }

  /** A request was sent; `requestEnded` must follow. `reportsProgress`: the server reports on such requests. */
  requestSent(reportsProgress = false): RequestSpan {
    return this.#progress.requestSent(reportsProgress);
  }

  /** A request was answered or given up; `previous` is the span of the try before. */
  requestEnded(span: RequestSpan, previous?: RequestSpan): void {
    this.#progress.requestEnded(span, previous);
    // Open progress may turn out to belong to the request, or not to.
    if (this.#progress.isOpen) this.#listeners.notify();
  }

  /** Whether the server has shown nothing yet by which its first answers can be judged. */
  get isSilent(): boolean {
    return this.now === "unknown" && !this.ready.atOnce && !this.awaitsStatus && this.begun === 0;
  }

  get begun(): number {
    return this.#progress.begun;
  }

  /** Whether an answer given now may be too early, and a wait of `waitMs` may help. */
  mustWait(waitMs: number): boolean {
    if (this.now !== "indexing") return this.awaitsStatus;
    if (this.#statusDecides) return isWorthWaiting(this.#statusVainMs, waitMs);
    return this.#progress.general.some(({ vainMs }) => isWorthWaiting(vainMs, waitMs));
  }

  /**
   * Whether the answer to a request may be too early. Progress that was open before the request is a reason. Progress
   * that began later is one only for the first answer, since loading begins with the first request about a project. It
   * must not belong to another request, unless no work of this server was ever seen to end.
   */
  isDoubtful(span: RequestSpan, isFirst: boolean, waitMs: number): boolean {
    if (this.awaitsStatus || this.#statusDecides || !this.ready.progress) return this.mustWait(waitMs);
    const { live, general } = this.#progress;
    const before = general.filter(({ beganAt }) => beganAt <= span.sentAt);
    const since = (this.#hasProgressEnded ? general : live).filter(({ during }) => during.includes(span));
    return [...before, ...(isFirst ? since : [])].some(({ vainMs }) => isWorthWaiting(vainMs, waitMs));
  }

  /** Whether the status became "ready" while a request was pending: its answer may be from before. */
  becameReadyDuring({ sentAt }: RequestSpan): boolean {
    return this.#status.isReady === true && this.#status.readySince > sentAt;
  }

  /** Waits for the first status or progress; false when none came. All such waits share `patienceMs`. */
  async waitForStatus(timeoutMs: number, patienceMs: number, signal: AbortSignal): Promise<boolean> {
    const since = performance.now();
    const waitMs = Math.min(timeoutMs, this.#status.patienceLeft(patienceMs));
    const hasSign = (): boolean => !this.awaitsStatus || this.now === "indexing";
    if (await this.wait(hasSign, waitMs, signal)) return true;
    this.#status.waitedInVain(since, waitMs, patienceMs);
    if (!this.awaitsStatus) this.#listeners.notify();
    return false;
  }

  get #statusDecides(): boolean {
    return this.#status.isReady !== undefined && this.#status.isTwoWay;
  }

  get awaitsStatus(): boolean {
    return this.#status.isAwaited;
  }

  /** Whether an empty answer may still become a non-empty one. */
  get emptyMayChange(): boolean {
    // A one-way "ready" may come a moment before the answers do (vim-language-server).
    const isSure = this.now === "ready" && (this.ready.notification === null || this.#status.isTwoWay);
    return !isSure && !this.#hasAnswered && !this.#emptySettled;
  }

  /** The server's own text on what it is doing, or null. */
  get text(): string | null {
    const progress = this.#progress.live.at(-1);
    if (!progress) return null;
    const percent = progress.percentage === undefined ? "" : ` ${Math.round(progress.percentage)} %`;
    return [`${progress.title}${percent}`, progress.message]
      .filter((part) => part !== "")
      .join(": ")
      .slice(0, 200);
  }

  /** The server was given further folders, which it has not loaded yet. */
  foldersAdded(count: number): void {
    this.#status.foldersAdded(count);
    this.#listeners.notify();
  }

  /** The server was notified of new source files: one that announces that it has listed its files does so again. */
  filesAdded(): void {
    this.#status.filesAdded();
    this.#listeners.notify();
  }

  initialized(): void {
    this.#isInitialized = true;
    this.#sign();
  }

  answered(): void {
    if (this.#hasAnswered || this.now === "indexing") return;
    this.#hasAnswered = true;
    this.#listeners.notify();
  }

  /**
   * An answer about one file's own text says nothing about the project, unless the server is declared ready at once.
   */
  answeredAboutFile(): void {
    if (this.ready.atOnce) this.answered();
  }

  /** The server has ended: every wait is refused with this reason. */
  died(death: Refusal): void {
    this.#death ??= death;
    this.#progress.clear();
    this.#listeners.notify();
  }

  assertAlive(): void {
    if (this.#death) throw this.#death;
  }

  emptySettled(): void {
    this.#emptySettled = true;
  }

  notified(method: string, params: unknown): void {
    if (method === "$/progress") this.#progressed(params);
    if (this.#status.take(method, params)) this.#sign();
  }

  #progressed(params: unknown): void {
    const event = this.#progress.take(params);
    if (event === undefined) return;
    if (event === "ended") this.#hasProgressEnded ||= this.ready.progress;
    if (event === "begun") this.#emptySettled = false;
    this.#sign();
  }

  #sign(): void {
    this.signAt = performance.now();
    this.#statusVainMs = 0;
    this.#listeners.notify();
  }

  /** Waits while the server says that it is working, or has not sent its first status. */
  async waitUntilReady(timeoutMs: number, signal: AbortSignal): Promise<Readiness> {
    const isBusy = (): boolean => this.now === "starting" || this.mustWait(timeoutMs);
    await this.wait(() => !isBusy(), timeoutMs, signal);
    return this.now;
  }

  /** Waits until a condition on this state holds (true) or the time is over (false). Throws when the server ends. */
  wait(holds: () => boolean, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const holdsAlive = (): boolean => {
      this.assertAlive();
      return holds();
    };
    return waitUntil(holdsAlive, [this.onChange], timeoutMs, signal);
  }
}
