/** Declared arguments: what may be said, what is a problem, and which texts may reach a parameter that is a URI. */
import { describe, expect, it } from "vitest";
import type { ArgPlan } from "../../src/abi/plan.js";
import { isTable, type JsonObject } from "../../src/base/json.js";
import { inputSchema } from "../../src/emit/input-schema.js";
import { patternProblem } from "../../src/plan/arg-pattern.js";
import { planOf, planText } from "./config.js";

/** Code and pointer of every problem of a tool `t` that asks `x/y`. */
function problemsOf(lines: string): string[] {
  const { problems } = planOf(
    `[[methods]]\nmethod = "x/y"\nuris = ["/file", "/files"]\n[[tools]]\nname = "t"\n${lines}`,
  );
  return problems.map(({ code, pointer }) => `${code} ${pointer.replace("/tools/0", "")}`);
}

const sends = (set: string) => `request = { method = "x/y", params = { set = { ${set} } } }`;
const arg = (name: string, rest: string) => `args.${name} = { description = "d", ${rest} }\n`;

describe("texts where a URI is wanted", () => {
  const bad = (pointer: string) => [`plan/unchecked-uri /request/params/set${pointer}`];
  const text = arg("to", 'type = "string"');

  it.each([
    ["a member called uri", `uri = { from = "input.to" }`, bad("/uri")],
    ["newUri", `newUri = { from = "input.to" }`, bad("/newUri")],
    ["oldUri in a list of files", `files = [{ oldUri = { from = "input.to" } }]`, bad("/files/0/oldUri")],
    ["textDocument.uri", `textDocument = { uri = { from = "input.to" } }`, bad("/textDocument/uri")],
    ["a list of URIs", `uris = [{ from = "input.to" }]`, bad("/uris/0")],
    ["a parameter that the method declares", `file = { from = "input.to" }`, bad("/file")],
    ["a list that the method declares", `files = [{ from = "input.to" }]`, bad("/files/0")],
    ["any other member", `name = { from = "input.to" }`, []],
  ])("%s", (_, set, problems) => {
    expect(problemsOf(text + sends(set))).toEqual(problems);
    // The same place takes a path and a URI.
    for (const type of ["path", "uri"])
      expect(problemsOf(arg("to", `type = "${type}"`) + sends(set))).toEqual([]);
  });

  it("inside lists and objects", () => {
    const inner = 'properties = { uri = { type = "string" }, name = { type = "string" } }';
    const item = arg("item", `type = "object", ${inner}`);
    expect(problemsOf(item + sends('item = { from = "input.item" }'))).toEqual(bad("/item"));
    const list = arg("items", `type = "list", items = { type = "object", ${inner} }`);
    expect(problemsOf(list + sends('items = { from = "input.items" }'))).toEqual(bad("/items"));
    expect(problemsOf(item + sends('uri = { from = "input.item.name" }'))).toEqual(bad("/uri"));
    const checked = item.replace('uri = { type = "string" }', 'uri = { type = "uri" }');
    expect(problemsOf(checked + sends('item = { from = "input.item" }'))).toEqual([]);
  });

  it("a table with the client's own keys, all arguments at once, and a pointing argument", () => {
    const map = arg("map", 'type = "string_map"');
    expect(problemsOf(map + sends('textDocument = { from = "input.map" }'))).toEqual(bad("/textDocument"));
    expect(problemsOf(arg("uri", 'type = "string"') + sends('all = { from = "input" }'))).toEqual(
      bad("/all"),
    );
    const pointed = 'input = "document"\n';
    expect(problemsOf(pointed + sends('uri = { from = "input.file_path" }'))).toEqual(bad("/uri"));
    expect(problemsOf(pointed + sends('uri = { from = "document.uri" }'))).toEqual([]);
  });

  it("the config's own values are its author's", () => {
    const closed = arg("to", 'type = "string", enum = ["untitled:a", "untitled:b"]');
    expect(problemsOf(closed + sends('uri = { from = "input.to" }'))).toEqual([]);
    expect(problemsOf(sends('uri = "untitled:a"'))).toEqual([]);
    expect(
      problemsOf(
        arg("includeUris", 'type = "boolean"') + sends('includeUris = { from = "input.includeUris" }'),
      ),
    ).toEqual([]);
  });

  describe("the arguments of a command", () => {
    const inputs: { [name: string]: string } = {
      text: arg("to", 'type = "string"'),
      texts: arg("to", 'type = "string_list"'),
      list: arg("to", 'type = "list", items = { type = "string" }'),
      object: arg("to", 'type = "object", properties = { a = { type = "string" } }'),
      map: arg("to", 'type = "string_map"'),
      name: 'input = "symbol"\n',
      search: 'input = "query"\n',
      path: arg("to", 'type = "path"'),
      paths: arg("to", 'type = "list", items = { type = "path" }'),
      symbol: arg("to", 'type = "symbol"'),
      number: arg("to", 'type = "integer"'),
      word: arg("to", 'type = "string", enum = ["a", "b"]'),
      date: arg("to", 'type = "string", format = "date"'),
      email: arg("to", 'type = "string", format = "email"'),
    };
    const found = (input: string, list: string, uris = "") => {
      const { problems } = planOf(
        `[allow]\neffects = ["command"]\n[[servers]]\nid = "s"\ncommand = "rust-analyzer"\nextensions = ["rs"]\nexecute_commands = ["c"]\n[[tools]]\nname = "t"\neffect = "command"\n${inputs[input]}[[tools.steps]]\nid = "a"\nkind = "execute_command"\ncommand = "c"\narguments = ${list}\n${uris}`,
      );
      return problems.map(({ code, pointer }) => `${code} ${pointer.replace("/tools/0/steps/0", "")}`);
    };
    const to = '{ from = "input.to" }';
    const unchecked = (pointer: string) => [`plan/unchecked-uri /arguments${pointer}`];

    it.each([
      ["a member called URI", "text", `[{ URI = ${to} }]`, unchecked("/0/URI")],
      ["a text by itself", "text", `[${to}]`, unchecked("/0")],
      ["a text under any name", "text", `["x", { file = ${to} }]`, unchecked("/1/file")],
      ["a list of texts as all arguments", "texts", to, unchecked("")],
      ["another list of texts", "list", to, unchecked("")],
      ["an object with a text", "object", `[${to}]`, unchecked("/0")],
      ["a table with any keys", "map", `[${to}]`, unchecked("/0")],
      ["the name of a symbol", "name", '[{ from = "input.symbol_name" }]', unchecked("/0")],
      ["a search text", "search", '[{ from = "input.query" }]', unchecked("/0")],
      ["all arguments at once", "search", '[{ from = "input" }]', unchecked("/0")],
      ["the name in a symbol argument", "symbol", '[{ from = "input.to.name" }]', unchecked("/0")],
      ["a path", "path", `[${to}]`, []],
      ["the absolute path of one", "path", '[{ file = { from = "input.to.absolute_path" } }]', []],
      ["paths", "paths", `[${to}]`, []],
      ["the path as the client wrote it", "name", '[{ from = "input.file_path" }]', unchecked("/0")],
      ["the file that a call points at", "name", '[{ from = "document.uri" }]', []],
      ["a number", "number", `[${to}]`, []],
      ["a word of the author's", "word", `[${to}]`, []],
      ["a date", "date", `[${to}]`, []],
      ["an email address, which may have slashes", "email", `[${to}]`, unchecked("/0")],
    ])("%s", (_, input, list, problems) => {
      expect(found(input, list)).toEqual(problems);
    });

    it.each([
      ["none is a URI", "text", `[${to}]`, "uris = []", []],
      ["another one is", "text", `["a", ${to}]`, 'uris = ["/0"]', []],
      ["this one is", "text", `["a", ${to}]`, 'uris = ["/1"]', unchecked("/1")],
      ["this member is", "text", `[{ file = ${to} }]`, 'uris = ["/0/file"]', unchecked("/0/file")],
      ["each of a list may be", "texts", to, 'uris = ["/3"]', unchecked("")],
      ["none of a list is", "texts", to, "uris = []", []],
      ["none is, but a member is called so", "text", `[{ URI = ${to} }]`, "uris = []", unchecked("/0/URI")],
      ["keys are still the client's", "map", `[${to}]`, "uris = []", unchecked("/0")],
      ["a path may go there", "path", `[${to}]`, 'uris = ["/0"]', []],
      ["its absolute path too", "path", '[{ from = "input.to.absolute_path" }]', 'uris = ["/0"]', []],
      ["but no name", "symbol", '[{ from = "input.to.name" }]', 'uris = ["/0"]', unchecked("/0")],
      [
        "a URI is no path",
        "path",
        '[{ URI = { from = "input.to.absolute_path" } }]',
        "uris = []",
        unchecked("/0/URI"),
      ],
    ])("where the step says that %s", (_, input, list, uris, problems) => {
      expect(found(input, list, uris)).toEqual(problems);
    });
  });

  describe("parameters that nothing describes", () => {
    const text = arg("to", 'type = "string"');
    const found = (lines: string, methods = "") =>
      planOf(`${methods}[[tools]]\nname = "t"\neffect = "command"\n${text}${lines}`).problems.map(
        ({ code, pointer }) => `${code} ${pointer.replace("/tools/0", "")}`,
      );
    const request = (method: string, set: string) =>
      `request = { method = "${method}", params = { set = { ${set} } } }`;
    const notify = (method: string, set: string) =>
      `[[tools.steps]]\nid = "a"\nkind = "notify"\nmethod = "${method}"\nparams = { set = { ${set} } }`;
    const declared = (method: string, rest = "") => `[[methods]]\nmethod = "${method}"\n${rest}`;
    const to = '{ from = "input.to" }';
    const set = "/request/params/set";

    it("of a method outside the specification", () => {
      const asks = request("x/z", `left = ${to}`);
      expect(found(asks, declared("x/z"))).toEqual([`plan/unchecked-uri ${set}/left`]);
      expect(found(asks, declared("x/z", "uris = []\n"))).toEqual([]);
      expect(found(asks, declared("x/z", 'uris = ["/left"]\n'))).toEqual([`plan/unchecked-uri ${set}/left`]);
    });

    it("of a notification outside the specification", () => {
      const sends = notify("x/z", `left = ${to}`);
      const own = declared("x/z", "notification = true\n");
      expect(found(sends, own)).toEqual(["plan/unchecked-uri /steps/0/params/set/left"]);
      expect(found(sends, `${own}uris = []\n`)).toEqual([]);
    });

    it("of the specification are known", () => {
      expect(found(request("workspace/symbol", `query = ${to}`))).toEqual([]);
    });

    it("that every server fills as it likes", () => {
      const resolve = request("completionItem/resolve", `label = ${to}, data = { file = ${to} }`);
      expect(found(resolve)).toEqual([`plan/unchecked-uri ${set}/data/file`]);
      expect(found(resolve, declared("completionItem/resolve", "uris = []\n"))).toEqual([]);
      const lens = request("codeLens/resolve", `command = { title = ${to}, arguments = [${to}] }`);
      expect(found(lens)).toEqual([`plan/unchecked-uri ${set}/command/arguments/0`]);
      const settings = notify("workspace/didChangeConfiguration", `settings = { path = ${to} }`);
      expect(found(settings)).toEqual(["plan/unchecked-uri /steps/0/params/set/settings/path"]);
    });

    it("says where to describe them", () => {
      const { problems } = planOf(
        `${declared("x/z")}[[tools]]\nname = "t"\n${text}${request("x/z", `left = ${to}`)}`,
      );
      expect(problems[0]).toMatchObject({
        severity: "error",
        message:
          "Nothing says whether the parameter `/left` is a URI, and `input.to` is not checked against the roots.",
        fix: expect.stringContaining("`uris` of the `[[methods]]` entry for `x/z`, `[]` for none"),
      });
    });
  });

  describe("the answers of tools, which may repeat texts", () => {
    const head = `[dialect]\necho = "input"\n[[methods]]\nmethod = "x/y"\nuris = []\n[[tools]]\nname = "search"\ninput = "query"\noutput = "workspace_symbols"\nrequest = { method = "workspace/symbol", params = { set = { query = { from = "input.query" } } } }\n[[tools]]\nname = "t"\ninput = "query"\neffect = "command"\n`;
    const steps = (...tables: string[]) => tables.map((lines) => `[[tools.steps]]\n${lines}\n`).join("");
    const found = (lines: string) =>
      planOf(`${head}${lines}`).problems.map(
        ({ code, pointer }) => `${code} ${pointer.replace("/tools/1", "")}`,
      );
    const search = 'id = "a"\ntool = "search"\nargs = { query = { from = "input.query" } }';
    const send = (set: string) => `id = "b"\nmethod = "x/y"\nparams = { set = { ${set} } }`;
    const bad = (pointer: string) => [`plan/unchecked-uri ${pointer}`];

    it.each([
      [
        "where a URI is wanted",
        steps(search, send('uri = { from = "step.a.input.query" }')),
        bad("/steps/1/params/set/uri"),
      ],
      ["as a table", steps(search, send('doc = { from = "step.a.input" }')), bad("/steps/1/params/set/doc")],
      [
        "under any name",
        steps(search, send('name = { from = "step.a.symbols.0.name" }')),
        bad("/steps/1/params/set/name"),
      ],
      [
        "called for each item of an argument",
        `args.files = { type = "string_list", description = "d" }\n${steps(
          'id = "a"\ntool = "search"\neach = { from = "input.files", keep = true }\nargs = { query = { from = "each" } }',
          send('uri = { from = "step.a.0.item" }'),
        )}`,
        bad("/steps/1/params/set/uri"),
      ],
      [
        "in the place of another step",
        steps(
          'id = "a"\nmethod = "x/y"\nor_else = "c"',
          search.replace('"a"', '"c"'),
          send('uri = { from = "step.a.input.query" }'),
        ),
        bad("/steps/2/params/set/uri"),
      ],
      [
        "of which one item was chosen",
        steps(
          search,
          'id = "c"\nkind = "choose"\nfrom = "step.a.symbols"\nitem = { from = "input.query" }',
          send('uri = { from = "step.c.name" }'),
        ),
        bad("/steps/2/params/set/uri"),
      ],
      [
        "in a notification",
        steps(
          search,
          'id = "b"\nkind = "notify"\nmethod = "workspace/didChangeConfiguration"\nparams = { set = { settings = { from = "step.a.input" } } }',
        ),
        bad("/steps/1/params/set/settings"),
      ],
      [
        "of the runtime",
        steps('id = "a"\nkind = "runtime"\naction = "server_status"', send('x = { from = "step.a" }')),
        bad("/steps/1/params/set/x"),
      ],
      [
        "passed on to a tool, which checks them",
        `output = "json"\n${steps(search, 'id = "b"\ntool = "search"\nargs = { query = { from = "step.a.input.query" } }')}`,
        [],
      ],
      [
        "but not the replies of servers",
        steps('id = "a"\nmethod = "x/y"', send('uri = { from = "step.a.uri" }')),
        [],
      ],
    ])("%s", (_, lines, problems) => {
      expect(found(lines)).toEqual(problems);
    });
  });

  it("arguments that a tool has without declaring them", () => {
    const { problems } = planOf(
      `[allow]\neffects = ["edit"]\n[[tools]]\nname = "t"\ndescription = "d"\neffect = "edit"\ninput = ["document"]\noutput = { shape = "text_edits", apply = "on_request" }\nrequest = { method = "textDocument/formatting", params = { base = "text_document_formatting", set = { textDocument = { from = "input.expected_before_sha256" } } } }`,
    );
    expect(problems.map(({ code }) => code)).toContain("plan/unchecked-uri");
  });

  it("says what to write instead", () => {
    const { problems } = planOf(
      `[[methods]]\nmethod = "x/y"\n[[tools]]\nname = "t"\n${text}${sends('newUri = { from = "input.to" }')}`,
    );
    expect(problems[0]).toMatchObject({
      severity: "error",
      message: "The parameter `/newUri` is a URI, and `input.to` is not checked against the roots.",
      fix: expect.stringContaining('type = "path"'),
    });
  });
});

describe("references", () => {
  const nested = arg("options", 'type = "object", properties = { size = { type = "integer", default = 2 } }');

  it.each([
    ["a member of an object", nested, 'size = { from = "input.options.size" }', []],
    [
      "a member that does not exist",
      nested,
      'size = { from = "input.options.sise" }',
      ["plan/bad-reference /request/params/set/size/from"],
    ],
    [
      "a member of a text",
      arg("to", 'type = "string"'),
      'x = { from = "input.to.uri" }',
      ["plan/bad-reference /request/params/set/x/from"],
    ],
    ["a member of a path", arg("to", 'type = "path"'), 'x = { from = "input.to.text_document" }', []],
    [
      "a position of a path",
      arg("to", 'type = "path"'),
      'x = { from = "input.to.position" }',
      ["plan/bad-reference /request/params/set/x/from"],
    ],
    [
      "whether an argument is given",
      arg("to", 'type = "string", required = false'),
      'x = { from = "input.to", given = 2, missing = 1 }',
      [],
    ],
    [
      "whether something else is given",
      arg("to", 'type = "string"'),
      'y = { from = "input.to" }, x = { from = "input", given = 2, missing = 1 }',
      ["plan/bad-reference /request/params/set/x/from"],
    ],
    [
      "a reference in place of an argument that is not given",
      arg("to", 'type = "string"'),
      'x = { from = "input.to", given = 2, missing = { from = "input.to" } }',
      ["plan/bad-reference /request/params/set/x/missing"],
    ],
    ["the name of a symbol", arg("to", 'type = "symbol"'), 'x = { from = "input.to.name" }', []],
  ])("%s", (_, args, set, problems) => {
    expect(problemsOf(args + sends(set))).toEqual(problems);
  });

  it("only servers get positions", () => {
    const runtime = (member: string) =>
      `effect = "edit"\noutput = "workspace_edit"\n${arg("to", 'type = "position"')}[[tools.steps]]\nid = "a"\nkind = "runtime"\naction = "delete_file"\nargs = { path = { from = "input.to.${member}" } }`;
    expect(problemsOf(runtime("path"))).toEqual([]);
    expect(problemsOf(runtime("position"))).toEqual(["plan/bad-step /steps/0/args/path"]);
  });
});

describe("forms", () => {
  const request = 'request = { method = "x/y" }';
  const bad = (path: string) => [`plan/bad-tool /args/a${path}`];

  it.each([
    ["an enum of integers", 'type = "integer", enum = [1, 2], default = 2', []],
    ["an enum of numbers and texts", 'type = "integer", enum = [1, "2"]', bad("/enum")],
    ["a default that is not in it", 'type = "integer", enum = [1, 2], default = 3', bad("/default")],
    ["a list without items", 'type = "list"', bad("")],
    [
      "a list of numbers",
      'type = "list", items = { type = "number", minimum = 0 }, min_items = 1, max_items = 3',
      [],
    ],
    [
      "a default of a list",
      'type = "list", items = { type = "integer" }, default = [1, "a"]',
      bad("/default"),
    ],
    ["an object without members", 'type = "object"', bad("")],
    [
      "a default of an object",
      'type = "object", properties = { x = { type = "integer" } }, default = { x = 1 }',
      [],
    ],
    [
      "a default with another member",
      'type = "object", properties = { x = { type = "integer" } }, default = { x = 1, y = 1 }',
      bad("/default"),
    ],
    ["a place with a default", 'type = "path", default = "a"', bad("/default")],
    [
      "a clamped member",
      'type = "object", properties = { x = { type = "integer", maximum = 1, beyond = "clamp" } }',
      bad("/properties/x/beyond"),
    ],
    [
      "a member of every object",
      'type = "object", properties = { constructor = { type = "integer" } }',
      bad("/properties/constructor"),
    ],
    ["a key of another type", 'type = "string", exists = true', bad("/exists")],
    [
      "too deep",
      'type = "list", items = { type = "list", items = { type = "list", items = { type = "list", items = { type = "list", items = { type = "list", items = { type = "string" } } } } } }',
      bad("/items/items/items/items/items"),
    ],
    ["a pattern", 'type = "string", pattern = "^[a-z]+$", max_length = 64', []],
    ["a pattern without a length", 'type = "string", pattern = "^[a-z]+$"', bad("/pattern")],
    [
      "a default that does not match",
      'type = "string", pattern = "^[a-z]+$", max_length = 64, default = "A"',
      bad("/default"),
    ],
    ["a default of a format", 'type = "string", format = "date", default = "2024-02-30x"', bad("/default")],
    ["a place in a document that nobody names", 'type = "range", of = "document"', bad("/of")],
  ])("%s", (_, rest, problems) => {
    expect(problemsOf(arg("a", rest) + request)).toEqual(problems);
  });

  it("a target takes the place of `input`", () => {
    const target = (type: string, rest = "") => arg("a", `type = "${type}", target = true${rest}`);
    const base = (name: string) => `request = { method = "x/y", params = "${name}" }`;
    expect(problemsOf(target("path") + base("text_document"))).toEqual([]);
    expect(problemsOf(target("path") + base("text_document_position"))).toEqual([
      "plan/base-needs-anchor /request/params",
    ]);
    expect(problemsOf(target("item") + base("text_document_position"))).toEqual([]);
    // Without it the call would be about the workspace.
    expect(problemsOf(target("path", ", required = false") + base("text_document"))).toEqual([
      "plan/base-needs-anchor /request/params",
    ]);
    expect(problemsOf(`input = "document"\n${target("path")}${base("text_document")}`)).toEqual(
      bad("/target"),
    );
    expect(
      problemsOf(`input = "document"\n${target("range", ', of = "document"')}${base("text_document_range")}`),
    ).toEqual([]);
    expect(
      problemsOf(target("path") + arg("b", 'type = "path", target = true') + base("text_document")),
    ).toEqual(["plan/bad-tool /args/b"]);
  });

  it("pointing arguments have other names and descriptions", () => {
    const tool = (lines: string) =>
      `input = "position"\n${lines}\nrequest = { method = "x/y", params = "text_document_position" }`;
    expect(problemsOf(tool('pointing.line = { name = "start_line", description = "Where." }'))).toEqual([]);
    expect(problemsOf(tool('pointing.lime = { name = "start_line" }'))).toEqual([
      "plan/bad-tool /pointing/lime",
    ]);
    expect(problemsOf(tool('pointing.line = { name = "character" }'))).toEqual([
      "plan/bad-tool /pointing/line/name",
    ]);
    expect(problemsOf(tool(`pointing.line = { name = "a" }\n${arg("a", 'type = "string"')}`))).toEqual(
      bad(""),
    );
  });
});

describe("patterns", () => {
  it.each([
    ["^[a-z][a-z0-9_]*$", 256],
    ["^\\w+(?:-[a-z])*$", 256],
    ["^(?:alpha|beta)?-v\\d{1,3}$", 256],
    ["^[\\]a]+x$", 256],
    ["\\S", 4096],
    ["^\\p{L}+$", 4096],
  ])("%s", (pattern, maxLength) => {
    expect(patternProblem(pattern, maxLength)).toBeUndefined();
  });

  it.each([
    ["(a+)+$", 64, "repeats a group"],
    ["^(a|a)*$", 64, "repeats a group"],
    ["^(a|ab)*$", 64, "repeats a group"],
    ["^(?:a?){40}$", 64, "repeats a group"],
    ["^((ab)*c)*$", 64, "repeats a group"],
    ["^a*a*a*a*b$", 256, "too long"],
    ["^a*a*a*b$", 4096, "too long"],
    ["a*b", 4096, "too long"],
    ["^a*a{200000}b", 400_000, "too long"],
    ["(a)\\1", 64, "backreference"],
    ["(?=a)a", 64, "lookaround"],
    ["(?<!a)a", 64, "lookaround"],
    ["(", 64, "not a regular expression"],
    ["^a$", null, "max_length"],
  ])("%s is refused", (pattern, maxLength, why) => {
    expect(patternProblem(pattern, maxLength)).toContain(why);
  });

  it("counts all texts of a list", () => {
    expect(patternProblem("^[a-z][a-z-]*$", 64, 1000)).toBeUndefined();
    expect(patternProblem("^[\\w./-]+$", 4096)).toBeUndefined();
    expect(patternProblem("^a*a*b", 998, 1000)).toContain("`max_items`");
  });

  it("an accepted pattern is matched quickly, however unlucky the text", () => {
    const started = performance.now();
    expect(patternProblem("^a*a*a*b$", 99)).toBeUndefined();
    expect(/^a*a*a*b$/u.test("a".repeat(99))).toBe(false);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("both forms of a config", () => {
  const toml = `
[[methods]]
method = "x/y"
uris = []
[[tools]]
name = "t"
description = "d"
input = "document"
pointing.file_path = { name = "source", description = "The file." }
args.to = { type = "path", exists = false, description = "Where to." }
args.level = { type = "integer", enum = [1, 2, 3], default = 1, description = "How deep." }
args.options = { type = "object", required = false, description = "How.", properties = { size = { type = "integer", default = 2 }, names = { type = "list", items = { type = "string", pattern = "^[a-z]+$", max_length = 8 }, max_items = 4 } } }
args.spots = { type = "list", description = "Where.", items = { type = "position", of = "document" }, max_items = 5 }
request = { method = "x/y", params = { base = "text_document", set = { newUri = { from = "input.to" }, level = { from = "input.level" }, options = { from = "input.options" }, positions = { from = "input.spots" } } } }
`;
  const json: JsonObject = {
    methods: [{ method: "x/y", uris: [] }],
    tools: [
      {
        name: "t",
        description: "d",
        input: "document",
        pointing: { file_path: { name: "source", description: "The file." } },
        args: {
          to: { type: "path", exists: false, description: "Where to." },
          level: { type: "integer", enum: [1, 2, 3], default: 1, description: "How deep." },
          options: {
            type: "object",
            required: false,
            description: "How.",
            properties: {
              size: { type: "integer", default: 2 },
              names: {
                type: "list",
                items: { type: "string", pattern: "^[a-z]+$", max_length: 8 },
                max_items: 4,
              },
            },
          },
          spots: {
            type: "list",
            description: "Where.",
            items: { type: "position", of: "document" },
            max_items: 5,
          },
        },
        request: {
          method: "x/y",
          params: {
            base: "text_document",
            set: {
              newUri: { from: "input.to" },
              level: { from: "input.level" },
              options: { from: "input.options" },
              positions: { from: "input.spots" },
            },
          },
        },
      },
    ],
  };

  it("give one plan", () => {
    const tool = (plan: ReturnType<typeof planText>) => plan.tools.find(({ name }) => name === "t");
    expect(tool(planText(JSON.stringify(json), "json"))).toEqual(tool(planText(toml)));
  });

  it("and one input schema, with every part closed", () => {
    const plan = planText(toml);
    const tool = plan.tools.find(({ name }) => name === "t");
    if (tool === undefined) throw new Error("no tool");
    const schema = inputSchema(tool, plan.dialect);
    expect(schema).toMatchInlineSnapshot(`
      {
        "additionalProperties": false,
        "properties": {
          "level": {
            "default": 1,
            "description": "How deep.",
            "enum": [
              1,
              2,
              3,
            ],
            "type": "integer",
          },
          "options": {
            "additionalProperties": false,
            "description": "How.",
            "properties": {
              "names": {
                "items": {
                  "description": "(at most 8 characters)",
                  "maxLength": 8,
                  "pattern": "^[a-z]+$",
                  "type": "string",
                },
                "maxItems": 4,
                "type": "array",
              },
              "size": {
                "default": 2,
                "type": "integer",
              },
            },
            "required": [
              "names",
            ],
            "type": "object",
          },
          "source": {
            "description": "The file.",
            "type": "string",
          },
          "spots": {
            "description": "Where.",
            "items": {
              "additionalProperties": false,
              "properties": {
                "character": {
                  "description": "1-based, in characters.",
                  "minimum": 1,
                  "type": "integer",
                },
                "line": {
                  "description": "1-based.",
                  "minimum": 1,
                  "type": "integer",
                },
              },
              "required": [
                "line",
                "character",
              ],
              "type": "object",
            },
            "maxItems": 5,
            "type": "array",
          },
          "to": {
            "description": "Where to.",
            "maxLength": 4096,
            "minLength": 1,
            "type": "string",
          },
        },
        "required": [
          "source",
          "spots",
          "to",
        ],
        "type": "object",
      }
    `);
    const open: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (Array.isArray(value)) for (const item of value) visit(item, path);
      if (!isTable(value)) return;
      if (value.type === "object" && value.additionalProperties !== false) open.push(path);
      for (const [key, member] of Object.entries(value)) visit(member, `${path}/${key}`);
    };
    visit(schema, "");
    expect(open).toEqual([]);
    expect(tool.args.map(({ name }: ArgPlan) => name)).toEqual(["level", "options", "spots", "to"]);
  });
});
