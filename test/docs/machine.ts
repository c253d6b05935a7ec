/** The machine of a reader who types single lines of the docs: a home folder, a project in it, and the programs on PATH. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runHere } from "../cli/terminal.js";
import { binaries, program, repository } from "../live/session.js";

/** Texts by their path in the home folder. */
export type Files = { [path: string]: string };

/** The config of the project. */
export const CONFIG = "project/lspi.toml";

export interface Ended {
  code: number | null;
  output: string;
}

/** A question that an MCP client asks first. */
const INITIALIZE = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "docs", version: "0" } },
})}\n`;

/** Ends a command that hangs. */
const LIMIT_MS = 120_000;

export class Machine {
  readonly #top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-docs-")));
  /** What changes, and is put back before each line. */
  readonly #place = join(this.#top, "machine");
  readonly #saved = join(this.#top, "saved");
  readonly #codes = join(this.#top, "codes");
  readonly home = join(this.#place, "home");
  readonly project = join(this.home, "project");
  /** What a contributor has: a clone of this repository, with one source file. */
  readonly clone = join(this.home, "clone");
  readonly env: { [name: string]: string };

  constructor(files: Files) {
    const bin = join(this.#top, "bin");
    const runtime = join(this.#top, "run");
    for (const folder of [bin, runtime]) mkdirSync(folder, { mode: 0o700 });
    writePrograms(bin, this.#codes);
    symlinkSync(process.execPath, join(bin, "node"));
    symlinkSync(join(binaries, "tsc"), join(bin, "tsc"));
    // What a pipe of the docs ends in.
    writeFileSync(join(bin, "jq"), "#!/bin/sh\nexec cat\n", { mode: 0o755 });
    // A server that is not in the catalogue is any server under another name.
    const server = join(binaries, "vscode-json-language-server");
    for (const name of ["my-language-server", "my-server"])
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\nexec '${process.execPath}' '${realpathSync(server)}' --stdio\n`,
        { mode: 0o755 },
      );
    this.write(files);
    for (const name of ["package.json", "tsconfig.json", "src/base/order.ts"])
      cpSync(join(repository, name), join(this.clone, name));
    for (const name of ["dist", "configs", "templates", "node_modules"])
      symlinkSync(join(repository, name), join(this.clone, name));
    this.env = {
      PATH: [bin, "/usr/bin", "/bin"].join(delimiter),
      HOME: this.home,
      XDG_RUNTIME_DIR: runtime,
      TMPDIR: runtime,
      SHELL: "/bin/bash",
      LANG: "C.UTF-8",
      NO_COLOR: "1",
    };
  }

  /** Keeps the home folder as it is now under this name. */
  save(name: string): void {
    copy(this.#place, join(this.#saved, name));
  }

  /** Puts back what was saved, with these files. A config among them is trusted. */
  async restore(name: string, files: Files): Promise<void> {
    rmSync(this.#place, { recursive: true, force: true, maxRetries: 5 });
    copy(join(this.#saved, name), this.#place);
    this.write(files);
    if (files[CONFIG] !== undefined) await this.here(["trust", "--yes"]);
  }

  write(files: Files): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.home, path)), { recursive: true });
      writeFileSync(join(this.home, path), text, { mode: 0o600 });
    }
  }

  /** Runs the program in this process. */
  async here(words: string[], typed?: string[]): Promise<Ended> {
    const options = { cwd: this.project, env: this.env, isWholeEnv: true };
    const { code, stdout, stderr } = await runHere(
      words,
      typed === undefined ? options : { ...options, typed },
    );
    return { code, output: `${stdout}${stderr}` };
  }

  /** Runs a line in a shell. The code is that of the first run of the program that failed, else that of the shell. */
  async shell(line: string, cwd = this.#folderOf(line)): Promise<Ended> {
    rmSync(this.#codes, { force: true });
    const child = this.#spawn(line, cwd);
    child.stdin?.end();
    const output = outputOf(child);
    const late = setTimeout(() => end(child, "SIGKILL"), LIMIT_MS);
    const [code] = (await once(child, "close")) as [number | null];
    clearTimeout(late);
    const codes = existsSync(this.#codes)
      ? readFileSync(this.#codes, "utf8").trim().split("\n").map(Number)
      : [];
    return { code: codes.find((one) => one !== 0) ?? code, output: output() };
  }

  /** Starts a line that does not end by itself, asks what a client asks, and ends it when this sign is in its output. */
  async start(line: string, sign: RegExp, cwd = this.#folderOf(line)): Promise<Ended | undefined> {
    const child = this.#spawn(`exec ${line}`, cwd);
    const output = outputOf(child);
    child.stdin?.on("error", () => {}).write(INITIALIZE);
    const closed = once(child, "close") as Promise<[number | null]>;
    const late = setTimeout(() => end(child, "SIGKILL"), LIMIT_MS);
    const seen = new Promise<undefined>((resolve) => {
      const look = () => sign.test(output()) && resolve(undefined);
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", look);
    });
    const first = await Promise.race([seen, closed]);
    end(child);
    await closed;
    clearTimeout(late);
    return first === undefined ? undefined : { code: first[0], output: output() };
  }

  /** `node dist/…` is typed in the clone. */
  #folderOf(line: string): string {
    return line.startsWith("node ") ? this.clone : this.project;
  }

  #spawn(line: string, cwd: string): ChildProcess {
    return spawn("bash", ["-c", line], { cwd, env: this.env, stdio: "pipe", detached: true });
  }

  /** Stops what a line left running in the background. */
  async stopHubs(): Promise<void> {
    const sockets = join(this.env.XDG_RUNTIME_DIR ?? "", "lsp-proxy");
    if (existsSync(sockets)) await this.here(["hub", "stop", "--all"]);
    rmSync(sockets, { recursive: true, force: true });
  }

  end(): void {
    rmSync(this.#top, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Writes the programs of the docs into a folder: this one, and an `npm` that downloads nothing. */
export function writePrograms(bin: string, codes?: string): void {
  const npm = fileURLToPath(new URL("npm.mjs", import.meta.url));
  const record = codes === undefined ? "" : `code=$?\necho "$code" >> '${codes}'\nexit "$code"\n`;
  for (const [name, file, after] of [
    ["lsp-proxy", program, record],
    ["npm", npm, ""],
  ] as const)
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\n${after === "" ? "exec " : ""}'${process.execPath}' '${file}' "$@"\n${after}`,
      { mode: 0o755 },
    );
}

/** Copies a folder; its links stay links. */
function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

/** Reads what a process writes. */
function outputOf(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  return () => text;
}

/** Ends a process and those that it started. */
function end(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}
