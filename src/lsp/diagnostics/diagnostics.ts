/**
 * Diagnostics of one document with three outcomes: found, clean, unknown. They are pulled where the server supports it.
 * Otherwise the report counts that the server publishes for the version it was sent, once no other follows. Where a
 * server does both, both count. A report from before a change never counts after it.
 */
import type { ServerPlan } from "../../abi/plan.js";
import type { Json } from "../../base/json.js";
import { Listeners, nextEvent, type Subscribe } from "../../base/timing.js";
import type { Capabilities } from "../capabilities.js";
import type { ReadinessState } from "../readiness.js";
import type {
  DiagnosticsOptions,
  DiagnosticsReport,
  OpenDocument,
  WorkspaceDiagnosticsReport,
} from "../types.js";
import { BackgroundChecks } from "./background-checks.js";
import { CheckRequests, type CheckRequestsContext } from "./check-request.js";
import { BACKGROUND_CHECKS_PENDING, reportOf, timedOutReport, unknownReport } from "./diagnostics-report.js";
import { type PublishedReport, PublishedReports } from "./published-reports.js";
import { type DiagnosticsRequest, PulledReports, pullDocument, type Wait } from "./pulled-diagnostics.js";
import {
  publishedItems,
  type WorkspaceDiagnosticsContext,
  workspaceDiagnostics,
} from "./workspace-diagnostics.js";

/** The longest default wait for the first report on a document. */
const FIRST_WAIT_MS = 10_000;
/** Time for the pull that follows a wait, even if the wait used up the time. */
const PULL_AGAIN_MS = 1_000;

export interface DiagnosticsContext {
  capabilities: Capabilities;
  readiness: ReadinessState;
  /** The request with which the server checks a file at once. */
  check: CheckRequestsContext["plan"];
  current: (path: string) => OpenDocument | undefined;
  /** Whether the server is configured for a file. */
  isOwn: (path: string) => boolean;
  /** Sends the document again, so that the server checks it again. */
  touch: (path: string) => void;
  /** Notifies that the document was saved, so that the server also checks what depends on other files. */
  save: (path: string) => void;
  settings: ServerPlan["diagnostics"];
  request: DiagnosticsRequest;
}

export class Diagnostics {
  readonly #pulled = new PulledReports();
  readonly #published: PublishedReports;
  readonly #background: BackgroundChecks;
  readonly #checks: CheckRequests;
  readonly #workspace: WorkspaceDiagnosticsContext;
  /** Open files for which a server that checks saved files only has not got a save notification yet. */
  readonly #unsaved = new Set<string>();
  /** Reports from before a change, which the server may not repeat after it. */
  readonly #outdated = new Map<string, PublishedReport>();
  /** The state of each file for which a wait brought no report: in the same state, no call waits for it again. */
  readonly #silent = new Map<string, string>();
  readonly #pushes = new Listeners();
  /** Documents on which the server has reported. */
  readonly #answered = new Set<string>();

  constructor(private readonly context: DiagnosticsContext) {
    this.#published = new PublishedReports(context.current);
    this.#background = new BackgroundChecks(context.readiness, context.settings.onSave);
    this.#checks = new CheckRequests({
      plan: context.check,
      request: context.request,
      onProgress: () => this.#pushes.notify(),
    });
    this.#workspace = {
      ...context,
      pulled: this.#pulled,
      published: this.#published,
      outdated: this.#outdated,
      silent: new Map(),
      nextEvent: (timeoutMs, signal) => this.#nextEvent(timeoutMs, signal),
    };
  }

  /** Registers a listener for diagnostics that the server sends unasked, or says to be outdated. */
  get onChange(): Subscribe {
    return this.#pushes.subscribe;
  }

  /** The server was notified of a change: of a document's text, or (undefined) of `others`, which are not open. */
  changed(path: string | undefined, others: readonly string[] = []): void {
    this.#published.changed(path, others);
    this.#checks.changed(path);
    this.#background.changed(path !== undefined);
    if (path === undefined) return;
    this.#outdated.delete(path);
    this.#unsaved.delete(path);
  }

  opened(path: string): void {
    this.#published.opened(path);
    this.#checks.changed(path);
    this.#outdated.delete(path);
    if (this.context.settings.onSave) this.#unsaved.add(path);
  }

  /** The document was closed, or sent again with the same text: the report on it no longer counts. */
  forget(path: string): void {
    this.#published.forget(path);
    this.#outdated.delete(path);
  }

  /** The server requested a refresh: no later report may refer to an earlier one. */
  refreshed(): void {
    this.#pulled.clear();
    this.#pushes.notify();
  }

  /** Takes a `textDocument/publishDiagnostics`. */
  publish(params: unknown): void {
    const path = this.#published.take(params);
    if (path === undefined) return;
    const isFinding = (this.#published.get(path)?.items.length ?? 0) > 0;
    if (this.context.isOwn(path))
      this.#background.pushed(isFinding && this.context.current(path) !== undefined);
    this.#pushes.notify();
  }

  /** The report on all files, after at most `waitMs`; `open` are the documents that the server has. */
  async workspace(
    options: DiagnosticsOptions,
    open: readonly OpenDocument[],
  ): Promise<WorkspaceDiagnosticsReport> {
    const { capabilities } = this.context;
    const deadline = performance.now() + options.waitMs;
    const wait = { ...options, deadline };
    const pullsAll = this.context.settings.pull && capabilities.supports("workspace/diagnostic");
    const isComplete = !pullsAll || (await this.#waitForBackground(undefined, wait));
    // Without a pull of the workspace, open documents are pulled one by one.
    const documents = pullsAll || !capabilities.allows("diagnostics") ? [] : open;
    const pushed = documents.filter((document) => !this.#pulls(document));
    for (const { path } of pushed) this.#recheck(path);
    const { items: published, why: outdated } = await publishedItems(this.#workspace, pushed, wait);
    for (const document of documents) {
      if (!this.#pulls(document) || performance.now() >= deadline) continue;
      const items = await this.#pullOnce(document, wait);
      if (Array.isArray(items))
        published.set(document.path, [...items, ...(published.get(document.path) ?? [])]);
    }
    const pending = isComplete ? "" : BACKGROUND_CHECKS_PENDING;
    const why = [pending, outdated].filter((part) => part !== "").join("; ");
    const until = isComplete ? deadline : performance.now() + PULL_AGAIN_MS;
    return workspaceDiagnostics(this.#workspace, { items: published, why }, { ...wait, deadline: until });
  }

  /**
   * The report on a document, after at most `waitMs`; the first time after `firstWaitMs`. The reply to a first pull,
   * for which the server may have to read all that the file imports, is waited for twice as long again.
   */
  async report(document: OpenDocument, options: DiagnosticsOptions): Promise<DiagnosticsReport> {
    const { path } = document;
    if (!this.context.capabilities.allows("diagnostics"))
      return unknownReport(this.context.readiness, "the config does not ask this server for diagnostics");
    const isFirst = !this.#answered.has(path);
    const firstMs = options.firstWaitMs ?? Math.min(2 * options.waitMs, FIRST_WAIT_MS);
    const waitMs = isFirst ? Math.max(options.waitMs, firstMs) : options.waitMs;
    const wait = { ...options, waitMs, deadline: performance.now() + waitMs };
    if (this.#unsaved.has(path)) await this.#saveWhenReady(path, wait);
    const replyBy = wait.deadline + (isFirst ? waitMs : 0);
    const report = await (this.#pulls(document)
      ? this.#pull(document, wait, replyBy)
      : this.#push(document, wait));
    if (report.status !== "unknown") this.#answered.add(path);
    return report;
  }

  async #saveWhenReady(path: string, { waitMs, signal }: Wait): Promise<void> {
    const { readiness, save } = this.context;
    await readiness.waitUntilReady(waitMs, signal);
    if (readiness.awaitsStatus || !this.#unsaved.delete(path)) return;
    save(path);
    this.#background.changed(true);
  }

  #pulls(document: OpenDocument): boolean {
    const { settings, capabilities } = this.context;
    return settings.pull && capabilities.supports("textDocument/diagnostic", document);
  }

  /** Pulls, waits for the results of background checks, and pulls again after such a wait. */
  async #pull(document: OpenDocument, wait: Wait, replyBy = wait.deadline): Promise<DiagnosticsReport> {
    const { path } = document;
    const { readiness } = this.context;
    let items = await this.#pullOnce(document, { ...wait, deadline: replyBy });
    if (!Array.isArray(items)) return unknownReport(readiness, items.why, this.#published.fresh(path)?.items);
    const pullAgain = async (deadline: number): Promise<void> => {
      const again = await this.#pullOnce(document, { ...wait, deadline });
      if (Array.isArray(again)) items = again;
    };
    if (items.length === 0 && (await this.#waitForCorrection(wait))) await pullAgain(wait.deadline);
    const mustWait = this.#dueMs(path, wait.settleMs) > 0;
    if (mustWait && this.#background.takeUnsaved()) this.context.save(path);
    const isComplete = !mustWait || (await this.#waitForBackground(path, wait));
    if (isComplete && mustWait) await pullAgain(Math.max(wait.deadline, performance.now() + PULL_AGAIN_MS));
    if (isComplete)
      return reportOf(readiness, [...items, ...(this.#published.get(path)?.items ?? [])], wait.signal);
    const found = [...items, ...(this.#published.fresh(path)?.items ?? [])];
    if (found.length > 0)
      return { ...(await reportOf(readiness, found, wait.signal)), why: BACKGROUND_CHECKS_PENDING };
    return unknownReport(readiness, BACKGROUND_CHECKS_PENDING, this.#published.get(path)?.items);
  }

  #pullOnce(document: OpenDocument, wait: Wait): Promise<Json[] | { why: string }> {
    return pullDocument(this.#workspace, document, wait);
  }

  /** Gives a new and silent server time to correct an empty answer; false when it already had it. */
  async #waitForCorrection({ deadline, signal }: Wait): Promise<boolean> {
    const leftMs = (): number => Math.min(this.#background.correctionMs(), deadline - performance.now());
    if (leftMs() <= 0) return false;
    while (leftMs() > 0) {
      await this.#nextEvent(leftMs(), signal);
      this.context.readiness.assertAlive();
    }
    return true;
  }

  #dueMs(path: string | undefined, settleMs: number): number {
    const pushedAt = path === undefined ? this.#background.pushedAt : this.#published.fresh(path)?.at;
    return this.#background.dueMs(pushedAt, settleMs);
  }

  /** Waits until the pushes for a file (or for any file) have arrived; false when the time was over first. */
  async #waitForBackground(path: string | undefined, wait: Wait): Promise<boolean> {
    const { deadline, waitMs, settleMs, signal } = wait;
    const { readiness } = this.context;
    for (;;) {
      readiness.assertAlive();
      const dueMs = this.#dueMs(path, settleMs);
      if (dueMs <= 0) return true;
      const key = path ?? "";
      const state = `${this.#published.change} ${this.context.current(key)?.version}`;
      const left = deadline - performance.now();
      if (left <= 0) {
        if (!readiness.isWorking) this.#silent.set(key, state);
        readiness.waitedInVain(waitMs);
        return false;
      }
      const isUseless = !readiness.isWorthWaiting(waitMs);
      if (dueMs > left && isUseless && (readiness.isWorking || this.#silent.get(key) === state)) return false;
      await this.#nextEvent(Math.min(dueMs, left), signal);
    }
  }

  /** Waits for the settled push for the current version of a document. */
  async #push(document: OpenDocument, wait: Wait): Promise<DiagnosticsReport> {
    const { path } = document;
    const { signal, waitMs, settleMs, deadline } = wait;
    const { readiness } = this.context;
    this.#recheck(path);
    this.#checks.start(document, signal);
    for (;;) {
      readiness.assertAlive();
      if (this.#pulls(document)) return this.#pull(document, wait);
      const current = this.context.current(path);
      if (!current) return unknownReport(readiness, "the file was closed while waiting for the server");
      const left = deadline - performance.now();
      const published = this.#published.get(path);
      const quietMs = this.#quietMs(current, published, settleMs);
      const isBusy = readiness.isWorthWaiting(waitMs);
      if (quietMs <= 0 && !isBusy) return reportOf(readiness, published?.items ?? [], signal);
      if (left <= 0) {
        readiness.waitedInVain(waitMs);
        return timedOutReport(readiness, published, this.#outdated.get(path), signal);
      }
      await this.#nextEvent(isBusy ? left : Math.min(quietMs, left), signal);
    }
  }

  /** How long nothing must follow before a report counts, or before no report counts as nothing found. */
  #quietMs(document: OpenDocument, published: PublishedReport | undefined, settleMs: number): number {
    const { answeredAt, isPublished } = this.#checks.of(document) ?? {};
    if (published === undefined)
      return isPublished && this.#published.wasClean(document.path) ? 0 : Number.POSITIVE_INFINITY;
    const isComplete = answeredAt !== undefined && (isPublished || published.at >= answeredAt);
    return isComplete ? 0 : published.at + this.#published.quietMs(published, settleMs) - performance.now();
  }

  /** Sends a document again under a new version when other files changed since the server's report on it. */
  #recheck(path: string): void {
    const known = this.#published.get(path);
    if (!known || known.change === this.#published.change) return;
    this.context.touch(path);
    this.#outdated.set(path, known);
  }

  /** Waits for a push, a registration, a change of readiness, or the time limit. */
  #nextEvent(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { readiness, capabilities } = this.context;
    return nextEvent([this.#pushes.subscribe, readiness.onChange, capabilities.onChange], timeoutMs, signal);
  }
}
