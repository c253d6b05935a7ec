/** Bytes from a language server: the reader never throws, keeps no more than one message's limit, and ends. */
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ResyncReader } from "../../src/lsp/wire/resync-reader.js";
import { openTestWorkspace } from "../runtime/test-workspace.js";
import { holdMemory, nearly, noise, patience, rounds } from "./rounds.js";

holdMemory();

function frame(message: unknown): string {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const message = fc.oneof(
  fc.record({ jsonrpc: fc.constant("2.0"), method: fc.string(), params: fc.jsonValue() }),
  fc.record({
    jsonrpc: fc.constant("2.0"),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
    result: fc.jsonValue(),
  }),
  fc.record({ jsonrpc: fc.constant("2.0"), id: fc.integer(), error: fc.jsonValue() }),
  fc.jsonValue(),
);
const stream = fc.array(
  fc.oneof(
    nearly(message.map(frame)),
    message.map((value) => Buffer.from(frame(value))),
    noise,
  ),
  { maxLength: 8 },
);

test("the reader", { timeout: patience }, async () => {
  await fc.assert(
    fc.asyncProperty(stream, fc.integer({ min: 1, max: 64 }), async (chunks, size) => {
      const input = new PassThrough();
      const reader = new ResyncReader(input, 4_096, () => undefined);
      const closed = new Promise<void>((done) => void reader.onClose(() => done()));
      reader.listen((got) => expect(typeof got).toBe("object"));
      const bytes = Buffer.concat(chunks);
      for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size));
      input.end();
      await closed;
    }),
    rounds(300),
  );
});

const place = fc.record({
  line: fc.oneof(fc.integer(), fc.double(), fc.constant(-1)),
  character: fc.oneof(fc.integer(), fc.string()),
});
const uri = fc.oneof(
  fc.constantFrom("file:///work/a.fake", "file:///etc/passwd", "file://host/x", "jdt://x", ""),
  fc.string(),
);
const location = fc.oneof(
  fc.record({ uri, range: fc.record({ start: place, end: place }) }),
  fc.record({ targetUri: uri, targetRange: fc.jsonValue() }),
  fc.jsonValue(),
);
const reply = fc.oneof(fc.array(location, { maxLength: 6 }), location, fc.jsonValue());

test("answers of any kind: every call ends, with an answer that fits its schema or a refusal", {
  timeout: patience,
}, async () => {
  const replies = fc.sample(reply, { ...rounds(60), numRuns: rounds(60).numRuns });
  const work = await openTestWorkspace({
    files: { "a.fake": "one two\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: { definitionProvider: true, hoverProvider: true, documentSymbolProvider: true },
          replies: Object.fromEntries(
            ["definition", "hover", "documentSymbol"].map((name) => [
              `textDocument/${name}`,
              { $each: replies as never[] },
            ]),
          ),
        },
      },
    },
  });
  try {
    const at = { file_path: "a.fake", line: 1, character: 1 };
    for (let round = 0; round < replies.length; round++) {
      for (const [tool, args] of [
        ["find_definition", at],
        ["get_hover", at],
        ["get_document_symbols", { file_path: "a.fake" }],
      ] as const) {
        const outcome = await work.call(tool, args);
        expect(outcome.text).not.toContain("/etc/passwd");
      }
    }
    expect(work.logged.filter(({ level }) => level === "error")).toEqual([]);
  } finally {
    await work.close();
  }
});
