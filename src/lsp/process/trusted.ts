/**
 * Which folders a start may trust. A root is untrusted unless it is inside a folder that the user trusts: trust in one
 * root, or in the folder that the proxy was started in, says nothing about another root.
 */
import { basename, dirname, join, resolve } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { realPath } from "../../base/disk.js";
import { isInside } from "../../base/paths.js";
import type { NextStep } from "../../base/problem.js";
import type { PoolContext } from "../types.js";

export type TrustContext = Pick<PoolContext, "roots" | "base" | "trusted" | "avoid">;

/** A server that is started for a root. One that runs elsewhere has no program. */
export interface ServerStart<Server = ServerPlan, Context = TrustContext> {
  server: Server;
  root: string;
  program: string | undefined;
  context: Context;
}

/** Folders whose programs and packages are not used: untrusted roots, and further folders to avoid. */
export function untrustedFolders({ roots, trusted, avoid }: Omit<TrustContext, "base">): string[] {
  return [...roots.filter((root) => !isTrusted(root, trusted)), ...avoid];
}

/** Whether the root, the workspace folders and, with a fixed root for all files, every root are trusted. */
export function isTrustedStart(
  { workspaceFolders = [], rootDir = null }: Partial<Pick<ServerPlan, "workspaceFolders" | "rootDir">>,
  root: string,
  { base, roots, trusted }: Pick<TrustContext, "base" | "roots" | "trusted">,
): boolean {
  const further = workspaceFolders.map((folder) => resolve(base, folder));
  const folders = [root, ...further, ...(rootDir === null ? [] : roots)];
  return folders.every((folder) => isTrusted(realPath(folder), trusted));
}

/** The working folder of a server; never an untrusted one, where a shim would start what a file there names. */
export function cwdOf({ server, root, program, context }: ServerStart & { program: string }): string {
  if (server.cwd !== null) return resolve(context.base, server.cwd);
  const isApart = server.sandbox === "none" && !isTrustedStart(server, root, context);
  return isApart ? dirname(realPath(program)) : root;
}

const TRUST = "lsp-proxy trust";

/** The command that trusts a folder, or the current one. */
export function trustCommand(folder?: string): string {
  return folder === undefined ? TRUST : `${TRUST} --workspace ${folder}`;
}

/** The command among the next steps that gives trust, if there is one. */
export function trustCommandIn(steps: readonly NextStep[]): string | undefined {
  const texts = steps.flatMap((step) => (step.kind === "command" ? [step.text] : []));
  return texts.find((text) => text === TRUST || text.startsWith(`${TRUST} `));
}

/** The command with which the user trusts what a server was to be started for. */
export function trustStep(root: string, { roots, base, trusted }: TrustContext): NextStep {
  const untrusted = roots.filter((folder) => !isTrusted(folder, trusted));
  const folder = untrusted.find((candidate) => isInside(root, candidate)) ?? untrusted[0] ?? base;
  const isHere = isInside(folder, realPath(base));
  return { kind: "command", text: trustCommand(isHere ? undefined : folder) };
}

/** Whether a folder, given by its real path, is trusted or inside a trusted one. */
export function isTrusted(folder: string, trusted: readonly string[] = []): boolean {
  return trusted.some((known) => isInside(folder, known));
}

/** Whether a path, its folder's real path, or its own real path is inside one of the folders. */
export function isInAny(path: string, folders: readonly string[]): boolean {
  if (folders.length === 0) return false;
  const names = [path, join(realPath(dirname(path)), basename(path)), realPath(path)];
  return names.some((name) => folders.some((folder) => isInside(name, folder)));
}
