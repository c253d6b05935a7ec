/** Completion in real shells: each loads its script and completes a line. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { program, testEnvironment } from "../live/session.js";
import { run } from "./run.js";

let folder: string;
let env: { [name: string]: string };
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-completion-")));
  const file = join(folder, "lsp-proxy");
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(file, 0o755);
  const usual = testEnvironment();
  env = { ...usual, HOME: folder, PATH: `${folder}${delimiter}${usual.PATH}` };
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await run(["completion", shell]);
    expect(code).toBe(0);
    writeFileSync(join(folder, `script.${shell}`), stdout);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const missing = (shell: string) => spawnSync(shell, ["-c", "true"]).status !== 0;

/** A line to complete, and words that are and are not proposed. */
const cases: [line: string, proposed: string[], not: string[]][] = [
  ["lsp-proxy sta", ["status"], ["serve"]],
  ["lsp-proxy ", ["serve", "completion", "install"], ["--port"]],
  ["lsp-proxy serve --log-level ", ["debug", "info", "warn", "error"], ["serve"]],
  ["lsp-proxy serve --tr", ["--trace", "--trust-workspace"], ["--port"]],
  ["lsp-proxy client --scope ", ["user", "project"], ["repo"]],
  ["lsp-proxy skill --scope ", ["user", "repo"], ["project"]],
  ["lsp-proxy client cod", ["codex"], ["claude-code"]],
  ["lsp-proxy install pyri", ["pyright"], ["gopls"]],
  ["lsp-proxy call find_d", ["find_definition"], ["find_references"]],
  ["lsp-proxy -C . explain config/untr", ["config/untrusted"], []],
  ["lsp-proxy completion ", ["bash", "zsh", "fish"], []],
];

describe.skipIf(missing("bash"))("bash", () => {
  it.each(cases)("completes `%s`", (line, proposed, not) => {
    const words = line.split(" ");
    const script = [
      `source '${join(folder, "script.bash")}'`,
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`,
      // The function that bash itself would call for this command.
      `$(complete -p lsp-proxy | sed 's/.*-F \\([^ ]*\\).*/\\1/')`,
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
    ].join("\n");
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], {
      env,
      cwd: folder,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    const found = stdout.split("\n");
    expect(found).toEqual(expect.arrayContaining(proposed));
    for (const word of not) expect(found).not.toContain(word);
  });
});

describe.skipIf(missing("fish"))("fish", () => {
  it.each(cases)("completes `%s`", (line, proposed, not) => {
    const script = `source '${join(folder, "script.fish")}'; complete -C '${line}'`;
    const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", script], {
      env,
      cwd: folder,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    const found = stdout.split("\n").map((one) => one.split("\t")[0]);
    expect(found).toEqual(expect.arrayContaining(proposed));
    for (const word of not) expect(found).not.toContain(word);
  });
});

describe.skipIf(missing("zsh"))("zsh", () => {
  // In zsh only the line editor completes. Here the script runs in zsh, and what it proposes to the editor is printed.
  it.each(cases)("completes `%s`", (line, proposed, not) => {
    const typed = line.split(" ");
    const script = [
      `compdef() { handler=$1 }`,
      `compadd() { shift; print -l -- "$@" }`,
      `_describe() { local name=$argv[-1]; print -l -- "\${(@)\${(P)name}%%:*}" }`,
      "_files() { : }",
      `source '${join(folder, "script.zsh")}'`,
      `words=(${typed.map((word) => `'${word}'`).join(" ")}) CURRENT=${typed.length} PREFIX='${typed.at(-1)}'`,
      "$handler",
    ].join("\n");
    const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", script], { env, cwd: folder, encoding: "utf8" });
    expect(stderr).toBe("");
    // The editor keeps what begins with the typed word.
    const found = stdout.split("\n").filter((word) => word.startsWith(typed.at(-1) ?? ""));
    expect(found).toEqual(expect.arrayContaining(proposed));
    for (const word of not) expect(found).not.toContain(word);
  });
});
