/** A home, state folder or disk that cannot be written: one message with the path and what to do, and nothing is lost. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { program, testEnvironment } from "../live/session.js";
import { runHere } from "./terminal.js";

let top: string;
const at = (...names: string[]) => join(top, ...names);
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-unwritable-")));
  for (const name of ["home/.codex", "ws", "bin"]) mkdirSync(at(name), { recursive: true });
  writeFileSync(at("bin/npm"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  writeFileSync(at("ws/a.sh"), "greet() {\n  echo hello\n}\n");
  writeFileSync(
    at("ws/c.toml"),
    '[allow]\ncommands = ["sh"]\n[[servers]]\nid = "x"\ncommand = "sh"\nextensions = ["x"]\n',
  );
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const unset = { XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", XDG_DATA_HOME: "", CODEX_HOME: "" };
const env = () => ({ ...unset, HOME: at("home"), PATH: `${at("bin")}:/usr/bin:/bin` });
const named = ["--config", "c.toml"];

describe("a home in which no folder can be made", () => {
  // A file is in the way for root too, whom a mode would not stop.
  beforeEach(() => {
    writeFileSync(at("home/.local"), "");
    rmSync(at("home/.codex"), { recursive: true });
    writeFileSync(at("home/.codex"), "");
  });

  it.each([
    [["trust", "--yes"], 3],
    [["trust", "--remove"], 3],
    [["setup", "--yes", "--only", "bash"], 3],
    [["install", "elm"], 1],
    [["client", "codex", "--write"], 3],
    [["token"], 3],
    [["lock", ...named], 3],
    [["serve", "--http", "--port", "0", ...named], 3],
  ])(
    "is named by %j, with what to do",
    async (args, code) => {
      const ended = await runHere(args, { cwd: at("ws"), env: { HOME: at("home"), ...unset } });
      expect(ended.stderr).not.toContain("internal error");
      expect(ended.stderr).toMatch(
        /`\S*\/home\/\.\S+` cannot be written: (?:a file is in the way of a folder|something already exists there)/,
      );
      expect(ended.stderr).toMatch(/[Mm]ake the (?:folder|file) writable/);
      expect(ended.stdout).not.toContain("locked x");
      expect(ended.code).toBe(code);
    },
    60_000,
  );
});

const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", tmpdir()]).status === 0;

describe.skipIf(!canMount)("a disk that is full", () => {
  /** Runs a command where the home is a small file system with this file in it and no more room; prints what is left. */
  function onFullDisk(args: string[], file: string, text: string) {
    writeFileSync(at("text"), text);
    const script = [
      `mount -t tmpfs -o size=64k none "${at("home")}"`,
      `mkdir -p "${at("home/.codex")}"`,
      `cp "${at("text")}" "${at("home", file)}"`,
      `dd if=/dev/zero of="${at("home/fill")}" bs=4k 2>/dev/null`,
      `"${process.execPath}" "${program}" ${args.join(" ")} >&2`,
      "echo code $?",
      `cd "${at("home/.codex")}" && for name in *; do echo "$name"; cat "$name"; done`,
    ];
    return spawnSync("unshare", ["-m", "sh", "-c", script.join("\n")], {
      cwd: at("ws"),
      env: { ...testEnvironment(), ...env() },
      encoding: "utf8",
    });
  }

  it("leaves a client's file as it is, and no part of a copy of it", () => {
    const ended = onFullDisk(["client", "codex", "--write"], ".codex/config.toml", 'model = "x"\n');
    expect(ended.stderr).toContain(
      `\`${at("home/.codex/config.toml")}\` cannot be written: the disk is full`,
    );
    expect(ended.stderr).toContain("Free some space, then run the command again.");
    expect(ended.stdout).toBe('code 3\nconfig.toml\nmodel = "x"\n');
  }, 60_000);

  it("is named by a command that keeps a record", () => {
    const ended = onFullDisk(["trust", "--yes"], "x", "");
    expect(ended.stderr).toMatch(/`\S+\/lsp-proxy\/changes` cannot be written: the disk is full/);
    expect(ended.stderr).not.toContain("internal error");
    expect(ended.stdout).toContain("code 3\n");
  }, 60_000);
});

it("an edit says where its journal cannot be kept, and changes nothing", async () => {
  writeFileSync(at("home/.local"), "");
  writeFileSync(at("ws/e.toml"), '[allow]\neffects = ["read", "edit"]\n');
  const ended = await runHere(
    ["call", "create_file", '{"file_path":"b.txt","content":"x"}', "--config", "e.toml"],
    { cwd: at("ws"), env: { HOME: at("home"), ...unset } },
  );
  expect(ended.stderr).not.toContain("internal error");
  expect(existsSync(at("ws/b.txt"))).toBe(false);
  expect(readFileSync(at("ws/a.sh"), "utf8")).toContain("greet");
});
