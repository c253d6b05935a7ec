/**
 * Programs as they were when a person locked them: real path and digest of each file that a server's command names. In a
 * folder that was locked nothing else is started. The record is the user's own, never a workspace's; one that cannot be
 * understood lets nothing start.
 */
import { createHash } from "node:crypto";
import { createReadStream, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Plan, ServerPlan } from "../abi/plan.js";
import { isTable } from "../base/json.js";
import { Refusal } from "../base/problem.js";
import { type ProgramContext, requireProgram, withNamedPaths } from "./program.js";
import type { PoolContext } from "./types.js";

/** One file that is run. */
export interface LockedFile {
  path: string;
  digest: string;
}

export interface LockedServer {
  server: string;
  files: LockedFile[];
}

/** The servers of one folder. */
export interface LockedFolder {
  /** Real path of the folder that the config's paths start from. */
  folder: string;
  servers: LockedServer[];
}

/** The record in a state folder. */
export function lockFileIn(stateFolder: string): string {
  return join(stateFolder, "locked.json");
}

/** Everything that is locked. Throws a Refusal when the record is there and cannot be understood. */
export function readLocks(file: string): LockedFolder[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    throw damaged(cause);
  }
  try {
    const tree: unknown = JSON.parse(text);
    if (isTable(tree) && tree.version === 1 && isListOf(tree.folders, isLockedFolder)) return tree.folders;
  } catch (cause) {
    throw damaged(cause);
  }
  throw damaged(undefined);
}

/** The files of a server's command as they are now: its program, and the script that the program is given. */
export async function programFiles(
  plan: Plan,
  server: ServerPlan,
  context: ProgramContext,
): Promise<LockedFile[]> {
  return filesOf(server, requireProgram(plan, server, context), context.roots[0] ?? context.base);
}

/** Refuses a program that is not as it was locked; says whether the folder is locked at all. */
export async function assertLocked(
  server: ServerPlan,
  program: string,
  root: string,
  { base, lockFile }: Pick<PoolContext, "base" | "lockFile">,
): Promise<boolean> {
  if (lockFile === undefined) return false;
  const folder = realpathSync(base);
  const locked = readLocks(lockFile).find((entry) => entry.folder === folder);
  if (locked === undefined) return false;
  const known = locked.servers.find((entry) => entry.server === server.id);
  if (known === undefined) throw refused(server, "was not there when this folder's programs were locked");
  const files = await filesOf(server, program, root);
  const isMoved = files.map(({ path }) => path).join("\0") !== known.files.map(({ path }) => path).join("\0");
  if (isMoved) throw refused(server, "is another file than the one that was locked");
  if (files.some(({ digest }, index) => digest !== known.files[index]?.digest))
    throw refused(server, "has changed since it was locked");
  return true;
}

/** Files among the further words of a command are scripts, and as much the program as what runs them. */
async function filesOf(server: ServerPlan, program: string, root: string): Promise<LockedFile[]> {
  const words = withNamedPaths(server.command.slice(1), root).filter(isFile);
  const paths = [program, ...words].map((path) => realpathSync(path));
  return Promise.all(paths.map(async (path) => ({ path, digest: await digestOf(path) })));
}

function isFile(word: string): boolean {
  return isAbsolute(word) && (statSync(word, { throwIfNoEntry: false })?.isFile() ?? false);
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
  return isTable(value) && typeof value.server === "string" && isListOf(value.files, isLockedFile);
}

function isLockedFile(value: unknown): value is LockedFile {
  return isTable(value) && typeof value.path === "string" && typeof value.digest === "string";
}

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(is);
}
