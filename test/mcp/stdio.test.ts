/** MCP over stdio: a real client, and the transport with raw lines. */
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  ListRootsRequestSchema,
  McpError,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { nextTurn } from "../../src/base/timing.js";
import { serveStdio } from "../../src/mcp/stdio.js";
import { StreamTransport } from "../../src/mcp/stream-transport.js";
import { loadBundle } from "../../src/runtime/bundle/load.js";
import type { Scenario } from "../fake-server/index.js";
import { until } from "../lsp/support.js";
import {
  compileConfig,
  openTestWorkspace,
  range,
  type TestWorkspace,
  type TestWorkspaceOptions,
} from "../runtime/test-workspace.js";

interface Wire {
  work: TestWorkspace;
  toServer: PassThrough;
  fromServer: PassThrough;
  served: Promise<void>;
  stop: AbortController;
  logged: string[];
}

const open: { work: TestWorkspace; client?: Client }[] = [];
afterEach(async () => {
  for (const { client, work } of open.splice(0)) {
    await client?.close();
    await work.close();
  }
});

const files = { "a.fake": "one two\n" };
const at = { file_path: "a.fake", line: 1, character: 1 };

async function serve(options: TestWorkspaceOptions): Promise<Wire> {
  const work = await openTestWorkspace(options);
  const toServer = new PassThrough();
  const fromServer = new PassThrough();
  const stop = new AbortController();
  const logged: string[] = [];
  const served = serveStdio(work.runtime, {
    input: toServer,
    output: fromServer,
    log: (level, message) => logged.push(`${level} ${message}`),
    signal: stop.signal,
  });
  open.push({ work });
  return { work, toServer, fromServer, served, stop, logged };
}

/** A real MCP client at the other end of the streams. */
async function connect(options: TestWorkspaceOptions): Promise<Wire & { client: Client }> {
  const wire = await serve(options);
  const client = new Client({ name: "test", version: "0" });
  await client.connect(new StreamTransport(wire.fromServer, wire.toServer));
  open.splice(0, open.length, { work: wire.work, client });
  return { ...wire, client };
}

const definition: Scenario = {
  capabilities: { definitionProvider: true },
  replies: { "textDocument/definition": [{ uri: "file:///work/a.fake", range: range(0, 4, 7) }] },
};

describe("a session with a real client", () => {
  it("lists the tools, sorted and annotated, before any server starts", async () => {
    const { client, work } = await connect({ files, servers: { fake: { scenario: definition } } });
    expect(client.getServerVersion()).toMatchObject({ version: "0" });
    expect(client.getInstructions()?.length).toBeGreaterThan(20);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name).toSorted());
    expect(tools).toHaveLength(12);
    for (const tool of tools) {
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        destructiveHint: false,
        openWorldHint: false,
      });
      expect(tool.inputSchema.type).toBe("object");
      expect(tool.outputSchema).toBeUndefined();
    }
    expect(work.runtime.pool.running()).toEqual([]);
  });

  it("answers with text and structured content", async () => {
    const { client } = await connect({ files, servers: { fake: { scenario: definition } } });
    const result = await client.callTool({ name: "find_definition", arguments: at });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({
      ok: true,
      locations: [{ path: "a.fake", character: 5 }],
    });
    expect(result.content).toEqual([{ type: "text", text: expect.stringContaining("1:5-1:8  one two") }]);
  });

  it("reports a refusal as a result, complete in text and structure", async () => {
    const { client } = await connect({ files, servers: { fake: { scenario: definition } } });
    const result = await client.callTool({ name: "find_definition", arguments: { file_path: "../x" } });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { ok: false, error: { code: "guard/outside-root" } },
      content: [{ type: "text", text: expect.stringMatching(/^Error guard\/outside-root: /) }],
    });
  });

  it("has a protocol error for an unknown tool", async () => {
    const { client } = await connect({ files });
    const failed = client.callTool({ name: "find_everything", arguments: {} });
    await expect(failed).rejects.toThrow(McpError);
    await expect(failed).rejects.toMatchObject({ code: -32602 });
  });

  it("sends the server's progress when the client asks for it", async () => {
    const progress = (kind: string, percentage: number) => ({
      notify: "$/progress",
      params: { token: "index", value: { kind, title: "indexing", percentage } },
    });
    const { client } = await connect({
      files,
      servers: {
        fake: {
          scenario: {
            ...definition,
            on: {
              initialized: [progress("begin", 0)],
              "textDocument/definition": [progress("report", 45), progress("end", 100)],
            },
          },
        },
      },
    });
    const heard: string[] = [];
    const result = await client.callTool({ name: "find_definition", arguments: at }, undefined, {
      onprogress: ({ message }) => heard.push(message ?? ""),
    });
    expect(result.structuredContent).toMatchObject({ readiness: "ready", total: 1 });
    expect(heard).toEqual(expect.arrayContaining(["starting fake", "indexing 45 %"]));
  });

  it("runs a bounded number of calls and reads at once, and the others may be called again", async () => {
    const resource = {
      ...{ name: "definition", uri: "lsp://definition/{path}", tool: "find_definition" },
      args: { ...at, file_path: { from: "uri.path" } },
    };
    const on = { "textDocument/definition": [{ waitFile: join(tmpdir(), `go-${randomUUID()}`) }] };
    const { client } = await connect({
      files,
      servers: { fake: { scenario: { ...definition, on } } },
      config: { http: { max_calls: 3 }, resources: [resource] },
    });
    const abort = new AbortController();
    const call = (signal?: AbortSignal) =>
      client.callTool({ name: "find_definition", arguments: at }, undefined, signal ? { signal } : {});
    const waiting = Array.from({ length: 3 }, () => call(abort.signal).catch(() => "cancelled"));
    const refused = await Promise.all(Array.from({ length: 5 }, () => call()));
    for (const result of refused) {
      expect(result).toMatchObject({
        isError: true,
        structuredContent: { error: { code: "call/too-many" } },
      });
      expect(JSON.stringify(result.content)).toContain("Call again");
    }
    await expect(client.readResource({ uri: "lsp://definition/a.fake" })).rejects.toThrow("call/too-many");
    abort.abort();
    expect(await Promise.all(waiting)).toEqual(["cancelled", "cancelled", "cancelled"]);
    // The slots are free again.
    await until(async () => {
      const { structuredContent } = await client.callTool({ name: "get_server_status", arguments: {} });
      return (structuredContent as JsonObject).ok === true;
    });
  });

  it("has the limit of a changed config", async () => {
    const { client, work } = await connect({
      files,
      servers: {
        fake: { scenario: { ...definition, on: { "textDocument/definition": [{ never: true }] } } },
      },
      config: { http: { max_calls: 1, max_calls_per_session: 1 } },
    });
    const cancel = new AbortController();
    const waiting = client
      .callTool({ name: "find_definition", arguments: at }, undefined, { signal: cancel.signal })
      .catch(() => "cancelled");
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    const status = () => client.callTool({ name: "get_server_status", arguments: {} });
    expect(await status()).toMatchObject({ structuredContent: { error: { code: "call/too-many" } } });
    const top = dirname(work.folder);
    const path = join(top, "lspi.json");
    writeFileSync(path, readFileSync(path, "utf8").replace('"max_calls":1', '"max_calls":2'));
    const loaded = await loadBundle({ bundle: compileConfig(path) });
    await work.runtime.update(loaded, { base: top, ...{ ownFiles: [], binFolders: [], avoid: [] } });
    expect(await status()).toMatchObject({ structuredContent: { ok: true } });
    cancel.abort();
    await waiting;
  });

  it("is served where the proxy was started while its roots cannot be entered, which is tried again", async () => {
    const work = await openTestWorkspace({ files });
    const [input, output] = [new PassThrough(), new PassThrough()];
    const entered: string[][] = [];
    const logged: string[] = [];
    void serveStdio(work.runtime, {
      input,
      output,
      log: (level, message, data) => logged.push(`${level} ${message} ${JSON.stringify(data)}`),
      switchProject: async (roots) => {
        entered.push([...roots]);
        if (entered.length === 1) throw new Error("EACCES");
        return { trust: undefined };
      },
    });
    const client = new Client({ name: "test", version: "0" }, { capabilities: { roots: {} } });
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///project" }] }));
    await client.connect(new StreamTransport(output, input));
    open.push({ work, client });
    for (const tries of [1, 2, 2]) {
      const status = await client.callTool({ name: "get_server_status", arguments: {} });
      expect(status).toMatchObject({ structuredContent: { ok: true } });
      expect(entered).toHaveLength(tries);
    }
    expect(entered[1]).toEqual(["file:///project"]);
    const errors = logged.filter((line) => line.startsWith("error"));
    expect(errors).toEqual([expect.stringContaining("EACCES")]);
  });

  it("passes a cancellation on to the language server", async () => {
    const { client, work } = await connect({
      files,
      servers: {
        fake: { scenario: { ...definition, on: { "textDocument/definition": [{ never: true }] } } },
      },
    });
    const cancel = new AbortController();
    const call = client.callTool({ name: "find_definition", arguments: at }, undefined, {
      signal: cancel.signal,
    });
    const failed = expect(call).rejects.toThrow();
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    cancel.abort("enough");
    await failed;
    await expect.poll(() => work.received("$/cancelRequest")).toHaveLength(1);
  });

  it.each([
    ["text", [{ type: "text" }], false],
    ["structured", [], true],
    ["both", [{ type: "text" }], true],
  ] as const)("sends what the dialect says: %s", async (form, content, hasStructure) => {
    const { client } = await connect({
      files,
      servers: { fake: { scenario: definition } },
      config: { dialect: { result: form } },
    });
    const result = await client.callTool({ name: "find_definition", arguments: at });
    expect(result.content).toMatchObject(content);
    expect(result.structuredContent !== undefined).toBe(hasStructure);
    const refused = await client.callTool({ name: "find_definition", arguments: {} });
    expect(refused).toMatchObject({ isError: true, content: [{ type: "text" }] });
  });

  it("sends results that match the declared output schemas, refusals included", async () => {
    const { client } = await connect({
      files,
      servers: { fake: { scenario: definition } },
      config: { dialect: { output_schemas: true } },
    });
    const { tools } = await client.listTools();
    expect(tools.every((tool) => tool.outputSchema !== undefined)).toBe(true);
    // The client validates each result against the schema and throws when it does not match.
    expect((await client.callTool({ name: "find_definition", arguments: at })).isError).toBeUndefined();
    expect((await client.callTool({ name: "find_definition", arguments: {} })).isError).toBe(true);
    expect((await client.callTool({ name: "get_server_status", arguments: {} })).isError).toBeUndefined();
  });
});

describe("the transport", () => {
  const send = (stream: PassThrough, message: JsonObject) => stream.write(`${JSON.stringify(message)}\n`);
  const initialize: JsonObject = {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
  };
  const call: JsonObject = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "find_definition", arguments: at },
  };

  function lines(stream: PassThrough): JsonObject[] {
    const text = String(stream.read() ?? "");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as JsonObject);
  }

  it("answers running calls after the input ended, then closes everything", async () => {
    const { toServer, fromServer, served, work } = await serve({
      files,
      servers: { fake: { scenario: definition } },
    });
    // The server runs already: the time after the end of the input may be too short for its start.
    await work.call("find_definition", at);
    send(toServer, initialize);
    send(toServer, { jsonrpc: "2.0", method: "notifications/initialized" });
    send(toServer, call);
    toServer.end();
    await served;
    expect(lines(fromServer).map(({ id }) => id)).toEqual([0, 1]);
    expect(work.runtime.pool.running()).toEqual([]);
  });

  it("does not wait long for a call that does not end", async () => {
    const scenario = { ...definition, on: { "textDocument/definition": [{ never: true }] } };
    const { toServer, served, work } = await serve({
      files,
      servers: { fake: { scenario, config: { request_timeout_ms: 170_000 } } },
      config: { limits: { timeout_ms: 170_000 } },
    });
    send(toServer, initialize);
    send(toServer, call);
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    toServer.end();
    await served;
    expect(work.runtime.pool.running()).toEqual([]);
  }, 100_000);

  it("closes everything when the client no longer reads", async () => {
    const { toServer, fromServer, served } = await serve({
      files,
      servers: { fake: { scenario: definition } },
    });
    send(toServer, initialize);
    fromServer.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    await served;
  });

  it("closes everything when its signal aborts", async () => {
    const { stop, served } = await serve({ files });
    stop.abort();
    await served;
  });

  it("a changed config, after the client has left and while its host has not, is no error", async () => {
    const rejected: unknown[] = [];
    const onRejected = (reason: unknown) => rejected.push(reason);
    process.on("unhandledRejection", onRejected);
    const work = await openTestWorkspace({ files });
    open.push({ work });
    const [input, output] = [new PassThrough(), new PassThrough()];
    const host = { leave: () => {}, isAwaited: () => {} };
    const ended = new Promise<void>((resolve) => {
      host.leave = resolve;
    });
    const awaited = new Promise<void>((resolve) => {
      host.isAwaited = resolve;
    });
    const link = {
      ready: async () => undefined,
      // Only the host is waited for when the client is disconnected.
      get ended() {
        host.isAwaited();
        return ended;
      },
      left: new Promise<void>(() => undefined),
      close: () => undefined,
    };
    const { signal } = new AbortController();
    const options = { input, output, log: () => undefined, signal, openHost: () => link };
    const served = serveStdio(work.runtime, options);
    const client = new Client({ name: "test", version: "0" });
    await client.connect(new StreamTransport(output, input));
    await client.listTools();
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
    const change = () =>
      work.runtime.update(work.runtime.loaded, {
        base: dirname(work.folder),
        ...{ ownFiles: [], binFolders: [], avoid: [] },
      });
    await change();
    await expect.poll(() => changes).toBe(1);
    input.end();
    await awaited;
    await change();
    // Node reports a rejection after the turn in which nobody has handled it.
    await nextTurn();
    await nextTurn();
    process.off("unhandledRejection", onRejected);
    expect(rejected).toEqual([]);
    expect(changes).toBe(1);
    host.leave();
    await served;
  });

  it("answers invalid lines with errors and continues", async () => {
    const { toServer, fromServer, served } = await serve({ files });
    toServer.write("not json\n\n");
    toServer.write('{"neither":"request"}\n');
    // A line that is too long is answered once, however many chunks it comes in.
    for (const chunk of ["x".repeat(5 * 1024 * 1024), "more", "\n"]) toServer.write(chunk);
    const text = JSON.stringify({ ...initialize, id: "ä" });
    const bytes = Buffer.from(`${text}\r\n`);
    // Chunks may end anywhere, also within a character.
    for (const byte of bytes) toServer.write(Buffer.from([byte]));
    toServer.end();
    await served;
    const answers = lines(fromServer);
    expect(answers.map(({ id }) => id)).toEqual([null, null, null, "ä"]);
    expect(answers.map(({ error }) => (error as JsonObject | undefined)?.code)).toEqual([
      -32700,
      -32600,
      -32600,
      undefined,
    ]);
  });
});
