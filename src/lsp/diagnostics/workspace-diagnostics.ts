/**
 * Diagnostics of all files of a root: pulled where the server supports it, plus what it published. A server that only
 * publishes reports on the files that it was shown, and the report says so: silence about others does not mean clean.
 */
import type {
  WorkspaceDiagnosticParams,
  WorkspaceDiagnosticReport,
  WorkspaceDiagnosticRequest,
  WorkspaceFullDocumentDiagnosticReport,
} from "vscode-languageserver-protocol";
import { canonicalText, type Json } from "../../base/json.js";
import { sortBy, uniqueBy } from "../../base/order.js";
import { fileUri, pathOfUri } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import { fieldsOf } from "../fields.js";
import type { WorkspaceDiagnosticsReport } from "../types.js";
import type { DiagnosticsContext } from "./diagnostics.js";
import { failureOf, identifierOf, type PulledReports, type PullOptions } from "./pulled-diagnostics.js";

const METHOD: typeof WorkspaceDiagnosticRequest.method = "workspace/diagnostic";
const ONLY_SHOWN = "the server reports only on files that were opened";

/** The items of each file, by path. */
type ItemsByPath = Map<string, Json[]>;

export interface WorkspaceDiagnosticsContext
  extends Pick<DiagnosticsContext, "capabilities" | "readiness" | "current" | "request"> {
  pulled: PulledReports;
  published: ReadonlyMap<string, Json[]>;
  /** Why the published items may be incomplete, or empty. */
  why: string;
}

/** Everything that a server reports on its files until the deadline. */
export async function workspaceDiagnostics(
  context: WorkspaceDiagnosticsContext,
  options: PullOptions,
): Promise<WorkspaceDiagnosticsReport> {
  const { capabilities, readiness } = context;
  const found: ItemsByPath = new Map();
  let why = "";
  if (!capabilities.allows("diagnostics")) why = "the config does not ask this server for diagnostics";
  else if (!capabilities.supports(METHOD))
    why = [ONLY_SHOWN, context.why].filter((part) => part !== "").join("; ");
  else why = (await pullAll(context, found, options)) || context.why;
  if (capabilities.allows("diagnostics")) addAll(found, context.published);
  if (why === "" && readiness.now === "indexing") why = "the server is still indexing";
  const files = sortBy([...found], ([path]) => [path])
    .filter(([, items]) => items.length > 0)
    .map(([path, items]) => ({ uri: fileUri(path), items: uniqueBy(items, canonicalText) }));
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
      const parts = {
        begin: () => {
          stale = 0;
          received = new Map();
        },
        take: (part: unknown) => {
          stale += takeReports(context, identifier, part, received) ?? 0;
        },
      };
      const timeoutMs = Math.max(1, deadline - performance.now());
      const { value } = await context.request(METHOD, params, { signal, roots, timeoutMs, parts });
      const staleLast = takeReports(context, identifier, value, received);
      if (staleLast === undefined) throw new Refusal("lsp/no-answer", "the server gave no report");
      stale += staleLast;
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

/** Takes the reports of a whole or partial result. Returns how many are for an older version; undefined for no result. */
function takeReports(
  { pulled, current }: WorkspaceDiagnosticsContext,
  identifier: string | undefined,
  value: unknown,
  found: ItemsByPath,
): number | undefined {
  const { items } = fieldsOf<WorkspaceDiagnosticReport>(value);
  if (!Array.isArray(items)) return undefined;
  let stale = 0;
  for (const report of items) {
    const { uri, version } = fieldsOf<WorkspaceFullDocumentDiagnosticReport>(report);
    const path = pathOfUri(uri);
    if (typeof uri !== "string" || path === undefined) continue;
    const open = current(path);
    if (typeof version === "number" && open && version !== open.version) stale++;
    else addAll(found, [[path, pulled.keep(identifier, uri, report)]]);
  }
  return stale;
}

function addAll(found: ItemsByPath, more: Iterable<readonly [string, Json[]]>): void {
  for (const [path, items] of more) found.set(path, [...(found.get(path) ?? []), ...items]);
}
