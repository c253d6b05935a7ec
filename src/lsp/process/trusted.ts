/**
 * Whom a start may trust. Each root is a stranger unless it lies in a folder that the user trusts: trust of one root, or of the
 * folder that we were started in, is no word about another.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { isInside } from "../../base/paths.js";
import type { NextStep } from "../../base/problem.js";
import type { PoolContext } from "../types.js";

/** What decides whom a start may trust. */
export type TrustContext = Pick<PoolContext, "roots" | "base" | "trusted" | "avoid">;

/** Folders whose programs and packages do not count: roots that nobody trusts, and what is around them. */
export function strangersOf({ roots, trusted, avoid }: Omit<TrustContext, "base">): string[] {
  return [...roots.filter((root) => !isTrusted(root, trusted)), ...avoid];
}

/**
 * Whether what a server is started for is trusted: its root, each folder that it is told beside it, and, where its root is the same
 * for all files, every root whose files it is given.
 */
export function isTrustedStart(
  { workspaceFolders = [], rootDir = null }: Partial<Pick<ServerPlan, "workspaceFolders" | "rootDir">>,
  root: string,
  { base, roots, trusted }: Pick<TrustContext, "base" | "roots" | "trusted">,
): boolean {
  const told = workspaceFolders.map((folder) => resolve(base, folder));
  const folders = [root, ...told, ...(rootDir === null ? [] : roots)];
  return folders.every((folder) => isTrusted(realOf(folder), trusted));
}

/**
 * Where a server runs: where the user says, or in its root. It does not stand in a stranger's folder, where a version manager's
 * shim or a package manager would start what a file of that folder names.
 */
export function cwdOf(
  server: ServerPlan,
  root: string,
  program: string,
  context: Pick<TrustContext, "base" | "roots" | "trusted">,
): string {
  if (server.cwd !== null) return resolve(context.base, server.cwd);
  const isApart = server.sandbox === "none" && !isTrustedStart(server, root, context);
  return isApart ? dirname(realOf(program)) : root;
}

/** What a user does who trusts what a server was to be started for. */
export function trustStep(root: string, { roots, base, trusted }: TrustContext): NextStep {
  const strange = roots.filter((folder) => !isTrusted(folder, trusted));
  const meant = strange.find((folder) => isInside(root, folder)) ?? strange[0] ?? base;
  const where = isInside(meant, realOf(base)) ? "" : ` --workspace ${meant}`;
  return { kind: "command", text: `lsp-proxy trust${where}` };
}

/** Whether a folder, by its real path, is one that the user trusts or lies in one. */
export function isTrusted(folder: string, trusted: readonly string[] = []): boolean {
  return trusted.some((known) => isInside(folder, known));
}

/** The real path of a folder; the path itself where nothing is there. */
export function realOf(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}
