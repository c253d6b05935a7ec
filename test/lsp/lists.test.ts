import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { messageIn } from "../../src/lsp/wire/frames.js";
import { LIST_MIN, readList } from "../../src/lsp/wire/lists.js";

const range = { start: { line: 0, character: 4 }, end: { line: 12, character: 345 } };
const place = { uri: "file:///a/b.ts", range };

/** An answer as a server writes it. */
function written(result: unknown, id: unknown = 7): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Whatever is read is what JSON.parse gives, with the members in the same order. */
function isNoOther(body: Buffer): boolean {
  const list = readList(body);
  if (list === undefined) return false;
  expect(list).toEqual(parsed(body));
  expect(JSON.stringify(list)).toBe(JSON.stringify(parsed(body)));
  return true;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("lists that are read from their bytes", () => {
  it.each([
    ["nested symbols", [{ name: "A", detail: "", kind: 5, range, selectionRange: range, children: [] }]],
    [
      "symbols with tags, some of them within others",
      [
        {
          name: "A",
          kind: 5,
          tags: [1],
          deprecated: true,
          range,
          selectionRange: range,
          children: [{ name: "b", kind: 6, tags: [], deprecated: false, range, selectionRange: range }],
        },
      ],
    ],
    ["flat symbols", [{ name: "A", kind: 5, location: place, containerName: "B" }]],
    ["places", [place, { range, uri: "file:///c.ts" }]],
    ["texts of all kinds", [{ name: 'it("a\\n\u00e4") \u{1f600}\ud800 \u2028', kind: 12, location: place }]],
    [
      "members that are told to be nothing",
      [
        {
          name: "A",
          detail: null,
          kind: 5,
          tags: null,
          deprecated: null,
          children: null,
          containerName: null,
        },
      ],
    ],
    ["nothing", []],
  ])("%s", (_what, result) => {
    expect(isNoOther(written(result))).toBe(true);
  });

  it("with the members of the answer in any order", () => {
    const list = JSON.stringify([place]);
    expect(isNoOther(Buffer.from(`{"jsonrpc":"2.0","result":${list},"id":3}`))).toBe(true);
    expect(isNoOther(Buffer.from(`{"id":3,"jsonrpc":"2.0","result":${list}}`))).toBe(true);
  });

  it("with all members by the alphabet", () => {
    const position = '{"character":4,"line":0}';
    const range = `{"end":${position},"start":${position}}`;
    const symbol = `{"children":[],"kind":5,"name":"A","range":${range},"selectionRange":${range}}`;
    expect(isNoOther(Buffer.from(`{"id":3,"jsonrpc":"2.0","result":[${symbol}]}`))).toBe(true);
  });

  it.each([
    ["another member", written([{ ...place, data: 1 }])],
    ["a result that is no list", written({ items: [] })],
    ["no result", Buffer.from('{"jsonrpc":"2.0","id":3}')],
    [
      "an error beside it",
      Buffer.from('{"jsonrpc":"2.0","id":3,"result":[],"error":{"code":1,"message":""}}'),
    ],
    ["a question of the server", Buffer.from('{"jsonrpc":"2.0","id":3,"method":"a","params":[]}')],
    ["an id that is a text", written([place], "a")],
    ["blanks", Buffer.from('{"jsonrpc": "2.0", "id": 3, "result": []}')],
    ["something behind it", Buffer.concat([written([place]), Buffer.from(" ")])],
    ["a number with a sign", written([{ name: "a", kind: -1 }])],
    ["a number with a fraction", written([{ name: "a", kind: 1.5 }])],
    ["a number that begins with zero", Buffer.from('{"jsonrpc":"2.0","id":3,"result":[{"kind":01}]}')],
    ["a large number", written([{ name: "a", kind: 1e20 }])],
    ["null where something must be", written([{ name: null, kind: 1 }])],
    ["a line break within a text", Buffer.from('{"jsonrpc":"2.0","id":3,"result":[{"name":"a\nb"}]}')],
    ["an escape that is none", Buffer.from('{"jsonrpc":"2.0","id":3,"result":[{"name":"a\\x"}]}')],
  ])("not with %s", (_what, body) => {
    expect(readList(body)).toBeUndefined();
  });

  it("up to its end, wherever it was cut", () => {
    const whole = written([{ name: 'a "b" \u00e4', kind: 5, range, selectionRange: range, children: [] }]);
    for (let end = 0; end < whole.length; end++) expect(readList(whole.subarray(0, end))).toBeUndefined();
    // What stands behind it in the same memory is not looked at.
    for (let end = 0; end < whole.length; end++)
      expect(readList(Buffer.concat([whole, whole]).subarray(end, whole.length))).toEqual(
        end === 0 ? parsed(whole) : undefined,
      );
  });

  it("not at any depth", () => {
    const nested = (depth: number) =>
      Buffer.from(
        `{"jsonrpc":"2.0","id":1,"result":${'[{"name":"a","children":'.repeat(depth)}[]${"}]".repeat(depth)}}`,
      );
    expect(isNoOther(nested(60))).toBe(true);
    expect(readList(nested(100_000))).toBeUndefined();
    const located = `{"jsonrpc":"2.0","id":1,"result":[${'{"location":'.repeat(100_000)}{"uri":""}${"}".repeat(100_001)}]}`;
    expect(readList(Buffer.from(located))).toBeUndefined();
  });

  it("or as all messages are, and the same either way", () => {
    const long = "a".repeat(LIST_MIN);
    const strange = { ...place, strange: long };
    expect(messageIn(written([{ ...place, uri: long }]))).toEqual(parsed(written([{ ...place, uri: long }])));
    expect(messageIn(written([strange]))).toEqual(parsed(written([strange])));
    expect(messageIn(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":["${long}"`))).toBeUndefined();
    expect(messageIn(Buffer.from(`{"jsonrpc":"2.0","id":1, "garbage":"${long}"}`))).toHaveProperty(
      "result",
      null,
    );
  });

  it("without JSON.parse, but for the texts with escapes in them", () => {
    const symbols = Array.from({ length: 100 }, (_, index) => ({
      name: index === 7 ? 'it("works")' : `symbol${index}`,
      detail: "",
      kind: 12,
      range,
      selectionRange: range,
      children: [],
    }));
    const body = written(symbols);
    const parse = vi.spyOn(JSON, "parse");
    expect(messageIn(body)).toMatchObject({ id: 7 });
    expect(parse.mock.calls.map(([text]) => text)).toEqual([JSON.stringify('it("works")')]);
  });

  const position = fc.oneof(
    fc.record({ line: fc.nat(), character: fc.nat() }),
    fc.record({ character: fc.nat(), line: fc.nat() }),
  );
  const ranges = fc.oneof(
    fc.record({ start: position, end: position }),
    fc.record({ end: position, start: position }),
    fc.record({ start: position, end: position }, { requiredKeys: [] }),
  );
  const text = fc.string({ unit: "binary" });
  const { item } = fc.letrec<{ item: object }>((tie) => ({
    item: fc.record(
      {
        name: text,
        detail: fc.option(text),
        kind: fc.oneof({ weight: 9, arbitrary: fc.nat() }, { weight: 1, arbitrary: fc.double() }),
        tags: fc.array(fc.nat(2), { maxLength: 2 }),
        deprecated: fc.boolean(),
        uri: fc.webUrl(),
        range: ranges,
        selectionRange: ranges,
        location: fc.record({ uri: text, range: ranges }, { requiredKeys: [] }),
        containerName: fc.option(text),
        children: fc.array(tie("item"), { maxLength: 3, depthIdentifier: "children" }),
        other: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  }));

  it("whatever stands in them", () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), (items) => {
        if (isNoOther(written(items))) read++;
      }),
      { numRuns: 500 },
    );
    expect(read).toBeGreaterThan(50);
  });

  it("and whatever became of them on the way", () => {
    const change = fc.record({ at: fc.nat(), bytes: fc.uint8Array({ maxLength: 4 }), cut: fc.nat(3) });
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 3 }),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (items, changes) => {
          let body = written(items);
          for (const { at, bytes, cut } of changes) {
            const from = at % body.length;
            body = Buffer.concat([body.subarray(0, from), bytes, body.subarray(from + cut)]);
          }
          isNoOther(body);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
