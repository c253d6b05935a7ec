/** Commands that write, in a repository whose links lead to files of the user; and commands that say they start nothing. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { programsOf } from "../../src/cli/installed.js";
import { openCatalogue } from "../../src/cli/presets.js";
import { runHere } from "./terminal.js";

let top: string;
let work: string;
let home: string;
const KEPT = "a file of the user\n";

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-links-")));
  work = join(top, "work");
  home = join(top, "home");
  mkdirSync(work);
  mkdirSync(home);
  writeFileSync(join(home, "kept"), KEPT);
  mkdirSync(join(home, "empty"));
  writeFileSync(join(work, "x.py"), "x = 1\n");
  const server = '[allow]\ncommands = ["x"]\n[[servers]]\nid = "x"\ncommand = "x"\nextensions = ["x"]\n';
  writeFileSync(join(work, "config.toml"), `${server}[http]\nport = 9000\n`);
  writeFileSync(join(work, "cclsp.json"), '{"servers":[{"extensions":["x"],"command":["x"]}]}');
  symlinkSync(join(home, "kept"), join(work, "file"));
  symlinkSync(join(home, "new"), join(work, "dangling"));
  symlinkSync(home, join(work, "folder"));
  symlinkSync(join(home, "empty"), join(work, "empty"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const call = ["call", "get_server_status", "--config", "config.toml"];

/** Command lines that write to PATH. */
const writers: { [name: string]: (path: string) => string[] } = {
  "init -o": (path) => ["init", "--all", "--force", "-o", path],
  "import -o": (path) => ["import", "cclsp.json", "--force", "-o", path],
  "export -o": (path) => ["export", "claude", "--config", "config.toml", "--force", "-o", path],
  "generate --deploy --out": (path) => [
    "generate",
    "--config",
    "config.toml",
    "--deploy",
    "haproxy",
    "-o",
    path,
  ],
  "generate --out": (path) => ["generate", "--config", "config.toml", "--out", path],
  "verify --record": (path) => ["verify", "bash-language-server", "--force", "--record", path],
  "--log-file": (path) => [...call, "--log-file", path],
  "--trace": (path) => [...call, "--trace", path],
};

function homeContent(): { [name: string]: string } {
  const names = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names.map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), "utf8")]),
  );
}

describe("links of a repository", () => {
  for (const [name, wordsOf] of Object.entries(writers))
    for (const path of ["file", "dangling", "folder/kept", "folder/new", "folder/deep/new", "empty"])
      it(`are not followed out of it by ${name} ${path}`, async () => {
        const { code, stderr } = await runHere(wordsOf(path), { cwd: work });
        expect(homeContent()).toEqual({ kept: KEPT });
        expect(readdirSync(home).sort()).toEqual(["empty", "kept"]);
        expect(stderr).toMatch(/cannot be written: (a link leads out of|it is a folder)/);
        expect(code).toBe(3);
      }, 60_000);

  it.each(["add", "remove", "init"])(
    "are not followed out of it by %s, whose file has a fixed name",
    async (name) => {
      const config = '[allow]\ncommands = ["x"]\n[[servers]]\nid = "x"\ncommand = "x"\nextensions = ["x"]\n';
      writeFileSync(join(home, "kept"), config);
      symlinkSync(join(home, "kept"), join(work, "lspi.toml"));
      const words =
        { add: ["add", "pyright"], remove: ["remove", "x"], init: ["init", "--all", "--force"] }[name] ?? [];
      const { code, stderr } = await runHere(words, { cwd: work });
      expect(homeContent()).toEqual({ kept: config });
      expect(stderr).toContain("a link leads out of");
      expect(code).toBe(3);
    },
  );

  it("are found whatever name the workspace has on the command line", async () => {
    symlinkSync(work, join(top, "alias"));
    for (const cwd of [top, home]) {
      const words = ["init", "--all", "--force", "-w", join(top, "alias"), "-o", "file"];
      expect(await runHere(words, { cwd })).toMatchObject({ code: 3 });
      expect(homeContent()).toEqual({ kept: KEPT });
    }
    const out = join(top, "alias", "file");
    expect(
      await runHere(["export", "claude", "--config", "config.toml", "--force", "-o", out], { cwd: work }),
    ).toMatchObject({
      code: 3,
    });
    expect(homeContent()).toEqual({ kept: KEPT });
  });

  it("inside it are followed, and a path outside it may be named", async () => {
    mkdirSync(join(work, "real"));
    symlinkSync(join(work, "real"), join(work, "inner"));
    for (const path of ["inner/a.json", join(home, "b.json")])
      expect(
        await runHere(["export", "claude", "--config", "config.toml", "-o", path], { cwd: work }),
      ).toMatchObject({
        code: 0,
      });
    expect(existsSync(join(work, "real", "a.json"))).toBe(true);
    expect(existsSync(join(home, "b.json"))).toBe(true);
  });
});

describe("explain and validate", () => {
  it("start no program, not even for its version", async () => {
    const bin = join(top, "bin");
    const mark = join(top, "mark");
    mkdirSync(bin);
    const facts = openCatalogue().facts();
    for (const program of new Set(programsOf(facts))) {
      const file = join(bin, program.replaceAll("/", "_"));
      writeFileSync(file, `#!/bin/sh\necho "$0 $*" >> '${mark}'\necho 99.0.0\n`);
      chmodSync(file, 0o755);
    }
    for (const { extensions = [] } of facts)
      for (const extension of extensions) writeFileSync(join(work, `x.${extension}`), "");
    const env = { PATH: bin };
    const probed = facts.filter(({ probe }) => probe !== undefined);
    expect(probed.length).toBeGreaterThan(3);

    const explained = await runHere(["explain"], { cwd: work, env });
    expect(explained.code).toBe(0);
    expect(explained.stdout).toContain(`(${join(bin, "rust-analyzer")}; version not checked)`);
    expect(await runHere(["validate"], { cwd: work, env })).toMatchObject({ code: 0 });
    expect(existsSync(mark) && readFileSync(mark, "utf8")).toBe(false);

    // The mark is left by a command that does run them.
    await runHere(["servers"], { cwd: work, env });
    expect(readFileSync(mark, "utf8")).toContain("rust-analyzer --version");
  }, 120_000);
});
