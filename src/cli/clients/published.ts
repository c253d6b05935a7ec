/**
 * Checks that npm has this version. Otherwise `npx` could run a package that somebody else registers under our name.
 */
import { execFile } from "node:child_process";
import { homeOf } from "../../base/home.js";
import { cleanedEnvironment } from "../../lsp/process/environment.js";
import { commandLine } from "../../lsp/process/launcher-script.js";
import { findCommand } from "../../lsp/process/search.js";
import type { Io } from "../command.js";
import { withoutNpm } from "../install/step.js";
import { version } from "../shipped.js";

const NPM_TIMEOUT_MS = 30_000;

/** The package and version that `npx` starts. */
export function packageSpec(): string {
  return `lsp-proxy@${version()}`;
}

/** Why npm's registry cannot be relied on to have the package; undefined when it has it. */
export async function whyNotPublished(io: Io, untrusted: readonly string[]): Promise<string | undefined> {
  // Settings in a project's folder could name another registry, so npm runs in the home.
  const cwd = homeOf(io.env);
  const { env } = cleanedEnvironment(withoutNpm(io.env), untrusted, cwd);
  const program = findCommand("npm", [], env.PATH, untrusted);
  if (program === undefined) return "npm is not installed, so it cannot be checked";
  const { file, args, windowsVerbatimArguments } = commandLine(program, [
    "view",
    packageSpec(),
    "version",
    "--json",
    "--fetch-retries=0",
    "--no-update-notifier",
  ]);
  const { stdout, failed } = await new Promise<{ stdout: string; failed: string | undefined }>((resolve) => {
    execFile(file, args, { cwd, env, timeout: NPM_TIMEOUT_MS, windowsVerbatimArguments }, (error, stdout) =>
      resolve({
        stdout,
        failed: error === null ? undefined : error.killed ? "no answer in time" : "an error",
      }),
    );
  });
  if (/^\s*"[^"]+"\s*$/.test(stdout)) return undefined;
  if (failed === undefined || stdout.includes('"E404"')) return "npm's registry does not have it";
  return `npm's registry could not be asked (${/"code":\s*"(\w+)"/.exec(stdout)?.[1] ?? failed})`;
}
