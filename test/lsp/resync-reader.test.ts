/** The reader finds every message, whatever is between them and wherever the bytes are split. */
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ResyncReader, type Skipped } from "../../src/lsp/wire/resync-reader.js";
import { character } from "../characters.js";
import { limitFor, processorMs } from "../processor-time.mjs";

interface Read {
  messages: unknown[];
  skipped: Skipped[];
}

async function read(chunks: Buffer[], maxBytes = 1_000_000): Promise<Read> {
  const input = new PassThrough();
  const out: Read = { messages: [], skipped: [] };
  const reader = new ResyncReader(input, maxBytes, (skipped) => out.skipped.push(skipped));
  const closed = new Promise<void>((done) => {
    reader.onClose(() => done());
  });
  reader.listen((message) => out.messages.push(message));
  for (const chunk of chunks) input.write(chunk);
  input.end();
  await closed;
  return out;
}

function frame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

const note = (text: string) => ({ jsonrpc: "2.0", method: "x", params: { text } });

test("bytes are counted, not characters, and a cut may fall anywhere", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: character }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      async (texts, cuts) => {
        const bytes = Buffer.concat(texts.map((text) => frame(note(text))));
        const at = [...new Set([0, bytes.length, ...cuts.map((cut) => cut % (bytes.length + 1))])].toSorted(
          (a, b) => a - b,
        );
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        const { messages, skipped } = await read(chunks);
        expect(messages).toEqual(texts.map(note));
        expect(skipped).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

test("large messages between small ones are read, wherever they are cut", async () => {
  const texts = ["small", "é".repeat(200_000), "x".repeat(400_000), "small again", "y".repeat(300_000)];
  const bytes = Buffer.concat(texts.map((text) => frame(note(text))));
  for (const size of [1_000, 65_536, 262_144, 500_000, bytes.length]) {
    const count = Math.ceil(bytes.length / size);
    const chunks = Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
    const { messages, skipped } = await read(chunks);
    expect(messages).toEqual(texts.map(note));
    expect(skipped).toEqual([]);
  }
});

test("a large message that ends early is reported, and the next one is read", async () => {
  const whole = frame(note("x".repeat(600_000)));
  const chunks = [whole.subarray(0, 100_000), whole.subarray(100_000, 350_000), frame(note("after"))];
  const { messages, skipped } = await read(chunks);
  expect(messages).toEqual([note("after")]);
  expect(skipped).toMatchObject([{ kind: "garbled" }]);
});

test("junk between messages is skipped, whatever it is and however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.string({ maxLength: 60 }), fc.string({ maxLength: 20 })), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.integer({ min: 1, max: 50 }),
      async (parts, size) => {
        const bytes = Buffer.concat(
          parts.flatMap(([junk, text]) => [Buffer.from(`${junk}\n`), frame(note(text))]),
        );
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
        expect((await read(chunks)).messages).toEqual(parts.map(([, text]) => note(text)));
      },
    ),
    { numRuns: 100 },
  );
});

test("other headers, other case and bare line feeds are understood", async () => {
  const body = '{"jsonrpc":"2.0","method":"x"}';
  const forms = [
    `Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    `content-length: ${body.length}\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n${body}`,
    `Content-Length: ${body.length}\n\n${body}`,
  ];
  expect((await read([Buffer.from(forms.join(""))])).messages).toHaveLength(3);
});

test("a message that ended early does not hide the next", async () => {
  const cut = Buffer.from('Content-Length: 5000\r\n\r\n{"jsonrpc":"2.0","me');
  const { messages, skipped } = await read([cut, frame(note("a")), frame(note("b"))]);
  expect(messages).toEqual([note("a"), note("b")]);
  expect(skipped.map((item) => item.kind)).toContain("garbled");
});

test("a message whose text contains Content-Length is not split", async () => {
  const tricky = note("Content-Length: 5\r\n\r\nhello");
  const bytes = frame(tricky);
  expect((await read([bytes.subarray(0, 60), bytes.subarray(60)])).messages).toEqual([tricky]);
});

test("a message over the cap is answered in its place when it was a reply", async () => {
  const large = frame({ jsonrpc: "2.0", id: 7, result: "x".repeat(2_000) });
  const { messages, skipped } = await read([large, frame(note("after"))], 1_000);
  expect(messages[0]).toMatchObject({
    id: 7,
    error: { message: expect.stringContaining("over the limit of 1000") },
  });
  expect(messages.at(-1)).toEqual(note("after"));
  expect(skipped[0]?.kind).toBe("over-cap");
});

test.each([
  ["last", (body: string) => `{"jsonrpc":"2.0","result":${body},"id":7}`],
  ["before the version", (body: string) => `{"result":${body},"id":7,"jsonrpc":"2.0"}\n`],
  ["alone first", (body: string) => `{ "id" : 7, "result":${body}}`],
])("whose a message over the cap was is read where it stands: %s", async (_where, message) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 700 }), async (size) => {
      const body = message(JSON.stringify({ items: [{ id: 3 }, "x".repeat(2_000)], id: 4 }));
      const bytes = Buffer.concat([
        Buffer.from(`Content-Length: ${body.length}\r\n\r\n${body}`),
        frame(note("after")),
      ]);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const { messages, skipped } = await read(chunks, 1_000);
      expect(messages).toEqual([{ jsonrpc: "2.0", id: 7, error: expect.anything() }, note("after")]);
      expect(skipped).toEqual([{ kind: "over-cap", text: expect.any(String), lost: false }]);
    }),
    { numRuns: 30 },
  );
});

test.each<[string, string, number | undefined, boolean]>([
  ["not JSON, but its number can be read", '{"jsonrpc":"2.0","id":9,"result":NaN}', 9, false],
  ["not JSON, its number last", '{"jsonrpc":"2.0","result":[NaN],"id":9}', 9, false],
  ["not JSON at all", "{nonsense", undefined, true],
  ["a number within the result is not its own", '{"result":[{"id":9}}', undefined, true],
  ["a notification", '{"jsonrpc":"2.0","method":"window/logMessage","params":NaN}', undefined, false],
])("a body that cannot be read: %s", async (_name, body, id, lost) => {
  const { messages, skipped } = await read([
    Buffer.from(`Content-Length: ${body.length}\r\n\r\n${body}`),
    frame(note("after")),
  ]);
  expect(skipped).toMatchObject([{ kind: "garbled", lost }]);
  expect(messages).toMatchObject([...(id === undefined ? [] : [{ id, error: {} }]), note("after")]);
});

test("a message over the cap that ends early does not hide the next", async () => {
  const begun = Buffer.from(`Content-Length: 5000\r\n\r\n{"result":"${"x".repeat(600)}`);
  const { messages, skipped } = await read([begun, frame(note("a")), frame(note("b"))], 1_000);
  expect(messages).toEqual([note("a"), note("b")]);
  expect(skipped).toMatchObject([{ kind: "over-cap", lost: true }]);
});

test("a reply without result and error means null", async () => {
  expect((await read([frame({ jsonrpc: "2.0", id: 1 })])).messages).toEqual([
    { jsonrpc: "2.0", id: 1, result: null },
  ]);
});

test("the stream is paused while messages wait, so that a flood stays bounded", async () => {
  const input = new PassThrough({ highWaterMark: 1024 });
  const reader = new ResyncReader(input, 1_000_000, () => {});
  let seen = 0;
  reader.listen(() => seen++);
  const flood = Buffer.concat(Array.from({ length: 2_000 }, () => frame(note("f"))));
  input.write(flood);
  await new Promise((done) => setImmediate(done));
  expect(input.isPaused()).toBe(true);
  while (seen < 2_000) await new Promise((done) => setImmediate(done));
  expect(input.isPaused()).toBe(false);
});

/** Bytes of one text over and over, then a message. */
function flood(unit: string, megabytes: number): Buffer[] {
  const chunk = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
  const count = Math.ceil((megabytes * 1_000_000) / chunk.length);
  return [...Array.from({ length: count }, () => chunk), Buffer.from("\n"), frame(note("after"))];
}

test.each([
  ["the name of the header", ["Content-Length:", "content-length:", "Content-Length: 1 "], ""],
  ["headers that never end", ["Content-Length: 1\n", "Content-Length: 1\nA: b\n"], ""],
  ["the name inside a body", ["Content-Length:", "content-length: 1\n"], "Content-Length: 60000000\r\n\r\n"],
  ["the name inside a body over the cap", ["Content-Length:"], "Content-Length: 900000000\r\n\r\n"],
])("%s costs no more than other bytes", async (_what, units, header) => {
  for (const unit of units) {
    const before = processorMs();
    const { messages } = await read([Buffer.from(header), ...flood(unit, 16)], 64_000_000);
    expect(messages).toEqual([note("after")]);
    // Of processor time; quadratic work took 6 seconds and more.
    const ms = processorMs() - before;
    expect(ms).toBeLessThan(limitFor(ms, 5_000));
  }
});

test("many unreadable messages do not keep other work from running", async () => {
  let turns = 0;
  const count = () => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const { messages } = await read([
    Buffer.from("Content-Length: 1\r\n\r\nx".repeat(20_000)),
    frame(note("after")),
  ]);
  clearImmediate(timer);
  expect(messages).toEqual([note("after")]);
  expect(turns).toBeGreaterThan(10);
});

test("a deeply nested message is read up to a bound", async () => {
  const nested = (levels: number) =>
    Buffer.from(`{"jsonrpc":"2.0","id":3,"result":${"[".repeat(levels)}"[[[\\"["${"]".repeat(levels)}}`);
  const framed = (levels: number) => {
    const body = nested(levels);
    return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
  };
  expect((await read([framed(999)])).messages).toMatchObject([{ id: 3, result: expect.any(Array) }]);
  const { messages, skipped } = await read([framed(1_000), frame(note("after"))]);
  expect(messages).toMatchObject([
    { id: 3, error: { message: expect.stringContaining("deeper than") } },
    note("after"),
  ]);
  expect(skipped).toMatchObject([{ kind: "garbled", lost: false }]);
});

test.each([
  ["an error that is no object", '{"id":3,"error":0}', { id: 3, error: { code: expect.any(Number) } }],
  ["neither result nor error", '{"id":3}', { id: 3, result: null }],
  ["a null error", '{"id":3,"error":null}', { id: 3, result: null }],
  ["a result beside a null error", '{"id":3,"error":null,"result":1}', { id: 3, result: 1 }],
  ["a method that is null", '{"id":3,"method":null,"result":1}', { id: 3, result: 1 }],
])("a reply with %s is still a reply", async (_what, body, reply) => {
  const { messages } = await read([Buffer.from(`Content-Length: ${body.length}\r\n\r\n${body}`)]);
  expect(messages).toMatchObject([reply]);
});

test.each(['{"id":{},"method":"x"}', '{"id":[]}', "{}", '{"id":true,"result":1}'])(
  "%s is no message",
  async (body) => {
    const { messages, skipped } = await read([Buffer.from(`Content-Length: ${body.length}\r\n\r\n${body}`)]);
    expect(messages).toEqual([]);
    expect(skipped).toMatchObject([{ kind: "garbled" }]);
  },
);

test("large messages of several servers are parsed in turns of their own: timers run between them", async () => {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    result: Array.from({ length: 700_000 }, (_, n) => n),
  });
  const message = Buffer.from(`Content-Length: ${body.length}\r\n\r\n${body}`);
  const events: string[] = [];
  const timer = setInterval(() => events.push("timer"), 1);
  const delivered = ["a", "b", "c"].map((name) => {
    const input = new PassThrough();
    const reader = new ResyncReader(input, 10_000_000, () => undefined);
    return new Promise<void>((resolve) => {
      reader.listen(() => {
        events.push(name);
        resolve();
      });
      input.write(message);
    });
  });
  await Promise.all(delivered);
  clearInterval(timer);
  const order = events.filter((event, index) => event !== events[index - 1]);
  expect(order.slice(order.indexOf("a"))).toEqual(["a", "timer", "b", "timer", "c"]);
});
