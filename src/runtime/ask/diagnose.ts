/** Diagnostics of a document or the workspace, from all servers: `clean` only when every server said so. */
import type { Json } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { DiagnosticsReport, LanguageServer } from "../../lsp/types.js";
import type { CallState } from "../call-state.js";
import { askCandidates } from "./ask.js";
import { type CandidateServers, listOf, type ReplyData } from "./candidates.js";
import { warnOfMissingProject } from "./missing-project.js";

interface ServerDiagnostics {
  server: LanguageServer;
  report: Omit<DiagnosticsReport, "items">;
  /** Raw diagnostics of the document, or of each file. */
  found: Json[];
}

/** The diagnostics that an earlier step of the call found, by server; code action requests take them along. */
export class FoundDiagnostics {
  readonly #found = new Map<string, Json[]>();
  /** Why the step gave no definite result. */
  why: string | undefined;

  keep({ parts, diagnostics }: ReplyData): void {
    for (const { server, value } of parts)
      if (server !== undefined) this.#found.set(server.plan.id, listOf(value) as Json[]);
    this.why = diagnostics?.status === "unknown" ? diagnostics.why : undefined;
  }

  of(server: LanguageServer): Json[] {
    return this.#found.get(server.plan.id) ?? [];
  }
}

/** Asks every candidate that provides diagnostics: for its document, else for all its files. */
export async function askDiagnostics(
  call: CallState,
  candidates: CandidateServers,
  options: { waitMs: number; firstWaitMs?: number; settleMs: number },
): Promise<ReplyData> {
  const servers = candidates.servers.filter(
    ({ features }) =>
      (features.only === null || features.only.includes("diagnostics")) &&
      !features.except.includes("diagnostics"),
  );
  const answers = await askCandidates<ServerDiagnostics>(
    call,
    { ...candidates, servers },
    "all",
    async ({ server, document }, { signal }) => {
      call.onProgress(`waiting for the diagnostics of ${server.plan.id}`);
      if (document === undefined) {
        const report = await server.workspaceDiagnostics({ ...options, signal });
        return { server, report, found: report.files };
      }
      const report = await server.diagnostics(document, { ...options, signal });
      return { server, report, found: report.items };
    },
  );
  if (answers.length === 0)
    throw new Refusal("lsp/not-supported", "No server here is asked for diagnostics.");
  const results = answers.map(({ answer }) => answer);
  for (const { server, report } of results) {
    call.evidence.answered(server.plan.id, report.readiness);
    if (call.tool.effect === "read") warnOfMissingProject(call, server, "textDocument/diagnostic");
  }
  return {
    parts: results.map(({ server, found }) => ({ server, value: found })),
    perItem: false,
    diagnostics: outcome(results, servers.length),
  };
}

function outcome(results: ServerDiagnostics[], asked: number): NonNullable<ReplyData["diagnostics"]> {
  const unsure = results.filter(({ report }) => report.why !== "");
  const why = [
    ...unsure.map(({ server, report }) => `${server.plan.id}: ${report.why}`),
    ...(results.length < asked ? [`${asked - results.length} of ${asked} servers did not answer`] : []),
  ].join("; ");
  if (results.some(({ report }) => report.status === "diagnostics")) return { status: "diagnostics", why };
  return why === "" ? { status: "clean", why } : { status: "unknown", why };
}
