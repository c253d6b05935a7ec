import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import type { Scenario } from "../fake-server/index.js";
import { openTestWorkspace, range, type TestWorkspace, type TestWorkspaceOptions } from "./test-workspace.js";

let work: TestWorkspace | undefined;
afterEach(async () => {
  await work?.close();
  work = undefined;
});

async function open(options: TestWorkspaceOptions): Promise<TestWorkspace> {
  work = await openTestWorkspace(options);
  return work;
}

const files = { "a.fake": "one two\n" };
const at = { file_path: "a.fake", line: 1, character: 1 };
const a = "file:///work/a.fake";
const here = (start: number) => [{ uri: a, range: range(0, start, start + 3) }];

/** Two servers for one file: the first has the higher priority. */
function pair(first: Scenario, second: Scenario, more: JsonObject = {}) {
  return {
    first: { scenario: first, config: { priority: 2, ...more } },
    second: { scenario: second, config: { priority: 1, ...more } },
  };
}

describe("one answer from several servers", () => {
  it("comes from the first that offers the method", async () => {
    const replies = (start: number) => ({ "textDocument/references": here(start) });
    const { call } = await open({
      files,
      servers: pair(
        { capabilities: { hoverProvider: true } },
        { capabilities: { referencesProvider: true }, replies: replies(4) },
      ),
    });
    const { structured } = await call("find_references", at);
    expect(structured).toMatchObject({ server_id: "second", locations: [{ character: 5 }], warnings: [] });
  });

  it("comes from the next when the first fails, with a warning", async () => {
    const replies = { "textDocument/references": here(4) };
    const capabilities = { referencesProvider: true };
    const { call } = await open({
      files,
      servers: pair(
        { capabilities, on: { "textDocument/references": [{ error: { code: -32603, message: "no" } }] } },
        { capabilities, replies },
      ),
    });
    const { structured, text } = await call("find_references", at);
    expect(structured).toMatchObject({
      ok: true,
      server_id: "second",
      total: 1,
      warnings: [{ code: "answer/partial-servers", data: { server_id: "first", code: "lsp/failed" } }],
    });
    expect(text).toContain("Warning answer/partial-servers: The server first did not answer");
  });

  it("comes from the next when the first does not even start", async () => {
    const { call } = await open({
      files,
      servers: pair(
        { start: [{ exit: 3 }] },
        { capabilities: { referencesProvider: true }, replies: { "textDocument/references": here(0) } },
        { restart: { max: 1 } },
      ),
    });
    const { structured } = await call("find_references", at);
    expect(structured).toMatchObject({ server_id: "second", warnings: [{ code: "answer/partial-servers" }] });
  });

  it("comes from the next when the first hangs in its start, soon, with one true warning", async () => {
    const { call, runtime } = await open({
      files,
      servers: pair(
        { on: { initialize: [{ never: true }] } },
        {
          capabilities: { callHierarchyProvider: true },
          replies: {
            "textDocument/prepareCallHierarchy": [
              { name: "one", kind: 12, uri: a, range: range(0, 0, 3), selectionRange: range(0, 0, 3) },
            ],
            "callHierarchy/incomingCalls": [],
          },
        },
      ),
    });
    const started = performance.now();
    const { structured } = await call("get_incoming_calls", at);
    // Not the larger part of the 30 s that the call has.
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(structured).toMatchObject({
      ok: true,
      server_id: "second",
      warnings: [
        {
          code: "answer/partial-servers",
          message: expect.stringContaining("has not started within 5 s"),
          data: { server_id: "first", code: "lsp/timeout" },
        },
      ],
    });
    expect(runtime.pool.status().find(({ id }) => id === "first")?.state).toBe("starting");
  });

  it("is the first failure when no other server can answer", async () => {
    const { call } = await open({
      files,
      servers: pair(
        {
          capabilities: { referencesProvider: true },
          on: { "textDocument/references": [{ error: { code: -32603, message: "not today" } }] },
        },
        { capabilities: {} },
      ),
    });
    const { isError, structured } = await call("find_references", at);
    expect(isError).toBe(true);
    expect(structured).toMatchObject({ error: { code: "lsp/failed" } });
    expect(JSON.stringify(structured.error)).toContain("not today");
  });
});

describe("answers of all servers together", () => {
  const symbol = (name: string) => ({ name, kind: 12, location: { uri: a, range: range(0, 0, 3) } });
  it("are merged by rank and without duplicates, and a failing one costs a warning", async () => {
    const capabilities = { workspaceSymbolProvider: true };
    const { call } = await open({
      files,
      servers: {
        ...pair(
          { capabilities, replies: { "workspace/symbol": [symbol("two"), symbol("one")] } },
          { capabilities, replies: { "workspace/symbol": [symbol("one"), symbol("three")] } },
        ),
        third: {
          scenario: { capabilities, on: { "workspace/symbol": [{ exit: 1 }] } },
          config: { priority: 0, restart: { max: 1 } },
        },
      },
    });
    const { structured } = await call("search_workspace_symbols", { query: "o" });
    expect((structured.symbols as JsonObject[]).map(({ name }) => name)).toEqual(["two", "one", "three"]);
    expect(structured).toMatchObject({
      server_id: "first,second",
      warnings: [{ code: "answer/partial-servers", data: { server_id: "third" } }],
    });
  });

  it("do not wait past the deadline for one that never answers", async () => {
    const capabilities = { workspaceSymbolProvider: true };
    const { call, runtime } = await open({
      files,
      servers: pair(
        { capabilities, replies: { "workspace/symbol": [symbol("one")] } },
        { capabilities, on: { "workspace/symbol": [{ never: true }] } },
      ),
      config: { tools: [{ name: "search_workspace_symbols", timeout_ms: 3000 }] },
    });
    // Their start takes none of the time.
    await runtime.warmup();
    const { structured } = await call("search_workspace_symbols", { query: "o" });
    expect(structured).toMatchObject({
      symbols: [{ name: "one" }],
      warnings: [{ code: "answer/partial-servers", data: { code: "lsp/timeout" } }],
    });
  });

  it("do not start a server that has no file here", async () => {
    const { call, runtime } = await open({
      files,
      servers: {
        fake: {
          scenario: {
            capabilities: { workspaceSymbolProvider: true },
            replies: { "workspace/symbol": [symbol("one")] },
          },
        },
        other: { scenario: { start: [{ exit: 1 }] }, config: { extensions: ["other"] } },
      },
    });
    const { structured } = await call("search_workspace_symbols", { query: "o" });
    expect(structured).toMatchObject({ symbols: [{ name: "one" }], warnings: [] });
    expect(runtime.pool.status().find(({ id }) => id === "other")?.state).toBe("idle");
  });
});

describe("diagnostics of several servers", () => {
  const publishing = (items: JsonObject[]): Scenario => ({
    on: {
      "textDocument/didOpen": [
        {
          notify: "textDocument/publishDiagnostics",
          params: { uri: { $: "/params/textDocument/uri" }, version: { $version: true }, diagnostics: items },
        },
      ],
    },
  });

  it("are merged", async () => {
    const { call } = await open({
      files,
      servers: pair(
        publishing([{ range: range(0, 4, 7), severity: 1, message: "b" }]),
        publishing([{ range: range(0, 0, 3), severity: 2, message: "a" }]),
      ),
    });
    const { structured, text } = await call("get_diagnostics", { file_path: "a.fake" });
    expect(structured).toMatchObject({
      status: "diagnostics",
      server_id: "first,second",
      diagnostics: [
        { path: "a.fake", line: 1, character: 1, severity: "warning", message: "a" },
        { path: "a.fake", line: 1, character: 5, severity: "error", message: "b" },
      ],
    });
    expect(text).toContain("Status: diagnostics\na.fake\n  1:1-1:4  warning a\n  1:5-1:8  error b");
  });

  it("are clean only when every server said so", async () => {
    const { call } = await open({
      files,
      servers: pair(publishing([]), { start: [{ exit: 1 }] }, { restart: { max: 1 } }),
    });
    const { structured } = await call("get_diagnostics", { file_path: "a.fake" });
    expect(structured).toMatchObject({
      status: "unknown",
      why: "1 of 2 servers did not answer; call again, or with a larger wait_ms",
      warnings: [{ code: "answer/partial-servers" }],
    });
  });

  it("are clean when all did", async () => {
    const { call } = await open({ files, servers: pair(publishing([]), publishing([])) });
    const { structured } = await call("get_diagnostics", { file_path: "a.fake" });
    expect(structured).toMatchObject({ status: "clean", diagnostics: [], total: 0, warnings: [] });
  });
});

describe("calls that do not end by themselves", () => {
  const scenario: Scenario = {
    capabilities: { hoverProvider: true },
    on: { "textDocument/hover": [{ never: true }] },
  };

  it("end at their deadline", async () => {
    const { call } = await open({
      files,
      servers: { fake: { scenario } },
      config: { limits: { timeout_ms: 1500 } },
    });
    const started = performance.now();
    const { structured } = await call("get_hover", at);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(structured).toMatchObject({
      ok: false,
      error: { code: "lsp/timeout" },
      next_steps: [
        { kind: "tool", tool: "get_server_status", arguments: {} },
        { kind: "config", text: expect.stringContaining("limits.timeout_ms") },
      ],
    });
  });

  it("give what there is when the server is still indexing, and say so", async () => {
    const begin = { notify: "$/progress", params: { token: 1, value: { kind: "begin", title: "indexing" } } };
    const { call } = await open({
      files,
      servers: {
        fake: {
          scenario: {
            capabilities: { referencesProvider: true },
            replies: { "textDocument/references": here(0) },
            on: { initialized: [begin] },
          },
        },
      },
      config: { tools: [{ name: "find_references", timeout_ms: 3000 }] },
    });
    // Its start takes none of the time.
    await call("get_document_symbols", { file_path: "a.fake" });
    const { structured, text } = await call("find_references", at);
    expect(structured).toMatchObject({
      ok: true,
      total: 1,
      readiness: "indexing",
      warnings: [{ code: "answer/not-ready" }],
    });
    expect(text).toMatch(/^find_references: 1 location \(server fake, indexing\)/);
  });

  it("do not delay others, and report the server's own progress meanwhile", async () => {
    const { session } = await open({
      files,
      servers: {
        fake: {
          scenario: {
            capabilities: { hoverProvider: true, referencesProvider: true },
            replies: { "textDocument/hover": { contents: "quick" }, "textDocument/references": here(0) },
            on: {
              "textDocument/references": [
                {
                  notify: "$/progress",
                  params: { token: 1, value: { kind: "begin", title: "indexing", percentage: 45 } },
                },
                { wait: "textDocument/hover" },
                { notify: "$/progress", params: { token: 1, value: { kind: "end" } } },
              ],
            },
          },
        },
      },
    });
    const told: string[] = [];
    const { signal } = new AbortController();
    const slow = session.call("find_references", at, { signal, onProgress: (text) => told.push(text) });
    await expect.poll(() => told.join(), { timeout: 20_000 }).toContain("indexing 45 %");
    const quick = await session.call("get_document_symbols", { file_path: "a.fake" }, { signal });
    expect(quick.structured).toMatchObject({ tool: "get_document_symbols" });
    // The slow one is answered only after another question was.
    await session.call("get_hover", at, { signal });
    expect((await slow).structured).toMatchObject({ total: 1 });
  });

  it("end when they are cancelled, at the server too", async () => {
    const { call, session, received } = await open({ files, servers: { fake: { scenario } } });
    const cancel = new AbortController();
    const started = call("get_hover", at, cancel.signal);
    await expect.poll(() => received("textDocument/hover")).toHaveLength(1);
    cancel.abort();
    expect((await started).structured).toMatchObject({ error: { code: "call/cancelled" } });
    await expect.poll(() => received("$/cancelRequest")).toHaveLength(1);
    const signal = new AbortController().signal;
    const last = session.call("get_hover", at, { signal });
    session.close();
    expect((await last).structured).toMatchObject({ error: { code: "call/cancelled" } });
  });

  it("say that the server was restarted under them", async () => {
    const { call } = await open({
      files,
      servers: {
        fake: {
          scenario: {
            capabilities: { hoverProvider: true },
            replies: { "textDocument/hover": { contents: "here" } },
            on: { "textDocument/hover": [{ signal: "SIGKILL", once: "died" }] },
          },
        },
      },
    });
    const { structured } = await call("get_hover", at);
    expect(structured).toMatchObject({ contents: ["here"], warnings: [{ code: "answer/server-restarted" }] });
  });
});

describe("a fault of ours", () => {
  it("is logged with its cause and answered without detail", async () => {
    const { call, runtime, logged } = await open({
      files,
      servers: { fake: { scenario: { capabilities: { hoverProvider: true } } } },
    });
    runtime.pool.route = () => {
      throw new TypeError("secret detail");
    };
    const { isError, structured, text } = await call("get_hover", at);
    expect(isError).toBe(true);
    expect(structured).toMatchObject({ error: { code: "runtime/fault" } });
    expect(JSON.stringify(structured) + text).not.toContain("secret detail");
    expect(logged.filter(({ level }) => level === "error")).toHaveLength(1);
    expect(logged.map(({ message }) => message).join()).toContain("secret detail");
  });
});

describe("the status of servers", () => {
  it("lists those that run, failed and never started", async () => {
    const { call } = await open({
      files: { ...files, "b.bad": "" },
      servers: {
        fake: {
          scenario: { capabilities: { hoverProvider: true }, serverInfo: { name: "f", version: "1.2" } },
          config: { language_id: "fake-language", install: "get the fake" },
        },
        bad: {
          scenario: { start: [{ stderr: "cannot go on\n" }, { exit: 3 }] },
          config: { extensions: ["bad"], install: "get it", restart: { max: 1 } },
        },
        idle: { scenario: {}, config: { extensions: ["idle"] } },
      },
    });
    await call("get_hover", at);
    const failed = await call("get_document_symbols", { file_path: "b.bad" });
    expect(failed.structured).toMatchObject({
      error: { code: "lsp/start-failed" },
      next_steps: [{ kind: "tool", tool: "get_server_status", arguments: {} }, { kind: "doc" }],
    });
    const { structured, text } = await call("get_server_status", {});
    expect(text).toMatch(/^get_server_status: 3 servers\n/);
    expect(structured).toMatchObject({
      total: 3,
      servers: [
        { id: "bad", install: "get it", stderr: expect.arrayContaining(["cannot go on"]) },
        {
          id: "fake",
          state: "running",
          root: ".",
          other_roots: [],
          version: "1.2",
          languages: ["fake-language"],
          // It runs: nobody needs to install it.
          install: null,
          features: ["hover"],
        },
        { id: "idle", state: "idle", root: null, pid: null },
      ],
    });
    expect(text).toContain("fake: running, ");
    expect(text).toContain("  stderr: cannot go on");
  });
});

describe("warmup", () => {
  it("starts the servers that have files and logs those that fail", async () => {
    const { runtime, logged } = await open({
      files: { ...files, "b.bad": "" },
      servers: {
        fake: { scenario: {} },
        bad: { scenario: { start: [{ exit: 3 }] }, config: { extensions: ["bad"], restart: { max: 1 } } },
        idle: { scenario: {}, config: { extensions: ["idle"] } },
      },
    });
    await runtime.warmup();
    expect(runtime.pool.running().map(({ plan }) => plan.id)).toEqual(["fake"]);
    expect(logged.filter(({ message }) => message.startsWith("warmup: bad"))).toHaveLength(1);
  });
});
