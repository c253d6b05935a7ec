/** The commands around the catalogue: servers, init, add, remove. */
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
import { openCatalogue } from "../../src/cli/presets.js";
import { schemaUrl } from "../../src/cli/shipped.js";
import { runHere } from "./terminal.js";

let folder = "";
let bin = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-catalogue-")));
  // Beside the workspace: one that nobody trusts provides no program.
  bin = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-programs-")));
});
afterEach(() => {
  for (const made of [folder, bin]) rmSync(made, { recursive: true, force: true });
});

const write = (name: string, text: string) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};
const read = (name: string) => readFileSync(join(folder, name), "utf8");
/** Puts a program on the PATH that these tests use, which has nothing else on it. */
const program = (name: string, script = "exit 0") => {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
};
const proxy = (args: string[], options: { typed?: string } = {}) =>
  runHere(args, { cwd: folder, env: { PATH: bin, HOME: bin }, ...options });

describe("servers", () => {
  it("is a table that can be searched by name, language and extension", async () => {
    program("gopls");
    const { code, stdout } = await proxy(["servers", "go"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^server +about +languages +role +here\n/);
    expect(stdout).toMatch(/^gopls +Go +go, gomod, gowork +preferred +installed$/m);
    expect(stdout).toMatch(/^golangci-lint-langserver +golangci-lint as diagnostics +go +companion$/m);
    expect((await proxy(["servers", ".rs"])).stdout).toMatch(/^rust-analyzer /m);
    expect((await proxy(["servers", "--installed"])).stdout).toMatch(/^1 servers?, 1 installed/m);
    expect((await proxy(["servers", "nothing-of-the-kind"])).code).toBe(1);
  });

  it("finds a language by its common names, and only its own servers", async () => {
    const idsFor = async (search: string) =>
      JSON.parse((await proxy(["servers", search, "--json"])).stdout).servers.map(
        ({ id }: { id: string }) => id,
      );
    expect((await idsFor("golang"))[0]).toBe("gopls");
    expect(await idsFor("golang")).toContain("golangci-lint-langserver");
    expect(await idsFor("c#")).toEqual(expect.arrayContaining(["csharp-ls", "omnisharp"]));
    expect((await idsFor("C++"))[0]).toBe("clangd");
    const java = await idsFor("java");
    expect(java[0]).toBe("jdtls");
    expect(java).toContain("java-language-server");
    expect(java).not.toContain("typescript");
    expect(await idsFor("c")).not.toContain("clojure-lsp");
    // A part of a name is still found.
    expect(await idsFor("pyri")).toEqual(["pyright", "basedpyright"]);
  });

  it("lists a language's preferred server first, with the reason, then the others by name", async () => {
    const { stdout } = await proxy(["servers", "python"]);
    const rows = stdout.slice(0, stdout.indexOf("\n\n")).split("\n").slice(1);
    const ids = rows.map((row) => row.split(" ")[0]);
    expect(ids[0]).toBe("pyright");
    const companions = rows.filter((row) => / companion\b/.test(row)).length;
    expect(companions).toBeGreaterThan(0);
    expect(rows.slice(-companions).every((row) => / companion\b/.test(row))).toBe(true);
    const others = ids.slice(1, -companions);
    expect(others).toEqual(others.toSorted());
    expect(rows.filter((row) => row.includes("preferred"))).toHaveLength(1);
    expect(stdout).toContain("\npyright is preferred for python: It type-checks");
    // A server of the language's own name is told whole, and the others with it.
    expect((await proxy(["servers", "typescript"])).stdout).toMatch(/^others .*typescript-language-server/m);
  });

  it("says what it waits for when a program is slow to print its version", async () => {
    program("tsc", "/bin/sleep 3; echo Version 7.0.1");
    const { stdout, stderr } = await proxy(["servers", ".ts"], { typed: "" });
    expect(stderr).toMatch(/\d s {2}looking for language servers/);
    expect((await proxy(["servers", ".ts"])).stderr).toBe("");
    expect(stdout).toMatch(/^typescript .*installed$/m);
  });

  it("status says on a terminal that servers are being started", async () => {
    write("main.go", "package main\n");
    program("gopls", "exec /bin/sleep 3");
    write("status.toml", '[allow]\ncommands = ["gopls"]\n[[servers]]\nid = "go"\nkind = "gopls"\n');
    const { stderr } = await proxy(["status", "--config", "status.toml"], { typed: "" });
    expect(stderr).toMatch(/\d s {2}starting the language servers/);
  });

  it("shows everything about one server, also as JSON", async () => {
    const { stdout } = await proxy(["servers", "ts_ls"]);
    expect(stdout).toMatch(/^server +typescript-language-server, ts_ls/m);
    expect(stdout).toMatch(/^starts +typescript-language-server --stdio$/m);
    expect(stdout).toMatch(/^here +not installed$/m);
    const all = JSON.parse((await proxy(["servers", "--json"])).stdout);
    expect(all.servers.length).toBeGreaterThanOrEqual(400);
    expect(all.servers.find(({ id }: { id: string }) => id === "ruff")).toMatchObject({ role: "companion" });
  });
});

describe("init", () => {
  beforeEach(() => {
    for (const name of ["a.go", "b.go", "go.mod", "main.py", "ignored/x.rs"]) write(name, "");
    write(".gitignore", "ignored/\nbin/\n");
    program("gopls");
  });

  it("lists the languages of the files here, each with its number of files", async () => {
    for (const name of ["main.tf", "a.ts", "b.ts", "c.tsx"]) write(name, "");
    const { stderr } = await proxy(["init", "--dry-run", "--all"]);
    expect(stderr).toMatch(/^\d +typescript \(2\), typescriptreact \(1\) +3 +\*\.ts, \*\.tsx +typescript /m);
    expect(stderr).toMatch(/^\d +terraform +1 +\*\.tf +terraform-ls /m);
  });

  it("does not write a server that a stack makes needless", async () => {
    mkdirSync(join(folder, "vue"));
    for (const name of ["vue/a.vue", "vue/b.ts"]) write(name, "");
    const { stdout } = await proxy(["init", "-w", "vue", "--all", "--yes"]);
    expect(stdout).toMatch(/ with 2 servers\n/);
    expect(stdout).toContain("`lsp-proxy install vtsls`");
    expect(stdout).not.toContain("install typescript`");
    expect(read("vue/lspi.toml")).not.toContain("typescript");
  });

  it("a workspace that is not a folder is reported by every command that reads one", async () => {
    write("file", "");
    for (const command of ["doctor", "validate", "init", "servers", "status", "tools"]) {
      const away = await proxy([command, "-w", "nowhere"]);
      expect(away, command).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("nowhere does not exist"),
      });
    }
    expect((await proxy(["doctor", "-w", "file"])).stderr).toContain("file is not a folder");
  });

  it("writes the installed servers for the files here, none of the rest, and the result is a valid config", async () => {
    const { code, stdout, stderr } = await proxy(["init"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^1 +go \(2\), gomod \(1\) +3 +\*\.go, go\.mod +gopls +installed$/m);
    expect(stderr).toMatch(/^2 +python +1 +\*\.py +pyright +not installed: lsp-proxy install pyright$/m);
    expect(stderr).not.toContain("rust");
    expect(stdout).toContain(`wrote ${join(folder, "lspi.toml")} with 1 server\n`);
    expect(read("lspi.toml")).toContain('commands = ["gopls"]');
    expect(read("lspi.toml")).toContain("# go (2), gomod (1): 3 files (*.go, go.mod).");
    expect(read("lspi.toml")).toContain('\n[[servers]]\nid = "gopls"\nkind = "gopls"\n');
    expect(read("lspi.toml")).not.toContain("pyright");
    expect(stdout).toContain("not served: python, 1 file. `lsp-proxy install pyright` installs a server");
    const valid = await proxy(["validate", "--config", "lspi.toml"]);
    expect(valid).toMatchObject({ code: 0 });
    expect(valid.stdout).toContain("1 server, ");
  });

  it("writes at most 30 lines for a language, without the notes of a preset, and a second time proposes nothing for its own file", async () => {
    const catalogue = openCatalogue();
    for (const preset of ["clangd", "gopls", "pyright", "rust-analyzer", "typescript-language-server"]) {
      rmSync(folder, { recursive: true });
      for (const extension of catalogue.preset(preset)?.config.extensions ?? []) write(`a.${extension}`, "");
      for (const name of ["README.md", "Makefile", "a.sql", "a.rst", "a.svg"]) write(name, "");
      expect(
        await proxy([
          "init",
          "--yes",
          "--only",
          preset === "typescript-language-server" ? "typescript" : preset,
        ]),
        preset,
      ).toMatchObject({ code: 0 });
      const text = read("lspi.toml");
      expect(text.split("\n").length, text).toBeLessThanOrEqual(30);
      // `#:schema` is for editors.
      expect(text.split("\n").filter((line) => /^#(?!:)/.test(line)).length, text).toBeLessThanOrEqual(3);
      const again = await proxy(["init", "--dry-run", "--all"]);
      expect(again.stderr + again.stdout).not.toContain("toml");
    }
  });

  it("never replaces a file unasked", async () => {
    write("lspi.toml", "# mine\n");
    expect(await proxy(["init", "--yes"])).toMatchObject({ code: 1 });
    expect(read("lspi.toml")).toBe("# mine\n");
    expect(await proxy(["init", "--yes", "--force"])).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toContain("gopls");
  });

  it("asks on a terminal which to take", async () => {
    const { code, stderr } = await proxy(["init"], { typed: "2\n" });
    expect(code).toBe(0);
    expect(stderr).toContain(
      "Which to use? Numbers (1 3-5), all, none, or Enter for those that are here (1):",
    );
    expect(read("lspi.toml")).toContain('commands = ["pyright-langserver"]');
    expect(read("lspi.toml")).not.toContain("gopls");
    expect(await proxy(["init", "--force"], { typed: "\n" })).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toContain('commands = ["gopls"]');
  });

  it("takes flags for scripts", async () => {
    const dry = await proxy(["init", "--dry-run", "--all", "--only", "python"]);
    expect(dry.stdout).toContain('commands = ["pyright-langserver"]');
    expect(existsSync(join(folder, "lspi.toml"))).toBe(false);
    expect(await proxy(["init", "--yes", "--output", "other.toml"])).toMatchObject({ code: 0 });
    expect(read("other.toml")).toContain("gopls");
  });

  it("asks again when an answer is not understood, and takes ranges and words", async () => {
    const { code, stderr } = await proxy(["init"], { typed: "9\nx\n1-2\n" });
    expect(code).toBe(0);
    expect(stderr).toContain("`9` is not a number from 1 to 2");
    expect(stderr).toContain("`x` is not a number from 1 to 2");
    expect(read("lspi.toml")).toContain('commands = ["gopls", "pyright-langserver"]');
    expect(await proxy(["init", "--force"], { typed: "all\n" })).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toContain('commands = ["gopls", "pyright-langserver"]');
  });

  it("writes nothing without a server, and says what to do", async () => {
    const none = await proxy(["init"], { typed: "none\n" });
    expect(none).toMatchObject({ code: 1 });
    expect(none.stderr).toContain("no server was chosen, so nothing was written");
    rmSync(join(bin, "gopls"));
    expect(await proxy(["init", "--yes"])).toMatchObject({ code: 1 });
    for (const [name, told] of [
      ["pythn", "did you mean `python`?"],
      ["eslint", "`lsp-proxy add` takes any server"],
    ] as const) {
      const wrong = await proxy(["init", "--yes", "--only", name]);
      expect(wrong).toMatchObject({ code: 2 });
      expect(wrong.stderr).toContain(told);
    }
    expect(existsSync(join(folder, "lspi.toml"))).toBe(false);
    expect(await proxy(["init", "--yes", "--only", "python"])).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toContain('commands = ["pyright-langserver"]');
    expect(read("lspi.toml")).toContain("# Not installed here: lsp-proxy install pyright");
  });

  it("finds servers in node_modules/.bin without starting them, and says what they need", async () => {
    write("a.ts", "");
    write("node_modules/typescript/package.json", '{ "name": "typescript", "version": "7.0.1" }');
    write("node_modules/typescript/bin/tsc", `#!/bin/sh\ntouch ${folder}/started\n`);
    mkdirSync(join(folder, "node_modules/.bin"));
    symlinkSync("../typescript/bin/tsc", join(folder, "node_modules/.bin/tsc"));
    chmodSync(join(folder, "node_modules/typescript/bin/tsc"), 0o755);
    const { code, stderr } = await proxy(["init", "--yes"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/typescript +in node_modules\/\.bin, not trusted: `lsp-proxy trust`/);
    expect(read("lspi.toml")).toContain('commands = ["gopls", "tsc"]');
    expect(read("lspi.toml")).toContain("# It is in node_modules/.bin; `lsp-proxy trust`");
    expect((await proxy(["servers", "typescript"])).stdout).toContain("in node_modules/.bin, not trusted");
    expect((await proxy(["install", "typescript"])).stdout).toContain("in node_modules/.bin, not trusted");
    write("node_modules/typescript/package.json", '{ "name": "typescript", "version": "5.9.0" }');
    const old = await proxy(["init", "--yes", "--force"]);
    expect(old.stderr).toMatch(/typescript-language-server +not installed/);
    expect(existsSync(join(folder, "started"))).toBe(false);
  });

  it("writes a good config whatever the folder is called", async () => {
    const odd = join(folder, 'a\nservers = "x"\u0007');
    mkdirSync(odd);
    writeFileSync(join(odd, "main.go"), "");
    expect(await proxy(["init", "--yes", "-w", odd])).toMatchObject({ code: 0 });
    expect(await proxy(["validate", "--config", join(odd, "lspi.toml")])).toMatchObject({ code: 0 });
  });

  it("writes the stack where a server works only with others, and leaves its files to it", async () => {
    write("App.vue", "");
    write("b.ts", "");
    program("vue-language-server");
    program("vtsls");
    expect((await proxy(["init", "--yes"])).stderr).toContain("without typescript/lib/typescript.js");
    rmSync(join(folder, "lspi.toml"));
    write("node_modules/typescript/lib/typescript.js", "");
    const { code, stderr } = await proxy(["init", "--yes"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/vue +1 +\*\.vue +stacks\/vue +installed/);
    const text = read("lspi.toml");
    expect(text).toContain('extends = ["stacks/vue"]\n');
    expect(text).toContain('commands = ["gopls", "vtsls", "vue-language-server"]');
    expect(text).not.toMatch(/^kind = "(vtsls|typescript|vue-language-server)"/m);
    expect(await proxy(["validate", "--config", "lspi.toml"])).toMatchObject({ code: 0 });
    rmSync(join(folder, "lspi.toml"));
    const added = await proxy(["add", "vue"]);
    expect(added.stdout).toContain("added vue and vue-typescript");
    expect(read("lspi.toml")).toBe(
      `#:schema ${schemaUrl()}\nextends = ["stacks/vue"]\n\n# gopls: go, gomod, gowork\n[[servers]]\nid = "gopls"\nkind = "gopls"\n`,
    );
    expect(await proxy(["add", "vue"])).toMatchObject({ code: 1 });
  });

  it("says when the workspace is no folder", async () => {
    expect((await proxy(["init", "-w", "nowhere"])).stderr).toContain("nowhere does not exist");
    expect(await proxy(["init", "-w", "a.go"])).toMatchObject({ code: 2 });
    expect((await proxy(["init", "-w", "a.go"])).stderr).toContain("a.go is not a folder");
  });

  it("says so when there is nothing to serve", async () => {
    for (const name of ["a.go", "b.go", "go.mod", "main.py"]) rmSync(join(folder, name));
    expect(await proxy(["init"])).toMatchObject({ code: 1 });
    expect(existsSync(join(folder, "lspi.toml"))).toBe(false);
  });
});

describe("add and remove", () => {
  const own = `# Ours.
[allow]
commands = ["pyright-langserver"]  # only these

# Python first.
[[servers]]
id = "py"
kind = "pyright"
`;

  it("add a language and take it out again, and keep every comment", async () => {
    write("lspi.toml", own);
    const added = await proxy(["add", "go"]);
    expect(added).toMatchObject({ code: 0 });
    expect(added.stdout).toContain("added gopls");
    expect(added.stdout).toContain("gopls is not installed: ");
    const text = read("lspi.toml");
    expect(text).toContain('commands = ["pyright-langserver", "gopls"]  # only these');
    expect(text).toContain(
      '# Python first.\n[[servers]]\nid = "py"\nkind = "pyright"\n\n# gopls: go, gomod, gowork\n',
    );
    expect(await proxy(["validate", "--config", "lspi.toml"])).toMatchObject({ code: 0 });
    expect(await proxy(["remove", "gopls"])).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toBe(own);
  });

  it("keep the mark that a file begins with, which is nothing to any command", async () => {
    write("lspi.toml", `\uFEFF${own}`);
    for (const command of ["validate", "tools", "explain"])
      expect(await proxy([command, "--config", "lspi.toml"]), command).toMatchObject({ code: 0 });
    expect(await proxy(["add", "go"])).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toMatch(/^\uFEFF# Ours\.\n/);
    expect(await proxy(["remove", "gopls"])).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toBe(`\uFEFF${own}`);
    const imported = await proxy(["import", "lspi.toml", "--dry-run"]);
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('kind = "pyright"') });
    write("lspi.json", '\uFEFF{ "servers": [{ "id": "py", "kind": "pyright" }] }');
    expect(await proxy(["add", "go", "--config", "lspi.json"])).toMatchObject({ code: 0 });
    expect(read("lspi.json")).toMatch(/^\uFEFF\{ "servers"/);
  });

  it("add says how two servers of the same files get along, and takes it from a flag", async () => {
    write("lspi.toml", own);
    const refused = await proxy(["add", "pylsp"]);
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("`--priority=-1` puts the new"),
    });
    expect(await proxy(["add", "pylsp", "--priority=-1"])).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toContain('kind = "pylsp"\npriority = -1\n');
    expect(await proxy(["add", "pylsp", "--id", "x", "--priority", "much"])).toMatchObject({ code: 2 });
    expect(await proxy(["add", "vue", "--priority=1"])).toMatchObject({ code: 2 });
  });

  it("take out all that they put in: the comment of a new file, a stack, a language by its name", async () => {
    write("lspi.toml", "");
    await proxy(["add", "go"]);
    expect(read("lspi.toml")).toMatch(/^# gopls: go, /);
    expect(await proxy(["remove", "go"])).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toBe("");
    write("lspi.toml", own);
    const stacked = await proxy(["add", "vue"]);
    expect(stacked).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toContain('extends = ["stacks/vue"]');
    const removed = await proxy(["remove", "vue"]);
    expect(removed.stdout).toContain("removed vue and vue-typescript");
    expect(read("lspi.toml")).toBe(own);
    write("c.json", '{ "servers": [{ "id": "py", "kind": "pyright" }] }\n');
    await proxy(["add", "vue", "--config", "c.json"]);
    expect(await proxy(["remove", "vue", "--config", "c.json"])).toMatchObject({ code: 0 });
    expect(JSON.parse(read("c.json"))).toEqual({ servers: [{ id: "py", kind: "pyright" }] });
    expect((await proxy(["remove", "python", "--dry-run"])).stdout).not.toContain("pyright");
    write("lspi.toml", '[[servers]]\nid = "a"\nkind = "pyright"\n\n[[servers]]\nid = "b"\nkind = "ruff"\n');
    expect((await proxy(["remove", "python"])).stderr).toContain(
      "several servers for `python`: a, b; name one",
    );
  });

  it("name the user's file where a server is in it", async () => {
    const config = join(folder, "home");
    const file = join(config, "lsp-proxy", "config.toml");
    write("home/lsp-proxy/config.toml", '[[servers]]\nid = "gopls"\nkind = "gopls"\n');
    write("lspi.toml", "");
    const env = { PATH: bin, XDG_CONFIG_HOME: config };
    for (const command of ["add", "remove"]) {
      const { code, stderr } = await runHere([command, "gopls"], { cwd: folder, env });
      expect(code).not.toBe(0);
      expect(stderr).toContain(file);
    }
  });

  it("say what the user's own list of programs lacks, and keep what the user's own server needs", async () => {
    const config = join(folder, "home");
    const file = join(config, "lsp-proxy", "config.toml");
    const env = { PATH: bin, XDG_CONFIG_HOME: config };
    const here = (...args: string[]) => runHere(args, { cwd: folder, env });
    write("home/lsp-proxy/config.toml", '[allow]\ncommands = ["pylsp"]\n');
    write("main.go", "package main\n");
    program("gopls");
    const lacks = `${file} has its own \`allow.commands\`: add "gopls" to it`;
    expect((await here("init", "--yes", "--only", "go")).stdout).toContain(lacks);
    const checked = await here("validate", "--trust-workspace");
    expect(checked.stderr).toContain(`fix: Add the program to \`allow.commands\` in ${file}.`);
    expect(await here("remove", "gopls")).toMatchObject({ code: 0 });
    expect((await here("add", "gopls")).stdout).toContain(lacks);
    write("home/lsp-proxy/config.toml", '[[servers]]\nid = "gopls"\nkind = "gopls"\n');
    expect(await here("remove", "gopls")).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toContain('commands = ["gopls"]');
  });

  it("keep the servers that were found so far, where the config lists none yet", async () => {
    write("a.py", "one = 1\n");
    write("main.go", "package main\n");
    write("lspi.toml", '[allow]\neffects = ["read", "edit"]\n');
    program("pylsp");
    const added = await proxy(["add", "go"]);
    expect(added.stdout).toContain("added gopls, and pylsp, used so far without being listed");
    const kinds = () => [...read("lspi.toml").matchAll(/^kind = "(.*)"$/gm)].map(([, kind]) => kind);
    expect(kinds()).toEqual(["gopls", "pylsp"]);
    // A server for the same files replaces the one that was found.
    write("lspi.toml", "");
    expect((await proxy(["add", "pyright"])).stdout).toMatch(/: added pyright$/m);
    expect(kinds()).toEqual(["pyright"]);
    // A config that lists servers has those that it lists.
    expect((await proxy(["add", "zig"])).stdout).toMatch(/: added zls$/m);
  });

  it("a language means its installed server, with its companion, and another id can be given", async () => {
    write("lspi.toml", "");
    program("pylsp");
    expect((await proxy(["add", "python", "--dry-run"])).stdout).toContain('kind = "pylsp"');
    await proxy(["add", "pyright", "--id", "types"]);
    expect(await proxy(["add", "ruff"])).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toMatch(/id = "types"\nkind = "pyright"[\s\S]*id = "ruff"\nkind = "ruff"/);
  });

  it("begins a config where there is none, and edits JSON as well", async () => {
    expect((await proxy(["add", "rust"])).stdout).toContain("wrote lspi.toml: added rust-analyzer");
    expect(await proxy(["validate", "--config", "lspi.toml"])).toMatchObject({ code: 0 });
    write("c.json", '{ "servers": [{ "id": "py", "kind": "pyright" }] }\n');
    expect(await proxy(["add", "zig", "--config", "c.json"])).toMatchObject({ code: 0 });
    expect(JSON.parse(read("c.json")).servers.at(-1)).toEqual({ id: "zls", kind: "zls" });
    expect(await proxy(["remove", "py", "--config", "c.json"])).toMatchObject({ code: 0 });
    expect(JSON.parse(read("c.json")).servers).toEqual([{ id: "zls", kind: "zls" }]);
  });

  it("write nothing that would have problems, twice the same, or unknown names", async () => {
    write("lspi.toml", own);
    const conflict = await proxy(["add", "basedpyright"]);
    expect(conflict).toMatchObject({ code: 3 });
    expect(conflict.stderr).toContain("plan/route-conflict");
    expect(await proxy(["add", "pyright", "--id", "py"])).toMatchObject({ code: 1 });
    expect(conflict.stderr).not.toContain("lspi.toml:");
    for (const [word, kind] of [
      ["golang", "gopls"],
      ["shell", "bash-language-server"],
      ["c#", "roslyn-language-server"],
    ] as const)
      expect((await proxy(["add", word, "--dry-run"])).stdout).toContain(`kind = "${kind}`);
    expect((await proxy(["add", "nothing-like-it"])).stderr).toContain("`nothing-like-it`. See");
    expect((await proxy(["add", "pyton"])).stderr).toContain("did you mean `python`?");
    expect((await proxy(["remove", "pi"])).stderr).toContain("did you mean `py`?");
    expect(read("lspi.toml")).toBe(own);
    write("lspi.toml", "[[servers]\n");
    expect(await proxy(["add", "go"])).toMatchObject({ code: 3 });
    expect(read("lspi.toml")).toBe("[[servers]\n");
  });
});
