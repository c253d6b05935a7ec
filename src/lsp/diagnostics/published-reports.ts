/**
 * The diagnostics that a server has published, by file. A report counts until the next change. It may be the first of
 * two (typescript-language-server publishes after the syntax check and again after the type check), or, without a
 * version, be about the previous text. So a report counts only after a quiet time, which depends on how long this
 * server took between reports before.
 */
import type { PublishDiagnosticsParams } from "vscode-languageserver-protocol";
import { fieldsOf, type Json } from "../../base/json.js";
import { pathOfUri } from "../../base/paths.js";
import type { OpenDocument } from "../types.js";
import { ReportCache, sizeAndHash } from "./report-cache.js";

/** Quiet time after a report without a version. */
const UNVERSIONED_MS = 1_000;
/** The same before the server has published reports on FAMILIAR_AFTER texts. */
const UNFAMILIAR_MS = 2_000;
/** A report that follows another one later than this is a new one. */
const MAX_GAP_MS = 5_000;
/** After this many texts it is known how many reports the server publishes on a text. */
const FAMILIAR_AFTER = 3;
const MAX_HABITS = 8;

export interface PublishedReport {
  items: Json[];
  size: number;
  hash: string;
  version: number | undefined;
  at: number;
  /** Number of changes that the server had been notified of. */
  change: number;
  /** The number of different reports on this text so far, with this one. */
  nth: number;
  /** Whether it may describe the previous text, which had no report yet when this text was sent. */
  isDoubtful: boolean;
}

export class PublishedReports {
  readonly #reports = new ReportCache<PublishedReport>();
  /** For each of the last texts: the number of different reports, and the longest time between two of them. */
  readonly #habits: { reports: number; gapMs: number }[] = [];
  /** Texts without a report yet: when they were sent, and whether the text before had none either. */
  readonly #unanswered = new Map<string, { at: number; isSecond: boolean }>();
  /** Closed files with findings that changed since; the server has yet to report on them. */
  readonly awaited = new Set<string>();
  readonly #clean = new Set<string>();
  /** Number of changes that the server was notified of. */
  change = 0;

  constructor(private readonly current: (path: string) => OpenDocument | undefined) {}

  /** The server was notified of a change: of a document's text, or (undefined) of `others`, which are not open. */
  changed(path: string | undefined, others: readonly string[] = []): void {
    this.change++;
    for (const other of others) {
      if ((this.#reports.get(other)?.items.length ?? 0) > 0) this.awaited.add(other);
      this.#reports.delete(other);
    }
    if (path === undefined) return;
    this.#reports.delete(path);
    this.#textSent(path);
  }

  /** A file was opened. Earlier findings hold; an empty report may only have cleared the closed file. */
  opened(path: string): void {
    const report = this.#reports.get(path);
    if (report && (report.items.length === 0 || report.change < this.change)) this.#reports.delete(path);
    this.#unanswered.delete(path);
    this.awaited.delete(path);
    this.#clean.delete(path);
    this.#textSent(path);
  }

  /** The document was closed, or sent again with the same text: the report on it no longer counts. */
  forget(path: string): void {
    this.#reports.delete(path);
    this.#clean.delete(path);
  }

  /** Whether the last report on an open file, also on an earlier text, was empty. */
  wasClean(path: string): boolean {
    return this.#clean.has(path);
  }

  /** The last report on a file since its text changed. */
  get(path: string): PublishedReport | undefined {
    return this.#reports.get(path);
  }

  /** The last report on a file since any file changed. */
  fresh(path: string): PublishedReport | undefined {
    const report = this.#reports.get(path);
    return report?.change === this.change ? report : undefined;
  }

  get all(): [path: string, report: PublishedReport][] {
    return this.#reports.entries();
  }

  /** Whether reports are missing because there were too many. */
  get hasDropped(): boolean {
    return this.#reports.hasDropped;
  }

  /** Takes a `textDocument/publishDiagnostics`. Returns the path unless the report is for another version. */
  take(params: unknown): string | undefined {
    const { uri, version, diagnostics } = fieldsOf<PublishDiagnosticsParams>(params);
    const path = pathOfUri(uri);
    if (path === undefined || !Array.isArray(diagnostics)) return undefined;
    const document = this.current(path);
    if (typeof version === "number" && document && version !== document.version) return undefined;
    const before = this.#reports.get(path);
    const report: PublishedReport = {
      items: diagnostics,
      ...sizeAndHash(diagnostics, path),
      version: typeof version === "number" ? version : undefined,
      at: performance.now(),
      change: this.change,
      nth: 1,
      isDoubtful: typeof version !== "number" && this.#unanswered.get(path)?.isSecond === true,
    };
    if (before?.change === report.change && !before.isDoubtful)
      report.nth = before.nth + (before.hash === report.hash ? 0 : 1);
    if (document) this.#learn(before, report);
    this.#unanswered.delete(path);
    this.awaited.delete(path);
    if (document && report.items.length === 0) this.#clean.add(path);
    else this.#clean.delete(path);
    this.#reports.set(path, report);
    return path;
  }

  /** How long nothing must follow a report before it counts. */
  quietMs({ version, nth, isDoubtful }: PublishedReport, settleMs: number): number {
    if (isDoubtful) return Math.max(settleMs, MAX_GAP_MS);
    const isFamiliar = this.#habits.length >= FAMILIAR_AFTER;
    const unversionedMs = isFamiliar ? UNVERSIONED_MS : UNFAMILIAR_MS;
    // As many reports as this server ever sends on one text are complete.
    const mayFollow = this.#habits.some(({ reports }) => reports > nth);
    const gapMs = mayFollow ? 2 * Math.max(...this.#habits.map((habit) => habit.gapMs)) : 0;
    return Math.max(settleMs, version === undefined ? unversionedMs : 0, Math.min(gapMs, MAX_GAP_MS));
  }

  #textSent(path: string): void {
    const at = performance.now();
    const before = this.#unanswered.get(path);
    this.#unanswered.set(path, { at, isSecond: before !== undefined && at - before.at < MAX_GAP_MS });
  }

  #learn(before: PublishedReport | undefined, report: PublishedReport): void {
    if (before?.change !== report.change) {
      this.#habits.push({ reports: 1, gapMs: 0 });
      if (this.#habits.length > MAX_HABITS) this.#habits.shift();
      return;
    }
    const gapMs = report.at - before.at;
    const habit = this.#habits.at(-1);
    // A report on the text before says nothing about the gaps between reports on one text.
    if (!habit || before.isDoubtful || report.nth === before.nth || gapMs > MAX_GAP_MS) return;
    habit.gapMs = Math.max(habit.gapMs, gapMs);
    habit.reports = Math.max(habit.reports, report.nth);
  }
}
