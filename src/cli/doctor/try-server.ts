/** Starts one language server for a file, asks it one thing, and measures each step. */
import type { ServerPlan } from "../../abi/plan.js";
import { Refusal } from "../../base/problem.js";
import type { LanguageServer, OpenDocument, Readiness, ServerPool } from "../../lsp/types.js";
import { plural } from "../terminal/text.js";

/** The result; part of the JSON output of `doctor`. */
export interface Trial {
  id: string;
  /** The file that was used, or null when the workspace has none for this server. */
  file: string | null;
  version: string | null;
  features: string[];
  encoding: string | null;
  readiness: Readiness | null;
  /** From the start of the program to the end of its handshake. */
  startMs: number | null;
  /** From the start of the program to its first answer. */
  answerMs: number | null;
  /** The answer in words. */
  answer: string | null;
  failure: { code: string; message: string } | null;
}

const untried = {
  ...{ version: null, features: [], encoding: null, readiness: null },
  ...{ startMs: null, answerMs: null, answer: null, failure: null },
};

/** Tries a server. Refusals of the server become part of the result. */
export async function tryServer(
  pool: ServerPool,
  plan: ServerPlan,
  file: string | undefined,
  signal: AbortSignal,
): Promise<Trial> {
  const trial: Trial = { id: plan.id, file: file ?? null, ...untried };
  if (file === undefined) return trial;
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  try {
    const server = await pool.get(plan.id, file, signal);
    trial.startMs = elapsed();
    const document = await server.ensureOpen(file, signal);
    trial.answer = await firstAnswer(server, document, signal);
    trial.answerMs = elapsed();
    trial.readiness = await server.settle(plan.warmupTimeoutMs, signal);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    trial.failure = { code: error.code, message: error.message };
  }
  const status = pool.status().find(({ id, root }) => id === plan.id && root !== null);
  const { version = null, features = [], encoding = null } = status ?? {};
  return { ...trial, version, features, encoding };
}

/** Asks for symbols, or for diagnostics if the server has no symbols. */
async function firstAnswer(
  server: LanguageServer,
  document: OpenDocument,
  signal: AbortSignal,
): Promise<string> {
  if (server.supports("textDocument/documentSymbol", document)) {
    const params = { textDocument: { uri: document.uri } };
    const { value } = await server.request("textDocument/documentSymbol", params, { signal });
    return plural(Array.isArray(value) ? value.length : 0, "symbol");
  }
  const report = await server.diagnostics(document, { waitMs: 5_000, settleMs: 150, signal });
  if (report.status === "unknown") return `diagnostics unknown: ${report.why}`;
  return plural(report.items.length, "diagnostic");
}
