/**
 * Opens a link in the user's browser. Other users of the machine can read the arguments of a process, so the browser
 * gets a file that only this user can read, which leads to the link.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { writeAtomically } from "../../base/atomic-write.js";
import { here } from "../../base/platform.js";
import { stateFolder } from "../../config/state-folder.js";
import { homeOf, type Io } from "../command.js";

/** How long a program that opens files may take to fail. */
const FAILS_MS = 1_500;

/** Whether a browser was started. */
export async function openBrowser(url: string, io: Pick<Io, "env">): Promise<boolean> {
  const program = opener(io.env);
  if (program === undefined) return false;
  const file = join(stateFolder(io.env, homeOf(io)), "dashboard.html");
  const html = `<!doctype html><title>lsp-proxy</title><meta http-equiv="refresh" content="0;url=${url}">`;
  writeAtomically(file, html, { mode: 0o600, folderMode: 0o700 });
  const [command = "", ...args] = [...program, file];
  return new Promise((resolve) => {
    const child = spawn(command, args, { detached: true, stdio: "ignore", env: io.env });
    const done = (isStarted: boolean) => {
      clearTimeout(timer);
      resolve(isStarted);
    };
    const timer = setTimeout(() => done(true), FAILS_MS);
    child.once("error", () => done(false));
    child.once("exit", (code) => done(code === 0));
    child.unref();
  });
}

/** The command that opens a file; undefined where there is no screen. */
function opener(env: Io["env"]): readonly string[] | undefined {
  const { opener: command, displayVariables } = here;
  return displayVariables.length === 0 || displayVariables.some((name) => env[name]) ? command : undefined;
}
