/**
 * Diagnostics of all files of a root: pulled where the server supports it, plus what it published. A server that only
 * publishes reports on the files that it was shown, and the report says so: silence about others does not mean clean.
 */
import { access } from "node:fs/promises";
import { basename } from "node:path";
import type {
  WorkspaceDiagnosticParams,
  WorkspaceDiagnosticReport,
  WorkspaceFullDocumentDiagnosticReport,
} from "vscode-languageserver-protocol";
import { canonicalText, fieldsOf, type Json } from "../../base/json.js";
import { sortBy, sortedSet, uniqueByInTurns } from "../../base/order.js";
import { fileUri, pathOfUri } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import { Turns } from "../../base/timing.js";
import type { LspMethod } from "../../protocol/methods.js";
import type { OpenDocument, WorkspaceDiagnosticsReport } from "../types.js";
import type { DiagnosticsContext } from "./diagnostics.js";
import type { PublishedReport, PublishedReports } from "./published-reports.js";
import {
  failureOf,
  identifierOf,
  type PulledReports,
  type PullOptions,
  type Wait,
} from "./pulled-diagnostics.js";
import { MAX_CHARACTERS, MORE_THAN_KEPT, sizeAndHash } from "./report-cache.js";

const METHOD: LspMethod = "workspace/diagnostic";
const ONLY_SHOWN = "the server reports only on files that were opened";

/** How long a server may take to report on a changed file that is not open. */
const FOLLOW_MS = 5_000;
/** How many outdated files are named. */
const MAX_NAMES = 3;

type ItemsByPath = Map<string, Json[]>;

export interface WorkspaceDiagnosticsContext
  extends Pick<DiagnosticsContext, "capabilities" | "readiness" | "current" | "request"> {
  pulled: PulledReports;
  published: PublishedReports;
  /** Reports from before a change, which the server may not repeat after it. */
  outdated: ReadonlyMap<string, PublishedReport>;
  /** The state of each file for which a wait brought no report: in the same state, no call waits for it again. */
  silent: Map<string, string>;
  nextEvent: (timeoutMs: number, signal: AbortSignal) => Promise<void>;
}

/** Items by path, and why they may be outdated or incomplete; empty when they are not. */
interface PublishedItems {
  items: ItemsByPath;
  why: string;
}

/** Everything that a server reports on its files until the deadline. */
export async function workspaceDiagnostics(
  context: WorkspaceDiagnosticsContext,
  published: PublishedItems,
  options: PullOptions,
): Promise<WorkspaceDiagnosticsReport> {
  const { capabilities, readiness } = context;
  const found: ItemsByPath = new Map();
  let why = "";
  if (!capabilities.allows("diagnostics")) why = "the config does not ask this server for diagnostics";
  else if (!capabilities.supports(METHOD))
    why = [ONLY_SHOWN, published.why].filter((part) => part !== "").join("; ");
  else why = (await pullAll(context, found, options)) || published.why;
  if (capabilities.allows("diagnostics")) addAll(found, published.items);
  if (why === "" && readiness.now === "indexing") why = "the server is still indexing";
  const turns = new Turns(options.signal);
  const files: WorkspaceDiagnosticsReport["files"] = [];
  for (const [path, items] of sortBy([...found], ([name]) => [name])) {
    const unique = await uniqueByInTurns(items, canonicalText, turns);
    if (unique.length > 0) files.push({ uri: fileUri(path), items: unique });
    if (turns.isDue) await turns.yield();
  }
  const status = files.length > 0 ? "diagnostics" : why === "" ? "clean" : "unknown";
  return { status, why, files, readiness: readiness.now };
}

/** Pulls from every provider. Returns why the result is incomplete, or "". */
async function pullAll(
  context: WorkspaceDiagnosticsContext,
  found: ItemsByPath,
  { deadline, signal, roots }: PullOptions,
): Promise<string> {
  let why = "";
  let received: ItemsByPath = new Map();
  try {
    for (const provider of context.capabilities.options(METHOD)) {
      const identifier = identifierOf(provider);
      const params: WorkspaceDiagnosticParams = {
        ...(identifier === undefined ? {} : { identifier }),
        previousResultIds: context.pulled.resultIds(identifier),
      };
      let stale = 0;
      let room = { characters: MAX_CHARACTERS };
      const parts = {
        begin: () => {
          stale = 0;
          room = { characters: MAX_CHARACTERS };
          received = new Map();
        },
        take: (part: unknown) => {
          stale += takeReports(context, identifier, part, received, room) ?? 0;
        },
      };
      const timeoutMs = Math.max(1, deadline - performance.now());
      const { value } = await context.request(METHOD, params, { signal, roots, timeoutMs, parts });
      const staleLast = takeReports(context, identifier, value, received, room);
      if (staleLast === undefined) throw new Refusal("lsp/no-answer", "the server gave no report");
      stale += staleLast;
      if (room.characters < 0) why = MORE_THAN_KEPT;
      if (stale > 0) why = `the reports on ${stale} files are for an older version`;
      addAll(found, received);
      received = new Map();
    }
  } catch (error) {
    why = failureOf(error);
    // Partial results that came before the failure are kept.
    addAll(found, received);
  }
  return why;
}

/**
 * Takes the reports of a whole or partial result. Returns how many are for an older version; undefined for no result.
 */
function takeReports(
  { pulled, current }: WorkspaceDiagnosticsContext,
  identifier: string | undefined,
  value: unknown,
  found: ItemsByPath,
  room: { characters: number },
): number | undefined {
  const { items } = fieldsOf<WorkspaceDiagnosticReport>(value);
  if (!Array.isArray(items)) return undefined;
  let stale = 0;
  for (const report of items) {
    // A server may send partial results without end.
    if (room.characters < 0) break;
    const { uri, version } = fieldsOf<WorkspaceFullDocumentDiagnosticReport>(report);
    const path = pathOfUri(uri);
    if (typeof uri !== "string" || path === undefined) continue;
    const open = current(path);
    if (typeof version === "number" && open && version !== open.version) stale++;
    else {
      const kept = pulled.keep(identifier, uri, report);
      room.characters -= sizeAndHash(kept, path).size;
      addAll(found, [[path, kept]]);
    }
  }
  return stale;
}

function addAll(found: ItemsByPath, more: Iterable<readonly [string, Json[]]>): void {
  for (const [path, items] of more) {
    const known = found.get(path);
    // A copy: the list itself belongs to a report that is kept.
    if (known === undefined) found.set(path, [...items]);
    else for (const item of items) known.push(item);
  }
}

/** Waits until the server has reported on the documents and on changed files, and returns all its reports. */
export async function publishedItems(
  context: WorkspaceDiagnosticsContext,
  documents: readonly OpenDocument[],
  options: Wait,
): Promise<PublishedItems> {
  const { published, outdated } = context;
  const changed = await existing(published.awaited);
  await waitForReports(context, documents, changed, options);
  const old = changed.filter((path) => published.get(path) === undefined);
  const reports = new Map(published.all);
  for (const { path } of documents) {
    const before = outdated.get(path);
    if (before && !reports.has(path)) reports.set(path, before);
  }
  const items = new Map<string, Json[]>();
  for (const path of await existing(reports.keys())) {
    const report = reports.get(path);
    if (!report) continue;
    items.set(path, report.items);
    if (report.change < published.change && report.items.length > 0) old.push(path);
  }
  const dropped = published.hasDropped ? MORE_THAN_KEPT : "";
  return { items, why: [dropped, reasonFor(old)].filter((part) => part !== "").join("; ") };
}

async function waitForReports(
  context: WorkspaceDiagnosticsContext,
  documents: readonly OpenDocument[],
  changed: readonly string[],
  { deadline, settleMs, signal }: Wait,
): Promise<void> {
  const { published, readiness, current, silent, nextEvent } = context;
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
      ([path, state]) => published.get(path) === undefined && silent.get(path) !== state,
    );
    const quiet = [...states.keys()].flatMap((path) => {
      const report = published.get(path);
      return report ? [report.at + published.quietMs(report, settleMs) - now] : [];
    });
    const isOpenMissing = missing.some(([path]) => !changed.includes(path));
    const until = missing.length === 0 || isOpenMissing ? deadline : followUntil;
    const longest = quiet.reduce((most, ms) => Math.max(most, ms), 0);
    const dueMs = missing.length > 0 ? Number.POSITIVE_INFINITY : longest;
    if (dueMs <= 0 || now >= until) {
      for (const [path, state] of missing) silent.set(path, state);
      return;
    }
    await nextEvent(Math.min(dueMs, until - now), signal);
  }
}

function reasonFor(outdated: readonly string[]): string {
  if (outdated.length === 0) return "";
  const names = sortedSet(outdated.map((path) => basename(path)));
  const shown = names.slice(0, MAX_NAMES).join(", ");
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `files changed, and the server has not reported again on ${shown}${more}`;
}

async function existing(paths: Iterable<string>): Promise<string[]> {
  const checks = [...paths].map((path) =>
    access(path).then(
      () => [path],
      () => [],
    ),
  );
  return (await Promise.all(checks)).flat();
}
