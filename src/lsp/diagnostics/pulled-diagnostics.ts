/**
 * Pulls the diagnostics of one document from every provider of a server, and keeps the results by file and
 * provider. Each request sends the last result id; for a reply `unchanged` the kept items are used.
 */
import type {
  DiagnosticOptions,
  DocumentDiagnosticParams,
  PreviousResultId,
  RelatedFullDocumentDiagnosticReport,
} from "vscode-languageserver-protocol";
import { fieldsOf, isTable, type Json } from "../../base/json.js";
import { pathOfUri } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import type {
  DiagnosticsOptions,
  OpenDocument,
  PartTaker,
  Readiness,
  ServerRequestOptions,
} from "../types.js";
import { ReportCache, sizeAndHash } from "./report-cache.js";
import type { WorkspaceDiagnosticsContext } from "./workspace-diagnostics.js";

export type DiagnosticsRequest = (
  method: string,
  params: unknown,
  options: Pick<ServerRequestOptions, "signal" | "roots"> & { timeoutMs: number; parts?: PartTaker },
) => Promise<{ value: unknown; readiness: Readiness }>;

export interface PullOptions extends Pick<ServerRequestOptions, "signal" | "roots"> {
  deadline: number;
}

/** The options of a request for diagnostics, with the time (`performance.now()`) at which its wait ends. */
export type Wait = DiagnosticsOptions & { deadline: number };

/** The items of every provider of the document, or why they are not available. */
export async function pullDocument(
  { capabilities, pulled, request }: Pick<WorkspaceDiagnosticsContext, "capabilities" | "pulled" | "request">,
  document: OpenDocument,
  { deadline, signal, roots }: PullOptions,
): Promise<Json[] | { why: string }> {
  const items: Json[] = [];
  try {
    for (const provider of capabilities.options("textDocument/diagnostic", document)) {
      const identifier = identifierOf(provider);
      const previousResultId = pulled.resultId(identifier, document.path);
      const params: DocumentDiagnosticParams = {
        textDocument: { uri: document.uri },
        ...(identifier === undefined ? {} : { identifier }),
        ...(previousResultId === undefined ? {} : { previousResultId }),
      };
      const timeoutMs = Math.max(1, deadline - performance.now());
      const { value } = await request("textDocument/diagnostic", params, { signal, roots, timeoutMs });
      // One by one: there may be more than a call takes arguments.
      for (const item of pulled.keep(identifier, document.uri, value)) items.push(item);
    }
  } catch (error) {
    return { why: failureOf(error) };
  }
  return items;
}

/** The message of a failed pull. Cancellation and the end of the server are thrown on. */
export function failureOf(error: unknown): string {
  if (error instanceof Refusal && error.code !== "call/cancelled" && error.code !== "lsp/exited")
    return error.message;
  throw error;
}

/** The identifier of a provider of diagnostics, to be sent with requests to it. */
export function identifierOf(provider: unknown): string | undefined {
  const { identifier } = fieldsOf<DiagnosticOptions>(provider);
  return typeof identifier === "string" ? identifier : undefined;
}

interface PulledReport {
  uri: string;
  size: number;
  resultId: string | undefined;
  items: Json[];
}

export class PulledReports {
  /** By identifier of the provider, then by path. */
  readonly #providers = new Map<string, ReportCache<PulledReport>>();

  resultId(identifier: string | undefined, path: string): string | undefined {
    return this.#of(identifier).get(path)?.resultId;
  }

  /** All result ids of a provider, for a request about the whole workspace. */
  resultIds(identifier: string | undefined): PreviousResultId[] {
    return this.#of(identifier)
      .values()
      .flatMap(({ uri, resultId }) => (resultId === undefined ? [] : [{ uri, value: resultId }]));
  }

  /** Keeps a report on a file and those on related files; returns the items of the file. */
  keep(identifier: string | undefined, uri: string, report: unknown): Json[] {
    if (!isTable(report)) throw new Refusal("lsp/no-answer", "the server gave no report");
    const { relatedDocuments } = fieldsOf<RelatedFullDocumentDiagnosticReport>(report);
    for (const [related, its] of Object.entries(isTable(relatedDocuments) ? relatedDocuments : {}))
      this.#keepOne(identifier, related, its);
    const items = this.#keepOne(identifier, uri, report);
    if (items === undefined) throw new Refusal("lsp/no-answer", "the server gave a report without items");
    return items;
  }

  /** Forgets everything after a refresh: no later report may refer to an earlier one. */
  clear(): void {
    this.#providers.clear();
  }

  /** Keeps one report. Undefined when it has neither items nor an earlier report that is unchanged. */
  #keepOne(identifier: string | undefined, uri: string, report: unknown): Json[] | undefined {
    const { kind, items, resultId } = fieldsOf<RelatedFullDocumentDiagnosticReport>(report);
    const path = pathOfUri(uri);
    const kept = this.#of(identifier);
    const before = path === undefined ? undefined : kept.get(path);
    const isUnchanged = (kind as string | undefined) === "unchanged";
    const sent = Array.isArray(items) ? (items as Json[]) : undefined;
    const current = isUnchanged ? before?.items : sent;
    if (current === undefined) return undefined;
    const newId = typeof resultId === "string" ? resultId : undefined;
    if (path !== undefined)
      kept.set(path, {
        uri,
        size: sizeAndHash(current, path, uri, newId).size,
        resultId: newId ?? (isUnchanged ? before?.resultId : undefined),
        items: current,
      });
    return current;
  }

  #of(identifier: string | undefined): ReportCache<PulledReport> {
    const key = identifier ?? "";
    const known = this.#providers.get(key) ?? new ReportCache<PulledReport>();
    this.#providers.set(key, known);
    return known;
  }
}
