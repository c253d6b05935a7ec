import { describe, expect, it } from "vitest";
import { codes } from "../../src/base/codes.js";
import { buildPlan } from "../../src/plan/build.js";
import { configOf, context, planOf } from "./config.js";

/** Code, pointer and suggestion of every problem of a config. */
function problemsOf(toml: string): string[] {
  return planOf(toml).problems.map(({ code, pointer, suggestion }) =>
    [code, pointer, ...(suggestion === undefined ? [] : [suggestion])].join(" "),
  );
}

const server = 'id = "s"\ncommand = "rust-analyzer"\nextensions = ["rs"]';
const hover = 'request = { method = "textDocument/hover", params = "text_document_position" }';
const definition = hover.replace("hover", "definition");

/** A tool `t` that points at a position, with more lines of its own. */
const tool = (lines: string) => `[[tools]]\nname = "t"\ninput = "position"\n${lines}`;
const step = (lines: string) => tool(`[[tools.steps]]\nid = "a"\n${lines}`);

describe("http", () => {
  it.each([0, 80, 1023])("the port %d is the system's, or anybody's, with `strict`", (port) => {
    expect(problemsOf(`[http]\nstrict = true\nport = ${port}`)).toEqual(["config/bad-value /http/port"]);
    expect(problemsOf(`[http]\nport = ${port}`)).toEqual([]);
  });

  it.each([1024, 65_535])("the port %d is taken with `strict`", (port) => {
    expect(problemsOf(`[http]\nstrict = true\nport = ${port}`)).toEqual([]);
  });
});

describe("servers", () => {
  const cases: [string, string, string[]][] = [
    ["no command", '[[servers]]\nid = "s"\nextensions = ["rs"]', ["plan/no-command /servers/0"]],
    [
      "a server elsewhere needs no command",
      '[[servers]]\nid = "s"\nextensions = ["rs"]\ntransport = { tcp = "localhost:1" }',
      [],
    ],
    [
      "a port that does not exist",
      '[[servers]]\nid = "s"\nextensions = ["rs"]\ntransport = { tcp = "localhost:70000" }',
      ["config/bad-value /servers/0/transport/tcp"],
    ],
    [
      "a port of one's own choice where nothing is started",
      '[[servers]]\nid = "s"\nextensions = ["rs"]\ntransport = { tcp = "127.0.0.1:0" }',
      ["config/bad-value /servers/0/transport/tcp"],
    ],
    [
      "another machine",
      '[[servers]]\nid = "s"\nextensions = ["rs"]\ntransport = { tcp = "10.0.0.5:7" }',
      ["plan/host-not-allowed /servers/0/transport/tcp"],
    ],
    [
      "another machine that is allowed",
      '[allow]\nhosts = ["build.lan"]\n[[servers]]\nid = "s"\nextensions = ["rs"]\ntransport = { tcp = "build.lan:7" }',
      [],
    ],
    [
      "a start on another machine, allowed or not",
      '[allow]\nhosts = ["build.lan"]\n[[servers]]\nid = "s"\ncommand = "rust-analyzer"\nextensions = ["rs"]\ntransport = { tcp = "build.lan:7", mode = "start" }',
      ["plan/host-not-allowed /servers/0/transport/tcp"],
    ],
    [
      "a forward rule without a server, and one without a command",
      '[[servers]]\nid = "s"\ncommand = "rust-analyzer"\nextensions = ["rs"]\nforward = [{ notification = "a", reply = "b", request = "c" }, { notification = "a", reply = "b", to = "s" }, { notification = "a", reply = "b" }]',
      ["plan/bad-forward /servers/0/forward/0", "plan/bad-forward /servers/0/forward/1"],
    ],
    [
      "a start without a command",
      '[[servers]]\nid = "s"\nextensions = ["rs"]\ntransport = { tcp = "[::1]:0", mode = "listen" }',
      ["plan/no-command /servers/0"],
    ],
    [
      "limits and a sandbox without a process",
      '[[servers]]\nid = "s"\nextensions = ["rs"]\nlimits = { memory_mb = 1 }\nsandbox = "read_only"\ntransport = { pipe = "s.sock" }',
      ["plan/no-process /servers/0/limits/memory_mb", "plan/no-process /servers/0/sandbox"],
    ],
    [
      "a sandbox that cuts off the server's own connection",
      '[[servers]]\nid = "s"\ncommand = "rust-analyzer"\nextensions = ["rs"]\nsandbox = "no_network"\ntransport = { tcp = "127.0.0.1:0", mode = "start" }',
      ["plan/no-process /servers/0/sandbox"],
    ],
    ["no route", '[[servers]]\nid = "s"\ncommand = "rust-analyzer"', ["plan/no-route /servers/0"]],
    [
      "a server that another forwards to needs no files",
      `[[servers]]\nid = "x"\ncommand = "rust-analyzer"\n[[servers]]\n${server}\nforward = [{ notification = "n", to = "x", request = "r", reply = "p" }]`,
      [],
    ],
    [
      "unknown feature",
      `[[servers]]\n${server}\nfeatures = { only = ["hovr"] }`,
      ["plan/unknown-feature /servers/0/features/only/0 hover"],
    ],
    [
      "unknown forward target",
      `[[servers]]\n${server}\nforward = [{ notification = "n", to = "z", request = "r", reply = "p" }]`,
      ["plan/unknown-server /servers/0/forward/0/to s"],
    ],
    [
      "unknown server of a method",
      `[[servers]]\n${server}\n[[methods]]\nmethod = "x/y"\nservers = ["q"]`,
      ["plan/unknown-server /methods/0/servers/0 s"],
    ],
  ];
  it.each(cases)("%s", (_name, toml, expected) => {
    expect(problemsOf(toml)).toEqual(expected);
  });
});

describe("commands", () => {
  it.each([
    "./server",
    "bin/server",
    "../server",
    "rust-*",
    "sh -c x",
    "a;b",
    "$(x)",
    "",
    "-x",
    "~/x",
    "/bin/*",
    "/bin/../sh",
    "/bin/a\nb",
    "<workspace>/x",
  ])("refuses %j", (command) => {
    const config = { servers: [{ id: "s", command, extensions: ["rs"] }], allow: { commands: [command] } };
    const found = buildPlan(config, context).problems.map((problem) => problem.code);
    expect(found).toEqual(["plan/bad-command", "plan/bad-command"]);
  });

  it.each([
    "clangd-19",
    "g++",
    "python3.12",
    "/opt/My Tools/x",
    "C:\\Program Files (x86)\\x.exe",
    "/usr/bin/node",
  ])("takes %j", (command) => {
    const config = { servers: [{ id: "s", command, extensions: ["rs"] }], allow: { commands: [command] } };
    expect(buildPlan(config, context).problems).toEqual([]);
  });

  it("starts nothing that is not allowed by its exact name", () => {
    expect(problemsOf(`[allow]\ncommands = ["/bin/rust-analyzer"]\n[[servers]]\n${server}`)).toEqual([
      "plan/command-not-allowed /servers/0/command",
    ]);
    expect(problemsOf('[[servers]]\nid = "s"\ncommand = "unheard-of"\nextensions = ["x"]')).toEqual([
      "plan/command-not-allowed /servers/0/command",
    ]);
  });

  it("without [allow], allows the programs of the catalogue that are used, and no other", () => {
    expect(planOf(`[[servers]]\n${server}`).plan.allow.commands).toEqual(["rust-analyzer"]);
  });

  it("never inherits what may be a secret", () => {
    const names = planOf({}).plan.allow.env;
    expect(names.filter((name) => /TOKEN|KEY|SECRET|PASS|CRED|AUTH|PROXY/i.test(name))).toEqual([]);
    expect(names).toContain("PATH");
  });
});

describe("routes", () => {
  const two = (first: string, second: string) =>
    `[[servers]]\nid = "a"\ncommand = "rust-analyzer"\nextensions = ["rs", "x"]\n${first}\n[[servers]]\nid = "b"\ncommand = "rust-analyzer"\nextensions = ["rs"]\n${second}`;
  it.each<[string, string, string, string[]]>([
    ["without a rule", "", "", ["plan/route-conflict /servers/1"]],
    ["with priority", "priority = 1", "", []],
    ["with disjoint features", 'features = { except = ["hover"] }', 'features = { only = ["hover"] }', []],
    [
      "with overlapping features",
      'features = { except = ["hover"] }',
      'features = { only = ["hover", "definition"] }',
      ["plan/route-conflict /servers/1"],
    ],
    ["with one switched off", "enabled = false", "", []],
  ])("two servers on one extension %s", (_name, first, second, expected) => {
    expect(problemsOf(two(first, second))).toEqual(expected);
  });

  it("sees file names too", () => {
    const toml = '[[servers]]\nid = "a"\ncommand = "rust-analyzer"\nfilenames = ["Dockerfile"]\n';
    expect(problemsOf(toml + toml.replace('"a"', '"b"'))).toEqual(["plan/route-conflict /servers/1"]);
  });
});

describe("tools", () => {
  const cases: [string, string, string[]][] = [
    ["nothing to do", tool(""), ["plan/bad-tool /tools/0"]],
    [
      "request and steps",
      `${step('method = "textDocument/hover"')}\n[tools.request]\nmethod = "textDocument/hover"`,
      ["plan/bad-tool /tools/0"],
    ],
    [
      "unknown anchor",
      '[[tools]]\nname = "t"\ninput = ["positon"]\nrequest = { method = "workspace/symbol" }',
      ["plan/unknown-anchor /tools/0/input/0 position"],
    ],
    [
      "unknown shape",
      tool(`output = "location"\n${hover}`),
      ["plan/unknown-shape /tools/0/output locations"],
    ],
    [
      "an edit without its effect",
      tool(`output = { shape = "workspace_edit" }\n${hover.replace("hover", "rename")}`),
      ["plan/bad-tool /tools/0/output/shape"],
    ],
    [
      "something applied that is no edit",
      tool(`output = { shape = "hover", apply = "on_request" }\n${hover}`),
      ["plan/bad-tool /tools/0/output/shape"],
    ],
    [
      "an edit shaped as something else",
      tool(
        'effect = "edit"\noutput = "json"\n[[tools.steps]]\nid = "a"\nkind = "runtime"\naction = "create_file"',
      ),
      ["plan/bad-tool /tools/0/output"],
    ],
    [
      "an edit in a tool that only reads",
      tool('output = "workspace_edit"\n[[tools.steps]]\nid = "a"\nkind = "runtime"\naction = "create_file"'),
      ["plan/bad-tool /tools/0/output", "plan/bad-step /tools/0/steps/0"],
    ],
    [
      "a choice from nothing",
      tool('[[tools.steps]]\nid = "a"\nkind = "choose"\nfrom = "input.x"\nitem = "1"'),
      ["plan/bad-reference /tools/0/steps/0/from"],
    ],
    [
      "a shape that the method does not give",
      tool(`output = "locations"\n${hover}`),
      ["plan/bad-tool /tools/0/output"],
    ],
    [
      "a count where nothing is counted",
      tool(`output = { shape = "hover", count = "hover_count" }\n${hover}`),
      ["plan/bad-tool /tools/0/output/shape"],
    ],
    [
      "items under a symbol that nobody names",
      tool(`output = { shape = "locations", symbols = { list = "results" } }\n${definition}`),
      ["plan/bad-tool /tools/0/output/shape"],
    ],
    [
      "items under the symbol of the name",
      tool(
        `output = { shape = "locations", count = "n", symbols = { list = "results" } }\n${definition}`,
      ).replace('"position"', '"symbol"'),
      [],
    ],
    [
      "a member that every answer has",
      tool(`output = { shape = "locations", count = "total" }\n${definition}`),
      ["plan/bad-tool /tools/0/output/shape"],
    ],
    [
      "one name for two members",
      tool(`output = { shape = "locations", list = "found", count = "found" }\n${definition}`),
      ["plan/bad-tool /tools/0/output/shape"],
    ],
    ["any value is JSON", tool(`output = "json"\n${hover}`), []],
    [
      "unknown method",
      tool('request = { method = "textDocument/hovr" }'),
      ["plan/unknown-method /tools/0/request/method textDocument/hover"],
    ],
    [
      "unknown base",
      tool('request = { method = "textDocument/hover", params = "text_document_positon" }'),
      ["plan/unknown-base /tools/0/request/params text_document_position"],
    ],
    [
      "a base that the input cannot fill",
      `[[tools]]\nname = "t"\ninput = ["document", "position"]\n${hover}`,
      ["plan/base-needs-anchor /tools/0/request/params"],
    ],
    [
      "diagnostics of nothing",
      '[[tools]]\nname = "t"\noutput = "diagnostics"\n[[tools.steps]]\nid = "a"\nkind = "diagnostics"',
      ["plan/base-needs-anchor /tools/0/steps/0"],
    ],
    [
      "diagnostics of a workspace from a document",
      '[[tools]]\nname = "t"\ninput = "document"\noutput = "workspace_diagnostics"\n[[tools.steps]]\nid = "a"\nkind = "diagnostics"',
      ["plan/base-needs-anchor /tools/0/steps/0"],
    ],
    [
      "diagnostics of the workspace from a request",
      '[[tools]]\nname = "t"\noutput = "workspace_diagnostics"\nrequest = { method = "workspace/diagnostic" }',
      ["plan/bad-tool /tools/0/output"],
    ],
    [
      "parameters with diagnostics that nobody asked for",
      '[[tools]]\nname = "t"\ninput = "document"\noutput = "code_actions"\nrequest = { method = "textDocument/codeAction", params = "text_document_range_diagnostics" }',
      ["plan/bad-step /tools/0/request/params"],
    ],
    [
      "parameters that are a reference to a whole step",
      '[[tools]]\nname = "t"\ninput = "document"\noutput = "links"\n[[tools.steps]]\nid = "a"\nmethod = "textDocument/documentLink"\nparams = "text_document"\n[[tools.steps]]\nid = "b"\nmethod = "documentLink/resolve"\neach = { from = "step.a", lacking = "target" }\nparams = { set = { from = "step.a" } }',
      ["plan/bad-step /tools/0/steps/1/params/set"],
    ],
    [
      "unknown server",
      `${tool(`servers = ["z"]\n${hover}`)}\n[[servers]]\n${server}`,
      ["plan/unknown-server /tools/0/servers/0 s"],
    ],
    [
      "a page without a list",
      tool(`output = "hover"\npage = true\n${hover}`),
      ["plan/bad-tool /tools/0/page"],
    ],
    [
      "short-form keys beside steps",
      `${tool('expect = "some"')}\n[[tools.steps]]\nid = "a"\nmethod = "textDocument/hover"`,
      ["plan/bad-tool /tools/0/expect"],
    ],
    [
      "a long name",
      `[[tools]]\nname = "${"n".repeat(41)}"\ninput = "position"\n${hover}`,
      ["plan/name-too-long /tools/0/name"],
    ],
    [
      "names that differ in case",
      `${tool(hover)}\n[[tools]]\nname = "T"\ninput = "position"\n${hover}`,
      ["plan/bad-tool /tools/0/name"],
    ],
    [
      "status without its step",
      tool(`output = "server_status"\n${hover}`),
      ["plan/bad-tool /tools/0/output"],
    ],
    [
      "diagnostics without their step",
      tool(`output = "diagnostics"\n${hover}`),
      ["plan/bad-tool /tools/0/output"],
    ],
    [
      "`at` on a list",
      tool(`output = { shape = "hover", at = "/x" }\n${hover}`),
      ["plan/bad-tool /tools/0/output/shape"],
    ],
    [
      "a custom method that the tool's servers lack",
      `${tool('servers = ["s"]\nrequest = { method = "x/y" }')}\n[[methods]]\nmethod = "x/y"\nservers = ["r"]\n[[servers]]\n${server}\n[[servers]]\nid = "r"\ncommand = "rust-analyzer"\nextensions = ["r"]`,
      ["plan/bad-tool /tools/0"],
    ],
  ];
  it.each(cases)("%s", (_name, toml, expected) => {
    expect(problemsOf(toml)).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ['{ type = "boolean", description = "d", default = 1 }', ["plan/bad-tool /tools/0/args/a/default"]],
    [
      '{ type = "string", description = "d", enum = ["x"], default = "y" }',
      ["plan/bad-tool /tools/0/args/a/default"],
    ],
    ['{ type = "string", description = "d", max_length = 2, default = "👍👍" }', []],
    [
      '{ type = "string", description = "d", max_length = 1, default = "👍👍" }',
      ["plan/bad-tool /tools/0/args/a/default"],
    ],
    [
      '{ type = "integer", description = "d", minimum = 3, maximum = 2 }',
      ["plan/bad-tool /tools/0/args/a/minimum"],
    ],
    ['{ type = "integer", description = "d", max_length = 2 }', ["plan/bad-tool /tools/0/args/a/max_length"]],
    ['{ type = "string", description = "d", minimum = 2 }', ["plan/bad-tool /tools/0/args/a/minimum"]],
    [
      '{ type = "string", description = "d", default = "x", required = true }',
      ["plan/bad-tool /tools/0/args/a/required"],
    ],
  ])("the argument %s", (arg, expected) => {
    expect(problemsOf(tool(`args.a = ${arg}\n${hover}`))).toEqual(expected);
  });

  it.each(["line", "file_path", "max_results", "constructor"])("an argument cannot be called %s", (name) => {
    const toml = tool(
      `output = "locations"\nargs.${name} = { type = "string", description = "d" }\nrequest = { method = "textDocument/definition", params = "text_document_position" }`,
    );
    expect(problemsOf(toml)).toEqual([`plan/bad-tool /tools/0/args/${name}`]);
  });
});

describe("steps", () => {
  const cases: [string, string, string[]][] = [
    ["a request without a method", step(""), ["plan/bad-step /tools/0/steps/0"]],
    [
      "a literal that the called tool does not take",
      `${step('tool = "u"\nargs = { file_path = "a.rs", line = "one", character = 1, how = "c" }')}\n[[tools]]\nname = "u"\ninput = "position"\noutput = "hover"\nargs.how = { type = "string", enum = ["a", "b"], description = "x" }\n${hover}`,
      ["plan/bad-step /tools/0/steps/0/args/how", "plan/bad-step /tools/0/steps/0/args/line"],
    ],
    [
      "arguments of a list are not passed on to a tool without it",
      `[[tools]]\nname = "t"\ninput = "position"\noutput = "locations"\n[[tools.steps]]\nid = "a"\ntool = "u"\nargs = { from = "input" }\n[[tools.steps]]\nid = "b"\nmethod = "textDocument/definition"\nparams = "text_document_position"\n[[tools]]\nname = "u"\ninput = "position"\noutput = "hover"\n${hover}`,
      [],
    ],
    [
      "a key of another kind",
      step('method = "textDocument/hover"\nwait_ms = 5'),
      ["plan/bad-step /tools/0/steps/0/wait_ms"],
    ],
    [
      "two steps of one id",
      `${step('method = "textDocument/hover"')}\n[[tools.steps]]\nid = "a"\nmethod = "textDocument/hover"`,
      ["plan/bad-step /tools/0/steps/1/id"],
    ],
    [
      "unknown action",
      step('kind = "runtime"\naction = "server_statu"'),
      ["plan/unknown-action /tools/0/steps/0/action server_status"],
    ],
    [
      "executeCommand by the back door",
      step('method = "workspace/executeCommand"'),
      ["plan/bad-step /tools/0/steps/0/method"],
    ],
    [
      "a base with each",
      `${step('method = "textDocument/hover"')}\n[[tools.steps]]\nid = "b"\nmethod = "textDocument/hover"\nparams = "text_document"\neach = { from = "step.a" }`,
      ["plan/bad-step /tools/0/steps/1/params"],
    ],
    [
      "each over an argument",
      `${tool('args.x = { type = "string", description = "d" }')}\n[[tools.steps]]\nid = "a"\nmethod = "textDocument/hover"\neach = { from = "input.x" }`,
      ["plan/bad-reference /tools/0/steps/0/each/from"],
    ],
    [
      "a stronger effect than declared",
      step('kind = "runtime"\naction = "stop_server"'),
      ["plan/bad-step /tools/0/steps/0"],
    ],
    ["unknown tool", step('tool = "tt"'), ["plan/unknown-tool /tools/0/steps/0/tool t"]],
    ["a tool that calls itself", step('tool = "t"\nargs = { from = "input" }'), ["plan/tool-cycle /tools/0"]],
    [
      "arguments that the other tool does not take",
      `${step('tool = "u"\nargs = { from = "input" }')}\n[[tools]]\nname = "u"\ninput = "document"\nrequest = { method = "textDocument/hover" }`,
      ["plan/bad-step /tools/0/steps/0/args"],
    ],
    [
      "an argument that the other tool needs",
      `${step('tool = "u"\nargs = {}')}\n[[tools]]\nname = "u"\ninput = "document"\nrequest = { method = "textDocument/hover" }`,
      ["plan/bad-step /tools/0/steps/0/args"],
    ],
    [
      "arguments that are no table",
      `${step('tool = "u"\nargs = [1]')}\n[[tools]]\nname = "u"\ninput = "workspace"\nrequest = { method = "textDocument/hover" }`,
      ["plan/bad-step /tools/0/steps/0/args"],
    ],
    [
      "no command is allowed",
      `${tool('effect = "command"')}\n[[tools.steps]]\nid = "a"\nkind = "execute_command"\ncommand = "x"`,
      ["plan/bad-step /tools/0/steps/0/command"],
    ],
    [
      "a command that is not allowed",
      `${tool('effect = "command"')}\n[[tools.steps]]\nid = "a"\nkind = "execute_command"\ncommand = "x.reloat"\n[[servers]]\n${server}\nexecute_commands = ["x.reload"]`,
      ["plan/bad-step /tools/0/steps/0/command x.reload"],
    ],
  ];
  it.each(cases)("%s", (_name, toml, expected) => {
    expect(problemsOf(toml)).toEqual(expected);
  });

  it("names the whole cycle", () => {
    const link = (name: string, next: string) =>
      `[[tools]]\nname = "${name}"\n[[tools.steps]]\nid = "x"\ntool = "${next}"\n`;
    const { problems } = planOf(link("a", "b") + link("b", "c") + link("c", "b"));
    expect(problems.map((problem) => problem.message)).toEqual([
      "The tools call each other: `b` → `c` → `b`.",
    ]);
  });
});

describe("references", () => {
  const ref = (from: string) =>
    problemsOf(
      `${tool('args.new_name = { type = "string", description = "d" }')}\n[[tools.steps]]\nid = "first"\nmethod = "textDocument/hover"\n[[tools.steps]]\nid = "second"\nmethod = "textDocument/hover"\nparams = { set = { x = [{ from = "${from}" }] } }`,
    );
  const at = "plan/bad-reference /tools/0/steps/1/params/set/x/0/from";
  it.each([
    "input",
    "input.new_name",
    "input.line",
    "step.first",
    "step.first.a.b",
    "document.uri",
    "document.version",
  ])("%s holds", (from) => {
    expect(ref(from)).toEqual([]);
  });
  it.each<[string, string]>([
    ["input.newname", `${at} input.new_name`],
    ["input.new_name.x", at],
    ["step.second", at],
    ["step.frist", `${at} step.first`],
    ["step", at],
    ["each", at],
    ["each.x", at],
    ["document.url", `${at} document.uri`],
    ["document", at],
    ["env.HOME", at],
    ["step.first.__proto__", at],
    ["step.first..x", at],
    ["", at],
  ])("%s does not", (from, expected) => {
    expect(ref(from)).toEqual([expected]);
  });

  it("needs a text", () => {
    expect(
      problemsOf(
        tool('request = { method = "textDocument/hover", params = { set = { x = { from = 1 } } } }'),
      ),
    ).toEqual(["plan/bad-reference /tools/0/request/params/set/x/from"]);
  });

  it("knows no document in a workspace tool", () => {
    const toml =
      '[[tools]]\nname = "t"\ninput = "query"\nrequest = { method = "workspace/symbol", params = { set = { query = { from = "document.uri" } } } }';
    expect(problemsOf(toml)).toEqual(["plan/bad-reference /tools/0/request/params/set/query/from"]);
  });
});

describe("the surface", () => {
  it("knows the names in mcp.tools", () => {
    const toml = `${tool(hover)}\n[mcp.tools]\nallow = ["t", "u"]\nexclude = ["rename_symbol"]`;
    const { problems } = planOf(toml);
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([
      ["plan/unknown-tool", "error"],
      ["plan/absent-tool", "warning"],
    ]);
    expect(problems[1]?.message).toContain("`full`");
  });

  it("lists only tools with an allowed effect, and hides the rest", () => {
    const tools = `${tool(hover)}\n[[tools]]\nname = "e"\neffect = "edit"\ninput = "position"\n${hover}`;
    expect(planOf(tools).plan.mcp.listed).toEqual(["t"]);
    expect(planOf(`[allow]\neffects = ["read", "edit"]\n${tools}`).plan.mcp.listed).toEqual(["e", "t"]);
    const readOnly = planOf(`[allow]\neffects = ["read", "edit"]\n[mcp]\nread_only = true\n${tools}`).plan;
    expect(readOnly.mcp.listed).toEqual(["t"]);
    expect(readOnly.allow.effects).toEqual(["read"]);
  });

  it("does not list a tool whose servers are all switched off", () => {
    const toml = `${tool(`servers = ["s"]\n${hover}`)}\n[[servers]]\nenabled = false\n${server}`;
    expect(planOf(toml)).toMatchObject({ plan: { mcp: { listed: [] } }, problems: [] });
  });

  it("refuses a dialect that spells two things alike", () => {
    expect(problemsOf('[dialect]\nquery = "line"')).toEqual(["plan/bad-tool /dialect"]);
  });

  it("writes instructions under 1000 characters, however many tools there are", () => {
    const tools = Array.from({ length: 300 }, (_, index) => ({
      name: `a_rather_long_tool_name_${index}`,
      input: "position",
      request: { method: "textDocument/hover", params: "text_document_position" },
    }));
    const extensions = Array.from({ length: 300 }, (_, index) => `ext${index}`);
    const { plan } = planOf({ tools, servers: [{ id: "s", command: "rust-analyzer", extensions }] });
    expect(plan.mcp.instructions.length).toBeLessThan(1000);
    expect(plan.mcp.instructions).toContain("more");
  });
});

describe("every problem", () => {
  const config = configOf(`[[servers]]\nid = "s"\n${tool('request = { method = "x" }')}`);

  it("has a message, a fix and a place: that of the nearest table when its own is not written down", () => {
    const places: string[] = [];
    const { problems } = buildPlan(config, {
      ...context,
      locate: (pointer) => {
        places.push(pointer);
        return pointer === "/tools/0" || pointer === "/servers/0"
          ? { file: "f", line: 1, column: 2 }
          : undefined;
      },
    });
    expect(problems.map((problem) => problem.code)).toEqual([
      "plan/no-command",
      "plan/no-route",
      "plan/unknown-method",
    ]);
    for (const problem of problems) {
      expect(problem.place).toEqual({ file: "f", line: 1, column: 2 });
      expect(problem.fix).not.toBe("");
      expect(Object.hasOwn(codes, problem.code)).toBe(true);
    }
  });
});
