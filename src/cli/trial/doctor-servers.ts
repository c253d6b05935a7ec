/** The part of `doctor` that looks at language servers: installed, started for real, asked something. */
import { homedir } from "node:os";
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
import { type Input, isOn, type Surroundings } from "../command.js";
import type { Compiled } from "../compile.js";
import { openFrom } from "../open.js";
import type { Finding, Tell } from "../terminal/findings.js";
import { withProgress } from "../terminal/progress.js";
import { type Examination, examine } from "./examine.js";
import { programContext } from "./program-context.js";

/** Looks for each server's program, starts those that have a file here, and tells how each did. */
export async function tellServers(
  compiled: Compiled,
  input: Input,
  io: Surroundings,
  tell: Tell,
): Promise<Examination[]> {
  const { plan } = compiled;
  if (plan.servers.length === 0)
    tell({
      area: "server",
      state: "problem",
      text: "no server is configured or detected",
      fix: "`lsp-proxy init` looks at the workspace; `lsp-proxy add LANGUAGE` adds one.",
    });
  const context = programContext(plan, compiled.loaded.base, compiled, io);
  const isHere = (server: ServerPlan) =>
    runsElsewhere(server) || findProgram(plan, server, context) !== undefined;
  const here = plan.servers.filter(isHere);
  for (const server of plan.servers) if (!here.includes(server)) tell(missing(plan, server, context));
  tellWithheld(plan, here, context, tell);
  await tellLocks(plan, here, context, tell);
  if (isOn(input, "no-start") || here.length === 0) return [];
  const { runtime } = await openFrom(input, io);
  try {
    return await tryServers(runtime, here, compiled.loaded.base, io, tell);
  } finally {
    await runtime.close();
  }
}

/** What variables name and the servers are started without, since the workspace is not trusted. */
function tellWithheld(plan: Plan, servers: readonly ServerPlan[], context: ProgramContext, tell: Tell): void {
  const root = context.roots[0] ?? context.base;
  const withheld = servers.flatMap((server) => serverEnv(plan, server, root, context).withheld);
  for (const variable of sortedSet(withheld.map((entry) => entry.variable))) {
    const folders = sortedSet(
      withheld.flatMap((entry) => (entry.variable === variable ? [entry.folder] : [])),
    );
    tell({
      area: "trust",
      state: "warning",
      text: `${variable} names ${folders.map((folder) => relative(context.base, folder) || ".").join(", ")}, but the workspace is not trusted: servers are started without, and may know less`,
      fix: codes["answer/path-withheld"].fix,
    });
  }
}

/** Whether the folder's programs are locked, and which are not what they were. */
async function tellLocks(
  plan: Plan,
  servers: readonly ServerPlan[],
  context: ProgramContext,
  tell: Tell,
): Promise<void> {
  const file = lockFileIn(stateFolder(context.env, context.env.HOME ?? homedir()));
  const locked: string[] = [];
  for (const server of servers) {
    const program = findProgram(plan, server, context);
    if (program === undefined || runsElsewhere(server)) continue;
    try {
      const root = context.roots[0] ?? context.base;
      if (await assertLocked(server, program, root, { ...context, lockFile: file })) locked.push(server.id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      tell({ area: "lock", state: "problem", text: error.message, fix: codes[error.code].fix });
    }
  }
  if (locked.length > 0)
    tell({ area: "lock", state: "ok", text: `the programs are as they were locked: ${locked.join(", ")}` });
}

function missing(plan: Plan, server: ServerPlan, context: ProgramContext): Finding {
  const { id, command, install } = server;
  if (isInUntrustedFolder(plan, server, context))
    return {
      area: "server",
      state: "problem",
      text: `${id}: \`${command[0]}\` lies in the workspace, which is not trusted`,
      fix: codes["lsp/not-allowed"].fix,
    };
  return {
    area: "server",
    state: "problem",
    text: `${id}: \`${command[0]}\` is not installed`,
    fix: install === null ? "Install it, or correct `command`." : install,
  };
}

async function tryServers(
  runtime: Runtime,
  servers: readonly ServerPlan[],
  base: string,
  io: Surroundings,
  tell: Tell,
): Promise<Examination[]> {
  const { workspace } = runtime.loaded.plan;
  const roots = workspace.roots.map((root) => resolve(base, root));
  const gate = await openGate({ roots, extraRoots: workspace.extraRoots, deny: workspace.deny });
  const samples = new SampleFiles(
    gate,
    runtime.pool,
    servers.map(({ id }) => id),
    io.env,
  );
  const signal = AbortSignal.timeout(600_000);
  const examinations: Examination[] = [];
  // One after the other: their times are told, and they would slow each other down.
  for (const server of servers) {
    const examination = await withProgress(io, `trying ${server.id}`, async () =>
      examine(runtime.pool, server, await samples.find(server.id), signal),
    );
    examinations.push(examination);
    tell(judged(examination, server, base));
  }
  return examinations;
}

function judged(found: Examination, server: ServerPlan, base: string): Finding {
  const { id, file, failure } = found;
  if (file === null)
    return {
      area: "server",
      state: "note",
      text: `${id}: ${runsElsewhere(server) ? "" : "installed; "}no file of its kind was found in the workspace`,
      fix: `\`lsp-proxy remove ${id}\` takes it out of the config.`,
    };
  if (failure)
    return {
      area: "server",
      state: "problem",
      text: `${id}: ${failure.message} (${failure.code})`,
      fix: failure.code === "lsp/not-allowed" ? codes[failure.code].fix : fixOf(server),
    };
  const parts = [
    shortened(found.version ?? "version unknown"),
    `started in ${found.startMs} ms`,
    `first answer after ${found.answerMs} ms (${found.answer} in ${relative(base, file)})`,
    `${found.features.length} features`,
    found.encoding ?? "",
    found.readiness ?? "",
  ];
  return { area: "server", state: "ok", text: `${id}: ${parts.filter(Boolean).join(", ")}` };
}

/** What to do about a server that was started, or reached, in vain. */
function fixOf(server: ServerPlan): string {
  const { transport } = server;
  return transport.kind === "stdio" || !runsElsewhere(server)
    ? "`lsp-proxy status` shows its last words; `--log-level debug` shows more."
    : `Start it so that it listens on ${addressOf(transport)}, or correct \`transport\`.`;
}

function addressOf(transport: Exclude<ServerPlan["transport"], { kind: "stdio" }>): string {
  return transport.kind === "tcp" ? `${transport.host}:${transport.port}` : transport.path;
}

/** Some programs print a whole page where a version is asked for. */
function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
