/** The part of `doctor` for language servers: are they installed and locked, do they start and answer. */
import { dirname, relative, resolve } from "node:path";
import type { Plan, ServerPlan } from "../abi/plan.js";
import { codes } from "../base/codes.js";
import { uniqueBy } from "../base/order.js";
import { type NextStep, Refusal } from "../base/problem.js";
import { delay } from "../base/timing.js";
import { plural } from "../base/words.js";
import { stateFolder } from "../config/state-folder.js";
import { serverEnv } from "../lsp/process/environment.js";
import { assertLocked, lockFileIn } from "../lsp/process/lock.js";
import {
  findProgram,
  isInUntrustedFolder,
  type ProgramContext,
  requireProgram,
  runsElsewhere,
} from "../lsp/process/program.js";
import type { LanguageServer, OpenDocument, Readiness, ServerPool } from "../lsp/types.js";
import { missingProject } from "../runtime/ask/missing-project.js";
import type { Runtime } from "../runtime/runtime.js";
import { SampleFiles } from "../runtime/sample-files.js";
import { openGate } from "../workspace/gate.js";
import { homeOf, type Input, type Io } from "./command.js";
import type { Compiled } from "./compile.js";
import { openFrom } from "./open.js";
import { withProgress } from "./terminal/prompt.js";
import { programContext } from "./untrusted-folders.js";

/** What `doctor` checked, the result, and what to do about it. */
export interface Finding {
  area: string;
  state: "ok" | "note" | "warning" | "problem";
  text: string;
  /** What to do. Every warning and problem has one. */
  fix?: string;
}

export type Report = (area: string, state: Finding["state"], text: string, fix?: string) => void;

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
  failure: { code: string; message: string } | null;
}

/** Checks each server's program, and starts the servers that have a file in the workspace. */
export async function checkServers(compiled: Compiled, input: Input, io: Io, report: Report) {
  const { plan, loaded } = compiled;
  const none = "no server is configured or detected";
  if (plan.servers.length === 0)
    report(
      "server",
      "problem",
      none,
      "`lsp-proxy install` installs what the workspace needs; `lsp-proxy init` writes a config.",
    );
  const { otherServer } = compiled;
  const context = { ...programContext(plan, loaded.base, compiled, io), otherServer };
  const servers: ServerPlan[] = [];
  for (const server of plan.servers) {
    const program = `${server.id}: \`${server.command[0]}\``;
    const { install } = server;
    const refusal = runsElsewhere(server) ? undefined : refusalOf(plan, server, context);
    const isThere = () => findProgram(plan, { ...server, minVersion: null }, context) !== undefined;
    if (refusal === undefined) servers.push(server);
    else if (isThere())
      report("server", "problem", refusal.message, refusal.nextSteps.map(stepText).join("; "));
    else if (isInUntrustedFolder(plan, server, context)) {
      const fix = codes["lsp/not-allowed"].fix;
      report("server", "problem", `${program} is in the workspace, which is not trusted`, fix);
    } else
      report(
        "server",
        "problem",
        `${program} is not installed`,
        install === null ? "Install it, or correct `command`." : installFix(install),
      );
  }
  const check: Check = { plan, servers, context, report };
  reportWithheld(check);
  await checkLocks(check);
  if (input.isOn("no-start") || servers.length === 0) return [];
  const { runtime } = await openFrom(input, io, { usualLog: "off" });
  try {
    return await tryServers(runtime, check, io);
  } finally {
    await runtime.close();
  }
}

/** Why the program of a server cannot be used; undefined when it can. */
function refusalOf(plan: Plan, server: ServerPlan, context: ProgramContext): Refusal | undefined {
  try {
    requireProgram(plan, server, context);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error;
  }
}

function stepText(step: NextStep): string {
  return step.kind === "tool" ? step.why : installFix(step.text);
}

/** Our own command reads as code; other texts are the config's own words. */
function installFix(install: string): string {
  return install.startsWith("lsp-proxy ") ? `\`${install}\`` : install;
}

interface Check {
  plan: Plan;
  /** The servers whose programs were found. */
  servers: readonly ServerPlan[];
  context: ProgramContext;
  report: Report;
}

/** Reports variables whose folders are withheld from the servers because the workspace is not trusted. */
function reportWithheld({ plan, servers, context, report }: Check): void {
  const root = context.roots[0] ?? context.base;
  const withheld = servers.flatMap((server) => serverEnv({ plan, server, root, context }).withheld);
  for (const { variable, folder } of uniqueBy(withheld, (entry) => `${entry.variable}=${entry.folder}`)) {
    const name = relative(context.base, folder) || ".";
    const what = variable === null ? `${name} is a Python environment` : `${variable} names ${name}`;
    const text = `${what}, but the workspace is not trusted: servers start without it`;
    report("trust", "warning", text, codes["answer/path-withheld"].fix);
  }
}

/** Reports which programs are locked, and which have changed since. */
async function checkLocks({ plan, servers, context, report }: Check): Promise<void> {
  const lockFile = lockFileIn(stateFolder(context.env, homeOf(context)));
  const root = context.roots[0] ?? context.base;
  const locked: string[] = [];
  for (const server of servers) {
    const program = findProgram(plan, server, context);
    if (program === undefined || runsElsewhere(server)) continue;
    try {
      const start = { server, root, program, context: { ...context, lockFile } };
      if (await assertLocked(start)) locked.push(server.id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      report("lock", "problem", error.message, codes[error.code].fix);
    }
  }
  if (locked.length > 0) report("lock", "ok", `locked programs are unchanged: ${locked.join(", ")}`);
}

async function tryServers(runtime: Runtime, check: Check, io: Io): Promise<Trial[]> {
  const { plan, servers, context, report } = check;
  const { extraRoots, deny } = plan.workspace;
  const roots = plan.workspace.roots.map((root) => resolve(context.base, root));
  const gate = await openGate({ roots, extraRoots, deny });
  const ids = servers.map(({ id }) => id);
  const samples = new SampleFiles(gate, runtime.pool, ids, io.env);
  const signal = AbortSignal.timeout(600_000);
  const trials: Trial[] = [];
  // One after the other, so that they do not slow each other down while they are timed.
  for (const server of servers) {
    const trial = await withProgress(io, `trying ${server.id}`, async () => {
      const first = await tryServer(runtime.pool, server, await samples.find(server.id), signal);
      // A file may have nothing of its own, such as one with only exports of others.
      const others = first.answer === NO_SYMBOLS ? await samples.likely(server.id) : [];
      return tryOthers(first, others, (file) => tryServer(runtime.pool, server, file, signal, AGAIN_MS));
    });
    trials.push(trial);
    reportTrial(trial, server, context.base, report);
    const missing = trial.file === null ? undefined : missingProject(server, dirname(trial.file), gate.roots);
    if (missing !== undefined) report("server", "warning", missing.message, missing.fix);
  }
  return trials;
}

/** The trial of the first file with symbols, with the times of the start; the given one if none has any. */
async function tryOthers(
  first: Trial,
  files: readonly string[],
  retry: (file: string) => Promise<Trial>,
): Promise<Trial> {
  for (const file of files) {
    if (file === first.file) continue;
    const trial = await retry(file);
    if (trial.failure !== null || trial.answer === null) break;
    const { startMs, answerMs } = first;
    if (trial.answer !== NO_SYMBOLS)
      return { ...trial, startMs, answerMs: (answerMs ?? 0) + (trial.answerMs ?? 0) };
  }
  return first;
}

/** Starts a server for a file, asks it one thing, and measures each step. Its refusals become part of the result. */
async function tryServer(
  pool: ServerPool,
  plan: ServerPlan,
  file: string | undefined,
  signal: AbortSignal,
  emptyMs = EMPTY_MS,
): Promise<Trial> {
  const trial: Trial = {
    ...{ id: plan.id, file: file ?? null, version: null, features: [], encoding: null, readiness: null },
    ...{ startMs: null, answerMs: null, answer: null, failure: null },
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
    trial.readiness = await server.settle(plan.warmupTimeoutMs, signal);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    trial.failure = { code: error.code, message: error.message };
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

function reportTrial(trial: Trial, server: ServerPlan, base: string, report: Report): void {
  const { id, file, failure } = trial;
  if (file === null) {
    const text = `${id}: ${runsElsewhere(server) ? "" : "installed; "}the workspace has no file for it`;
    report("server", "note", text, `\`lsp-proxy remove ${id}\` removes it from the config.`);
  } else if (failure) {
    const fix = failure.code === "lsp/not-allowed" ? codes[failure.code].fix : fixOf(server);
    report("server", "problem", `${id}: ${failure.message} (${failure.code})`, fix);
  } else {
    const parts = [
      // Some programs print a whole page as their version.
      (trial.version ?? "version unknown").slice(0, 40),
      `started in ${trial.startMs} ms`,
      `first answer after ${trial.answerMs} ms (${trial.answer} in ${relative(base, file)})`,
      `${trial.features.length} features`,
      trial.encoding,
      trial.readiness,
    ];
    report("server", "ok", `${id}: ${parts.filter(Boolean).join(", ")}`);
  }
}

/** The fix for a server that could not be started or reached. */
function fixOf(server: ServerPlan): string {
  const { transport } = server;
  if (transport.kind === "stdio" || !runsElsewhere(server))
    return "`lsp-proxy status` shows its last output; `--log-level debug` shows more.";
  const address = transport.kind === "tcp" ? `${transport.host}:${transport.port}` : transport.path;
  return `Start it so that it listens on ${address}, or correct \`transport\`.`;
}
