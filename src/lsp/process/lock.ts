/**
 * The record of programs that a user locked: how each server is started, and path and digest of every file that its
 * command line and variables name. In a locked folder nothing else is started. The record belongs to the user, never to
 * a workspace. With a damaged record nothing is started.
 */
import { createHash } from "node:crypto";
import { createReadStream, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Plan, ServerPlan } from "../../abi/plan.js";
import { digest } from "../../base/hash.js";
import { canonicalText, isTable } from "../../base/json.js";
import { fillPlaceholders } from "../../base/placeholders.js";
import { Refusal } from "../../base/problem.js";
import { systemCode } from "../../base/system.js";
import type { PoolContext } from "../types.js";
import { filesNamedIn } from "./argument-files.js";
import { placeholdersOf } from "./launch-settings.js";
import { type ProgramContext, requireProgram, runsElsewhere } from "./program.js";
import { cwdOf, type ServerStart } from "./trusted.js";

export const RECORD_VERSION = 2;

interface LockedFile {
  path: string;
  digest: string;
}

export interface LockedServer {
  server: string;
  /** Digest of transport, command line, working folder and own variables. */
  start: string;
  files: LockedFile[];
}

type LockContext = ProgramContext & Pick<PoolContext, "lockFile">;

/** The locked servers of one folder. */
export interface LockedFolder {
  /** Real path of the folder that the paths of the config are relative to. */
  folder: string;
  servers: LockedServer[];
}

export function lockFileIn(stateFolder: string): string {
  return join(stateFolder, "locked.json");
}

/** Every locked folder. Throws a Refusal when the record cannot be read. */
export function readLocks(file: string): LockedFolder[] {
  try {
    const tree: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isTable(tree) && tree.version === RECORD_VERSION && isListOf(tree.folders, isLockedFolder))
      return tree.folders;
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(cause))) return [];
    throw damaged(cause);
  }
  throw damaged(undefined);
}

/** The lock entry of a server as it would be started now. */
export async function lockedServer(
  plan: Plan,
  server: ServerPlan,
  context: ProgramContext,
): Promise<LockedServer> {
  const start = startOf(server);
  if (runsElsewhere(server)) return { server: server.id, start, files: [] };
  const program = requireProgram(plan, server, context);
  const root = context.roots[0] ?? context.base;
  return { server: server.id, start, files: await filesOf({ server, root, program, context }) };
}

/** Refuses a server that differs from its lock entry. Returns whether the folder is locked. */
export async function assertLocked(start: ServerStart<ServerPlan, LockContext>): Promise<boolean> {
  const { server, program, context } = start;
  const { base, lockFile } = context;
  if (lockFile === undefined) return false;
  const folder = realpathSync.native(base);
  const locked = readLocks(lockFile).find((entry) => entry.folder === folder);
  if (locked === undefined) return false;
  const known = locked.servers.find((entry) => entry.server === server.id);
  if (known === undefined) throw refused(server, "was not there when this folder's programs were locked");
  if (known.start !== startOf(server))
    throw refused(server, "is started in another way than when it was locked");
  if (program === undefined) return true;
  const files = await filesOf({ ...start, program });
  const isMoved = files.map(({ path }) => path).join("\0") !== known.files.map(({ path }) => path).join("\0");
  if (isMoved) throw refused(server, "is another file than the one that was locked");
  if (files.some((file, index) => file.digest !== known.files[index]?.digest))
    throw refused(server, "has changed since it was locked");
  return true;
}

function startOf({ transport, command, args, cwd, env }: ServerPlan): string {
  return digest(canonicalText({ transport: { ...transport }, command, args, cwd, env }));
}

/**
 * The program and every file that its arguments or variables name: scripts are as much the program as what runs them.
 */
async function filesOf(start: ServerStart & { program: string }): Promise<LockedFile[]> {
  const { server, program } = start;
  const named = placeholdersOf(start);
  const words = fillPlaceholders([...server.command.slice(1), ...server.args], named);
  const values = Object.values(fillPlaceholders(server.env, named));
  return Promise.all(
    [realpathSync.native(program), ...filesNamedIn([...words, ...values], cwdOf(start))].map(
      async (path) => ({
        path,
        digest: await digestOf(path),
      }),
    ),
  );
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return `sha256-${hash.digest("hex")}`;
}

function refused(server: ServerPlan, why: string): Refusal {
  return new Refusal("lsp/not-locked", `the program of server "${server.id}" ${why}`, {
    nextSteps: [{ kind: "command", text: "lsp-proxy lock" }],
  });
}

function damaged(cause: unknown): Refusal {
  return new Refusal("lsp/not-locked", "the record of locked programs cannot be read", {
    cause,
    nextSteps: [{ kind: "command", text: "lsp-proxy lock --remove" }],
  });
}

function isLockedFolder(value: unknown): value is LockedFolder {
  return isTable(value) && typeof value.folder === "string" && isListOf(value.servers, isLockedServer);
}

function isLockedServer(value: unknown): value is LockedServer {
  return (
    isTable(value) &&
    typeof value.server === "string" &&
    typeof value.start === "string" &&
    isListOf(value.files, isLockedFile)
  );
}

function isLockedFile(value: unknown): value is LockedFile {
  return isTable(value) && typeof value.path === "string" && typeof value.digest === "string";
}

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(is);
}
