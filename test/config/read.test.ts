import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { readSource } from "../../src/config/text/read.js";
import type { Path } from "../../src/config/text/source.js";

/** `code line:column-line:column` of each problem. */
function seen(file: string, content: string | Uint8Array): string[] {
  return readSource(file, content).problems.map(
    ({ code, place }) => `${code} ${place?.line}:${place?.column}-${place?.endLine}:${place?.endColumn}`,
  );
}

function placeAt(text: string, path: Path, part: "key" | "value", file = "c.toml"): string {
  const { line, column, endLine, endColumn } = readSource(file, text).place(path, part);
  return `${line}:${column}-${endLine}:${endColumn}`;
}

describe("TOML", () => {
  test("finds every duplicate key at once, and still reads the rest", () => {
    const source = readSource(
      "c.toml",
      '[[s]]\nid = "x"\nid = "y"\n[s.env]\nA = "1"\n"A" = "2"\n[other]\nb = nan\n',
    );
    expect(source.problems.map(({ message, pointer, place }) => [message, pointer, place?.line])).toEqual([
      ["duplicate key `id`; first set in line 2", "/s/0/id", 3],
      ["duplicate key `A`; first set in line 5", "/s/0/env/A", 6],
      ["NaN is not supported in a config", "/other/b", 8],
    ]);
    expect(source.tree).toEqual({ s: [{ id: "x", env: { A: "1" } }], other: { b: null } });
  });

  test.each([
    ["a table twice", "[a]\nx = 1\n[a]\ny = 1\n", "3:2-3:3"],
    ["a table after dotted keys", "a.b = 1\n[a]\nc = 1\n", "2:2-2:3"],
    ["a dotted key under a value", "a = 1\na.b = 2\n", "2:1-2:2"],
    ["a list of tables and a table", "[[a]]\nx = 1\n[a]\n", "3:2-3:3"],
    ["in an inline table", "a = { b = 1, b = 2 }\n", "1:14-1:15"],
    ["beyond the first plane", '"😀" = 1\na = { "😀" = 1, "😀" = 2 }\n', "2:16-2:19"],
  ])("a duplicate: %s", (_, text, place) => {
    expect(seen("c.toml", text)).toEqual([`config/duplicate-key ${place}`]);
  });

  test("says what JSON cannot hold, each at its value", () => {
    expect(seen("c.toml", "a = 1979-05-27\nb = 07:32:00\nc = inf\nd = 9007199254740993\n")).toEqual([
      "config/unsupported-value 1:5-1:15",
      "config/unsupported-value 2:5-2:13",
      "config/unsupported-value 3:5-3:8",
      "config/unsupported-value 4:5-4:21",
    ]);
  });

  test("refuses keys that reach a prototype, at any depth", () => {
    const source = readSource(
      "c.toml",
      '"__proto__" = { a = 1 }\n[x.constructor]\ny = 1\n[z]\nprototype = 2\n',
    );
    expect(source.problems.map(({ pointer, place }) => [pointer, place?.line])).toEqual([
      ["/__proto__", 1],
      ["/x/constructor", 2],
      ["/z/prototype", 5],
    ]);
    expect(Object.getPrototypeOf(source.tree)).toBe(Object.prototype);
    expect(source.tree).toEqual({ x: {}, z: {} });
  });

  test("counts columns in characters, also after text beyond the first plane", () => {
    expect(placeAt('a = ["😀", 3]\n', ["a", 1], "value")).toBe("1:11-1:12");
    expect(placeAt('"😀" = "é" # x\n', ["😀"], "value")).toBe("1:7-1:10");
    expect(seen("c.toml", 'x = "😀" é\n')).toEqual(["config/syntax 1:9-1:10"]);
  });

  test("places: key, value, table header, dotted key, inline table, missing value", () => {
    const text = '[[servers]]\nid = "a"\n[[servers]]\nopt.a = { c = 1 }\n[servers.env]\nX = "1"\n';
    expect(placeAt(text, ["servers", 0, "id"], "key")).toBe("2:1-2:3");
    expect(placeAt(text, ["servers", 0, "id"], "value")).toBe("2:6-2:9");
    expect(placeAt(text, ["servers", 1], "value")).toBe("3:3-3:10");
    expect(placeAt(text, ["servers", 1, "opt", "a", "c"], "key")).toBe("4:11-4:12");
    expect(placeAt(text, ["servers", 1, "env"], "value")).toBe("5:10-5:13");
    expect(placeAt(text, ["servers", 1, "command"], "value")).toBe("3:3-3:10");
    expect(placeAt(text, [], "value")).toBe("1:1-1:1");
  });

  test("line endings do not move places", () => {
    expect(placeAt('a = 1\r\nb = "x"\r\n', ["b"], "value")).toBe("2:5-2:8");
  });

  test("values are smol-toml's, whatever the text", () => {
    const key = fc.stringMatching(/^[a-z]{1,6}$/);
    fc.assert(
      fc.property(fc.dictionary(key, fc.oneof(fc.integer(), fc.boolean(), fc.string())), (table) => {
        const text = Object.entries(table)
          .map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
          .join("");
        let expected: unknown;
        try {
          expected = { ...parse(text) };
        } catch {
          return;
        }
        expect(readSource("c.toml", text).tree).toEqual(expected);
      }),
    );
  });
});

describe("JSON", () => {
  test("is strict: comments and trailing commas are syntax errors", () => {
    expect(seen("c.json", '{"a": 1,}')).toEqual(["config/syntax 1:9-1:10"]);
    expect(seen("c.json", '// no\n{"a": 1}')).toEqual(["config/syntax 1:1-1:6"]);
    expect(seen("c.json", "")).toEqual(["config/syntax 1:1-1:1"]);
  });

  test("finds every duplicate key and every value that JSON.parse would bend", () => {
    const source = readSource(
      "c.json",
      '{"a": 1,\n "a": 2,\n "b": 1e999, "c": 9007199254740993, "__proto__": {}}',
    );
    expect(
      source.problems.map(({ code, pointer, place }) => [code, pointer, place?.line, place?.column]),
    ).toEqual([
      ["config/duplicate-key", "/a", 2, 2],
      ["config/unsupported-value", "/b", 3, 7],
      ["config/unsupported-value", "/c", 3, 19],
      ["config/unsupported-value", "/__proto__", 3, 37],
    ]);
  });

  test("a root that is no table", () => {
    expect(seen("c.json", "[1]")).toEqual(["config/wrong-type 1:1-1:4"]);
  });

  test("places of keys and values", () => {
    const text = '{"é😀": {"b": [1, 22]}}';
    expect(placeAt(text, ["é😀", "b"], "key", "c.json")).toBe("1:9-1:12");
    expect(placeAt(text, ["é😀", "b", 1], "value", "c.json")).toBe("1:18-1:20");
  });
});

describe("any file", () => {
  test.each([
    ["c.toml", "\uFEFFversion = 1\nx = 1\n"],
    ["c.json", '\uFEFF{ "version": 1,\n"x": 1 }'],
    ["c", new TextEncoder().encode('\uFEFF{ "version": 1,\n"x": 1 }')],
  ])("%s may begin with a byte order mark, which moves no place", (file, content) => {
    const source = readSource(file, content);
    expect(source).toMatchObject({ mark: "\uFEFF", problems: [], tree: { version: 1, x: 1 } });
    expect(source.place(["version"], "key")).toMatchObject({ line: 1 });
    expect(source.place(["x"], "key")).toMatchObject({ line: 2, column: 1 });
    expect(source.text.startsWith("\uFEFF")).toBe(false);
  });

  test.each([
    ["bytes that are not UTF-8", "c.toml", new Uint8Array([0x61, 0x3d, 0xff])],
    ["more than 1 MiB", "c.toml", "#".repeat(1_048_577)],
    ["arrays without end", "c.toml", `a = ${"[".repeat(30_000)}`],
    ["brackets without end", "c.json", '{"a":'.repeat(30_000)],
  ])("%s is one syntax problem", (_, file, content) => {
    const { problems } = readSource(file, content);
    expect(problems).toHaveLength(1);
    expect(["config/syntax", "config/unsupported-value"]).toContain(problems[0]?.code);
  });

  test("a dotted key without end is cut off, quickly", () => {
    const { problems, tree } = readSource("c.toml", `${"a.".repeat(9_000)}b = 1`);
    expect(problems.map(({ code }) => code)).toEqual(["config/unsupported-value"]);
    expect(JSON.stringify(tree).length).toBeLessThan(1000);
  });

  test("never throws, whatever the bytes", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.uint8Array()),
        fc.constantFrom("c.toml", "c.json", "c"),
        (content, file) => {
          const source = readSource(file, content);
          for (const { place } of source.problems) expect(place?.line).toBeGreaterThan(0);
        },
      ),
    );
  });

  test("without a telling name the first character decides", () => {
    expect(readSource("config", ' {"a": 1}').tree).toEqual({ a: 1 });
    expect(readSource("config", "a = 1").tree).toEqual({ a: 1 });
  });
});

describe("several syntax errors in TOML", () => {
  const tables = [
    "[a]\nx = 1\n",
    '[[b.c]] # more\nx = ["[no]", [\n["y"]\n], 3]\n',
    'text = """\n[fake]\nx = = 1\n\\"""\n[[fake]]\n"""\n',
    "[d.\"e.f\"]\ntext = '''\n[fake]\n= 1\n'''\n",
    "[e]\nx = { y = [1], z = '[f]' }\r\n",
    "[f]\nlist = [\n  [true],\n  [1979],\n  [ [2] ]\n]\n",
  ].map((table, index) => (table.startsWith("[") ? table : `[t${index}]\n${table}`));
  const broken = [
    "wrong = = 1\n",
    'wrong = "one\n',
    "wrong = 1 2\n",
    "wrong = [1,\n",
    "wrong = [[1], \n",
    "x =\n",
    "[wrong\n",
    'wrong = "\\q"\n',
  ];

  test("are reported once for each table that has one, and never for one that has none", () => {
    const piece = fc.record({
      table: fc.constantFrom(...tables),
      error: fc.option(fc.constantFrom(...broken)),
    });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        // Each table has a name of its own, so that only syntax can be wrong.
        const texts = pieces.map(
          ({ table, error }, index) => `${table.replace(/^(\[+)/, `$1p${index}.`)}${error ?? ""}`,
        );
        const starts = texts.map((_, index) => texts.slice(0, index).join("").split("\n").length);
        const { problems } = readSource("c.toml", texts.join(""));
        const lines = problems.map(({ place }) => place?.line ?? 0);
        const wrong = pieces.flatMap(({ error }, index) => (error === null ? [] : [index]));
        expect(lines).toHaveLength(wrong.length);
        for (const [nth, index] of wrong.entries()) {
          expect(lines[nth]).toBeGreaterThan(starts[index] ?? 0);
          // A list that is never closed is noticed at the next header.
          expect(lines[nth]).toBeLessThanOrEqual(starts[index + 1] ?? Number.POSITIVE_INFINITY);
        }
      }),
    );
  });
});
