/** One language server tried out for real: started for a file, asked one thing, brought to rest, each step timed. */
import type { ServerPlan } from "../../abi/plan.js";
import { Refusal } from "../../base/problem.js";
import type { LanguageServer, OpenDocument, Readiness, ServerPool } from "../../lsp/types.js";

/** How a server did. */
export interface Examination {
  id: string;
  /** The file it was asked about, or null when there is none for it. */
  file: string | null;
  version: string | null;
  features: string[];
  encoding: string | null;
  readiness: Readiness | null;
  /** From the start of the program to the end of its handshake. */
  startMs: number | null;
  /** From the start of the program to its first answer. */
  answerMs: number | null;
  /** What it answered, in words. */
  answer: string | null;
  /** Why it did not come so far. */
  failure: { code: string; message: string } | null;
}

/** Tries a server out; never throws for what the server does. */
export async function examine(
  pool: ServerPool,
  plan: ServerPlan,
  file: string | undefined,
  signal: AbortSignal,
): Promise<Examination> {
  const found: Examination = {
    ...{ id: plan.id, file: file ?? null, version: null, features: [], encoding: null, readiness: null },
    ...{ startMs: null, answerMs: null, answer: null, failure: null },
  };
  if (file === undefined) return found;
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  try {
    const server = await pool.get(plan.id, file, signal);
    found.startMs = elapsed();
    const document = await server.ensureOpen(file, signal);
    found.answer = await firstAnswer(server, document, signal);
    found.answerMs = elapsed();
    found.readiness = await server.settle(plan.warmupTimeoutMs, signal);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    found.failure = { code: error.code, message: error.message };
  }
  const status = pool.status().find(({ id, root }) => id === plan.id && root !== null);
  return {
    ...found,
    version: status?.version ?? null,
    features: status?.features ?? [],
    encoding: status?.encoding ?? null,
  };
}

/** The cheapest thing that the server offers to say about a file. */
async function firstAnswer(
  server: LanguageServer,
  document: OpenDocument,
  signal: AbortSignal,
): Promise<string> {
  if (server.supports("textDocument/documentSymbol", document)) {
    const params = { textDocument: { uri: document.uri } };
    const { value } = await server.request("textDocument/documentSymbol", params, { signal });
    const count = Array.isArray(value) ? value.length : 0;
    return `${count} symbol${count === 1 ? "" : "s"}`;
  }
  const report = await server.diagnostics(document, { waitMs: 5_000, settleMs: 150, signal });
  return report.status === "unknown"
    ? `diagnostics unknown: ${report.why}`
    : `${report.items.length} diagnostic${report.items.length === 1 ? "" : "s"}`;
}
