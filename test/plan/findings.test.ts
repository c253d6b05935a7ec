/** What `validate` warns of: tools that work, but not as their author may think. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { codes } from "../../src/base/codes.js";
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

describe("findings", () => {
  it.each(cases)("%s", (_, toml, expected) => {
    expect(problemsOf(toml)).toEqual(expected);
  });

  it("are warnings, so that the config still runs", () => {
    for (const [, toml] of cases)
      for (const { code, severity } of planOf(toml).problems) {
        expect(severity).toBe("warning");
        expect(codes[code as keyof typeof codes].kind).toBe("warning");
      }
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
  const endOf = (toml: string) => planOf(`${toml}\n${tool("")}`).plan.mcp.instructions.split("Tools: t. ")[1];

  it("speak only of members that answers have", () => {
    expect(endOf("")).toBe("`readiness` and `truncated` say whether an answer is complete.");
    expect(endOf('[dialect]\nresult = "text"')).toBe("A second block of text says what an answer lacks.");
    expect(endOf('[dialect]\nresult = "text"\ntext = "json"')).toContain("`readiness`");
    expect(endOf('[dialect]\nmembers = { readiness = "", truncated = "isCut" }')).toBe(
      "`isCut` says whether an answer is complete.",
    );
  });
});
