/** A real Python server in a repository that nobody trusts: variables that lead into it make it run nothing of it. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runHere } from "../cli/terminal.js";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-strange-")));
  write("work/a.py", "def f(): pass\nf()\n");
  write("work/pluggy.py", `open(${JSON.stringify(join(top, "mark"))}, "a")\nraise SystemExit(1)\n`);
  write("work/.venv/pyvenv.cfg", "home = /usr/bin\n");
  for (const name of ["python", "python3"]) {
    write(
      `work/.venv/bin/${name}`,
      `#!/bin/sh\n: > "${join(top, "mark")}"\nexec /usr/bin/env python3 "$@"\n`,
    );
    chmodSync(join(top, "work/.venv/bin", name), 0o755);
  }
  write(
    "home/.config/lsp-proxy/config.toml",
    '[[servers]]\nid = "x"\nkind = "pylsp"\nuntrusted.start = true\n',
  );
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(top, name)), { recursive: true });
  writeFileSync(join(top, name), text);
}

/** What a question is answered, and whether anything of the repository ran. */
async function asked(variable: string, value: string, ...words: string[]) {
  const args = JSON.stringify({ file_path: "a.py", line: 2, character: 1 });
  const { stdout } = await runHere(["call", "get_hover", args, ...words], {
    cwd: join(top, "work"),
    env: {
      ...{
        PATH: process.env.PATH ?? "",
        HOME: join(top, "home"),
        XDG_CONFIG_HOME: join(top, "home/.config"),
      },
      ...{ XDG_STATE_HOME: join(top, "state"), [variable]: value },
    },
  });
  return { said: stdout, hasRun: existsSync(join(top, "mark")) };
}

const isInstalled = spawnSync("pylsp", ["--version"]).status === 0;

describe.runIf(isInstalled)("pylsp", () => {
  it.each<[string, () => string, string]>([
    ["PYTHONPATH", () => `:${top}/none`, ""],
    ["PYTHONPATH", () => ".", "PYTHONPATH names ."],
    ["PYTHONPATH", () => join(top, "work"), "PYTHONPATH names ."],
    ["VIRTUAL_ENV", () => join(top, "work/.venv"), "VIRTUAL_ENV names .venv"],
  ])("answers without what %s names (%#)", { timeout: 300_000 }, async (variable, value, told) => {
    const { said, hasRun } = await asked(variable, value());
    expect(hasRun).toBe(false);
    expect(said).toContain("get_hover (server x");
    expect(said).toContain(told);
    expect((await asked(variable, value(), "--trust-workspace")).hasRun).toBe(true);
  });
});
