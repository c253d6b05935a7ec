import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { jsonEditor as json, tomlEditor as toml } from "../../src/config/edit/edit.js";

const config = `# The team's config.
version = 1

[allow]
commands = ["one", "two"]   # no others

# Ones.
[[servers]]
id = "one"
kind = "one-ls"   # the usual

[servers.env]
ONE = "1"

# Twos, of which there are many.
# They differ.
[[servers]]
id = "two"
kind = "two-ls"

[limits]
max_items = 5
`;

describe("TOML", () => {
  test("a server is added at the end, and nothing else changes", () => {
    const text = toml.withServer(config, { id: "three", kind: "three-ls", extensions: ["x"] }, ["# Threes."]);
    expect(text).toBe(
      `${config}\n# Threes.\n[[servers]]\nid = "three"\nkind = "three-ls"\nextensions = ["x"]\n`,
    );
    expect(toml.withServer("", { id: "a" }, [])).toBe('[[servers]]\nid = "a"\n');
  });

  test("a server is removed with its comment and its tables, and nothing else changes", () => {
    const [before = "", after = ""] = config.split(/# Ones\.[\s\S]*?(?=# Twos)/);
    expect(toml.withoutServer(config, "one")).toBe(before + after);
    const [start = "", end = ""] = config.split(/# Twos[\s\S]*?(?=\[limits\])/);
    expect(toml.withoutServer(config, "two")).toBe(start + end);
    expect(toml.withoutServer(config, "three")).toBe(config);
  });

  test("added and removed again is as before", () => {
    const added = toml.withServer(config, { id: "x", args: ["]", '"', "#"] }, ["# X."]);
    expect(parse(added)).toMatchObject({ servers: [{ id: "one" }, { id: "two" }, { id: "x" }] });
    expect(toml.withoutServer(added, "x")).toBe(config);
  });

  test("the comment at the top of a file stays when its first server is removed", () => {
    const text = '# About this file.\n[[servers]]\nid = "a"\n\n[[servers]]\nid = "b"\n';
    expect(toml.withoutServer(text, "a")).toBe('# About this file.\n[[servers]]\nid = "b"\n');
  });

  test("programs come and go in the list as it is written", () => {
    expect(toml.withAllowed(config, "three")).toBe(config.replace('"two"]', '"two", "three"]'));
    expect(toml.withAllowed(config, "two")).toBe(config);
    expect(toml.withoutAllowed(config, "one")).toBe(config.replace('"one", ', ""));
    expect(toml.withoutAllowed(config, "two")).toBe(config.replace(', "two"', ""));
    const tall = 'allow.commands = [\n  "one", # first\n  "two"\n]\n';
    expect(toml.withAllowed(tall, "x")).toBe('allow.commands = [\n  "one", # first\n  "two",\n  "x"\n]\n');
    expect(toml.withoutAllowed('allow = { commands = ["x"] }\n', "x")).toBe("allow = { commands = [] }\n");
    expect(toml.withAllowed("[allow]\ncommands = []\n", "x")).toBe('[allow]\ncommands = ["x"]\n');
    expect(toml.withAllowed("version = 1\n", "x")).toBe("version = 1\n");
  });

  test("servers in one list are added to and removed from that list", () => {
    const text = 'servers = [{ id = "a" }, { id = "b", args = ["}"] }]\n';
    expect(toml.withServer(text, { id: "c" }, ["# C."])).toBe(text.replace("}]\n", '}, { id = "c" }]\n'));
    expect(toml.withoutServer(text, "a")).toBe('servers = [{ id = "b", args = ["}"] }]\n');
    expect(toml.withoutServer(text, "b")).toBe('servers = [{ id = "a" }]\n');
  });
});

describe("comments in TOML lists", () => {
  const tall = `[allow]
commands = [   # the list
\t"gopls",   # Go: pinned
\t# Held by the platform team.
\t"pylsp",   # Python: do not touch
]
`;
  const without = (...lines: string[]) => lines.reduce((text, line) => text.replace(line, ""), tall);

  test("a removed program takes its own comments and no others", () => {
    expect(toml.withoutAllowed(tall, "gopls")).toBe(without('\t"gopls",   # Go: pinned\n'));
    expect(toml.withoutAllowed(tall, "pylsp")).toBe(
      without("\t# Held by the platform team.\n", '\t"pylsp",   # Python: do not touch\n'),
    );
    const both = toml.withoutAllowed(toml.withoutAllowed(tall, "gopls"), "pylsp");
    expect(both).toBe("[allow]\ncommands = [   # the list\n]\n");
    const heading = 'allow.commands = [\n  # Go\n  "gopls",\n  "golangci"\n]\n';
    expect(toml.withoutAllowed(heading, "gopls")).toBe('allow.commands = [\n  # Go\n  "golangci"\n]\n');
    expect(toml.withoutAllowed(heading, "golangci")).toBe('allow.commands = [\n  # Go\n  "gopls"\n]\n');
  });

  test("an added program is below the comment of the last one, with the same indentation", () => {
    expect(toml.withAllowed(tall, "x")).toBe(tall.replace("touch\n", 'touch\n\t"x",\n'));
    const last = 'allow.commands = [\n  "a", # A\n  "b" # B\n]\n';
    const more = 'allow.commands = [\n  "a", # A\n  "b", # B\n  "x"\n]\n';
    expect(toml.withAllowed(last, "x")).toBe(more);
    expect(toml.withoutAllowed(more, "x")).toBe(last);
    const none = "allow.commands = [ # none yet, ask Ann\n]\n";
    expect(toml.withAllowed(none, "x")).toBe('allow.commands = [ # none yet, ask Ann\n  "x",\n]\n');
    const opening = 'allow.commands = ["a", # A\n]\n';
    expect(toml.withAllowed(opening, "x")).toBe('allow.commands = ["a", # A\n  "x",\n]\n');
    expect(toml.withoutAllowed(opening, "a")).toBe("allow.commands = []\n");
  });

  test("rows of several items, and a bracket on the last line, stay as they are", () => {
    const rows = 'allow.commands = [\n  "a", "b",\n  "c", "d",\n]\n';
    expect(toml.withAllowed(rows, "x")).toBe(rows.replace('"d",', '"d", "x",'));
    expect(toml.withoutAllowed(rows, "c")).toBe(rows.replace('"c", ', ""));
    expect(toml.withoutAllowed(rows, "d")).toBe(rows.replace('"c", "d",', '"c",'));
    const hung = 'allow.commands = [ "a", # A\n  "b" ]\n';
    expect(parse(toml.withAllowed(hung, "x"))).toEqual({ allow: { commands: ["a", "b", "x"] } });
    expect(toml.withoutAllowed(hung, "b")).toContain("# A");
    expect(parse(toml.withoutAllowed(hung, "b"))).toEqual({ allow: { commands: ["a"] } });
  });

  test("servers in a list keep their comments", () => {
    const text = `servers = [
  # The first.
  { id = "a" }, # A
  # The second, with "]" in it.
  { id = "b", args = ["#"] }, # B
]
`;
    const [a, b] = ['  # The first.\n  { id = "a" }, # A\n', text.slice(text.indexOf("  # The second"), -2)];
    expect(toml.withoutServer(text, "a")).toBe(text.replace(a ?? "", ""));
    expect(toml.withoutServer(text, "b")).toBe(text.replace(b ?? "", ""));
    expect(toml.withServer(text, { id: "c" }, [])).toBe(text.replace("# B\n", '# B\n  { id = "c" },\n'));
  });

  test("a comment right below a server's table is removed with it, one for the next is not", () => {
    const text =
      '[[servers]]\nid = "a"\n\n[[servers]]\nid = "b"\n# args = ["x"]\n\n# C.\n[[servers]]\nid = "c"\n';
    expect(toml.withoutServer(text, "b")).toBe('[[servers]]\nid = "a"\n\n# C.\n[[servers]]\nid = "c"\n');
  });

  test("line breaks stay what they are", () => {
    const windows = (text: string) => text.replaceAll("\n", "\r\n");
    const server = { id: "x", kind: "x-ls" };
    const added = toml.withServer(toml.withAllowed(windows(config), "x"), server, ["# X."]);
    expect(added).toBe(windows(toml.withServer(toml.withAllowed(config, "x"), server, ["# X."])));
    expect(toml.withoutAllowed(toml.withoutServer(added, "x"), "x")).toBe(windows(config));
    expect(toml.withoutServer(windows(config), "one")).toBe(windows(toml.withoutServer(config, "one")));
    expect(toml.withAllowed(windows(tall), "x")).toBe(windows(toml.withAllowed(tall, "x")));
    expect(toml.withoutAllowed(windows(tall), "pylsp")).toBe(windows(toml.withoutAllowed(tall, "pylsp")));
  });
});

describe("extends", () => {
  test("a further name is added to the list, or in a line of its own before the first table", () => {
    expect(toml.withExtended('extends = ["a"] # A\n', "b")).toBe('extends = ["a", "b"] # A\n');
    expect(toml.withExtended('extends = ["a"]\n', "a")).toBe('extends = ["a"]\n');
    expect(toml.withExtended(config, "s")).toBe(
      config.replace("version = 1\n", 'version = 1\nextends = ["s"]\n'),
    );
    const tables = "# About.\n\n# Ours.\n[allow]\ncommands = []\n";
    expect(toml.withExtended(tables, "s")).toBe(tables.replace("# Ours", 'extends = ["s"]\n\n# Ours'));
    expect(toml.withExtended("", "s")).toBe('extends = ["s"]\n');
    expect(parse(toml.withExtended("version = 1", "s"))).toEqual({ version: 1, extends: ["s"] });
    expect(JSON.parse(json.withExtended('{ "version": 1 }', "s"))).toEqual({ version: 1, extends: ["s"] });
  });
});

describe("JSON", () => {
  const text = `{
    "allow": { "commands": ["one"] },
    "servers": [
        { "id": "one", "kind": "one-ls" }
    ]
}
`;

  test("a server is added and removed, and the rest stays", () => {
    const added = json.withServer(text, { id: "two", kind: "two-ls" });
    expect(JSON.parse(added).servers).toEqual([
      { id: "one", kind: "one-ls" },
      { id: "two", kind: "two-ls" },
    ]);
    expect(added).toBe(
      text.replace('one-ls" }\n', `one-ls" },\n        { "id": "two", "kind": "two-ls" }\n`),
    );
    expect(JSON.parse(json.withoutServer(added, "two"))).toEqual(JSON.parse(text));
    expect(JSON.parse(json.withServer("{}", { id: "a" }))).toEqual({ servers: [{ id: "a" }] });
  });

  test("programs come and go", () => {
    expect(JSON.parse(json.withAllowed(text, "two")).allow.commands).toEqual(["one", "two"]);
    expect(JSON.parse(json.withoutAllowed(text, "one")).allow.commands).toEqual([]);
    expect(json.withAllowed("{}", "x")).toBe("{}");
  });

  test("the last server is removed, however the items are laid out, and line breaks stay", () => {
    const line = '{"servers":[{"id":"go","kind":"gopls"},{"id":"py","kind":"pylsp"}]}';
    expect(json.withoutServer(line, "py")).toBe('{"servers":[{"id":"go","kind":"gopls"}]}');
    expect(json.withoutServer(line, "go")).toBe('{"servers":[{"id":"py","kind":"pylsp"}]}');
    const loose =
      '{\r\n  "servers": [\r\n    { "id": "go" },\r\n\r\n    {\r\n      "id": "py"\r\n    }\r\n  ]\r\n}\r\n';
    expect(json.withoutServer(loose, "py")).toBe('{\r\n  "servers": [\r\n    { "id": "go" }\r\n  ]\r\n}\r\n');
    const added = json.withServer(loose, { id: "x", args: [1] });
    expect(added.replaceAll("\r\n", "")).not.toContain("\n");
    expect(json.withoutServer(added, "x")).toBe(loose);
  });
});
