/** Tries the language servers of a runtime: starts each for a file of the workspace, asks one thing, and measures. */
import { resolve } from "node:path";
import type { ServerPlan } from "../abi/plan.js";
import type { Code } from "../base/codes.js";
import { type NextStep, Refusal } from "../base/problem.js";
import { delay } from "../base/timing.js";
import { plural } from "../base/words.js";
import type { LanguageServer, OpenDocument, PoolContext, Readiness, ServerPool } from "../lsp/types.js";
import type { Runtime } from "../runtime/runtime.js";
import { SampleFiles } from "../runtime/sample-files.js";
import { openGate } from "../workspace/gate.js";

/** The result of trying a server; part of the JSON output of `doctor`. */
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
  failure: { code: string; message: string; nextSteps: NextStep[] } | null;
}

const LIMIT_MS = 600_000;
/** How many other files a server is asked about when the first says nothing about it. */
const MOST_OTHERS = 12;
/** The code of a trial whose file is binary, too large, or may not be read. */
export const UNREADABLE = "guard/not-a-file" satisfies Code;

/** Which servers are tried, and where. */
interface TrialRequest {
  ids: readonly string[];
  base: string;
  env: PoolContext["env"];
}

/** Tries servers one after the other, so that they do not slow each other down while they are timed. */
export async function* tryServers(
  { loaded, pool }: Runtime,
  { ids, base, env }: TrialRequest,
): AsyncGenerator<Trial> {
  const { servers, workspace } = loaded.plan;
  const roots = workspace.roots.map((root) => resolve(base, root));
  const gate = await openGate({ roots, extraRoots: workspace.extraRoots, deny: workspace.deny });
  const samples = new SampleFiles(gate, pool, [...ids], env);
  const signal = AbortSignal.timeout(LIMIT_MS);
  for (const server of servers.filter(({ id }) => ids.includes(id))) {
    const first = await tryServer(pool, server, await samples.find(server.id), signal, EMPTY_MS);
    const others = hasNothing(first)
      ? [...(await samples.likely(server.id)), ...(await samples.filesOf([server], MOST_OTHERS))]
      : [];
    const files = [...new Set(others)].filter((file) => file !== first.file).slice(0, MOST_OTHERS);
    yield tryOthers(first, files, (file, emptyMs) => tryServer(pool, server, file, signal, emptyMs));
  }
}

/** Whether a trial says nothing about the server: the file cannot be read, or has nothing of its own. */
function hasNothing({ answer, failure }: Trial): boolean {
  return answer === NO_SYMBOLS || failure?.code === UNREADABLE;
}

/**
 * The trial of the first file with symbols, with the times of the start. If none has any: the first file that can be
 * read, or else the given one.
 */
async function tryOthers(
  first: Trial,
  files: readonly string[],
  retry: (file: string, emptyMs: number) => Promise<Trial>,
): Promise<Trial> {
  const { startMs } = first;
  let best = first;
  let spentMs = first.answerMs ?? startMs ?? 0;
  for (const file of files) {
    const isFirstAnswer = best.answer === null;
    const trial = await retry(file, isFirstAnswer ? EMPTY_MS : AGAIN_MS);
    if (trial.failure?.code === UNREADABLE) continue;
    if (trial.failure !== null) return isFirstAnswer ? trial : best;
    spentMs += trial.answerMs ?? 0;
    if (isFirstAnswer || trial.answer !== NO_SYMBOLS) best = { ...trial, startMs, answerMs: spentMs };
    if (trial.answer !== NO_SYMBOLS) break;
  }
  return best;
}

/** Starts a server for a file, asks it one thing, and measures each step. Its refusals become part of the result. */
async function tryServer(
  pool: ServerPool,
  plan: ServerPlan,
  file: string | undefined,
  signal: AbortSignal,
  emptyMs: number,
): Promise<Trial> {
  const trial: Trial = {
    id: plan.id,
    file: file ?? null,
    version: null,
    features: [],
    encoding: null,
    readiness: null,
    startMs: null,
    answerMs: null,
    answer: null,
    failure: null,
  };
  if (file === undefined) return trial;
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  try {
    const server = await pool.get(plan.id, file, signal);
    trial.startMs = elapsed();
    const document = await server.ensureOpen(file, signal);
    trial.answer = await firstAnswer(server, document, emptyMs, signal);
    trial.answerMs = elapsed();
    trial.readiness = await server.waitUntilReady(plan.warmupTimeoutMs, signal);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, nextSteps } = error;
    trial.failure = { code, message, nextSteps };
  }
  const status = pool.status().find(({ id, root }) => id === plan.id && root !== null);
  const { version = null, features = [], encoding = null } = status ?? {};
  return { ...trial, version, features, encoding };
}

/** How long an empty list of symbols is asked for again: some servers answer before they have read the file. */
const EMPTY_MS = 5_000;
const AGAIN_MS = 200;
const NO_SYMBOLS = plural(0, "symbol");

/** Asks for symbols, or for diagnostics if the server has no symbols. */
async function firstAnswer(
  server: LanguageServer,
  document: OpenDocument,
  emptyMs: number,
  signal: AbortSignal,
): Promise<string> {
  if (server.supports("textDocument/documentSymbol", document)) {
    const params = { textDocument: { uri: document.uri } };
    for (let waited = 0; ; waited += AGAIN_MS) {
      const { value } = await server.request("textDocument/documentSymbol", params, { signal });
      const count = Array.isArray(value) ? value.length : 0;
      if (count > 0 || waited >= emptyMs) return plural(count, "symbol");
      await delay(AGAIN_MS, signal);
    }
  }
  const report = await server.diagnostics(document, { waitMs: 5_000, settleMs: 150, signal });
  if (report.status === "unknown") return `diagnostics unknown: ${report.why}`;
  return plural(report.items.length, "diagnostic");
}
