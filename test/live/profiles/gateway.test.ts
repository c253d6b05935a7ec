/** The profile `gateway` with a real server: every tool's structure, its refusals. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patientGatewayText } from "../../profiles/patient-gateway.js";
import { type LiveSession, openSession, type Place } from "../session.js";
import { type Driven, driven, listed, publishing } from "./support.js";

describe("gateway", () => {
  let session: LiveSession;
  let used: Driven;
  beforeAll(async () => {
    session = await openSession("typescript", publishing("default", patientGatewayText));
    used = driven(session);
  });
  afterAll(() => session?.close());

  const uri = (file: string) => pathToFileURL(join(session.folder, file)).href;
  const zero = ({ line, character }: Place) => ({ line: line - 1, character: character - 1 });
  const structure = async (tool: string, args: object) => {
    const { structuredContent, content, isError } = await used.call(tool, args);
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
    expect(await structure("vscode.lsp.hover", greet)).toMatchObject({
      contents: [{ kind: "markdown", value: expect.stringContaining("greet(name: string)") }],
      range,
    });
    const symbols = await structure("vscode.lsp.documentSymbols", { uri: greet.uri });
    const id = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    const whole = { start: { line: 10, character: 2 }, end: { line: 12, character: 3 } };
    const name = { start: { line: 10, character: 2 }, end: { line: 10, character: 7 } };
    expect(symbols.symbols).toContainEqual({
      id,
      name: "hello",
      kind: "method",
      containerName: "Polite",
      range: whole,
      selectionRange: name,
    });
    const again = await structure("vscode.lsp.documentSymbols", { uri: greet.uri });
    expect(again.symbols).toEqual(symbols.symbols);
    const found = await structure("vscode.lsp.workspaceSymbols", { query: "Polite" });
    expect(found.items).toEqual([expect.objectContaining({ id, name: "Polite", uri: greet.uri })]);
    const file = await structure("vscode.lsp.diagnostics.document", { uri: uri("src/broken.ts") });
    expect(file.diagnostics).toEqual([
      expect.objectContaining({ id, uri: uri("src/broken.ts"), code: "2322" }),
    ]);
    const workspace = await structure("vscode.lsp.diagnostics.workspace", {});
    const [told] = file.diagnostics as { uri: string }[];
    const { uri: where, ...diagnostic } = told ?? { uri: "" };
    expect(workspace.items).toEqual([{ uri: where, total: 1, diagnostics: [diagnostic] }]);
    expect([...used.names].sort()).toEqual(await listed(session));
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
