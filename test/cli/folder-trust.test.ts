/** Programs that a repository brings do not count, from whatever folder of it we are started and whatever its config says. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
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
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { untrustedAround } from "../../src/cli/folder-trust.js";
import { program } from "../live/session.js";
import { runHere } from "./terminal.js";

let top: string;
let repository: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "untrusted-")));
  repository = join(top, "repository");
  write("repository/src/a.ts", "export {};\n");
  mkdirSync(join(repository, ".git"));
  write("repository/node_modules/.bin/typescript-language-server", "#!/bin/sh\n");
  chmodSync(join(repository, "node_modules/.bin/typescript-language-server"), 0o755);
  write(
    "home/.config/lsp-proxy/config.toml",
    '[[servers]]\nid = "ts"\nkind = "typescript-language-server"\n',
  );
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(top, name)), { recursive: true });
  writeFileSync(join(top, name), text);
}

const env = () => ({
  HOME: join(top, "home"),
  XDG_STATE_HOME: join(top, "state"),
  XDG_CONFIG_HOME: join(top, "home/.config"),
  PATH: join(repository, "node_modules/.bin"),
});

async function isFound(folder: string, ...words: string[]): Promise<boolean> {
  const { stdout, stderr } = await runHere(["explain", ...words], {
    cwd: join(repository, folder),
    env: env(),
  });
  expect(stdout, stderr).toContain("typescript-language-server");
  return stdout.includes(join(repository, "node_modules/.bin"));
}

describe("a program that PATH finds in the repository", () => {
  it("does not count in the workspace, nor in a part of it, nor when its config names a part", async () => {
    expect(await isFound(".")).toBe(false);
    expect(await isFound("src")).toBe(false);
    expect(await isFound(".", "-w", "src")).toBe(false);
    write("repository/lspi.toml", '[workspace]\nroots = ["src"]\n');
    expect(await isFound(".")).toBe(false);
  });

  it("counts in a workspace that is named beside a named config, and only there", async () => {
    write("elsewhere/named.toml", '[workspace]\nroots = ["src"]\n');
    for (const name of [".git", "node_modules"]) rmSync(join(repository, name), { recursive: true });
    write("repository/tools/typescript-language-server", "#!/bin/sh\n");
    chmodSync(join(repository, "tools/typescript-language-server"), 0o755);
    const there = { cwd: top, env: { ...env(), PATH: join(repository, "tools") } };
    const found = async (...words: string[]) =>
      (await runHere(["explain", "-w", repository, ...words], there)).stdout;
    expect(await found()).toContain("typescript-language-server");
    expect(await found()).not.toContain(join(repository, "tools"));
    expect(await found("--config", join(top, "elsewhere/named.toml"))).toContain(join(repository, "tools"));
    expect(await found("--trust-workspace")).toContain(join(repository, "tools"));
  });

  it("counts once the workspace is trusted, and for a part of it too", async () => {
    expect((await runHere(["trust", "--yes"], { cwd: repository, env: env() })).code).toBe(0);
    expect([await isFound("."), await isFound("src")]).toEqual([true, true]);
    expect((await runHere(["trust", "--remove"], { cwd: repository, env: env() })).code).toBe(0);
    expect(await isFound("src")).toBe(false);
  });
});

describe("a file of the repository that is none", () => {
  it.runIf(process.platform !== "win32")(
    "is not waited for, nor does it stop anything",
    () => {
      write("repository/node_modules/typescript/bin/tsc", "#!/bin/sh\n");
      chmodSync(join(repository, "node_modules/typescript/bin/tsc"), 0o755);
      symlinkSync("../typescript/bin/tsc", join(repository, "node_modules/.bin/tsc"));
      rmSync(join(top, "home"), { recursive: true });
      const manifest = join(repository, "node_modules/typescript/package.json");
      spawnSync("mkfifo", [manifest, join(repository, ".mcp.json")]);
      // In a process of its own: one that waits could not be ended from within.
      const run = (...words: string[]) =>
        spawnSync(process.execPath, [program, ...words], {
          ...{ cwd: repository, env: env(), encoding: "utf8", timeout: 150_000 },
        });
      expect(run("explain")).toMatchObject({ status: 0, signal: null });
      expect(run("doctor", "--no-start")).toMatchObject({
        signal: null,
        stdout: expect.stringContaining("trust"),
      });
      rmSync(manifest);
      mkdirSync(manifest);
      expect(run("explain")).toMatchObject({ status: 0, signal: null });
    },
    180_000,
  );
});

describe("a folder of PATH in the repository", () => {
  it("is reported where servers are started without it, and is used once the workspace is trusted", async () => {
    write("bin/typescript-language-server", "#!/bin/sh\nexit 3\n");
    chmodSync(join(top, "bin/typescript-language-server"), 0o755);
    const there = { cwd: repository, env: { ...env(), PATH: `${env().PATH}:${join(top, "bin")}` } };
    const doctor = async () => (await runHere(["doctor", "--no-start"], there)).stdout;
    expect(await doctor()).toContain("PATH names node_modules/.bin, but the workspace is not trusted");
    expect((await runHere(["trust", "--yes"], there)).code).toBe(0);
    expect(await doctor()).not.toContain("PATH names");
  });
});

describe("a program that we run ourselves", () => {
  const strange = (name: string, script: string) => {
    write(`repository/node_modules/.bin/${name}`, `#!/bin/sh\n: > "${join(top, "ran")}"\n${script}\n`);
    chmodSync(join(repository, "node_modules/.bin", name), 0o755);
  };
  const config = (more: string) =>
    write(
      "home/.config/lsp-proxy/config.toml",
      `[[servers]]\nid = "ts"\nkind = "typescript-language-server"\n${more}\n`,
    );

  it.runIf(process.platform === "linux")("is not the repository's: the sandbox and the limits", async () => {
    strange("bwrap", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
    strange("prlimit", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
    write("bin/typescript-language-server", "#!/bin/sh\nexit 3\n");
    chmodSync(join(top, "bin/typescript-language-server"), 0o755);
    config('sandbox = "read_only"\nlimits = { open_files = 256 }');
    write("repository/lspi.toml", '[workspace]\nroots = ["src"]\n');
    const PATH = `${env().PATH}:${join(top, "bin")}`;
    const args = JSON.stringify({ file_path: "a.ts", line: 1, character: 1 });
    for (const words of [[], ["-w", "src"]]) {
      const { stdout } = await runHere(["call", "get_hover", args, ...words], {
        cwd: repository,
        env: { ...env(), PATH },
      });
      expect(stdout).toContain("bubblewrap (`bwrap`) is not installed");
    }
    expect(existsSync(join(top, "ran"))).toBe(false);
  });

  it("is not the repository's: what installs, and what a look for versions starts", async () => {
    strange("npm", "exit 0");
    strange("interpreter", "exit 0");
    write("bin/perl", "#!/usr/bin/env interpreter\n");
    chmodSync(join(top, "bin/perl"), 0o755);
    const PATH = `${env().PATH}:${join(top, "bin")}:/usr/bin`;
    const there = { cwd: repository, env: { ...env(), PATH } };
    await runHere(["servers", "perl"], there);
    strange("pyright-langserver", "exit 0");
    await runHere(["verify", "pyright"], there);
    await runHere(["install", "pyright", "--yes"], { cwd: repository, env: env() });
    expect(existsSync(join(top, "ran"))).toBe(false);
  });

  it("is not asked for its version in the repository, where a shim would follow what that names", async () => {
    write("bin/rust-analyzer", `#!/bin/sh\npwd >> "${join(top, "asked")}"\necho 1.0\n`);
    chmodSync(join(top, "bin/rust-analyzer"), 0o755);
    write("repository/src/main.rs", "fn main() {}\n");
    const there = { cwd: repository, env: { ...env(), PATH: `${join(top, "bin")}:/bin` } };
    rmSync(join(top, "home/.config"), { recursive: true });
    for (const words of [["servers", "rust"], ["init", "--dry-run"], ["explain"]]) {
      await runHere(words, there);
      expect(readFileSync(join(top, "asked"), "utf8")).toMatch(/^.+$/m);
    }
    const folders = new Set(readFileSync(join(top, "asked"), "utf8").trim().split("\n"));
    expect([...folders]).toEqual([join(top, "bin")]);
  });
});

describe("a server that only the repository's packages have", () => {
  it("leads to trust, as a call, in `explain` and in `doctor`", async () => {
    rmSync(join(top, "home/.config"), { recursive: true });
    const there = { cwd: repository, env: { ...env(), PATH: join(top, "nowhere") } };
    const args = JSON.stringify({ file_path: "src/a.ts", line: 1, character: 1 });
    const { stdout } = await runHere(["call", "get_hover", args], there);
    expect(stdout).toContain("lies in the workspace, which is not trusted");
    expect(stdout).toContain("lsp-proxy trust");
    expect(stdout).not.toContain("Add a server");
    expect((await runHere(["explain"], there)).stdout).toContain("not trusted: `lsp-proxy trust`");
    const told = (await runHere(["doctor", "--no-start"], there)).stdout;
    expect(told).toContain("`typescript-language-server` is in the workspace, which is not trusted");
  });

  it("is none where its package says nonsense", async () => {
    rmSync(join(top, "home/.config"), { recursive: true });
    write("repository/node_modules/.bin/tsc", "");
    chmodSync(join(repository, "node_modules/.bin/tsc"), 0o755);
    write("repository/node_modules/.bin/package.json", "{");
    const { code, stderr } = await runHere(["init", "--dry-run"], { cwd: repository, env: env() });
    expect([code, stderr]).toEqual([0, expect.stringContaining("in node_modules/.bin, not trusted")]);
  });
});

describe("a server without what it loads beside it", () => {
  const install = (files: string[]) => {
    rmSync(join(repository, "node_modules"), { recursive: true });
    const modules = "prefix/lib/node_modules";
    write(`${modules}/typescript-language-server/lib/cli.mjs`, "#!/bin/sh\nexit 3\n");
    chmodSync(join(top, modules, "typescript-language-server/lib/cli.mjs"), 0o755);
    for (const file of files) write(`${modules}/typescript/lib/${file}`, "");
    mkdirSync(join(top, "prefix/bin"));
    symlinkSync(
      join(top, modules, "typescript-language-server/lib/cli.mjs"),
      join(top, "prefix/bin/typescript-language-server"),
    );
    return { cwd: repository, env: { ...env(), PATH: `${join(top, "prefix/bin")}:/bin` } };
  };

  it("is said to be so by `init`, `servers`, `doctor` and a call", async () => {
    const there = install(["tsc.js"]);
    const { code, stderr } = await runHere(["init", "--yes"], there);
    expect(stderr).toContain(
      "installed without typescript/lib/tsserver.js, which it loads: lsp-proxy install",
    );
    expect(code).toBe(1);
    const { stdout } = await runHere(["servers", "typescript-language-server"], there);
    expect(stdout).toContain("installed without typescript/lib/tsserver.js");
    const args = JSON.stringify({ file_path: "src/a.ts", line: 1, character: 1 });
    expect((await runHere(["call", "get_hover", args], there)).stdout).toContain("was sought beside");
    expect((await runHere(["doctor"], there)).stdout).toMatch(/was sought beside.*\n.*`lsp-proxy trust`/);
  });

  it("is installed with it, or where the workspace has it and would be trusted", async () => {
    const there = install(["tsserver.js"]);
    expect((await runHere(["init", "--dry-run"], there)).stderr).toMatch(
      /typescript-language-server +installed\n/,
    );
    rmSync(join(top, "prefix/lib/node_modules/typescript"), { recursive: true });
    write("repository/node_modules/typescript/lib/tsserver.js", "");
    expect((await runHere(["init", "--dry-run"], there)).stderr).toMatch(
      /typescript-language-server +installed\n/,
    );
  });
});

describe("what stands around a workspace", () => {
  const around = (folder: string, trusted: string[] = [], home = join(top, "home")) =>
    untrustedAround([folder], { env: { HOME: home } }, (above) => trusted.includes(above));

  it("is its outermost repository and each node_modules above it", () => {
    const inner = join(repository, "vendor/inner");
    mkdirSync(join(inner, ".git"), { recursive: true });
    write("node_modules/x", "");
    expect(around(join(inner, "src"))).toEqual([
      join(top, "node_modules"),
      repository,
      join(repository, "node_modules"),
      join(inner, "src"),
    ]);
  });

  it("ends at trusted folders, and at the user's home", () => {
    expect(around(join(repository, "src"), [repository])).toEqual([join(repository, "src")]);
    expect(around(join(repository, "src"), [], repository)).toEqual([join(repository, "src")]);
    expect([around(repository, [], repository), around(top, [], repository)]).toEqual([[], []]);
  });

  it("is compared by real paths", () => {
    symlinkSync(join(repository, "src"), join(top, "link"));
    expect(around(join(top, "link"))).toContain(repository);
  });
});

describe("a trusted folder and one that is not", () => {
  const server = '[[servers]]\nid = "x"\nkind = "vscode-eslint-language-server"\n';
  const program = "bin/vscode-eslint-language-server";
  beforeEach(async () => {
    for (const name of ["A", "B"]) write(`${name}/a.js`, "1;\n");
    write(program, "#!/bin/sh\nexit 3\n");
    chmodSync(join(top, program), 0o755);
    write("home/.config/lsp-proxy/config.toml", "");
    expect((await runHere(["trust", "--yes"], { cwd: join(top, "A"), env: env() })).code).toBe(0);
  });

  /** What comes of a call in each folder: whether the server was started there, which ends it at once. */
  const startedIn = async (cwd: string, roots: string[], ...words: string[]) => {
    const listed = roots.map((name) => JSON.stringify(join(top, name))).join(", ");
    const named = words.includes("--config") ? "elsewhere/named.toml" : "home/.config/lsp-proxy/config.toml";
    write(named, `${server}[workspace]\nroots = [${listed}]\n`);
    const there = { cwd: join(top, cwd), env: { ...env(), PATH: join(top, "bin") } };
    const started: { [root: string]: boolean } = {};
    for (const name of roots) {
      const args = JSON.stringify({ file_path: join(top, name, "a.js") });
      const { stdout } = await runHere(["call", "get_diagnostics", args, ...words], there);
      expect(stdout).toMatch(/exited with code 3|may run code of the workspace/);
      started[name] = stdout.includes("exited with code 3");
      const where = cwd === name && words.length === 0 ? "" : ` --workspace .*/${name}`;
      if (!started[name]) expect(stdout).toMatch(new RegExp(`lsp-proxy trust${where}\n`));
    }
    return started;
  };

  it("are checked one by one, wherever each is", async () => {
    for (const cwd of ["A", "B"]) {
      expect(await startedIn(cwd, ["B"])).toEqual({ B: false });
      expect(await startedIn(cwd, ["A"])).toEqual({ A: true });
      expect(await startedIn(cwd, ["A", "B"])).toEqual({ A: true, B: false });
      expect(await startedIn(cwd, ["B", "A"])).toEqual({ A: true, B: false });
    }
  });

  it("are so where the workspace is named", async () => {
    expect(await startedIn("B", ["A", "B"], "-w", join(top, "A"))).toEqual({ A: true, B: false });
  });

  it("are both trusted where the config that has them as roots is named", async () => {
    const named = join(top, "elsewhere/named.toml");
    for (const cwd of ["A", "B"])
      expect(await startedIn(cwd, ["A", "B"], "--config", named)).toEqual({ A: true, B: true });
  });

  it("are both trusted for a run that says so", async () => {
    expect(await startedIn("A", ["A", "B"], "--trust-workspace")).toEqual({ A: true, B: true });
  });
});
