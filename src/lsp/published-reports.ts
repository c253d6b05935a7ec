/**
 * What a server published of its files, and how it goes about it. A report holds until a change is told; what was said
 * before is no answer after it. An empty report may be the first half of two (typescript-language-server publishes after
 * the syntax check and again after the types), so that it counts only when nothing has followed for a while.
 */
import { isTable, type Json } from "../base/json.js";
import { pathOfUri } from "./inside.js";
import type { OpenDocument } from "./types.js";

/** How long an empty report without a version stands alone before it counts. */
const UNSURE_MS = 1_000;
/** A report that follows an empty one later than this is news, not its second half. */
const LONGEST_GAP_MS = 5_000;

/** One report on one file. */
export interface Published {
  items: Json[];
  /** The version of the text that the server says it is about. */
  version: number | undefined;
  at: number;
  /** Number of changes that the server had been told when this came. */
  change: number;
}

/** The published reports of one server. */
export class PublishedReports {
  readonly #current: (path: string) => OpenDocument | undefined;
  readonly #reports = new Map<string, Published>();
  /** Longest time seen between an empty report and the findings that followed it, without a change between them. */
  #gapMs = 0;
  #change = 0;

  constructor(current: (path: string) => OpenDocument | undefined) {
    this.#current = current;
  }

  /** Number of changes that the server was told. */
  get change(): number {
    return this.#change;
  }

  /** The server was told of a change: of a document's own text, or (undefined) of other files. */
  changed(path: string | undefined): void {
    this.#change++;
    if (path !== undefined) this.#reports.delete(path);
  }

  /** A file was opened. Findings on it as it is hold; an empty report may only have cleared what was closed. */
  opened(path: string): void {
    const report = this.#reports.get(path);
    if (report && (report.items.length === 0 || report.change < this.#change)) this.#reports.delete(path);
  }

  /** What the server has of a document begins anew, without a change of content. */
  forget(path: string): void {
    this.#reports.delete(path);
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
    const report = {
      items: params.diagnostics as Json[],
      version,
      at: performance.now(),
      change: this.#change,
    };
    this.#learn(this.#reports.get(path), report);
    this.#reports.set(path, report);
    return path;
  }

  /** How long nothing must follow a report before it counts. */
  quietMs({ items, version }: Published, settleMs: number): number {
    if (items.length > 0) return settleMs;
    if (this.#gapMs > 0) return Math.max(settleMs, 2 * this.#gapMs);
    return version === undefined ? Math.max(settleMs, UNSURE_MS) : settleMs;
  }

  #learn(before: Published | undefined, report: Published): void {
    const filled = before?.items.length === 0 && report.items.length > 0 && before.change === report.change;
    const gap = before && filled ? report.at - before.at : 0;
    if (gap <= LONGEST_GAP_MS) this.#gapMs = Math.max(this.#gapMs, gap);
  }
}
