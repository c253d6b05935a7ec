import { describe, expect, it } from "vitest";
import { TOOLS_FILE, type ToolEntry } from "../../src/abi/bundle.js";
import { isTable, type JsonObject } from "../../src/base/json.js";
import { planOf, planText } from "../plan/config.js";
import { answersText, bundleOf, importValidator, textOf } from "./support.js";

const plan = planText('[[servers]]\nid = "pyright"\nkind = "pyright"');
const bundle = bundleOf(plan);
const entries = JSON.parse(textOf(bundle, TOOLS_FILE)) as ToolEntry[];

const inputOf = (tool: string) => importValidator(textOf(bundle, `validators/${tool}.input.js`));
const outputOf = (tool: string) => importValidator(answersText(bundle, tool));

describe("the default list", () => {
  it("is the twelve tools, sorted", () => {
    expect(entries.map((entry) => entry.name)).toEqual([
      "find_definition",
      "find_implementations",
      "find_references",
      "find_type_definition",
      "get_diagnostics",
      "get_document_symbols",
      "get_hover",
      "get_incoming_calls",
      "get_outgoing_calls",
      "get_server_status",
      "get_symbol_source",
      "search_workspace_symbols",
    ]);
  });

  it("weighs at most 9 KB without output schemas", () => {
    const listed = entries.map(({ outputSchema: _, ...entry }) => entry);
    expect(Buffer.byteLength(JSON.stringify({ tools: listed }))).toBeLessThanOrEqual(9216);
  });

  it("says of every tool that it only reads", () => {
    for (const entry of entries)
      expect(entry.annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        openWorldHint: false,
      });
  });

  it("has flat closed input schemas", () => {
    for (const { inputSchema } of entries) {
      expect(Object.keys(inputSchema)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(oneOf|anyOf|allOf|\$ref)$/)]),
      );
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      for (const property of Object.values(inputSchema.properties as JsonObject))
        expect(property).toMatchObject({
          type: expect.stringMatching(/^(string|integer|boolean)$/),
          description: expect.any(String),
        });
    }
  });

  it("has output schemas that are closed at every level", () => {
    const open: string[] = [];
    const walk = (schema: unknown, path: string): void => {
      if (Array.isArray(schema)) for (const item of schema) walk(item, path);
      if (!isTable(schema)) return;
      if (isTable(schema.properties) && schema.type === "object" && schema.additionalProperties !== false)
        open.push(path);
      for (const [key, member] of Object.entries(schema)) walk(member, `${path}/${key}`);
    };
    for (const entry of entries) walk(entry.outputSchema, entry.name);
    expect(open).toEqual([]);
  });
});

describe("arguments", () => {
  it.each<[string, unknown, boolean]>([
    ["find_definition", { file_path: "a", line: 1, character: 1 }, true],
    ["find_definition", { symbol_name: "A/b" }, true],
    ["find_definition", { file_path: "a", line: 0, character: 1 }, false],
    ["find_definition", { file_path: "a", line: 1.5, character: 1 }, false],
    ["find_definition", { file_path: "a", lin: 1 }, false],
    ["find_definition", [], false],
    ["find_references", { symbol_name: "x", include_declaration: false, page_size: 200, cursor: "c" }, true],
    ["find_references", { symbol_name: "x", page_size: 201 }, false],
    ["find_references", { symbol_name: "x", max_results: 1 }, false],
    ["get_diagnostics", {}, false],
    ["get_diagnostics", { file_path: "a", page_size: 200 }, true],
    ["get_diagnostics", { file_path: "a", page_size: 201 }, false],
    ["find_definition", { file_path: "a", line_text: "x".repeat(2001) }, false],
    ["search_workspace_symbols", { query: "👍".repeat(512) }, true],
    ["search_workspace_symbols", { query: "x".repeat(513) }, false],
    ["search_workspace_symbols", {}, false],
    ["get_server_status", {}, true],
  ])("of %s: %j → %s", async (tool, value, expected) => {
    expect((await inputOf(tool))(value)).toBe(expected);
  });

  it("follow the dialect", async () => {
    const { plan: other } = planOf(
      '[dialect]\ndocument = { field = "uri", form = "uri" }\nposition = { form = "object", line_base = 0, character_base = 0 }\n[[tools]]\nname = "t"\ninput = "position"\noutput = "locations"\nrequest = { method = "textDocument/definition", params = "text_document_position" }',
    );
    const files = bundleOf(other);
    const input = await importValidator(textOf(files, "validators/t.input.js"));
    expect(input({ uri: "file:///a", position: { line: 0, character: 0 } })).toBe(true);
    expect(input({ uri: "file:///a", position: { line: 0 } })).toBe(false);
    const output = await importValidator(answersText(files, "t"));
    const point = { line: 0, character: 0 };
    expect(
      output(answer("t", { locations: [{ uri: "file:///a", range: { start: point, end: point } }] })),
    ).toBe(true);
  });
});

/** A complete answer with a counted list. */
function answer(tool: string, members: JsonObject): JsonObject {
  return {
    schema_version: 1,
    ok: true,
    tool,
    server_id: "pyright",
    readiness: "ready",
    total: 1,
    shown: 1,
    truncated: false,
    dropped: 0,
    warnings: [],
    ...members,
  };
}

describe("answers", () => {
  const range = { line: 1, character: 2, end_line: 1, end_character: 3 };
  const refusal = {
    schema_version: 1,
    ok: false,
    tool: "x",
    warnings: [],
    error: { code: "lsp/timeout", message: "m" },
    next_steps: [],
  };
  const candidate = { name: "f", kind: "function", path: "a.py", ...range, text: "def f" };

  it.each<[string, JsonObject, boolean]>([
    ["find_definition", answer("x", { locations: [{ path: "a.py", ...range, text: "x" }] }), true],
    ["find_definition", answer("x", { locations: [{ path: "a.py", ...range, extra: 1 }] }), false],
    ["find_definition", answer("x", { locations: [{ path: "a.py", line: 1 }] }), false],
    ["find_definition", answer("x", {}), false],
    ["find_definition", answer("x", { locations: [], error: { code: "c", message: "m" } }), false],
    ["find_definition", refusal, true],
    ["find_definition", { ...refusal, error: {} }, false],
    ["find_definition", answer("x", { needs_disambiguation: true, candidates: [candidate] }), true],
    ["find_definition", answer("x", { needs_disambiguation: true, candidates: [], locations: [] }), true],
    ["find_definition", answer("x", { needs_disambiguation: true }), false],
    ["get_document_symbols", answer("x", { symbols: [], needs_disambiguation: true, candidates: [] }), false],
    [
      "get_document_symbols",
      answer("x", { hidden: 0, symbols: [{ name: "f", kind: "function", ...range, container: "C" }] }),
      true,
    ],
    [
      "search_workspace_symbols",
      answer("x", { symbols: [{ name: "f", kind: "function", path: "a.py" }], next_cursor: "c" }),
      true,
    ],
    ["get_hover", answer("x", { contents: ["text"], range }), true],
    [
      "get_incoming_calls",
      answer("x", {
        calls: [
          {
            name: "f",
            kind: "function",
            path: "a.py",
            line: 1,
            character: 1,
            sites: [{ line: 2, character: 3 }],
          },
        ],
      }),
      true,
    ],
    [
      "get_diagnostics",
      answer("x", { status: "clean", hidden: 2, diagnostics: [], document: { path: "a.py" } }),
      true,
    ],
    // Only an edit is bound to a text by its hash.
    [
      "get_diagnostics",
      answer("x", {
        status: "clean",
        hidden: 0,
        diagnostics: [],
        document: { path: "a.py", sha256: "0".repeat(64) },
      }),
      false,
    ],
    ["get_diagnostics", answer("x", { status: "clean", diagnostics: [] }), false],
    ["get_diagnostics", answer("x", { status: "fine", hidden: 0, diagnostics: [] }), false],
    [
      "get_diagnostics",
      answer("x", {
        status: "diagnostics",
        hidden: 0,
        diagnostics: [{ path: "a.py", ...range, severity: "error", message: "m" }],
      }),
      true,
    ],
    [
      "get_diagnostics",
      answer("x", {
        status: "diagnostics",
        hidden: 0,
        diagnostics: [{ path: "a.py", ...range, severity: "fatal", message: "m" }],
      }),
      false,
    ],
    ["get_server_status", answer("x", { servers: [], server_id: null }), true],
  ])("of %s: %j → %s", async (tool, value, expected) => {
    expect((await outputOf(tool))(value)).toBe(expected);
  });

  it("carry the declared result of a custom method", async () => {
    const { plan: custom } = planOf(
      '[[methods]]\nmethod = "x/y"\nresult = { type = ["object", "null"], required = ["name"] }\n[[tools]]\nname = "t"\nrequest = { method = "x/y" }',
    );
    const output = await importValidator(answersText(bundleOf(custom), "t"));
    expect(output(answer("t", { value: { name: 1, more: 2 } }))).toBe(true);
    expect(output(answer("t", { value: null }))).toBe(true);
    expect(output(answer("t", { value: {} }))).toBe(false);
  });

  it("of a bad result schema are a problem of the config", () => {
    const { plan: custom } = planOf(
      '[[methods]]\nmethod = "x/y"\nresult = { typ = "object" }\n[[tools]]\nname = "t"\nrequest = { method = "x/y" }',
    );
    expect(() => bundleOf(custom)).toThrow(/plan\/bad-schema/);
  });
});
