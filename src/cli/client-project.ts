/** The project of a session on stdio: its trust, and where the client's roots name it. */
import { realpathSync, statSync } from "node:fs";
import { pathOfUri } from "../base/paths.js";
import { ConfigError } from "../base/problem.js";
import type { Log } from "../lsp/types.js";
import type { OpenProject, TrustOffer } from "../mcp/trust-question.js";
import { type Input, type Io, isOutsideProjects } from "./command.js";
import { type Opened, openFrom } from "./open.js";
import { trustOffer } from "./trust-offer.js";

/** What the session offers about trust; undefined where nothing is merely found. */
export function trustOf(
  { found, refusal }: Pick<Opened, "found" | "refusal">,
  input: Input,
  io: Io,
  log: Log,
): TrustOffer | undefined {
  return found === undefined ? undefined : trustOffer(found, refusal !== undefined, input, io, log);
}

/**
 * Opens the project of the client's first root. Undefined where the command line names one, or the proxy was started in
 * one: editors start programs in the user's home or at the top of the file system, which is no project.
 */
export function projectOpener(input: Input, io: Io, log: Log): OpenProject | undefined {
  if (!isOutsideProjects(input, io)) return undefined;
  return async (roots) => {
    const folders = roots.flatMap((uri) => pathOfUri(uri) ?? []);
    const cwd = folders.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
    if (cwd === undefined) return undefined;
    const there = { ...io, cwd: realpathSync(cwd) };
    try {
      const opened = await openFrom(input, there, { servesUntrusted: true });
      log("info", "the client's root is served", { folder: there.cwd });
      return { runtime: opened.runtime, trust: trustOf(opened, input, there, log) };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      log("error", "the config of the client's root has problems", { folder: cwd, cause: error.message });
      return undefined;
    }
  };
}
