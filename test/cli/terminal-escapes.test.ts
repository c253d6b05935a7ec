/**
 * Every command, on a repository and a server that write control sequences, direction marks and invisible characters
 * wherever they can: names of folders and files, contents, settings, answers, logs, progress, stderr.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { escapeLine, escapeText } from "../../src/base/hidden-characters.js";
import { tomlText } from "../../src/base/toml-text.js";
import { commands } from "../../src/cli/commands.js";
import { parseToml } from "../../src/config/text/toml.js";
import { fakeServerPath, type Scenario } from "../fake-server/index.js";
import { type Run, run } from "./run.js";
import { runHere } from "./terminal.js";

/** Title, clipboard (OSC 52), clear screen, C1, DEL, direction marks, zero-width and tag characters. */
const HOSTILE =
  "\u001b]0;title\u0007\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u0008\r\u000b\u009b31m\u0085\u007f\u202e\u2066\u2069\u200e\u061c\u200b\u200d\u2060\ufeff\u00ad\u2028\u2029\u{e0041}\u3164";
/** The same for names of files, with a line end that begins a line of its own. */
const NAME = `${HOSTILE}\nFORGED`;

/** Ranges of what a terminal obeys or does not show, written down without the code under test. */
const RANGES =
  "0-8 b-1f 7f-9f ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 2028-202e 2060-206f 3164 fe00-fe0f feff ffa0 fff0-fffb 1bca0-1bca3 1d173-1d17a e0000-e0fff"
    .split(" ")
    .map((range) => range.split("-").map((end) => Number.parseInt(end, 16)));

function isHidden(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return RANGES.some(([from = 0, to = from]) => code >= from && code <= to);
}

function expectClean(text: string, { isAnswer = false } = {}): void {
  const characters = [...text];
  const found = characters.findIndex(isHidden);
  const around = characters.slice(Math.max(0, found - 60), found + 20).join("");
  expect(found < 0 ? "" : JSON.stringify(around)).toBe("");
  // The text of an answer has lines of its own, which a server may write.
  if (!isAnswer) expect(text.split("\n").filter((line) => line.startsWith("FORGED"))).toEqual([]);
}

/** What a command line gave has nothing hidden in it, and is JSON where that was asked for. */
function expectCleanRun(words: string[], { code, stdout, stderr }: Run): void {
  const [command = ""] = words;
  expect(code, stderr).not.toBe(70);
  expectClean(stderr);
  // The protocol is for a client, which reads JSON.
  if (command !== "serve") expectClean(stdout, { isAnswer: ["call", "status"].includes(command) });
  if (words.includes("--json")) expect(typeof JSON.parse(stdout)).toBe("object");
}

let top: string;
let folder: string;
let environment: { [name: string]: string };
const file = `a${NAME}.fake`;

/** Only what is called here: each command compiles the tools of the config. */
const tools = [
  "find_definition",
  "find_references",
  "get_diagnostics",
  "get_document_symbols",
  "get_hover",
  "get_server_status",
];

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 5 } };
const scenario: Scenario = {
  capabilities: {
    hoverProvider: true,
    documentSymbolProvider: true,
    definitionProvider: true,
    referencesProvider: true,
  },
  serverInfo: { name: `fake${HOSTILE}`, version: `1${NAME}` },
  replies: {
    "textDocument/hover": { contents: `hover ${NAME}` },
    "textDocument/documentSymbol": [
      { name: `word${NAME}`, detail: HOSTILE, kind: 12, range, selectionRange: range },
    ],
    "textDocument/definition": { $find: "target", as: "locations" },
    "textDocument/references": { $find: "target", as: "locations" },
  },
  start: [{ stderr: `stderr ${HOSTILE}\n` }],
  on: {
    initialized: [
      { notify: "window/logMessage", params: { type: 1, message: `log ${NAME}` } },
      { notify: "window/showMessage", params: { type: 1, message: `show ${NAME}` } },
      { request: "window/workDoneProgress/create", params: { token: "t" } },
      {
        notify: "$/progress",
        params: { token: "t", value: { kind: "begin", title: `progress ${NAME}`, message: HOSTILE } },
      },
    ],
    "textDocument/didOpen": [
      {
        notify: "textDocument/publishDiagnostics",
        params: {
          uri: { $: "/params/textDocument/uri" },
          diagnostics: [{ range, severity: 1, message: `wrong ${NAME}`, source: HOSTILE, code: HOSTILE }],
        },
      },
      { notify: "$/progress", params: { token: "t", value: { kind: "end", message: HOSTILE } } },
    ],
  },
};

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-terminal-")));
  folder = join(top, `work${NAME}`);
  mkdirSync(folder);
  const state = join(top, "state");
  environment = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: join(top, "config"), HOME: top, NO_COLOR: "" };
  writeFileSync(join(folder, file), `target ${HOSTILE} target\n`);
  writeFileSync(join(folder, "good.fake"), `target ${HOSTILE} target\n`);
  writeFileSync(join(folder, "x.py"), `x = 1 # ${HOSTILE}\n`);
  writeFileSync(join(folder, "scenario.json"), JSON.stringify(scenario));
  const server = {
    id: "fake",
    command: process.execPath,
    args: [fakeServerPath, join(folder, "scenario.json"), HOSTILE],
    extensions: ["fake"],
    root_markers: [`marker${NAME}`],
    install: `install ${NAME}`,
    workspace_configuration: { [`key${NAME}`]: HOSTILE },
  };
  const dying = {
    ...server,
    id: "dying",
    args: ["-e", `process.stderr.write(${JSON.stringify(`dying ${NAME}`)}); process.exit(3)`],
    extensions: ["dead"],
  };
  const refusing = {
    ...server,
    id: "refusing",
    args: [fakeServerPath, join(folder, "refusing.json")],
    extensions: ["refused"],
  };
  const refusal = { on: { initialize: [{ error: { code: -32000, message: `no ${NAME}` } }] } };
  writeFileSync(join(folder, "refusing.json"), JSON.stringify(refusal));
  writeFileSync(join(folder, "x.dead"), "target\n");
  writeFileSync(join(folder, "x.refused"), "target\n");
  const config = (changes: object) =>
    JSON.stringify({
      allow: { commands: [process.execPath] },
      servers: [server, dying, refusing],
      mcp: { tools: { allow: tools } },
      ...changes,
    });
  writeFileSync(
    join(folder, "lspi.json"),
    config({ servers: [server, { ...dying, request_timeout_ms: 90_000 }, refusing] }),
  );
  writeFileSync(join(folder, "broken.json"), config({ [`unknown${NAME}`]: HOSTILE, mcp: { [NAME]: 1 } }));
  writeFileSync(join(folder, "broken.toml"), `x${HOSTILE} = [`);
  writeFileSync(
    join(folder, `cclsp${NAME}.json`),
    JSON.stringify({
      servers: [{ extensions: ["fake"], command: ["fake", HOSTILE], [NAME]: HOSTILE, env: { [NAME]: NAME } }],
    }),
  );
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const named = ["--config", "lspi.json"];
const at = (path: string) => JSON.stringify({ file_path: path, line: 1, character: 1 });

/** Command lines of each command; together they name every command. */
const runs: { [command: string]: string[][] } = {
  serve: [[...named, "--log-level", "debug"]],
  hub: [[], ["--json"], ["stop"], ["stop", "--workspace", `no${NAME}`], [NAME], ["run", NAME]],
  init: [
    ["--dry-run", "--all"],
    ["--output", `new${NAME}.toml`, "--all"],
    ["--output", `new${NAME}.toml`, "--all"],
  ],
  add: [
    ["pyright", "--dry-run"],
    ["pyright", ...named, "--dry-run"],
    [NAME],
    ["pyright", "--config", `no${NAME}.toml`],
  ],
  remove: [
    ["fake", "--dry-run"],
    [NAME, ...named],
    ["fake", "--config", "broken.json"],
  ],
  servers: [[], [NAME], ["pyright"]],
  doctor: [[], named, [...named, "--log-level", "debug"], ["--config", "broken.json"], [...named, "--json"]],
  verify: [[NAME], ["pyright", "--record", "lspi.json"]],
  install: [[NAME], ["ccls"]],
  import: [
    [`cclsp${NAME}.json`, "--dry-run"],
    [`cclsp${NAME}.json`, "--output", `imported${NAME}.toml`],
    ["lspi.json", "--from", NAME],
  ],
  export: [
    ["claude", ...named],
    ["helix", ...named],
    ["claude", ...named, "--output", `out${NAME}.json`],
    [NAME],
  ],
  generate: [
    ["--out", `bundle${NAME}`, ...named],
    ["--out", `bundle${NAME}`, ...named, "--check"],
    ["--out", "good.fake", ...named],
  ],
  validate: [
    named,
    ["--config", "broken.json"],
    ["--config", "broken.json", "--json"],
    ["--config", "broken.toml"],
    ["--config", NAME],
  ],
  explain: [[], [NAME], named, [...named, "--json"], ["--config", "broken.json"]],
  tools: [named, [...named, "--json"]],
  call: [
    ["get_hover", at("good.fake"), ...named],
    ["get_hover", at(file), ...named],
    ["get_hover", at(file), ...named, "--json", "--log-level", "debug"],
    ["get_hover", at(file), ...named, "--log-json", "--log-level", "debug"],
    ["get_diagnostics", JSON.stringify({ file_path: file }), ...named],
    ["get_document_symbols", JSON.stringify({ file_path: file }), ...named],
    ["find_references", at(file), ...named],
    ["get_hover", at(`absent${NAME}`), ...named],
    [NAME, "{}", ...named],
    ["get_hover", NAME, ...named],
    ["get_hover", `${file}:1:1`, ...named],
    ["get_hover", `line=${NAME}`, ...named],
    ["get_hover", "--help", ...named],
    ["get_hover", at("x.dead"), ...named],
    ["get_hover", at("x.refused"), ...named],
  ],
  // What a hub tells them is tried with the dashboard's own tests.
  dashboard: [
    ["--no-open", "--config", "broken.json"],
    ["--no-open", "--workspace", `no${NAME}`],
  ],
  status: [
    named,
    [...named, "--json"],
    [...named, "--log-level", "debug"],
    ["--watch", "--config", "broken.json"],
  ],
  schema: [
    ["--tool", NAME, ...named],
    ["--tool", "get_hover", ...named],
  ],
  client: [[], ["claude-code", ...named], ["vscode", ...named], [NAME]],
  codex: [named],
  skill: [named, ["--help"]],
  trust: [[], ["--yes"], ["--list"], ["--remove"]],
  mcp: [
    ["--mode", NAME],
    ["--config", "broken.json"],
  ],
  lock: [named, ["--list"], [...named, "--remove"]],
  token: [[], ["--remove", NAME], [NAME]],
  upgrade: [[NAME]],
  uninstall: [[NAME]],
  completion: [["bash"], [NAME], ["--names", "tools", ...named], ["--names", "tools", "--config", NAME]],
  demo: [["good.fake", "target", file, ...named]],
  // With the config that is found no server of the catalogue is needed, so none is installed.
  setup: [["--client", NAME], [], ["--yes", "--client", "vscode"], ["--yes", "--only", NAME]],
};

describe("hidden characters of a repository and its servers", () => {
  it("is tried with every command", () => {
    expect(Object.keys(runs).sort()).toEqual(Object.keys(commands).sort());
  });

  for (const [command, lines] of Object.entries(runs))
    it(`do not reach the output of ${command}`, async () => {
      for (const words of lines)
        expectCleanRun(
          [command, ...words],
          await runHere([command, ...words], { cwd: folder, env: environment }),
        );
    }, 240_000);

  it("do not reach the output of a process of its own", async () => {
    for (const words of [
      ["serve", ...named, "--log-level", "debug"],
      ["call", "get_hover", at(file), ...named],
      ["call", "get_hover", at("x.refused"), ...named, "--json", "--log-level", "debug"],
      ["validate", "--config", "broken.json"],
    ])
      expectCleanRun(words, await run(words, { cwd: folder, env: environment }));
  });

  it("do not reach a terminal", async () => {
    const lines: [string[], string][] = [
      [["call", "get_hover", at(file), ...named], ""],
      [["status", ...named], ""],
      [["trust"], "n\n"],
      [["init", "--output", `other${NAME}.toml`], "9\nall\n"],
      [["serve", ...named], ""],
      [["validate", "--config", "broken.json"], ""],
      [["doctor", ...named], ""],
    ];
    for (const [words, typed] of lines) {
      const { stdout, stderr } = await runHere(words, { cwd: folder, typed, env: environment });
      // Our own: colours, a replaced line, and what readline writes around a question.
      const ours = new RegExp(`${"\u001b"}\\[(?:[0-9;]*m|K|0J|\\d+G)|\r`, "g");
      expectClean(stderr.replace(ours, ""));
      const isAnswer = ["call", "status"].includes(words[0] ?? "");
      if (words[0] !== "serve") expectClean(stdout.replace(ours, ""), { isAnswer });
    }
  }, 120_000);

  it("are escaped in answers, and JSON is equal to the answer", async () => {
    const words = ["call", "get_hover", at("good.fake"), ...named];
    const text = await runHere(words, { cwd: folder, env: environment });
    expect(text.stdout).toContain(escapeText(`hover ${NAME}`.replaceAll(/[\r\n]/g, "")).slice(0, 30));
    const { stdout } = await runHere([...words, "--json"], { cwd: folder, env: environment });
    expect(stdout).toContain("\\u202e");
    expect(JSON.stringify(JSON.parse(stdout))).toContain("\u202e");
  });

  it("are escaped in the log file too", async () => {
    const log = join(top, "log.txt");
    const words = ["call", "get_hover", at("x.refused"), ...named, "--log-file", log];
    await runHere(words, { cwd: folder, env: environment });
    const text = readFileSync(log, "utf8");
    expect(text).toContain("\\u202e");
    expectClean(text);
  });
});

describe("the escapes", () => {
  it("keep layout in text, and nothing in a line", () => {
    expect(escapeText("a\tb\r\nc\n")).toBe("a\tb\nc\n");
    expect(escapeLine("a\tb\nc")).toBe("a\\u0009b\\u000ac");
    expectClean(escapeText(HOSTILE));
  });

  it("leave JSON and TOML equal", () => {
    const value = { [NAME]: [HOSTILE, NAME, "é 日本 😀 \\"] };
    expect(JSON.parse(escapeText(JSON.stringify(value, null, 2)))).toEqual(value);
    const toml = `x = ${tomlText(value)}\n`;
    expectClean(toml);
    expect(parseToml(toml).tree).toEqual({ x: value });
  });

  it("leave other writing alone", () => {
    const text = "é e\u0301 日本語 עברית العربية हिन्दी 😀 \u00a0→…│";
    expect(escapeLine(text)).toBe(text);
  });
});
