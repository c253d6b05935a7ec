/**
 * docs/mapping-tutorial.md is done as it stands there, from top to bottom, in an empty folder: its `sh run` blocks are run, each
 * `toml config` becomes lspi.toml, and the commands of each `console run` must print what the page shows (`…` is anything).
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { program, repository } from "../live/session.js";

interface Step {
  title: string;
  blocks: { mark: string; text: string }[];
}

const page = readFileSync(join(repository, "docs/mapping-tutorial.md"), "utf8");
const steps: Step[] = page.split(/^## /m).flatMap((section) => {
  const blocks = [...section.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(([, mark = "", text = ""]) => ({
    mark,
    text,
  }));
  return blocks.length > 0 ? [{ title: section.split("\n")[0] ?? "", blocks }] : [];
});

let top = "";
let folder = "";
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-tutorial-")));
  folder = join(top, "shop");
  const commands = join(folder, "node_modules", ".bin");
  mkdirSync(commands, { recursive: true });
  mkdirSync(join(top, "bin"));
  writeFileSync(join(top, "bin", "lsp-proxy"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(join(top, "bin", "lsp-proxy"), 0o755);
  // What `npm install` of the page would put there.
  const packages = {
    typescript: "typescript-5",
    "typescript-language-server": "",
    "vscode-langservers-extracted": "",
  };
  for (const [name, alias] of Object.entries(packages))
    symlinkSync(join(repository, "node_modules", alias || name), join(folder, "node_modules", name));
  for (const name of ["typescript-language-server", "vscode-json-language-server"])
    symlinkSync(realpathSync(join(repository, "node_modules", ".bin", name)), join(commands, name));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Runs a shell script in the reader's folder, with a home of its own; what it prints to both streams. */
function shell(script: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", script], {
      cwd: folder,
      env: {
        ...process.env,
        PATH: [join(top, "bin"), process.env.PATH].join(delimiter),
        HOME: join(top, "home"),
        XDG_CONFIG_HOME: join(top, "home", "config"),
        XDG_STATE_HOME: join(top, "home", "state"),
        XDG_DATA_HOME: join(top, "home", "data"),
        LSPI_CONFIG_PATH: "",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

/** Whether lines are as the page shows them: a line `…` is any lines, and `…` within a line any text. */
function isShown(lines: string[], shown: string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return lines.length === 0;
  if (first === "…") return lines.some((_, index) => isShown(lines.slice(index), rest)) || rest.length === 0;
  const [line, ...others] = lines;
  if (line === undefined) return false;
  const pattern = first.split("…").map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${pattern.join(".*")}$`).test(line) && isShown(others, rest);
}

describe("the tutorial of the mapping language", () => {
  it("has ten steps, each with a config and its output", () => {
    const marks = steps.slice(1).map(({ blocks }) => blocks.map(({ mark }) => mark));
    expect(marks).toHaveLength(10);
    for (const [config, output, ...more] of marks) {
      expect([config, output]).toEqual(["toml config", "console run"]);
      expect(more.filter((mark) => mark !== "console run")).toEqual([]);
    }
  });

  it.each(steps.map(({ title, blocks }) => [title, blocks] as const))("%s", async (_title, blocks) => {
    for (const { mark, text } of blocks) {
      if (mark === "toml config") {
        writeFileSync(join(folder, "lspi.toml"), text);
        expect(await shell("lsp-proxy validate -c lspi.toml")).toEqual({
          code: 0,
          output: expect.stringContaining("no errors"),
        });
      }
      if (mark === "sh run" && !text.startsWith("npm "))
        expect(await shell(`set -e\n${text}`)).toEqual({ code: 0, output: "" });
      if (mark !== "console run") continue;
      for (const [, command = "", shown = ""] of text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
        const { output } = await shell(command);
        const lines = output.replace(/\n$/, "").split("\n");
        if (!isShown(output === "" ? [] : lines, shown.split("\n").slice(0, -1))) expect(output).toBe(shown);
      }
    }
  });
});
