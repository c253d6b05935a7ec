import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import * as json from "../../src/config/edit-json.js";
import * as toml from "../../src/config/edit-toml.js";

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

  test("the comment at the top of a file stays when its first server goes", () => {
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
      text.replace('one-ls" }\n', `one-ls" },\n        ${JSON.stringify({ id: "two", kind: "two-ls" })}\n`),
    );
    expect(JSON.parse(json.withoutServer(added, "two"))).toEqual(JSON.parse(text));
    expect(JSON.parse(json.withServer("{}", { id: "a" }))).toEqual({ servers: [{ id: "a" }] });
  });

  test("programs come and go", () => {
    expect(JSON.parse(json.withAllowed(text, "two")).allow.commands).toEqual(["one", "two"]);
    expect(JSON.parse(json.withoutAllowed(text, "one")).allow.commands).toEqual([]);
    expect(json.withAllowed("{}", "x")).toBe("{}");
  });
});
