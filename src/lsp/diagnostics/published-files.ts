/**
 * What a server that publishes has said of all its files, as they are now: waited for where files changed since, without
 * files that are gone, and with the names of those of which nothing newer is known.
 */

import { access } from "node:fs/promises";
import { basename } from "node:path";
import type { Json } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import type { ReadinessState } from "../readiness.js";
import type { OpenDocument } from "../types.js";
import type { Published, PublishedReports } from "./published-reports.js";

/** A server that has not spoken of a changed file that is not open by then is not likely to. */
const FOLLOW_MS = 5_000;
/** Names told of files whose reports are old. */
const NAMED = 3;

export interface PublishedFilesContext {
  published: PublishedReports;
  readiness: ReadinessState;
  /** The document as the server has it now. */
  current: (path: string) => OpenDocument | undefined;
  /** Has the server look anew at a document of which it spoke before other files changed. */
  renew: (path: string) => void;
  /** What it said of a document before that. */
  outdated: (path: string) => Published | undefined;
  /** Waits for the next sign of the server, or so long. */
  event: (timeoutMs: number, signal: AbortSignal) => Promise<void>;
}

/** The items of each file, and why they may not be what holds now. */
export interface PublishedNow {
  items: Map<string, Json[]>;
  why: string;
}

/** The files of one server. */
export class PublishedFiles {
  readonly #context: PublishedFilesContext;
  /** For which state of a file the server said nothing in all the time it had: it is not waited for again. */
  readonly #unheard = new Map<string, string>();

  constructor(context: PublishedFilesContext) {
    this.#context = context;
  }

  /** Waits until the server has spoken of the documents and of what changed, and is quiet; then gives all that it said. */
  async gather(
    documents: readonly OpenDocument[],
    wait: { deadline: number; settleMs: number; signal: AbortSignal },
  ): Promise<PublishedNow> {
    const { published, renew, outdated } = this.#context;
    for (const { path } of documents) renew(path);
    const changed = await existing(published.awaited);
    await this.#heardOf(documents, changed, wait);
    const items = new Map<string, Json[]>();
    const old = changed.filter((path) => published.get(path) === undefined);
    const reports = new Map(published.all);
    for (const { path } of documents) {
      const before = outdated(path);
      if (before && !reports.has(path)) reports.set(path, before);
    }
    const there = new Set(await existing(reports.keys()));
    for (const [path, report] of reports) {
      if (!there.has(path)) continue;
      items.set(path, report.items);
      if (report.change < published.change && report.items.length > 0) old.push(path);
    }
    return { items, why: whyOf(old) };
  }

  async #heardOf(
    documents: readonly OpenDocument[],
    changed: readonly string[],
    { deadline, settleMs, signal }: { deadline: number; settleMs: number; signal: AbortSignal },
  ): Promise<void> {
    const { published, readiness, current, event } = this.#context;
    const followed = Math.min(deadline, performance.now() + FOLLOW_MS);
    for (;;) {
      if (readiness.death) throw readiness.death;
      const now = performance.now();
      const open = documents.filter(({ path }) => current(path) !== undefined);
      const files = new Map([
        ...open.map(({ path }) => [path, `version ${current(path)?.version}`] as const),
        ...changed.map((path) => [path, `change ${published.change}`] as const),
      ]);
      const unheard = [...files].filter(
        ([path, state]) => published.get(path) === undefined && this.#unheard.get(path) !== state,
      );
      const quiet = [...files.keys()].flatMap((path) => {
        const report = published.get(path);
        return report ? [report.at + published.quietMs(report, settleMs) - now] : [];
      });
      const isShown = unheard.some(([path]) => !changed.includes(path));
      const until = unheard.length === 0 || isShown ? deadline : followed;
      const dueMs = unheard.length > 0 ? Number.POSITIVE_INFINITY : Math.max(0, ...quiet);
      if (dueMs > 0 && now < until) {
        await event(Math.min(dueMs, until - now), signal);
        continue;
      }
      for (const [path, state] of unheard) this.#unheard.set(path, state);
      return;
    }
  }
}

function whyOf(old: readonly string[]): string {
  if (old.length === 0) return "";
  const names = sortedSet(old.map((path) => basename(path)));
  const shown = names.slice(0, NAMED).join(", ");
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `files changed, and the server has not said again what holds for ${shown}${more}`;
}

/** Those of the paths where there is a file. */
async function existing(paths: Iterable<string>): Promise<string[]> {
  const looked = [...paths].map(async (path) => {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    return isThere ? [path] : [];
  });
  return (await Promise.all(looked)).flat();
}
