/**
 * Opens a link in the user's browser. Other users of the machine can read the arguments of a process, so the browser
 * gets a file that only this user can read, which leads to the link. PATH may name folders of an untrusted workspace:
 * package managers put its `node_modules/.bin` there.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { writeAtomically } from "../../base/atomic-write.js";
import { homeOf } from "../../base/home.js";
import { here } from "../../base/platform.js";
import { withTimeout } from "../../base/timing.js";
import { stateFolder } from "../../config/state-folder.js";
import { cleanedEnvironment } from "../../lsp/process/environment.js";
import { findCommand } from "../../lsp/process/search.js";
import type { Io } from "../command.js";

/** How long a program that opens files may take to fail. */
const FAILS_MS = 1_500;

/** Whether a browser was started. No program in the folders to avoid is used. */
export async function openBrowser(
  url: string,
  io: Pick<Io, "env">,
  avoid: readonly string[],
): Promise<boolean> {
  const [command = "", ...words] = opener(io.env) ?? [];
  const { env } = cleanedEnvironment(io.env, avoid);
  const program = findCommand(command, [], env.PATH, avoid);
  if (program === undefined) return false;
  const file = join(stateFolder(io.env, homeOf(io.env)), "dashboard.html");
  const html = `<!doctype html><title>lsp-proxy</title><meta http-equiv="refresh" content="0;url=${url}">`;
  writeAtomically(file, html, { mode: 0o600, folderMode: 0o700 });
  const child = spawn(program, [...words, file], { detached: true, stdio: "ignore", env });
  const ended = new Promise<boolean>((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
  child.unref();
  return (await withTimeout(ended, FAILS_MS)) ?? true;
}

/** The command that opens a file; undefined where there is no screen. */
function opener(env: Io["env"]): readonly string[] | undefined {
  const { opener: command, displayVariables } = here;
  return displayVariables.length === 0 || displayVariables.some((name) => env[name]) ? command : undefined;
}
