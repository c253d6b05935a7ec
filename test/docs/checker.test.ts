/** The checks of the docs find what is wrong: each example here is a page with one mistake. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPage } from "../../docs/.vitepress/markdown.js";
import { configProblems } from "./configs.js";
import { CONFIG, Machine } from "./machine.js";
import { matches, outputDiff } from "./output.js";
import { noShell, runPage } from "./run-page.js";
import { shellCommands } from "./shell.js";
import { staticProblems } from "./static.js";
import { lineProblem, type Notes, typedLines, unusedNotes } from "./typed-lines.js";

/** A page of blocks, each given by its first line and its text. */
function pageOf(...blocks: [info: string, text: string][]) {
  return readPage("page.md", blocks.map(([info, text]) => `\`\`\`${info}\n${text}\n\`\`\`\n`).join(""));
}

describe("a command", () => {
  it.for([
    ["of this name does not exist", "lsp-proxy serv", "page.md:2: there is no command `serv`"],
    ["has no such option", "lsp-proxy serve --htpp", "page.md:2: `serve`: Unknown option '--htpp'"],
    ["has an option without its value", "lsp-proxy serve --config", "argument missing"],
    ["has a wrong value", "lsp-proxy serve --log-level loud", "`--log-level` takes debug, info, warn, error"],
    ["has too few words", "lsp-proxy call", "usage: lsp-proxy call"],
    ["has too many words", "lsp-proxy serve here", "usage: lsp-proxy serve"],
    [
      "calls an unknown tool",
      "lsp-proxy call find_refs a.ts:1:1",
      "`lsp-proxy call` does not know `find_refs`",
    ],
    ["names an unknown client", "lsp-proxy client codecs", "does not know `codecs`"],
    ["names an unknown server", "lsp-proxy install rust-analyser", "does not know `rust-analyser`"],
    ["names an unknown code", "lsp-proxy explain config/trusted", "does not know `config/trusted`"],
    ["is an unknown script", "npm ci && npm run nothing", "package.json has no script `nothing`"],
    ["is wrong in the third line", "true\n\nlsp-proxy serv", "page.md:4:"],
    ["is wrong in a substitution", 'eval "$(lsp-proxy complete bash)"', "there is no command `complete`"],
    ["is wrong after a pipe and a variable", "echo {} | A=1 lsp-proxy cal x", "there is no command `cal`"],
    [
      "is wrong on a continued line",
      "lsp-proxy call get_hover \\\n  a.ts:1:1 --wrong",
      "Unknown option '--wrong'",
    ],
    ["is wrong as run from a clone", "node dist/cli/bin.js serv", "there is no command `serv`"],
  ] as const)("%s", async ([, command, problem]) => {
    const problems = await staticProblems(pageOf(["sh", command]));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it("is checked in a console block and in a sentence", async () => {
    expect(await staticProblems(pageOf(["console", "$ lsp-proxy serv\nno"]))).toHaveLength(1);
    expect(await staticProblems(readPage("page.md", "Type `lsp-proxy serv` now.\n"))).toHaveLength(1);
    expect(await staticProblems(readPage("page.md", "Type `npm run nothing` now.\n"))).toHaveLength(1);
  });

  it.for([
    "lsp-proxy setup --yes --client codex # comment --wrong",
    "lsp-proxy -C DIR serve --http &",
    `lsp-proxy call find_references '{"file_path": "a.ts", "symbol_name": "a"}' -c lspi.toml > out.json`,
    "lsp-proxy -e go -s gopls -w DIR",
    "lsp-proxy call TOOL --help",
    "export LSP_PROXY_TOKEN=$(lsp-proxy token)",
    "cat > a.sh <<'END'\nlsp-proxy wrong\nEND\nlsp-proxy validate",
    "curl --wrong https://example.org",
  ])("that is right is not reported: %s", async (command) => {
    expect(await staticProblems(pageOf(["sh", command]))).toEqual([]);
  });

  it("of the page's own tool is right", async () => {
    const tool = '[[tools]]\nname = "mine"\n';
    expect(await staticProblems(pageOf(["toml", tool], ["sh", "lsp-proxy call mine"]))).toEqual([]);
  });
});

describe("data", () => {
  it.for([
    ["toml", "a = "],
    ["toml lines", "a = 1\na = 2\nb ="],
    ["json", '{ "a": 1, }'],
    ["jsonc", '{ "a": }'],
    ["yaml", "a: [1"],
    ["toml confg", ""],
    ["sh runs", ""],
  ] as const)("with a mistake is reported: %s %s", async ([info, text]) => {
    expect(await staticProblems(pageOf([info, text]))).toHaveLength(1);
  });

  it.for([
    ["toml lines", "a = 1\na = 2"],
    ["json", '{ "a": [ … ], "b": "…" }'],
    ["jsonc", '{ "a": 1, } // yes'],
  ] as const)("without one is not: %s %s", async ([info, text]) => {
    expect(await staticProblems(pageOf([info, text]))).toEqual([]);
  });
});

describe("a config", () => {
  const server = '[[servers]]\nid = "python"\nkind = "pyright"\n';
  const tool = `[[tools]]
name = "mine"
description = "Where a symbol is declared."
servers = ["SERVER"]
input = "position"
output = "locations"
request = { method = "textDocument/declaration", params = "text_document_position" }
`;

  it.for([
    ["an unknown key", "toml config", "[mpc]\nread_only = true", "page.md:1: error[config/unknown-key]"],
    ["a wrong type", "json config", '{ "servers": {} }', "error[config/wrong-type]"],
    [
      "a server that is not there",
      "toml config",
      tool.replace("SERVER", "pyright"),
      "error[plan/unknown-server]",
    ],
    ["an unknown key in a part", "toml config part", '[mcp]\ncontexts = "full"', "error[config/unknown-key]"],
    [
      "an unknown key in a block without a mark",
      "toml",
      '[mcp]\ncontexts = "full"',
      "error[config/unknown-key]",
    ],
    [
      "a warning",
      "toml config",
      '[mcp.tools]\nexclude = ["find_definition_at"]',
      "warning[plan/absent-tool]",
    ],
  ] as const)("with %s is reported", async ([, info, text, problem]) => {
    const problems = await configProblems(pageOf([info, text]));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it("is the base of the parts after it", async () => {
    const part = tool.replace("SERVER", "python");
    expect(await configProblems(pageOf(["toml config part", part]))).toHaveLength(1);
    expect(await configProblems(pageOf(["toml config", server], ["toml config part", part]))).toEqual([]);
    expect(await configProblems(pageOf(["toml config part", server], ["toml config part", part]))).toEqual(
      [],
    );
  });

  it("is not a file of another program", async () => {
    expect(await configProblems(pageOf(["toml", '[mcp_servers.lsp-proxy]\ncommand = "x"']))).toEqual([]);
  });
});

describe.skipIf(noShell)("a line that is run alone", () => {
  const notes: Notes = {
    typedAs: { PLACE: "." },
    states: { schema: "other" },
    files: { "lsp-proxy tools": { [CONFIG]: "[mpc]\n" } },
    answers: { "lsp-proxy trust": ["no"] },
    codes: { "lsp-proxy hub": { code: 1, why: "it was once so" } },
  };
  let machine: Machine;
  beforeAll(() => {
    machine = new Machine({ "project/src/main.ts": "export const start = 1;\n" });
    machine.save("used");
    machine.save("other");
  });
  afterAll(() => machine.end());
  const problemOf = async (...blocks: [string, string][]) => {
    const problems = [];
    for (const line of typedLines([pageOf(...blocks)]))
      problems.push(await lineProblem(line, machine, notes));
    return problems;
  };

  it.for([
    [
      "has a wrong option",
      "lsp-proxy tools --budgt 1",
      "page.md:2: lsp-proxy tools --budgt 1\nexit code 2, expected 0",
    ],
    ["names what is not there", "lsp-proxy explain --config none.toml", "exit code 3"],
    ["has a problem in its config", "lsp-proxy tools", "exit code 3"],
    ["gets another answer", "lsp-proxy trust", "exit code 1"],
    ["no longer fails", "lsp-proxy hub", "exit code 0, expected 1"],
    ["fails in a pipe", "lsp-proxy explain nothing | cat", "exit code 2, expected 0"],
    ["fails in a substitution", "export A=$(lsp-proxy explain nothing)", "exit code 2, expected 0"],
    ["is a shell's mistake", "lsp-proxy --version | false", "exit code 1, expected 0"],
    ["writes into a folder that is not there", "lsp-proxy schema > none/schema.json", "no such file"],
    ["ends at once", "lsp-proxy serve --config none.toml", "exit code 3, expected that it goes on"],
    ["goes on", "lsp-proxy serve -w PLACE", undefined],
  ] as const)("is reported if it %s", async ([, line, problem]) => {
    const [found] = await problemOf(["sh", line]).catch((error: Error) => [error.message]);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });

  it("has the config of its page, and the home folder as it was", async () => {
    const blocks: [string, string][] = [
      ["toml config", "[mpc]"],
      ["sh", "lsp-proxy explain"],
    ];
    expect((await problemOf(...blocks))[0]).toContain("exit code 3");
    expect(await problemOf(["sh", "lsp-proxy init --yes --all\nlsp-proxy init --all --yes"])).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("is found once, in every block that is not run", () => {
    const text = "npm test\nlsp-proxy hub # a\nlsp-proxy hub\nA=1 node dist/cli/bin.js hub \\\n  --json";
    const found = typedLines([
      pageOf(["sh", text], ["console", "$ lsp-proxy tools\n…"], ["sh run", "lsp-proxy token"]),
    ]);
    expect(found.map(({ place, text }) => `${place} ${text}`)).toEqual([
      "page.md:3 lsp-proxy hub",
      "page.md:5 A=1 node dist/cli/bin.js hub \\\n  --json",
      "page.md:9 lsp-proxy tools",
    ]);
  });

  it("has no note that is not used", () => {
    expect(
      unusedNotes(typedLines([pageOf(["sh", "lsp-proxy tools -w PLACE\nlsp-proxy trust"])]), notes),
    ).toEqual(["schema", "lsp-proxy hub"]);
  });
});

describe.skipIf(noShell)("a page that is run", () => {
  it.for([
    ["fails where a command fails", [["sh run", "true\nfalse\ntrue"]], "page.md:1: exit code 1"],
    [
      "fails where the output differs",
      [["console run", "$ echo a; echo b\na\nc"]],
      "page.md:2: echo a; echo b\n  a\n- c\n+ b",
    ],
    ["fails where output is missing", [["console run", "$ echo a; echo b\na"]], "+ b"],
    ["fails where a command is silent", [["console run", "$ true\n\n$ true\na"]], "page.md:4: true\n- a"],
    ["has an empty home", [["console run", "$ ls -A ~\n\n$ env | grep -c LSPI\n0"]], undefined],
    [
      "has one folder",
      [
        ["sh run", "mkdir a\ncd a"],
        ["console run", "$ pwd\n…/project/a"],
      ],
      undefined,
    ],
    [
      "keeps variables",
      [
        ["sh run", "export A='x y'"],
        ["console run", "$ echo $A\nx y"],
      ],
      undefined,
    ],
    [
      "has its config",
      [
        ["toml config", "[mcp]\nread_only = true"],
        ["console run", "$ cat lspi.toml\n[mcp]\n…"],
      ],
      undefined,
    ],
    [
      "runs the program",
      [["console run", "$ lsp-proxy nothing\nlsp-proxy: unknown command `nothing`\n…"]],
      undefined,
    ],
    [
      "installs with npm",
      [["console run", "$ npm install typescript@5; node_modules/.bin/tsc --version\nVersion 5.…"]],
      undefined,
    ],
    [
      "installs only what is there",
      [["sh run", "npm install left-pad"]],
      "is not a package of this repository",
    ],
    ["is not kept by what it leaves running", [["sh run", "sleep 1000 &"]], undefined],
  ] as const)("%s", async ([, blocks, problem]) => {
    const found = await runPage(pageOf(...(blocks as unknown as [string, string][])));
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });

  it("does not touch the folder of the tests", async () => {
    expect(await runPage(pageOf(["sh run", `touch ${"here"}`]))).toBeUndefined();
    expect(existsSync(join(tmpdir(), "here")) || existsSync("here")).toBe(false);
  });
});

it.for([
  [["a"], ["a"], true],
  [["a"], ["b"], false],
  [["a … c"], ["a b c"], true],
  [["a … c"], ["a b"], false],
  [["a.c"], ["abc"], false],
  [["…"], [], true],
  [["a", "…", "c"], ["a", "c"], true],
  [["a", "…", "c"], ["a", "b", "b", "c"], true],
  [["a", "…", "c"], ["a", "b"], false],
  [["…", "b", "…", "b"], ["b", "a", "b"], true],
  [["a", "…"], ["b", "a"], false],
  [["a (server x, ready)"], ["a (server x, unknown)"], true],
  [["a (server x, unknown)"], ["a (server x, unknown)"], true],
  [["a (server x, unknown)"], ["a (server x, ready)"], false],
] as const)("%j is the output %j: %s", ([expected, actual, isSame]) => {
  expect(matches(expected, actual)).toBe(isSame);
});

it("a difference is shown by lines", () => {
  expect(outputDiff(["a", "… b", "c"], ["a", "x b", "d"])).toBe("  a\n  x b\n- c\n+ d");
});

it("the shell's words are found", () => {
  const text = `A=1 x 'a b' "c \\" d"e\\ f | y --z=$(w v) 2>&1 > file # no\nz \\\n  1 && (u; t)\n`;
  expect(shellCommands(text).map(({ line, words }) => `${line}: ${words.join("|")}`)).toEqual([
    '1: A=1|x|a b|c " de f',
    "1: w|v",
    "1: y|--z=…",
    "2: z|1",
    "3: u",
    "3: t",
  ]);
});
