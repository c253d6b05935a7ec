/**
 * Diagnostics of all files of a root: pulled where the server offers it, with what it published laid over. A server that
 * only publishes tells of the files it has looked at, and the report says so: silence on the others is not "clean".
 */

import { fileUri } from "../../base/file-uri.js";
import { canonicalText, isTable, type Json } from "../../base/json.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import { pathOfUri } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import type { WorkspaceDiagnosticsReport } from "../types.js";
import type { DiagnosticsContext } from "./diagnostics.js";
import type { PullWait } from "./pull-document.js";
import { identifierOf, type PulledReports } from "./pulled-reports.js";

const METHOD = "workspace/diagnostic";

const SHOWN = "the server tells only of the files that it was shown";

/** The items of each file, by path. */
type Found = Map<string, Json[]>;

/** What is needed beside what a single document's diagnostics need. */
export interface WorkspaceDiagnosticsContext
  extends Pick<DiagnosticsContext, "capabilities" | "readiness" | "current" | "request"> {
  pulled: PulledReports;
  /** What the server published and still holds. */
  published: ReadonlyMap<string, Json[]>;
  /** Why what was published may not be all, or nothing. */
  why: string;
}

/** All that a server says of its files until the deadline. */
export async function workspaceDiagnostics(
  context: WorkspaceDiagnosticsContext,
  wait: PullWait,
): Promise<WorkspaceDiagnosticsReport> {
  const { capabilities, readiness } = context;
  const found: Found = new Map();
  let why = "";
  if (!capabilities.allows("diagnostics")) why = "the config does not ask this server for diagnostics";
  else if (!capabilities.supports(METHOD))
    why = [SHOWN, context.why].filter((part) => part !== "").join("; ");
  else why = (await pullAll(context, found, wait)) || context.why;
  if (capabilities.allows("diagnostics"))
    for (const [path, items] of context.published) add(found, path, items);
  if (why === "" && readiness.now === "indexing") why = "the server is still indexing";
  const files = sortBy([...found], ([path]) => [path]).flatMap(([path, items]) =>
    items.length === 0
      ? []
      : [{ uri: fileUri(path), items: items.length === 1 ? items : uniqueBy(items, canonicalText) }],
  );
  const status = files.length > 0 ? "diagnostics" : why === "" ? "clean" : "unknown";
  return { status, why, files, readiness: readiness.now };
}

/** Asks every provider; gives the reason when what it told is not everything. */
async function pullAll(
  context: WorkspaceDiagnosticsContext,
  found: Found,
  { deadline, signal, roots }: PullWait,
): Promise<string> {
  let why = "";
  let parts: Found = new Map();
  try {
    for (const provider of context.capabilities.options(METHOD)) {
      const identifier = identifierOf(provider);
      const params = {
        ...(identifier === undefined ? {} : { identifier }),
        previousResultIds: context.pulled.resultIds(identifier),
      };
      const timeoutMs = Math.max(1, deadline - performance.now());
      let stale = 0;
      const taker = {
        begin: () => {
          stale = 0;
          parts = new Map();
        },
        take: (part: unknown) => {
          if (isReport(part)) stale += take(context, identifier, part, parts);
        },
      };
      const { value } = await context.request(METHOD, params, { signal, roots, timeoutMs, parts: taker });
      if (!isReport(value)) throw new Refusal("lsp/no-answer", "the server gave no report");
      stale += take(context, identifier, value, parts);
      if (stale > 0) why = `of ${stale} files the server told an older version`;
      merge(found, parts);
      parts = new Map();
    }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === "call/cancelled" || error.code === "lsp/exited")
      throw error;
    // What came in parts before that is known all the same.
    merge(found, parts);
    return error.message;
  }
  return why;
}

/** Takes the reports of one answer; gives how many were about a version that is no longer open. */
function take(
  { pulled, current }: WorkspaceDiagnosticsContext,
  identifier: string | undefined,
  value: { items: unknown[] },
  found: Found,
): number {
  let stale = 0;
  for (const report of value.items) {
    const uri = isTable(report) ? report.uri : undefined;
    const path = pathOfUri(uri);
    if (!isTable(report) || typeof uri !== "string" || path === undefined) continue;
    const open = current(path);
    if (typeof report.version === "number" && open && report.version !== open.version) stale++;
    else add(found, path, pulled.keep(identifier, uri, report));
  }
  return stale;
}

function isReport(value: unknown): value is { items: unknown[] } {
  return isTable(value) && Array.isArray(value.items);
}

function merge(found: Found, parts: Found): void {
  for (const [path, items] of parts) add(found, path, items);
}

function add(found: Found, path: string, items: Json[]): void {
  const known = found.get(path);
  found.set(path, known === undefined ? items : [...known, ...items]);
}
