/**
 * Arguments that are places, against a scripted server: what it gets of a path, a URI, a position, a range, a symbol and
 * an item, in its own columns, and that no name of a file outside the roots reaches it, whichever type it is given as.
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

const places = ["path", "uri", "position", "range", "symbol", "item"] as const;
const method = "fake/ask";

/** A tool that sends one place, alone, inside a list and inside an object. */
const tool = (type: string): JsonObject => ({
  name: `send_${type}`,
  description: "d",
  input: "document",
  output: "json",
  args: {
    to: { type, required: false, description: "d" },
    list: { type: "list", required: false, description: "d", items: { type } },
    table: {
      type: "object",
      required: false,
      description: "d",
      properties: { place: { type }, note: { type: "string", default: "none" } },
    },
  },
  request: {
    method,
    params: {
      base: "text_document",
      set: {
        whole: { from: "input.to" },
        uri: { from: "input.to.uri" },
        document: { from: "input.to.text_document" },
        list: { from: "input.list" },
        table: { from: "input.table" },
        inner: { from: "input.table.place" },
        note: { from: "input.table.note" },
        ...(type === "path" || type === "uri" || type === "range"
          ? {}
          : { at: { from: "input.to.position" } }),
        ...(type === "range" ? { at: { from: "input.to.range" } } : {}),
        ...(type === "symbol" ? { name: { from: "input.to.name" } } : {}),
      },
    },
  },
});

// The symbol is behind an emoji: four bytes, two UTF-16 units, one character.
const text = "one\n🙂é name two\n";
const symbol = { name: "name", kind: 12, range: range(1, 4, 8), selectionRange: range(1, 4, 8) };

const config: JsonObject = {
  methods: [
    { method, uris: [] },
    { method: "fake/received" },
    { method: "fake/arrivals" },
    { method: "fake/list" },
  ],
  tools: [
    ...places.map(tool),
    {
      name: "move",
      description: "d",
      input: "document",
      output: "json",
      args: { to: { type: "path", exists: false, description: "d" } },
      request: {
        method,
        params: { set: { files: [{ oldUri: { from: "document.uri" }, newUri: { from: "input.to" } }] } },
      },
    },
    {
      name: "anything",
      description: "d",
      input: "document",
      output: "json",
      args: { to: { type: "path", exists: "any", description: "d" } },
      request: {
        method,
        params: { set: { uri: { from: "input.to" }, file: { from: "input.to.absolute_path" } } },
      },
    },
    {
      name: "at_item",
      description: "d",
      output: "json",
      args: { item: { type: "item", target: true, description: "d" } },
      request: { method, params: "text_document_position" },
    },
    {
      name: "in_range",
      description: "d",
      input: "document",
      output: "json",
      args: { range: { type: "range", of: "document", target: true, required: false, description: "d" } },
      request: { method, params: "text_document_range" },
    },
    {
      name: "in_positions",
      description: "d",
      input: "document",
      output: "json",
      pointing: { file_path: { name: "source" } },
      args: { positions: { type: "list", items: { type: "position", of: "document" }, description: "d" } },
      request: { method, params: { base: "text_document", set: { positions: { from: "input.positions" } } } },
    },
    {
      name: "of_range",
      description: "d",
      input: ["document", "range"],
      output: "json",
      pointing: {
        line: { name: "start_line" },
        character: { name: "start_character", description: "From." },
      },
      request: { method, params: "text_document_range" },
    },
    {
      name: "of_all",
      description: "d",
      input: ["document", "range"],
      output: "json",
      steps: [{ id: "a", tool: "of_range", args: { from: "input" } }],
    },
    {
      name: "run",
      description: "d",
      effect: "command",
      input: "document",
      output: "json",
      args: { spot: { type: "position", description: "d" } },
      steps: [
        {
          id: "a",
          kind: "execute_command",
          command: "go",
          arguments: [{ URI: { from: "input.spot.uri" }, at: { from: "input.spot" } }],
        },
      ],
    },
    {
      name: "each_item",
      description: "d",
      input: "document",
      output: "json",
      args: { spot: { type: "position", description: "d" } },
      steps: [
        { id: "list", method: "fake/list", params: "text_document" },
        {
          id: "asked",
          method,
          each: { from: "step.list" },
          params: { set: { item: { from: "each" }, at: { from: "input.spot" } } },
        },
      ],
    },
  ],
};

async function open(encoding: string): Promise<TestWorkspace> {
  const work = await openTestWorkspace({
    files: { "a.fake": "a\n", "b.fake": text, "deep/c.fake": "c\n", ".git/config": "secret\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: {
            positionEncoding: encoding,
            documentSymbolProvider: true,
            executeCommandProvider: { commands: ["go"] },
          },
          replies: {
            [method]: { done: true },
            "fake/list": [{ n: 1 }],
            "workspace/executeCommand": { done: true },
            "textDocument/documentSymbol": [
              encoding === "utf-16"
                ? symbol
                : { ...symbol, range: range(1, 7, 11), selectionRange: range(1, 7, 11) },
            ],
          },
        },
        config: { execute_commands: ["go"] },
      },
    },
    config: { ...config, allow: { commands: [process.execPath], effects: ["read", "command"] } },
  });
  writeFileSync(join(work.folder, "..", "outside.fake"), "outside\n");
  mkdirSync(join(work.folder, "..", "elsewhere"));
  symlinkSync("../outside.fake", join(work.folder, "link.fake"));
  symlinkSync("../elsewhere", join(work.folder, "folder"));
  symlinkSync("../nowhere.fake", join(work.folder, "dangling.fake"));
  return work;
}

/** A value of a type that names a file. */
const placeIn = (type: (typeof places)[number], file: string): Json => {
  const point = { line: 2, character: 4 };
  switch (type) {
    case "path":
    case "uri":
      return file;
    case "position":
      return { file_path: file, ...point };
    case "range":
      return { file_path: file, start: point, end: { line: 2, character: 8 } };
    case "symbol":
      return { file_path: file, symbol_name: "name" };
    case "item":
      return { path: file, ...point, name: "name", kind: "function", more: [1] };
  }
};

const columns = { "utf-8": [7, 11], "utf-16": [4, 8], "utf-32": [3, 7] } as const;

describe.each(["utf-8", "utf-16"] as const)("a server that counts in %s", (encoding) => {
  let work: TestWorkspace;
  beforeAll(async () => {
    work = await open(encoding);
  });
  afterAll(() => work.close());
  const sent = async (name: string, args: JsonObject) => {
    const outcome = await work.call(name, args);
    expect(outcome.structured).toMatchObject({ ok: true });
    return (await work.received(method)).at(-1) ?? {};
  };
  const [start, end] = columns[encoding];
  const point = { line: 1, character: start };
  const span = { start: point, end: { line: 1, character: end } };

  it.each(places)("gets a %s as URI and in its own columns", async (type) => {
    const uri = work.uri("b.fake");
    const value = placeIn(type, type === "uri" ? uri : "b.fake");
    const whole = type === "path" || type === "uri" ? uri : type === "range" ? span : point;
    const params = await sent(`send_${type}`, {
      file_path: "a.fake",
      to: value,
      list: [value, value],
      table: { place: value },
    });
    expect(params).toEqual({
      textDocument: { uri: work.uri("a.fake") },
      whole,
      uri,
      document: { uri },
      list: [whole, whole],
      table: { place: whole, note: "none" },
      inner: whole,
      note: "none",
      ...(type === "path" || type === "uri" ? {} : { at: whole }),
      ...(type === "symbol" ? { name: "name" } : {}),
    });
  });

  it("gets nothing of arguments that are absent or null", async () => {
    const params = await sent("send_position", { file_path: "a.fake", to: null, table: null });
    expect(params).toEqual({ textDocument: { uri: work.uri("a.fake") }, note: "none" });
  });

  it("gets the place that a call points at, and positions of its document", async () => {
    const textDocument = { uri: work.uri("b.fake") };
    expect(await sent("at_item", { item: placeIn("item", "b.fake") })).toEqual({
      textDocument,
      position: point,
    });
    const given = { start: { line: 2, character: 4 }, end: { line: 2, character: 8 } };
    expect(await sent("in_range", { file_path: "b.fake", range: given })).toEqual({
      textDocument,
      range: span,
    });
    const all = await sent("in_range", { file_path: "b.fake" });
    expect(all.range).toEqual({ start: { line: 0, character: 0 }, end: { line: 2, character: 0 } });
    expect(
      await sent("in_positions", {
        source: "b.fake",
        positions: [
          { line: 2, character: 4 },
          { line: 1, character: 1 },
        ],
      }),
    ).toEqual({ textDocument, positions: [point, { line: 0, character: 0 }] });
  });

  it("gets pointing arguments under other names, also through another tool", async () => {
    const numbers = { end_line: 2, end_character: 8 };
    const own = { file_path: "b.fake", start_line: 2, start_character: 4, ...numbers };
    expect((await sent("of_range", own)).range).toEqual(span);
    expect((await sent("of_all", { file_path: "b.fake", line: 2, character: 4, ...numbers })).range).toEqual(
      span,
    );
    const { structured } = await work.call("of_range", {
      file_path: "b.fake",
      line: 2,
      character: 4,
      ...numbers,
    });
    expect(structured.error).toMatchObject({ code: "guard/invalid-arguments" });
  });

  it("gets places in the arguments of a command, and in the request of each item", async () => {
    const spot = { file_path: "b.fake", line: 2, character: 4 };
    expect((await work.call("run", { file_path: "a.fake", spot })).structured).toMatchObject({ ok: true });
    expect((await work.received("workspace/executeCommand")).at(-1)).toMatchObject({
      command: "go",
      arguments: [{ URI: work.uri("b.fake"), at: point }],
    });
    expect(await sent("each_item", { file_path: "a.fake", spot })).toEqual({ item: { n: 1 }, at: point });
  });
});

describe("what a place may not be", () => {
  let work: TestWorkspace;
  beforeAll(async () => {
    work = await open("utf-16");
  });
  afterAll(() => work.close());

  const hostile = [
    "../../../etc/passwd",
    "../outside.fake",
    "/etc/passwd",
    "/proc/self/environ",
    "file:///etc/passwd",
    "file://host/etc/passwd",
    "file:///%2e%2e/%2fetc/passwd",
    "http://example.com/a.fake",
    "a.fake\0.txt",
    ".git/config",
    ".git/new",
    "deep/../.git/config",
    "link.fake",
    "folder/new.fake",
    "dangling.fake",
    "~/a.fake\u0000",
    "",
  ];

  it.each(places)("%s: no file outside, denied or strange reaches the server", async (type) => {
    const before = (await work.received(method)).length;
    for (const name of hostile) {
      const value = placeIn(type, name);
      for (const args of [{ to: value }, { list: [value] }, { table: { place: value } }] as JsonObject[]) {
        const { structured } = await work.call(`send_${type}`, { file_path: "a.fake", ...args });
        const { error } = structured as { error?: { code: string; message: string } };
        expect([name, structured.ok, error?.code]).toEqual([name, false, expect.stringMatching(/^guard\//)]);
        expect(error?.message).not.toContain("secret");
      }
    }
    expect((await work.received(method)).length).toBe(before);
  });

  it.each(["move", "anything"])("%s: neither is a file that need not exist", async (name) => {
    const before = (await work.received(method)).length;
    for (const to of hostile) {
      const { structured } = await work.call(name, { file_path: "a.fake", to });
      expect([to, structured.ok]).toEqual([to, false]);
    }
    expect((await work.received(method)).length).toBe(before);
  });

  it("a destination must not exist, a source must; either may where the config says so", async () => {
    const code = async (name: string, to: string) => {
      const { structured } = await work.call(name, { file_path: "a.fake", to });
      return (structured.error as { code?: string } | undefined)?.code;
    };
    expect(await code("move", "b.fake")).toBe("guard/not-a-file");
    expect(await code("move", "new/file.fake")).toBeUndefined();
    expect((await work.received(method)).at(-1)).toEqual({
      files: [{ oldUri: work.uri("a.fake"), newUri: work.uri("new/file.fake") }],
    });
    expect(await code("send_path", "new/file.fake")).toBe("guard/not-a-file");
    expect(await code("send_path", "deep")).toBeUndefined();
    expect(await code("anything", "b.fake")).toBeUndefined();
    expect(await code("anything", "new.fake")).toBeUndefined();
    expect((await work.received(method)).at(-1)).toEqual({
      uri: work.uri("new.fake"),
      file: join(work.folder, "new.fake"),
    });
  });

  it("a URI is not a path, and a place outside its file is refused by name", async () => {
    const refusal = async (name: string, to: Json) =>
      (await work.call(name, { file_path: "a.fake", to })).structured.error as {
        code: string;
        message: string;
      };
    expect(await refusal("send_uri", "b.fake")).toMatchObject({ code: "guard/bad-uri" });
    const past = { file_path: "b.fake", line: 99, character: 1 };
    expect(await refusal("send_position", past)).toMatchObject({
      code: "point/out-of-range",
      message: expect.stringMatching(/^`to`: /),
    });
    const turned = { file_path: "b.fake", start: { line: 2, character: 4 }, end: { line: 1, character: 1 } };
    expect(await refusal("send_range", turned)).toMatchObject({ code: "point/out-of-range" });
    expect(await refusal("send_symbol", { file_path: "b.fake", symbol_name: "nmae" })).toMatchObject({
      code: "point/no-symbol",
    });
  });
});

describe("before any server is started", () => {
  let work: TestWorkspace;
  beforeAll(async () => {
    work = await open("utf-16");
  });
  afterAll(() => work.close());

  it.each(places)("the file of a %s is checked", async (type) => {
    for (const name of ["../outside.fake", ".git/config", "link.fake"]) {
      const value = placeIn(type, type === "uri" ? work.uri(name) : name);
      for (const args of [{ to: value }, { list: [value] }, { table: { place: value } }] as JsonObject[]) {
        const { structured } = await work.call(`send_${type}`, { file_path: "a.fake", ...args });
        expect(structured.error).toMatchObject({
          code: expect.stringMatching(/^guard\//),
          message: expect.stringMatching(/^`(to|list\/0|table\/place)`: /),
        });
      }
    }
    expect(work.runtime.pool.running()).toEqual([]);
  });

  it("and so is a destination", async () => {
    const { structured } = await work.call("move", { file_path: "a.fake", to: "b.fake" });
    expect(structured.error).toMatchObject({ code: "guard/not-a-file" });
    expect(work.runtime.pool.running()).toEqual([]);
  });
});
