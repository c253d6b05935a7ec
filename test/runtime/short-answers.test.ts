/** What default answers leave out, and what they say of it: remarks, locals, imports, capped lists, missing projects. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { withoutEntities } from "../../src/runtime/shapes/markdown-entities.js";
import type { Scenario } from "../fake-server/index.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

const a = "file:///work/a.fake";
let work: TestWorkspace;
afterEach(() => work?.close());

async function open(
  replies: JsonObject,
  config: JsonObject = {},
  files: { [name: string]: string } = {},
  on: Scenario["on"] = {},
  limits: JsonObject = {},
) {
  work = await openTestWorkspace({
    config: { limits },
    files: { "a.fake": ["import { one } from 'x'", "fn run(p)", "  local", "one", ""].join("\n"), ...files },
    servers: {
      fake: {
        scenario: {
          capabilities: {
            documentSymbolProvider: true,
            workspaceSymbolProvider: true,
            referencesProvider: true,
            hoverProvider: true,
            definitionProvider: true,
            diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false },
          },
          replies,
          on,
        },
        config,
      },
    },
  });
  return work;
}

describe("diagnostics", () => {
  const items = [
    { range: range(0, 0, 1), severity: 4, message: "hint" },
    { range: range(0, 0, 1), severity: 2, message: "warning" },
    { range: range(0, 0, 1), severity: 1, message: "error" },
  ];
  const shown = async (args: JsonObject) => {
    const { structured } = await work.call("get_diagnostics", { file_path: "a.fake", ...args });
    const found = (structured.diagnostics as JsonObject[]).map(({ message }) => message);
    return { found, hidden: structured.hidden, status: structured.status };
  };

  it("are errors and warnings, unless a call asks for more or less", async () => {
    await open({ "textDocument/diagnostic": { kind: "full", items } });
    expect(await shown({})).toEqual({ found: ["error", "warning"], hidden: 1, status: "diagnostics" });
    expect(await shown({ min_severity: "hint" })).toMatchObject({ hidden: 0 });
    expect(await shown({ min_severity: "error" })).toMatchObject({ found: ["error"], hidden: 2 });
    const told = async (args: JsonObject) =>
      (await work.call("get_diagnostics", { file_path: "a.fake", ...args })).text;
    expect(await told({})).toContain("1 milder one is hidden; min_severity says which are shown.");
    expect(await told({ min_severity: "error" })).toContain("2 milder ones are hidden; min_severity");
    expect(await told({ min_severity: "hint" })).not.toContain("hidden");
  });

  it("that do not come in time are asked for again, for as long as a call says", async () => {
    const late = { "textDocument/diagnostic": [{ exec: ["sleep", "2"] }] };
    await open({ "textDocument/diagnostic": { kind: "full", items } }, {}, {}, late);
    const { structured, text } = await work.call("get_diagnostics", { file_path: "a.fake", wait_ms: 100 });
    expect(structured).toMatchObject({ status: "unknown" });
    expect(text).toMatch(/^Status: unknown \(.*; call again, or with a larger wait_ms\)$/m);
    expect(await shown({ wait_ms: 20_000 })).toMatchObject({ status: "diagnostics" });
  });

  it("are none where there are only remarks", async () => {
    await open({ "textDocument/diagnostic": { kind: "full", items: items.slice(0, 1) } });
    expect(await shown({})).toEqual({ found: [], hidden: 1, status: "clean" });
  });
});

describe("an outline", () => {
  const symbols: JsonObject[] = [
    { name: "one", kind: 13, range: range(0, 9, 12), selectionRange: range(0, 9, 12) },
    {
      name: "run",
      kind: 12,
      range: range(1, 0, 10, 2),
      selectionRange: range(1, 3, 6),
      children: [
        { name: "local", kind: 13, range: range(2, 2, 7), selectionRange: range(2, 2, 7) },
        { name: "map() callback", kind: 12, range: range(2, 2, 7), selectionRange: range(2, 2, 7) },
        { name: "inner", kind: 12, range: range(2, 2, 7), selectionRange: range(2, 2, 7) },
      ],
    },
    { name: "top", kind: 13, range: range(3, 0, 3), selectionRange: range(3, 0, 3) },
  ];
  it.each([
    [{}, ["run", "inner", "top"], 3],
    [{ include_locals: true }, ["one", "run", "inner", "local", "map() callback", "top"], 0],
    [{ depth: 1 }, ["run", "top"], 4],
    [{ kinds: "fn" }, ["run", "inner", "map() callback"], 3],
    [{ kinds: "variable, class", depth: 1 }, ["one", "top"], 4],
  ])("with %j", async (args, names, hidden) => {
    await open({ "textDocument/documentSymbol": symbols });
    const { structured } = await work.call("get_document_symbols", { file_path: "a.fake", ...args });
    expect((structured.symbols as JsonObject[]).map(({ name }) => name)).toEqual(names);
    expect(structured.hidden).toBe(hidden);
  });
});

describe("workspace symbols", () => {
  const symbol = (name: string, line: number) => ({
    name,
    kind: 12,
    location: { uri: a, range: range(line, 0, 3) },
  });
  it("keep the server's order, exact names first", async () => {
    await open({ "workspace/symbol": [symbol("oneMore", 3), symbol("another", 0), symbol("one", 2)] });
    const { structured } = await work.call("search_workspace_symbols", { query: "one" });
    expect((structured.symbols as JsonObject[]).map(({ name }) => name)).toEqual([
      "one",
      "oneMore",
      "another",
    ]);
    expect(structured).toMatchObject({ truncated: false, warnings: [] });
  });

  it("are cut where the list is as long as the server's limit", async () => {
    await open({ "workspace/symbol": [symbol("one", 3), symbol("two", 0)] }, { symbol_limit: 2 });
    const { structured } = await work.call("search_workspace_symbols", { query: "o" });
    expect(structured).toMatchObject({ truncated: true, warnings: [{ code: "answer/truncated" }] });
  });
});

describe("a server that needs a project file", () => {
  const config = {
    project_files: ["p.json"],
    settings_files: ["flags.txt"],
    project_fix: "Run make-project.",
  };
  const replies = { "textDocument/references": [], "textDocument/hover": { contents: "x" } };
  const codes = async (tool: string) => {
    const at = { file_path: "a.fake", line: 1, character: 1 };
    const { structured } = await work.call(tool, at);
    return (structured.warnings as JsonObject[]).map(({ code, message }) => `${code} ${message}`);
  };

  it("warns in every answer that may be incomplete, with the fix", async () => {
    await open(replies, config);
    for (const tool of ["find_references", "get_hover"])
      expect(await codes(tool)).toEqual([expect.stringMatching(/^answer\/no-project .*Run make-project\.$/)]);
    writeFileSync(join(work.folder, "flags.txt"), "");
    expect(await codes("get_hover")).toEqual([]);
    expect(await codes("find_references")).toHaveLength(1);
    writeFileSync(join(work.folder, "p.json"), "");
    expect(await codes("find_references")).toEqual([]);
  });

  it("is restarted once the file is there, and only then", async () => {
    await open(replies, config);
    const restarts = async () => {
      await codes("find_references");
      const { structured } = await work.call("get_server_status", {});
      return (structured.servers as JsonObject[]).map((server) => server.restarts);
    };
    expect([await restarts(), await restarts()]).toEqual([[0], [0]]);
    writeFileSync(join(work.folder, "p.json"), "");
    expect([await restarts(), await restarts()]).toEqual([[1], [1]]);
  });
});

describe("a server that knows only the projects of open files", () => {
  const config = { project_query: { method: "fake/project", params: { uri: "<uri>" }, field: "/name" } };
  const replies = { "fake/project": { name: "p" }, "workspace/symbol": [] };

  it("is asked after a file of a project is open", async () => {
    await open(replies, config, { "src/b.fake": "" });
    const { structured } = await work.call("search_workspace_symbols", { query: "o" });
    expect(structured).toMatchObject({ readiness: "ready", warnings: [] });
    expect((await work.received("fake/project"))[0]).toEqual({ uri: work.uri("src/b.fake") });
  });

  it("is not ready when no file belongs to one", async () => {
    await open({ ...replies, "fake/project": { name: "" } }, config, { "src/b.fake": "" });
    const { structured } = await work.call("search_workspace_symbols", { query: "o" });
    expect(structured).toMatchObject({ readiness: "unknown", warnings: [{ code: "answer/no-project" }] });
    const asked = (await work.received("fake/project")) as { uri: string }[];
    expect(asked.map(({ uri }) => uri)).toEqual([work.uri("src/b.fake"), work.uri("a.fake")]);
  });
});

describe("a server that knows only the projects of open files, with markers of projects", () => {
  const config = {
    project_query: { method: "fake/project", params: { uri: "<uri>" }, field: "/name", markers: ["p.json"] },
  };
  const replies = { "fake/project": { name: "p" }, "textDocument/references": [] };
  const at = { file_path: "a.fake", line: 1, character: 1 };
  const project = (name: string) => ({ [`${name}/p.json`]: "{}", [`${name}/b.fake`]: "" });
  const opened = async () =>
    ((await work.received("textDocument/didOpen")) as { textDocument: { uri: string } }[]).map(
      ({ textDocument: { uri } }) => uri.replace(`${work.uri("")}/`, ""),
    );

  it("gets a file of each before a question about uses, and again only when a project is added", async () => {
    await open(replies, config, { "p.json": "{}", ...project("one"), ...project("two") });
    await work.call("find_references", at);
    const asked = (await work.received("fake/project")).length;
    await work.call("find_references", at);
    expect(await work.received("fake/project")).toHaveLength(asked);
    expect(await opened()).toEqual(["a.fake", "one/b.fake", "two/b.fake"]);
    mkdirSync(join(work.folder, "three"));
    for (const [name, text] of Object.entries(project("three"))) writeFileSync(join(work.folder, name), text);
    await work.call("find_references", at);
    expect((await opened()).slice(3)).toEqual(["three/b.fake"]);
  });

  it("gets none before other questions", async () => {
    await open(replies, config, project("one"));
    await work.call("get_hover", at);
    expect(await opened()).toEqual(["a.fake"]);
  });

  it("gets the files of no project that have the name, and a warning counts those past the limit", async () => {
    const files = {
      "a.fake": "total",
      "one.fake": "a total",
      "two.fake": "subtotal",
      "dist/three.fake": "total",
      "four.fake": "",
    };
    await open({ ...replies, "fake/project": { name: "" } }, config, files, {}, { max_open_documents: 4 });
    expect((await work.call("find_references", at)).structured.warnings).toEqual([]);
    expect((await opened()).slice(-1)).toEqual(["one.fake"]);
    for (const name of ["four", "five", "six"]) writeFileSync(join(work.folder, `${name}.fake`), "total()");
    const { structured } = await work.call("find_references", at);
    const message = expect.stringContaining("did not search 1 file that belongs to no project");
    expect(structured.warnings).toMatchObject([{ code: "answer/files-not-searched", message }]);
  });
});

it("the refusal of a misspelt file names the nearest file, but no denied one", async () => {
  await open({});
  mkdirSync(join(work.folder, ".git"));
  const messages = async (file_path: string) =>
    JSON.stringify((await work.call("get_document_symbols", { file_path })).structured);
  expect(await messages("b.fake")).toContain("Did you mean a.fake?");
  expect(await messages(".gi")).not.toContain("Did you mean");
});

it.each([
  ["a&nbsp;&nbsp;b &lt;T&gt; &amp;amp; &#39;x&#x27; snake\\_case", "a  b <T> &amp; 'x' snake_case"],
  ["`&lt;` and ```\n&nbsp;\n``` &gt;", "`&lt;` and ```\n&nbsp;\n``` >"],
  ["```ts\na &lt; b\n```\n&copy; &#0; &unknown;", "```ts\na &lt; b\n```\n&copy; &#0; &unknown;"],
])("Markdown %j reads %j", (markdown, text) => {
  expect(withoutEntities(markdown)).toBe(text);
});
