/** Output on a real terminal: it fits the width, progress is one line, and reports hold no log. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { table, wrapText, wrapWords } from "../../src/cli/terminal/layout.js";
import { renderText } from "../../src/cli/terminal/output.js";
import { displayWidth } from "../../src/cli/terminal/text.js";
import { type TestWorkspaceOptions, writeTestWorkspace } from "../runtime/test-workspace.js";
import { noTerminal, onTerminal } from "./pty.js";
import { run } from "./run.js";
import { runHere } from "./terminal.js";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-width-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ERASE = "\r\u001b[K";

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== "");

describe("layout", () => {
  const words = fc.array(
    fc.string({ unit: fc.constantFrom("a", "b", "設", "é"), minLength: 1, maxLength: 9 }),
  );

  it("wraps between words, loses none, and is never wider than it may be", () => {
    fc.assert(
      fc.property(
        words,
        fc.integer({ min: 20, max: 60 }),
        fc.integer({ min: 0, max: 8 }),
        (list, width, hang) => {
          const wrapped = renderText(wrapText(list.join(" "), width, hang), false);
          expect(wordsOf(wrapped)).toEqual(list);
          for (const line of wrapped.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
          expect(wordsOf(wrapWords(list.join(" "), width).join("\n"))).toEqual(list);
        },
      ),
    );
  });

  it("keeps styles, line ends and the indentation of a line that wraps", () => {
    const text = ["  ", { style: "1", text: "one two" }, " three\nfour"];
    expect(renderText(wrapText("  name  one two three", 16), false)).toBe("  name  one two\n        three");
    expect(renderText(wrapText(text, 9), true)).toBe("  \u001b[1mone two\u001b[0m\n  three\nfour");
  });

  it("fits a table by wrapping the cells of its widest columns, and leaves it alone in a pipe", () => {
    const rows = [["pyright", "not installed: lsp-proxy install pyright", "python"]];
    const shown = (width?: number) => renderText(table(["server", "here", "for"], rows, width), false);
    expect(shown()).toBe(
      "server   here                                      for\npyright  not installed: lsp-proxy install pyright  python\n",
    );
    expect(shown(40).split("\n")).toEqual([
      "server   here                     for",
      "pyright  not installed:           python",
      "         lsp-proxy install",
      "         pyright",
      "",
    ]);
    for (const line of shown(40).split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(40);
    expect(wordsOf(shown(40)).sort()).toEqual(wordsOf(shown()).sort());
  });
});

/** What a terminal of that width would show, without control sequences. */
async function shownHere(
  args: string[],
  options: { cwd?: string; columns: number; env?: { [name: string]: string } },
): Promise<string> {
  const env = { ...options.env, NO_COLOR: "" };
  const { stdout, stderr } = await runHere(args, { ...options, env, typed: "" });
  return stripVTControlCharacters(`${stdout}${stderr}`);
}

describe.skipIf(noTerminal !== undefined)("on a terminal", () => {
  it("help fits, in two columns, coloured, and breaks no word", async () => {
    const piped = await run(["--help"]);
    for (const columns of [50, 80, 200]) {
      const { raw, text, width } = await onTerminal(["--help"], { columns });
      expect(width).toBeLessThanOrEqual(Math.min(columns, 100));
      expect(wordsOf(text)).toEqual(wordsOf(piped.stdout));
      expect(raw).toContain("\u001b[36mserve\u001b[0m");
      expect(raw).toContain("\u001b[1mFirst steps:");
    }
    const plain = await onTerminal(["--help"], { columns: 80, env: { NO_COLOR: "1" } });
    expect(plain.raw).not.toContain("\u001b[");
    expect(plain.text).toBe(piped.stdout);
  });

  it.each(Object.keys(commands))("%s --help fits into 60 columns", async (name) => {
    const text = await shownHere([name, "--help"], { columns: 60 });
    // Examples are lines to copy, and so they are not wrapped.
    const wide = (text.split("Examples:")[0] ?? "").split("\n").filter((line) => displayWidth(line) > 60);
    expect(wide).toEqual([]);
  });

  it("tables, reports and problems fit; in a pipe rows stay whole", async () => {
    writeFileSync(join(folder, "a.py"), "x = 1\n");
    writeFileSync(join(folder, "broken.toml"), `[mcp]\nnme = "${"long text ".repeat(20)}"\n`);
    const here = { cwd: folder, columns: 60, env: { PATH: "/usr/bin:/bin", HOME: folder } };
    for (const args of [
      ["init", "--dry-run", "--all"],
      ["servers", "python"],
      ["servers", "pyright"],
      ["client"],
      ["doctor"],
      ["validate", "--config", "broken.toml"],
      ["explain", "config/untrusted"],
    ]) {
      // A real terminal tells its width in the same way to all of them.
      const text = args[0] === "doctor" ? (await onTerminal(args, here)).text : await shownHere(args, here);
      expect(text).not.toBe("");
      const wide = text.split("\n").filter((line) => displayWidth(line) > 60 && line.trim().includes(" "));
      // What init would write is a file's text, not a report.
      expect({ args, wide: args[0] === "init" ? wide.filter((line) => /^\d/.test(line)) : wide }).toEqual({
        args,
        wide: [],
      });
    }
    const { stdout } = await runHere(["servers", "python"], { cwd: folder });
    expect(stdout).toMatch(/^pyright .* python .*preferred/m);
  });

  it("progress is one line that is erased, and nothing in a pipe", async () => {
    const report = (percentage: number) => ({
      notify: "$/progress",
      params: {
        token: 1,
        value: { kind: "report", message: `file ${percentage} ${"x ".repeat(60)}`, percentage },
      },
    });
    const { config } = write({
      servers: {
        fake: {
          scenario: {
            capabilities: { referencesProvider: true },
            replies: { "textDocument/references": [] },
            on: {
              initialized: [
                { notify: "$/progress", params: { token: 1, value: { kind: "begin", title: "indexing" } } },
                { waitFile: join(folder, "shown") },
                ...Array.from({ length: 50 }, (_, index) => report(index)),
                { waitFile: join(folder, "reported") },
                { notify: "$/progress", params: { token: 1, value: { kind: "end" } } },
              ],
            },
          },
          config: { ready: {}, warmup_timeout_ms: 60_000 },
        },
      },
    });
    const args = ["call", "find_references", "a.fake:1:1", "--config", config];
    const { raw, text } = await onTerminal(args, {
      columns: 60,
      meanwhile: [
        [/indexing/, () => writeFileSync(join(folder, "shown"), "")],
        [/file 49/, () => writeFileSync(join(folder, "reported"), "")],
      ],
    });
    const [progress = "", answer = ""] = raw.split(`${ERASE}find_references`);
    expect(progress).toContain("indexing");
    expect(progress).not.toContain("\n");
    for (const line of progress.split(ERASE)) expect(displayWidth(line)).toBeLessThan(60);
    expect(answer).toMatch(/^: /);
    expect(text).not.toMatch(/^\d{4}-\d\d-\d\dT/m);
    const piped = await runHere(args);
    expect(piped.stderr).toBe("");
    expect(piped.stdout.trimEnd()).toBe(`find_references${answer}`.trimEnd());
  });

  it("reports hold no log lines, unless a log is asked for", async () => {
    const { config } = write({
      servers: { bad: { scenario: { start: [{ stderr: "no licence\n" }, { exit: 3 }] } } },
    });
    const { text } = await onTerminal(["doctor", "--config", config], { columns: 80 });
    const status = await shownHere(["status", "--config", config], { columns: 80 });
    for (const shown of [text, status]) {
      expect(shown).toContain("exited with code 3");
      expect(shown).not.toMatch(/^\d{4}-\d\d-\d\dT/m);
    }
    for (const command of ["doctor", "status"]) {
      const words = [command, "--config", config, "--log-level", "warn"];
      expect(await shownHere(words, { columns: 80 })).toMatch(/^\d{4}-\d\d-\d\dT\S+ warn /m);
    }
  });

  function write(options: TestWorkspaceOptions): { config: string } {
    const { outside } = writeTestWorkspace({ files: { "a.fake": "x\n" }, ...options });
    made.push(outside);
    return { config: join(outside, "lspi.json") };
  }
  const made: string[] = [];
  afterEach(() => {
    for (const one of made.splice(0)) rmSync(one, { recursive: true, force: true });
  });
});
