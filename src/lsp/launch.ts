/**
 * Starts a server's program, or connects to one that runs elsewhere. Only programs that the plan allows, never through
 * a shell, each in a process group of its own, with an environment of allowed names only.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setPriority } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Plan, ServerPlan } from "../abi/plan.js";
import type { Json } from "../base/json.js";
import { define, isTable } from "../base/json.js";
import { Refusal } from "../base/problem.js";
import type { Guardian } from "./guardian.js";
import { groupGone, groupMemoryMb, signalGroup } from "./processes.js";
import { StderrRing } from "./stderr-ring.js";
import type { PoolContext } from "./types.js";

const TERM_MS = 500;
const KILL_MS = 2_000;
const CONNECT_MS = 10_000;

/** A running server as two streams and a process. */
export interface Transport {
  input: Readable;
  output: Writable;
  /** Process (and process group) id; null when the server runs elsewhere. */
  pid: number | null;
  stderr: StderrRing;
  /** Resolves, with the reason in words, when the server has ended or the connection has closed. */
  ended: Promise<string>;
  /** Ends the server with its children; resolves when they are gone. */
  kill(): Promise<void>;
}

/** Where a bare or absolute command is, or undefined when it is not installed. */
export function findCommand(
  command: string,
  folders: readonly string[],
  path: string | undefined,
): string | undefined {
  if (isAbsolute(command)) return isProgram(command) ? command : undefined;
  if (command.includes("/") || command.includes("\\")) return undefined;
  for (const folder of [...folders, ...(path ?? "").split(delimiter)]) {
    if (folder === "" || !isAbsolute(folder)) continue;
    const found = join(folder, command);
    if (isProgram(found)) return found;
    if (process.platform === "win32" && isProgram(`${found}.exe`)) return `${found}.exe`;
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The environment of a server: the allowed names of ours, and its own. */
export function serverEnv(plan: Plan, server: ServerPlan, context: PoolContext): { [name: string]: string } {
  const env: { [name: string]: string } = {};
  for (const name of plan.allow.env) {
    const value = context.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...server.env };
}

/** Puts the named paths `<workspace>` and `<node_modules>` into every text of a value. */
export function withNamedPaths<T extends Json>(value: T, root: string): T {
  const fill = (item: Json): Json => {
    if (typeof item === "string") {
      if (!item.includes("<")) return item;
      return item.replaceAll("<workspace>", root).replaceAll("<node_modules>", () => nodeModulesOf(root));
    }
    if (Array.isArray(item)) return item.map(fill);
    if (!isTable(item)) return item;
    const out: { [key: string]: Json } = {};
    for (const [key, member] of Object.entries(item)) define(out, key, fill(member));
    return out;
  };
  return fill(value) as T;
}

/** The nearest `node_modules` at or above a root. */
function nodeModulesOf(root: string): string {
  for (let folder = root; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules");
    if (existsSync(found) || dirname(folder) === folder)
      return existsSync(found) ? found : join(root, "node_modules");
  }
}

/** Refuses a server whose program may not be started here. */
export function assertAllowed(plan: Plan, server: ServerPlan): void {
  const command = server.command[0];
  if (server.transport.kind !== "stdio") return;
  if (command === undefined || !plan.allow.commands.includes(command)) {
    throw new Refusal("lsp/not-allowed", `the program of server "${server.id}" is not in allow.commands`);
  }
  if (server.sandbox !== "none") {
    throw new Refusal(
      "lsp/not-allowed",
      `server "${server.id}" asks for sandbox = "${server.sandbox}", which this system does not offer`,
    );
  }
}

/** The file of a server's program, or undefined when it is not installed. */
export function findProgram(plan: Plan, server: ServerPlan, context: PoolContext): string | undefined {
  return findCommand(server.command[0] ?? "", context.binFolders, serverEnv(plan, server, context).PATH);
}

/** Starts or reaches a server for a root. */
export async function launch(
  plan: Plan,
  server: ServerPlan,
  root: string,
  context: PoolContext,
  guardian: Guardian,
): Promise<Transport> {
  assertAllowed(plan, server);
  const { transport } = server;
  if (transport.kind === "tcp") return reach(server, connect({ host: transport.host, port: transport.port }));
  if (transport.kind === "pipe") return reach(server, connect(resolve(context.base, transport.path)));
  const program = findProgram(plan, server, context);
  if (program === undefined) {
    throw new Refusal(
      "lsp/not-installed",
      `server "${server.id}" is not installed: ${server.command[0]} was not found`,
      {
        nextSteps: server.install === null ? [] : [{ kind: "command", text: server.install }],
      },
    );
  }
  const args = withNamedPaths([...server.command.slice(1), ...server.args], root);
  const [file, ...rest] = limitedCommand(server, program, args);
  const child = spawn(file, rest, {
    cwd: server.cwd === null ? root : resolve(context.base, server.cwd),
    env: withNamedPaths(serverEnv(plan, server, context), root),
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  if (child.pid !== undefined) guardian.add(child.pid);
  const started = fromChild(child, guardian);
  for (const problem of child.pid === undefined ? [] : applyLimits(server, child.pid)) {
    context.log("warn", problem, { server: server.id });
    started.stderr.note(problem);
  }
  return started;
}

/** Lowers the limit of open files, then becomes the program; its arguments are never read as shell text. */
const LIMITED = 'ulimit -n "$1" || echo "limits.open_files = $1 could not be set" >&2; shift; exec "$@"';

function limitedCommand(server: ServerPlan, program: string, args: string[]): [string, ...string[]] {
  const { openFiles } = server.limits;
  if (openFiles === null || process.platform === "win32") return [program, ...args];
  return ["/bin/sh", "-c", LIMITED, "sh", String(openFiles), program, ...args];
}

/** Sets what can be set from outside; gives what this system does not let us. */
function applyLimits({ limits }: ServerPlan, pid: number): string[] {
  const problems: string[] = [];
  if (limits.openFiles !== null && process.platform === "win32")
    problems.push("limits.open_files is not enforced on this system");
  if (limits.memoryMb !== null && groupMemoryMb(pid) === null)
    problems.push("limits.memory_mb is not enforced on this system");
  if (limits.nice === null) return problems;
  try {
    setPriority(pid, limits.nice);
  } catch {
    problems.push(`limits.nice = ${limits.nice} could not be set`);
  }
  return problems;
}

function fromChild(child: ChildProcess, guardian: Guardian): Transport {
  const { stdin, stdout, stderr, pid } = child;
  if (!stdin || !stdout || !stderr) throw new TypeError("a server's process has no pipes");
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
      if (pid !== undefined) signalGroup(pid, "SIGKILL");
      done(signal ? `was ended by ${signal}` : `exited with code ${code}`);
    });
  });
  const closed = new Promise<void>((done) => {
    child.on("close", () => done());
    child.on("error", () => done());
  });
  void ended.then(async () => {
    if (pid !== undefined && (await groupGone(pid, KILL_MS))) guardian.remove(pid);
  });
  return {
    input: stdout,
    output: stdin,
    pid: pid ?? null,
    stderr: ring,
    ended,
    kill: () => killGroup(child, closed),
  };
}

/** Resolves when no process of the group runs any more and its last output has been read. */
async function killGroup(child: ChildProcess, closed: Promise<void>): Promise<void> {
  const { pid } = child;
  if (pid !== undefined) {
    signalGroup(pid, "SIGTERM");
    if (!(await groupGone(pid, TERM_MS))) signalGroup(pid, "SIGKILL");
    await groupGone(pid, KILL_MS);
  }
  // A daemon that left the group may hold our pipes: they are not waited for.
  await Promise.race([closed, new Promise((done) => setTimeout(done, TERM_MS).unref())]);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}

/** A server that runs elsewhere: it was not started by us and is not ended by us; only the connection is closed. */
function reach(server: ServerPlan, socket: Socket): Promise<Transport> {
  const ended = new Promise<string>((done) => {
    socket.on("close", () => done("closed the connection"));
  });
  return new Promise((done, fail) => {
    const refuse = (why: string): void => {
      socket.destroy();
      fail(new Refusal("lsp/start-failed", `server "${server.id}" cannot be reached: ${why}`));
    };
    socket.setTimeout(CONNECT_MS, () => refuse("no connection in time"));
    socket.on("error", (error: NodeJS.ErrnoException) => refuse(error.code ?? "connection failed"));
    socket.once("connect", () => {
      socket.setTimeout(0);
      const kill = async (): Promise<void> => void socket.destroy();
      done({ input: socket, output: socket, pid: null, stderr: new StderrRing(), ended, kill });
    });
  });
}
