/** Completion in real shells: each loads its script and completes a line. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { program, testEnvironment } from "../live/session.js";
import { runHere } from "./terminal.js";

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
    const { code, stdout } = await runHere(["completion", shell]);
    expect(code).toBe(0);
    writeFileSync(join(folder, `script.${shell}`), stdout);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const missing = (shell: string) => spawnSync(shell, ["-c", "true"]).status !== 0;

const titleOf = (shell: string) => (missing(shell) ? `${shell} (not installed here)` : shell);

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

describe.skipIf(missing("bash"))(titleOf("bash"), () => {
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

describe.skipIf(missing("fish"))(titleOf("fish"), () => {
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

describe.skipIf(missing("zsh"))(titleOf("zsh"), () => {
  // Only the line editor completes, so a zsh with one is started on a terminal of its own and told to list its choices.
  it.each(cases)("completes `%s`", (line, proposed, not) => {
    const setup = [
      "PS1= RPS1= PROMPT_EOL_MARK= LISTMAX=10000",
      "unsetopt zle_bracketed_paste",
      "stty cols 200 rows 100",
      "autoload -U compinit",
      "compinit -u -D",
      `source '${join(folder, "script.zsh")}'`,
      "bindkey '^X' list-choices",
      "print READY$((1+1))",
    ].join("; ");
    const script = [
      "zmodload zsh/zpty",
      "zpty inner zsh -f -i",
      `zpty -w inner ${quoted(setup)}`,
      "zpty -r inner shown '*READY2*'",
      // What was typed is listed when it is shown; then the line is erased, and a command says that all was read.
      `zpty -w -n inner ${quoted(line)}$'\\x18'`,
      `zpty -r inner list ${quoted(`*${line}*${proposed[0] ?? ""}*`)}`,
      "zpty -w -n inner $'\\x15print DONE$((1+1))\\r'",
      "zpty -r inner rest '*DONE2*'",
      'print -r -- "$list$rest"',
      "zpty -d inner",
    ].join("\n");
    const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", script], {
      env: { ...env, TERM: "dumb" },
      cwd: folder,
      encoding: "utf8",
      timeout: 60_000,
    });
    expect(stderr).toBe("");
    // The list is below the line that was typed.
    const list = stdout.slice(0, stdout.indexOf("print DONE")).split(/[\r\n]+/);
    const found = list.filter((one) => !one.includes(line)).flatMap((one) => one.split(/ {2,}/));
    expect(found).toEqual(expect.arrayContaining(proposed));
    for (const word of not) expect(found).not.toContain(word);
  });
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
