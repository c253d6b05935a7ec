/** Our stanza in clients' files: added, replaced and removed, while everything else in the file stays. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/base/problem.js";
import {
  lacksList,
  type Stanza,
  withoutPlace,
  withoutStanza,
  withStanza,
} from "../../src/config/edit/stanza.js";

const json: Stanza = {
  language: "json",
  text: '{ "mcpServers": { "lsp": { "command": "node", "args": ["x"] } }, "allow": ["a", "b"], "ask": { "t": "ask" } }',
  entry: ["mcpServers", "lsp"],
  forms: [
    '{ "mcpServers": { "lsp": { "command": "", "args": [], "env": { "PATH": "" } } }, "ask": { "our_old": "ask" } }',
    '{ "mcpServers": { "lsp": { "url": "" } }, "allow": ["a", "b", "our_old"] }',
  ],
  shorthands: [{ at: ["ask"], value: "allow", key: "*" }],
  existingList: undefined,
};
const table =
  '# ours\n[mcp_servers.lsp]\ncommand = "node"\n# why\nrequired = true\n\n[mcp_servers.lsp.tools.rename]\napproval_mode = "prompt"\n';
const toml: Stanza = {
  language: "toml",
  text: table,
  entry: ["mcp_servers", "lsp"],
  forms: [
    '[mcp_servers.lsp]\n# the address\nurl = ""\n',
    '[mcp_servers.lsp]\nlist = []\n\n[mcp_servers.lsp.tools.gone]\napproval_mode = "prompt"\n',
  ],
  shorthands: [],
  existingList: undefined,
};

function problemsOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("in JSON", () => {
  const theirs = [
    "// my settings",
    "{",
    '  "theme": "dark", // as it should be',
    '  "mcpServers": {',
    "    /* the first */",
    '    "other": { "command": "x", },',
    "  },",
    '  "allow": [',
    '    "mine", // kept',
    "  ],",
    "}",
    "",
  ].join("\n");

  it("keeps comments, order, trailing commas and what others wrote, and is undone to the byte", () => {
    const text = withStanza("f.json", theirs, json);
    for (const piece of [
      "// my settings",
      "// as it should be",
      "/* the first */",
      '"mine", // kept',
      '"other"',
    ])
      expect(text).toContain(piece);
    expect(text.indexOf('"other"')).toBeLessThan(text.indexOf('"lsp"'));
    expect(text).toMatchInlineSnapshot(`
      "// my settings
      {
        "theme": "dark", // as it should be
        "mcpServers": {
          /* the first */
          "other": { "command": "x", },
          "lsp": {
            "command": "node",
            "args": ["x"]
          },
        },
        "allow": [
          "mine", // kept
          "a",
          "b",
        ],
        "ask": {
          "t": "ask"
        },
      }
      "
    `);
    expect(withStanza("f.json", text, json)).toBe(text);
    expect(withoutStanza("f.json", text, json)).toBe(theirs);
  });

  it.each(["", "\n", "{}", "{}\n", '{"a":1}', '{\r\n\t"a": 1\r\n}\r\n', '{"mcpServers":{}}'])(
    "begins with %j and says the same twice",
    (text) => {
      const once = withStanza("f.json", text, json);
      expect(JSON.parse(once).mcpServers).toEqual({ lsp: { command: "node", args: ["x"] } });
      expect(withStanza("f.json", once, json)).toBe(once);
      const back = withoutStanza("f.json", once, json);
      expect(JSON.parse(back)).toEqual(text.includes('"a"') ? { a: 1 } : {});
      if (text.includes("\r\n")) expect(once.replaceAll("\r\n", "")).not.toContain("\n");
    },
  );

  it("replaces its own keys and leaves a person's in the entry, lists and answers", () => {
    const text =
      '{ "mcpServers": { "lsp": { "url": "http://x", "disabled": true } }, "ask": { "t": "allow" }, "allow": ["b"] }';
    const after = withStanza("f.json", text, json);
    expect(JSON.parse(after)).toEqual({
      mcpServers: { lsp: { command: "node", args: ["x"], disabled: true } },
      ask: { t: "allow" },
      allow: ["b", "a"],
    });
    expect(JSON.parse(withoutStanza("f.json", after, json))).toEqual({ ask: { t: "allow" } });
  });

  it("drops names of tools that are no more", () => {
    const text = '{ "allow": ["theirs", "our_old"], "ask": { "our_old": "ask", "theirs": "deny" } }';
    const after = JSON.parse(withStanza("f.json", text, json));
    expect(after).toMatchObject({ allow: ["theirs", "a", "b"], ask: { theirs: "deny", t: "ask" } });
    expect(after.ask).not.toHaveProperty("our_old");
    expect(JSON.parse(withoutStanza("f.json", text, json))).toEqual({
      allow: ["theirs"],
      ask: { theirs: "deny" },
    });
  });

  it("takes no name for its own that only begins like one", () => {
    const text =
      '{ "mcpServers": { "lsp-two": { "command": "y" }, "lsp_x": {} }, "allow": ["our_older", "a", "z"], "ask": { "our_older": "ask", "our_old": "allow" }, "our_old": 1 }';
    const once = withStanza("f.json", text, json);
    expect(JSON.parse(once)).toEqual({
      mcpServers: { "lsp-two": { command: "y" }, lsp_x: {}, lsp: { command: "node", args: ["x"] } },
      allow: ["our_older", "a", "z", "b"],
      ask: { our_older: "ask", our_old: "allow", t: "ask" },
      our_old: 1,
    });
    expect(JSON.parse(withoutStanza("f.json", once, json))).toEqual({
      mcpServers: { "lsp-two": { command: "y" }, lsp_x: {} },
      allow: ["our_older", "z"],
      ask: { our_older: "ask", our_old: "allow" },
      our_old: 1,
    });
  });

  it("keeps what a person added to a table of the entry, and only that", () => {
    const text =
      '{ "mcpServers": { "lsp": { "command": "old", "env": { "PATH": "/old", "KEY": "mine" } } } }';
    expect(JSON.parse(withStanza("f.json", text, json)).mcpServers.lsp).toEqual({
      command: "node",
      args: ["x"],
      env: { KEY: "mine" },
    });
    const told = json.text.replace('["x"]', '["x"], "env": { "PATH": "/new" }');
    const after = withStanza("f.json", text, { ...json, text: told });
    expect(JSON.parse(after).mcpServers.lsp.env).toEqual({ PATH: "/new", KEY: "mine" });
  });

  it("leaves a value of another kind alone where only the client's own lists are meant", () => {
    const after = withStanza("f.json", '{ "allow": "all", "ask": "deny" }', json);
    expect(JSON.parse(after)).toMatchObject({ allow: "all", ask: "deny", mcpServers: { lsp: {} } });
    expect(withoutPlace("f.json", after, json)).toEqual(["allow", "ask"]);
  });

  it("joins a value that is short for a table, and leaves the short form behind", () => {
    const after = withStanza("f.json", '{ "ask": "allow" }', json);
    expect(after).toMatch(/"ask": \{\s*"\*": "allow",\s*"t": "ask"\s*\}/);
    expect(withoutPlace("f.json", after, json)).toEqual([]);
    expect(withStanza("f.json", after, json)).toBe(after);
    expect(JSON.parse(withoutStanza("f.json", after, json))).toEqual({ ask: "allow" });
    const more = after.replace('"*"', '"mine": "deny", "*"');
    expect(JSON.parse(withoutStanza("f.json", more, json))).toEqual({ ask: { mine: "deny", "*": "allow" } });
    expect(withoutStanza("f.json", '{ "ask": { "*": "allow" } }', json)).toBe('{ "ask": { "*": "allow" } }');
  });

  it("joins a list that must be there already, and never empties it away", () => {
    const guest: Stanza = {
      ...{ ...json, entry: undefined, text: '{ "allow": ["a"] }', forms: [], existingList: ["allow"] },
    };
    for (const text of ["", '{ "x": 1 }', '{ "allow": "all" }']) {
      expect(withStanza("f.json", text, guest)).toBe(text);
      expect(lacksList("f.json", text, guest)).toBe(true);
    }
    const after = withStanza("f.json", '{ "allow": [] }', guest);
    expect(JSON.parse(after)).toEqual({ allow: ["a"] });
    expect(JSON.parse(withoutStanza("f.json", after, guest))).toEqual({ allow: [] });
  });

  it.each([
    ['{ "a": 1,, }', "config/syntax", 1, 10],
    ['{\n  "mcpServers": {\n', "config/syntax", 3, 1],
    ["[]", "config/wrong-type", 1, 1],
    ['{\n "mcpServers": [] }', "client/no-place", 2, 16],
    ['{ "mcpServers": {}, "mcpServers": {} }', "config/duplicate-key", 1, 21],
    ['{ "mcpServers": { "lsp": {}, "lsp": {} } }', "config/duplicate-key", 1, 30],
  ])("refuses %j with its place", (text, code, line, column) => {
    const [problem] = problemsOf(() => withStanza("f.json", text, json));
    expect(problem).toMatchObject({ code, place: { file: "f.json", line, column } });
  });

  it("leaves whatever else is in a file as it is, however it is laid out", () => {
    const key = fc.constantFrom("a", "b", "mcpServers", "allow", "lsp", "x y");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.constant("s"), tie("list"), tie("table")),
      list: fc.array(tie("value"), { maxLength: 3 }),
      table: fc.dictionary(key, tie("value"), { maxKeys: 3 }),
    }));
    const other: Stanza = {
      ...json,
      text: '{ "servers": { "mine": { "command": "node" } } }',
      entry: ["servers", "mine"],
      forms: ['{ "servers": { "mine": {} } }'],
    };
    const check = (tree: { [key: string]: unknown }, indent: string, comments: boolean) => {
      const plain = JSON.stringify(tree, null, indent);
      const text = comments ? plain.replaceAll(/,\n/g, ", // why\n") : plain;
      const once = withStanza("f.json", text, other);
      expect(withStanza("f.json", once, other)).toBe(once);
      const back = withoutStanza("f.json", once, other);
      if (Object.keys(tree).length > 0) expect(back).toBe(text);
    };
    const trees = fc.dictionary(key, value, { maxKeys: 4 });
    fc.assert(fc.property(trees, fc.constantFrom("", "  ", "\t", "    "), fc.boolean(), check), {
      numRuns: 300,
    });
  });

  it("ignores a duplicate key elsewhere", () => {
    const text = '{ "x": 1, "x": 2 }';
    expect(withoutStanza("f.json", withStanza("f.json", text, json), json)).toContain('"x": 1, "x": 2');
  });
});

describe("in TOML", () => {
  const theirs = [
    "# top",
    'model = "x" # why not',
    "",
    "[mcp_servers.other] # theirs",
    'command = "y"',
    "",
    "# about the projects",
    '[projects."/a"]',
    'trust_level = "trusted"',
    "",
  ].join("\n");

  it("is added at the end, and an undo restores every byte", () => {
    const text = withStanza("c.toml", theirs, toml);
    expect(text).toBe(`${theirs}\n${toml.text}`);
    expect(withStanza("c.toml", text, toml)).toBe(text);
    expect(withoutStanza("c.toml", text, toml)).toBe(theirs);
  });

  it("is replaced in its place; a person's keys and comments stay", () => {
    const old = [
      "# my own words",
      "[mcp_servers.lsp]",
      'url = "http://x"',
      "enabled = false # for now",
      "",
      "[mcp_servers.lsp.tools.gone]",
      'approval_mode = "prompt"',
      "",
      "[mcp_servers.lsp.env]",
      'A = "b"',
      "",
    ].join("\n");
    const text = withStanza("c.toml", `${old}\n${theirs}`, toml);
    expect(text).toBe(
      [
        "# my own words",
        "[mcp_servers.lsp]",
        'command = "node"',
        "# why",
        "required = true",
        "enabled = false # for now",
        "",
        "[mcp_servers.lsp.tools.rename]",
        'approval_mode = "prompt"',
        "",
        "[mcp_servers.lsp.env]",
        'A = "b"',
        "",
        theirs,
      ].join("\n"),
    );
    expect(withStanza("c.toml", text, toml)).toBe(text);
  });

  it("keeps a person's comments and keys inside its tables, and takes its own along", () => {
    const theirs = [
      "# above",
      "[mcp_servers.lsp] # header",
      "# first of all",
      "# the address",
      'url = "http://x" # gone with it',
      "",
      "# about starting",
      'command = "other" # by hand',
      "list = [",
      '  "a", # mine',
      '  "b",',
      "]",
      "enabled = false # for now",
      "# last",
      "",
      "[mcp_servers.lsp.tools.rename] # asks",
      "# each time",
      'approval_mode = "auto" # was prompt',
      'note = "mine"',
      "",
    ].join("\n");
    const wanted = table.replace("# why", 'list = ["b", "c"]\n# why');
    const text = withStanza("c.toml", theirs, { ...toml, text: wanted });
    expect(text).toMatchInlineSnapshot(`
      "# above
      [mcp_servers.lsp] # header
      # first of all

      # about starting
      command = "node" # by hand
      list = [
        "b",
        "c",
      ]
      # why
      required = true
      enabled = false # for now
      # last

      [mcp_servers.lsp.tools.rename] # asks
      # each time
      approval_mode = "prompt" # was prompt
      note = "mine"
      "
    `);
    expect(withStanza("c.toml", text, { ...toml, text: wanted })).toBe(text);
  });

  it("loses no comment of a person's, wherever it stands", () => {
    const before = table.replace("# why", 'list = ["a", "b"]\nurl = "http://x"\n# why');
    const after = table.replace("# why", 'list = ["b", "c"]\n# why').replace('"node"', '"other"');
    const lines = before.trimEnd().split("\n");
    const places = fc.array(fc.tuple(fc.nat(lines.length), fc.boolean()), { maxLength: 5 });
    const check = (marks: [number, boolean][]) => {
      const text = lines
        .flatMap((line, at) => {
          const here = marks
            .map(([place], index) => (place === at ? index : -1))
            .filter((index) => index >= 0);
          const above = here.filter((index) => !marks[index]?.[1]).map((index) => `# mine ${index}`);
          const beside = here.filter((index) => marks[index]?.[1] && !line.startsWith("#") && line !== "");
          return [...above, line + beside.map((index) => ` # mine ${index}`).join("")];
        })
        .join("\n");
      const gone = lines.findIndex((line) => line.startsWith("url"));
      const once = withStanza("c.toml", `${text}\n`, { ...toml, text: after });
      for (const [, mark] of text.matchAll(/(# mine \d)/g)) {
        const isBesideGone = marks[Number(mark?.slice(-1))]?.[0] === gone;
        if (!isBesideGone) expect(once).toContain(mark);
      }
      expect(withStanza("c.toml", once, { ...toml, text: after })).toBe(once);
    };
    fc.assert(fc.property(places, check), { numRuns: 200 });
  });

  it("leaves a person's answer about a tool that a stanza has none for", () => {
    const mine = '[mcp_servers.lsp.tools.hover]\napproval_mode = "prompt" # each time\n';
    const text = withStanza("c.toml", `[mcp_servers.lsp]\nurl = "http://x"\n\n${mine}`, toml);
    expect(text).toContain(mine);
    expect(text).not.toContain("http://x");
    expect(withStanza("c.toml", text, toml)).toBe(text);
  });

  it("is taken out from between others", () => {
    const [top = "", rest = ""] = theirs.split("\n\n# about");
    const text = `${top}\n\n${toml.text}\n# about${rest}`;
    expect(withoutStanza("c.toml", text, toml)).toBe(theirs);
    expect(withoutStanza("c.toml", theirs, toml)).toBe(theirs);
  });

  it("keeps Windows line ends", () => {
    const text = withStanza("c.toml", theirs.replaceAll("\n", "\r\n"), toml);
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
    expect(withoutStanza("c.toml", text, toml)).toBe(theirs.replaceAll("\n", "\r\n"));
  });

  it.each([
    ["a = \n", "config/syntax", 1],
    ['[mcp_servers]\nlsp = { command = "z" }\n', "client/no-place", 2],
    ["x = 1\nmcp_servers = 3\n", "client/no-place", 2],
    ["mcp_servers = { other = { command = 1 } }\n", "client/no-place", 1],
  ])("refuses %j with its place", (text, code, line) => {
    const [problem] = problemsOf(() => withStanza("c.toml", text, toml));
    expect(problem).toMatchObject({ code, place: { file: "c.toml", line } });
  });
});
