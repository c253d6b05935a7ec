/** The profile `codeflow` with a real server: every tool's JSON. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveSession, openSession } from "../session.js";
import { allow, type Driven, driven, listed, typescript, utf16Place } from "./support.js";

describe("codeflow", () => {
  let session: LiveSession;
  let used: Driven;
  beforeAll(async () => {
    session = await openSession("typescript", typescript("codeflow", allow('"read", "command"')));
    used = driven(session);
  });
  afterAll(() => session?.close());

  const json = async (tool: string, args: object) => {
    const result = await used.call(tool, args);
    expect(result.structuredContent, tool).toBeUndefined();
    expect(result.isError, `${tool} ${result.content[0]?.text}`).toBeUndefined();
    return JSON.parse(result.content[0]?.text ?? "") as Record<string, unknown>;
  };
  /** Lines from 1, characters from 0, in UTF-16 units. */
  const at = (file: string, marked: string) => {
    const { line, character } = utf16Place(session, file, marked);
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
    const { line, character } = use;
    expect(await json("find_references", named)).toMatchObject({
      total: 7,
      locations: expect.arrayContaining([expect.objectContaining({ path: "src/app.ts", line, character })]),
    });
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
  });

  it("answers questions about one file, and about edits in it", async () => {
    const call = at("src/app.ts", 'greet(|"y")');
    expect(await json("get_signature_help", call)).toMatchObject({
      signatures: [{ label: "greet(name: string): string" }],
    });
    const { line } = call;
    expect(await json("get_inlay_hints", { file_path: "src/app.ts" })).toMatchObject({
      hints: expect.arrayContaining([{ line, character: call.character, label: "name:", kind: "parameter" }]),
    });
    expect(await json("get_semantic_tokens", { file_path: "src/broken.ts" })).toMatchObject({
      tokens: [
        { line: 3, type: "variable", text: "wrong" },
        { line: 3, type: "function", text: "greet" },
      ],
    });
    expect(await json("get_folding_ranges", { file_path: "src/greet.ts" })).toMatchObject({
      folding_ranges: expect.arrayContaining([expect.objectContaining({ line: 10, end_line: 14 })]),
    });
    const ranges = (await json("get_selection_range", call)).ranges as { line: number; end_line: number }[];
    expect(ranges[0]).toMatchObject({ line, end_line: line });
    expect(ranges.at(-1)).toMatchObject({ line: 1, end_line: 10 });
    session.write("src/lost.ts", 'export const lost = greet("x");\n');
    expect(await json("get_code_actions", { file_path: "src/lost.ts" })).toMatchObject({
      actions: expect.arrayContaining([
        expect.objectContaining({ title: expect.stringMatching(/import/i), kind: "quickfix" }),
      ]),
    });
    // What this server does not have is an empty list that says so, in the one block.
    const links = await used.call("get_document_links", { file_path: "src/greet.ts" });
    expect(links.content).toHaveLength(1);
    expect(JSON.parse(links.content[0]?.text ?? "")).toMatchObject({
      links: [],
      warnings: [{ code: "answer/not-supported" }],
    });
  });

  it("runs workflows, each step under its name", async () => {
    const symbol = { ...at("src/greet.ts", "function |greet"), symbol_name: "greet" };
    const place = { path: "src/greet.ts", line: symbol.line, character: symbol.character };
    expect((await json("workflow_symbol_intelligence", symbol)).value).toMatchObject({
      find_definition: { locations: [place] },
      get_hover_info: { contents: [expect.stringContaining("greet(name: string)")] },
      find_references: { total: 7 },
      get_signature_help: { ok: true },
      prepare_call_hierarchy: { items: [expect.objectContaining({ name: "greet" })] },
    });
    expect((await json("workflow_refactoring_assistant", symbol)).value).toMatchObject({
      find_definition: { locations: [place] },
      find_all_references: { total: 7 },
      get_context: { contents: [expect.stringContaining("greet(name: string)")] },
      get_document_symbols: {
        symbols: expect.arrayContaining([expect.objectContaining({ name: "Polite" })]),
      },
    });
    expect((await json("workflow_code_quality", { file_path: "src/broken.ts" })).value).toMatchObject({
      get_symbols: { symbols: expect.arrayContaining([expect.objectContaining({ name: "wrong" })]) },
      get_diagnostics: { diagnostics: [expect.objectContaining({ code: "2322" })] },
      get_code_actions: { ok: true },
      get_folding_ranges: { ok: true },
    });
  });

  it("finds dead code of several files, with fewer uses than asked for", async () => {
    session.write("src/dead.ts", "export function never(n: number): number {\n  return never(n);\n}\n");
    const files = ["src/dead.ts", "src/greet.ts"];
    const found = async (more: object) => {
      const { dead_code } = await json("find_dead_code", { files, ...more });
      return (dead_code as { file: string; symbols: { name: string }[] }[]).map(({ file, symbols }) => [
        file,
        symbols.map(({ name }) => name),
      ]);
    };
    const dead = ["src/dead.ts", ["never"]];
    expect((await found({}))[0]).toEqual(dead);
    expect(JSON.stringify(await found({}))).not.toContain('"greet"');
    // `greet` has six uses besides its declaration.
    const rare = await found({ min_references: 7, exclude_tests: false });
    expect(rare).toEqual([dead, ["src/greet.ts", expect.arrayContaining(["greet"])]]);
    const { value } = await json("workflow_dead_code_analysis", { file_path: "src/dead.ts" });
    expect(value).toMatchObject({
      get_document_symbols: { total: expect.any(Number) },
      find_dead_code: { unused: [{ name: "never", kind: "function" }] },
    });
    const outside = await session.call("find_dead_code", { files: ["../../etc/passwd"] });
    expect(outside.isError).toBe(true);
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
      expect(await json(tool, type)).toMatchObject({
        total: 0,
        warnings: [
          { code: "answer/not-supported", message: expect.stringContaining("prepareTypeHierarchy") },
        ],
      });
  });

  it("runs batches, reports health and restarts", async () => {
    const batch = await json("batch_execute", {
      options: { parallel: true, stop_on_error: false },
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
      results: [
        {
          index: 0,
          id: "one",
          tool: "find_definition",
          success: true,
          result: { locations: [{ path: "src/greet.ts", line: 2 }] },
        },
        { index: 1, tool: "get_hover", success: false, error: "src/none.ts does not exist." },
      ],
    });
    expect(await json("health_check", {})).toMatchObject({ servers: [{ id: "ts", state: "running" }] });
    expect(await json("restart_server", { extensions: ["ts"] })).toMatchObject({
      value: { restarted: ["ts"] },
    });
    expect([...used.names].sort()).toEqual(await listed(session));
  });

  it("reports a failure with its code", async () => {
    const result = await session.call("get_hover", { file_path: "src/none.ts", symbol_name: "x" });
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toBe("LSP Error (-32102): src/none.ts does not exist.");
  });
});
