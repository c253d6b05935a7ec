import { describe, expect, it } from "vitest";
import type { Abi, At, Call, Params, Reply, ToolDefinition } from "../../src/abi/handler.js";
import type { Plan } from "../../src/abi/plan.js";
import type { Json } from "../../src/base/json.js";
import { planOf } from "../plan/config.js";
import { hostilePlan, hostileText } from "./hostile.js";
import { bundleOf, importHandler, textOf } from "./support.js";

/** Runs a generated handler against an ABI that only writes down what it is asked. */
async function runHandler(plan: Plan, tool: string, input: { [key: string]: Json }) {
  const asked: unknown[][] = [];
  const note =
    <T>(name: string, value: (...args: never[]) => T) =>
    (...args: never[]): T => {
      asked.push([name, ...args]);
      return value(...args);
    };
  const params = (base: string) => (set?: unknown) => ({ base, set }) as unknown as Params;
  const reply = (name: string) => async () => ({ reply: name }) as unknown as Reply;
  const at = {
    uri: "file:///x",
    languageId: "rust",
    version: 7,
    plain: params("plain"),
    document: params("document"),
    position: params("position"),
    range: params("range"),
    positions: params("positions"),
    rangeDiagnostics: params("rangeDiagnostics"),
    request: note("request", (method: string) => reply(method)()),
    each: note("each", async (...args: unknown[]) => {
      asked.push(["item", (args[3] as (item: Json) => unknown)({ process: { eval: 5 }, name: "n" })]);
      return reply("each")();
    }),
    diagnostics: note("diagnostics", reply("diagnostics")),
    command: note("command", reply("command")),
  } as unknown as At;
  const call = {
    at: note("at", async () => at),
    pick: (value: unknown, path: string[]) => ({ pick: value, path }) as unknown as Json,
    tool: note("tool", reply("tool")),
    runtime: note("runtime", reply("runtime")),
    gather: (parts: unknown) => ({ gather: parts }) as unknown as Reply,
    answer: note("answer", async () => ({ structured: {}, text: "" })),
  } as unknown as Call;
  const abi: Abi = { version: 1, tool: (definition: ToolDefinition) => definition };
  const module = await importHandler(textOf(bundleOf(plan), `handlers/${tool}.js`));
  const definition = module(abi);
  await definition.run(call, input);
  return { definition, asked: asked.filter(([name]) => name !== "at") };
}

describe("a generated handler", () => {
  it("makes items fuller, and takes diagnostics along", async () => {
    const { plan, problems } = planOf(`
[[tools]]
name = "t"
input = ["document", "range"]
output = "code_actions"
args.kinds = { type = "string_list", required = false, description = "d" }
[[tools.steps]]
id = "problems"
kind = "diagnostics"
[[tools.steps]]
id = "actions"
method = "textDocument/codeAction"
params = { base = "text_document_range_diagnostics", set = { context = { only = { from = "input.kinds" } } } }
[[tools.steps]]
id = "resolved"
method = "codeAction/resolve"
each = { from = "step.actions", limit = 4, lacking = "edit.changes" }
params = { set = { from = "each" } }
optional = true
`);
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    const { asked } = await runHandler(plan, "t", { kinds: ["quickfix"] });
    expect(asked).toEqual([
      ["diagnostics", { waitMs: 5000, settleMs: 150 }],
      [
        "request",
        "textDocument/codeAction",
        { base: "rangeDiagnostics", set: { context: { only: ["quickfix"] } } },
        { merge: "all" },
      ],
      [
        "each",
        "codeAction/resolve",
        { reply: "textDocument/codeAction" },
        { limit: 4, lacking: ["edit", "changes"], optional: true },
        expect.any(Function),
      ],
      ["item", { process: { eval: 5 }, name: "n" }],
      ["answer", "code_actions", { reply: "each" }],
    ]);
  });

  it("does what its steps say, with defaults, references and options", async () => {
    const { plan } = planOf(`
[[tools]]
name = "t"
input = ["position", "symbol"]
output = "locations"
args.flag = { type = "boolean", default = true, description = "d" }
args.name = { type = "string", required = false, description = "d" }
[[tools.steps]]
id = "items"
method = "textDocument/references"
params = { base = "text_document_position", set = { context = { includeDeclaration = { from = "input.flag" }, name = { from = "input.name" } }, list = [1, { from = "document.language_id" }] } }
expect = "some"
optional = true
retry_empty = { attempts = 2, delay_ms = 5, while = "always" }
[[tools.steps]]
id = "more"
method = "textDocument/definition"
each = { from = "step.items.a.b", limit = 4 }
params = { set = { item = { from = "each" }, name = { from = "each.name" }, first = { from = "step.items.0" } } }
`);
    const { definition, asked } = await runHandler(plan, "t", { name: "x" });
    expect(definition).toMatchObject({ name: "t", effect: "read" });
    const items = { reply: "textDocument/references" };
    expect(asked).toEqual([
      [
        "request",
        "textDocument/references",
        {
          base: "position",
          set: { context: { includeDeclaration: true, name: "x" }, list: [1, "rust"] },
        },
        { optional: true, expect: "some", retryEmpty: { attempts: 2, delayMs: 5, while: "always" } },
      ],
      ["each", "textDocument/definition", items, { limit: 4, path: ["a", "b"] }, expect.any(Function)],
      ["item", { item: { process: { eval: 5 }, name: "n" }, name: "n", first: { pick: items, path: ["0"] } }],
      ["answer", "locations", { reply: "each" }],
    ]);
  });

  it("passes a false on, where the default is true", async () => {
    const { plan } = planOf(
      '[[tools]]\nname = "t"\ninput = "document"\nargs.flag = { type = "boolean", default = true, description = "d" }\nrequest = { method = "textDocument/hover", params = { set = { flag = { from = "input.flag" } } } }',
    );
    const { asked } = await runHandler(plan, "t", { flag: false });
    expect(asked[0]?.[2]).toEqual({ base: "plain", set: { flag: false } });
  });

  it("spells pointing arguments as the dialect does", async () => {
    const { plan } = planOf(
      '[dialect]\nquery = "q"\n[[tools]]\nname = "t"\ninput = "query"\noutput = "workspace_symbols"\nrequest = { method = "workspace/symbol", params = { set = { query = { from = "input.query" } } } }',
    );
    const { asked } = await runHandler(plan, "t", { q: "word" });
    expect(asked[0]).toEqual([
      "request",
      "workspace/symbol",
      { base: "plain", set: { query: "word" } },
      { merge: "all" },
    ]);
  });

  it("gathers the answers of a workflow", async () => {
    const { plan } = planOf(`
[[tools]]
name = "one"
input = "document"
request = { method = "textDocument/hover" }
[[tools]]
name = "two"
input = "document"
[[tools.steps]]
id = "a"
tool = "one"
args = { from = "input" }
[[tools.steps]]
id = "new"
tool = "one"
args = { file_path = "x" }
`);
    const { asked } = await runHandler(plan, "two", { file_path: "y" });
    expect(asked).toEqual([
      ["tool", "one", { file_path: "y" }],
      ["tool", "one", { file_path: "x" }],
      ["answer", "json", { gather: { a: { reply: "tool" }, new: { reply: "tool" } } }],
    ]);
  });

  it("points at nothing when it asks no server", async () => {
    const { plan } = planOf(
      '[[tools]]\nname = "t"\noutput = "server_status"\n[[tools.steps]]\nid = "status"\nkind = "runtime"\naction = "server_status"',
    );
    const text = textOf(bundleOf(plan), "handlers/t.js");
    expect(text).not.toContain("call.at");
    expect((await runHandler(plan, "t", {})).asked[0]).toEqual(["runtime", "server_status", {}]);
  });
});

describe("hostile strings", () => {
  const path = hostileText.replaceAll(".", "");

  it("reach the language server as they are, and nothing else happens", async () => {
    const { asked } = await runHandler(hostilePlan(), "hostile", {});
    const [request = []] = asked;
    expect(request[1]).toBe(hostileText);
    const { set } = request[2] as { set: Record<string, unknown> };
    expect(Object.keys(set)).toEqual(["__proto__", hostileText, "process"]);
    expect(Object.getPrototypeOf(set)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(set, "__proto__")?.value).toEqual({ deep: [hostileText] });
    expect(set.process).toBe(hostileText);
    expect(asked[1]?.[3]).toEqual({ limit: 3, path: [path] });
    expect(asked[2]).toEqual(["item", { import: 5 }]);
    expect(asked[3]?.[2]).toEqual({ base: "plain", set: { x: { pick: { reply: "each" }, path: [path] } } });
  });

  it("are in commands and answers unchanged", async () => {
    const { asked } = await runHandler(hostilePlan(), "run.hostile-command", {});
    expect(asked).toEqual([
      ["command", hostileText, [hostileText]],
      ["answer", "text", { reply: "command" }, { at: `/${hostileText}`, language: hostileText }],
    ]);
  });

  it("cannot end the comment that says where a tool comes from", async () => {
    const plan = hostilePlan();
    for (const tool of plan.tools) tool.source = { file: hostileText, pointer: hostileText };
    const { definition } = await runHandler(plan, "hostile", {});
    expect(definition.name).toBe("hostile");
  });
});
