/** The profile `lspi`: its arguments with their defaults and maxima, its names for errors and remarks, its next steps. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codes } from "../../src/base/codes.js";
import type { JsonObject } from "../../src/base/json.js";
import { inputSchema } from "../../src/emit/input-schema.js";
import { SessionCalls } from "../../src/mcp/calls.js";
import { codeWord } from "../../src/protocol/dialect-format.js";
import { planText } from "../plan/config.js";
import { range } from "../runtime/test-workspace.js";
import { openProfile, type Scripted } from "./scripted.js";

const config = '[allow]\neffects = ["read", "command"]\n[mcp]\ncontext = "lspi"\n';

/** `required` arguments by name; others with their default (null for none), and their bounds. */
type Arguments = { [name: string]: "required" | [fallback: unknown, low?: number, high?: number] };

const named: Arguments = { file_path: "required", symbol_name: "required", symbol_kind: [null] };
const at: Arguments = { file_path: "required", line: "required", character: "required" };
const total: Arguments = { max_total_chars: [null, 10_000, 2_000_000] };
const snippets = (show: boolean): Arguments => ({
  include_snippet: [show],
  snippet_context_lines: [1, 0, 10],
  max_snippet_chars: [400, 40, 4000],
});
const most = (fallback: number, high: number): Arguments => ({ max_results: [fallback, 1, high] });
const declaration: Arguments = { include_declaration: [true] };
const calls: Arguments = {
  ...named,
  ...total,
  ...most(200, 2000),
  max_symbols: [50, 1, 200],
  include_snippet: [true],
  max_snippet_chars: [200, 40, 4000],
};

const surface: { [tool: string]: Arguments } = {
  find_definition: { ...named, ...total, ...snippets(true), ...most(20, 200) },
  find_definition_at: { ...at, ...total, ...snippets(true), ...most(50, 500) },
  find_references: { ...named, ...total, ...snippets(false), ...declaration, ...most(200, 5000) },
  find_references_at: { ...at, ...total, ...snippets(false), ...declaration, ...most(200, 5000) },
  hover_at: at,
  find_implementation_at: { ...at, ...total, ...snippets(true), ...most(50, 500) },
  find_type_definition_at: { ...at, ...total, ...snippets(true), ...most(50, 500) },
  find_incoming_calls: calls,
  find_outgoing_calls: calls,
  find_incoming_calls_at: { ...at, ...total, ...most(200, 2000) },
  find_outgoing_calls_at: { ...at, ...total, ...most(200, 2000) },
  get_document_symbols: { file_path: "required", ...total, ...most(500, 5000) },
  search_workspace_symbols: { query: "required", file_path: [null], ...total, ...most(100, 2000) },
  get_diagnostics: { file_path: "required", ...total, ...most(200, 5000) },
  restart_server: { extensions: [null] },
  stop_server: { extensions: [null] },
  get_current_config: {},
  list_servers: { include_env: [false] },
  get_server_status: { server_id: [null] },
};

describe("lspi's arguments", () => {
  const plan = planText(config);

  it("belong to its tools and to no others", () => {
    const names = plan.mcp.listed.filter((name) => !name.startsWith("rename_"));
    expect(names.sort()).toEqual(Object.keys(surface).sort());
  });

  it.each(Object.entries(surface))("of %s are those of the original", (name, expected) => {
    const tool = plan.tools.find((entry) => entry.name === name);
    if (tool === undefined) throw new Error(`there is no ${name}`);
    const { properties, required = [], additionalProperties } = inputSchema(tool, plan.dialect);
    expect(additionalProperties).toBe(false);
    const given = Object.entries(properties as { [name: string]: JsonObject });
    const told = Object.fromEntries(
      given.map(([argument, schema]) => {
        if ((required as string[]).includes(argument)) return [argument, "required"];
        const own = tool.args.find((arg) => arg.name === argument);
        const fallback =
          own === undefined && argument === "max_results" ? tool.defaultItems : (own?.default ?? null);
        const low = own?.minimum ?? schema.minimum;
        const high = own?.maximum ?? schema.maximum;
        return [argument, [fallback, low, high].filter((value) => value !== undefined)];
      }),
    );
    expect(told).toEqual(expected);
  });

  it.each([
    ["lspi", 120_000, false],
    ["lspi-codex", 80_000, true],
    ["lspi-navigation", 60_000, true],
  ])("%s has its own budget, and may or may not change anything", (context, characters, readOnly) => {
    const { limits, mcp } = planText(config.replace('"lspi"', `"${context}"`));
    expect(limits.maxTotalChars).toBe(characters);
    expect(mcp.readOnly).toBe(readOnly);
    expect(mcp.listed.includes("restart_server")).toBe(!readOnly);
  });
});

describe("lspi's kinds", () => {
  const { errors, warnings } = planText(config).dialect;
  const known = [
    "resource_not_found",
    "invalid_request",
    "method_not_found",
    "invalid_params",
    "internal_error",
    "parse_error",
    "mcp_error",
    "read_only",
    "not_implemented",
    "no_match",
    "rename_failed",
    "lsp_error",
    "no_server_for_extension",
    "outside_allowed_roots",
  ];

  it("are the only ones that a refusal has", () => {
    const refusals = Object.entries(codes).filter(([, { kind }]) => kind === "refusal" || kind === "fault");
    for (const [code] of refusals) expect(known, code).toContain(codeWord(errors.codes, code));
    expect(codeWord(errors.codes, "runtime/fault")).toBe("internal_error");
  });

  it.each([
    ["answer/fuzzed-position", "position_fuzzing"],
    ["answer/several-matches", "multiple_symbol_matches"],
    ["answer/truncated", "limited_by_max_results"],
    ["answer/not-supported", "method_not_supported"],
    ["answer/clamped", "max_total_chars_clamped"],
    ["answer/snippets-dropped", "global_cap_dropped_snippet"],
    ["answer/snippet-cut", "snippet_truncated"],
    ["answer/found-elsewhere", "found_elsewhere"],
  ])("call %s %s", (code, word) => {
    expect(codeWord(warnings.codes, code)).toBe(word);
  });
});

const a = "file:///work/a.fake";
const place = { uri: a, range: range(0, 0, 5) };
const symbol = (name: string, line: number) => ({
  name,
  kind: 12,
  range: range(line, 0, 5),
  selectionRange: range(line, 0, 5),
});

describe("lspi's answers", () => {
  let lspi: Scripted;
  beforeAll(async () => {
    lspi = await openProfile(
      "lspi",
      { "a.fake": `alpha\ntwins\ntwins\n${"long ".repeat(20)}\n`, "b.other": "x\n" },
      {
        capabilities: {
          definitionProvider: true,
          referencesProvider: true,
          documentSymbolProvider: true,
          workspaceSymbolProvider: true,
          implementationProvider: false,
          hoverProvider: true,
          callHierarchyProvider: true,
        },
        replies: {
          "textDocument/definition": [place],
          "textDocument/references": Array.from({ length: 4 }, (_, line) => ({
            uri: a,
            range: range(line, 0, 1),
          })),
          "textDocument/documentSymbol": [symbol("alpha", 0), symbol("twins", 1), symbol("twins", 2)],
          "workspace/symbol": [],
          "textDocument/prepareCallHierarchy": [1, 2].map((line) => ({ ...symbol("twins", line), uri: a })),
          "callHierarchy/incomingCalls": [
            { from: { ...symbol("long", 3), uri: a }, fromRanges: [range(3, 0, 1)] },
          ],
        },
        on: { "textDocument/hover": [{ error: { code: -32000, message: "broken" } }] },
      },
      { allow: { commands: [process.execPath], effects: ["read", "command"] } },
    );
  });
  afterAll(() => lspi?.close());

  const structured = async (tool: string, args: JsonObject): Promise<JsonObject> => {
    const { structured: whole } = await lspi.call(tool, args);
    const { outputValidator: validate } = await lspi.work.runtime.loaded.tool(tool);
    validate(whole);
    expect(validate.errors ?? []).toEqual([]);
    return whole;
  };
  const kinds = ({ warnings }: JsonObject) => (warnings as JsonObject[]).map(({ kind }) => kind);

  it("have remarks of its own names", async () => {
    const cut = await structured("find_references_at", {
      file_path: "a.fake",
      line: 1,
      character: 1,
      max_results: 2,
    });
    expect(kinds(cut)).toContain("limited_by_max_results");
    const unable = await structured("find_implementation_at", { file_path: "a.fake", line: 1, character: 1 });
    expect(unable).toMatchObject({ ok: true, total: 0 });
    expect(kinds(unable)).toContain("method_not_supported");
    const twins = await structured("find_definition", { file_path: "a.fake", symbol_name: "twins" });
    expect(twins).toMatchObject({ ok: true, needs_disambiguation: true });
    expect(kinds(twins)).toContain("multiple_symbol_matches");
  });

  it.each<[string, JsonObject, string, number]>([
    ["hover_at", { file_path: "a.fake", line: 1 }, "invalid_params", -32602],
    ["hover_at", { file_path: "a.fake", line: 99, character: 1 }, "invalid_params", -32602],
    ["hover_at", { file_path: "none.fake", line: 1, character: 1 }, "resource_not_found", -32002],
    ["hover_at", { file_path: "../x.fake", line: 1, character: 1 }, "outside_allowed_roots", -32602],
    ["hover_at", { file_path: "b.other", line: 1, character: 1 }, "no_server_for_extension", -32602],
    ["hover_at", { file_path: "a.fake", line: 1, character: 1 }, "lsp_error", -32603],
    ["find_definition", { file_path: "a.fake", symbol_name: "nobody" }, "no_match", -32602],
  ])("%s %j is refused as %s", async (tool, args, kind, number) => {
    const whole = await structured(tool, args);
    const { message } = whole.error as JsonObject;
    expect(whole).toMatchObject({ tool, error: { kind, message }, message, mcp_error_code: number });
    // Arguments that do not fit are not said again; all others are.
    const isChecked = "character" in args || "symbol_name" in args;
    expect(whole.input).toEqual(isChecked ? expect.objectContaining(args) : undefined);
  });

  it("name a tool that does not exist and one that is not allowed, with its numbers", async () => {
    const calls = new SessionCalls(lspi.work.runtime, lspi.work.session);
    const failure = (tool: string) =>
      calls.call(tool, {}, { signal: new AbortController().signal }, undefined).then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(await failure("no_such_tool")).toMatchObject({ code: -32601, data: { code: "method_not_found" } });
    expect(await failure("rename_symbol")).toMatchObject({ code: -32600, data: { code: "read_only" } });
  });

  it("clamp the characters that a call wants, and say so", async () => {
    const args = { file_path: "a.fake", line: 1, character: 1 };
    for (const [asked, used] of [
      [5, 10_000],
      [3_000_000, 2_000_000],
    ]) {
      const { warnings } = await structured("find_references_at", { ...args, max_total_chars: asked ?? 0 });
      expect(warnings).toMatchObject([
        {
          kind: "max_total_chars_clamped",
          data: { requested: asked, effective: used, hard: 2_000_000, min: 10_000 },
        },
      ]);
    }
  });

  it("say once how many characters there are, where the config allows fewer than the argument", async () => {
    const hard = 50_000;
    const tight = await openProfile(
      "lspi",
      { "a.fake": "alpha\n" },
      { capabilities: { referencesProvider: true }, replies: { "textDocument/references": [place] } },
      { mcp: { context: "lspi", output: { max_total_chars_hard: hard, max_total_chars_default: hard } } },
    );
    try {
      for (const asked of [60_000, 3_000_000]) {
        const args = { file_path: "a.fake", line: 1, character: 1, max_total_chars: asked };
        const { structured: whole } = await tight.call("find_references_at", args);
        expect(whole.warnings).toEqual([
          {
            kind: "max_total_chars_clamped",
            message: `\`max_total_chars\` is at most ${hard}; ${asked} was asked for.`,
            data: { argument: "max_total_chars", requested: asked, effective: hard, hard, min: 10_000 },
          },
        ]);
      }
    } finally {
      await tight.close();
    }
  });

  it("use its names for remarks in the text of a refusal too", async () => {
    const { text } = await lspi.call("find_references_at", {
      file_path: "a.fake",
      line: 99,
      character: 1,
      max_total_chars: 5,
    });
    expect(text).toMatch(/^Error invalid_params: /);
    expect(text).toContain("Warning max_total_chars_clamped: ");
    expect(text).not.toContain("answer/");
  });

  it.each<[string, JsonObject, string, string]>([
    ["find_definition_at", { line: 1, character: 1 }, "definitions", "definition_locations"],
    ["find_references_at", { line: 1, character: 1 }, "references", "reference_locations"],
    ["find_references_at", { line: 1, character: 1, max_results: 2 }, "references", "reference_locations"],
    ["find_implementation_at", { line: 1, character: 1 }, "implementations", "implementation_locations"],
    ["find_type_definition_at", { line: 1, character: 1 }, "type_definitions", "type_definition_locations"],
    ["find_incoming_calls", { symbol_name: "alpha" }, "calls", "call_count"],
    ["find_incoming_calls_at", { line: 1, character: 1 }, "calls", "call_count"],
    ["find_outgoing_calls", { symbol_name: "alpha" }, "calls", "call_count"],
    ["find_outgoing_calls_at", { line: 1, character: 1 }, "calls", "call_count"],
    ["get_document_symbols", {}, "symbols", "symbol_count"],
    ["search_workspace_symbols", { query: "alpha" }, "matches", "match_count"],
    ["get_diagnostics", {}, "diagnostics", "count"],
  ])("of %s %j have a list and a count of its names", async (tool, args, list, count) => {
    const whole = await structured(tool, { file_path: "a.fake", ...args });
    expect(whole[list]).toEqual(expect.any(Array));
    expect(whole[count]).toBe((whole[list] as JsonObject[]).length);
  });

  it.each([
    ["find_definition", "definitions", "definition_locations", 1],
    ["find_references", "references", "reference_locations", 4],
  ])("of %s stand under the symbol of the name", async (tool, list, count, most) => {
    const whole = await structured(tool, { file_path: "a.fake", symbol_name: "alpha" });
    expect(whole).not.toHaveProperty(list);
    expect(whole).toMatchObject({ symbol_matches: 1, [count]: most, total: most });
    const one = { start: { line: 1, character: 1 }, end: { line: 1, character: 6 } };
    const found = {
      ...{ name: "alpha", kind: 12, range: range(0, 0, 5), range_1based: one },
      ...{ selection_range: range(0, 0, 5), selection_range_1based: one, selection_start_1based: one.start },
      ...{ document_file_path: "a.fake", document_uri: lspi.work.uri("a.fake") },
    };
    expect(whole.results).toEqual([{ symbol: found, [list]: expect.any(Array) }]);
    const [{ [list]: items } = {}] = whole.results as JsonObject[];
    expect(items).toHaveLength(most);
  });

  it("ask about as many functions as a call wants, and show lines where it wants them", async () => {
    const asked = async () => (await lspi.work.received("callHierarchy/incomingCalls")).length;
    const args = { file_path: "a.fake", symbol_name: "alpha" };
    const before = await asked();
    const shown = await structured("find_incoming_calls", { ...args, max_snippet_chars: 40 });
    const [call] = shown.calls as JsonObject[];
    const { text } = (call?.snippet ?? {}) as { text?: string };
    expect([...(text ?? "")].length).toBeLessThanOrEqual(40);
    expect(call).toMatchObject({
      from: { name: "long" },
      snippet: { text: expect.stringMatching(/^long long/) },
    });
    expect(await asked()).toBe(before + 2);
    const one = await structured("find_incoming_calls", { ...args, max_symbols: 1, include_snippet: false });
    expect(await asked()).toBe(before + 3);
    expect(kinds(one)).toContain("limited_by_max_results");
    expect((one.calls as JsonObject[])[0]).not.toHaveProperty("snippet");
  });

  it("lead on with calls that can be made as they are", async () => {
    const refused = [
      await structured("find_definition", { file_path: "a.fake", symbol_name: "nobody" }),
      await structured("hover_at", { file_path: "a.fake", line: 99, character: 1 }),
      await structured("hover_at", { file_path: "b.other", line: 1, character: 1 }),
      await structured("hover_at", { file_path: "a.fake", line: 1, character: 1 }),
    ];
    const steps = refused.flatMap(({ next_steps }) => next_steps as JsonObject[]);
    const tools = steps.filter(({ kind }) => kind === "tool");
    expect(tools.map(({ tool }) => tool)).toEqual([
      "search_workspace_symbols",
      "get_document_symbols",
      "get_document_symbols",
      "list_servers",
    ]);
    for (const { tool, arguments: args } of tools)
      expect(await structured(String(tool), args as JsonObject), String(tool)).toMatchObject({ ok: true });
  });
});

describe("lspi's hover", () => {
  const hover = async (reply: JsonObject) => {
    const lspi = await openProfile(
      "lspi",
      { "a.fake": "alpha\n" },
      { capabilities: { hoverProvider: true }, replies: { "textDocument/hover": reply } },
      { mcp: { context: "lspi", output: { max_total_chars_default: 20_000 } } },
    );
    try {
      return (await lspi.call("hover_at", { file_path: "a.fake", line: 1, character: 1 })).structured;
    } finally {
      await lspi.close();
    }
  };

  it("is one text with its range", async () => {
    const answer = await hover({ contents: ["one", "two"], range: range(0, 0, 5) });
    expect(answer).toMatchObject({ hover: "one\n\ntwo", range: { line: 1, end_character: 6 } });
    const contents = { kind: "markdown", value: "one\n\ntwo" };
    expect(answer.hover_raw).toEqual({ contents, range: range(0, 0, 5) });
    expect(answer).not.toHaveProperty("contents");
    expect(await hover({ contents: [] })).toMatchObject({ hover: "", hover_raw: null });
  });

  it("is cut where it is too long", async () => {
    const answer = await hover({
      contents: Array.from({ length: 8 }, (_, at) => `${at}${"é".repeat(8000)}`),
    });
    expect(answer).toMatchObject({ ok: true, truncated: true, hover: expect.stringMatching(/^0é+\n\n1é/) });
    expect(answer.hover_raw).toMatchObject({ contents: { value: answer.hover } });
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(20_000);
  });
});

describe("lspi's texts beside places", () => {
  it("are given up first: the answer is whole without them, and leads to a larger budget", async () => {
    const lines = [0, 1, 2, 3];
    const lspi = await openProfile(
      "lspi",
      { "a.fake": `${"wide ".repeat(700)}\n`.repeat(lines.length) },
      {
        capabilities: { referencesProvider: true },
        replies: { "textDocument/references": lines.map((line) => ({ uri: a, range: range(line, 0, 1) })) },
      },
    );
    try {
      const ask = async (args: JsonObject) => (await lspi.call("find_references_at", args)).structured;
      const kinds = ({ warnings }: JsonObject) => (warnings as JsonObject[]).map(({ kind }) => kind);
      const place = { file_path: "a.fake", line: 1, character: 1 };
      const texts = { include_snippet: true, snippet_context_lines: 0, max_snippet_chars: 4000 };
      const bare = await ask({ ...place, ...texts, max_total_chars: 10_000 });
      expect(bare).toMatchObject({ total: 4, shown: 4, truncated: false });
      expect(kinds(bare)).toEqual(["global_cap_dropped_snippet"]);
      const [step] = bare.next_steps as { tool: string; arguments: JsonObject }[];
      expect(step).toMatchObject({ tool: "find_references_at", arguments: { max_total_chars: 2_000_000 } });
      const whole = await ask(step?.arguments ?? {});
      expect(kinds(whole)).toEqual([]);
      expect((whole.references as JsonObject[]).every(({ snippet }) => snippet !== undefined)).toBe(true);
    } finally {
      await lspi.close();
    }
  });
});

describe("lspi's items", () => {
  const b = "file:///work/deep/b.fake";
  const wide = "x😀 alpha // é\n";
  /** Columns of LSP are UTF-16 units. */
  const there = range(1, 4, 9);
  const oneBased = { start: { line: 2, character: 5 }, end: { line: 2, character: 10 } };
  const item = (uri: string) => ({
    name: "alpha",
    kind: 12,
    uri,
    range: range(1, 0, 9),
    selectionRange: there,
  });
  let lspi: Scripted;
  beforeAll(async () => {
    lspi = await openProfile(
      "lspi",
      { "a.fake": `first\n${wide}last\n`, "deep/b.fake": `first\n${wide}last\n` },
      {
        capabilities: {
          definitionProvider: true,
          documentSymbolProvider: true,
          workspaceSymbolProvider: true,
          callHierarchyProvider: true,
          renameProvider: true,
          diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false },
        },
        replies: {
          "textDocument/definition": [{ uri: b, range: there }],
          "textDocument/documentSymbol": [
            item(a),
            { ...item(a), name: "twins" },
            { ...item(a), name: "twins" },
          ].map((symbol, index) => ({
            ...symbol,
            range: index === 2 ? range(2, 0, 4) : symbol.range,
            selectionRange: index === 2 ? range(2, 0, 4) : there,
          })),
          "workspace/symbol": [{ name: "alpha", kind: 12, location: { uri: b, range: there } }],
          "textDocument/prepareCallHierarchy": [item(a)],
          "callHierarchy/incomingCalls": [{ from: item(b), fromRanges: [there] }],
          "callHierarchy/outgoingCalls": [{ to: item(b), fromRanges: [there] }],
          "textDocument/diagnostic": {
            kind: "full",
            items: [{ range: there, severity: 2, code: "E1", source: "fake", message: "odd" }],
          },
          "textDocument/rename": { changes: { [a]: [{ range: there, newText: "beta" }] } },
        },
      },
      { allow: { commands: [process.execPath], effects: ["read", "edit", "command"] } },
    );
  });
  afterAll(() => lspi?.close());

  const ask = async (tool: string, args: JsonObject) =>
    (await lspi.call(tool, { file_path: "a.fake", ...args })).structured;
  const at = { line: 2, character: 5 };
  const file = () => ({ file_path: "deep/b.fake", uri: lspi.work.uri("deep/b.fake") });

  it("are places with a URI, a range from zero and a snippet, and say where the server was asked", async () => {
    const answer = await ask("find_definition_at", { ...at, snippet_context_lines: 1 });
    expect(answer.used_lsp_position).toEqual({ line: 1, character: 4 });
    expect(answer.definitions).toEqual([
      {
        ...{ ...file(), range: there, range_1based: oneBased },
        snippet: { start_line: 1, text: `first\n${wide}last`, truncated: false },
      },
    ]);
    const short = await ask("find_definition_at", { ...at, snippet_context_lines: 0, max_snippet_chars: 40 });
    expect((short.definitions as JsonObject[])[0]).toMatchObject({
      snippet: { start_line: 2, truncated: false },
    });
  });

  it("have a position that was moved as the one that was used", async () => {
    const { used_lsp_position, warnings } = await ask("find_definition_at", { line: 2, character: 99 });
    expect(used_lsp_position).toEqual({ line: 1, character: wide.length - 1 });
    expect(warnings).toContainEqual(expect.objectContaining({ kind: "position_fuzzing" }));
  });

  it("of symbols have ranges of declaration and name, both ways", async () => {
    const { symbols } = await ask("get_document_symbols", {});
    const declared = { start: { line: 2, character: 1 }, end: oneBased.end };
    expect((symbols as JsonObject[])[0]).toEqual({
      ...{ name: "alpha", kind: 12, range: range(1, 0, 9), range_1based: declared },
      ...{ selection_range: there, selection_range_1based: oneBased, selection_start_1based: at },
    });
    const found = await ask("search_workspace_symbols", { query: "alpha" });
    expect(found.matches).toEqual([
      { name: "alpha", kind: 12, location: { ...file(), range: there, range_1based: oneBased } },
    ]);
  });

  it.each([
    ["incoming", "from"],
    ["outgoing", "to"],
  ])("of %s calls stand under `%s`, with the ranges of the calls", async (direction, member) => {
    const { target, calls } = await ask(`find_${direction}_calls_at`, at);
    const declared = {
      range: range(1, 0, 9),
      range_1based: { start: { line: 2, character: 1 }, end: oneBased.end },
    };
    const shown = {
      ...{ name: "alpha", kind: 12, ...declared, selection_range: there },
      ...{ selection_range_1based: oneBased, selection_start_1based: at },
    };
    expect(target).toEqual({
      ...shown,
      location: { file_path: "a.fake", uri: lspi.work.uri("a.fake"), ...declared },
    });
    const ranges = [{ range: there, range_1based: oneBased }];
    expect(calls).toEqual([
      { [member]: { ...shown, location: { ...file(), ...declared } }, from_ranges: ranges },
    ]);
    const named = await ask(`find_${direction}_calls`, { symbol_name: "alpha" });
    expect(named.selected_symbol).toMatchObject({ name: "alpha", selection_start_1based: at });
  });

  it("of diagnostics are LSP's", async () => {
    expect((await ask("get_diagnostics", {})).diagnostics).toEqual([
      { file_path: "a.fake", range: there, severity: 2, code: "E1", source: "fake", message: "odd" },
    ]);
  });

  it("to choose from have a position that can be given as it is", async () => {
    const { candidates } = await ask("find_definition", { symbol_name: "twins" });
    expect(candidates).toMatchObject([
      {
        name: "twins",
        kind: 12,
        file_path: "a.fake",
        ...at,
        selection_range: there,
        snippet: { start_line: 2 },
      },
      { name: "twins", line: 3, character: 1, selection_start_1based: { line: 3, character: 1 } },
    ]);
  });

  it("of a rename are LSP's edits, and its text says whether it was done", async () => {
    const args = { file_path: "a.fake", ...at, new_name: "beta", create_backups: false };
    const preview = await lspi.call("rename_symbol_strict", args);
    expect(preview.text).toBe("Preview rename: 1 files affected.");
    expect(preview.structured).toMatchObject({
      ...{ dry_run: true, new_name: "beta" },
      edit: {
        files: [
          {
            ...{ file_path: "a.fake", uri: lspi.work.uri("a.fake"), before_sha256: expect.any(String) },
            edits: [{ range: there, newText: "beta" }],
          },
        ],
      },
    });
    expect(preview.structured).not.toHaveProperty("apply");
    const [{ before_sha256 = "" } = {}] = (preview.structured.edit as { files: { before_sha256: string }[] })
      .files;
    const applied = await lspi.call("rename_symbol_strict", {
      ...{ ...args, create_backups: true, dry_run: false },
      expected_before_sha256: { "a.fake": before_sha256 },
    });
    expect(applied.text).toBe("Applied rename: 1 files modified.");
    expect(applied.structured).toMatchObject({
      dry_run: false,
      apply: { files_modified: ["a.fake"], backup_files: ["a.fake.bak"] },
    });
  });
});

describe("lspi's restart", () => {
  it("leaves a server alone that still works on a request, and says so", async () => {
    const lspi = await openProfile(
      "lspi",
      { "a.fake": "alpha\n" },
      { capabilities: { hoverProvider: true }, on: { "textDocument/hover": [{ never: true }] } },
      { allow: { commands: [process.execPath], effects: ["read", "command"] } },
    );
    try {
      const cancel = new AbortController();
      const hover = lspi.work.call("hover_at", { file_path: "a.fake", line: 1, character: 1 }, cancel.signal);
      await expect.poll(() => lspi.work.received("textDocument/hover")).toHaveLength(1);
      for (const [tool, done] of [
        ["restart_server", "restarted"],
        ["stop_server", "stopped"],
      ] as const)
        expect((await lspi.call(tool, {})).structured.value).toEqual({ [done]: [], busy: ["fake"] });
      cancel.abort();
      await hover;
      const { structured } = await lspi.call("restart_server", { extensions: ["fake"] });
      expect(structured).toMatchObject({ restarted: ["fake"], busy: [] });
      await lspi.call("stop_server", {});
      const stopped = (await lspi.call("get_server_status", {})).structured;
      expect(stopped).toMatchObject({ status_count: 1, statuses: [{ server_id: "fake", running: false }] });
    } finally {
      await lspi.close();
    }
  });
});
