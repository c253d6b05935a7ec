/**
 * Starts a server's program, or connects to one that runs elsewhere. Only programs that the plan allows, never through
 * a shell, each in a process group of its own, with an environment of allowed names only.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { setPriority } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Plan, ServerPlan } from "../../abi/plan.js";
import { type NamedPaths, withNamedPaths } from "../../base/named-paths.js";
import type { PoolContext, Withheld } from "../types.js";
import { reach, type SocketNames, startOverSocket } from "../wire/socket.js";
import { serverEnv } from "./environment.js";
import type { Guardian } from "./guardian.js";
import { findPrlimit, openFilesWords, startMarked } from "./inherited-limits.js";
import { assertLocked } from "./lock.js";
import { namedPathsOf, startWords } from "./named-paths.js";
import { MARK_NAME, type Mark, newMark, ProcessTree } from "./process-tree.js";
import { assertAllowed, requireProgram, runsElsewhere } from "./program.js";
import { type Sandbox, sandboxOf } from "./sandbox.js";
import { StderrRing } from "./stderr-ring.js";
import { type Told, toldTo } from "./told.js";
import { cwdOf } from "./trusted.js";

const TERM_MS = 500;
const KILL_MS = 2_000;

/** A running server as two streams and a process. */
export interface Transport {
  input: Readable;
  output: Writable;
  /** Process (and process group) id; null when the server runs elsewhere. */
  pid: number | null;
  /** Whether its program was found to be the one that a person locked. */
  isLocked: boolean;
  /** What variables name and it was started without, where there is any. */
  withheld?: readonly Withheld[];
  /** What the server and its children hold now; null where that cannot be told. */
  memoryMb(): number | null;
  /** How many processes it is now; null where that cannot be told. */
  processes(): number | null;
  stderr: StderrRing;
  /** Resolves, with the reason in words, when the server has ended or the connection has closed. */
  ended: Promise<string>;
  /** Ends the server with its children; resolves when they are gone. */
  kill(): Promise<void>;
}

/** A server that was started, and what it is to be told. */
export type Launched = Transport & { told: Told };

/** Starts or reaches a server for a root. */
export async function launch(
  plan: Plan,
  server: ServerPlan,
  root: string,
  context: PoolContext,
  guardian: Guardian,
  signal: AbortSignal,
): Promise<Launched> {
  assertAllowed(plan, server);
  const sandbox = await sandboxOf(plan, server, context);
  const { transport } = server;
  if (transport.kind !== "stdio" && runsElsewhere(server)) {
    const told = toldTo(server, root, undefined, context);
    await assertLocked(server, undefined, root, context);
    return Object.assign(await reach(server, transport, context.base, signal), { told });
  }
  const program = requireProgram(plan, server, context);
  const told = toldTo(server, root, program, context);
  const isLocked = await assertLocked(server, program, root, context);
  const begin = (names: SocketNames): Transport =>
    startProgram({ plan, server, root, context, guardian, sandbox, program, isLocked, names });
  const started =
    transport.kind === "stdio"
      ? begin({})
      : await startOverSocket(server, transport, context.base, (names) => listenedTo(begin(names)), signal);
  return Object.assign(started, { told });
}

/** A program of ours that speaks over a socket: what it prints is kept beside its stderr. */
function listenedTo(started: Transport): Transport {
  started.input.setEncoding("utf8");
  started.input.on("data", (text: string) => started.stderr.write(text));
  return started;
}

interface Start {
  plan: Plan;
  server: ServerPlan;
  root: string;
  context: PoolContext;
  guardian: Guardian;
  sandbox: Sandbox;
  program: string;
  isLocked: boolean;
  /** What further names in its words stand for. */
  names: SocketNames;
}

function startProgram(start: Start): Transport {
  const { plan, server, root, context, guardian, sandbox, program, isLocked, names } = start;
  const paths = namedPathsOf(server, root, program, context);
  const further = new Map(Object.entries(names));
  const named: NamedPaths = (name, rest) => further.get(name) ?? paths(name, rest);
  const cwd = cwdOf(server, root, program, context);
  const args = startWords(server, root, named, context);
  const prlimit = findPrlimit(context);
  const { openFiles } = server.limits;
  const limited = openFiles === null ? [] : openFilesWords(prlimit, openFiles);
  const [file = program, ...rest] = [...(limited ?? []), ...sandbox.words, program, ...args];
  // The real file is run, so that no link can be turned in between; its name stays what programs that go by it expect.
  const real = file === program ? realpathSync(program) : file;
  const mark = newMark(guardian.mark);
  const { env, withheld } = serverEnv(plan, server, root, context);
  const child = startMarked(prlimit, mark.number, () =>
    spawn(real, rest, {
      argv0: file,
      cwd,
      env: { ...withNamedPaths(env, named), [MARK_NAME]: mark.text },
      detached: process.platform !== "win32",
      windowsHide: true,
      stdio: ["pipe", "pipe", "pipe"],
    }),
  );
  const started = fromChild(child, guardian, mark, { isLocked, around: sandbox.processes });
  started.withheld = withheld;
  const problems = applyLimits(server, started);
  if (limited === undefined) problems.push(`limits.open_files = ${openFiles} could not be set`);
  for (const problem of problems) {
    context.log("warn", problem, { server: server.id });
    started.stderr.note(problem);
  }
  return started;
}

/** Sets what can be set from outside; gives what this system does not let us. */
function applyLimits({ limits }: ServerPlan, { pid, memoryMb }: Transport): string[] {
  if (pid === null) return [];
  const problems: string[] = [];
  if (limits.processes !== null && memoryMb() === null)
    problems.push("limits.processes is not enforced on this system");
  if (limits.memoryMb !== null && memoryMb() === null)
    problems.push("limits.memory_mb is not enforced on this system");
  if (limits.nice === null) return problems;
  try {
    setPriority(pid, limits.nice);
  } catch {
    problems.push(`limits.nice = ${limits.nice} could not be set`);
  }
  return problems;
}

function fromChild(
  child: ChildProcess,
  guardian: Guardian,
  mark: Mark,
  { isLocked, around }: { isLocked: boolean; around: number },
): Transport {
  const { stdin, stdout, stderr, pid } = child;
  if (!stdin || !stdout || !stderr) throw new TypeError("a server's process has no pipes");
  const tree = pid === undefined ? undefined : new ProcessTree(pid, mark);
  if (pid !== undefined) guardian.add(pid);
  const ring = new StderrRing();
  stderr.setEncoding("utf8");
  stderr.on("data", (text: string) => ring.write(text));
  stderr.on("error", () => ring.note("stderr closed"));
  stdin.on("error", () => ring.note("stdin closed"));
  const ended = new Promise<string>((done) => {
    child.on("error", (error: NodeJS.ErrnoException) =>
      done(`could not be started (${error.code ?? "unknown"})`),
    );
    child.on("exit", (code, signal) => {
      // Children left behind by a server that died hold our pipes open and the machine's memory.
      tree?.signal("SIGKILL");
      done(signal ? `was ended by ${signal}` : `exited with code ${code}`);
    });
  });
  const closed = new Promise<void>((done) => {
    child.on("close", () => done());
    child.on("error", () => done());
  });
  void ended.then(async () => {
    if (pid !== undefined && (await tree?.gone(KILL_MS))) guardian.remove(pid);
  });
  return {
    input: stdout,
    output: stdin,
    pid: pid ?? null,
    isLocked,
    memoryMb: () => tree?.memoryMb ?? null,
    processes: () => {
      const size = tree?.size ?? null;
      return size === null ? null : Math.max(0, size - around);
    },
    stderr: ring,
    ended,
    kill: () => killTree(child, tree, closed),
  };
}

/** Resolves when nothing that the server started runs any more and its last output has been read. */
async function killTree(
  child: ChildProcess,
  tree: ProcessTree | undefined,
  closed: Promise<void>,
): Promise<void> {
  tree?.signal("SIGTERM");
  if (tree && !(await tree.gone(TERM_MS))) {
    tree.signal("SIGKILL");
    await tree.gone(KILL_MS);
  }
  // Whoever holds our pipes all the same is not waited for.
  await Promise.race([closed, new Promise((done) => setTimeout(done, TERM_MS).unref())]);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}
