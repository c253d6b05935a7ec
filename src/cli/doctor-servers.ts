/** The part of `doctor` for language servers: are they installed and locked, do they start and answer. */
import { dirname, relative } from "node:path";
import type { Plan, ServerPlan } from "../abi/plan.js";
import { codes } from "../base/codes.js";
import { homeOf } from "../base/home.js";
import { uniqueBy } from "../base/order.js";
import { type NextStep, Refusal } from "../base/problem.js";
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
import { trustCommandIn } from "../lsp/process/trusted.js";
import { readinessText } from "../lsp/server-status.js";
import { missingProject } from "../runtime/ask/missing-project.js";
import type { Input, Io } from "./command.js";
import type { Compiled } from "./compile.js";
import { programContext } from "./folder-trust.js";
import { askRunningHub, type RunningHub } from "./hub/running-hub.js";
import { loadFrom, openLoaded } from "./open.js";
import { type Trial, tryServers, UNREADABLE } from "./server-trials.js";
import { withProgress } from "./terminal/prompt.js";

/** A check of `doctor`, its result, and the fix. */
export interface Finding {
  area: string;
  state: "ok" | "note" | "warning" | "problem";
  text: string;
  /** The fix. Every warning and problem has one. */
  fix?: string;
}

export type Report = (area: string, state: Finding["state"], text: string, fix?: string) => void;

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
    else if (isThere()) report("server", "problem", refusal.message, stepsText(refusal.nextSteps));
    else if (isInUntrustedFolder(plan, server, context))
      report(
        "server",
        "problem",
        `${program} is in the workspace, which is not trusted`,
        stepsText(refusal.nextSteps),
      );
    else
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
  return tryAndReport(check, input, io);
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

/** The next steps of a refusal, in its order: the first names what is missing. */
function stepsText(steps: readonly NextStep[]): string {
  return steps.map(stepText).join(". ");
}

function stepText(step: NextStep): string {
  if (step.kind === "tool") return step.why;
  const isTrust = trustCommandIn([step]) !== undefined;
  return `${installFix(step.text)}${isTrust ? " trusts the workspace" : ""}`;
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
  const lockFile = lockFileIn(stateFolder(context.env, homeOf(context.env)));
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

/** Tries the servers, in a hub that runs or in a runtime of its own, and reports each. */
async function tryAndReport(check: Check, input: Input, io: Io): Promise<Trial[]> {
  const { servers, context, report } = check;
  const trials: Trial[] = [];
  const reported = (trial: Trial, isShared: boolean) => {
    trials.push(trial);
    const server = servers.find(({ id }) => id === trial.id);
    if (server === undefined) return;
    reportTrial(trial, server, context.base, report, isShared);
    const missing =
      trial.file === null ? undefined : missingProject(server, dirname(trial.file), context.roots);
    if (missing !== undefined) report("server", "warning", missing.message, missing.fix);
  };
  const ids = servers.map(({ id }) => id);
  const found = await loadFrom(input, io);
  const ask = async (hub: RunningHub) => {
    const tried = await withProgress(io, "trying the servers of the hub", () => hub.tryServers(ids));
    report("hub", "note", "the servers of the hub are asked", "`lsp-proxy hub stop` stops them.");
    for (const trial of tried) reported(trial, true);
  };
  const alone = async () => {
    const { runtime } = await openLoaded(found, input, io, { usualLog: "off" });
    try {
      const results = tryServers(runtime, { ids, base: context.base, env: io.env });
      for (const id of ids) {
        const { value } = await withProgress(io, `trying ${id}`, () => results.next());
        if (value !== undefined) reported(value, false);
      }
    } finally {
      await runtime.close();
    }
  };
  await askRunningHub({ found, input, io, ask, alone });
  return trials;
}

function reportTrial(
  trial: Trial,
  server: ServerPlan,
  base: string,
  report: Report,
  isShared: boolean,
): void {
  const { id, file, failure } = trial;
  if (file === null) {
    const text = `${id}: ${runsElsewhere(server) ? "" : "installed; "}the workspace has no file for it`;
    report("server", "note", text, `\`lsp-proxy remove ${id}\` removes it from the config.`);
  } else if (failure) {
    const fix = failure.nextSteps.length > 0 ? stepsText(failure.nextSteps) : fixOf(server, failure.code);
    report("server", "problem", `${id}: ${failure.message} (${failure.code})`, fix);
  } else {
    const parts = [
      // Some programs print a whole page as their version.
      (trial.version ?? "version unknown").slice(0, 40),
      isShared ? "runs in the hub" : `started in ${trial.startMs} ms`,
      `first answer after ${trial.answerMs} ms (${trial.answer} in ${relative(base, file)})`,
      `${trial.features.length} features`,
      trial.encoding,
      trial.readiness === null ? null : readinessText(trial.readiness),
    ];
    report("server", "ok", `${id}: ${parts.filter(Boolean).join(", ")}`);
  }
}

/** The fix for a server that could not be started or reached, or that has no file to be asked about. */
function fixOf(server: ServerPlan, code: string): string {
  if (code === UNREADABLE)
    return "No other file for it was readable either: add one, or leave such files out with `workspace.deny`.";
  const { transport } = server;
  if (transport.kind === "stdio" || !runsElsewhere(server))
    return "`lsp-proxy status` shows its last output; `--log-level debug` shows more.";
  const address = transport.kind === "tcp" ? `${transport.host}:${transport.port}` : transport.path;
  return `Start it so that it listens on ${address}, or correct \`transport\`.`;
}
