/** What `validate` warns of: tools that work, but not as their author may think. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { codes } from "../../src/base/codes.js";
import { isTable, type JsonObject } from "../../src/base/json.js";
import { buildPlan } from "../../src/plan/build.js";
import { configOf, context, loadText } from "./config.js";

const planOf = (toml: string) => buildPlan(configOf(toml), context);

function problemsOf(toml: string): string[] {
  return planOf(toml).problems.map(({ code, pointer }) => `${code} ${pointer}`);
}

const hover = 'method = "textDocument/hover"\nparams = "text_document_position"';
const request = 'request = { method = "textDocument/hover", params = "text_document_position" }';
const head = '[[tools]]\nname = "t"\ndescription = "d"\ninput = "position"\n';
const tool = (lines: string) => `${head}${lines}\n${request}`;
const steps = (output: string, ...tables: string[]) =>
  `${head}output = ${output}\n${tables.map((lines) => `[[tools.steps]]\n${lines}`).join("\n")}`;

const server = '[[servers]]\nid = "s"\ncommand = "rust-analyzer"\nextensions = ["rs"]\n';
const editing =
  '[[tools]]\nname = "t"\ndescription = "d"\neffect = "edit"\ninput = "document"\noutput = "text_edits"\nrequest = { method = "textDocument/formatting", params = "text_document_formatting" }\n';
const locations = (lines: string) =>
  `${head}${lines}\nrequest = { method = "textDocument/references", params = "text_document_position" }`;
const diagnostics = (lines: string) =>
  `${head.replace("position", "document")}timeout_ms = 2000\noutput = "diagnostics"\n${lines}\n[[tools.steps]]\nid = "a"\nkind = "diagnostics"\n`;
const number = (rest = "") => `args.n = { type = "integer", description = "n"${rest} }\n`;
const above = (pointer: string) => [`plan/cap-above-limit ${pointer}`];
const n = '{ from = "input.n" }';
const symbols = (lines: string) =>
  `id = "a"\nmethod = "textDocument/documentSymbol"\nparams = "text_document"\npick = { name = "/name" }\n${lines}`;
const outline = (output: string, lines: string, more = "") =>
  `${head.replace("position", "document")}${more}output = ${output}\n[[tools.steps]]\n${symbols(lines)}`;
const members = '{ shape = "members", members = { one = { step = "a", shape = "items", max_items = 10 } } }';

/** The keys of the schema that are caps below others, each with a config that sets it too high. */
const capCases: [string, string, string[]][] = [
  [
    "a member's items above the limit",
    steps(
      '{ shape = "members", members = { one = { step = "a", shape = "locations", max_items = 201 } } }',
      'id = "a"\nmethod = "textDocument/references"\nparams = "text_document_position"',
    ),
    above("/tools/0/output/members/one/max_items"),
  ],
  [
    "lines of a snippet",
    locations('output = { shape = "locations", snippet = { context_lines = 11 } }'),
    above("/tools/0/output/snippet/context_lines"),
  ],
  [
    "characters of a snippet",
    locations('output = { shape = "locations", snippet = { max_chars = 4001 } }'),
    above("/tools/0/output/snippet/max_chars"),
  ],
  [
    "a snippet that a call may make too long",
    locations(`${number()}output = { shape = "locations", snippet = { max_chars = ${n} } }`),
    above("/tools/0/output/snippet/max_chars"),
  ],
  [
    "characters above the bytes",
    tool('max_bytes = 16384\noutput = { shape = "json", max_chars = 32769 }'),
    above("/tools/0/output/max_chars"),
  ],
  [
    "characters that a call may ask for",
    tool(`${number(", maximum = 140000")}output = { shape = "json", max_chars = ${n} }`),
    above("/tools/0/output/max_chars"),
  ],
  [
    "characters of all answers above the bytes",
    "[mcp.output]\nmax_total_chars_default = 140000",
    above("/mcp/output/max_total_chars_default"),
  ],
  [
    "a refusal above that of the dialect",
    `[dialect.listing]\nrefuse_past = 100\n${locations('refuse_past = 101\noutput = "locations"')}`,
    above("/tools/0/refuse_past"),
  ],
  [
    "a pause of a retry",
    tool("timeout_ms = 2000\nretry_empty = { attempts = 2, delay_ms = 3000 }"),
    above("/tools/0/retry_empty/delay_ms"),
  ],
  [
    "a growing pause of a retry",
    tool("timeout_ms = 2000\nretry_empty = { attempts = 2, delay_ms = 1, max_delay_ms = 3000 }"),
    above("/tools/0/retry_empty/max_delay_ms"),
  ],
  [
    "a pause of a retry of a step",
    steps(
      '"hover"\ntimeout_ms = 2000',
      `id = "a"\n${hover}\nretry_empty = { attempts = 2, delay_ms = 3000 }`,
    ),
    above("/tools/0/steps/0/retry_empty/delay_ms"),
  ],
  [
    "a growing pause of a retry of a step",
    steps(
      '"hover"\ntimeout_ms = 2000',
      `id = "a"\n${hover}\nretry_empty = { attempts = 2, delay_ms = 1, max_delay_ms = 3000 }`,
    ),
    above("/tools/0/steps/0/retry_empty/max_delay_ms"),
  ],
  [
    "a wait that a call may make as long as it likes",
    diagnostics(number()).concat(`wait_ms = ${n}`),
    above("/tools/0/steps/0/wait_ms"),
  ],
  [
    "a wait that a call may make too long",
    diagnostics(number(", maximum = 2001")).concat(`wait_ms = ${n}`),
    above("/tools/0/steps/0/wait_ms"),
  ],
  [
    "a wait of which one value is too long",
    diagnostics(number(", enum = [1, 2001]")).concat(`wait_ms = ${n}`),
    above("/tools/0/steps/0/wait_ms"),
  ],
  ["a wait that a call may choose", diagnostics(number(", maximum = 2000")).concat(`wait_ms = ${n}`), []],
  [
    "a wait in an object",
    diagnostics(
      'args.o = { type = "object", description = "o", properties = { n = { type = "integer" } } }',
    ).concat('wait_ms = { from = "input.o.n" }'),
    above("/tools/0/steps/0/wait_ms"),
  ],
  [
    "a first wait that is longer than the call",
    diagnostics("").concat("wait_ms = 1\nfirst_wait_ms = 2001"),
    above("/tools/0/steps/0/first_wait_ms"),
  ],
  [
    "a quiet time that is longer than the call",
    diagnostics("").concat("wait_ms = 2000\nsettle_ms = 2001"),
    above("/tools/0/steps/0/settle_ms"),
  ],
  [
    "a quiet time that is longer than the wait",
    diagnostics("").concat("wait_ms = 1000\nsettle_ms = 1001"),
    above("/tools/0/steps/0/settle_ms"),
  ],
  [
    "items of a step that is shown",
    outline('"items"\nmax_items = 50', "limit = 51"),
    above("/tools/0/steps/0/limit"),
  ],
  [
    "as many as a call likes",
    outline('"items"\nmax_items = 50', `limit = ${n}`, number()),
    above("/tools/0/steps/0/limit"),
  ],
  ["items of a step that is a member", outline(members, "limit = 11"), above("/tools/0/steps/0/limit")],
  ["items of a step with pages", outline('"items"\nmax_items = 50\npage = true', "limit = 51"), []],
  [
    "items of a step that another uses",
    `${outline('"items"\nmax_items = 50', "limit = 51")}\n[[tools.steps]]\nid = "b"\nmethod = "textDocument/documentSymbol"\nparams = { base = "text_document", set = { x = { from = "step.a.0" } } }\npick = { name = "/name" }`,
    [],
  ],
  [
    "items that are asked about",
    `${outline('"items"', "", number())}\n[[tools.steps]]\nid = "b"\nmethod = "textDocument/references"\neach = { from = "step.a", limit = ${n} }\nparams = { set = { x = { from = "each" } } }\npick = { name = "/name" }`,
    above("/tools/0/steps/1/each/limit"),
  ],
  [
    "diagnostics of a file above the items",
    "[limits]\nmax_items = 50\ndiagnostics_per_file = 51",
    above("/limits/diagnostics_per_file"),
  ],
  [
    "errors of a file above those of an edit",
    "[limits]\nafter_edit_total = 5\nafter_edit_per_file = 6\nafter_edit_other_files = 1",
    above("/limits/after_edit_per_file"),
  ],
  [
    "files with errors above those of an edit",
    "[limits]\nafter_edit_total = 5\nafter_edit_per_file = 1\nafter_edit_other_files = 6",
    above("/limits/after_edit_other_files"),
  ],
  ...["hover", "completion", "signature", "tooltip", "diagnostic", "fix"].map(
    (name): [string, string, string[]] => [
      `characters of a ${name} above the bytes`,
      `[limits]\n${name}_chars = 70000`,
      above(`/limits/${name}_chars`),
    ],
  ),
  [
    "calls of a session above those of all",
    "[http]\nmax_calls = 4\nmax_calls_per_session = 5",
    above("/http/max_calls_per_session"),
  ],
  [
    "a wait for headers above that for the request",
    "[http]\nbody_timeout_ms = 1000\nheaders_timeout_ms = 1001",
    above("/http/headers_timeout_ms"),
  ],
  [
    "a request that may take longer than a call",
    `${server}request_timeout_ms = 30001`,
    above("/servers/0/request_timeout_ms"),
  ],
  [
    "one method that may",
    `${server}request_timeout_overrides_ms = { "textDocument/hover" = 30001 }`,
    above("/servers/0/request_timeout_overrides_ms/textDocument~1hover"),
  ],
];

const cases: [string, string, string[]][] = [
  ["items above the limit", tool("max_items = 9000"), ["plan/cap-above-limit /tools/0/max_items"]],
  ["bytes above the limit", tool("max_bytes = 70000"), ["plan/cap-above-limit /tools/0/max_bytes"]],
  ["time above the limit", tool("timeout_ms = 600000"), ["plan/cap-above-limit /tools/0/timeout_ms"]],
  [
    "a default above the most",
    tool("max_items = 5\ndefault_items = 6"),
    ["plan/cap-above-limit /tools/0/default_items"],
  ],
  [
    "a page above the largest",
    `[limits]\nmax_items = 5000\n${head}page = true\ndefault_items = 201\noutput = "locations"\nrequest = { method = "textDocument/references", params = "text_document_position" }`,
    ["plan/cap-above-limit /tools/0/default_items"],
  ],
  [
    "characters above the limit",
    `[mcp.output]\nmax_total_chars_hard = 20000\n${tool('output = { shape = "json", max_chars = 30000 }')}`,
    ["plan/cap-above-limit /tools/0/output/max_chars"],
  ],
  [
    "a default of characters above the limit",
    "[mcp.output]\nmax_total_chars_hard = 20000\nmax_total_chars_default = 30000",
    ["plan/cap-above-limit /mcp/output/max_total_chars_default"],
  ],
  [
    "a wait that is longer than the call",
    steps('"diagnostics"\ntimeout_ms = 2000', 'id = "a"\nkind = "diagnostics"\nwait_ms = 3000').replace(
      "position",
      "document",
    ),
    ["plan/cap-above-limit /tools/0/steps/0/wait_ms"],
  ],
  ...capCases,
  ["caps at the limits", tool("max_items = 200\nmax_bytes = 65536\ntimeout_ms = 30000"), []],
  [
    "an argument that nothing refers to",
    tool('args.x = { type = "string", description = "x" }'),
    ["plan/unused-argument /tools/0/args/x"],
  ],
  [
    "one that clients send in vain",
    tool('args.x = { type = "string", no_effect = true, description = "x" }'),
    [],
  ],
  [
    "a member of an argument that nothing refers to",
    `${head}args.o = { type = "object", description = "o", properties = { a = { type = "integer" }, b = { type = "integer" } } }\nrequest = { method = "textDocument/hover", params = { base = "text_document_position", set = { a = { from = "input.o.a" } } } }`,
    ["plan/unused-argument /tools/0/args/o/properties/b"],
  ],
  [
    "an argument that is only a condition",
    steps('"hover"', `id = "a"\n${hover}\nwhen = { argument = "x" }`).replace(
      "output =",
      'args.x = { type = "boolean", required = false, description = "x" }\noutput =',
    ),
    [],
  ],
  [
    "an argument of the output",
    tool(
      'args.n = { type = "integer", maximum = 20000, description = "n" }\noutput = { shape = "json", max_chars = { from = "input.n" } }',
    ),
    [],
  ],
  [
    "a lost value",
    steps('"hover"', `id = "a"\n${hover}`, `id = "b"\n${hover}`),
    ["plan/lost-value /tools/0/steps/0"],
  ],
  [
    "a value that is checked",
    steps('"hover"', `id = "a"\n${hover}\nexpect = "value"`, `id = "b"\n${hover}`),
    [],
  ],
  [
    "a value that stands in for another",
    steps('"hover"', `id = "a"\n${hover}\nor_else = "b"`, `id = "b"\n${hover}`),
    [],
  ],
  [
    "values side by side, and one that is forgotten",
    steps(
      '{ shape = "members", members = { one = { step = "a", shape = "hover" } } }',
      `id = "a"\n${hover}`,
      `id = "b"\n${hover}`,
    ),
    ["plan/lost-value /tools/0/steps/1"],
  ],
  [
    "a value that a later step uses",
    steps(
      '"hover"',
      `id = "a"\n${hover}`,
      'id = "b"\nmethod = "textDocument/hover"\nparams = { base = "text_document_position", set = { x = { from = "step.a.contents" } } }',
    ),
    [],
  ],
  ["no description", tool("").replace('description = "d"\n', ""), ["plan/no-description /tools/0"]],
  [
    "a template in a value",
    steps(
      '"hover"',
      'id = "a"\nmethod = "textDocument/hover"\nparams = { base = "text_document_position", set = { x = { y = ["#{{input.line}}"] } } }',
    ),
    ["plan/literal-template /tools/0/steps/0"],
  ],
  [
    "the code of an unknown tool without its number",
    '[dialect.errors]\ncodes = { "guard/unknown-tool" = "x" }',
    ["plan/dead-mapping /dialect/errors/codes/guard~1unknown-tool"],
  ],
  [
    "the number of an unknown tool",
    '[dialect.errors]\ntext = "{{number}}"\ncodes = { "guard/unknown-tool" = "x" }\nnumbers = { "guard/unknown-tool" = -1 }',
    [],
  ],
  [
    "the same as JSON-RPC errors",
    '[dialect.errors]\nform = "protocol"\nnumbers = { "guard/unknown-tool" = -1 }',
    [],
  ],
  [
    "numbers that nothing shows",
    "[dialect.errors]\nnumbers = { lsp = -1 }",
    ["plan/dead-mapping /dialect/errors/numbers"],
  ],
  [
    "a text of JSON-RPC errors",
    '[dialect.errors]\nform = "protocol"\ntext = "{{message}}"',
    ["plan/dead-mapping /dialect/errors/text"],
  ],
  [
    "codes that a text leaves out",
    '[dialect]\nresult = "text"\nerrors = { text = "{{message}}", codes = { lsp = "x" } }',
    ["plan/dead-mapping /dialect/errors/codes"],
  ],
];

const edit = '[dialect.errors]\ncodes = { edit = "x" }\n';
const dead = (pointer: string) => [`plan/dead-mapping /dialect/${pointer}`];
const prompt = (lines: string) => `[[prompts]]\nname = "p"\n${lines}`;
const resource = (lines: string) =>
  `[[resources]]\nname = "r"\ntool = "t"\n${lines}\n${tool("").replaceAll("position", "document").replace("hover", "documentSymbol").replace("text_document_document", "text_document")}`;

const surfaceCases: [string, string, string[]][] = [
  [
    "a prompt without a description",
    prompt('messages = [{ text = "Do it." }]'),
    ["plan/no-description /prompts/0"],
  ],
  [
    "an argument of a prompt without one, and one that no message uses",
    prompt(
      'description = "d"\nargs.a = {}\nargs.b = { description = "b" }\nmessages = [{ text = "b: {{#if a}}{{a}}{{/if}}" }]',
    ),
    ["plan/no-description /prompts/0/args/a", "plan/unused-argument /prompts/0/args/b"],
  ],
  [
    "an argument of a prompt whose name is only in quotes",
    prompt('description = "d"\nargs.a = { description = "a" }\nmessages = [{ text = "{{json \\"a\\"}}" }]'),
    ["plan/unused-argument /prompts/0/args/a"],
  ],
  [
    "an argument that the second message uses",
    prompt(
      'description = "d"\nargs.a = { description = "a" }\nmessages = [{ text = "x" }, { role = "assistant", text = "{{one_line a}}" }]',
    ),
    [],
  ],
  [
    "a resource without a description",
    resource('uri = "lsp://r/{path}"\nargs = { file_path = { from = "uri.path" } }'),
    ["plan/no-description /resources/0"],
  ],
  [
    "a part of a URI that no argument takes",
    resource(
      'description = "d"\nuri = "lsp://r/{path}/{more}"\nargs = { file_path = { from = "uri.path" } }',
    ),
    ["plan/unused-argument /resources/0/uri"],
  ],
  ["edits that no tool makes", edit + tool(""), dead("errors/codes/edit")],
  ["edits that a tool makes", `[allow]\neffects = ["edit"]\n${edit}${editing}`, []],
  ["edits that the config does not allow", edit + editing, dead("errors/codes/edit")],
  [
    "edits of a place that must be free",
    `${edit}${tool('args.to = { type = "path", exists = false, description = "t" }').replace('params = "text_document_position"', 'params = { base = "text_document_position", set = { newUri = { from = "input.to" } } }')}`,
    [],
  ],
  [
    "cursors where nothing has pages",
    `[dialect.errors]\nmessages = { page = "x" }\n${tool("")}`,
    dead("errors/messages/page"),
  ],
  [
    "cursors of pages",
    `[dialect.errors]\nmessages = { page = "x" }\n${locations('page = true\noutput = "locations"')}`,
    [],
  ],
  [
    "lines that nothing points at",
    `[dialect.errors]\ncodes = { "point/no-line" = "x" }\n${tool("")}`,
    dead("errors/codes/point~1no-line"),
  ],
  [
    "steps that must find nothing",
    `[dialect.errors]\ncodes = { "call/must-be-empty" = "x" }\n${tool("")}`,
    dead("errors/codes/call~1must-be-empty"),
  ],
  [
    "a step that must find nothing",
    `[dialect.errors]\ncodes = { "call/must-be-empty" = "x" }\n${steps('"hover"', `id = "a"\n${hover}\nexpect = "none"`, `id = "b"\n${hover}`)}`,
    [],
  ],
  [
    "a family of which every code has its own word",
    `[dialect.errors]\ncodes = { route = "x", "route/no-server" = "y" }\n${tool("")}`,
    dead("errors/codes/route"),
  ],
  [
    "warnings about configs, which no answer has",
    `[dialect.warnings]\ncodes = { plan = "x", answer = "y" }\n${tool("")}`,
    dead("warnings/codes/plan"),
  ],
  [
    "a warning of a step that nothing has",
    `[dialect.warnings]\ncodes = { "answer/or-else" = "x" }\n${tool("")}`,
    dead("warnings/codes/answer~1or-else"),
  ],
  [
    "a number of a code that never occurs",
    `[dialect.errors]\ntext = "{{number}}"\nnumbers = { edit = -1, lsp = -2 }\n${tool("")}`,
    dead("errors/numbers/edit"),
  ],
];

describe("prompts, resources and mappings", () => {
  it.each(surfaceCases)("%s", (_, toml, expected) => {
    expect(problemsOf(toml)).toEqual(expected);
  });

  it("a shipped dialect may have words for tools that a config adds", () => {
    const loaded = loadText('[mcp]\ncontext = "lspi"\n');
    expect(buildPlan(loaded.config, loaded).problems).toEqual([]);
  });

  it.each([
    ["no argument that the tool needs", "", "The tool `t` needs `file_path`."],
    ["a value that the tool does not take", "args = { file_path = 3 }", "`file_path` of `t` must be a text."],
  ])("a resource with %s can never be read", (_, args, message) => {
    const { problems } = planOf(resource(`description = "d"\nuri = "lsp://r"\n${args}`));
    expect(problems).toMatchObject([{ code: "plan/bad-resource", severity: "error", message }]);
  });

  it("a resource needs what one of the ways to point needs", () => {
    const of = (args: string) =>
      planOf(
        `[[resources]]\nname = "r"\ndescription = "d"\nuri = "lsp://r/{x}"\ntool = "t"\nargs = { ${args} }\n${tool("").replace('"position"', '["position", "symbol"]')}`,
      ).problems.map(({ message }) => message);
    expect(of('symbol_name = { from = "uri.x" }')).toEqual([]);
    expect(of('file_path = { from = "uri.x" }')).toEqual(["The tool `t` needs `symbol_name`."]);
    expect(of('file_path = { from = "uri.x" }, line = 1, character = 1')).toEqual([]);
  });

  it("a resource gives what the tool requires besides", () => {
    const { problems } = planOf(
      `[[resources]]\nname = "r"\ndescription = "d"\nuri = "lsp://r/{x}"\ntool = "t"\nargs = { symbol_name = { from = "uri.x" } }\n${tool('require = ["file_path"]').replace('"position"', '["position", "symbol"]')}`,
    );
    expect(problems.map(({ message }) => message)).toEqual(["The tool `t` needs `file_path`."]);
  });
});

/** Numbers of the schema that are no caps below others, and why. */
const notCapped: { [why: string]: string[] } = {
  "the limits themselves": [
    "dialect/listing/refuse_past",
    "http/body_timeout_ms",
    "http/max_calls",
    "limits/after_edit_total",
    "limits/max_bytes",
    "limits/max_items",
    "limits/timeout_ms",
    "mcp/output/max_total_chars_hard",
  ],
  "counts that nothing else limits": [
    "http/max_body_bytes",
    "http/max_sessions",
    "limits/after_edit_checked_files",
    "limits/candidates",
    "limits/hover_parts",
    "limits/max_file_bytes",
    "limits/max_message_bytes",
    "limits/max_open_documents",
    "limits/max_servers",
    "limits/proxy_memory_mb",
    "limits/refusal_actions",
    "limits/refusal_places",
    "limits/source_files",
    "limits/stderr_lines",
    "servers/limits/memory_mb",
    "servers/limits/nice",
    "servers/limits/open_files",
    "servers/limits/processes",
    "servers/restart/max",
    "servers/symbol_limit",
    "servers/warm_imports",
    "tools/retry_empty/attempts",
    "tools/steps/each/depth",
    "tools/steps/retry_empty/attempts",
  ],
  "times outside calls": [
    "http/drain_ms",
    "http/session_idle_ms",
    "servers/check/pause_ms",
    "servers/check/within_ms",
    "servers/idle_shutdown_ms",
    "servers/initialize_timeout_ms",
    "servers/restart/window_ms",
    "servers/restart_interval_minutes",
    "servers/warmup_timeout_ms",
    "share/idle_minutes",
  ],
  "no caps": [
    "dialect/errors/numbers/*",
    "dialect/position/character_base",
    "dialect/position/line_base",
    "http/port",
    "servers/priority",
    "version",
  ],
};

/** The paths of all numbers in the schema of configs; a value of any kind, and a part of an argument, is a reference. */
function numbersOf(schema: JsonObject): string[] {
  const found = new Set<string>();
  const visit = (node: unknown, path: string): void => {
    if (!isTable(node)) return;
    if (node.type === "integer" || node.type === "number") found.add(path);
    for (const one of [node.anyOf, node.oneOf].flat()) visit(one, path);
    const inside = (key: string) => (path === "" ? key : `${path}/${key}`);
    if (isTable(node.properties))
      for (const [key, value] of Object.entries(node.properties)) visit(value, inside(key));
    visit(node.items, path);
    visit(node.additionalProperties, inside("*"));
  };
  visit(schema, "");
  return [...found];
}

describe("every cap that a config can set", () => {
  const schema = JSON.parse(
    readFileSync(fileURLToPath(new URL("../../configs/schema.json", import.meta.url)), "utf8"),
  ) as JsonObject;
  // The bounds of arguments are for calls, which are refused beyond them.
  const all = numbersOf(schema).filter((path) => !path.startsWith("tools/args/"));
  const checked = cases
    .flatMap(([, , expected]) => expected)
    .flatMap((line) => (line.startsWith("plan/cap-above-limit /") ? [line.split(" /")[1] ?? ""] : []))
    .map((pointer) =>
      pointer.replaceAll(/\/\d+(?=\/|$)/g, "").replace(/(members|overrides_ms)\/[^/]+/, "$1/*"),
    );

  it("is compared with what limits it, or limited by nothing", () => {
    const known = new Set([...checked, ...Object.values(notCapped).flat()]);
    expect(all.filter((path) => !known.has(path))).toEqual([]);
    expect(
      Object.values(notCapped)
        .flat()
        .filter((path) => !all.includes(path) || checked.includes(path)),
    ).toEqual([]);
  });
});

describe("findings", () => {
  it.each(cases)("%s", (_, toml, expected) => {
    expect(problemsOf(toml)).toEqual(expected);
  });

  it("are warnings, so that the config still runs", () => {
    for (const [, toml] of [...cases, ...surfaceCases])
      for (const { code, severity } of planOf(toml).problems) {
        expect(severity).toBe("warning");
        expect(codes[code as keyof typeof codes].kind).toBe("warning");
      }
  });

  it.each([
    ["a wait", diagnostics('args.n = { type = "string", description = "n" }').concat(`wait_ms = ${n}`)],
    ["a limit", outline('"items"', `limit = ${n}`, 'args.n = { type = "boolean", description = "n" }\n')],
    [
      "a size",
      tool(`args.n = { type = "string", description = "n" }\noutput = { shape = "json", max_chars = ${n} }`),
    ],
  ])("an argument that is no number is an error: %s", (_, toml) => {
    expect(planOf(toml).problems).toMatchObject([
      { code: "plan/bad-step", severity: "error", message: "The argument `n` is no number." },
    ]);
  });

  it("say what happens instead, and which key is the limit", () => {
    const message = (toml: string) => planOf(toml).problems.map((problem) => problem.message);
    expect(message(diagnostics("").concat("wait_ms = 2001"))).toEqual([
      "The value 2001 is above the tool's `timeout_ms`, so the call ends before.",
    ]);
    expect(message(outline('"items"\nmax_items = 50', "limit = 51"))).toEqual([
      "The value 51 is above the tool's `max_items`, so 50 is used.",
    ]);
    expect(message(outline('"items"', "limit = 201"))).toEqual([
      "The value 201 is above `limits.max_items`, so 200 is used.",
    ]);
    expect(message(outline('"items"', `limit = ${n}`, number()))).toEqual([
      "The argument `n` has no `maximum`, so a call may give more than `limits.max_items`, which is 200.",
    ]);
  });

  it("a shipped tool may have a cap for configs with other limits", () => {
    const loaded = loadText("[limits]\ntimeout_ms = 200\nmax_items = 2\nmax_bytes = 16384\n");
    expect(buildPlan(loaded.config, loaded).problems).toEqual([]);
  });
});

const profiles = readdirSync(fileURLToPath(new URL("../../configs/profiles/", import.meta.url)));

describe("shipped profiles have none", () => {
  it.each(profiles.map((name) => name.replace(".toml", "")))("%s", (name) => {
    const loaded = loadText(`[mcp]\ncontext = "${name}"\n[allow]\neffects = ["read", "edit", "command"]\n`);
    // A profile may have words for tools that a config adds, and tools for servers that it does not have.
    const isForOthers = (pointer: string) => /^\/dialect\/|\/servers$/.test(pointer);
    const origin = (pointer: string) => (isForOthers(pointer) ? "profile" : "config");
    const { problems } = buildPlan(loaded.config, { ...loaded, ...context, locate: loaded.locate, origin });
    expect(problems.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`)).toEqual([]);
  });
});

describe("instructions", () => {
  const server = '[[servers]]\nid = "x"\nkind = "gopls"\n';
  const endOf = (toml: string) =>
    planOf(`${toml}\n${server}${tool("")}`).plan.mcp.instructions.split("Tools: t. ")[1];

  it("without a server do not promise to know the code", () => {
    const { instructions } = planOf(tool("")).plan.mcp;
    expect(instructions).toContain("No language server is configured or was found for this workspace");
    expect(instructions).not.toContain("it knows the code");
  });

  it("name only members that answers have", () => {
    expect(endOf("")).toBe("`readiness` and `truncated` say whether an answer is complete.");
    expect(endOf('[dialect]\nresult = "text"')).toBe("A second block of text says what an answer lacks.");
    expect(endOf('[dialect]\nresult = "text"\ntext = "json"')).toContain("`readiness`");
    expect(endOf('[dialect]\nmembers = { readiness = "", truncated = "isCut" }')).toBe(
      "`isCut` says whether an answer is complete.",
    );
  });
});
