/** Diagnostics of one document from all its servers. Clean is said only when every server has said so. */
import { Refusal } from "../base/problem.js";
import type { DiagnosticsReport, LanguageServer } from "../lsp/types.js";
import { askCircle } from "./ask.js";
import type { CallState } from "./call-state.js";
import type { Circle } from "./circle.js";
import type { ReplyData } from "./reply.js";

interface Told {
  server: LanguageServer;
  report: DiagnosticsReport;
}

/** Asks every server of the document that is asked for diagnostics at all. */
export async function askDiagnostics(
  call: CallState,
  circle: Circle,
  options: { waitMs: number; settleMs: number },
): Promise<ReplyData> {
  const servers = circle.servers.filter(
    ({ features }) =>
      (features.only === null || features.only.includes("diagnostics")) &&
      !features.except.includes("diagnostics"),
  );
  const answers = await askCircle<Told>(
    call,
    { ...circle, servers },
    "all",
    async ({ server, document }, { signal }) => {
      if (document === undefined) return undefined;
      call.onProgress(`waiting for the diagnostics of ${server.plan.id}`);
      return { server, report: await server.diagnostics(document, { ...options, signal }) };
    },
  );
  if (answers.length === 0)
    throw new Refusal("lsp/not-supported", "No server of this file is asked for diagnostics.");
  const told = answers.map(({ answer }) => answer);
  for (const { server, report } of told) call.evidence.heard(server, report.readiness);
  return {
    parts: told.map(({ server, report }) => ({ server, value: report.items })),
    perItem: false,
    diagnostics: outcome(told, servers.length),
  };
}

function outcome(told: Told[], asked: number): NonNullable<ReplyData["diagnostics"]> {
  const unknown = told.filter(({ report }) => report.status === "unknown");
  const why = [
    ...unknown.map(({ server, report }) => `${server.plan.id}: ${report.why}`),
    ...(told.length < asked ? [`${asked - told.length} of ${asked} servers did not answer`] : []),
  ].join("; ");
  if (told.some(({ report }) => report.items.length > 0)) return { status: "diagnostics", why };
  return why === "" ? { status: "clean", why } : { status: "unknown", why };
}
