import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { Lines } from "../../src/base/text.js";
import { defaultDialect } from "../../src/plan/defaults.js";
import { placesNear, wordsAt } from "../../src/runtime/point/nearby.js";
import { warnOfOtherSymbol } from "../../src/runtime/point/other-symbol.js";
import type { Target } from "../../src/runtime/point/target.js";
import { callState, serverOf } from "./doubles.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

const a = "file:///work/a.fake";
const b = "file:///work/lib/b.fake";
const text = [
  "class Alpha {", // 0
  "  run() {}", // 1
  "}", // 2
  "class Beta {", // 3
  "  run() { 👋; run() }", // 4
  "}", // 5
  "let x = a || b;", // 6
  "let y = a | b;", // 7
].join("\n");

const symbols = [
  {
    name: "Alpha",
    kind: 5,
    range: range(0, 0, 1, 2),
    selectionRange: range(0, 6, 11),
    children: [{ name: "run", kind: 6, range: range(1, 2, 10), selectionRange: range(1, 2, 5) }],
  },
  {
    name: "Beta",
    kind: 5,
    range: range(3, 0, 1, 5),
    selectionRange: range(3, 6, 10),
    children: [{ name: "run", kind: 6, range: range(4, 2, 21), selectionRange: range(4, 2, 5) }],
  },
];

const found: JsonObject[] = [
  { name: "helper", kind: 12, location: { uri: b, range: range(0, 0, 20) } },
  { name: "helperOf", kind: 12, location: { uri: b, range: range(1, 0, 20) } },
  { name: "twin", kind: 12, location: { uri: b, range: range(0, 0, 20) } },
  { name: "twin", kind: 13, containerName: "Alpha", location: { uri: a, range: range(0, 0, 20) } },
  { name: "run", kind: 6, location: { uri: a, range: range(1, 2, 10) } },
  { name: "Alpha", kind: 5, location: { uri: a } },
  { name: "away", kind: 12, location: { uri: "file:///etc/x", range: range(0, 0, 2) } },
];

let work: TestWorkspace;
beforeAll(async () => {
  work = await openTestWorkspace({
    config: { extends: ["tools/read"] },
    files: { "a.fake": text, "lib/b.fake": "export helper() {}\nhelperOf() {} twin\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: {
            documentSymbolProvider: true,
            workspaceSymbolProvider: true,
            definitionProvider: true,
          },
          replies: {
            "textDocument/documentSymbol": symbols,
            "workspace/symbol": found,
            "textDocument/definition": {
              uri: { $: "/params/textDocument/uri" },
              range: { start: { $: "/params/position" }, end: { $: "/params/position" } },
            },
          },
        },
      },
    },
  });
});
afterAll(() => work.close());

/** Where the server was asked, as the agent counts: the scripted server answers with the position it got. */
async function placed(args: JsonObject): Promise<JsonObject> {
  const { structured } = await work.call("find_definition", args);
  const [place] = structured.locations as JsonObject[];
  return { line: place?.line ?? 0, character: place?.character ?? 0 };
}

describe("by name in a file", () => {
  it.each([
    ["Alpha", 1, 7],
    ["Alpha/run", 2, 3],
    ["Alpha.run", 2, 3],
    ["Beta::run", 5, 3],
    ["Beta#run", 5, 3],
    ["Beta.run()", 5, 3],
    ["class Alpha", 1, 7],
    ["export default class Alpha", 1, 7],
    ["a.Beta", 4, 7],
    ["a.fake:Beta", 4, 7],
    ["a.fake:Beta.run", 5, 3],
    ["crate::a::Beta::run", 5, 3],
  ])("%s", async (name, line, character) => {
    expect(await placed({ file_path: "a.fake", symbol_name: name })).toEqual({ line, character });
  });

  it("needs disambiguation when several have the name", async () => {
    const {
      isError,
      structured,
      text: words,
    } = await work.call("find_definition", {
      file_path: "a.fake",
      symbol_name: "run",
    });
    expect(isError).toBe(false);
    expect(structured).toMatchObject({
      ok: true,
      needs_disambiguation: true,
      candidates: [
        {
          name: "run",
          kind: "method",
          path: "a.fake",
          line: 2,
          character: 3,
          container: "Alpha",
          text: "run() {}",
        },
        { name: "run", kind: "method", path: "a.fake", line: 5, character: 3, container: "Beta" },
      ],
      warnings: [{ code: "answer/several-matches" }],
    });
    expect(words).toContain("a.fake 2:3-2:11  method Alpha/run  | run() {}");
  });

  it("knows kinds", async () => {
    expect(await placed({ file_path: "a.fake", symbol_name: "Beta", symbol_kind: "class" })).toEqual({
      line: 4,
      character: 7,
    });
    const { structured } = await work.call("find_definition", {
      file_path: "a.fake",
      symbol_name: "Beta",
      symbol_kind: "function",
    });
    expect(structured).toMatchObject({ error: { code: "point/no-symbol" } });
  });

  it("takes a line with a name in it", async () => {
    expect(await placed({ file_path: "a.fake", line: 5, symbol_name: "Beta.run" })).toEqual({
      line: 5,
      character: 3,
    });
    const { structured } = await work.call("find_definition", {
      file_path: "a.fake",
      line: 1,
      symbol_name: "run",
    });
    expect(structured).toMatchObject({ error: { code: "point/no-symbol" } });
  });
});

describe("by name, one of several", () => {
  it.each([
    ["run[0]", 2, 3],
    ["run[1]", 5, 3],
    ["Beta/run[0]", 5, 3],
  ])("%s", async (name, line, character) => {
    expect(await placed({ file_path: "a.fake", symbol_name: name })).toEqual({ line, character });
  });

  it("says how many there are when there is no such one", async () => {
    const { structured } = await work.call("find_definition", {
      file_path: "a.fake",
      symbol_name: "run[2]",
    });
    expect(structured).toMatchObject({ error: { code: "point/no-symbol" } });
    expect(JSON.stringify(structured)).toContain("There are 2 of that name");
  });

  it("takes a kind as any client spells it", async () => {
    for (const kind of ["Method", "METHOD", "method"])
      expect(await placed({ file_path: "a.fake", symbol_name: "run[1]", symbol_kind: kind })).toEqual({
        line: 5,
        character: 3,
      });
  });
});

describe("by a line's text", () => {
  const at = (line_text: string, rest: JsonObject = {}) =>
    placed({ file_path: "a.fake", line_text, ...rest });

  it.each([
    ["the whole line, marked", "  run() { 👋; |run() }", 5, 14],
    ["another indentation", "run() { 👋; |run() }", 5, 14],
    ["a part of a line", "👋; |run()", 5, 14],
    ["without a mark: what is declared there", "class Beta {", 4, 7],
    ["with a name", "  run() { 👋; run() }", 5, 3],
    ["without either: the first word", "let x = a || b;", 7, 1],
    ["a bar of the code itself", "let y = a | b;", 8, 1],
    ["a bar and a mark", "let y = a | |b;", 8, 13],
  ])("%s", async (what, lineText, line, character) => {
    const name: JsonObject = what === "with a name" ? { symbol_name: "run" } : {};
    expect(await at(lineText, name)).toEqual({ line, character });
  });

  it("needs disambiguation when several lines have the text", async () => {
    const { structured, text: words } = await work.call("find_definition", {
      file_path: "a.fake",
      line_text: "|run()",
    });
    expect(structured).toMatchObject({
      needs_disambiguation: true,
      candidates: [
        { name: "run", kind: "word", path: "a.fake", line: 2, character: 3, text: "run() {}" },
        { name: "run", kind: "word", path: "a.fake", line: 5, character: 3 },
      ],
      warnings: [{ code: "answer/several-matches" }],
    });
    expect(words).toContain("Several lines have this text");
  });

  it("takes the given line, or else the nearest one with the text and says so", async () => {
    const named = (line: number) =>
      work.call("find_definition", { file_path: "a.fake", line_text: "  |run()", line });
    expect((await named(5)).structured).toMatchObject({
      locations: [{ line: 5, character: 3 }],
      warnings: [],
    });
    expect((await named(1)).structured).toMatchObject({
      locations: [{ line: 2, character: 3 }],
      warnings: [
        {
          code: "answer/fuzzed-position",
          message: "Line 1 does not have this text; run in line 2, character 3, was used.",
        },
      ],
    });
  });

  it("refuses a line that is not there", async () => {
    const { structured } = await work.call("find_definition", {
      file_path: "a.fake",
      line_text: "no such",
    });
    expect(structured).toMatchObject({ error: { code: "point/no-line" } });
  });
});

describe("by position and name", () => {
  const call = async (args: JsonObject) =>
    (await work.call("find_definition", { file_path: "a.fake", ...args })).structured;

  it("goes to the name nearby, without asking the server, and says so", async () => {
    const before = (await work.received("textDocument/definition")).length;
    const answer = await call({ line: 4, character: 3, symbol_name: "run" });
    expect(answer).toMatchObject({
      locations: [{ line: 5, character: 3 }],
      warnings: [{ code: "answer/fuzzed-position", data: { line: 5, character: 3 } }],
    });
    expect((await work.received("textDocument/definition")).length).toBe(before + 1);
  });

  it("stays and warns when the name is nowhere near", async () => {
    expect(await call({ line: 1, character: 7, symbol_name: "Gamma" })).toMatchObject({
      locations: [{ line: 1, character: 7 }],
      warnings: [{ code: "answer/other-symbol", data: { asked: "Gamma", found: ["Alpha"] } }],
    });
  });

  it("says nothing when they agree", async () => {
    expect(await call({ line: 1, character: 7, symbol_name: "Alpha" })).toMatchObject({ warnings: [] });
  });
});

it("a declaration past all lines, where one more is the same number, is not searched for a name", async () => {
  const uri = "file:///w/a.fake";
  const lines = new Lines("alpha");
  const call = callState();
  const far = { line: 2 ** 53, character: 0 };
  const value = [{ uri, range: { start: far, end: { line: 2 ** 53 + 2, character: 0 } } }];
  const target = { document: { lines }, place: { line: 0, character: 0 } } as unknown as Target;
  await warnOfOtherSymbol(call, target, [{ server: serverOf({ [uri]: "alpha" }), value }]);
  expect(call.evidence.warnings).toEqual([]);
});

it("declarations are compared by their texts, those that have to be read first too", async () => {
  const uris = ["file:///w/b.fake", "file:///w/c.fake"];
  const value = uris.map((uri) => ({
    ...{ uri },
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 5 } },
  }));
  const told = async (texts: string[]) => {
    const call = callState();
    const lines = new Lines("alpha");
    const target = { document: { lines }, place: { line: 0, character: 0 } } as unknown as Target;
    const server = serverOf(Object.fromEntries(uris.map((uri, index) => [uri, texts[index] ?? ""])));
    await warnOfOtherSymbol(call, target, [{ server, value }]);
    return call.evidence.warnings.map(({ data }) => data?.found);
  };
  expect(await told(["gamma", "beta "])).toEqual([["gamma"]]);
  expect(await told(["gamma", "delta"])).toEqual([["delta", "gamma"]]);
  expect(await told(["alpha", "delta"])).toEqual([]);
  expect(await told(["gamma", "alpha"])).toEqual([]);
});

describe("by name in the workspace", () => {
  it("finds a path that is only in the file itself", async () => {
    const { structured } = await work.call("find_definition", { symbol_name: "Beta.run" });
    expect(structured).toMatchObject({ document: { path: "a.fake" }, warnings: [] });
    expect(await placed({ symbol_name: "Beta.run" })).toEqual({ line: 5, character: 3 });
  });

  it.each([
    ["lib.b.helper", "lib/b.fake", 1, 8],
    ["lib/b.fake:helper", "lib/b.fake", 1, 8],
    ["function helper", "lib/b.fake", 1, 8],
    ["lib.twin", "lib/b.fake", 1, 1],
    ["a.Beta.run", "a.fake", 5, 3],
  ])("finds the qualified name %s", async (symbol_name, path, line, character) => {
    const { structured } = await work.call("find_definition", { symbol_name });
    expect(structured).toMatchObject({ locations: [{ path, line, character }] });
  });

  it("does not take another file's symbol for a qualified name, and suggests a search for the name alone", async () => {
    for (const symbol_name of ["other.b.helper", "class helpers"]) {
      const { structured } = await work.call("find_definition", { symbol_name });
      expect(structured).toMatchObject({ ok: false, error: { code: "point/no-symbol" } });
      expect(JSON.stringify(structured.next_steps)).not.toMatch(/"query":"[^"]*[ .]/);
    }
  });

  it("finds a symbol that the server sent without a range", async () => {
    expect(await placed({ symbol_name: "Alpha" })).toEqual({ line: 1, character: 7 });
  });

  it("finds the name within a flat symbol's range", async () => {
    const { structured } = await work.call("find_definition", { symbol_name: "helper" });
    expect(structured).toMatchObject({ document: { path: "lib/b.fake" }, warnings: [] });
    expect(await placed({ symbol_name: "helper" })).toEqual({ line: 1, character: 8 });
  });

  it("says so when the file that was named does not have it", async () => {
    const { structured } = await work.call("find_definition", {
      file_path: "a.fake",
      symbol_name: "helper",
    });
    expect(structured).toMatchObject({
      document: { path: "lib/b.fake" },
      warnings: [{ code: "answer/found-elsewhere" }],
    });
  });

  it("needs disambiguation when several files have the name, and takes a kind or a path", async () => {
    const { structured } = await work.call("find_definition", { symbol_name: "twin" });
    expect(structured).toMatchObject({
      needs_disambiguation: true,
      candidates: [{ path: "a.fake" }, { path: "lib/b.fake" }],
    });
    const one = await work.call("find_definition", { symbol_name: "Alpha.twin" });
    expect(one.structured).toMatchObject({ document: { path: "a.fake" } });
  });

  it("does not find what is outside, or does not exist", async () => {
    for (const name of ["away", "nothing"]) {
      const { structured } = await work.call("find_definition", { symbol_name: name });
      expect(structured).toMatchObject({ ok: false, error: { code: "point/no-symbol" } });
    }
  });
});

describe("by position", () => {
  it("counts characters, not units", async () => {
    expect(await placed({ file_path: "a.fake", line: 5, character: 14 })).toEqual({ line: 5, character: 14 });
    const asked = await work.received("textDocument/definition");
    expect(asked.at(-1)?.position).toEqual({ line: 4, character: 14 });
  });

  it("accepts a file URI", async () => {
    expect(await placed({ file_path: work.uri("a.fake"), line: 1, character: 7 })).toEqual({
      line: 1,
      character: 7,
    });
  });

  it("accepts the lines that the refusal of another names, the empty one after the last line end too", async () => {
    const at = async (file_path: string, line: number) =>
      (await work.call("find_definition", { file_path, line, character: 1 })).structured;
    expect(await at("a.fake", 9)).toMatchObject({
      error: { message: "Lines go from 1 to 8; characters are counted from 1." },
    });
    expect(await at("lib/b.fake", 4)).toMatchObject({
      error: { message: expect.stringContaining("Lines go from 1 to 3, which is the empty one") },
    });
    expect(await at("lib/b.fake", 3)).toMatchObject({ ok: true });
  });

  it("says when the character is past the line's end", async () => {
    const { structured } = await work.call("find_definition", {
      file_path: "a.fake",
      line: 1,
      character: 99,
    });
    expect(structured.warnings).toMatchObject([
      { code: "answer/fuzzed-position", data: { line: 1, character: 14 } },
    ]);
  });
});

describe("readings of a miscounted place", () => {
  const lines = new Lines("\n  beta\n\n");
  const near = (line: number, character: number, dialect = defaultDialect) => {
    const { lineBase, characterBase } = dialect.position;
    const place = { line: line - lineBase, character: character - characterBase };
    const places = placesNear(lines, place, { line, character }, dialect);
    expect(places.length).toBeLessThanOrEqual(50);
    return wordsAt(lines, places).map((at) => [at.line, at.character]);
  };

  it("counts a line from zero", () => {
    expect(near(1, 3)[0]).toEqual([1, 2]);
  });

  it("counts from one where the dialect counts from zero", () => {
    const zero = {
      ...defaultDialect,
      position: { ...defaultDialect.position, lineBase: 0, characterBase: 0 },
    } as const;
    expect(near(2, 4, zero)[0]).toEqual([1, 2]);
  });

  it("counts bytes and UTF-16 units", () => {
    // The word begins at the byte 13, the unit 7 and the character 4, all from zero.
    const far = new Lines("👋👋👋 word");
    const found = wordsAt(
      far,
      placesNear(far, { line: 0, character: 7 }, { line: 1, character: 14 }, defaultDialect),
    );
    expect(found).toContainEqual({ line: 0, character: 7 });
  });
});

describe("words near a place", () => {
  const lines = new Lines("ab  cd\n\n  efg = 1\n");
  it.each([
    [
      "between two words",
      0,
      3,
      [
        [0, 4],
        [0, 0],
      ],
    ],
    [
      "on an empty line",
      1,
      1,
      [
        [2, 2],
        [0, 0],
      ],
    ],
    ["far from any", 1, 40, []],
  ])("%s", (_what, line, character, expected) => {
    const counted = { line: line + 1, character: character + 1 };
    const near = wordsAt(lines, placesNear(lines, { line, character }, counted, defaultDialect));
    expect(near.map((place) => [place.line, place.character])).toEqual(expected);
  });

  it("are of the same line first", () => {
    const longer = new Lines("ab;;\n  cd = efg;\n");
    const counted = { line: 1, character: 4 };
    const near = wordsAt(longer, placesNear(longer, { line: 0, character: 3 }, counted, defaultDialect));
    expect(near.map((place) => [place.line, place.character])).toEqual([
      [0, 0],
      [1, 2],
    ]);
  });
});
