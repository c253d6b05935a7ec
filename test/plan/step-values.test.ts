/** The keys of steps that filter and reshape lists, that say when a step runs, and answers made of several shapes. */
import { describe, expect, it } from "vitest";
import type { StepPlan } from "../../src/abi/plan.js";
import { planOf, planText } from "./config.js";

function problemsOf(toml: string): string[] {
  return planOf(toml).problems.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`);
}

/** A tool `t` at a position with these steps, each the lines of a `[[tools.steps]]`, and an output. */
function tool(output: string, ...steps: string[]): string {
  const tables = steps.map((lines) => `[[tools.steps]]\n${lines}`).join("\n");
  return `[[tools]]\nname = "t"\ndescription = "d"\ninput = "position"\noutput = ${output}\n${tables}`;
}

const at = 'params = "text_document_position"';
const references = `id = "refs"\nmethod = "textDocument/references"\n${at}`;
const implementations = `id = "impl"\nmethod = "textDocument/implementation"\n${at}`;
const pick = 'pick = { file = { at = "/uri", as = "path" } }';

describe("values", () => {
  it("are resolved in the plan", () => {
    const { plan, problems } = planOf(
      tool(
        '{ shape = "items", list = "places", columns = ["range", "file"] }',
        `${references}
where = [{ at = "/range/start/line", more_than = 2, less_than = 9 }, { at = "", outside = "/range", more_than = 0 }]
pick = { file = { at = "/uri", as = "path" }, range = { at = "/range", as = "range" }, uses = { at = "/x", as = "count", outside = "/range" } }
sort = ["-/uses", "/file"]
limit = 5`,
      ),
    );
    expect(problems).toEqual([]);
    const [t] = plan.tools;
    expect(t?.output.columns).toEqual([
      { name: "range", as: "range" },
      { name: "file", as: "path" },
      { name: "uses", as: "count" },
    ]);
    expect(t?.steps[0]?.list).toMatchObject({
      where: [
        { at: ["range", "start", "line"], outside: null },
        { at: [], outside: ["range"] },
      ],
      sort: [
        { at: ["uses"], descending: true },
        { at: ["file"], descending: false },
      ],
      limit: { kind: "literal", value: 5 },
    });
  });

  const bad: [string, string, string][] = [
    ["no members", tool('"items"', references), "plan/bad-tool /tools/0/output"],
    [
      "picked items as locations",
      tool('"locations"', `${references}\n${pick}`),
      "plan/bad-tool /tools/0/output",
    ],
    [
      "an unknown column",
      tool('{ shape = "items", columns = ["fil"] }', `${references}\n${pick}`),
      "plan/bad-tool /tools/0/output/columns/0",
    ],
    [
      "a condition without a comparison",
      tool('"locations"', `${references}\nwhere = [{ at = "/uri" }]`),
      "plan/bad-step /tools/0/steps/0/where/0",
    ],
    [
      "a count of nothing",
      tool('"locations"', `${references}\nwhere = [{ at = "/uri", is = "x", outside = "/range" }]`),
      "plan/bad-step /tools/0/steps/0/where/0",
    ],
    [
      "a text as a bound",
      tool('"locations"', `${references}\nwhere = [{ at = "/uri", more_than = "x" }]`),
      "plan/bad-step /tools/0/steps/0/where/0/more_than",
    ],
    [
      "an unknown argument",
      tool('"locations"', `${references}\nwhere = [{ at = "/uri", is = { from = "input.x" } }]`),
      "plan/bad-reference /tools/0/steps/0/where/0/is/from",
    ],
    [
      "the answer of a tool converted again",
      `${tool('"items"', `id = "a"\ntool = "u"\nargs = { from = "input" }\n${pick}`)}
[[tools]]
name = "u"
description = "d"
input = "position"
request = { method = "textDocument/hover", params = "text_document_position" }`,
      "plan/bad-step /tools/0/steps/0/pick/file/as",
    ],
    [
      "filtered diagnostics",
      `[[tools]]\nname = "t"\ninput = "document"\noutput = "diagnostics"\n[[tools.steps]]\nid = "a"\nkind = "diagnostics"\nwhere = [{ at = "/severity", is = 1 }]`,
      "plan/bad-tool /tools/0/output",
    ],
    [
      "requests about the items of a tool",
      tool(
        '"json"',
        'id = "refs"\ntool = "t"\nargs = { from = "input" }',
        'id = "b"\nmethod = "textDocument/references"\neach = { from = "step.refs.locations" }',
      ),
      "plan/bad-step /tools/0/steps/1/each/from",
    ],
    [
      "`next` without a tree",
      tool(
        '"json"',
        references,
        'id = "b"\nmethod = "textDocument/references"\neach = { from = "step.refs", next = "/x" }',
      ),
      "plan/bad-step /tools/0/steps/1/each/next",
    ],
    [
      "items beside their answers as calls",
      tool(
        '"calls"',
        `id = "items"\nmethod = "textDocument/prepareCallHierarchy"\n${at}`,
        'id = "calls"\nmethod = "callHierarchy/incomingCalls"\neach = { from = "step.items", keep = true }\nparams = { set = { item = { from = "each" } } }',
      ),
      "plan/bad-tool /tools/0/output",
    ],
  ];
  it.each(bad)("are refused: %s", (_name, toml, expected) => {
    expect(problemsOf(toml).map((text) => text.split(" ").slice(0, 2).join(" "))).toContain(expected);
  });
});

describe("ways", () => {
  it("replace a step with another, which sees only the steps before it", () => {
    const { plan, problems } = planOf(
      tool('"locations"', `${implementations}\nor_else = "refs"`, references),
    );
    expect(problems).toEqual([]);
    expect(plan.tools[0]?.steps.map(({ id, orElse }: StepPlan) => [id, orElse])).toEqual([
      ["impl", "refs"],
      ["refs", null],
    ]);
    const after = tool(
      '"locations"',
      `${implementations}\nor_else = "refs"`,
      references,
      `id = "more"\nmethod = "textDocument/references"\nparams = { base = "text_document_position", set = { x = { from = "step.refs" } } }`,
    );
    expect(problemsOf(after)).toEqual([
      'plan/bad-reference /tools/0/steps/2/params/set/x/from The reference "step.refs" names a step that is not an earlier one.',
    ]);
  });

  const bad: [string, string, string][] = [
    ["no later step", tool('"locations"', references, `${implementations}\nor_else = "refs"`), "or_else"],
    ["itself", tool('"locations"', `${references}\nor_else = "refs"`), "or_else"],
    [
      "a step of two others",
      tool(
        '"locations"',
        `${implementations}\nor_else = "refs"`,
        `id = "def"\nmethod = "textDocument/definition"\n${at}\nor_else = "refs"`,
        references,
      ),
      "or_else",
    ],
    [
      "another shape",
      tool(
        '"locations"',
        `${implementations}\nor_else = "h"`,
        `id = "h"\nmethod = "textDocument/hover"\n${at}`,
      ),
      "output",
    ],
    ["an unknown method", tool('"locations"', `${references}\nwhen = { capability = "x/y" }`), "capability"],
    ["an unknown argument", tool('"locations"', `${references}\nwhen = { argument = "x" }`), "argument"],
    ["nothing", tool('"locations"', `${references}\nwhen = {}`), "when"],
    [
      "a value of nothing",
      tool('"locations"', `${references}\nwhen = { capability = "textDocument/hover", is = 1 }`),
      "is",
    ],
  ];
  it.each(bad)("are refused: %s", (_name, toml, key) => {
    expect(problemsOf(toml)).toEqual([expect.stringMatching(new RegExp(`^plan/\\S+ \\S*/${key} `))]);
  });
});

describe("members", () => {
  const members = (text: string) => `{ shape = "members", members = { ${text} } }`;

  it("have a step and a shape each", () => {
    const { plan, problems } = planOf(
      tool(
        members(
          'uses = { step = "refs", shape = "count" }, places = { step = "impl", shape = "locations", max_items = 3 }',
        ),
        references,
        implementations,
      ),
    );
    expect(problems).toEqual([]);
    expect(plan.tools[0]?.output.members).toMatchObject([
      { name: "places", step: "impl", shape: "locations", maxItems: 3, snippet: true },
      { name: "uses", step: "refs", shape: "count", maxItems: 20 },
    ]);
  });

  const bad: [string, string, string][] = [
    ["an unknown step", members('x = { step = "y", shape = "count" }'), "members/x/step"],
    ["an unknown shape", members('x = { step = "refs", shape = "place" }'), "members/x/shape"],
    ["an edit", members('x = { step = "refs", shape = "workspace_edit" }'), "members/x/shape"],
    ["the shape of another method", members('x = { step = "refs", shape = "hover" }'), "members/x/shape"],
    ["a name that every answer has", members('ok = { step = "refs", shape = "count" }'), "members/ok"],
    ["none", '"members"', "output"],
  ];
  it.each(bad)("are refused: %s", (_name, output, key) => {
    const found = problemsOf(tool(output, references));
    expect(found).toContainEqual(expect.stringMatching(new RegExp(`^plan/\\S+ \\S*/${key}(?:/shape)? `)));
  });
});

describe("notifications", () => {
  const notify = (method: string, more = "") =>
    `${more}[[tools]]\nname = "t"\neffect = "command"\noutput = "json"\n[[tools.steps]]\nid = "a"\nkind = "notify"\nmethod = "${method}"`;
  const declared = '[[methods]]\nmethod = "x/clear"\nnotification = true\n';
  const ask = (method: string) =>
    `[[methods]]\nmethod = "${method}"\n[[tools]]\nname = "t"\nrequest = { method = "${method}" }`;

  it("are of the specification, or declared", () => {
    expect(problemsOf(notify("workspace/didChangeConfiguration"))).toEqual([]);
    expect(problemsOf(notify("x/clear", declared))).toEqual([]);
    expect(problemsOf(notify("x/clear"))).toEqual([expect.stringContaining("plan/unknown-method")]);
    expect(problemsOf(notify("x/clear", declared.replace("true", "false")))).toEqual([
      expect.stringContaining("plan/unknown-method"),
    ]);
  });

  it("are no requests, and have an effect", () => {
    const asked = `${declared}[[tools]]\nname = "t"\nrequest = { method = "x/clear" }`;
    expect(problemsOf(asked)).toEqual([expect.stringContaining("plan/unknown-method")]);
    expect(problemsOf(notify("x/clear", declared).replace('effect = "command"\n', ""))).toEqual([
      expect.stringContaining("plan/bad-step"),
    ]);
  });

  it.each([
    "initialize",
    "initialized",
    "shutdown",
    "exit",
    "$/cancelRequest",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didClose",
    "textDocument/didSave",
    "notebookDocument/didOpen",
    "workspace/didChangeWatchedFiles",
    "workspace/didRenameFiles",
    "workspace/didChangeWorkspaceFolders",
  ])("that keep the state of a server are the proxy's own: %s", (method) => {
    const own = `[[methods]]\nmethod = "${method}"\nnotification = true\n`;
    expect(problemsOf(notify(method, own))).toEqual([expect.stringContaining("is sent by the proxy itself")]);
    expect(problemsOf(ask(method))).toEqual([expect.stringContaining("is sent by the proxy itself")]);
  });

  it("are not sent as requests, nor requests as notifications", () => {
    for (const method of ["$/setTrace", "workspace/didChangeConfiguration"])
      expect(problemsOf(ask(method))).toEqual([expect.stringContaining("is a notification")]);
    for (const method of ["workspace/executeCommand", "textDocument/rename"])
      expect(problemsOf(notify(method, `[[methods]]\nmethod = "${method}"\nnotification = true\n`))).toEqual([
        expect.stringContaining("is a request"),
      ]);
  });
});

describe("conditions that can never hold", () => {
  const symbols = (more: string) =>
    `id = "a"\nmethod = "textDocument/documentSymbol"\nparams = "text_document"\npick = { name = "/name", size = { at = "/children", as = "count" } }\n${more}`;
  const found = (more: string, ...others: string[]) =>
    problemsOf(
      `[[tools]]\nname = "t"\ninput = "document"\noutput = "items"
args.word = { type = "string", enum = ["a", "b"], required = false, description = "d" }
args.words = { type = "string_list", required = false, description = "d" }
args.whole = { type = "boolean", default = false, description = "d" }
args.size = { type = "integer", minimum = 1, required = false, description = "d" }
args.options = { type = "object", required = false, description = "d", properties = { deep = { type = "boolean", default = false } } }
${[symbols(more), ...others].map((lines) => `[[tools.steps]]\n${lines}`).join("\n")}`,
    ).map((text) => text.split(" ").slice(0, 2).join(" "));
  const bad = (key: string) => [`plan/bad-step /tools/0/steps/0/${key}`];
  const other = symbols("").replace('id = "a"', 'id = "b"');

  it.each<[string, string, string[]]>([
    ["a member that is not picked", 'sort = ["/name", "-/kind"]', bad("sort/1")],
    ["the members that are", 'sort = ["-/size", "/name"]', []],
    [
      "a text as a number",
      'where = [{ at = "/kind", more_than = { from = "input.word" } }]',
      bad("where/0/more_than"),
    ],
    [
      "a list as a number",
      'where = [{ at = "/kind", less_than = { from = "input.words" } }]',
      bad("where/0/less_than"),
    ],
    ["a number", 'where = [{ at = "/kind", more_than = { from = "input.size" } }]', []],
    ["a text as a list", 'where = [{ at = "/name", in = { from = "input.word" } }]', bad("where/0/in")],
    ["a list", 'where = [{ at = "/name", in = { from = "input.words" } }]', []],
    ["a list as one value", 'where = [{ at = "/name", is = { from = "input.words" } }]', bad("where/0/is")],
    [
      "a table as one value",
      'where = [{ at = "/name", is = { from = "input.options" } }]',
      bad("where/0/is"),
    ],
    ["a member of a table", 'where = [{ at = "/deprecated", is = { from = "input.options.deep" } }]', []],
  ])("%s", (_, more, problems) => {
    expect(found(more)).toEqual(problems);
  });

  it.each<[string, string[]]>([
    ['argument = "word", is = "c"', bad("when/is")],
    ['argument = "word", is = "a"', []],
    ['argument = "size", is = "1"', bad("when/is")],
    ['argument = "size", is = 0', bad("when/is")],
    ['argument = "size", is = 1', []],
    ['argument = "whole", is = "true"', bad("when/is")],
    ['argument = "whole", is = true', []],
  ])("when = { %s }", (when, problems) => {
    expect(found(`when = { ${when} }\nor_else = "b"`, other)).toEqual(problems);
  });
});

describe("the servers of a tool", () => {
  const server = (id: string) =>
    `[[servers]]\nid = "${id}"\nkind = "rust-analyzer"\npriority = ${id.length}\n`;
  const serversOf = (text: string, name: string) =>
    planText(text).tools.find((tool) => tool.name === name)?.servers;

  it("are named by their kind where none has the name as its id", () => {
    const head = 'extends = ["profiles/extra"]\n';
    const plan = planText(`${head}${server("ra")}${server("nightly")}`);
    expect(plan.mcp.listed).toContain("get_runnables");
    expect(plan.tools.find(({ name }) => name === "get_runnables")?.servers).toEqual(["nightly", "ra"]);
    expect(plan.servers.map(({ customMethods }) => Object.keys(customMethods))).toEqual([
      expect.arrayContaining(["experimental/runnables"]),
      expect.arrayContaining(["experimental/runnables"]),
    ]);
    expect(serversOf(`${head}${server("ra")}${server("rust-analyzer")}`, "get_runnables")).toEqual([
      "rust-analyzer",
    ]);
  });

  it("may be named so by a config's own tools", () => {
    const own = (name: string) =>
      `${server("ra")}[[methods]]\nmethod = "x/y"\nservers = ["${name}"]\n[[tools]]\nname = "t"\ndescription = "d"\nservers = ["${name}"]\noutput = "json"\nrequest = { method = "x/y" }`;
    expect(serversOf(own("rust-analyzer"), "t")).toEqual(["ra"]);
    expect(() => planText(own("rust-analyser"))).toThrow("rust-analyser");
    const alias = own("rust-analyzer").replace('kind = "rust-analyzer"', 'kind = "rust_analyzer"');
    expect(serversOf(alias, "t")).toEqual(["ra"]);
  });
});

describe("the server by an argument", () => {
  const servers = '[[servers]]\nid = "s"\ncommand = "rust-analyzer"\nextensions = ["rs"]\n';
  const chosen = (more: string) =>
    `${servers}[[tools]]\nname = "t"\ninput = "position"\n${more}\nrequest = { method = "textDocument/hover", params = "text_document_position" }`;

  it("is one of the tool's servers", () => {
    const { plan, problems } = planOf(
      chosen(
        'server = { from = "input.which" }\nargs.which = { type = "string", required = false, description = "d" }',
      ),
    );
    expect(problems).toEqual([]);
    expect(plan.tools[0]).toMatchObject({ serverArgument: "which", args: [{ name: "which", enum: ["s"] }] });
  });

  it("needs an argument that is a text", () => {
    expect(problemsOf(chosen('server = { from = "input.which" }'))).toEqual([
      expect.stringContaining("plan/bad-reference /tools/0/server/from"),
    ]);
    expect(
      problemsOf(chosen('server = { from = "input.n" }\nargs.n = { type = "integer", description = "d" }')),
    ).toEqual([expect.stringContaining("plan/bad-reference /tools/0/server/from")]);
  });
});

describe("the extra profile", () => {
  it("lists tools of servers only where the config has them", () => {
    const listed = (server: string) =>
      planText(`extends = ["profiles/extra"]\n[[servers]]\nid = "${server}"\nkind = "${server}"`).mcp.listed;
    expect(listed("pyright")).toContain("get_symbol_overview");
    expect(listed("pyright")).not.toContain("switch_source_header");
    expect(listed("clangd")).toContain("switch_source_header");
    expect(listed("rust-analyzer")).toContain("get_runnables");
  });
});
