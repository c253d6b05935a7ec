/** The part of `doctor` for language servers: are they installed and locked, do they start and answer. */
import { relative, resolve } from "node:path";
import type { Plan, ServerPlan } from "../../abi/plan.js";
import { codes } from "../../base/codes.js";
import { sortedSet } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { stateFolder } from "../../config/state-folder.js";
import { serverEnv } from "../../lsp/process/environment.js";
import { assertLocked, lockFileIn } from "../../lsp/process/lock.js";
import {
  findProgram,
  isInUntrustedFolder,
  type ProgramContext,
  runsElsewhere,
} from "../../lsp/process/program.js";
import type { Runtime } from "../../runtime/runtime.js";
import { SampleFiles } from "../../runtime/sample-files.js";
import { openGate } from "../../workspace/gate.js";
import { homeOf, type Input, type Io } from "../command.js";
import type { Compiled } from "../compile.js";
import { openFrom } from "../open.js";
import { withProgress } from "../terminal/prompt.js";
import { programContext } from "../untrusted-folders.js";
import type { Finding, Report } from "./findings.js";
import { type Trial, tryServer } from "./try-server.js";

/** Checks each server's program, and starts the servers that have a file in the workspace. */
export async function checkServers(
  compiled: Compiled,
  input: Input,
  io: Io,
  report: Report,
): Promise<Trial[]> {
  const { plan, loaded } = compiled;
  if (plan.servers.length === 0) report(problem("no server is configured or detected", NO_SERVER_FIX));
  const context = programContext(plan, loaded.base, compiled, io);
  const isFound = (server: ServerPlan) =>
    runsElsewhere(server) || findProgram(plan, server, context) !== undefined;
  const servers = plan.servers.filter(isFound);
  for (const server of plan.servers) if (!servers.includes(server)) report(missing(plan, server, context));
  const check: Check = { plan, servers, context, report };
  reportWithheld(check);
  await checkLocks(check);
  if (input.isOn("no-start") || servers.length === 0) return [];
  const { runtime } = await openFrom(input, io);
  try {
    return await tryServers(runtime, check, io);
  } finally {
    await runtime.close();
  }
}

const NO_SERVER_FIX =
  "`lsp-proxy init` detects the workspace's languages; `lsp-proxy add LANGUAGE` adds one.";

interface Check {
  plan: Plan;
  /** The servers whose programs were found. */
  servers: readonly ServerPlan[];
  context: ProgramContext;
  report: Report;
}

function problem(text: string, fix: string, area = "server"): Finding {
  return { area, state: "problem", text, fix };
}

/** Reports variables whose folders are withheld from the servers because the workspace is not trusted. */
function reportWithheld({ plan, servers, context, report }: Check): void {
  const root = context.roots[0] ?? context.base;
  const withheld = servers.flatMap((server) => serverEnv({ plan, server, root, context }).withheld);
  for (const variable of sortedSet(withheld.map((entry) => entry.variable))) {
    const own = withheld.filter((entry) => entry.variable === variable).map(({ folder }) => folder);
    const names = sortedSet(own).map((folder) => relative(context.base, folder) || ".");
    report({
      area: "trust",
      state: "warning",
      text: `${variable} names ${names.join(", ")}, but the workspace is not trusted: servers start without it, and may find less`,
      fix: codes["answer/path-withheld"].fix,
    });
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
      report(problem(error.message, codes[error.code].fix, "lock"));
    }
  }
  if (locked.length > 0)
    report({ area: "lock", state: "ok", text: `locked programs are unchanged: ${locked.join(", ")}` });
}

function missing(plan: Plan, server: ServerPlan, context: ProgramContext): Finding {
  const { id, command, install } = server;
  const program = `${id}: \`${command[0]}\``;
  return isInUntrustedFolder(plan, server, context)
    ? problem(`${program} is in the workspace, which is not trusted`, codes["lsp/not-allowed"].fix)
    : problem(`${program} is not installed`, install ?? "Install it, or correct `command`.");
}

async function tryServers(
  runtime: Runtime,
  { plan, servers, context, report }: Check,
  io: Io,
): Promise<Trial[]> {
  const { extraRoots, deny } = plan.workspace;
  const roots = plan.workspace.roots.map((root) => resolve(context.base, root));
  const gate = await openGate({ roots, extraRoots, deny });
  const ids = servers.map(({ id }) => id);
  const samples = new SampleFiles(gate, runtime.pool, ids, io.env);
  const signal = AbortSignal.timeout(600_000);
  const trials: Trial[] = [];
  // One after the other, so that they do not slow each other down while they are timed.
  for (const server of servers) {
    const trial = await withProgress(io, `trying ${server.id}`, async () =>
      tryServer(runtime.pool, server, await samples.find(server.id), signal),
    );
    trials.push(trial);
    report(findingOf(trial, server, context.base));
  }
  return trials;
}

function findingOf(trial: Trial, server: ServerPlan, base: string): Finding {
  const { id, file, failure } = trial;
  if (file === null)
    return {
      area: "server",
      state: "note",
      text: `${id}: ${runsElsewhere(server) ? "" : "installed; "}the workspace has no file for it`,
      fix: `\`lsp-proxy remove ${id}\` removes it from the config.`,
    };
  if (failure) {
    const fix = failure.code === "lsp/not-allowed" ? codes[failure.code].fix : fixOf(server);
    return problem(`${id}: ${failure.message} (${failure.code})`, fix);
  }
  const parts = [
    cut(trial.version ?? "version unknown"),
    `started in ${trial.startMs} ms`,
    `first answer after ${trial.answerMs} ms (${trial.answer} in ${relative(base, file)})`,
    `${trial.features.length} features`,
    trial.encoding ?? "",
    trial.readiness ?? "",
  ];
  return { area: "server", state: "ok", text: `${id}: ${parts.filter(Boolean).join(", ")}` };
}

/** The fix for a server that could not be started or reached. */
function fixOf(server: ServerPlan): string {
  const { transport } = server;
  if (transport.kind === "stdio" || !runsElsewhere(server))
    return "`lsp-proxy status` shows its last output; `--log-level debug` shows more.";
  const address = transport.kind === "tcp" ? `${transport.host}:${transport.port}` : transport.path;
  return `Start it so that it listens on ${address}, or correct \`transport\`.`;
}

/** Some programs print a whole page as their version. */
function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
