/** `call` from the shell: arguments as words, help on a tool, pages across processes, exit codes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { patientGateway } from "../profiles/patient-gateway.js";
import { range, writeTestWorkspace } from "../runtime/test-workspace.js";
import { type Run, run } from "./run.js";
import { runHere } from "./terminal.js";

const uri = "file:///work/a.fake";
const text = "one two\n".repeat(30);
/** Only what is called here: each call compiles the tools of the config. */
const tools = ["find_references", "get_document_symbols", "get_hover", "get_server_status", "rename_symbol"];
let top: string;
/** Calls in this process. */
let call: (...words: string[]) => Promise<Run>;
/** The same with the shell in another folder. */
let callIn: (cwd: string, ...words: string[]) => Promise<Run>;
/** Calls in a process of its own, as a shell does. */
let callApart: (...words: string[]) => Promise<Run>;

beforeAll(() => {
  const symbol = (line: number) => ({
    name: "start",
    kind: 12,
    range: range(line, 0, 3),
    selectionRange: range(line, 0, 3),
  });
  const made = writeTestWorkspace({
    files: {
      "a.fake": text,
      "[slug].fake": text,
      "with=sign.fake": "x\n",
      "sub/b.fake": text,
      "sub/deep/c.fake": text,
    },
    servers: {
      fake: {
        scenario: {
          capabilities: {
            hoverProvider: true,
            referencesProvider: true,
            documentSymbolProvider: true,
            renameProvider: true,
          },
          replies: {
            "textDocument/hover": { contents: "a hover", range: range(2, 4, 7) },
            "textDocument/references": Array.from({ length: 25 }, (_, line) => ({
              uri,
              range: range(line, 0, 3),
            })),
            "textDocument/documentSymbol": [symbol(0), symbol(7)],
            "textDocument/rename": { changes: {} },
          },
        },
      },
    },
    config: {
      allow: { commands: [process.execPath], effects: ["read", "edit"] },
      mcp: { tools: { allow: tools } },
    },
  });
  top = made.outside;
  const env = { XDG_STATE_HOME: join(top, "state") };
  const there = { cwd: join(top, "work"), env };
  const lineOf = (words: string[]) => ["call", ...words, "--config", join(top, "lspi.json")];
  call = (...words) => runHere(lineOf(words), there);
  callIn = (cwd, ...words) => runHere(lineOf(words), { cwd, env });
  callApart = (...words) => run(lineOf(words), there);
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const answer = ({ stdout }: Run) => JSON.parse(stdout) as { [name: string]: unknown };

describe("arguments", () => {
  it("are the same as words and as JSON", async () => {
    const json = await call("get_hover", '{"file_path": "a.fake", "line": 3, "character": 5}');
    expect(json).toMatchObject({ code: 0, stderr: "" });
    expect(json.stdout).toContain("a hover");
    for (const words of [
      ["a.fake:3:5"],
      ["a.fake", "line=3", "character=5"],
      ["file_path=a.fake", "line=3", "character=5"],
    ])
      expect(await call("get_hover", ...words)).toEqual(json);
  });

  it("take paths as the shell's folder has them, and else as the workspace has them", async () => {
    const inSub = (...words: string[]) => callIn(join(top, "work/sub"), ...words);
    const expected = await call("get_hover", "sub/b.fake:3:5");
    expect(expected).toMatchObject({ code: 0, stdout: expect.stringContaining("a hover") });
    for (const words of [
      ["b.fake:3:5"],
      ["./b.fake:3:5"],
      ["../sub/b.fake:3:5"],
      ["file_path=b.fake", "line=3", "character=5"],
      ["file_path=./deep/../b.fake", "line=3", "character=5"],
      ["sub/b.fake:3:5"],
    ])
      expect(await inSub("get_hover", ...words), words.join(" ")).toEqual(expected);
    expect((await inSub("get_hover", "deep/c.fake:3:5")).code).toBe(0);
    expect((await inSub("get_hover", "../a.fake:3:5")).code).toBe(0);
    expect((await inSub("get_hover", "./a.fake:3:5")).code).toBe(1);
    expect((await inSub("get_hover", "../../lspi.json:1:1")).code).toBe(1);
    const elsewhere = mkdtempSync(join(tmpdir(), "call-"));
    writeFileSync(join(elsewhere, "a.fake"), "x\n");
    expect(await callIn(elsewhere, "get_hover", "a.fake:3:5"), "a name that the shell has too").toMatchObject(
      {
        code: 0,
      },
    );
    rmSync(elsewhere, { recursive: true });
  });

  it("that are paths are shown as answers show them, relative to the workspace", async () => {
    const inSub = (word: string) =>
      callIn(join(top, "work/sub"), "find_references", word, "symbol_name=none");
    for (const word of ["b.fake", "./b.fake", "../sub/b.fake", join(top, "work/sub/b.fake"), "sub/b.fake"]) {
      const { stdout } = await inSub(word);
      expect(stdout, word).toContain('Next: call get_document_symbols with {"file_path":"sub/b.fake"}');
      expect(stdout, word).not.toContain(top);
    }
    // Relative to the workspace, the name alone would be a URI.
    writeFileSync(join(top, "work/web:b.fake"), text);
    expect((await callIn(join(top, "work"), "get_hover", "./web:b.fake", "line=3", "character=5")).code).toBe(
      0,
    );
    rmSync(join(top, "work/web:b.fake"));
  });

  it("have the types of the tool's schema", async () => {
    const listed = await call(
      "find_references",
      "a.fake:1:1",
      "include_declaration=false",
      "page_size=2",
      "--json",
    );
    expect(answer(listed)).toMatchObject({ ok: true, shown: 2, total: 25 });
    const wrong = async (...words: string[]) => {
      const { code, stderr } = await call("find_references", ...words);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await wrong("a.fake", "line=three")).toContain("`line` takes a number, not `three`");
    expect(await wrong("a.fake", "include_declaration=yes")).toContain("takes true or false");
    expect(await wrong("a.fake", "symbl_name=x")).toContain("did you mean `symbol_name`?");
    expect(await wrong("a.fake", "symbol=x")).toContain("did you mean `symbol_name`?");
    expect(await wrong("a.fake", "position=1")).toContain("did you mean `line` and `character`?");
    expect(await wrong("a.fake:1:1", "line=2")).toContain("`line` is given twice");
    expect(await wrong("{")).toContain("not JSON");
    const line = ["call", "find_references", "-", "--config", join(top, "lspi.json")];
    const list = await runHere(line, { cwd: join(top, "work"), input: "[]" });
    expect(list).toMatchObject({ code: 2, stderr: expect.stringContaining("one JSON object") });
  });

  it("may name a file that begins with a bracket", async () => {
    const hover = await call("get_hover", "[slug].fake:3:5");
    expect(hover).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("a hover") });
  });

  it("are reported where a place does not fit the tool", async () => {
    expect((await call("get_server_status", "a.fake")).stderr).toContain("takes no file");
    expect((await call("get_document_symbols", "a.fake:1:1")).stderr).toContain("`a.fake` is enough");
  });

  it("are shown by --help of the tool, which starts nothing", async () => {
    const { code, stdout } = await call("find_references", "--help");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Usage: lsp-proxy call find_references \[FILE\[:LINE\[:COLUMN\]\]\] \[NAME=VALUE …\]\n/,
    );
    expect(stdout).toMatch(/^ {2}page_size=N {2,}1-200, default 100\.$/m);
    expect(stdout).toMatch(/^ {2}include_declaration=true\|false {2,}\S/m);
    expect(await call("find_refrences", "--help")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean `find_references`?"),
    });
  });
});

it("a server that does not start is reported once, by the answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "call-"));
  writeFileSync(join(folder, "a.fake"), "x\n");
  const servers = [{ id: "x", command: ["not-there-at-all"], extensions: ["fake"] }];
  writeFileSync(
    join(folder, "lspi.json"),
    JSON.stringify({ allow: { commands: ["not-there-at-all"] }, servers }),
  );
  const words = ["call", "get_hover", "a.fake:1:1", "--config", "lspi.json"];
  const { stdout, stderr, code } = await runHere(words, { cwd: folder });
  rmSync(folder, { recursive: true });
  expect(code).toBe(1);
  expect(stdout).toContain("not-there-at-all was not found");
  expect(stderr).toBe("");
});

it("the refusal of a tool that the config does not enable says how to enable it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "call-"));
  const call = async (config: string) => {
    writeFileSync(join(folder, "lspi.toml"), config);
    const { code, stderr } = await runHere(["call", "rename_symbol", "--config", "lspi.toml"], {
      cwd: folder,
    });
    expect(code).toBe(2);
    return stderr;
  };
  expect(await call("")).toContain('write `allow.effects = ["read", "edit"]` in the config');
  const left = '[allow]\neffects = ["read", "edit"]\n[mcp.tools]\nexclude = ["rename_symbol"]\n';
  expect(await call(left)).toContain("`mcp.tools` leaves it out");
  rmSync(folder, { recursive: true });
});

describe("pages", () => {
  it("are reached by their cursors in later calls, until the files change", async () => {
    const page = ["find_references", "a.fake:1:1", "page_size=10", "--json"];
    const askApart = (...words: string[]) => callApart(...page, ...words);
    const ask = (...words: string[]) => call(...page, ...words);
    const lines = (page: Run) => (answer(page).locations as { line: number }[]).map(({ line }) => line);
    const first = await askApart();
    const second = await askApart(`cursor=${answer(first).next_cursor}`);
    const third = await askApart(`cursor=${answer(second).next_cursor}`);
    expect(answer(third)).toMatchObject({ ok: true, shown: 5 });
    expect([first, second, third].flatMap(lines)).toEqual(
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
    const all = await ask("--all");
    expect(JSON.parse(all.stdout)).toEqual([first, second, third].map(answer));
    expect(await ask("cursor=nonsense")).toMatchObject({ code: 1 });
    writeFileSync(join(top, "work", "a.fake"), `changed${text}`);
    const late = await ask(`cursor=${answer(first).next_cursor}`);
    writeFileSync(join(top, "work", "a.fake"), text);
    expect(late.code).toBe(1);
    expect(answer(late)).toMatchObject({ ok: false, error: { code: "page/cursor-expired" } });
  });
});

describe("exit codes", () => {
  it("are the same for a wrong argument in words and in JSON", async () => {
    for (const words of [
      ["a.fake", "symbl_name=x"],
      ['{"file_path": "a.fake", "symbl_name": "x"}'],
      ["a.fake", "line=x"],
      ['{"file_path": "a.fake", "line": "x"}'],
    ])
      expect((await call("find_references", ...words)).code, words.join(" ")).toBe(2);
    expect((await call("find_references", '{"file_path": "absent.fake", "line": 1}')).code).toBe(1);
  });

  it("say that the answer needs disambiguation, or that no edit was made", async () => {
    const ambiguous = await call("find_references", "a.fake", "symbol_name=start");
    expect(ambiguous.stdout).toContain("needs disambiguation");
    expect(ambiguous.code).toBe(4);
    expect((await call("rename_symbol", "a.fake:1:1", "new_name=begin", "dry_run=false")).code).toBe(4);
    expect((await call("get_hover", "absent.fake:1:1")).code).toBe(1);
  });
});

describe("with the names of another dialect", () => {
  const places = Array.from({ length: 5 }, (_, line) => ({ uri, range: range(line, 0, 3) }));
  const fake = {
    scenario: {
      capabilities: { referencesProvider: true, renameProvider: true },
      replies: { "textDocument/references": places, "textDocument/rename": { changes: {} } },
    },
  };
  const open = (config: JsonObject) => {
    const allow = { commands: [process.execPath], effects: ["read", "edit"] };
    const files = { "a.fake": text };
    const { outside, folder } = writeTestWorkspace({
      files,
      servers: { fake },
      config: { allow, ...config },
    });
    const env = { XDG_STATE_HOME: join(outside, "state") };
    const ask = (...words: string[]) =>
      runHere(["call", ...words, "--config", join(outside, "lspi.json")], { cwd: folder, env });
    return { ask, close: () => rmSync(outside, { recursive: true, force: true }) };
  };

  it("all pages are printed and a cursor is found again in the profile `gateway`", async () => {
    const { ask, close } = open(patientGateway);
    const page = ["vscode.lsp.references", "a.fake", 'position={"line":0,"character":0}', "pageSize=2"];
    const first = await ask(...page, "--json");
    const second = await ask(...page, `cursor=${answer(first).nextCursor}`, "--json");
    const third = await ask(...page, `cursor=${answer(second).nextCursor}`, "--json");
    const all = await ask(...page, "--all", "--json");
    const wrong = await ask("vscode.lsp.references", '{"uri": "a.fake", "pageSize": "two"}', "--json");
    close();
    expect(answer(first)).toMatchObject({ items: [{}, {}], nextCursor: expect.any(String) });
    expect(answer(second)).toMatchObject({ items: [{}, {}], nextCursor: expect.any(String) });
    expect(answer(third)).toMatchObject({ items: [{}] });
    expect(JSON.parse(all.stdout)).toEqual([first, second, third].map(answer));
    expect(answer(wrong)).toMatchObject({ error: { code: "MCP_LSP_GATEWAY/INVALID_PARAMS" } });
    expect(wrong.code).toBe(2);
  });

  it("the exit code still says that no edit was made", async () => {
    const { ask, close } = open({ dialect: { members: { status: "state" } } });
    const unmade = await ask("rename_symbol", "a.fake:1:1", "new_name=begin", "dry_run=false", "--json");
    close();
    expect(answer(unmade)).toMatchObject({ state: "unchanged" });
    expect(unmade.code).toBe(4);
  });
});
