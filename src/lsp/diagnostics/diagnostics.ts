/**
 * Diagnostics of one document with three outcomes: found, clean, unknown. Pulled where the server offers it; else the
 * push for the very version that was sent, settled; both together where a server does both. What was published before
 * a change never counts as an answer after it.
 */

import type { ServerPlan } from "../../abi/plan.js";
import type { Json } from "../../base/json.js";
import type { Capabilities } from "../capabilities.js";
import type { ReadinessState } from "../readiness.js";
import type {
  DiagnosticsOptions,
  DiagnosticsReport,
  OpenDocument,
  WorkspaceDiagnosticsReport,
} from "../types.js";
import { nextSign, type Signs } from "../wire/next-sign.js";
import { CheckedFiles, type CheckedFilesContext } from "./checked-files.js";
import { LateReports } from "./late-reports.js";
import { PublishedFiles } from "./published-files.js";
import { type Published, PublishedReports } from "./published-reports.js";
import { type DiagnosticsRequest, pullDocument } from "./pull-document.js";
import { PulledReports } from "./pulled-reports.js";
import { UnsavedFiles } from "./unsaved-files.js";
import { LATE, told, tooLate, unknown } from "./verdict.js";
import { workspaceDiagnostics } from "./workspace-diagnostics.js";

const FIRST_TOUCH_MS = 10_000;
/** Time for asking again after a wait, even when the wait took all there was. */
const ASK_AGAIN_MS = 1_000;

export interface DiagnosticsContext {
  capabilities: Capabilities;
  readiness: ReadinessState;
  /** How the server is made to check a file at once. */
  check: CheckedFilesContext["plan"];
  /** The document as the server has it now. */
  current: (path: string) => OpenDocument | undefined;
  /** Whether a file is of the kind that the server is for. */
  isOwn: (path: string) => boolean;
  /** Sends the document again, so that the server looks at it anew. */
  touch: (path: string) => void;
  /** Tells that the document was saved, so that the server checks what depends on other files too. */
  save: (path: string) => void;
  quirks: ServerPlan["diagnostics"];
  request: DiagnosticsRequest;
}

/** A question with the moment by which it must be answered. */
type Wait = DiagnosticsOptions & { deadline: number };

export class Diagnostics {
  readonly #context: DiagnosticsContext;
  readonly #pulled = new PulledReports();
  readonly #published: PublishedReports;
  readonly #late: LateReports;
  readonly #checked: CheckedFiles;
  /** What a server said before a change that it may not repeat after it. */
  readonly #outdated = new Map<string, Published>();
  /** For which state of things a server was waited for in vain, by path: it is not waited for again. */
  readonly #silent = new Map<string, string>();
  readonly #files: PublishedFiles;
  readonly #listeners = new Set<() => void>();
  readonly #answered = new Set<string>();
  readonly #unsaved: UnsavedFiles;

  constructor(context: DiagnosticsContext) {
    this.#context = context;
    this.#published = new PublishedReports(context.current);
    this.#late = new LateReports(context.readiness, context.quirks.onSave);
    this.#unsaved = new UnsavedFiles({ ...context, isNeeded: context.quirks.onSave });
    this.#checked = new CheckedFiles({
      plan: context.check,
      request: context.request,
      onNews: () => this.#wake(),
    });
    this.#files = new PublishedFiles({
      ...context,
      published: this.#published,
      renew: (path) => this.#renew(path),
      outdated: (path) => this.#outdated.get(path),
      event: (timeoutMs, signal) => this.#event(timeoutMs, signal),
    });
  }

  /** The server was told of a change: of a document's own text, or (undefined) of `others`, which are not open. */
  changed(path: string | undefined, others: readonly string[] = []): void {
    this.#published.changed(path, others);
    this.#checked.told(path);
    this.#late.changed(path !== undefined);
    if (path === undefined) return;
    this.#outdated.delete(path);
    this.#unsaved.saved(path);
  }

  /** A document was opened. */
  opened(path: string): void {
    this.#published.opened(path);
    this.#checked.told(path);
    this.#outdated.delete(path);
    this.#unsaved.opened(path);
  }

  /** What the server has of a document begins anew, without a change of content. */
  forget(path: string): void {
    this.#published.forget(path);
    this.#outdated.delete(path);
  }

  /** The server asked to be asked again: nothing remembered may be called unchanged. */
  refreshed(): void {
    this.#pulled.clear();
  }

  /** Takes a `textDocument/publishDiagnostics`. */
  publish(params: unknown): void {
    const path = this.#published.take(params);
    if (path === undefined) return;
    const isFinding = (this.#published.get(path)?.items.length ?? 0) > 0;
    if (this.#context.isOwn(path)) this.#late.pushed(isFinding && this.#context.current(path) !== undefined);
    this.#wake();
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** What is known of all files, waited for at most `waitMs`; `open` are those that the server was shown. */
  async workspace(
    options: DiagnosticsOptions,
    open: readonly OpenDocument[],
  ): Promise<WorkspaceDiagnosticsReport> {
    const { capabilities } = this.#context;
    const deadline = performance.now() + options.waitMs;
    const wait = { ...options, deadline };
    const isWhole = this.#context.quirks.pull && capabilities.supports("workspace/diagnostic");
    const isIn = !isWhole || (await this.#isIn(undefined, wait));
    // A server that is asked file by file has published nothing; what it was shown is known all the same.
    const asked = isWhole || !capabilities.allows("diagnostics") ? [] : open;
    const shown = asked.filter((document) => !this.#pulls(document));
    const { items: published, why: old } = await this.#files.gather(shown, wait);
    for (const document of asked) {
      if (!this.#pulls(document) || performance.now() >= deadline) continue;
      const items = await this.#ask(document, wait);
      if (Array.isArray(items))
        published.set(document.path, [...items, ...(published.get(document.path) ?? [])]);
    }
    const why = [isIn ? "" : LATE, old].filter((part) => part !== "").join("; ");
    const by = isIn ? deadline : performance.now() + ASK_AGAIN_MS;
    const context = { ...this.#context, pulled: this.#pulled, published, why };
    return workspaceDiagnostics(context, { signal: options.signal, roots: options.roots, deadline: by });
  }

  /** What is known of a document, waited for at most `waitMs`; twice that, up to 10 s, the first time. */
  async report(document: OpenDocument, options: DiagnosticsOptions): Promise<DiagnosticsReport> {
    const { path } = document;
    if (!this.#context.capabilities.allows("diagnostics")) {
      return unknown(this.#context.readiness, "the config does not ask this server for diagnostics", []);
    }
    const first = !this.#answered.has(path);
    const waitMs = first
      ? Math.max(options.waitMs, Math.min(2 * options.waitMs, FIRST_TOUCH_MS))
      : options.waitMs;
    const wait = { ...options, waitMs, deadline: performance.now() + waitMs };
    if (await this.#unsaved.tell(path, waitMs, options.signal)) this.#late.changed(true);
    const report = await (this.#pulls(document) ? this.#pull(document, wait) : this.#push(document, wait));
    if (report.status !== "unknown") this.#answered.add(path);
    return report;
  }

  #pulls(document: OpenDocument): boolean {
    if (!this.#context.quirks.pull) return false;
    return this.#context.capabilities.supports("textDocument/diagnostic", document);
  }

  /** Asks, waits for what the server finds beside its answer, and asks again when that took time. */
  async #pull(document: OpenDocument, wait: Wait): Promise<DiagnosticsReport> {
    const { path } = document;
    let asked = await this.#ask(document, wait);
    if (!Array.isArray(asked))
      return unknown(this.#context.readiness, asked.why, this.#published.fresh(path)?.items ?? []);
    if (asked.length === 0 && (await this.#mayRecant(wait))) {
      const again = await this.#ask(document, wait);
      if (Array.isArray(again)) asked = again;
    }
    const atOnce = this.#dueMs(path, wait.settleMs) <= 0;
    if (!atOnce && this.#late.takeUnsaved()) this.#context.save(path);
    const isIn = atOnce || (await this.#isIn(path, wait));
    if (isIn && !atOnce) {
      const deadline = Math.max(wait.deadline, performance.now() + ASK_AGAIN_MS);
      const again = await this.#ask(document, { ...wait, deadline });
      if (Array.isArray(again)) asked = again;
    }
    if (isIn) return told(this.#context.readiness, [...asked, ...(this.#published.get(path)?.items ?? [])]);
    const items = [...asked, ...(this.#published.fresh(path)?.items ?? [])];
    if (items.length > 0) return { ...told(this.#context.readiness, items), why: LATE };
    return unknown(this.#context.readiness, LATE, this.#published.get(path)?.items ?? []);
  }

  #ask(document: OpenDocument, wait: Wait): Promise<Json[] | { why: string }> {
    return pullDocument({ ...this.#context, pulled: this.#pulled }, document, wait);
  }

  /** Gives a server that has only just started, and has shown nothing of itself, time to find something; false when it had that. */
  async #mayRecant({ deadline, signal }: Wait): Promise<boolean> {
    const { readiness } = this.#context;
    const leftMs = (): number => Math.min(this.#late.recantMs(), deadline - performance.now());
    if (leftMs() <= 0) return false;
    while (leftMs() > 0 && !readiness.death) await this.#event(leftMs(), signal);
    return true;
  }

  #dueMs(path: string | undefined, settleMs: number): number {
    const pushedAt = path === undefined ? this.#late.pushedAt : this.#published.fresh(path)?.at;
    return this.#late.dueMs(pushedAt, settleMs);
  }

  /** Waits until what the server pushes of a file (or of any) is in; false when the time was over first. */
  async #isIn(path: string | undefined, { deadline, waitMs, settleMs, signal }: Wait): Promise<boolean> {
    const { readiness } = this.#context;
    for (;;) {
      if (readiness.death) throw readiness.death;
      const dueMs = this.#dueMs(path, settleMs);
      if (dueMs <= 0) return true;
      const key = path ?? "";
      const state = `${this.#published.change} ${this.#context.current(key)?.version}`;
      const left = deadline - performance.now();
      if (left <= 0) {
        if (!readiness.atWork) this.#silent.set(key, state);
        readiness.waitedInVain(waitMs);
        return false;
      }
      const isVain = !readiness.isWorthWaiting(waitMs);
      if (dueMs > left && isVain && (readiness.atWork || this.#silent.get(key) === state)) return false;
      await this.#event(Math.min(dueMs, left), signal);
    }
  }

  async #push(document: OpenDocument, wait: Wait): Promise<DiagnosticsReport> {
    const { path } = document;
    const { signal, waitMs, settleMs, deadline } = wait;
    const { readiness } = this.#context;
    this.#renew(path);
    this.#checked.begin(document, signal);
    for (;;) {
      if (readiness.death) throw readiness.death;
      if (this.#pulls(document)) return this.#pull(document, wait);
      const current = this.#context.current(path);
      if (!current)
        return unknown(this.#context.readiness, "the file was closed while the server was waited for", []);
      const now = performance.now();
      const published = this.#published.get(path);
      const quiet = this.#quietMs(current, published, settleMs);
      const busy = readiness.isWorthWaiting(waitMs);
      if (quiet <= 0 && !busy) return told(this.#context.readiness, published?.items ?? []);
      if (now >= deadline) {
        readiness.waitedInVain(waitMs);
        return tooLate(readiness, published, this.#outdated.get(path));
      }
      await this.#event(Math.min(busy ? deadline - now : quiet, deadline - now), signal);
    }
  }

  /** How long nothing must come before what was published counts, and nothing published as nothing found. */
  #quietMs(document: OpenDocument, published: Published | undefined, settleMs: number): number {
    const { answeredAt, isOver } = this.#checked.of(document) ?? {};
    if (published === undefined)
      return isOver && this.#published.wasClean(document.path) ? 0 : Number.POSITIVE_INFINITY;
    const isAll = answeredAt !== undefined && (isOver || published.at >= answeredAt);
    return isAll ? 0 : published.at + this.#published.quietMs(published, settleMs) - performance.now();
  }

  /** Other files changed since the server spoke of this one: asked again under a new version, it says what holds now. */
  #renew(path: string): void {
    const known = this.#published.get(path);
    if (!known || known.change === this.#published.change) return;
    this.#context.touch(path);
    this.#outdated.set(path, known);
  }

  /** Waits for a publish, a registration, a change of readiness, or the time. */
  #event(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { readiness, capabilities } = this.#context;
    const published: Signs = (wake) => {
      this.#listeners.add(wake);
      return () => this.#listeners.delete(wake);
    };
    const sources: Signs[] = [
      published,
      (wake) => readiness.onChange(wake),
      (wake) => capabilities.onChange(wake),
    ];
    return nextSign(sources, timeoutMs, signal);
  }
}
