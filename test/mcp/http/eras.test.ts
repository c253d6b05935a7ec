/** Protocol 2026-07-28, which has no sessions, beside the older versions: over HTTP and on stdio. */
import { request } from "node:http";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import { digestOf } from "../../../src/mcp/http/bearer-tokens.js";
import { serveStdio } from "../../../src/mcp/stdio.js";
import { StreamTransport } from "../../../src/mcp/stream-transport.js";
import { Session } from "../../../src/runtime/session.js";
import { openTestWorkspace, range, type TestWorkspace } from "../../runtime/test-workspace.js";
import {
  answersIn,
  at,
  callOf,
  closeAll,
  connect,
  definition,
  files,
  good,
  initialize,
  openGateway,
  openRaw,
  otherToken,
  send,
  silent,
  token,
} from "./support.js";

const open: { client: Client; work?: TestWorkspace }[] = [];
afterEach(async () => {
  for (const { client, work } of open.splice(0)) {
    await client.close();
    await work?.close();
  }
  await closeAll();
});

/** A real client of both protocols; `auto` tries 2026-07-28 first. */
function newClient(
  mode: "auto" | "legacy" = "auto",
  capabilities: ClientOptions["capabilities"] = {},
): Client {
  return new Client({ name: "modern", version: "0" }, { versionNegotiation: { mode }, capabilities });
}

async function connectModern(url: string, bearer = token, roots?: string[]): Promise<Client> {
  const client = newClient("auto", roots === undefined ? {} : { roots: {} });
  if (roots !== undefined)
    client.setRequestHandler("roots/list", async () => ({ roots: roots.map((uri) => ({ uri })) }));
  const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  open.push({ client });
  return client;
}

/** Two projects; every definition request is answered with a location in each. */
const projects = {
  files: { "one/a.fake": "one\n", "two/b.fake": "two\n" },
  servers: {
    fake: {
      scenario: {
        capabilities: { definitionProvider: true },
        replies: {
          "textDocument/definition": ["one/a.fake", "two/b.fake"].map((path) => ({
            uri: `file:///work/${path}`,
            range: range(0, 0, 3),
          })),
        },
      },
    },
  },
};

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A call in protocol 2026-07-28. */
function modernCall(
  id: number,
  args: JsonObject = at,
): { headers: { [name: string]: string }; body: JsonObject } {
  return {
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "find_definition",
    },
    body: {
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "find_definition", arguments: args, _meta: envelope },
    },
  };
}

describe("protocol 2026-07-28 over HTTP", () => {
  it("has the same tools and the same answers", async () => {
    const { url } = await openGateway();
    const [older, newer] = [await connect(url), await connectModern(url)];
    expect(newer.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    expect(newer.getInstructions()).toBe(older.getInstructions());
    expect((await newer.listTools()).tools).toEqual((await older.listTools()).tools);
    const call = { name: "find_definition", arguments: at };
    const [answer, same] = [await newer.callTool(call), await older.callTool(call)];
    expect([answer.structuredContent, answer.content]).toEqual([same.structuredContent, same.content]);
    expect(await newer.callTool({ name: "find_definition", arguments: {} })).toMatchObject({ isError: true });
    await expect(newer.callTool({ name: "find_everything" })).rejects.toMatchObject({ code: -32602 });
  });

  it("reports the configured version, and else the version of the proxy", async () => {
    for (const version of ["7.8.9", undefined]) {
      const { url, work } = await openGateway(version === undefined ? {} : { config: { mcp: { version } } });
      const expected = { name: "lsp-proxy", version: version ?? work.runtime.version };
      const [older, newer] = [await connect(url), await connectModern(url)];
      expect(newer.getNegotiatedProtocolVersion()).toBe("2026-07-28");
      expect([older.getServerVersion(), newer.getServerVersion()]).toEqual([expected, expected]);
    }
  });

  it("sends progress, and cancels the call of a client that disconnects", async () => {
    const { url, work } = await openGateway({ servers: { fake: { scenario: silent } } });
    const client = await connectModern(url);
    const heard: string[] = [];
    const cancel = new AbortController();
    const call = client.callTool(
      { name: "find_definition", arguments: at },
      { signal: cancel.signal, onprogress: ({ message }) => heard.push(message ?? "") },
    );
    const failed = expect(call).rejects.toThrow();
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    await expect.poll(() => heard).toContain("starting fake");
    cancel.abort("enough");
    await failed;
    await expect.poll(() => work.received("$/cancelRequest")).toHaveLength(1);
  });

  it("cancels the call of a client that disconnects before its answer began", async () => {
    const { url, work } = await openGateway({ servers: { fake: { scenario: silent } } });
    const { headers, body } = modernCall(1);
    const call = request(url, { method: "POST", headers: { ...good, ...headers }, agent: false });
    call.once("error", () => undefined);
    call.end(JSON.stringify(body));
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    call.destroy();
    await expect.poll(() => work.received("$/cancelRequest")).toHaveLength(1);
  });

  it("limits the calls of one token, and ends them when it is removed", async () => {
    let counting = [token, otherToken];
    const { url, work } = await openGateway({
      tokens: { name: "test", digests: () => counting.map(digestOf) },
      http: { max_calls: 8, max_calls_per_session: 1 },
      servers: { fake: { scenario: silent } },
      config: { limits: { timeout_ms: 60_000 } },
    });
    const { headers, body } = modernCall(1);
    const call = send(url, { headers, body }).catch(() => undefined);
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    const next = modernCall(2, {});
    expect((await send(url, next)).status).toBe(429);
    const others = { ...next.headers, authorization: `Bearer ${otherToken}` };
    expect((await send(url, { headers: others, body: next.body })).status).toBe(200);
    counting = [otherToken];
    await expect.poll(() => work.received("$/cancelRequest")).toHaveLength(1);
    await call;
  });

  it("needs a token, has no sessions, and answers in JSON where no stream is accepted", async () => {
    const { url } = await openGateway();
    const { headers, body } = modernCall(1);
    expect((await send(url, { headers: { ...headers, authorization: undefined }, body })).status).toBe(401);
    const answer = await send(url, { headers: { ...headers, accept: "application/json" }, body });
    expect(answer.status).toBe(200);
    expect(answer.headers["mcp-session-id"]).toBeUndefined();
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(answersIn(answer)).toMatchObject([{ id: 1, result: { structuredContent: { ok: true } } }]);
  });

  it("rejects invalid requests with the codes of the SDK", async () => {
    const { url } = await openGateway();
    const { headers, body } = modernCall(1);
    const codeOf = async (request: Parameters<typeof send>[1]) => {
      const answer = await send(url, request);
      return [answer.status, (answersIn(answer)[0]?.error as JsonObject | undefined)?.code];
    };
    expect(await codeOf({ headers: { ...headers, "mcp-method": "tools/list" }, body })).toEqual([
      400, -32020,
    ]);
    expect(await codeOf({ headers: { ...headers, "mcp-name": undefined }, body })).toEqual([400, -32020]);
    expect(await codeOf({ headers, body: callOf(1) })).toEqual([400, -32602]);
    const later = { ...envelope, "io.modelcontextprotocol/protocolVersion": "2027-01-01" };
    const params = { name: "find_definition", arguments: at, _meta: later };
    expect(
      await codeOf({
        headers: { ...headers, "mcp-protocol-version": "2027-01-01" },
        body: { ...body, params },
      }),
    ).toEqual([400, -32022]);
    const older = { ...params, _meta: { ...later, "io.modelcontextprotocol/protocolVersion": "2020-01-01" } };
    expect(
      await codeOf({
        headers: { ...headers, "mcp-protocol-version": "2020-01-01" },
        body: { ...body, params: older },
      }),
    ).toEqual([400, -32022]);
  });

  it("asks a client that has roots for them with each call, and shows it nothing else", async () => {
    const gateway = await openGateway(projects);
    const [one, two] = ["one", "two"].map((path) => [pathToFileURL(join(gateway.work.folder, path)).href]);
    const [first, second] = await Promise.all(
      [one, two].map((roots) => connectModern(gateway.url, token, roots)),
    );
    const whole = await connectModern(gateway.url);
    const askFor = async (client: Client | undefined, path: string) => {
      const file_path = pathToFileURL(join(gateway.work.folder, path)).href;
      const answer = await client?.callTool({ name: "find_definition", arguments: { ...at, file_path } });
      return answer?.structuredContent;
    };
    const outside = { error: { code: "guard/outside-root" } };
    // Both use the same token, and call at the same time.
    const answers = await Promise.all([
      askFor(first, "one/a.fake"),
      askFor(second, "one/a.fake"),
      askFor(second, "two/b.fake"),
      askFor(first, "two/b.fake"),
      askFor(whole, "one/a.fake"),
    ]);
    expect(answers).toMatchObject([
      { locations: [{ path: "a.fake" }], dropped: 1 },
      outside,
      { locations: [{ path: "b.fake" }], dropped: 1 },
      outside,
      { shown: 2 },
    ]);
    // Changed roots apply from the next call on.
    one?.splice(0, 1, ...(two ?? []));
    expect(await askFor(first, "two/b.fake")).toMatchObject({ shown: 1 });
    expect(await askFor(first, "one/a.fake")).toMatchObject(outside);
  });

  it.each<[string, JsonObject]>([
    ["nothing", {}],
    ["an answer to something else", { other: { roots: [] } }],
    ["no list", { roots: { roots: "all" } }],
    ["what is no answer", { roots: { method: "roots/list", result: { roots: [] } } }],
  ])("shows nothing to a client that has roots and answers with %s", async (_what, inputResponses) => {
    const { url } = await openGateway();
    const { headers, body } = modernCall(1);
    const params = body.params as JsonObject;
    const roots = { ...envelope, "io.modelcontextprotocol/clientCapabilities": { roots: {} } };
    const rooted = { ...body, params: { ...params, _meta: roots } };
    // In JSON as well: the request for roots is a result.
    for (const accept of [good.accept, "application/json"])
      expect(answersIn(await send(url, { headers: { ...headers, accept }, body: rooted }))).toMatchObject([
        { result: { resultType: "input_required", inputRequests: { roots: { method: "roots/list" } } } },
      ]);
    const again = { ...rooted, params: { ...rooted.params, inputResponses } };
    expect(answersIn(await send(url, { headers, body: again }))).toMatchObject([
      { result: { structuredContent: { error: { code: "guard/outside-root" } } } },
    ]);
  });

  it("shows the workspace to a client that answers with an empty list of roots", async () => {
    const gateway = await openGateway(projects);
    const client = await connectModern(gateway.url, token, []);
    const call = { name: "find_definition", arguments: { ...at, file_path: "one/a.fake" } };
    expect((await client.callTool(call)).structuredContent).toMatchObject({ shown: 2 });
  });

  it("asks for no roots where the config ignores them", async () => {
    const gateway = await openGateway({ ...projects, http: { session_roots: "ignore" } });
    const client = await connectModern(gateway.url, token, ["file:///nowhere"]);
    const answer = await client.callTool({
      name: "find_definition",
      arguments: { ...at, file_path: "one/a.fake" },
    });
    expect(answer.structuredContent).toMatchObject({ shown: 2 });
  });

  it("keeps no more lists of roots than sessions", async () => {
    const gateway = await openGateway({ ...projects, http: { max_sessions: 2 } });
    const opened = vi.spyOn(gateway.work.runtime, "openSession");
    const closed = vi.spyOn(Session.prototype, "close");
    const roots = ["file:///nowhere"];
    const client = await connectModern(gateway.url, token, roots);
    for (let round = 0; round < 6; round++) {
      roots.splice(0, 1, `file:///nowhere/${round}`);
      await client.callTool({ name: "find_definition", arguments: { ...at, file_path: "one/a.fake" } });
    }
    await expect.poll(() => opened.mock.calls.length - closed.mock.calls.length).toBe(2);
    expect(opened.mock.calls.length).toBeGreaterThan(5);
    closed.mockRestore();
  });

  it("keeps the pages of a listing for the holder of a token only", async () => {
    const many = Array.from({ length: 3 }, (_, line) => ({
      uri: "file:///work/a.fake",
      range: range(line, 0, 1),
    }));
    const { url } = await openGateway({
      files: { "a.fake": "a\nb\nc\n" },
      servers: {
        fake: {
          scenario: {
            capabilities: { referencesProvider: true },
            replies: { "textDocument/references": many },
          },
        },
      },
    });
    const mine = await connectModern(url);
    const theirs = await connectModern(url, otherToken);
    const ask = { ...at, page_size: 2 };
    const first = await mine.callTool({ name: "find_references", arguments: ask });
    const { next_cursor: cursor } = first.structuredContent as { next_cursor: string };
    const next = { name: "find_references", arguments: { ...ask, cursor } };
    expect(await mine.callTool(next)).toMatchObject({ structuredContent: { ok: true, shown: 1 } });
    expect(await theirs.callTool(next)).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "page/cursor-expired" } },
    });
  });

  it("counts its calls against `max_calls`", async () => {
    const { url, work } = await openGateway({
      http: { max_calls: 1 },
      servers: { fake: { scenario: silent } },
    });
    const client = await connectModern(url);
    const cancel = new AbortController();
    const call = client.callTool({ name: "find_definition", arguments: at }, { signal: cancel.signal });
    const failed = expect(call).rejects.toThrow();
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    expect((await send(url, modernCall(2, {}))).status).toBe(429);
    cancel.abort("enough");
    await failed;
    await expect.poll(async () => (await send(url, modernCall(3, {}))).status).toBe(200);
  });
});

describe("the protocol version", () => {
  it("is rejected before a session is looked up when it is unsupported", async () => {
    const { url } = await openGateway();
    const session = await openRaw(url);
    for (const headers of [{}, session, { "mcp-session-id": "AAAA" }]) {
      const answer = await send(url, {
        headers: { ...headers, "mcp-protocol-version": "2024-01-01" },
        body: callOf(1),
      });
      expect(answer.status).toBe(400);
      expect(answersIn(answer)).toMatchObject([
        {
          id: null,
          error: {
            code: -32000,
            message: expect.stringMatching(
              /^Bad Request: Unsupported protocol version: 2024-01-01 \(supported versions: 2025-11-25, /,
            ),
          },
        },
      ]);
    }
    const odd = await send(url, { headers: { "mcp-protocol-version": "<script>" }, body: callOf(1) });
    expect([odd.status, odd.text.includes("script")]).toEqual([400, false]);
  });

  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])("%s is accepted", async (revision) => {
    const { url } = await openGateway();
    const [answer] = answersIn(await send(url, { body: initialize(revision) }));
    expect(answer).toMatchObject({ result: { protocolVersion: revision } });
  });
});

describe("stdio", () => {
  async function connectStdio(
    mode: "auto" | "legacy",
  ): Promise<{ client: Client; work: TestWorkspace; served: Promise<void> }> {
    const work = await openTestWorkspace({ files, servers: { fake: { scenario: definition } } });
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveStdio(work.runtime, { input, output, log: () => undefined });
    const client = newClient(mode);
    await client.connect(new StreamTransport(output, input) as unknown as Parameters<Client["connect"]>[0]);
    open.push({ client, work });
    return { client, work, served };
  }

  it.each([
    ["auto", "2026-07-28"],
    ["legacy", "2025-11-25"],
  ] as const)("is served in the version that the client opens with: %s", async (mode, revision) => {
    const { client } = await connectStdio(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect((await client.listTools()).tools).toHaveLength(12);
    expect(await client.callTool({ name: "find_definition", arguments: at })).toMatchObject({
      structuredContent: { ok: true, total: 1 },
    });
  });

  it("serves a client that probes 2026-07-28 and falls back", async () => {
    const work = await openTestWorkspace({ files, servers: { fake: { scenario: definition } } });
    // The server runs already: the time after the end of the input may be too short for its start.
    await work.call("find_definition", at);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveStdio(work.runtime, { input, output, log: () => undefined });
    const discover = { jsonrpc: "2.0", id: "d", method: "server/discover", params: { _meta: envelope } };
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    for (const message of [discover, initialize("2025-06-18"), initialized, callOf(1)])
      input.write(`${JSON.stringify(message)}\n`);
    input.end();
    await served;
    await work.close();
    const answers = String(output.read())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as JsonObject);
    expect(answers).toMatchObject([
      { id: "d", result: { supportedVersions: ["2026-07-28"] } },
      { id: 0, result: { protocolVersion: "2025-06-18" } },
      { id: 1, result: { structuredContent: { ok: true } } },
    ]);
  });
});
