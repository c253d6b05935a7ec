/**
 * What a server has published about all its files, as they are now: waits for reports on changed files, leaves out
 * deleted files, and names the files whose reports may be outdated.
 */
import { access } from "node:fs/promises";
import { basename } from "node:path";
import type { Json } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import type { ReadinessState } from "../readiness.js";
import type { OpenDocument } from "../types.js";
import type { PublishedReport, PublishedReports } from "./published-reports.js";

/** A server that has not reported on a changed closed file by then is not likely to. */
const FOLLOW_MS = 5_000;
/** Outdated files that are named. */
const MAX_NAMES = 3;

export interface PublishedWorkspaceContext {
  published: PublishedReports;
  readiness: ReadinessState;
  /** The document as the server has it now. */
  current: (path: string) => OpenDocument | undefined;
  /** Makes the server check a document again when other files changed since its report. */
  recheck: (path: string) => void;
  /** The report before the recheck. */
  outdated: (path: string) => PublishedReport | undefined;
  /** Waits for the next event of the server. */
  nextEvent: (timeoutMs: number, signal: AbortSignal) => Promise<void>;
}

/** The items of each file, and why they may be outdated. */
export interface PublishedItems {
  items: Map<string, Json[]>;
  why: string;
}

interface GatherOptions {
  deadline: number;
  settleMs: number;
  signal: AbortSignal;
}

export class PublishedWorkspace {
  /** States of files for which the server was waited for in vain; they are not waited for again. */
  readonly #silent = new Map<string, string>();

  constructor(private readonly context: PublishedWorkspaceContext) {}

  /** Waits until the server has reported on the documents and on changed files, and returns all its reports. */
  async gather(documents: readonly OpenDocument[], options: GatherOptions): Promise<PublishedItems> {
    const { published, recheck, outdated } = this.context;
    for (const { path } of documents) recheck(path);
    const changed = await existing(published.awaited);
    await this.#waitForReports(documents, changed, options);
    const old = changed.filter((path) => published.get(path) === undefined);
    const reports = new Map(published.all);
    for (const { path } of documents) {
      const before = outdated(path);
      if (before && !reports.has(path)) reports.set(path, before);
    }
    const items = new Map<string, Json[]>();
    for (const path of await existing(reports.keys())) {
      const report = reports.get(path);
      if (!report) continue;
      items.set(path, report.items);
      if (report.change < published.change && report.items.length > 0) old.push(path);
    }
    return { items, why: reasonFor(old) };
  }

  async #waitForReports(
    documents: readonly OpenDocument[],
    changed: readonly string[],
    { deadline, settleMs, signal }: GatherOptions,
  ): Promise<void> {
    const { published, readiness, current, nextEvent } = this.context;
    const followUntil = Math.min(deadline, performance.now() + FOLLOW_MS);
    for (;;) {
      readiness.assertAlive();
      const now = performance.now();
      const open = documents.filter(({ path }) => current(path) !== undefined);
      const states = new Map([
        ...open.map(({ path }) => [path, `version ${current(path)?.version}`] as const),
        ...changed.map((path) => [path, `change ${published.change}`] as const),
      ]);
      const missing = [...states].filter(
        ([path, state]) => published.get(path) === undefined && this.#silent.get(path) !== state,
      );
      const quiet = [...states.keys()].flatMap((path) => {
        const report = published.get(path);
        return report ? [report.at + published.quietMs(report, settleMs) - now] : [];
      });
      const isOpenMissing = missing.some(([path]) => !changed.includes(path));
      const until = missing.length === 0 || isOpenMissing ? deadline : followUntil;
      const dueMs = missing.length > 0 ? Number.POSITIVE_INFINITY : Math.max(0, ...quiet);
      if (dueMs <= 0 || now >= until) {
        for (const [path, state] of missing) this.#silent.set(path, state);
        return;
      }
      await nextEvent(Math.min(dueMs, until - now), signal);
    }
  }
}

function reasonFor(outdated: readonly string[]): string {
  if (outdated.length === 0) return "";
  const names = sortedSet(outdated.map((path) => basename(path)));
  const shown = names.slice(0, MAX_NAMES).join(", ");
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `files changed, and the server has not reported again on ${shown}${more}`;
}

/** The paths at which a file exists. */
async function existing(paths: Iterable<string>): Promise<string[]> {
  const checks = [...paths].map((path) =>
    access(path).then(
      () => [path],
      () => [],
    ),
  );
  return (await Promise.all(checks)).flat();
}
