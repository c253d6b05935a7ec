/**
 * Scripts that stand for a program. Package managers of Node put one on PATH where Unix has a link, and Windows starts no
 * script without naming what runs it.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularFile } from "../../base/guarded-open.js";
import { here, type Platform } from "../../base/platform.js";
import { Refusal } from "../../base/problem.js";

const MAX_BYTES = 1 << 20;
const BATCH = /\.(?:cmd|bat)$/i;
const NATIVE = /\.(?:exe|com)$/i;

/** The script of Node that a script in a folder of programs runs: of pnpm for Unix; of npm, pnpm and Yarn for Windows. */
export function scriptTarget(program: string): string | undefined {
  const text = textOf(program) ?? "";
  const unix = /"\$basedir\/([^"\s]+)" /.exec(text)?.[1];
  if (unix !== undefined) return join(dirname(program), unix);
  const isNode = /_prog=node"|\bnode(?:\.exe)?"?\s+"%/i.test(text);
  const windows = /"%(?:~dp0|dp0%)\\?([^"%\r\n]+)"\s+%\*/.exec(text)?.[1];
  return isNode && BATCH.test(program) && windows !== undefined
    ? join(dirname(program), ...windows.split("\\"))
    : undefined;
}

/** In an untrusted folder it may be a pipe or endless, so the guarded reader is used. */
export function textOf(file: string): string | undefined {
  try {
    return existsSync(file) ? readRegularFile(file, MAX_BYTES)?.bytes.toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}

export interface CommandLine {
  file: string;
  args: string[];
  /** Whether the arguments are quoted already. */
  windowsVerbatimArguments: boolean;
}

/** What is started for a program. Throws a Refusal for arguments that a script of Windows could misread. */
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
    );
  return `"${word.replace(/\\+$/, "$&$&")}"`;
}
