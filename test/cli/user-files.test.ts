/** Files that commands write for a person: nothing is lost, nothing is replaced unasked, every failure has a code and a fix. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runHere } from "./terminal.js";

let folder = "";
let bin = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-files-")));
  bin = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-programs-")));
  write("main.go", "package main\n");
  writeFileSync(join(bin, "gopls"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
});
afterEach(() => {
  for (const made of [folder, bin]) rmSync(made, { recursive: true, force: true });
});

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const proxy = (args: string[], typed?: string) =>
  runHere(args, { cwd: folder, env: { PATH: bin }, ...(typed === undefined ? {} : { typed }) });
const config = '[[servers]]\nid = "py"\nkind = "pyright"\n';

describe("a person who leaves", () => {
  it("at init's question gets nothing written and an exit code for it", async () => {
    const { code, stderr } = await proxy(["init"], "");
    expect(code).toBe(1);
    expect(stderr).toMatch(/[^\n]\nlsp-proxy: nothing was written\n$/);
    expect(existsSync(join(folder, "lspi.toml"))).toBe(false);
    write("lspi.toml", config);
    expect(await proxy(["init", "--force"], "")).toMatchObject({ code: 1 });
    expect(read("lspi.toml")).toBe(config);
  });
});

describe("a config that is there", () => {
  it("is not hidden by init or import, whatever its name", async () => {
    write("cclsp.json", JSON.stringify({ servers: [{ extensions: ["go"], command: ["gopls"] }] }));
    for (const name of ["lspi.json", ".lspi/config.toml", ".lspi/config.json"]) {
      mkdirSync(join(folder, ".lspi"), { recursive: true });
      write(name, name.endsWith("json") ? "{}" : "");
      for (const args of [
        ["init", "--yes"],
        ["import", "cclsp.json"],
      ]) {
        const { code, stderr } = await proxy(args);
        expect(code).toBe(1);
        expect(stderr).toContain(`${join(folder, name)} is already the workspace's config`);
        expect(existsSync(join(folder, "lspi.toml"))).toBe(false);
      }
      rmSync(join(folder, name));
    }
    write("lspi.json", "{}");
    expect(await proxy(["init", "--yes", "--output", "other.toml"])).toMatchObject({ code: 0 });
    const forced = await proxy(["init", "--yes", "--force"]);
    expect(forced).toMatchObject({ code: 0 });
    expect(forced.stderr).toContain("lspi.json is ignored");
  });

  it("stays a link, keeps its permissions, and is edited behind the link", async () => {
    mkdirSync(join(folder, "dotfiles"));
    write("dotfiles/own.toml", config);
    chmodSync(join(folder, "dotfiles/own.toml"), 0o640);
    symlinkSync("dotfiles/own.toml", join(folder, "lspi.toml"));
    expect(await proxy(["add", "go"])).toMatchObject({ code: 0 });
    expect(lstatSync(join(folder, "lspi.toml")).isSymbolicLink()).toBe(true);
    expect(read("dotfiles/own.toml")).toContain("gopls");
    expect(statSync(join(folder, "dotfiles/own.toml")).mode & 0o777).toBe(0o640);
    expect(await proxy(["remove", "gopls"])).toMatchObject({ code: 0 });
    expect(read("dotfiles/own.toml")).toBe(config);
    expect(readdirSync(join(folder, "dotfiles"))).toEqual(["own.toml"]);
  });

  it("that is read-only is refused and stays", async () => {
    write("lspi.toml", config);
    chmodSync(join(folder, "lspi.toml"), 0o444);
    const { code, stderr } = await proxy(["add", "go"]);
    expect(code).toBe(3);
    expect(stderr).toContain("cli/not-writable");
    expect(stderr).toContain("it is marked read-only");
    expect(read("lspi.toml")).toBe(config);
  });

  it.skipIf(process.getuid?.() !== 0)("keeps its owner", async () => {
    write("lspi.toml", config);
    chownSync(join(folder, "lspi.toml"), 1234, 1235);
    expect(await proxy(["add", "go"])).toMatchObject({ code: 0 });
    expect(statSync(join(folder, "lspi.toml"))).toMatchObject({ uid: 1234, gid: 1235 });
  });

  it("is edited in the language that it is read in, whatever its name says", async () => {
    for (const name of ["conf", "c.jsonc"]) {
      write(name, '{ "servers": [{ "id": "py", "kind": "pyright" }] }\n');
      expect(await proxy(["add", "go", "--config", name])).toMatchObject({ code: 0 });
      expect(JSON.parse(read(name)).servers).toHaveLength(2);
      expect(await proxy(["remove", "gopls", "--config", name])).toMatchObject({ code: 0 });
      expect(JSON.parse(read(name)).servers).toEqual([{ id: "py", kind: "pyright" }]);
    }
  });

  it("keeps its line breaks", async () => {
    write("lspi.toml", config.replaceAll("\n", "\r\n"));
    expect(await proxy(["add", "go"])).toMatchObject({ code: 0 });
    expect(read("lspi.toml").replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(await proxy(["remove", "gopls"])).toMatchObject({ code: 0 });
    expect(read("lspi.toml")).toBe(config.replaceAll("\n", "\r\n"));
  });
});

describe("files that cannot be written or read are reported with a code and a fix", () => {
  const expectTold = async (args: string[], code: string, why: string) => {
    const { code: exit, stderr } = await proxy(args);
    expect({ exit, stderr }).toMatchObject({ exit: 3 });
    expect(stderr).toContain(code);
    expect(stderr).toContain(why);
  };

  it("a folder that is not there", async () => {
    write("cclsp.json", JSON.stringify({ servers: [{ extensions: ["go"], command: ["gopls"] }] }));
    write("lspi.toml", config);
    const why = "its folder does not exist";
    await expectTold(["init", "--yes", "-o", "sub/x.toml"], "cli/not-writable", why);
    await expectTold(["import", "cclsp.json", "-o", "x/y.toml"], "cli/not-writable", why);
    await expectTold(["export", "claude", "-c", "lspi.toml", "-o", "x/y"], "cli/not-writable", why);
    await expectTold(["verify", "pyright", "--record", "/nowhere/x"], "cli/not-writable", why);
  });

  it("a folder where a file should be", async () => {
    mkdirSync(join(folder, "lspi.toml"));
    await expectTold(["add", "go"], "cli/not-readable", "lspi.toml");
    await expectTold(["import", tmpdir()], "cli/not-readable", tmpdir());
    await expectTold(["init", "--yes", "--force"], "cli/not-writable", "it is a folder");
  });

  it.skipIf(process.platform !== "linux")("a folder that takes no files", async () => {
    await expectTold(["init", "--yes", "-o", "/proc/self/x.toml"], "cli/not-writable", "cannot be written");
  });
});

describe("verify --record", () => {
  it("replaces no file unasked", async () => {
    write("mine.txt", "mine");
    const { code, stderr } = await proxy(["verify", "pyright", "--record", "mine.txt"]);
    expect({ code, isTold: stderr.includes("--force replaces it") }).toEqual({ code: 1, isTold: true });
    expect(read("mine.txt")).toBe("mine");
  });
});
