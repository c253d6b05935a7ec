/** Every tool of the profiles of older systems against a real language server: shape and content. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveSession, openSession, type Place, repository } from "./session.js";

const typescript = (context: string, more = "") => `
${more}
[mcp]
context = "${context}"

[[servers]]
id = "ts"
kind = "typescript"
`;
/** A server that publishes diagnostics by itself, so that known files have some. */
const publishing = (context: string) => `
[allow]
commands = ["typescript-language-server"]

[mcp]
context = "${context}"

[[servers]]
id = "ts"
kind = "typescript-language-server"
[servers.initialize_options.tsserver]
path = "${join(repository, "node_modules", "typescript-5", "lib", "tsserver.js")}"
`;
const allow = (effects: string) => `[allow]\ncommands = ["tsc"]\neffects = [${effects}]\n`;

function used(session: LiveSession): { call: LiveSession["call"]; names: Set<string> } {
  const names = new Set<string>();
  return {
    names,
    call: (tool, args) => {
      names.add(tool);
      return session.call(tool, args);
    },
  };
}

async function listed(session: LiveSession): Promise<string[]> {
  return (await session.client.listTools()).tools.map((tool) => tool.name).sort();
}

describe("llxprt", () => {
  let session: LiveSession;
  let driven: ReturnType<typeof used>;
  beforeAll(async () => {
    session = await openSession("typescript", publishing("llxprt"));
    driven = used(session);
  });
  afterAll(() => session?.close());

  const said = async (tool: string, args: object) => {
    const result = await driven.call(tool, args);
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toBeUndefined();
    return result.content.map((block) => block.text);
  };

  it("answers every tool in its own lines", async () => {
    const at = { file: "src/app.ts", ...session.place("src/app.ts", "first = |greet(wave)") };
    const { line, character } = session.place("src/greet.ts", "function |greet");
    expect(await said("lsp_goto_definition", at)).toEqual([`src/greet.ts:${line}:${character}`]);
    const [references = ""] = await said("lsp_find_references", at);
    expect(references.split("\n")).toHaveLength(7);
    expect(references.split("\n")).toContain(`src/greet.ts:${line}:${character}`);
    expect((await said("lsp_hover", at))[0]).toContain("greet(name: string): string");
    const [symbols = ""] = await said("lsp_document_symbols", { file: "src/greet.ts" });
    expect(symbols.split("\n")).toEqual(
      expect.arrayContaining(["function greet [line 2]", "class Polite [line 10]", "method hello [line 11]"]),
    );
    const [found = ""] = await said("lsp_workspace_symbols", { query: "Polite" });
    expect(found.split("\n")).toContain("class Polite (src/greet.ts:10)");
    // Known files are those that a server has looked at.
    await said("lsp_document_symbols", { file: "src/broken.ts" });
    await expect
      .poll(async () => (await said("lsp_diagnostics", {}))[0], { timeout: 30_000 })
      .toMatch(/^src\/broken\.ts:\n {2}error \[3:\d+\] Type 'string'.* \(2322\)$/m);
    expect([...driven.names].sort()).toEqual(await listed(session));
  });

  it("says in its own words that there is nothing, and that it failed", async () => {
    const empty = { file: "src/greet.ts", line: 5, character: 1 };
    expect((await said("lsp_goto_definition", empty))[0]).toBe("No definition found");
    expect((await said("lsp_hover", empty))[0]).toBe("No hover information available");
    expect((await said("lsp_workspace_symbols", { query: "Nowhere" }))[0]).toBe("No symbols found");
    const outside = { file: "../outside.ts", line: 1, character: 1 };
    expect(await said("lsp_hover", outside)).toEqual(["Error: File is outside workspace boundary"]);
    expect((await said("lsp_hover", { file: "src/none.ts", line: 1, character: 1 }))[0]).toMatch(/^Error: /);
  });

  it("has the arguments of the original and no others", async () => {
    const { tools } = await session.client.listTools();
    const schema = tools.find((tool) => tool.name === "lsp_goto_definition")?.inputSchema;
    expect(Object.keys(schema?.properties ?? {}).sort()).toEqual(["character", "file", "line"]);
    expect([...(schema?.required ?? [])].sort()).toEqual(["character", "file", "line"]);
    expect(session.client.getServerVersion()?.name).toBe("lsp-navigation");
  });
});

describe("codeflow", () => {
  let session: LiveSession;
  let driven: ReturnType<typeof used>;
  beforeAll(async () => {
    session = await openSession("typescript", typescript("codeflow", allow('"read", "command"')));
    driven = used(session);
  });
  afterAll(() => session?.close());

  const json = async (tool: string, args: object) => {
    const result = await driven.call(tool, args);
    expect(result.structuredContent, tool).toBeUndefined();
    expect(result.isError, `${tool} ${result.content[0]?.text}`).toBeUndefined();
    return JSON.parse(result.content[0]?.text ?? "") as Record<string, unknown>;
  };
  /** Lines from 1, characters from 0. */
  const at = (file: string, marked: string) => {
    const { line, character } = session.place(file, marked);
    return { file_path: file, line, character: character - 1 };
  };

  it("answers every tool with one block of JSON", async () => {
    const use = at("src/app.ts", "first = |greet(wave)");
    const definition = session.place("src/greet.ts", "function |greet");
    const place = { path: "src/greet.ts", line: definition.line, character: definition.character - 1 };
    expect(await json("find_definition", { ...use, symbol_name: "greet" })).toMatchObject({
      locations: [place],
    });
    const named = { file_path: "src/greet.ts", symbol_name: "greet" };
    expect(await json("find_definition", named)).toMatchObject({ locations: [place] });
    expect(await json("find_references", named)).toMatchObject({ total: 7 });
    const greeter = { file_path: "src/greet.ts", symbol_name: "Greeter" };
    expect(await json("find_implementations", greeter)).toMatchObject({ total: 2 });
    expect(await json("get_hover", named)).toMatchObject({ contents: [expect.stringContaining("greet")] });
    expect(await json("get_document_symbols", { file_path: "src/greet.ts" })).toMatchObject({
      symbols: expect.arrayContaining([expect.objectContaining({ name: "greet", character: 16 })]),
    });
    expect(await json("search_workspace_symbols", { query: "Polite" })).toMatchObject({
      symbols: [expect.objectContaining({ name: "Polite" })],
    });
    expect(await json("get_diagnostics", { file_path: "src/broken.ts" })).toMatchObject({
      diagnostics: [expect.objectContaining({ code: "2322" })],
    });
    const member = at("src/app.ts", "greeter.|hello");
    expect(await json("get_completions", member)).toMatchObject({
      completions: expect.arrayContaining([expect.objectContaining({ label: "hello" })]),
    });
    expect(await json("get_signature_help", at("src/app.ts", "greet(|wave)"))).toMatchObject({ ok: true });
    expect(await json("get_inlay_hints", { file_path: "src/app.ts" })).toMatchObject({ ok: true });
    expect(await json("get_code_actions", { file_path: "src/broken.ts" })).toMatchObject({ ok: true });
    expect(await json("get_semantic_tokens", { file_path: "src/greet.ts" })).toMatchObject({ ok: true });
    expect(await json("get_folding_ranges", { file_path: "src/greet.ts" })).toMatchObject({ ok: true });
    expect(await json("get_document_links", { file_path: "src/greet.ts" })).toMatchObject({ ok: true });
    expect(await json("get_selection_range", use)).toMatchObject({ ok: true });
  });

  it("walks hierarchies, as far as the server has them", async () => {
    const named = { file_path: "src/greet.ts", symbol_name: "greet" };
    expect(await json("prepare_call_hierarchy", named)).toMatchObject({
      items: [expect.objectContaining({ name: "greet", path: "src/greet.ts" })],
    });
    const incoming = await json("get_call_hierarchy_incoming_calls", named);
    expect(incoming.calls).toEqual(expect.arrayContaining([expect.objectContaining({ name: "run" })]));
    const outgoing = { file_path: "src/app.ts", symbol_name: "run" };
    expect(await json("get_call_hierarchy_outgoing_calls", outgoing)).toMatchObject({
      calls: expect.arrayContaining([expect.objectContaining({ name: "greet" })]),
    });
    const type = { file_path: "src/greet.ts", symbol_name: "Polite" };
    for (const tool of [
      "prepare_type_hierarchy",
      "get_type_hierarchy_supertypes",
      "get_type_hierarchy_subtypes",
    ])
      expect(await json(tool, type)).toMatchObject({ ok: true });
  });

  it("runs batches, tells of health and restarts", async () => {
    const batch = await json("batch_execute", {
      parallel: true,
      stop_on_error: false,
      operations: [
        { id: "one", tool: "find_definition", args: { file_path: "src/greet.ts", symbol_name: "greet" } },
        { tool: "get_hover", args: { file_path: "src/none.ts", symbol_name: "greet" } },
      ],
    });
    expect(batch).toMatchObject({
      total: 2,
      successful: 1,
      failed: 1,
      skipped: 0,
      operations: [
        { index: 0, id: "one", tool: "find_definition", outcome: "done" },
        { index: 1, tool: "get_hover", outcome: "failed", answer: { error: { code: "guard/not-a-file" } } },
      ],
    });
    expect(await json("health_check", {})).toMatchObject({ servers: [{ id: "ts", state: "running" }] });
    expect(await json("restart_server", { extensions: ["ts"] })).toMatchObject({
      value: { restarted: ["ts"] },
    });
    expect([...driven.names].sort()).toEqual(await listed(session));
  });

  it("tells a failure with its code", async () => {
    const result = await session.call("get_hover", { file_path: "src/none.ts", symbol_name: "x" });
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toMatch(/^LSP Error \(guard\/not-a-file\): /);
  });
});

describe("pathfinder", () => {
  it("answers with a JSON list of uri and range, from zero", async () => {
    const session = await openSession("typescript", typescript("pathfinder", allow('"read"')));
    try {
      expect(await listed(session)).toEqual(["definition"]);
      const uri = (file: string) => pathToFileURL(join(session.folder, file)).href;
      const { line } = session.place("src/app.ts", "first = |greet(wave)");
      // In UTF-16 units: the waving hand is four of them, the grinning face two.
      const text = `const wave = "👋🏽 漢字 e\\u0301"; /* 😀é */ export const first = `;
      const found = await session.call("definition", {
        uri: uri("src/app.ts"),
        line: line - 1,
        character: text.length,
      });
      expect(JSON.parse(found.content[0]?.text ?? "")).toEqual([
        {
          uri: uri("src/greet.ts"),
          range: { start: { line: 1, character: 16 }, end: { line: 1, character: 21 } },
        },
      ]);
      const nothing = await session.call("definition", { uri: uri("src/greet.ts"), line: 4, character: 0 });
      expect(JSON.parse(nothing.content[0]?.text ?? "")).toEqual([]);
    } finally {
      await session.close();
    }
  });
});

describe("lspi", () => {
  let session: LiveSession;
  let driven: ReturnType<typeof used>;
  beforeAll(async () => {
    session = await openSession("typescript", typescript("lspi", allow('"read", "command"')));
    driven = used(session);
  });
  afterAll(() => session?.close());

  const structure = async (tool: string, args: object) => {
    const { structuredContent, content, isError } = await driven.call(tool, args);
    expect(isError, `${tool} ${content[0]?.text}`).toBeUndefined();
    expect(content[0]?.text.length).toBeLessThanOrEqual(200);
    expect(structuredContent).toMatchObject({
      schema_version: 1,
      ok: true,
      tool,
      input: args,
      warnings: expect.any(Array),
      truncated: expect.any(Boolean),
    });
    return structuredContent;
  };

  it("answers every tool that reads", async () => {
    const definition = { path: "src/greet.ts", ...session.place("src/greet.ts", "function |greet") };
    const named = { file_path: "src/greet.ts", symbol_name: "greet" };
    const at = { file_path: "src/app.ts", ...session.place("src/app.ts", "first = |greet(wave)") };
    const byName = await structure("find_definition", named);
    expect(byName.locations).toMatchObject([definition]);
    expect((byName.locations as { text: string }[])[0]?.text.split("\n")).toHaveLength(3);
    expect((await structure("find_definition_at", at)).locations).toMatchObject([definition]);
    const references = await structure("find_references", named);
    expect(references).toMatchObject({ total: 7, shown: 7 });
    expect((references.locations as object[])[0]).not.toHaveProperty("text");
    expect(await structure("find_references_at", { ...at, max_results: 2 })).toMatchObject({
      total: 7,
      shown: 2,
      truncated: true,
    });
    expect((await structure("hover_at", at)).contents).toEqual([expect.stringContaining("greet")]);
    const greeter = { file_path: "src/greet.ts", ...session.place("src/greet.ts", "interface |Greeter") };
    expect(await structure("find_implementation_at", greeter)).toMatchObject({ total: 2 });
    const typed = { file_path: "src/app.ts", ...session.place("src/app.ts", "run(|greeter: Greeter") };
    expect((await structure("find_type_definition_at", typed)).locations).toMatchObject([
      { path: "src/greet.ts", ...session.place("src/greet.ts", "interface |Greeter") },
    ]);
    const greet = { file_path: "src/greet.ts", ...session.place("src/greet.ts", "function |greet") };
    const run = { file_path: "src/app.ts", symbol_name: "run" };
    const runAt = { file_path: "src/app.ts", ...session.place("src/app.ts", "function |run") };
    const named_ = (name: string) => expect.arrayContaining([expect.objectContaining({ name })]);
    expect((await structure("find_incoming_calls", named)).calls).toEqual(named_("run"));
    expect((await structure("find_incoming_calls_at", greet)).calls).toEqual(named_("run"));
    expect((await structure("find_outgoing_calls", run)).calls).toEqual(named_("greet"));
    expect((await structure("find_outgoing_calls_at", runAt)).calls).toEqual(named_("greet"));
    const symbols = await structure("get_document_symbols", { file_path: "src/greet.ts" });
    expect(symbols.symbols).toEqual(named_("Polite"));
    const query = { query: "Polite", file_path: "src/greet.ts" };
    expect((await structure("search_workspace_symbols", query)).symbols).toEqual(named_("Polite"));
    expect(await structure("get_diagnostics", { file_path: "src/broken.ts" })).toMatchObject({
      status: "diagnostics",
      total: 1,
    });
  });

  it("tells of itself without secrets, and controls its servers", async () => {
    expect((await structure("get_server_status", { server_id: "ts" })).servers).toMatchObject([{ id: "ts" }]);
    const { value } = await structure("list_servers", { include_env: true });
    expect(value).toMatchObject({ servers: [{ id: "ts", env: [] }] });
    expect((value as { languages: { language: string; features: string[] }[] }).languages).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ language: "typescript", features: expect.arrayContaining(["hover"]) }),
      ]),
    );
    const config = (await structure("get_current_config", {})).value;
    expect(config).toMatchObject({ context: "lspi", effects: ["command", "read"] });
    expect((await structure("restart_server", { extensions: [".ts"] })).value).toEqual({ restarted: ["ts"] });
    expect((await structure("stop_server", {})).value).toEqual({ stopped: ["ts"] });
    expect([...driven.names].sort()).toEqual(await listed(session));
  });

  it("fuzzes a place with a warning, asks back, and refuses with next steps", async () => {
    const { line, character } = session.place("src/app.ts", "first = |greet(wave)");
    const beside = { file_path: "src/app.ts", line, character: character - 1 };
    const fuzzed = await structure("find_definition_at", beside);
    expect(fuzzed.warnings).toEqual([expect.objectContaining({ code: "answer/fuzzed-position" })]);
    const hello = await structure("find_definition", { file_path: "src/greet.ts", symbol_name: "hello" });
    expect(hello.needs_disambiguation).toBe(true);
    const refused = await session.call("hover_at", { file_path: "src/none.ts", line: 1, character: 1 });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { ok: false, error: { code: "guard/not-a-file" }, next_steps: [expect.any(Object)] },
    });
  });

  it("hides and refuses what a context or a list leaves out", async () => {
    const config = `${allow('"read", "command"')}
[mcp]
context = "lspi-codex"
[mcp.tools]
exclude = ["hover_at"]
[[servers]]
id = "ts"
kind = "typescript"
`;
    const codex = await openSession("typescript", config);
    try {
      const names = await listed(codex);
      expect(names).not.toContain("restart_server");
      expect(names).not.toContain("hover_at");
      expect(names).toContain("find_definition_at");
      await expect(codex.call("restart_server", {})).rejects.toThrow(/no tool/i);
      await expect(codex.call("hover_at", {})).rejects.toThrow(/no tool/i);
    } finally {
      await codex.close();
    }
  });
});

describe("gateway", () => {
  let session: LiveSession;
  let driven: ReturnType<typeof used>;
  beforeAll(async () => {
    session = await openSession("typescript", publishing("gateway"));
    driven = used(session);
  });
  afterAll(() => session?.close());

  const uri = (file: string) => pathToFileURL(join(session.folder, file)).href;
  const zero = ({ line, character }: Place) => ({ line: line - 1, character: character - 1 });
  const structure = async (tool: string, args: object) => {
    const { structuredContent, content, isError } = await driven.call(tool, args);
    expect(isError).toBeUndefined();
    expect(content.map((block) => block.text).join("").length).toBeLessThanOrEqual(200);
    for (const name of ["schema_version", "ok", "tool"]) expect(structuredContent).not.toHaveProperty(name);
    return structuredContent;
  };

  it("answers every tool, with pages, ids and output schemas", async () => {
    const greet = {
      uri: uri("src/greet.ts"),
      position: zero(session.place("src/greet.ts", "function |greet")),
    };
    const range = { start: { line: 1, character: 16 }, end: { line: 1, character: 21 } };
    expect((await structure("vscode.lsp.definition", greet)).locations).toEqual([{ uri: greet.uri, range }]);
    const first = await structure("vscode.lsp.references", { ...greet, pageSize: 4 });
    expect(first.items).toHaveLength(4);
    const rest = await structure("vscode.lsp.references", {
      ...greet,
      pageSize: 4,
      cursor: first.nextCursor,
    });
    expect(rest.items).toHaveLength(2);
    expect(rest).not.toHaveProperty("nextCursor");
    const all = await structure("vscode.lsp.references", { ...greet, includeDeclaration: true });
    expect(all.items).toHaveLength(7);
    expect((await structure("vscode.lsp.hover", greet)).contents).toEqual([expect.stringContaining("greet")]);
    const symbols = await structure("vscode.lsp.documentSymbols", { uri: greet.uri });
    const id = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    expect(symbols.symbols).toEqual(
      expect.arrayContaining([expect.objectContaining({ id, name: "hello", containerName: "Polite" })]),
    );
    const again = await structure("vscode.lsp.documentSymbols", { uri: greet.uri });
    expect(again.symbols).toEqual(symbols.symbols);
    const found = await structure("vscode.lsp.workspaceSymbols", { query: "Polite" });
    expect(found.items).toEqual([expect.objectContaining({ id, name: "Polite", uri: greet.uri })]);
    const file = await structure("vscode.lsp.diagnostics.document", { uri: uri("src/broken.ts") });
    expect(file.diagnostics).toEqual([
      expect.objectContaining({ id, uri: uri("src/broken.ts"), code: "2322" }),
    ]);
    const workspace = await structure("vscode.lsp.diagnostics.workspace", {});
    expect(workspace.items).toEqual(
      expect.arrayContaining([expect.objectContaining({ uri: uri("src/broken.ts") })]),
    );
    expect([...driven.names].sort()).toEqual(await listed(session));
    const { tools } = await session.client.listTools();
    expect(tools.every((tool) => tool.outputSchema !== undefined && tool.annotations?.readOnlyHint)).toBe(
      true,
    );
  });

  it("refuses with a JSON-RPC error and its own code", async () => {
    const position = { line: 0, character: 0 };
    const failure = (tool: string, args: object) =>
      session.call(tool, args).then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(await failure("vscode.lsp.hover", { uri: "file:///etc/passwd", position })).toMatchObject({
      code: -32602,
      data: { code: "MCP_LSP_GATEWAY/WORKSPACE_DENIED" },
    });
    expect(await failure("vscode.lsp.hover", { uri: uri("src/none.ts"), position })).toMatchObject({
      code: -32603,
      data: { code: "MCP_LSP_GATEWAY/NOT_FOUND" },
    });
    expect(await failure("vscode.lsp.hover", { uri: uri("src/app.ts") })).toMatchObject({
      code: -32602,
      data: { code: "MCP_LSP_GATEWAY/INVALID_PARAMS", issues: [{ path: "/position" }] },
    });
    const cursor = { uri: uri("src/app.ts"), position, cursor: "nonsense" };
    expect(await failure("vscode.lsp.references", cursor)).toMatchObject({
      code: -32602,
      data: { code: "MCP_LSP_GATEWAY/CURSOR_INVALID" },
    });
    expect(await failure("vscode.lsp.rename", {})).toMatchObject({
      code: -32602,
      data: { code: "MCP_LSP_GATEWAY/INVALID_PARAMS" },
    });
  });
});

describe("no profile needs code", () => {
  it("has a folder of data only", () => {
    const files = readdirSync(join(repository, "configs"), { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => /\.[^/]*$/.test(file) && !/\.(toml|json)$/.test(file))).toEqual([]);
  });

  it("takes a sixth profile from a config alone", async () => {
    const sixth = `${allow('"read"')}
[mcp]
context = "pathfinder"
name = "sixth"
[mcp.tools]
allow = ["wo_ist"]
[dialect]
document = { field = "datei", form = "path" }
position = { line = "zeile", character = "spalte", line_base = 1, character_base = 1, unit = "utf-32", answers = "flat" }
listing = { most = "" }
members = { locations = "orte", path = "datei", text = "zeilentext" }
result = "both"
[dialect.errors]
text = "Geht nicht: {{message}}"
[[tools]]
name = "wo_ist"
input = "position"
output = { shape = "locations", list = "orte" }
text = "{{#each orte}}{{@index}}: {{path}}, Zeile {{zeile}}{{#unless @last}} | {{/unless}}{{/each}}"
empty = "Nirgends."
request = { method = "textDocument/definition", params = "text_document_position" }
[[servers]]
id = "ts"
kind = "typescript"
`;
    const session = await openSession("typescript", sixth);
    try {
      expect(await listed(session)).toEqual(["wo_ist"]);
      const { line, character } = session.place("src/app.ts", "first = |greet(wave)");
      const found = await session.call("wo_ist", { datei: "src/app.ts", zeile: line, spalte: character });
      expect(found.content).toEqual([{ type: "text", text: "0: src/greet.ts, Zeile 2" }]);
      expect(found.structuredContent.orte).toMatchObject([{ datei: "src/greet.ts", zeile: 2 }]);
      const nothing = await session.call("wo_ist", { datei: "src/greet.ts", zeile: 5, spalte: 1 });
      expect(nothing.content[0]?.text).toBe("Nirgends.");
      const refused = await session.call("wo_ist", { datei: "src/none.ts", zeile: 1, spalte: 1 });
      expect(refused.isError).toBe(true);
      expect(refused.content[0]?.text).toMatch(/^Geht nicht: /);
    } finally {
      await session.close();
    }
  });
});
