/** install, upgrade, uninstall with package managers that the tests control: what they are told, and what stays after a failure. */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { managedServers, placeServer } from "../../src/cli/install/managed.js";
import { isMet, olderVersionIn } from "../../src/cli/install/versions.js";
import { type System, typed, waysFor } from "../../src/cli/install/ways.js";
import { INSTALL_RECORD } from "../../src/lsp/process/search.js";
import { runHere } from "./terminal.js";

let top = "";
const at = (...names: string[]) => join(top, ...names);
const servers = (...names: string[]) => at("home", ".local", "share", "lsp-proxy", "servers", ...names);

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-install-")));
  for (const name of ["ws", "home", "bin"]) mkdirSync(at(name));
  shell("node", "echo v20.1.0");
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
}

/** A program on the PATH of the tests; `script` is JavaScript that sees `args`, `fs`, `path`. */
function program(name: string, script: string): void {
  const head = `#!${process.execPath}\nconst fs = require("node:fs"), path = require("node:path"), args = process.argv.slice(2);\n`;
  const log = `fs.appendFileSync(${JSON.stringify(at(`${name}.log`))}, JSON.stringify({ args, cwd: process.cwd(), env: process.env }) + "\\n");\n`;
  write(`bin/${name}`, `${head}${log}${script}\n`);
  chmodSync(at("bin", name), 0o755);
}

/** The same of a shell, which starts faster. */
function shell(name: string, script: string): void {
  write(`bin/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(at("bin", name), 0o755);
}

const ran = (name: string): { args: string[]; cwd: string; env: { [name: string]: string } }[] =>
  existsSync(at(`${name}.log`))
    ? readFileSync(at(`${name}.log`), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];

/** An npm that installs a package with one program. `view` answers with the given entries, or fails. */
function npm({ version = "1.2.3", program: name = "pyright-langserver", view = "", before = "" } = {}): void {
  program(
    "npm",
    `if (args[0] === "view") { ${view} }
const folder = args[args.indexOf("--prefix") + 1];
const put = (file, text, mode) => { file = path.join(folder, file); fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, text, { mode }); };
put("node_modules/half", "written");
${before}
for (const spec of args.slice(1).filter((word) => /^[@a-z]/.test(word) && word !== folder)) {
  const name = spec.replace(/(?<=.)@.*$/, "");
  put("node_modules/" + name + "/package.json", JSON.stringify({ name, version: /(?<=.)@(\\d+\\.\\d.*)$/.exec(spec)?.[1] ?? "${version}" }));
}
put("node_modules/.bin/${name}", "#!/bin/sh\\necho Version ${version}\\n", 0o755);`,
  );
  if (view !== "") return;
  renameSync(at("bin/npm"), at("npm.cjs"));
  shell("npm", `[ "$1" = view ] && exit 1\nexec "${process.execPath}" "${at("npm.cjs")}" "$@"`);
}

const environment = () => ({ PATH: at("bin"), HOME: at("home"), XDG_DATA_HOME: "" });
const proxy = (args: string[], more: { typed?: string; env?: { [name: string]: string } } = {}) =>
  runHere(args, { cwd: at("ws"), ...more, env: { ...environment(), ...more.env } });

describe("install", () => {
  it("puts a server into our own folder, neither into the project nor for everybody, without a question", async () => {
    npm();
    const { code, stdout, stderr } = await proxy(["install", "pyright"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`pyright 1.2.3 is installed in ${servers("pyright", "1.2.3")}\n`);
    expect(readdirSync(servers("pyright"))).toEqual(["1.2.3"]);
    const call = ran("npm").find(({ args }) => args[0] === "install");
    expect(call?.args).toContain("--global=false");
    expect(call?.args.join(" ")).not.toMatch(/--save-dev|--global(?!=false)|\s-g\b/);
    expect(call?.cwd.startsWith(servers("pyright"))).toBe(true);
    expect(readdirSync(at("ws"))).toEqual([]);
    expect((await proxy(["install", "pyright"])).stdout).toBe("pyright is already installed\n");
    expect((await proxy(["servers", "pyright"])).stdout).toMatch(/^here +installed$/m);
  });

  it.each(["typescript", "typescript-language-server", "vtsls"])(
    "%s never changes the project's own compiler",
    async (id) => {
      const program = { typescript: "tsc" }[id] ?? id;
      npm({ program, version: "7.1.0", before: 'put("node_modules/typescript/lib/tsserver.js", "");' });
      write("ws/package.json", '{ "devDependencies": { "typescript": "5.4" } }\n');
      const { code, stderr } = await proxy(["install", id, "--trust-workspace", "--yes"]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(readdirSync(at("ws"))).toEqual(["package.json"]);
      expect(readFileSync(at("ws/package.json"), "utf8")).toContain('"5.4"');
      if (id === "typescript-language-server") expect(ran("npm").at(-1)?.args).toContain("typescript@5");
    },
  );

  it("installs several; one that fails does not stop the others, and is reported with its last lines", async () => {
    npm({
      before:
        'if (args.includes("yaml-language-server")) { console.error("npm error 404 no such package"); process.exit(9); }',
    });
    program("bash-language-server", "");
    const { code, stdout, stderr } = await proxy(["install", "yaml-language-server", "pyright"]);
    expect(code).toBe(1);
    expect(stdout).toContain("pyright 1.2.3 is installed in ");
    expect(stderr).toContain("  npm error 404 no such package\n");
    expect(stderr).toMatch(/yaml-language-server was not installed: `npm install .*` ended with 9/);
    expect(existsSync(servers("yaml-language-server"))).toBe(false);
  });

  it("without a name installs what the workspace needs, and then nothing more", async () => {
    npm();
    write("ws/a.py", "x = 1\n");
    expect((await proxy(["install"])).stdout).toContain("pyright 1.2.3 is installed in ");
    expect((await proxy(["install"])).stdout).toBe("every server that the workspace needs is installed\n");
  });

  it("leaves nothing when the packages lack the program, and says so", async () => {
    npm({ program: "another" });
    const { code, stderr } = await proxy(["install", "pyright"]);
    expect(code).toBe(1);
    expect(stderr).toContain("they contain no program `pyright-langserver`");
    expect(existsSync(servers("pyright"))).toBe(false);
  });

  it("killed half-way, leaves no installation, and the next removes what is left", async () => {
    npm({
      before: `fs.writeFileSync(${JSON.stringify(at("half-way"))}, ""); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000);`,
    });
    const bin = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));
    const child = spawn(process.execPath, [bin, "install", "pyright"], {
      cwd: at("ws"),
      env: environment(),
      stdio: "ignore",
      detached: true,
    });
    await expect.poll(() => existsSync(at("half-way"))).toBe(true);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
    expect(readdirSync(servers("pyright"))).toEqual([expect.stringMatching(/^\.new-/)]);
    expect((await proxy(["install", "--list"])).stdout).toContain("no server is installed");
    expect((await proxy(["servers", "pyright"])).stdout).toMatch(/^here +not installed/m);
    npm();
    expect((await proxy(["install", "pyright"])).code).toBe(0);
    expect(readdirSync(servers("pyright"))).toEqual(["1.2.3"]);
  });

  it("is not steered by the project: neither its PATH, nor what npm hands on from its settings", async () => {
    npm();
    mkdirSync(at("ws/node_modules/.bin"), { recursive: true });
    write("ws/node_modules/.bin/npm", `#!/bin/sh\n: > ${at("evil")}\n`);
    chmodSync(at("ws/node_modules/.bin/npm"), 0o755);
    const env = {
      PATH: `${at("ws/node_modules/.bin")}:${at("bin")}`,
      npm_execpath: "/npm-cli.js",
      npm_config_registry: "https://evil.invalid/",
      npm_config_userconfig: at("ws/.npmrc"),
      PIP_CONFIG_FILE: at("ws/pip.conf"),
    };
    write("ws/pip.conf", "");
    expect((await proxy(["install", "pyright"], { env })).code).toBe(0);
    expect(existsSync(at("evil"))).toBe(false);
    const seen = ran("npm").at(-1)?.env ?? {};
    expect(Object.keys(seen).filter((name) => /^(npm_|PIP_CONFIG_FILE)/i.test(name))).toEqual([]);
  });

  it("refuses a data folder in an untrusted workspace", async () => {
    npm();
    const { code, stderr } = await proxy(["install", "pyright"], { env: { XDG_DATA_HOME: at("ws/data") } });
    expect([code, stderr]).toEqual([1, expect.stringContaining("not trusted")]);
    expect(ran("npm").filter(({ args }) => args[0] === "install")).toEqual([]);
  });

  it("shows a command that changes the system, and runs it only after a yes", async () => {
    program("apt-get", "");
    const command = `$ ${process.getuid?.() === 0 ? "" : "sudo "}apt-get install -y ccls\n`;
    const refused = await proxy(["install", "ccls"]);
    expect(refused).toMatchObject({ code: 1, stdout: command, stderr: expect.stringContaining("--yes") });
    expect((await proxy(["install", "ccls"], { typed: "no\n" })).code).toBe(1);
    expect(ran("apt-get")).toEqual([]);
    if (process.getuid?.() !== 0) program("sudo", "");
    await proxy(["install", "ccls", "--yes"]);
    const [run] = [...ran("apt-get"), ...ran("sudo")];
    expect(run?.args.slice(-3)).toEqual(["install", "-y", "ccls"]);
    expect(run?.cwd).toBe(at("home"));
    program("apt-get", "console.error('E: Unable to locate package'); process.exit(100);");
    const failed = await proxy(["install", "ccls", "--yes"]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("`apt-get update`");
  });

  it("says what is missing, what page to see, and what was meant", async () => {
    const none = await proxy(["install", "pyright"]);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("install `npm` first") });
    const page = await proxy(["install", "gdscript"]);
    expect(page).toMatchObject({ code: 1, stdout: expect.stringContaining("see https://") });
    expect((await proxy(["install", "pyrigth"])).stderr).toContain("did you mean `pyright`?");
  });

  it("counts seconds on a terminal and prints nothing in a pipe", async () => {
    npm({ before: "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);" });
    const { stderr } = await proxy(["install", "pyright"], { typed: "" });
    expect(stderr).toMatch(/\d+ s {2}installing pyright: npm install/);
    rmSync(servers("pyright"), { recursive: true });
    expect((await proxy(["install", "pyright"])).stderr).toBe("");
  });
});

describe("other package managers", () => {
  const put = `const put = (file, text, mode) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, text, { mode }); };`;
  const program0 = '"#!/bin/sh\\nexit 0\\n", 0o755';

  it("go: takes the newest version that the installed Go can build", async () => {
    program(
      "go",
      `${put}
const last = args.at(-1), print = (value) => console.log(typeof value === "string" ? value : JSON.stringify(value));
if (args[0] === "env") print("go1.26.8");
else if (args[0] === "list" && args.includes("-versions")) print({ Version: "v0.24.0", Versions: ["v0.22.0", "v0.23.0", "v0.24.0-pre.1", "v0.24.0"] });
else if (args[0] === "list" && args.includes("-json")) print({ GoVersion: { "v0.24.0": "1.27.0", "v0.23.0": "1.26" }[last.split("@")[1]] });
else if (args[0] === "list") print(last);
else put(path.join(process.env.GOBIN, "gopls"), ${program0});`,
    );
    expect((await proxy(["install", "gopls"])).stdout).toContain("gopls 0.23.0 is installed");
    expect(ran("go").at(-1)).toMatchObject({
      args: ["install", "golang.org/x/tools/gopls@v0.23.0"],
      env: { GOTOOLCHAIN: "local" },
    });
  });

  it("cargo: installs below our folder, and takes the older version that cargo names", async () => {
    program(
      "cargo",
      `${put}
if (!args.at(-1).includes("@")) { console.error("error: cannot install package \`just-lsp 0.9.0\`, it requires rustc 1.99 or newer\\n\`just-lsp 0.3.1\` supports rustc 1.85"); process.exit(101); }
const root = args[args.indexOf("--root") + 1];
put(path.join(root, "bin/just-lsp"), ${program0});
put(path.join(root, ".crates.toml"), '[v1]\\n"just-lsp 0.3.1 (registry+https://x)" = ["just-lsp"]\\n');`,
    );
    expect((await proxy(["install", "just-lsp"])).stdout).toContain("just-lsp 0.3.1 is installed");
    expect(ran("cargo").at(-1)?.args).toContain("just-lsp@0.3.1");
    expect(existsSync(servers("just-lsp", "0.3.1", "target"))).toBe(false);
  });

  it("npm: takes the newest version whose engines the installed Node meets", async () => {
    const entry = (version: string, node: string) => ({ name: "pyright", version, engines: { node } });
    const all = JSON.stringify([entry("1.0.0", ">=14"), entry("1.1.0", ">=18.0"), entry("2.0.0", ">=22")]);
    npm({
      view: `console.log(args[1].includes("<=") ? ${JSON.stringify(all)} : ${JSON.stringify(JSON.stringify(entry("2.0.0", ">=22")))}); process.exit(0);`,
    });
    expect((await proxy(["install", "pyright"])).stdout).toContain("pyright 1.1.0 is installed");
  });

  it("gem: is started with our folder of gems, by its place in the end", async () => {
    program(
      "gem",
      `${put}
const of = (name) => args[args.indexOf(name) + 1];
put(path.join(of("--bindir"), "solargraph"), '#!/bin/sh\\necho "$GEM_PATH"\\n', 0o755);
put(path.join(of("--install-dir"), "gems/solargraph-0.50.1/x"), "");`,
    );
    expect((await proxy(["install", "solargraph"])).stdout).toContain("solargraph 0.50.1 is installed");
    const launcher = readFileSync(servers("solargraph", "0.50.1", "bin", "solargraph"), "utf8");
    expect(launcher).toContain(`GEM_PATH='${servers("solargraph", "0.50.1", "gems")}'`);
    expect(launcher).not.toContain(".new-");
  });

  it("dotnet and rustup: a tool path of ours, and a link to the component of the toolchain", async () => {
    program(
      "dotnet",
      `${put}
const tools = args[args.indexOf("--tool-path") + 1];
put(path.join(tools, "csharp-ls"), ${program0});
put(path.join(tools, ".store/csharp-ls/0.19.0/x"), "");`,
    );
    expect((await proxy(["install", "csharp-ls"])).stdout).toContain("csharp-ls 0.19.0 is installed");
    program(
      "rustup",
      `${put}
const file = ${JSON.stringify(at("toolchain/bin/rust-analyzer"))};
if (args[0] === "which") console.log(file);
else put(file, "#!/bin/sh\\necho rust-analyzer 1.95.0 '(59807616 2026-03-21)'\\n", 0o755);`,
    );
    expect((await proxy(["install", "rust-analyzer"])).stdout).toContain("rust-analyzer 1.95.0 is installed");
    expect(realpathSync(servers("rust-analyzer", "1.95.0", "bin", "rust-analyzer"))).toBe(
      at("toolchain/bin/rust-analyzer"),
    );
  });

  it("reads the hints of Cargo and RubyGems, and npm's ranges", () => {
    const ruby =
      "The last version of solargraph (>= 0) to support your Ruby & RubyGems was 0.50.0. Try installing it with";
    expect(olderVersionIn(ruby)).toBe("0.50.0");
    expect(olderVersionIn("error: something else")).toBeUndefined();
    const met = [
      "^20.0.0 || >=22",
      ">= 18 <21",
      "20.x",
      ">19",
      "~20.1",
      "*",
      undefined,
      "18 - 20",
      "18.x - 20.x",
    ];
    met.push(
      "16 - 17 || v20.0.0 - 20.1",
      "<=20",
      "<=20.1.0",
      "~20",
      "^20.1",
      "20.1.x",
      "",
      "node 22 or later",
    );
    expect(met.filter((range) => !isMet(range, "v20.1.0"))).toEqual([]);
    const unmet = [
      "^22.0.0 || >=24",
      ">=20.2",
      "<20",
      "18",
      ">20.1.0",
      "16 - 18",
      "21 - 22",
      ">20",
      "18 - 20.0",
      "~20.0",
      "~20.0.9 || ~18.17",
      "20.0.x",
      "^0.10.0",
    ];
    expect(unmet.filter((range) => isMet(range, "v20.1.0"))).toEqual([]);
    const [newer, nightly] = ["v18.18.2\n", "v22.0.0-nightly20260101\n"];
    expect(["~18.17", "^18.17", "18.17 - 18.18"].map((range) => isMet(range, newer))).toEqual([
      false,
      true,
      true,
    ]);
    // The test versions of Node count as what they become.
    expect([">=20", ">=22", "22.x", "<22", ">=22.1"].map((range) => isMet(range, nightly))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("what is installed", () => {
  it("is listed with version and size, upgraded, and removed without a trace", async () => {
    npm();
    await proxy(["install", "pyright"]);
    const listed = await proxy(["install", "--list"]);
    expect(listed.stdout).toMatch(/^pyright +1\.2\.3 +npm +\d+ B +\//m);
    const json = JSON.parse((await proxy(["install", "--list", "--json"])).stdout);
    expect(json.servers).toEqual([expect.objectContaining({ id: "pyright", bytes: expect.any(Number) })]);
    const installs = () => ran("npm").filter(({ args }) => args[0] === "install").length;
    // Where the registry does not tell, it is installed again and compared.
    expect((await proxy(["upgrade"])).stdout).toContain("pyright 1.2.3 is installed in ");
    expect([installs(), readdirSync(servers("pyright"))]).toEqual([2, ["1.2.3"]]);
    npm({ view: 'console.log(JSON.stringify({ name: "pyright", version: "1.2.3" })); process.exit(0);' });
    expect((await proxy(["upgrade"])).stdout).toBe("pyright 1.2.3 is the newest version\n");
    expect(installs()).toBe(2);
    npm({ before: "process.exit(3);" });
    expect((await proxy(["upgrade", "pyright"])).code).toBe(1);
    expect(readdirSync(servers("pyright"))).toEqual(["1.2.3"]);
    npm({ version: "1.3.0" });
    expect((await proxy(["upgrade", "pyright"])).code).toBe(0);
    expect(readdirSync(servers("pyright"))).toEqual(["1.3.0"]);
    expect((await proxy(["uninstall", "pyright"])).stdout).toBe("pyright is removed\n");
    expect(readdirSync(servers())).toEqual([]);
    const gone = await proxy(["uninstall", "pyright"]);
    expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining("is not installed") });
  });

  it("is found after the trusted project's own that fits, and before PATH and the folders of tools", async () => {
    const put = (name: string, version: string) => {
      write(name, `#!/bin/sh\necho Version ${version}\n`);
      chmodSync(at(name), 0o755);
    };
    write("ws/a.ts", "export const a = 1;\n");
    const where = async (...args: string[]) => (await proxy(["explain", ...args])).stdout;
    put("home/.local/bin/tsc", "7.0.3");
    expect(await where()).toContain(at("home/.local/bin/tsc"));
    put("bin/tsc", "7.0.2");
    expect(await where()).toContain(at("bin/tsc"));
    npm({ program: "tsc", version: "7.0.1" });
    rmSync(at("bin/tsc"));
    rmSync(at("home/.local/bin/tsc"));
    await proxy(["install", "typescript"]);
    put("bin/tsc", "7.0.2");
    expect(await where()).toContain(servers("typescript", "7.0.1", "bin", "tsc"));
    // The project's own compiler is too old for `--lsp`: it is passed over.
    put("ws/node_modules/typescript/bin/tsc", "5.4.0");
    write("ws/node_modules/typescript/package.json", '{ "version": "5.4.0" }');
    mkdirSync(at("ws/node_modules/.bin"), { recursive: true });
    put("ws/node_modules/.bin/tsc", "5.4.0");
    write("ws/node_modules/.bin/package.json", '{ "version": "5.4.0" }');
    expect(await where("--trust-workspace")).toContain(servers("typescript", "7.0.1", "bin", "tsc"));
    put("ws/node_modules/.bin/tsc", "7.0.0");
    write("ws/node_modules/.bin/package.json", '{ "version": "7.0.0" }');
    expect(await where("--trust-workspace")).toContain(at("ws/node_modules/.bin/tsc"));
    expect(await where()).toContain(servers("typescript", "7.0.1", "bin", "tsc"));
  });

  it("is named where a language has no server", async () => {
    write("ws/main.c", "int main(void) { return 0; }\n");
    const listed = '[allow]\ncommands = ["gopls"]\n[[servers]]\nid = "go"\nkind = "gopls"\n';
    write("ws/lspi.toml", listed);
    const call = await proxy([
      "call",
      "get_document_symbols",
      '{"file_path":"main.c"}',
      "--config",
      "lspi.toml",
    ]);
    expect(call.stdout).toContain("route/no-server");
    expect(call.stdout).toContain("lsp-proxy install clangd\nNext: lsp-proxy add clangd");
    const doctor = await proxy(["doctor", "--no-start", "--config", "lspi.toml"]);
    expect(doctor.stdout).toMatch(
      /language +c: 1 file, and no server for it\n.*`lsp-proxy install clangd`, then `lsp-proxy add clangd`/,
    );
    // A config that lists no server uses one as soon as it is installed.
    write("ws/lspi.toml", '[allow]\neffects = ["read", "edit"]\n');
    const named = ["--config", "lspi.toml"];
    const unlisted = await proxy(["call", "get_document_symbols", '{"file_path":"main.c"}', ...named]);
    expect(unlisted.stdout).toContain("lsp-proxy install clangd");
    expect(unlisted.stdout).not.toContain("lsp-proxy add");
    const advice = await proxy(["doctor", "--no-start", ...named]);
    expect(advice.stdout).toMatch(
      /language +c: 1 file, and no server for it\n +→ `lsp-proxy install clangd`\n/,
    );
    write("ws/a.py", "x = 1\n");
    write("ws/b.py", "y = 1\n");
    program("pyright-langserver", "");
    write("ws/lspi.toml", listed);
    const installed = await proxy(["doctor", "--no-start", "--config", "lspi.toml"]);
    expect(installed.stdout).toMatch(/language +python: 2 files, .*\n +→ `lsp-proxy add pyright`\n/);
    write("bare/a.c", "int a;\n");
    write("bare/b.c", "int b;\n");
    const bare = await proxy(["doctor", "--no-start", "--workspace", at("bare")]);
    // Without a config a server is used as soon as it is installed.
    expect(bare.stdout).toMatch(
      /language +c: 2 files, and no server for them\n +→ `lsp-proxy install clangd`\n/,
    );
    rmSync(at("ws/lspi.toml"));
    const init = await proxy(["init", "--yes"]);
    expect(init.stdout).toContain("`lsp-proxy install clangd`");
    write("ws/lspi.toml", '[allow]\ncommands = ["gopls"]\n[[servers]]\nid = "go"\nkind = "gopls"\n');
    write("ws/main.go", "package main\n");
    const missing = await proxy([
      "call",
      "get_document_symbols",
      '{"file_path":"main.go"}',
      "--config",
      "lspi.toml",
    ]);
    expect(missing.stdout).toContain("lsp/not-installed");
    expect(missing.stdout).toContain("lsp-proxy install gopls");
  });
});

describe("the ways", () => {
  const debian: System = { os: "linux", cpu: "x64", isRoot: false, has: (name) => name === "apt-get" };

  it("are those of the managers that are here, with sudo and -y where the system is changed", () => {
    const install = { npm: ["x"], system: { apt: ["x", "y"], brew: ["x"] }, see: "https://x" };
    const ways = waysFor(install, debian);
    expect(ways.map(({ kind }) => kind)).toEqual(["command", "see"]);
    const words = ways.flatMap((way) => (way.kind === "command" ? way.words : []));
    expect(typed(words)).toBe("sudo apt-get install -y x y");
    const root = waysFor(install, { ...debian, isRoot: true, has: () => true });
    expect(root.map((way) => (way.kind === "command" ? typed(way.words) : way.kind))).toEqual([
      "managed",
      "apt-get install -y x y",
      "brew install x",
      "see",
    ]);
  });
});

it("a command reads as a shell takes it, whatever is in its words", () => {
  const words = ["printf", "%s\\n", "it's", "a b", "$HOME"];
  const { stdout } = spawnSync("sh", ["-c", typed(words)], { encoding: "utf8" });
  expect(stdout).toBe("it's\na b\n$HOME\n");
});

describe("a version whose record is damaged or missing", () => {
  const place = (text: string) =>
    placeServer(
      servers(),
      "x",
      async (folder) => {
        writeFileSync(join(folder, "program"), text);
        return { id: "x", version: "1", by: "npm", program: "program" };
      },
      () => {},
    );
  const record = () => join(servers(), "x", "1", INSTALL_RECORD);

  it.each(["", "{", "[]", '{"id": 1}'])("is listed, and installed anew: %j", async (damage) => {
    await place("old");
    writeFileSync(record(), damage);
    expect(managedServers(servers())).toMatchObject([{ id: "x", version: "1", by: "unknown" }]);
    expect(await place("new")).toMatchObject({ version: "1", by: "npm" });
    expect(readFileSync(join(servers(), "x", "1", "program"), "utf8")).toBe("new");
    expect(managedServers(servers())).toMatchObject([{ id: "x", version: "1", by: "npm" }]);
  });

  it("is installed again where the record is missing", async () => {
    await place("old");
    rmSync(record());
    expect(managedServers(servers())).toEqual([]);
    await place("new");
    expect(readFileSync(join(servers(), "x", "1", "program"), "utf8")).toBe("new");
    expect(readdirSync(join(servers(), "x"))).toEqual(["1"]);
  });
});
