/**
 * What a server published of its files, and how it goes about it. A report holds until a change is told; what was said
 * before is no answer after it. A report may be the first half of two (typescript-language-server publishes after the
 * syntax check and again after the types), or, without a version, about the text before: it counts only when nothing has
 * followed for as long as this server was lately seen to take.
 */
import { canonicalText, isTable, type Json } from "../../base/json.js";
import { pathOfUri } from "../../base/paths.js";
import type { OpenDocument } from "../types.js";

/** How long a report without a version stands alone before it counts. */
const UNSURE_MS = 1_000;
/** The same while little was seen of how the server goes about it. */
const STRANGER_MS = 2_000;
/** A report that follows another later than this is news, not its second half, nor about a text before the last. */
const LONGEST_GAP_MS = 5_000;
/** So many texts and what was published of them are enough to know a server by. */
const ACQUAINTED = 3;
/** So many of the last texts are remembered. */
const REMEMBERED = 8;

/** One report on one file. */
export interface Published {
  items: Json[];
  /** The version of the text that the server says it is about. */
  version: number | undefined;
  at: number;
  /** Number of changes that the server had been told when this came. */
  change: number;
  /** How many different reports on this text this one makes. */
  nth: number;
  /** Whether it may be about the text before the last, of which nothing had been said when the last was sent. */
  isDoubtful: boolean;
}

/** The published reports of one server. */
export class PublishedReports {
  readonly #current: (path: string) => OpenDocument | undefined;
  readonly #reports = new Map<string, Published>();
  /** Of each of the last texts: how many different reports came, and the longest time between two of them. */
  readonly #habits: { reports: number; gapMs: number }[] = [];
  /** When the last text of a file was sent, of which nothing was said yet, and whether that holds of the one before too. */
  readonly #unanswered = new Map<string, { at: number; isSecond: boolean }>();
  /** Closed files that changed since the server found something in them, of which it has said nothing since. */
  readonly #awaited = new Set<string>();
  /** Open files of which the server said last that it finds nothing in them. */
  readonly #clean = new Set<string>();
  #change = 0;

  constructor(current: (path: string) => OpenDocument | undefined) {
    this.#current = current;
  }

  /** Number of changes that the server was told. */
  get change(): number {
    return this.#change;
  }

  /** The server was told of a change: of a document's own text, or (undefined) of `others`, which are not open. */
  changed(path: string | undefined, others: readonly string[] = []): void {
    this.#change++;
    for (const other of others) {
      if ((this.#reports.get(other)?.items.length ?? 0) > 0) this.#awaited.add(other);
      this.#reports.delete(other);
    }
    if (path === undefined) return;
    this.#reports.delete(path);
    this.#sent(path);
  }

  /** A file was opened. Findings on it as it is hold; an empty report may only have cleared what was closed. */
  opened(path: string): void {
    const report = this.#reports.get(path);
    if (report && (report.items.length === 0 || report.change < this.#change)) this.#reports.delete(path);
    this.#unanswered.delete(path);
    this.#awaited.delete(path);
    this.#clean.delete(path);
    this.#sent(path);
  }

  /** What the server has of a document begins anew, without a change of content. */
  forget(path: string): void {
    this.#reports.delete(path);
    this.#clean.delete(path);
  }

  /** Whether the last report on an open file, be it on an earlier text, was that nothing is found in it. */
  wasClean(path: string): boolean {
    return this.#clean.has(path);
  }

  /** The last report on a file since its text changed. */
  get(path: string): Published | undefined {
    return this.#reports.get(path);
  }

  /** The last report on a file, when no file has changed since. */
  fresh(path: string): Published | undefined {
    const report = this.#reports.get(path);
    return report?.change === this.#change ? report : undefined;
  }

  /** Files that are not open and changed since the server found something in them; it has yet to speak of them. */
  get awaited(): ReadonlySet<string> {
    return this.#awaited;
  }

  /** All reports that hold. */
  get all(): [path: string, report: Published][] {
    return [...this.#reports];
  }

  /** Takes a `textDocument/publishDiagnostics`; gives the path of the file when it counts. */
  take(params: unknown): string | undefined {
    if (!isTable(params) || !Array.isArray(params.diagnostics)) return undefined;
    const path = pathOfUri(params.uri);
    if (path === undefined) return undefined;
    const version = typeof params.version === "number" ? params.version : undefined;
    const document = this.#current(path);
    if (version !== undefined && document && version !== document.version) return undefined;
    const before = this.#reports.get(path);
    const report = {
      items: params.diagnostics as Json[],
      version,
      at: performance.now(),
      change: this.#change,
      nth: 1,
      isDoubtful: version === undefined && this.#unanswered.get(path)?.isSecond === true,
    };
    if (before?.change === report.change && !before.isDoubtful)
      report.nth = before.nth + (isSame(before, report) ? 0 : 1);
    if (document) this.#learn(before, report);
    this.#unanswered.delete(path);
    this.#awaited.delete(path);
    if (document && report.items.length === 0) this.#clean.add(path);
    else this.#clean.delete(path);
    this.#reports.set(path, report);
    return path;
  }

  /** How long nothing must follow a report before it counts. */
  quietMs({ version, nth, isDoubtful }: Published, settleMs: number): number {
    if (isDoubtful) return Math.max(settleMs, LONGEST_GAP_MS);
    const isStranger = this.#habits.length < ACQUAINTED;
    const unsureMs = version !== undefined ? settleMs : isStranger ? STRANGER_MS : UNSURE_MS;
    // What has come as often as it ever does is complete.
    const isMore = this.#habits.some(({ reports }) => reports > nth);
    const gapMs = isMore ? 2 * Math.max(...this.#habits.map((habit) => habit.gapMs)) : 0;
    return Math.max(settleMs, unsureMs, Math.min(gapMs, LONGEST_GAP_MS));
  }

  #sent(path: string): void {
    const at = performance.now();
    const before = this.#unanswered.get(path);
    this.#unanswered.set(path, { at, isSecond: before !== undefined && at - before.at < LONGEST_GAP_MS });
  }

  #learn(before: Published | undefined, report: Published): void {
    if (before?.change !== report.change) {
      this.#habits.push({ reports: 1, gapMs: 0 });
      if (this.#habits.length > REMEMBERED) this.#habits.shift();
      return;
    }
    const gapMs = report.at - before.at;
    const habit = this.#habits.at(-1);
    // What followed a report on the text before says nothing of how reports on one text follow each other.
    if (!habit || before.isDoubtful || report.nth === before.nth || gapMs > LONGEST_GAP_MS) return;
    habit.gapMs = Math.max(habit.gapMs, gapMs);
    habit.reports = Math.max(habit.reports, report.nth);
  }
}

function isSame(one: Published, other: Published): boolean {
  return canonicalText(one.items) === canonicalText(other.items);
}
