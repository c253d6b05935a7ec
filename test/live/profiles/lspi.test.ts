/** The profile `lspi` with a real server: every tool's structure, its contexts, its refusals. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveSession, openSession } from "../session.js";
import { allow, type Driven, driven, listed, typescript, utf16Place } from "./support.js";

describe("lspi", () => {
  let session: LiveSession;
  let used: Driven;
  beforeAll(async () => {
    session = await openSession("typescript", typescript("lspi", allow('"read", "command"')));
    used = driven(session);
  });
  afterAll(() => session?.close());

  const structure = async (tool: string, args: object) => {
    const { structuredContent, content, isError } = await used.call(tool, args);
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

  const place = (file: string, marked: string) => utf16Place(session, file, marked);
  /** An item of a list at a place. */
  const itemAt = (file: string, marked: string) => {
    const { line, character } = place(file, marked);
    return {
      ...{ file_path: file, uri: pathToFileURL(join(session.folder, file)).href },
      range: expect.objectContaining({ start: { line: line - 1, character: character - 1 } }),
      range_1based: expect.objectContaining({ start: { line, character } }),
    };
  };

  it("answers every tool that reads", async () => {
    const definition = itemAt("src/greet.ts", "function |greet");
    const named = { file_path: "src/greet.ts", symbol_name: "greet" };
    const at = { file_path: "src/app.ts", ...place("src/app.ts", "first = |greet(wave)") };
    const byName = await structure("find_definition", named);
    const [{ symbol, definitions } = {}] = byName.results as { [member: string]: object[] }[];
    expect(byName).toMatchObject({ symbol_matches: 1, definition_locations: 1 });
    const start = place("src/greet.ts", "function |greet");
    expect(symbol).toMatchObject({ name: "greet", kind: 12, selection_start_1based: start });
    expect(definitions).toMatchObject([definition]);
    const [{ snippet } = {}] = definitions as { snippet?: { start_line: number; text: string } }[];
    expect(snippet?.text.split("\n")).toHaveLength(3);
    expect(snippet).toMatchObject({ start_line: start.line - 1, truncated: false });
    const found = await structure("find_definition_at", at);
    expect(found.definitions).toMatchObject([definition]);
    const { line, character } = at;
    expect(found.used_lsp_position).toEqual({ line: line - 1, character: character - 1 });
    const references = await structure("find_references", named);
    expect(references).toMatchObject({ total: 7, shown: 7, reference_locations: 7 });
    const [{ references: uses } = {}] = references.results as { references: object[] }[];
    expect(uses?.[0]).not.toHaveProperty("snippet");
    expect(await structure("find_references_at", { ...at, max_results: 2 })).toMatchObject({
      total: 7,
      shown: 2,
      truncated: true,
    });
    const { hover, hover_raw } = await structure("hover_at", at);
    expect(hover).toContain("greet");
    expect(hover_raw).toMatchObject({ contents: { kind: "markdown", value: hover } });
    const greeter = { file_path: "src/greet.ts", ...place("src/greet.ts", "interface |Greeter") };
    expect(await structure("find_implementation_at", greeter)).toMatchObject({ total: 2 });
    const typed = { file_path: "src/app.ts", ...place("src/app.ts", "run(|greeter: Greeter") };
    expect((await structure("find_type_definition_at", typed)).type_definitions).toMatchObject([
      itemAt("src/greet.ts", "interface |Greeter"),
    ]);
    const greet = { file_path: "src/greet.ts", ...place("src/greet.ts", "function |greet") };
    const run = { file_path: "src/app.ts", symbol_name: "run" };
    const runAt = { file_path: "src/app.ts", ...place("src/app.ts", "function |run") };
    const named_ = (name: string) => expect.arrayContaining([expect.objectContaining({ name })]);
    const call = (member: string, name: string) =>
      expect.arrayContaining([
        expect.objectContaining({
          [member]: expect.objectContaining({ name }),
          from_ranges: expect.arrayContaining([expect.objectContaining({ range: expect.anything() })]),
        }),
      ]);
    expect((await structure("find_incoming_calls", named)).calls).toEqual(call("from", "run"));
    const incoming = await structure("find_incoming_calls_at", greet);
    expect(incoming.calls).toEqual(call("from", "run"));
    expect(incoming.target).toMatchObject({ name: "greet", location: { file_path: "src/greet.ts" } });
    expect((await structure("find_outgoing_calls", run)).calls).toEqual(call("to", "greet"));
    expect((await structure("find_outgoing_calls_at", runAt)).calls).toEqual(call("to", "greet"));
    const symbols = await structure("get_document_symbols", { file_path: "src/greet.ts" });
    expect(symbols.symbols).toEqual(named_("Polite"));
    const query = { query: "Polite", file_path: "src/greet.ts" };
    expect((await structure("search_workspace_symbols", query)).matches).toEqual(named_("Polite"));
    expect(await structure("get_diagnostics", { file_path: "src/broken.ts" })).toMatchObject({
      status: "diagnostics",
      total: 1,
    });
  });

  it("describes itself without secrets, and controls its servers", async () => {
    const status = await structure("get_server_status", { server_id: "ts" });
    expect(status.servers).toMatchObject([{ id: "ts" }]);
    const ago = expect.any(Number);
    expect([status.status_count, status.statuses]).toMatchObject([
      1,
      [{ server_id: "ts", running: true, started_ms_ago: ago, last_used_ms_ago: ago }],
    ]);
    expect((await structure("list_servers", {})).servers).toMatchObject([{ id: "ts" }]);
    const { value } = await structure("list_servers", { include_env: true });
    expect(value).toMatchObject({ servers: [{ id: "ts", env: [] }] });
    expect((value as { languages: { language: string; features: string[] }[] }).languages).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ language: "typescript", features: expect.arrayContaining(["hover"]) }),
      ]),
    );
    const config = (await structure("get_current_config", {})).value;
    expect(config).toMatchObject({ context: "lspi", effects: ["command", "read"] });
    const restarted = await structure("restart_server", { extensions: [".ts"] });
    expect(restarted).toMatchObject({ restarted: ["ts"], busy: [] });
    expect(await structure("stop_server", {})).toMatchObject({ stopped: ["ts"], busy: [] });
    expect([...used.names].sort()).toEqual(await listed(session));
  });

  it("fuzzes a place with a warning, asks back, and refuses with next steps", async () => {
    const { line, character } = place("src/app.ts", "first = |greet(wave)");
    const beside = { file_path: "src/app.ts", line, character: character - 1 };
    const fuzzed = await structure("find_definition_at", beside);
    expect(fuzzed.warnings).toEqual([expect.objectContaining({ kind: "position_fuzzing" })]);
    const hello = await structure("find_definition", { file_path: "src/greet.ts", symbol_name: "hello" });
    expect(hello.needs_disambiguation).toBe(true);
    const input = { file_path: "src/none.ts", line: 1, character: 1 };
    const refused = await session.call("hover_at", input);
    const message = "src/none.ts does not exist.";
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: {
        ok: false,
        tool: "hover_at",
        error: { kind: "resource_not_found", message },
        message,
        mcp_error_code: -32002,
        input,
        next_steps: [{ kind: "doc" }],
      },
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
      await expect(codex.call("restart_server", {})).rejects.toThrow(/does not allow the effect `command`/);
      await expect(codex.call("hover_at", {})).rejects.toThrow(/no tool/i);
    } finally {
      await codex.close();
    }
  });
});
