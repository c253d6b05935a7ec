/**
 * Starts a server's program, or connects to one that runs elsewhere. Only programs that the plan allows are started,
 * never through a shell, each in its own process group, with allowed environment variables only.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { setPriority } from "node:os";
import { delimiter } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Plan, ServerPlan } from "../../abi/plan.js";
import { fillPlaceholders, type Placeholders } from "../../base/placeholders.js";
import { here, type Platform } from "../../base/platform.js";
import { withTimeout } from "../../base/timing.js";
import type { PoolContext, Withheld } from "../types.js";
import { connectToServer, type SocketNames, startOverSocket } from "../wire/socket-transport.js";
import { pathWithTools, serverEnv } from "./environment.js";
import type { Guardian } from "./guardian.js";
import { commandArguments, type LaunchSettings, launchSettings, placeholdersOf } from "./launch-settings.js";
import { commandLine } from "./launcher-script.js";
import { assertLocked } from "./lock.js";
import { MARK_NAME, newMark, ProcessTree, readProc } from "./process-tree.js";
import { assertAllowed, findTool, requireProgram, runsElsewhere } from "./program.js";
import { type Sandbox, sandboxOf } from "./sandbox.js";
import { StderrTail } from "./stderr-tail.js";
import { cwdOf, type ServerStart } from "./trusted.js";

const TERM_MS = 500;
const KILL_MS = 2_000;
/** For `prlimit` of util-linux. */
const SET_LIMIT_MS = 5_000;

/** A running server: two streams and a process. */
export interface Transport {
  input: Readable;
  output: Writable;
  /** Id of the process and its group; null when the server runs elsewhere. */
  pid: number | null;
  /** Whether its program is the one that the user locked. */
  isLocked: boolean;
  /** Paths in variables that it was started without. */
  withheld?: readonly Withheld[];
  /** Memory of the server and its children; null where the system does not report it. */
  memoryMb(): number | null;
  /** Number of its processes; null where the system does not report it. */
  processes(): number | null;
  stderr: StderrTail;
  /** Resolves with the reason when the server has ended or the connection is closed. */
  ended: Promise<string>;
  /** Kills the server and its children; resolves when they are gone. */
  kill(): Promise<void>;
}

type LaunchedServer = Transport & { launchSettings: LaunchSettings };

export interface Launch extends Omit<ServerStart<ServerPlan, PoolContext>, "program"> {
  plan: Plan;
  guardian: Guardian;
  signal: AbortSignal;
}

export async function launch(given: Launch): Promise<LaunchedServer> {
  const { plan, server, context, signal } = given;
  assertAllowed(plan, server);
  const sandbox = await sandboxOf(plan, server, context, context.platform);
  const { transport } = server;
  if (transport.kind !== "stdio" && runsElsewhere(server)) {
    const settings = launchSettings({ ...given, program: undefined });
    await assertLocked({ ...given, program: undefined });
    const connected = await connectToServer(server, transport, context.base, signal);
    return { ...connected, launchSettings: settings };
  }
  const chosen = { ...given, program: requireProgram(plan, server, context) };
  const settings = launchSettings(chosen);
  const isLocked = await assertLocked(chosen);
  const start = (names: SocketNames): Transport => startProgram({ ...chosen, sandbox, isLocked }, names);
  const overSocket = { server, signal, start: (names: SocketNames) => keepOutput(start(names)) };
  const started =
    transport.kind === "stdio" ? start({}) : await startOverSocket(overSocket, transport, context.base);
  return { ...started, launchSettings: settings };
}

/** The output of a program that speaks over a socket is kept with its stderr. */
function keepOutput(started: Transport): Transport {
  started.input.setEncoding("utf8");
  started.input.on("data", (text: string) => started.stderr.write(text));
  return started;
}

interface ProgramStart extends Launch {
  sandbox: Sandbox;
  program: string;
  isLocked: boolean;
}

/** Starts the program; `names` are the values of further placeholders in its arguments. */
function startProgram(start: ProgramStart, names: SocketNames): Transport {
  const { server, context, guardian, sandbox, program, isLocked } = start;
  const { platform = here } = context;
  const paths = placeholdersOf(start);
  const named: Placeholders = (name, rest) => (Object.hasOwn(names, name) ? names[name] : paths(name, rest));
  const cwd = cwdOf(start);
  const args = commandArguments(start, named);
  const prlimit = findPrlimit(context, platform);
  const { openFiles } = server.limits;
  const limited = openFiles === null ? [] : openFilesPrefix(prlimit, openFiles);
  const line = commandLine(program, args, platform);
  const [file = program, ...rest] = [...(limited ?? []), ...sandbox.words, line.file, ...line.args];
  // The real file is run, so that no link can be changed meanwhile. argv0 stays: some programs depend on their name.
  const real = file === program ? realpathSync.native(program) : file;
  const mark = newMark(guardian.mark);
  const { env, withheld } = serverEnv(start);
  const path = server.env.PATH ?? pathWithTools(env.PATH, program, context);
  if (path !== undefined) env.PATH = path;
  const child = startMarked(prlimit, mark.number, () =>
    spawn(real, rest, {
      argv0: file,
      cwd,
      env: { ...fillPlaceholders(env, named), [MARK_NAME]: mark.text },
      detached: platform.hasProcessGroups,
      windowsHide: true,
      windowsVerbatimArguments: line.windowsVerbatimArguments,
      stdio: ["pipe", "pipe", "pipe"],
    }),
  );
  const tree = child.pid === undefined ? undefined : new ProcessTree(child.pid, mark, platform);
  const started = fromChild(child, guardian, tree, { isLocked, sandboxProcesses: sandbox.processes });
  started.withheld = withheld;
  const problems = applyLimits(server, started);
  if (limited === undefined) problems.push(`limits.open_files = ${openFiles} could not be set`);
  for (const problem of problems) {
    context.log("warn", problem, { server: server.id });
    started.stderr.note(problem);
  }
  return started;
}

/** Sets limits of a started process; returns the problems of this system with them. */
function applyLimits({ limits }: ServerPlan, { pid, memoryMb }: Transport): string[] {
  if (pid === null) return [];
  const problems: string[] = [];
  const bounded = [
    ...(limits.processes === null ? [] : ["limits.processes"]),
    ...(limits.memoryMb === null ? [] : ["limits.memory_mb"]),
  ];
  if (bounded.length > 0 && memoryMb() === null)
    for (const key of bounded) problems.push(`${key} is not enforced on this system`);
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
  tree: ProcessTree | undefined,
  { isLocked, sandboxProcesses }: { isLocked: boolean; sandboxProcesses: number },
): Transport {
  const { stdin, stdout, stderr, pid } = child;
  if (!stdin || !stdout || !stderr) throw new TypeError("a server's process has no pipes");
  if (pid !== undefined) guardian.add(pid);
  const stderrTail = new StderrTail();
  stderr.setEncoding("utf8");
  stderr.on("data", (text: string) => stderrTail.write(text));
  stderr.on("error", () => stderrTail.note("stderr closed"));
  stdin.on("error", () => stderrTail.note("stdin closed"));
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const ended = new Promise<string>((done) => {
    child.on("error", (error: NodeJS.ErrnoException) =>
      done(`could not be started (${error.code ?? "unknown"})`),
    );
    child.on("exit", (code, signal) => {
      // Children of a crashed server would keep our pipes open and use memory.
      tree?.signal("SIGKILL", false);
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
      return size === null ? null : Math.max(0, size - sandboxProcesses);
    },
    stderr: stderrTail,
    ended,
    kill: async () => {
      tree?.signal("SIGTERM", !hasExited());
      if (tree && !(await tree.gone(TERM_MS))) {
        tree.signal("SIGKILL", !hasExited());
        await tree.gone(KILL_MS);
      }
      // A process that still holds our pipes is not waited for.
      await withTimeout(closed, TERM_MS);
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    },
  };
}

/** The path of `prlimit`; undefined where it is not installed. */
function findPrlimit(
  context: Pick<PoolContext, "roots" | "avoid" | "env">,
  { canConfine }: Platform,
): string | undefined {
  if (!canConfine) return undefined;
  const PATH = ["/usr/bin", "/bin", context.env.PATH ?? ""].join(delimiter);
  return findTool("prlimit", { ...context, env: { PATH } });
}

/** The command prefix that limits the open files of a program; undefined where that cannot be done. */
function openFilesPrefix(prlimit: string | undefined, max: number): string[] | undefined {
  const hard = Number(limitOf("Max open files")?.hard.replace("unlimited", "Infinity"));
  // A limit above the system's own has no effect.
  return prlimit === undefined || !(max <= hard) ? undefined : [prlimit, `--nofile=${max}:${max}`, "--"];
}

/**
 * Starts a process with the mark as its soft real-time limit, too large to have an effect. A daemon that is started
 * with an empty environment keeps it. When this process carries a mark of its own parent, that one is left as it is.
 */
function startMarked<T>(prlimit: string | undefined, number: string, start: () => T): T {
  if (prlimit === undefined || limitOf("Max realtime timeout")?.soft !== "unlimited") return start();
  setOwn(prlimit, number);
  try {
    return start();
  } finally {
    setOwn(prlimit, "unlimited");
  }
}

function setOwn(prlimit: string, soft: string): void {
  // Synchronous, so that no other process of ours is started meanwhile.
  spawnSync(prlimit, ["--pid", String(process.pid), `--rttime=${soft}:`], {
    timeout: SET_LIMIT_MS,
    stdio: "ignore",
    env: {},
  });
}

function limitOf(name: string): { soft: string; hard: string } | undefined {
  const line = readProc("/proc/self/limits")
    ?.split("\n")
    .find((text) => text.startsWith(name));
  const [soft, hard] = line?.slice(name.length).trim().split(/\s+/) ?? [];
  return soft === undefined || hard === undefined ? undefined : { soft, hard };
}
