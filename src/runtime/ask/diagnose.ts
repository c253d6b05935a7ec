/** Diagnostics of one document, or of the workspace, from all servers. Clean is said only when every server has said so. */
import type { Json } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { DiagnosticsReport, LanguageServer } from "../../lsp/types.js";
import type { CallState } from "../call-state.js";
import { listOf } from "../lsp-values.js";
import { askCandidates } from "./ask.js";
import type { CandidateServers } from "./candidates.js";
import type { ReplyData } from "./reply.js";

interface Told {
  server: LanguageServer;
  report: Omit<DiagnosticsReport, "items">;
  /** Raw diagnostics of the document, or of each file. */
  found: Json[];
}

/** What the `diagnostics` step of a call has found, by server: for requests that take it along. */
export class Diagnosed {
  readonly #found = new Map<string, Json[]>();
  /** Why the step could not tell, when it could not. */
  why: string | undefined;

  /** Takes what the step replied. */
  keep({ parts, diagnostics }: ReplyData): void {
    for (const { server, value } of parts)
      if (server !== undefined) this.#found.set(server.plan.id, listOf(value) as Json[]);
    this.why = diagnostics?.status === "unknown" ? diagnostics.why : undefined;
  }

  /** What one server said of the document. */
  of(server: LanguageServer): Json[] {
    return this.#found.get(server.plan.id) ?? [];
  }
}

/** Asks every server of the candidates that is asked for diagnostics at all: of its document, else of all its files. */
export async function askDiagnostics(
  call: CallState,
  candidates: CandidateServers,
  options: { waitMs: number; settleMs: number },
): Promise<ReplyData> {
  const servers = candidates.servers.filter(
    ({ features }) =>
      (features.only === null || features.only.includes("diagnostics")) &&
      !features.except.includes("diagnostics"),
  );
  const answers = await askCandidates<Told>(
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
  const told = answers.map(({ answer }) => answer);
  for (const { server, report } of told) call.evidence.heard(server, report.readiness);
  return {
    parts: told.map(({ server, found }) => ({ server, value: found })),
    perItem: false,
    diagnostics: outcome(told, servers.length),
  };
}

function outcome(told: Told[], asked: number): NonNullable<ReplyData["diagnostics"]> {
  const unsure = told.filter(({ report }) => report.why !== "");
  const why = [
    ...unsure.map(({ server, report }) => `${server.plan.id}: ${report.why}`),
    ...(told.length < asked ? [`${asked - told.length} of ${asked} servers did not answer`] : []),
  ].join("; ");
  if (told.some(({ report }) => report.status === "diagnostics")) return { status: "diagnostics", why };
  return why === "" ? { status: "clean", why } : { status: "unknown", why };
}
