/** Runs a command on a real terminal of a given width, with `script` of util-linux. */
import { spawn, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { displayWidth } from "../../src/cli/terminal/text.js";
import { program, testEnvironment } from "../live/session.js";

/** Why there is no terminal here; undefined when there is one. */
export const noTerminal =
  spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0
    ? undefined
    : "`script` of util-linux is not installed";

export interface Shown {
  code: number;
  /** What the terminal got, with control sequences; line ends are `\n`. */
  raw: string;
  /** The same without control sequences. */
  text: string;
  /** The cells of its widest line. */
  width: number;
}

export interface PtyOptions {
  columns: number;
  cwd?: string;
  env?: { [name: string]: string };
  /** What is done meanwhile, one after the other: each once its pattern has been shown. */
  meanwhile?: readonly [after: RegExp, act: (type: (keys: string) => void) => void][];
}

const LIMIT_MS = 120_000;
const endLine = /\r?\nexit code (\d+)\r?\n$/;

/** Runs `lsp-proxy` with these words on a terminal. */
export function onTerminal(args: readonly string[], options: PtyOptions): Promise<Shown> {
  const line = [process.execPath, program, ...args].map(quote).join(" ");
  // The shell prints the end: then this does not depend on when `script` itself ends.
  const sized = `stty cols ${options.columns} rows 50; ${line}; printf '\\nexit code %d\\n' $?`;
  const { NO_COLOR: _, ...env } = testEnvironment();
  const child = spawn("script", ["-qec", sized, "/dev/null"], {
    cwd: options.cwd,
    env: { ...env, TERM: "xterm", SHELL: "/bin/sh", ...options.env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const acts = [...(options.meanwhile ?? [])];
  let raw = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    raw += piece;
    for (let [next] = acts; next?.[0].test(raw); [next] = acts) {
      acts.shift();
      next[1]((keys) => child.stdin.write(keys));
    }
    if (endLine.test(raw)) child.kill("SIGKILL");
  });
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
    child.once("error", reject);
    child.once("close", () => {
      clearTimeout(late);
      const end = endLine.exec(raw);
      if (end === null) return reject(new Error(`did not end; shown until then:\n${JSON.stringify(raw)}`));
      raw = raw.slice(0, end.index).replaceAll("\r\n", "\n");
      const text = stripVTControlCharacters(raw);
      const width = Math.max(...text.split("\n").map((line) => displayWidth(line)));
      resolve({ code: Number(end[1]), raw, text, width });
    });
  });
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
