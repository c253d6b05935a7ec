/** The profile `gateway` against a scripted server: its shapes, its pages, and every one of its error codes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codes } from "../../src/base/codes.js";
import type { JsonObject } from "../../src/base/json.js";
import { SessionCalls } from "../../src/mcp/calls.js";
import { getPrompt, listPrompts } from "../../src/mcp/prompts-and-resources.js";
import { codeWord } from "../../src/protocol/dialect-format.js";
import type { CallOutcome } from "../../src/runtime/session.js";
import { planText } from "../plan/config.js";
import { range } from "../runtime/test-workspace.js";
import { patientGateway, patientGatewayText } from "./patient-gateway.js";
import { openProfile, type Scripted } from "./scripted.js";

const a = "file:///work/a.fake";
const source = `class Outer {\n  inner() {\n  }\n}\n${"x".repeat(460)}\n`;
const symbols = [
  {
    name: "Outer",
    kind: 5,
    range: range(0, 0, 1, 3),
    selectionRange: range(0, 6, 11),
    children: [{ name: "inner", kind: 6, range: range(1, 2, 3, 2), selectionRange: range(1, 2, 7) }],
  },
];
const problem = { range: range(1, 2, 7), severity: 1, code: 7, message: "bad" };
const places = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ uri: a, range: range(4, at, at + 1) }));
const named = (count: number, name: string) =>
  Array.from({ length: count }, (_, at) => ({
    name: `${name}${at}`,
    kind: 12,
    location: { uri: a, range: range(0, 0, 1) },
  }));
const position = { line: 1, character: 3 };

const capabilities = {
  definitionProvider: true,
  referencesProvider: true,
  hoverProvider: true,
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: true },
};

describe("gateway", () => {
  let gateway: Scripted;
  beforeAll(async () => {
    gateway = await openProfile(
      "default",
      { "a.fake": source, "b.other": "", ".git/c.fake": "x\n" },
      {
        capabilities,
        replies: {
          "textDocument/definition": null,
          "textDocument/references": places(450),
          "textDocument/hover": {
            contents: { kind: "plaintext", value: "inner(): void" },
            range: range(1, 2, 7),
          },
          "textDocument/documentSymbol": symbols,
          "workspace/symbol": named(3, "found"),
          "textDocument/diagnostic": { kind: "full", items: [problem] },
          "workspace/diagnostic": { items: [{ uri: a, version: null, kind: "full", items: [problem] }] },
        },
      },
      patientGateway,
    );
  });
  afterAll(() => gateway?.close());

  const uri = () => gateway.work.uri("a.fake");
  const structured = async (tool: string, args: JsonObject): Promise<JsonObject> => {
    const outcome = await gateway.call(`vscode.lsp.${tool}`, args);
    expect(outcome.error).toBeNull();
    const { outputValidator: validate } = await gateway.work.runtime.loaded.tool(`vscode.lsp.${tool}`);
    validate(outcome.structured);
    expect(validate.errors ?? []).toEqual([]);
    return outcome.structured;
  };
  const refusal = async (tool: string, args: JsonObject) => {
    const { error } = await gateway.call(`vscode.lsp.${tool}`, args);
    return [error?.number, String(error?.data.code).replace("MCP_LSP_GATEWAY/", "")];
  };

  it("gives a symbol its whole range, and its name's beside it", async () => {
    const answer = await structured("documentSymbols", { uri: uri() });
    expect(answer.symbols).toMatchObject([
      { name: "Outer", range: range(0, 0, 1, 3), selectionRange: range(0, 6, 11) },
      { name: "inner", containerName: "Outer", range: range(1, 2, 3, 2), selectionRange: range(1, 2, 7) },
    ]);
  });

  it("marks the texts of a hover, and gives its range plainly", async () => {
    const answer = await structured("hover", { uri: uri(), position });
    expect(answer.contents).toEqual([{ kind: "plaintext", value: "inner(): void" }]);
    expect(answer.range).toEqual(range(1, 2, 7));
  });

  it("sorts the texts of a hover, and gives equal ones once", async () => {
    const markdown = (value: string) => ({ kind: "markdown", value });
    const other = await openProfile(
      "default",
      { "a.fake": source },
      {
        capabilities,
        replies: { "textDocument/hover": { contents: ["two", { language: "x", value: "y" }, "one", "two"] } },
      },
      patientGateway,
    );
    try {
      const { structured: answer } = await other.call("vscode.lsp.hover", {
        uri: other.work.uri("a.fake"),
        position,
      });
      expect(answer.contents).toEqual(["```x\ny\n```", "one", "two"].map(markdown));
    } finally {
      await other.close();
    }
  });

  it("trims a query, and refuses one of blanks", async () => {
    await structured("workspaceSymbols", { query: "  found\t" });
    expect(await gateway.work.received("workspace/symbol")).toContainEqual({ query: "found" });
    expect(await refusal("workspaceSymbols", { query: " \t " })).toEqual([-32602, "INVALID_PARAMS"]);
  });

  it("says of each issue which rule of the schema it breaks", async () => {
    const { error } = await gateway.call("vscode.lsp.references", { uri: uri(), position, pageSize: "x" });
    expect(error?.data.issues).toEqual([
      { path: "/pageSize", keyword: "type", schemaPath: "#/properties/pageSize/type" },
    ]);
  });

  it("gives each diagnostic its id, the same in both tools", async () => {
    const file = await structured("diagnostics.document", { uri: uri() });
    const all = await structured("diagnostics.workspace", {});
    const [first] = file.diagnostics as JsonObject[];
    expect(first?.id).toMatch(/^sha256:[0-9a-f]{64}$/);
    const items = all.items as { diagnostics: JsonObject[] }[];
    expect(items[0]).not.toHaveProperty("id");
    expect(items[0]?.diagnostics[0]?.id).toBe(first?.id);
  });

  it("takes a null cursor for none, and a page size over the most for the most", async () => {
    const first = await structured("references", { uri: uri(), position, cursor: null });
    expect(first.items).toHaveLength(100);
    const most = await structured("references", { uri: uri(), position, pageSize: 5000 });
    expect(most.items).toHaveLength(200);
    const last = await structured("references", {
      uri: uri(),
      position,
      pageSize: 5000,
      cursor:
        (
          await structured("references", {
            uri: uri(),
            position,
            pageSize: 5000,
            cursor: most.nextCursor ?? null,
          })
        ).nextCursor ?? null,
    });
    expect(last.items).toHaveLength(50);
  });

  it("keeps `content` short and never says the structure again in it", async () => {
    const { text, structured: whole } = await gateway.call("vscode.lsp.references", { uri: uri(), position });
    expect(text.length).toBeLessThanOrEqual(200);
    expect(text).not.toContain(JSON.stringify((whole.items as JsonObject[])[0]));
  });

  it("refuses what no schema would take", async () => {
    expect(await refusal("hover", { uri: uri() })).toEqual([-32602, "INVALID_PARAMS"]);
    expect(await refusal("hover", { uri: uri(), position, more: 1 })).toEqual([-32602, "INVALID_PARAMS"]);
    for (const query of ["", " ", "\n\t", "x".repeat(513)])
      expect(await refusal("workspaceSymbols", { query }), query).toEqual([-32602, "INVALID_PARAMS"]);
    expect(await refusal("references", { uri: uri(), position, pageSize: 0 })).toEqual([
      -32602,
      "INVALID_PARAMS",
    ]);
    expect(await refusal("hover", { uri: uri(), position: { line: 99, character: 0 } })).toEqual([
      -32602,
      "INVALID_PARAMS",
    ]);
  });

  it.each(["a.fake", "/a.fake", "./a.fake", "http://host/a.fake", "untitled:a", "file://host/a.fake"])(
    "refuses %s, which is no file URI",
    async (name) => {
      expect(await refusal("hover", { uri: name, position })).toEqual([-32602, "URI_INVALID"]);
      expect(await refusal("documentSymbols", { uri: name })).toEqual([-32602, "URI_INVALID"]);
    },
  );

  it("refuses files that are outside, missing, or have no server", async () => {
    const outside = new URL("../elsewhere.fake", uri()).href;
    expect(await refusal("hover", { uri: outside, position })).toEqual([-32602, "WORKSPACE_DENIED"]);
    const denied = gateway.work.uri(".git/c.fake");
    expect(await refusal("hover", { uri: denied, position })).toEqual([-32602, "WORKSPACE_DENIED"]);
    const missing = gateway.work.uri("missing.fake");
    expect(await refusal("hover", { uri: missing, position })).toEqual([-32603, "NOT_FOUND"]);
    const foreign = gateway.work.uri("b.other");
    expect(await refusal("hover", { uri: foreign, position })).toEqual([-32603, "PROVIDER_UNAVAILABLE"]);
  });

  it("has a code for each way in which a cursor can be wrong", async () => {
    const args = { uri: uri(), position };
    const { nextCursor } = await structured("references", args);
    const cursor = String(nextCursor);
    expect(await refusal("references", { ...args, cursor: "nonsense" })).toEqual([-32602, "CURSOR_INVALID"]);
    expect(await refusal("references", { ...args, includeDeclaration: true, cursor })).toEqual([
      -32602,
      "CURSOR_INVALID",
    ]);
    // Another session has never seen the listing.
    const other = gateway.work.runtime.openSession();
    const expired = await other.call(
      "vscode.lsp.references",
      { ...args, cursor },
      { signal: new AbortController().signal },
    );
    expect(expired.error).toMatchObject({ number: -32602, code: "MCP_LSP_GATEWAY/CURSOR_EXPIRED" });
    writeFileSync(join(gateway.work.folder, "a.fake"), `${source}\n`);
    expect(await refusal("references", { ...args, cursor })).toEqual([-32602, "CURSOR_STALE"]);
    writeFileSync(join(gateway.work.folder, "a.fake"), source);
  });
});

describe("gateway, past its caps", () => {
  let gateway: Scripted;
  beforeAll(async () => {
    gateway = await openProfile(
      "default",
      { "a.fake": source, "lines.fake": "x\n".repeat(20_001) },
      {
        capabilities,
        replies: {
          "textDocument/references": Array.from({ length: 20_001 }, (_, line) => ({
            uri: a.replace("a.fake", "lines.fake"),
            range: range(line, 0, 1),
          })),
          "workspace/symbol": named(19_000, "n".repeat(900)),
        },
        on: { "textDocument/hover": [{ never: true }] },
      },
      patientGateway,
    );
  });
  afterAll(() => gateway?.close());

  const code = async (tool: string, args: JsonObject) => {
    const { error } = await gateway.call(`vscode.lsp.${tool}`, args);
    return [error?.number, error?.code];
  };

  it("refuses a set of more than 20 000", async () => {
    const uri = gateway.work.uri("a.fake");
    expect(await code("references", { uri, position })).toEqual([-32603, "MCP_LSP_GATEWAY/CAP_EXCEEDED"]);
    const { headline } = await gateway.call("vscode.lsp.references", { uri, position });
    expect(headline).toContain("Point at a more specific symbol");
  });

  it("refuses a listing that is too large to keep", async () => {
    expect(await code("workspaceSymbols", { query: "n" })).toEqual([
      -32602,
      "MCP_LSP_GATEWAY/SNAPSHOT_TOO_LARGE",
    ]);
  });
});

describe("gateway, with much to say", () => {
  const long = "m".repeat(1500);
  const many = Array.from({ length: 260 }, (_, at) => ({
    range: range(4, at, at + 1),
    severity: 1,
    message: `${at} ${long}`,
  }));
  let gateway: Scripted;
  beforeAll(async () => {
    gateway = await openProfile(
      "default",
      { "a.fake": source },
      {
        capabilities: { ...capabilities, hoverProvider: false },
        replies: {
          "textDocument/references": places(150),
          "textDocument/documentSymbol": Array.from({ length: 450 }, (_, at) => ({
            name: `symbol${at}${"n".repeat(300)}`,
            kind: 12,
            range: range(4, at, at + 1),
            selectionRange: range(4, at, at + 1),
          })),
          "textDocument/diagnostic": { kind: "full", items: many },
          "workspace/diagnostic": { items: [{ uri: a, version: null, kind: "full", items: many }] },
        },
      },
      patientGateway,
    );
  });
  afterAll(() => gateway?.close());

  const pages = async (tool: string) => {
    const found: JsonObject[] = [];
    const sizes: number[] = [];
    let cursor: JsonObject[string] = null;
    do {
      const args: JsonObject = { uri: gateway.work.uri("a.fake"), cursor };
      const { structured, error }: CallOutcome = await gateway.call(`vscode.lsp.${tool}`, args);
      expect(error).toBeNull();
      const items = (structured.symbols ?? structured.diagnostics) as JsonObject[];
      found.push(...items);
      sizes.push(items.length);
      cursor = structured.nextCursor ?? null;
      expect(structured.truncated).toBe(found.length < Number(structured.total));
    } while (cursor !== null);
    return { sizes, ids: new Set(found.map(({ id }) => id)).size };
  };

  it("shows 200 symbols or diagnostics of a file, whatever they weigh, and pages to the rest", async () => {
    expect(await pages("documentSymbols")).toEqual({ sizes: [200, 200, 50], ids: 450 });
    expect(await pages("diagnostics.document")).toEqual({ sizes: [200, 60], ids: 260 });
  });

  it("shows 200 diagnostics of each file, and reports the right counts", async () => {
    const { structured } = await gateway.call("vscode.lsp.diagnostics.workspace", {});
    const [file] = structured.items as { total: number; diagnostics: JsonObject[] }[];
    expect([file?.total, file?.diagnostics.length]).toEqual([260, 200]);
    expect(JSON.stringify(structured).length).toBeLessThanOrEqual(524_288);
    expect(structured.warnings).toMatchObject([
      { code: "answer/truncated", message: expect.stringContaining("at most 200 diagnostics are shown") },
    ]);
  });
});

describe("gateway, with diagnostics of too many files", () => {
  it("lists 5,000 files and refuses more", async () => {
    const reports = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        uri: `file:///work/f${at}.fake`,
        version: null,
        kind: "full",
        items: [problem],
      }));
    const ask = async (count: number) => {
      const crowded = await openProfile(
        "default",
        Object.fromEntries(reports(count).map((_, at) => [`f${at}.fake`, source])),
        { capabilities, replies: { "workspace/diagnostic": { items: reports(count) } } },
        patientGateway,
      );
      try {
        const { structured, error } = await crowded.call("vscode.lsp.diagnostics.workspace", {});
        return error === null ? structured.total : error.data.code;
      } finally {
        await crowded.close();
      }
    };
    expect(await ask(5000)).toBe(5000);
    expect(await ask(5001)).toBe("MCP_LSP_GATEWAY/CAP_EXCEEDED");
  }, 120_000);
});

describe("gateway, with nothing known", () => {
  it("does not say that a file has no diagnostics", async () => {
    const { diagnosticProvider: _, ...silent } = capabilities;
    const gateway = await openProfile(
      "default",
      { "a.fake": source },
      { capabilities: silent },
      patientGateway,
    );
    try {
      const uri = gateway.work.uri("a.fake");
      const file = await gateway.call("vscode.lsp.diagnostics.document", { uri });
      expect(file.structured.status).toBe("unknown");
      expect(file.text).toContain("unknown whether there are diagnostics");
      const all = await gateway.call("vscode.lsp.diagnostics.workspace", {});
      expect(all.structured.status).toBe("unknown");
      expect(all.text).toContain("unknown whether there are files with diagnostics");
    } finally {
      await gateway.close();
    }
  });
});

describe("gateway's codes", () => {
  const { errors } = planText('[mcp]\ncontext = "gateway"\n').dialect;
  const refusals = Object.entries(codes).flatMap(([code, { kind }]) =>
    kind === "refusal" || kind === "fault" ? [code] : [],
  );
  const callers = ["INVALID_PARAMS", "WORKSPACE_DENIED", "URI_INVALID", "SNAPSHOT_TOO_LARGE"];
  const cursors = ["CURSOR_INVALID", "CURSOR_STALE", "CURSOR_EXPIRED"];
  const servers = ["NOT_FOUND", "CAP_EXCEEDED", "PROVIDER_UNAVAILABLE", "INTERNAL"];

  it.each(refusals)("say %s in the original's words, with its number", (code) => {
    const word = String(codeWord(errors.codes, code)).replace("MCP_LSP_GATEWAY/", "");
    expect([...callers, ...cursors, ...servers]).toContain(word);
    expect(codeWord(errors.numbers, code)).toBe(servers.includes(word) ? -32603 : -32602);
  });

  it("say our own faults as such", () => {
    expect(codeWord(errors.codes, "runtime/fault")).toBe("MCP_LSP_GATEWAY/INTERNAL");
  });
});

describe("gateway, in time", () => {
  it("gives a call two seconds, and starts its servers before anybody asks", () => {
    const { tools, mcp, limits } = planText('[mcp]\ncontext = "gateway"\n');
    expect(tools.map(({ timeoutMs }) => timeoutMs)).toEqual(tools.map(() => 2000));
    expect(limits).toMatchObject({ maxItems: 200, maxBytes: 524_288 });
    expect(mcp).toMatchObject({ warmup: true, readOnly: true });
  });

  it("gives no call more, and is otherwise what these tests open", () => {
    const longer = '[mcp]\ncontext = "gateway"\n[limits]\ntimeout_ms = 2001\n';
    expect(() => planText(longer)).toThrow("config/sealed");
    const [own, patient] = ['[mcp]\ncontext = "gateway"\n', patientGatewayText].map((text) => planText(text));
    const timeless = (plan = own) =>
      plan?.tools.filter(({ name }) => name.startsWith("vscode.")).map((tool) => ({ ...tool, timeoutMs: 0 }));
    expect(timeless(patient)).toEqual(timeless(own));
    expect(patient?.dialect).toEqual(own?.dialect);
  });

  it("refuses a call that its server does not answer, and answers the next", async () => {
    const gateway = await openProfile(
      "gateway",
      { "a.fake": source },
      {
        capabilities,
        replies: { "textDocument/documentSymbol": symbols },
        on: { "textDocument/hover": [{ never: true }] },
      },
    );
    try {
      const uri = gateway.work.uri("a.fake");
      await gateway.work.runtime.warmup();
      const { error } = await gateway.call("vscode.lsp.hover", { uri, position });
      expect([error?.number, error?.code]).toEqual([-32603, "MCP_LSP_GATEWAY/PROVIDER_UNAVAILABLE"]);
      const next = await gateway.call("vscode.lsp.documentSymbols", { uri });
      expect(next.isError).toBe(false);
    } finally {
      await gateway.close();
    }
  });
});

describe("the gateway's prompts", () => {
  it("are its six skills, each with the same bounds, and name its tools only", async () => {
    const gateway = await openProfile("gateway", { "a.fake": "x\n" }, {});
    try {
      const { runtime, session } = gateway.work;
      const calls = new SessionCalls(runtime, session);
      const prompts = listPrompts(calls);
      expect(prompts.map(({ name }) => name)).toEqual([
        "lsp-audit-determinism-and-paging",
        "lsp-audit-schema-runtime-consistency",
        "lsp-audit-security-boundary",
        "lsp-map-feature-surface",
        "lsp-trace-requirement-to-implementation",
        "lsp-triage-error-to-root-cause",
      ]);
      const tools = runtime.tools.map(({ name }) => name);
      for (const { name, arguments: args = [] } of prompts) {
        const given = Object.fromEntries(args.map((arg) => [arg.name, "greet the user"]));
        const { messages } = await getPrompt(calls, name, given);
        const text = JSON.stringify(messages);
        expect(text, name).toContain(
          "pages of 25 (`pageSize`), at most 10 pages of a list, at most 25 symbols, at most 50 findings",
        );
        for (const [, tool] of text.matchAll(/`(vscode[^`]+)`/g)) expect(tools).toContain(tool);
        if (args.length > 0) expect(text).toContain("greet the user");
        if (args.every(({ required }) => required !== true))
          expect(JSON.stringify(await getPrompt(calls, name, {}))).not.toContain("{{");
      }
    } finally {
      await gateway.close();
    }
  });
});
