import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { Lines } from "../../src/base/text.js";
import { wordsNear } from "../../src/runtime/nearby.js";
import { openWorkshop, range, type Workshop } from "./workshop.js";

const a = "file:///work/a.fake";
const b = "file:///work/lib/b.fake";
const text = [
  "class Alpha {", // 0
  "  run() {}", // 1
  "}", // 2
  "class Beta {", // 3
  "  run() { 👋; run() }", // 4
  "}", // 5
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
  { name: "away", kind: 12, location: { uri: "file:///etc/x", range: range(0, 0, 2) } },
];

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop({
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
              uri: a,
              range: { start: { $: "/params/position" }, end: { $: "/params/position" } },
            },
          },
        },
      },
    },
  });
});
afterAll(() => workshop.close());

/** Where the server was asked, as the agent counts: the scripted server answers with the position it got. */
async function placed(args: JsonObject): Promise<JsonObject> {
  const { structured } = await workshop.call("find_definition", args);
  const [place] = structured.locations as JsonObject[];
  return { line: place?.line ?? 0, character: place?.character ?? 0 };
}

describe("by name in a file", () => {
  it.each([
    ["Alpha", 1, 7],
    ["Alpha/run", 2, 3],
    ["Alpha.run", 2, 3],
    ["Beta::run", 5, 3],
  ])("%s", async (name, line, character) => {
    expect(await placed({ file_path: "a.fake", symbol_name: name })).toEqual({ line, character });
  });

  it("asks back when several have the name", async () => {
    const {
      isError,
      structured,
      text: words,
    } = await workshop.call("find_definition", {
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
    const { structured } = await workshop.call("find_definition", {
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
    const { structured } = await workshop.call("find_definition", {
      file_path: "a.fake",
      line: 1,
      symbol_name: "run",
    });
    expect(structured).toMatchObject({ error: { code: "point/no-symbol" } });
  });
});

describe("by name in the workspace", () => {
  it("finds the name within a flat symbol's range", async () => {
    const { structured } = await workshop.call("find_definition", { symbol_name: "helper" });
    expect(structured).toMatchObject({ document: { path: "lib/b.fake" }, warnings: [] });
    expect(await placed({ symbol_name: "helper" })).toEqual({ line: 1, character: 8 });
  });

  it("says so when the file that was named does not have it", async () => {
    const { structured } = await workshop.call("find_definition", {
      file_path: "a.fake",
      symbol_name: "helper",
    });
    expect(structured).toMatchObject({
      document: { path: "lib/b.fake" },
      warnings: [{ code: "answer/found-elsewhere" }],
    });
  });

  it("asks back when several files have the name, and takes a kind or a path", async () => {
    const { structured } = await workshop.call("find_definition", { symbol_name: "twin" });
    expect(structured).toMatchObject({
      needs_disambiguation: true,
      candidates: [{ path: "a.fake" }, { path: "lib/b.fake" }],
    });
    const one = await workshop.call("find_definition", { symbol_name: "Alpha.twin" });
    expect(one.structured).toMatchObject({ document: { path: "a.fake" } });
  });

  it("does not find what lies outside, or nowhere", async () => {
    for (const name of ["away", "nothing"]) {
      const { structured } = await workshop.call("find_definition", { symbol_name: name });
      expect(structured).toMatchObject({ ok: false, error: { code: "point/no-symbol" } });
    }
  });
});

describe("by position", () => {
  it("counts characters, not units", async () => {
    expect(await placed({ file_path: "a.fake", line: 5, character: 14 })).toEqual({ line: 5, character: 14 });
    const asked = await workshop.received("textDocument/definition");
    expect(asked.at(-1)?.position).toEqual({ line: 4, character: 14 });
  });

  it("accepts a file URI", async () => {
    expect(await placed({ file_path: workshop.uri("a.fake"), line: 1, character: 7 })).toEqual({
      line: 1,
      character: 7,
    });
  });

  it("says when the character is past the line's end", async () => {
    const { structured } = await workshop.call("find_definition", {
      file_path: "a.fake",
      line: 1,
      character: 99,
    });
    expect(structured.warnings).toMatchObject([
      { code: "answer/fuzzed-position", data: { line: 1, character: 14 } },
    ]);
  });
});

describe("words near a place", () => {
  const lines = new Lines("ab  cd\n\n  efg = 1\n");
  it.each([
    ["on a word: none, the truth is what was found", 0, 1, []],
    ["touching a word's end: it is on the word", 0, 2, []],
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
    const near = wordsNear(lines, { line, character });
    expect(near.map((place) => [place.line, place.character])).toEqual(expected);
  });
});
