/**
 * Launcher scripts: small scripts on PATH that start a program. Package managers of Node write them where a link is not
 * possible. Finds the program that a script starts, and the command line for Windows, which runs no script directly.
 */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { readRegularFile } from "../../base/guarded-open.js";
import { here, type Platform } from "../../base/platform.js";
import { Refusal } from "../../base/problem.js";

const MAX_BYTES = 1 << 20;
const BATCH = /\.(?:cmd|bat)$/i;
const NATIVE = /\.(?:exe|com)$/i;

/** The line that runs a file with all arguments: beside the script, or anywhere. */
const runLine = /"(%~dp0|%dp0%)?\\?([^"%\r\n]+)"\s+%\*/;
const runsNode = /_prog=node"|\bnode(?:\.exe)?"?\s+"/i;

/**
 * The file that a script in a folder of programs runs: of pnpm for Unix; of npm, pnpm, Yarn and `batchFor` for Windows.
 */
export function scriptTarget(program: string): string | undefined {
  const text = textOf(program) ?? "";
  const unix = /"\$basedir\/([^"\s]+)" /.exec(text)?.[1];
  if (unix !== undefined) return join(dirname(program), unix);
  const [line = "", beside, path] = (BATCH.test(program) && runLine.exec(text)) || [];
  if (path === undefined) return undefined;
  // A script that does more than to run another program is left to `cmd`.
  if (!runsNode.test(text) && (!NATIVE.test(path) || text.trim() !== `@${line}`)) return undefined;
  return beside === undefined ? path : join(dirname(program), ...path.split("\\"));
}

/** The text of a launcher script for Windows, for a folder. Unlike a link, every user may create one. */
export function batchFor(program: string, folder: string): string {
  const steps = relative(folder, program);
  const path = isAbsolute(steps) ? program : ["%~dp0", ...steps.split(sep)].join("\\");
  return `@${NATIVE.test(program) ? "" : "node "}"${path}" %*\r\n`;
}

/** In an untrusted folder it may be a pipe or endless, so the guarded reader is used. */
export function textOf(file: string): string | undefined {
  try {
    return existsSync(file) ? readRegularFile(file, MAX_BYTES)?.bytes.toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}

interface CommandLine {
  file: string;
  args: string[];
  /** Whether the arguments are quoted already. */
  windowsVerbatimArguments: boolean;
}

/** The command line that starts a program. Throws a Refusal for arguments that a script of Windows could misread. */
export function commandLine(
  program: string,
  args: readonly string[],
  { needsShell }: Platform = here,
): CommandLine {
  if (!needsShell || NATIVE.test(program))
    return { file: program, args: [...args], windowsVerbatimArguments: false };
  if (!BATCH.test(program))
    return { file: process.execPath, args: [program, ...args], windowsVerbatimArguments: false };
  const words = [program, ...args].map(quoted).join(" ");
  const shell = join(process.env.SYSTEMROOT || "C:\\Windows", "System32", "cmd.exe");
  // `/d` leaves out commands that the registry adds; `/s` takes the rest as it is, without its outer quotes.
  return { file: shell, args: ["/d", "/s", "/c", `"${words}"`], windowsVerbatimArguments: true };
}

/** Within quotes only these have a meaning for `cmd`, and nothing takes it away reliably. */
function quoted(word: string): string {
  if (/["%\r\n]/.test(word))
    throw new Refusal(
      "lsp/not-allowed",
      `\`${word}\` has a quote, a percent sign or a line break, and the program is a script of Windows, which could run a part of it`,
      { nextSteps: [{ kind: "config", text: "Rename that file, or correct `command` of the server." }] },
    );
  return `"${word.replace(/\\+$/, "$&$&")}"`;
}
