/** The Python environment of a project: used without activating it where the workspace is trusted, and else named. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { pythonOf } from "../../src/lsp/process/python-environment.js";
import { findCommand } from "../../src/lsp/process/search.js";
import { runHere } from "../cli/terminal.js";
import { program, testEnvironment } from "./session.js";

const hasVenv = spawnSync("python3", ["-c", "import venv"]).status === 0;
/** The last import is missing always, so that an answer is seen to be one. */
const APP = "import humanised\nimport never_there\n";

let folder: string;
let project: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-python-")));
  project = join(folder, "project");
  write("app.py", APP);
  write("pyproject.toml", "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), text);
}

/** Makes an environment with one package. */
function environment(path: string, module = "humanised"): string {
  const made = spawnSync("python3", ["-m", "venv", "--without-pip", path], { encoding: "utf8" });
  expect(made.status, made.stderr).toBe(0);
  const [version = ""] = readdirSync(join(path, "lib"));
  writeFileSync(
    join(path, "lib", version, "site-packages", `${module}.py`),
    "def size(n: int) -> str:\n    return str(n)\n",
  );
  return path;
}

async function diagnostics(file: string, flags: string[], env: { [name: string]: string } = {}) {
  const args = ["call", "get_diagnostics", JSON.stringify({ file_path: file }), ...flags];
  const home = { HOME: folder, XDG_STATE_HOME: "", XDG_CONFIG_HOME: "" };
  const unset = { VIRTUAL_ENV: "", CONDA_PREFIX: "", UV_PROJECT_ENVIRONMENT: "" };
  return runHere(args, { cwd: project, env: { ...home, ...unset, ...env } });
}

const ALWAYS = 'Import "never_there" could not be resolved';
const MISSING = 'Import "humanised" could not be resolved';
const trusted = ["--trust-workspace"];

it("pyright does not know packages that no environment of a trusted project has", async () => {
  expect((await diagnostics("app.py", trusted)).stdout).toContain(MISSING);
}, 180_000);

it.runIf(hasVenv).each([".venv", "venv"])(
  "pyright knows the packages of a trusted project's %s",
  async (name) => {
    environment(join(project, name));
    const { stdout } = await diagnostics("app.py", trusted);
    expect(stdout).toContain(ALWAYS);
    expect(stdout).not.toContain(MISSING);
  },
  180_000,
);

/** Servers that are tested where they are installed. */
const others = [
  ["basedpyright", "basedpyright-langserver"],
  ["jedi-language-server", "jedi-language-server"],
  ["pylsp", "pylsp"],
  ["pyrefly", "pyrefly"],
  ["ty", "ty"],
].filter(([, program = ""]) => findCommand(program, [], process.env.PATH) !== undefined);
it.runIf(hasVenv).each(others)(
  "%s knows the packages of a trusted project's venv",
  async (kind, command) => {
    write("app.py", "import humanised\n\nx = humanised.size(12)\n");
    write("lspi.toml", `[allow]\ncommands = ["${command}"]\n[[servers]]\nid = "py"\nkind = "${kind}"\n`);
    const hover = async () => {
      const at = { file_path: "app.py", line: 3, character: 16 };
      const args = ["call", "get_hover", JSON.stringify(at), "--config", "lspi.toml", ...trusted];
      return (await runHere(args, { cwd: project, env: { HOME: folder, VIRTUAL_ENV: "" } })).stdout;
    };
    expect(await hover()).not.toContain("n: int");
    environment(join(project, "venv"));
    expect(await hover()).toContain("n: int");
  },
  180_000,
);

it.runIf(hasVenv)(
  "an untrusted project's is not used, and the answer and doctor say so",
  async () => {
    environment(join(project, ".venv"));
    const { stdout } = await diagnostics("app.py", []);
    expect(stdout).toContain(MISSING);
    expect(stdout).toMatch(/\.venv is a Python environment, but the workspace is not trusted: pyright/);
    const env = { HOME: folder, XDG_STATE_HOME: "", XDG_CONFIG_HOME: "", VIRTUAL_ENV: "" };
    const doctor = await runHere(["doctor"], { cwd: project, env });
    expect(doctor.stdout).toContain(".venv is a Python environment, but the workspace is not trusted");
  },
  180_000,
);

it.runIf(hasVenv).each(["VIRTUAL_ENV", "CONDA_PREFIX", "UV_PROJECT_ENVIRONMENT"])(
  "one outside the project that %s names is used, also for an untrusted project",
  async (variable) => {
    const path = environment(join(folder, "elsewhere"));
    const { stdout } = await diagnostics("app.py", [], { [variable]: path });
    expect(stdout).toContain(ALWAYS);
    expect(stdout).not.toContain(MISSING);
  },
  180_000,
);

it.runIf(hasVenv)(
  "each project of a workspace has its own, in one process",
  async () => {
    const projects = ["one", "two"];
    for (const name of projects) {
      write(`${name}/pyproject.toml`, "");
      write(`${name}/app.py`, `import only_${name}\n${APP}`);
      environment(join(project, name, ".venv"), `only_${name}`);
    }
    rmSync(join(project, "pyproject.toml"));
    write(
      "lspi.toml",
      '[allow]\ncommands = ["pyright-langserver"]\n[[servers]]\nid = "py"\nkind = "pyright"\n',
    );
    const client = new Client({ name: "python", version: "0" });
    const args = [program, "serve", "--config", join(project, "lspi.toml"), ...trusted];
    const env = { ...testEnvironment(), HOME: folder };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: project, env, stderr: "ignore" }),
    );
    const textOf = async (name: string, given: object) =>
      JSON.stringify((await client.callTool({ name, arguments: { ...given } })).structuredContent);
    for (const name of projects) {
      const text = await textOf("get_diagnostics", { file_path: `${name}/app.py` });
      expect(text).toContain('Import \\"never_there');
      expect(text).toContain('Import \\"humanised');
      expect(text).not.toContain('Import \\"only_');
    }
    expect((await textOf("get_server_status", {})).match(/"pid":\d+/g)).toHaveLength(1);
    await client.close();
  },
  180_000,
);

it("counts in the order: uv's variable, the project's own or one above it, an active one, conda's but its base", () => {
  const make = (path: string) => {
    write(`${path}/bin/python`, "");
    write(`${path}/pyvenv.cfg`, "");
    return join(project, path, "bin", "python");
  };
  const [own, above, active, conda, uv] = ["sub/.venv", "venv", "active", "conda", "uv"].map(make);
  const server = { id: "x", command: ["x"], args: [] };
  const find = (env: { [name: string]: string }, from = "sub") => {
    const context = { roots: [project], base: project, trusted: [project], avoid: [], binFolders: [], env };
    return pythonOf(server, join(project, from), context);
  };
  const all = { VIRTUAL_ENV: join(project, "active"), CONDA_PREFIX: join(project, "conda") };
  expect(find({ ...all, UV_PROJECT_ENVIRONMENT: "../uv" })).toBe(uv);
  expect(find(all)).toBe(own);
  rmSync(join(project, "sub/.venv"), { recursive: true });
  expect(find(all)).toBe(above);
  rmSync(join(project, "venv"), { recursive: true });
  expect(find(all)).toBe(active);
  expect(find({ CONDA_PREFIX: all.CONDA_PREFIX, CONDA_DEFAULT_ENV: "mine" })).toBe(conda);
  expect(find({ CONDA_PREFIX: all.CONDA_PREFIX, CONDA_DEFAULT_ENV: "base" })).toBe(undefined);
  expect(find({ VIRTUAL_ENV: "active" })).toBe(undefined);
});
