/** Runs the blocks of a page that are marked `run`, as a reader would: in order, in one empty folder, with an empty home. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Block, Page } from "../../docs/.vitepress/markdown.js";
import { binaries } from "../live/session.js";
import { isConfig, PageConfig } from "./configs.js";
import { writePrograms } from "./machine.js";
import { matches, outputDiff } from "./output.js";

/** Why blocks cannot run here; undefined when they can. */
export const noShell = process.platform === "win32" ? "the blocks are for a POSIX shell" : undefined;

/** Ends a command that hangs. */
const LIMIT_MS = 150_000;

export function isRun({ language, marks }: Block): boolean {
  return ["sh", "bash", "console"].includes(language) && marks.includes("run");
}

/** Runs the page. Returns what went wrong first, or undefined. */
export async function runPage(page: Page): Promise<string | undefined> {
  const reader = new Reader();
  const config = new PageConfig();
  try {
    for (const block of page.blocks) {
      // A config on the page is the file that the commands after it use.
      if (isConfig(block)) reader.write(config.take(block));
      const problem = isRun(block) ? await reader.run(block) : undefined;
      if (problem !== undefined) return `${page.path}:${problem}`;
    }
    return undefined;
  } finally {
    await reader.end();
  }
}

/** A person with a new machine who follows a page. */
class Reader {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-docs-")));
  readonly #project = join(this.#folder, "project");
  readonly #home = join(this.#folder, "home");
  readonly #state = join(this.#folder, "state");
  readonly #env: { [name: string]: string };
  readonly #groups: number[] = [];

  constructor() {
    const bin = join(this.#folder, "bin");
    for (const folder of [this.#project, this.#home, bin]) mkdirSync(folder);
    writePrograms(bin);
    // Nothing of the person who runs the tests: no config, no trust, no token, no language.
    const { TMPDIR = tmpdir(), PATH = "" } = process.env;
    this.#env = {
      PATH: [bin, binaries, PATH].join(delimiter),
      HOME: this.#home,
      TMPDIR,
      SHELL: "/bin/bash",
      LANG: "C.UTF-8",
      NO_COLOR: "1",
    };
  }

  write({ file, text }: { file: string; text: string }): void {
    writeFileSync(join(this.#project, file), text);
  }

  /** Runs a block; returns the line and what is wrong there. */
  async run({ language, line, text }: Block): Promise<string | undefined> {
    if (language !== "console") {
      const { code, output } = await this.#shell(`set -e\n${text}`);
      return code === 0 ? undefined : `${line}: exit code ${code}\n${output}`;
    }
    for (const { at, command, expected } of shownCommands(text)) {
      const { code, output } = await this.#shell(command);
      if (code === null) return `${line + at}: did not end in time: ${command}\n${output}`;
      const actual = output
        .trimEnd()
        .split("\n")
        .map((shown) => shown.trimEnd());
      if (!matches(expected, actual)) return `${line + at}: ${command}\n${outputDiff(expected, actual)}`;
    }
    return undefined;
  }

  /** Runs a script where the last one ended, with its exported variables. */
  async #shell(script: string): Promise<{ code: number | null; output: string }> {
    const shown = join(this.#folder, "output");
    const file = openSync(shown, "w");
    const [start, end] = [
      `[ ! -f '${this.#state}' ] || . '${this.#state}'`,
      `{ export -p; printf 'cd %q\\n' "$PWD"; } > '${this.#state}'`,
    ];
    // A file and not a pipe: a background process of the script would keep a pipe open.
    const child = spawn(
      "bash",
      ["-c", `${start}\ntrap "${end.replaceAll(/["$\\]/g, "\\$&")}" EXIT\n${script}`],
      {
        cwd: this.#project,
        env: this.#env,
        stdio: ["ignore", file, file],
        detached: true,
      },
    );
    closeSync(file);
    if (child.pid !== undefined) this.#groups.push(child.pid);
    const late = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"), LIMIT_MS);
    const [code] = (await once(child, "exit")) as [number | null];
    clearTimeout(late);
    return { code, output: stripVTControlCharacters(readFileSync(shown, "utf8")) };
  }

  /** Ends what the page left running, and removes its folders. */
  async end(): Promise<void> {
    for (const group of this.#groups) {
      try {
        process.kill(-group, "SIGKILL");
      } catch {
        // It has ended.
      }
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The commands of a `console` block with the output that it shows for each. */
export function shownCommands(text: string): { at: number; command: string; expected: string[] }[] {
  const found: { at: number; command: string; expected: string[] }[] = [];
  let isOpen = false;
  for (const [index, line] of text.trimEnd().split("\n").entries()) {
    const last = found.at(-1);
    if (isOpen && last !== undefined) last.command += `\n${line.replace(/^> /, "")}`;
    else if (line.startsWith("$ ")) found.push({ at: index + 1, command: line.slice(2), expected: [] });
    else if (last !== undefined) last.expected.push(line.trimEnd());
    else
      throw new Error(`line ${index + 1} of the block: output without a command; a command begins with "$ "`);
    isOpen = (isOpen || line.startsWith("$ ")) && line.endsWith("\\");
  }
  // An empty line before the next command is only for the eye.
  return found.map((step) => ({ ...step, expected: step.expected.join("\n").trimEnd().split("\n") }));
}
