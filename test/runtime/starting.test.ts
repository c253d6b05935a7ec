/** Calls that end while a server starts: what they say does not depend on which of the limits in force was the first. */
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import type { Scenario } from "../fake-server/index.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

let work: TestWorkspace | undefined;
afterEach(async () => {
  await work?.close();
  work = undefined;
});

const at = { file_path: "a.fake", line: 1, character: 1 };
const capabilities = { hoverProvider: true, referencesProvider: true, workspaceSymbolProvider: true };
const good: Scenario = {
  capabilities,
  replies: {
    "textDocument/hover": { contents: "here" },
    "textDocument/references": [{ uri: "file:///work/a.fake", range: range(0, 0, 3) }],
  },
};
const clean: Scenario = {
  capabilities: {
    ...capabilities,
    diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false },
  },
  replies: { ...good.replies, "textDocument/diagnostic": { kind: "full", items: [] } },
};
const stuck: Scenario = { ...good, on: { initialize: [{ never: true }] } };

async function open(
  scenarios: { [id: string]: Scenario },
  timeoutMs: number,
  config: JsonObject = {},
): Promise<TestWorkspace> {
  work = await openTestWorkspace({
    files: { "a.fake": "one two\n" },
    servers: Object.fromEntries(
      Object.entries(scenarios).map(([id, scenario], index) => [
        id,
        { scenario, config: { priority: -index } },
      ]),
    ),
    config: { extends: ["tools/core", "tools/batch"], limits: { timeout_ms: timeoutMs }, ...config },
  });
  // Everything that is read at a first call is in memory, so that the time goes to the server alone.
  await work.call("get_server_status", {});
  return work;
}

describe("a call that ends while its server starts says so", () => {
  it("whatever is asked, side by side and within different times", async () => {
    const calls: { tool: string; timeoutMs: number; args: JsonObject }[] = [
      { tool: "get_hover", timeoutMs: 1500, args: at },
      { tool: "find_references", timeoutMs: 1501, args: at },
      { tool: "get_diagnostics", timeoutMs: 1800, args: { file_path: "a.fake" } },
      { tool: "search_workspace_symbols", timeoutMs: 2100, args: { query: "one" } },
      { tool: "get_document_symbols", timeoutMs: 2400, args: { file_path: "a.fake" } },
    ];
    const tools = calls.map(({ tool, timeoutMs }) => ({ name: tool, timeout_ms: timeoutMs }));
    const { call } = await open({ fake: stuck }, 20_000, { tools });
    const answers = await Promise.all(calls.map(({ tool, args }) => call(tool, args)));
    const words = "The language server fake is starting.";
    for (const [index, { structured, text }] of answers.entries()) {
      expect(structured).toMatchObject({
        ok: false,
        tool: calls[index]?.tool,
        readiness: "starting",
        error: { code: "lsp/timeout", message: expect.stringContaining(words) },
        warnings: [{ code: "answer/not-ready", message: words, data: { server_id: "fake" } }],
      });
      expect(text).toMatch(/^Error lsp\/timeout: .* The language server fake is starting\.$/m);
      expect(text).toContain(`Warning answer/not-ready: ${words}`);
    }
  });

  it("when every one of several servers starts, each with a share of the time", async () => {
    const { call } = await open({ one: stuck, two: stuck }, 1500);
    const { structured } = await call("get_diagnostics", { file_path: "a.fake" });
    expect(structured).toMatchObject({
      ok: false,
      readiness: "starting",
      error: { code: "lsp/timeout" },
      warnings: [{ message: "The language servers one, two are starting." }],
    });
  });

  it("when the server has died and is restarted", async () => {
    const { call } = await open(
      {
        fake: {
          ...good,
          on: {
            initialize: [{ reply: { capabilities }, once: "up" }, { never: true }],
            "textDocument/hover": [{ signal: "SIGKILL" }],
          },
        },
      },
      4000,
    );
    expect((await call("get_hover", at)).structured).toMatchObject({
      ok: false,
      readiness: "starting",
      error: { code: "lsp/timeout", message: expect.stringContaining("fake is starting") },
    });
  });

  it("in a batch, for itself and for each of its calls", async () => {
    const { call } = await open({ fake: stuck }, 2000);
    const { structured } = await call("batch_execute", { operations: [{ tool: "get_hover", args: at }] });
    expect(structured).toMatchObject({
      readiness: "starting",
      warnings: [{ code: "answer/not-ready", message: expect.stringContaining("still starting") }],
      operations: [{ outcome: "failed", code: "lsp/timeout", answer: { readiness: "starting" } }],
    });
  });
});

describe("an answer that lacks the part of a server that starts", () => {
  it("is as ready as that server", async () => {
    const tools = [{ name: "get_diagnostics", timeout_ms: 3000 }];
    const { call } = await open({ one: clean, two: stuck }, 20_000, { tools });
    expect((await call("get_hover", at)).structured).toMatchObject({ ok: true, server_id: "one" });
    const { structured, text } = await call("get_diagnostics", { file_path: "a.fake" });
    expect(structured).toMatchObject({
      ok: true,
      readiness: "starting",
      server_id: "one",
      status: "unknown",
    });
    expect(text).toContain("Warning answer/not-ready: A language server is still starting");
    expect(text).toContain("Warning answer/partial-servers: The server two did not answer");
  });
});

describe("a call whose server does not start", () => {
  it("says that, and not that it starts", async () => {
    const { call } = await open({ one: { start: [{ exit: 1 }] }, two: good }, 20_000);
    const { structured } = await call("get_hover", at);
    expect(structured).toMatchObject({ ok: true, contents: ["here"] });
    expect(structured.readiness).not.toBe("starting");
  });
});

describe("a call that ends while its server indexes", () => {
  it("says so, though the server never answered", async () => {
    const begin = { notify: "$/progress", params: { token: 1, value: { kind: "begin", title: "indexing" } } };
    const on = { initialized: [begin], "textDocument/references": [{ never: true }] };
    const tools = [{ name: "find_references", timeout_ms: 1500 }];
    const { call } = await open({ fake: { ...good, on } }, 20_000, { tools });
    // Once it is up, the time goes to the question alone.
    await call("get_document_symbols", { file_path: "a.fake" });
    expect((await call("find_references", at)).structured).toMatchObject({
      ok: false,
      readiness: "indexing",
      error: {
        code: "lsp/timeout",
        message: expect.stringMatching(/ ms\. The language server fake is indexing\.$/),
      },
    });
  });
});
