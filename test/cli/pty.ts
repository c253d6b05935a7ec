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
  code: number | null;
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
  meanwhile?: readonly [after: RegExp, act: () => void][];
}

/** Runs `lsp-proxy` with these words on a terminal. */
export function onTerminal(args: readonly string[], options: PtyOptions): Promise<Shown> {
  const line = [process.execPath, program, ...args].map(quote).join(" ");
  const sized = `stty cols ${options.columns} rows 50; ${line}`;
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
    const [next] = acts;
    if (next?.[0].test(raw)) {
      acts.shift();
      next[1]();
    }
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      raw = raw.replaceAll("\r\n", "\n");
      const text = stripVTControlCharacters(raw);
      const width = Math.max(...text.split("\n").map((line) => displayWidth(line)));
      resolve({ code, raw, text, width });
    });
  });
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
