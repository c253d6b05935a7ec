/** The profile `llxprt` against a scripted server: its lines stay lines, and it waits for what was just shown. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { bootstrapInput } from "../../src/cli/host-bootstrap.js";
import { buildPlan } from "../../src/plan/build.js";
import type { Scenario } from "../fake-server/index.js";
import { loadText, planText } from "../plan/config.js";
import { openTestWorkspace, range } from "../runtime/test-workspace.js";
import { patientTools } from "./patient-llxprt.js";
import { openProfile, type Scripted } from "./scripted.js";

const openLlxprt = (files: { [path: string]: string }, scenario: Scenario, config: JsonObject = {}) =>
  openProfile("llxprt", files, scenario, { tools: patientTools, ...config });

const a = "file:///work/a.fake";
const publish = (items: JsonObject[]): JsonObject => ({
  notify: "textDocument/publishDiagnostics",
  params: { uri: { $: "/params/textDocument/uri" }, version: { $version: true }, diagnostics: items },
});
const problem = (message: string, line = 1) => ({ range: range(line, 2, 4), severity: 1, message });

describe("llxprt", () => {
  let llxprt: Scripted;
  beforeAll(async () => {
    llxprt = await openLlxprt(
      { "a.fake": "// a comment\nfunction greet() {\n}\n", "b.fake": "x\n", "c/d.fake": "x\n" },
      {
        capabilities: {
          definitionProvider: true,
          referencesProvider: true,
          hoverProvider: true,
          documentSymbolProvider: true,
          workspaceSymbolProvider: true,
        },
        replies: {
          "textDocument/definition": null,
          "textDocument/references": [],
          "textDocument/hover": null,
          "textDocument/documentSymbol": [
            { name: "greet", kind: 12, range: range(0, 0, 1, 2), selectionRange: range(1, 9, 14) },
          ],
          "workspace/symbol": [{ name: "greet", kind: 12, location: { uri: a, range: range(0, 0, 1, 2) } }],
        },
        on: { "textDocument/didOpen": [publish([problem("first\n  second\r\nthird")])] },
      },
    );
  });
  afterAll(() => llxprt?.close());

  it("reports the line on which a symbol's declaration begins", async () => {
    expect(await llxprt.texts("lsp_document_symbols", { file: "a.fake" })).toEqual([
      "function greet [line 1]",
    ]);
    expect(await llxprt.texts("lsp_workspace_symbols", { query: "greet" })).toEqual([
      "function greet (a.fake:1)",
    ]);
  });

  it("keeps a diagnostic on its line, whatever its message has", async () => {
    const [text] = await llxprt.texts("lsp_diagnostics", {});
    expect(text).toBe("a.fake:\n  error [2:3] first second third");
  });

  it("has the files in order, and none without diagnostics", async () => {
    for (const file of ["c/d.fake", "b.fake"]) await llxprt.texts("lsp_document_symbols", { file });
    const [text = ""] = await llxprt.texts("lsp_diagnostics", {});
    expect(text.split("\n").filter((line) => !line.startsWith(" "))).toEqual([
      "a.fake:",
      "b.fake:",
      "c/d.fake:",
    ]);
  });

  it.each([
    ["lsp_goto_definition", { file: "a.fake", line: 1, character: 1 }, "No definition found"],
    ["lsp_find_references", { file: "a.fake", line: 1, character: 1 }, "No references found"],
    ["lsp_hover", { file: "a.fake", line: 1, character: 1 }, "No hover information available"],
  ])("%s says that it found nothing", async (tool, args, words) => {
    expect((await llxprt.texts(tool, args))[0]).toBe(words);
  });

  it("reports a failure as a text that begins with Error, and nothing else", async () => {
    expect(await llxprt.texts("lsp_hover", { file: "../../x", line: 1, character: 1 })).toEqual([
      "Error: File is outside workspace boundary",
    ]);
    for (const args of [{ file: "none.fake" }, {}, { file: "a.fake", more: 1 }] as JsonObject[])
      expect((await llxprt.texts("lsp_document_symbols", args))[0]).toMatch(/^Error: \S[^\n]*$/);
  });

  it("calls itself what its host knows", () => {
    const { mcp } = planText('[mcp]\ncontext = "llxprt"\n');
    expect(mcp).toMatchObject({ name: "lsp-navigation", version: "0.1.0" });
    expect(mcp.listed).toEqual([
      "lsp_diagnostics",
      "lsp_document_symbols",
      "lsp_find_references",
      "lsp_goto_definition",
      "lsp_hover",
      "lsp_workspace_symbols",
    ]);
  });
});

describe("llxprt's times and limits", () => {
  const plan = planText('[mcp]\ncontext = "llxprt"\n');
  const tool = (name: string) => plan.tools.find((entry) => entry.name === name);

  it("are those of the original", () => {
    for (const { name } of patientTools) expect(tool(name)?.timeoutMs).toBe(1200);
    expect(tool("lsp_check_file")?.steps).toMatchObject([
      { kind: "diagnostics", waitMs: { value: 3000 }, firstWaitMs: 10_000, settleMs: 150 },
    ]);
    expect(plan.limits).toMatchObject({
      afterEditPerFile: 20,
      afterEditOtherFiles: 5,
      afterEditTotal: 50,
      afterEditSeverity: "error",
    });
  });

  it("leave the tools of the host to it", () => {
    expect(plan.mcp.hostChannel).toEqual({
      tools: { checkFile: "lsp_check_file", diagnostics: "lsp_diagnostics", status: "lsp_status" },
      severities: ["error"],
    });
    const more = planText(
      '[mcp]\ncontext = "llxprt"\nhost_channel = { severities = ["hint", "error", "hint"] }\n',
    );
    expect(more.mcp.hostChannel?.severities).toEqual(["error", "hint"]);
    expect(plan.mcp.listed).toHaveLength(6);
  });

  it("are refused where the host's channel names another kind of tool", () => {
    const text =
      '[mcp]\ncontext = "llxprt"\nhost_channel = { check_file = "lsp_hover", diagnostics = "x", status = "lsp_status" }\n';
    const loaded = loadText(text);
    expect(buildPlan(loaded.config, loaded).problems.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["plan/bad-tool", "/mcp/host_channel/check_file"],
      ["plan/unknown-tool", "/mcp/host_channel/diagnostics"],
    ]);
  });
});

describe("llxprt's bootstrap", () => {
  const given = (config: JsonObject) => {
    const input = bootstrapInput(JSON.stringify({ workspaceRoot: "/project", config }));
    if (typeof input === "string") throw new Error(input);
    return planText(JSON.stringify(input.config ?? input.overrides), "json");
  };
  const server = { id: "x", command: "gopls", extensions: [".go"] };

  it("has every key of the host's config, and its two names for the times", () => {
    const times = { diagnosticTimeout: 1000, firstTouchTimeout: 2000, navigationTimeout: 300 };
    const caps = { maxDiagnosticsPerFile: 7, maxProjectDiagnosticsFiles: 2 };
    const plan = given({
      servers: [server],
      requestTimeout: 4000,
      ...times,
      ...caps,
      includeSeverities: ["info"],
    });
    expect(plan.mcp.hostChannel?.severities).toEqual(["information"]);
    expect(plan.limits).toMatchObject({ afterEditPerFile: 7, afterEditOtherFiles: 2, afterEditTotal: 50 });
    expect(plan.servers).toMatchObject([{ requestTimeoutMs: 4000 }]);
    const tool = (name: string) => plan.tools.find((entry) => entry.name === name);
    expect(tool("lsp_hover")?.timeoutMs).toBe(300);
    expect(tool("lsp_check_file")?.steps).toMatchObject([{ waitMs: { value: 1000 }, firstWaitMs: 2000 }]);
    const newer = { diagnosticsTimeoutMs: 900, firstTouchTimeoutMs: 1900, navigationTimeoutMs: 200 };
    expect(
      given({ servers: [server], ...newer }).tools.find(({ name }) => name === "lsp_hover")?.timeoutMs,
    ).toBe(200);
  });

  it("has every key of a server", () => {
    const more = { args: ["-v"], env: { A: "b" }, initializationOptions: { deep: [1] } };
    expect(given({ servers: [{ ...server, ...more }] }).servers).toMatchObject([
      {
        id: "x",
        command: ["gopls"],
        args: ["-v"],
        extensions: ["go"],
        env: { A: "b" },
        initializeOptions: { deep: [1] },
      },
    ]);
    expect(given({ servers: [{ ...server, enabled: false }] }).disabledServers).toEqual(["x"]);
  });
});

describe("llxprt's servers", () => {
  const servers =
    '[[servers]]\nid = "a"\ncommand = "gopls"\nextensions = ["go"]\n[[servers]]\nid = "b"\ncommand = "gopls"\nextensions = ["x"]\n';

  it("are listed where they are disabled, one by one or all at once", () => {
    const one = planText(`${servers}enabled = false\n`);
    expect([one.servers.map(({ id }) => id), one.disabledServers]).toEqual([["a"], ["b"]]);
    const all = planText(`[allow]\nservers = false\n${servers}`);
    expect([all.servers, all.disabledServers]).toEqual([[], ["a", "b"]]);
  });
});

describe("llxprt's lists", () => {
  it("have no cap before 20 000", async () => {
    const count = 9000;
    const width = 100;
    const references = Array.from({ length: count }, (_, at) => ({
      uri: a,
      range: range(Math.floor(at / width), at % width, (at % width) + 1),
    }));
    const llxprt = await openLlxprt(
      { "a.fake": `${"x".repeat(width)}\n`.repeat(count / width) },
      { capabilities: { referencesProvider: true }, replies: { "textDocument/references": references } },
    );
    try {
      const args = { file: "a.fake", line: 1, character: 1 };
      const blocks = await llxprt.texts("lsp_find_references", args);
      expect(blocks).toHaveLength(1);
      expect(blocks[0]?.split("\n")).toHaveLength(count);
      expect(planText('[mcp]\ncontext = "llxprt"\n').limits.maxItems).toBe(20_000);
    } finally {
      await llxprt.close();
    }
  });

  it("say, where a config caps them, what shows more", async () => {
    const found = [0, 1, 2].map((at) => ({ uri: a, range: range(0, at, at + 1) }));
    const llxprt = await openLlxprt(
      { "a.fake": "xxxx\n" },
      { capabilities: { referencesProvider: true }, replies: { "textDocument/references": found } },
      { limits: { max_items: 2 } },
    );
    try {
      const [, notes] = await llxprt.texts("lsp_find_references", { file: "a.fake", line: 1, character: 1 });
      expect(notes).toContain("2 of 3 are shown");
      expect(notes).toContain("limits.max_items");
      expect(notes).not.toContain("smaller part");
    } finally {
      await llxprt.close();
    }
  });
});

describe("llxprt's workspace", () => {
  it("is asked of every server at once", async () => {
    // Each server answers only when the other has been asked as well: one after the other would never end.
    const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-llxprt-"));
    const asked = (id: string) => join(folder, id);
    const server = (id: string, other: string): { config: JsonObject; scenario: Scenario } => ({
      config: { extensions: [id] },
      scenario: {
        capabilities: { workspaceSymbolProvider: true },
        on: {
          "workspace/symbol": [
            { save: asked(id) },
            { waitFile: asked(other) },
            {
              reply: [
                {
                  name: `${id}_x`,
                  kind: 12,
                  location: { uri: `file:///work/a.${id}`, range: range(0, 0, 1) },
                },
              ],
            },
          ],
        },
      },
    });
    const work = await openTestWorkspace({
      files: { "a.one": "x\n", "a.two": "x\n" },
      servers: { one: server("one", "two"), two: server("two", "one") },
      config: { extends: [], mcp: { context: "llxprt" }, tools: patientTools },
    });
    try {
      const { text } = await work.session.call(
        "lsp_workspace_symbols",
        { query: "x" },
        { signal: new AbortController().signal },
      );
      expect(text).toBe("function one_x (a.one:1)\nfunction two_x (a.two:1)");
    } finally {
      await work.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("llxprt's diagnostics", () => {
  const call = { signal: new AbortController().signal };

  it("wait for a file that was just shown", async () => {
    // The server looks at the file for as long as it takes until the gate is open.
    const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-llxprt-"));
    const gate = join(folder, "open");
    const llxprt = await openLlxprt(
      { "a.fake": "x\n" },
      {
        capabilities: { documentSymbolProvider: true },
        replies: { "textDocument/documentSymbol": [] },
        on: {
          "textDocument/didOpen": [{ waitFile: gate }, publish([problem("late", 0)])],
        },
      },
    );
    try {
      await llxprt.texts("lsp_document_symbols", { file: "a.fake" });
      // Opened when the call has long begun to look: an answer that does not wait has been given by then.
      const onProgress = () => void setTimeout(() => existsSync(folder) && writeFileSync(gate, ""), 300);
      const asked = llxprt.work.session.call("lsp_diagnostics", {}, { ...call, onProgress });
      expect((await asked).text).toBe("a.fake:\n  error [1:2] late");
    } finally {
      rmSync(folder, { recursive: true });
      await llxprt.close();
    }
  });

  it("are reported as unknown when a server never publishes any", async () => {
    const llxprt = await openLlxprt(
      { "a.fake": "x\n" },
      { capabilities: { documentSymbolProvider: true }, replies: { "textDocument/documentSymbol": [] } },
      {},
    );
    try {
      await llxprt.texts("lsp_document_symbols", { file: "a.fake" });
      const [words, beside] = await llxprt.texts("lsp_diagnostics", {});
      expect(words).toBe("No diagnostics");
      expect(beside).toMatch(/^Status: unknown/);
    } finally {
      await llxprt.close();
    }
  });
});
