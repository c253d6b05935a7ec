/** The `gateway` profile over HTTP: the statuses and codes of its original. */
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import { http } from "../../../src/config/schema/serving.js";
import { patientGateway } from "../../profiles/patient-gateway.js";
import { range } from "../../runtime/test-workspace.js";
import {
  answersIn,
  closeAll,
  connect,
  good,
  initialize,
  initialized,
  openGateway,
  openRaw,
  resultOf,
  send,
  type TestGateway,
} from "./support.js";

afterEach(closeAll);

const scenario = {
  capabilities: { definitionProvider: true, referencesProvider: true },
  replies: {
    "textDocument/definition": [{ uri: "file:///work/a.fake", range: range(0, 4, 7) }],
    "textDocument/references": [0, 1, 2].map((line) => ({
      uri: "file:///work/a.fake",
      range: range(line, 0, 1),
    })),
  },
};

/** The profile with a scripted server, and with timeouts long enough for a busy machine. */
function openStrict(http: JsonObject = {}): Promise<TestGateway> {
  return openGateway({
    http,
    files: { "a.fake": "one two\nb\nc\n" },
    servers: { fake: { scenario } },
    config: patientGateway,
  });
}

const list: JsonObject = { jsonrpc: "2.0", id: 1, method: "tools/list" };

function call(name: string, args: JsonObject): JsonObject {
  return {
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: `vscode.lsp.${name}`, arguments: args },
  };
}

describe("the gateway profile's endpoint", () => {
  it("has one method and one path", async () => {
    const { url } = await openStrict();
    for (const method of ["GET", "DELETE", "PUT"]) {
      const answer = await send(url, { method });
      expect([answer.status, answer.text, answer.headers.allow]).toEqual([405, "", "POST"]);
    }
    expect(await send(url, { method: "GET", path: "/health" })).toMatchObject({ status: 404, text: "" });
  });

  it("requires both media types by name, and a listed origin", async () => {
    const { url } = await openStrict();
    for (const accept of ["application/json", "text/event-stream", "*/*", "application/json, */*"])
      expect((await send(url, { headers: { accept }, body: initialize() })).status).toBe(406);
    const headers = { host: "localhost:1", origin: "http://localhost:1" };
    expect((await send(url, { headers, body: initialize() })).status).toBe(403);
  });

  it("answers requests as JSON only, also when they fail, and notifications with 202", async () => {
    const { url } = await openStrict();
    const opened = await send(url, { body: initialize() });
    expect([opened.status, opened.headers["content-type"]]).toEqual([200, "application/json"]);
    const session = await openRaw(url);
    const failed = await send(url, { headers: session, body: { jsonrpc: "2.0", id: 5, method: "no/such" } });
    expect([failed.status, failed.headers["content-type"]]).toEqual([200, "application/json"]);
    expect(answersIn(failed)).toMatchObject([{ id: 5, error: { code: -32601 } }]);
    expect(await send(url, { headers: session, body: initialized })).toMatchObject({ status: 202, text: "" });
  });

  it("supports protocol version 2025-11-25 only", async () => {
    const { url } = await openStrict();
    for (const asked of ["2025-06-18", "2024-11-05", "2099-01-01", "<b>", 7, undefined]) {
      const { params, ...question } = initialize();
      const body = { ...question, params: { ...(params as JsonObject), protocolVersion: asked as string } };
      const refused = await send(url, { body });
      expect(refused).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
      expect(refused.headers["mcp-session-id"]).toBeUndefined();
      expect(answersIn(refused)).toMatchObject([{ id: 0, error: { code: -32602 } }]);
      expect(refused.text).not.toContain("<b>");
    }
    const [answer] = answersIn(await send(url, { body: initialize() }));
    expect(answer).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    const session = await openRaw(url);
    for (const revision of [undefined, "2025-06-18", "2026-07-28"]) {
      const headers = { ...session, "mcp-protocol-version": revision };
      expect((await send(url, { headers, body: list })).status).toBe(400);
    }
    expect((await send(url, { headers: session, body: list })).status).toBe(200);
  });

  it("accepts a handshake with an older version where the config says so, and answers with its own", async () => {
    const { url } = await openStrict({ older_handshakes: ["2025-06-18"] });
    const askFor = async (revision: string) => answersIn(await send(url, { body: initialize(revision) }))[0];
    expect(await askFor("2025-06-18")).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    expect(await askFor("2025-11-25")).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    expect(await askFor("2025-03-26")).toMatchObject({ error: { code: -32602 } });
    const session = await openRaw(url);
    const headers = { ...session, "mcp-protocol-version": "2025-06-18" };
    expect((await send(url, { headers, body: list })).status).toBe(400);
  });

  it("can be configured with exactly the older versions of the SDK", () => {
    const older = SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision !== LATEST_PROTOCOL_VERSION);
    const { element } = http.shape.older_handshakes.unwrap();
    expect([...element.options].sort()).toEqual(older.sort());
  });

  it("accepts one message per request, and only a ping before the session is initialized", async () => {
    const { url } = await openStrict();
    const opened = await send(url, { body: initialize() });
    const headers = {
      "mcp-session-id": String(opened.headers["mcp-session-id"]),
      "mcp-protocol-version": "2025-11-25",
    };
    const answerTo = async (body: JsonObject) => answersIn(await send(url, { headers, body }))[0];
    expect(await answerTo({ jsonrpc: "2.0", id: 1, method: "ping" })).toMatchObject({ id: 1, result: {} });
    expect(await answerTo(list)).toMatchObject({
      id: 1,
      error: { code: -32600, message: "Not initialized" },
    });
    await send(url, { headers, body: initialized });
    expect(await answerTo(list)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
    expect((await send(url, { headers, body: [list, list] })).status).toBe(400);
    expect(
      (await send(url, { headers: { ...headers, "mcp-session-id": undefined }, body: list })).status,
    ).toBe(400);
    expect((await send(url, { headers: { ...headers, "mcp-session-id": "AAAA" }, body: list })).status).toBe(
      404,
    );
  });

  it("lists its seven read-only tools in one order with both schemas, and rejects a cursor", async () => {
    const { url } = await openStrict();
    const session = await openRaw(url);
    const tools = resultOf(await send(url, { headers: session, body: list }), 1).tools as JsonObject[];
    expect(tools.map(({ name }) => name)).toEqual([
      "vscode.lsp.definition",
      "vscode.lsp.diagnostics.document",
      "vscode.lsp.diagnostics.workspace",
      "vscode.lsp.documentSymbols",
      "vscode.lsp.hover",
      "vscode.lsp.references",
      "vscode.lsp.workspaceSymbols",
    ]);
    for (const tool of tools)
      expect(tool).toMatchObject({
        inputSchema: { type: "object", additionalProperties: false },
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
      });
    const paged = { ...list, params: { cursor: "x" } };
    expect(answersIn(await send(url, { headers: session, body: paged }))).toMatchObject([
      { error: { code: -32602, data: { code: "MCP_LSP_GATEWAY/CURSOR_INVALID" } } },
    ]);
  });

  it("pages, refuses and caps with the original's codes", async () => {
    const { url, work } = await openStrict();
    const session = await openRaw(url);
    const uri = work.uri("a.fake");
    const position = { line: 0, character: 0 };
    const answerTo = async (name: string, args: JsonObject) => {
      const answer = await send(url, { headers: session, body: call(name, args) });
      expect(answer.status).toBe(200);
      return answersIn(answer)[0] as { result?: JsonObject; error?: JsonObject };
    };
    const codeOf = async (name: string, args: JsonObject) => {
      const { error } = await answerTo(name, args);
      return [error?.code, (error?.data as JsonObject | undefined)?.code];
    };
    const first = await answerTo("references", { uri, position, pageSize: 2 });
    const page = first.result?.structuredContent as { items: unknown[]; nextCursor: string };
    expect(page.items).toHaveLength(2);
    const next = await answerTo("references", { uri, position, pageSize: 2, cursor: page.nextCursor });
    expect(next.result?.structuredContent).toMatchObject({ items: [{}] });
    expect(await codeOf("references", { uri, position, cursor: "AAAA" })).toEqual([
      -32602,
      "MCP_LSP_GATEWAY/CURSOR_INVALID",
    ]);
    expect(await codeOf("definition", { uri })).toEqual([-32602, "MCP_LSP_GATEWAY/INVALID_PARAMS"]);
    expect(await codeOf("definition", { uri: "file:///etc/passwd", position })).toEqual([
      -32602,
      "MCP_LSP_GATEWAY/WORKSPACE_DENIED",
    ]);
    expect(await codeOf("definition", { uri: "https://example.com/a", position })).toEqual([
      -32602,
      "MCP_LSP_GATEWAY/URI_INVALID",
    ]);
    expect(await codeOf("rename", { uri, position })).toEqual([-32602, "MCP_LSP_GATEWAY/INVALID_PARAMS"]);
    const [large] = [
      await send(url, {
        headers: { ...good, ...session },
        body: call("definition", { uri: "x".repeat(1_048_576) }),
      }),
    ];
    expect([large.status, large.text]).toEqual([413, ""]);
  });

  it("serves a real client", async () => {
    const { url, work } = await openStrict();
    const client = await connect(url);
    const position = { line: 0, character: 0 };
    const result = await client.callTool({
      name: "vscode.lsp.definition",
      arguments: { uri: work.uri("a.fake"), position },
    });
    expect(result.structuredContent).toMatchObject({ locations: [{ uri: work.uri("a.fake") }] });
  });
});
