/** Lists that are read from bytes are what JSON.parse gives, or are left to it. */
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { messageIn } from "../../src/lsp/wire/frames.js";
import { LIST_MIN, readList } from "../../src/lsp/wire/lists.js";

const range = { start: { line: 0, character: 4 }, end: { line: 12, character: 345 } };
const place = { uri: "file:///a/b.ts", range };

/** An answer as servers write it. */
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

/** The same members in another order. */
function shuffled(members: object, order: Iterable<number>): object {
  const numbers = order[Symbol.iterator]();
  const keyed = Object.entries(members).map((entry) => ({ entry, at: numbers.next().value as number }));
  return Object.fromEntries(keyed.toSorted((a, b) => a.at - b.at).map(({ entry }) => entry));
}

/** Whatever is read is what JSON.parse gives, with the members in the same order. */
function isNoOther(body: Buffer): boolean {
  const list = readList(body);
  if (list === undefined) return false;
  expect(list).toStrictEqual(parsed(body));
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
    ["texts with escapes", [{ name: 'it("a\\n\u00e4") \u{1f600}\ud800 \u2028', kind: 12, location: place }]],
    [
      "texts without, in any alphabet",
      ["\u00e4", "\u00e4b", "b\u00e4", "\u007f", "\u0080", "\u20ac", "\u{1f600}", "\u2028"].map((name) => ({
        name,
        kind: 12,
      })),
    ],
    ["the largest number", [{ ...place, range: { ...range, end: { line: 2_147_483_647, character: 0 } } }]],
    ["every digit", [{ name: "A", kind: 1_234_567_890 }]],
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

  it.each([
    ["a name", '{"name":"a","name":"b"}'],
    ["a kind", '{"kind":1,"name":"b","kind":2}'],
    ["children", '{"children":[],"children":[{"name":"b"}]}'],
  ])("of %s that is told twice the last one, where the first stands", (_what, item) => {
    expect(isNoOther(Buffer.from(`{"jsonrpc":"2.0","id":1,"id":2,"result":[],"result":[${item}]}`))).toBe(
      true,
    );
  });

  it("also where bytes are no text", () => {
    for (const bytes of [
      [0x80],
      [0xc3],
      [0xe2, 0x82],
      [0xff, 0x41],
      [0xed, 0xa0, 0x80],
      [0xef, 0xbb, 0xbf],
    ]) {
      const [before, after] = ['{"jsonrpc":"2.0","id":1,"result":[{"name":"', '"}]}'].map((text) =>
        Buffer.from(text),
      );
      expect(isNoOther(Buffer.concat([before as Buffer, Buffer.from(bytes), after as Buffer]))).toBe(true);
    }
  });

  it("with all members by the alphabet", () => {
    const range = '{"end":{"character":4,"line":3},"start":{"character":2,"line":1}}';
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
    ["an id that is null", Buffer.from('{"jsonrpc":"2.0","id":null,"result":[]}')],
    ["another version", Buffer.from('{"jsonrpc":"2.1","id":1,"result":[]}')],
    ["a member whose name begins alike", Buffer.from('{"jsonrpc":"2.0","idx":7,"result":[]}')],
    ["a member whose name ends alike", Buffer.from('{"jsonrpc":"2.0","id":1,"sesult":[]}')],
    ["a sign that is no colon", Buffer.from('{"jsonrpc":"2.0","id"x7,"result":[]}')],
    ["a sign that is no comma", Buffer.from('{"jsonrpc":"2.0","id":1,"result":[{"kind":1;"name":"a"}]}')],
    ["a comma behind the last item", Buffer.from('{"jsonrpc":"2.0","id":1,"result":[{"kind":1},]}')],
    ["a comma behind the last number", Buffer.from('{"jsonrpc":"2.0","id":1,"result":[{"tags":[1,]}]}')],
    ["a comma behind the last member", Buffer.from('{"jsonrpc":"2.0","id":1,"result":[{"kind":1,}]}')],
    ["a missing number", Buffer.from('{"jsonrpc":"2.0","id":1,"result":[{"kind":}]}')],
    ["a number with a colon", Buffer.from('{"jsonrpc":"2.0","id":1,"result":[{"kind":1:}]}')],
    ["a number with a slash", Buffer.from('{"jsonrpc":"2.0","id":1,"result":[{"kind":1/}]}')],
    ["a number of eleven digits", written([{ kind: 12_345_678_901 }])],
    [
      "a number of twenty digits",
      Buffer.from('{"jsonrpc":"2.0","id":1,"result":[{"kind":12345678901234567891}]}'),
    ],
    ["a number with a sign", written([{ name: "a", kind: -1 }])],
    ["a number with a fraction", written([{ name: "a", kind: 1.5 }])],
    ["a number that begins with zero", Buffer.from('{"jsonrpc":"2.0","id":3,"result":[{"kind":01}]}')],
    ["a large number", written([{ name: "a", kind: 1e20 }])],
    ["null where something must be", written([{ name: null, kind: 1 }])],
    ...[0, 9, 10, 13, 31].map((code): [string, Buffer] => [
      `the control character ${code} within a text`,
      Buffer.from(`{"jsonrpc":"2.0","id":3,"result":[{"name":"a${String.fromCharCode(code)}b"}]}`),
    ]),
    ["an escape that is none", Buffer.from('{"jsonrpc":"2.0","id":3,"result":[{"name":"a\\x"}]}')],
  ])("not with %s", (_what, body) => {
    expect(readList(body)).toBeUndefined();
  });

  it("not with a byte in a name that is another one", () => {
    const backwards = { end: { character: 4, line: 3 }, start: { character: 2, line: 1 } };
    const symbol = { name: "", detail: "", kind: 1, tags: [1], deprecated: true, children: [] };
    const item = {
      ...symbol,
      uri: "",
      location: { uri: "", range },
      range,
      selectionRange: backwards,
      containerName: "",
    };
    const whole = written([item]);
    expect(isNoOther(whole)).toBe(true);
    for (const [at, byte] of whole.entries()) {
      if (!/[a-z]/i.test(String.fromCharCode(byte))) continue;
      const other = Buffer.from(whole);
      other[at] = byte ^ 1;
      expect(readList(other)).toBeUndefined();
    }
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
    expect(readList(nested(70))).toBeUndefined();
    expect(readList(nested(100_000))).toBeUndefined();
    const located = (depth: number) =>
      Buffer.from(
        `{"jsonrpc":"2.0","id":1,"result":[${'{"location":'.repeat(depth)}{"uri":""}${"}".repeat(depth)}]}`,
      );
    expect(isNoOther(located(60))).toBe(true);
    expect(readList(located(70))).toBeUndefined();
    expect(readList(located(100_000))).toBeUndefined();
  });

  it("up to a bound, which grows with all that is read", () => {
    const body = written([place, place]);
    expect(readList(body, body.length)).toBeDefined();
    expect(readList(body, 60)).toBeUndefined();
    const long = written(Array.from({ length: 1_000 }, () => place));
    const times = Array.from({ length: 20 }, () => readList(long) !== undefined);
    expect(times.at(-1)).toBe(true);
    expect(times.indexOf(true)).toBe(times.lastIndexOf(false) + 1);
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
    // Of the first lists only a part is read so.
    for (let times = 0; times < 20; times++) messageIn(body);
    const parse = vi.spyOn(JSON, "parse");
    expect(messageIn(body)).toMatchObject({ id: 7 });
    expect(parse.mock.calls.map(([text]) => text)).toEqual([JSON.stringify('it("works")')]);
  });

  const count = fc.oneof(
    { weight: 200, arbitrary: fc.nat(2_147_483_647) },
    { weight: 1, arbitrary: fc.double() },
  );
  const position = fc.oneof(
    fc.record({ line: count, character: count }),
    fc.record({ character: count, line: count }),
  );
  const ranges = fc.oneof(
    { weight: 20, arbitrary: fc.record({ start: position, end: position }) },
    { weight: 20, arbitrary: fc.record({ end: position, start: position }) },
    { weight: 1, arbitrary: fc.record({ start: position, end: position }, { requiredKeys: [] }) },
  );
  const text = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }));
  const { item } = fc.letrec<{ item: object }>((tie) => ({
    item: fc
      .tuple(
        fc.record(
          {
            name: text,
            detail: fc.option(text),
            kind: count,
            tags: fc.option(fc.array(fc.nat(2), { maxLength: 2 })),
            deprecated: fc.option(fc.boolean()),
            uri: fc.webUrl(),
            range: ranges,
            selectionRange: ranges,
            location: fc.record({ uri: text, range: ranges }, { requiredKeys: [] }),
            containerName: fc.option(text),
            children: fc.option(fc.array(tie("item"), { maxLength: 3, depthIdentifier: "children" })),
          },
          { requiredKeys: [] },
        ),
        fc.infiniteStream(fc.nat()),
        fc.oneof(
          { weight: 20, arbitrary: fc.constant({}) },
          { weight: 1, arbitrary: fc.record({ other: fc.jsonValue() }) },
        ),
      )
      .map(([members, order, other]) => ({ ...shuffled(members, order), ...other })),
  }));

  it("whatever stands in them", () => {
    const seen = { items: 0, children: 0, ranges: 0, unescaped: 0 };
    fc.assert(
      fc.property(fc.array(item, { maxLength: 3 }), (items) => {
        const body = written(items);
        if (!isNoOther(body)) return;
        const json = body.toString();
        if (items.length > 0) seen.items++;
        if (json.includes('"children":[{')) seen.children++;
        if (json.includes('"end":{')) seen.ranges++;
        if (/"[^"\\]*[^ -~][^"\\]*"/.test(json)) seen.unescaped++;
      }),
      { numRuns: 500 },
    );
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
  });

  it("and whatever became of them on the way", () => {
    const change = fc.record({
      at: fc.nat(),
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc.stringMatching(/^[",:[\]{}0-9a-z\\ ]{1,3}$/).map(Buffer.from),
      ),
      cut: fc.nat(2),
    });
    let read = 0;
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 2 }), change, (items, { at, bytes, cut }) => {
        const whole = written(items);
        const from = at % whole.length;
        const body = Buffer.concat([whole.subarray(0, from), bytes, whole.subarray(from + cut)]);
        if (isNoOther(body) && !body.equals(whole)) read++;
      }),
      { numRuns: 1_000 },
    );
    expect(read).toBeGreaterThan(20);
  });
});
