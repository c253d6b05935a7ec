/** Headers are found wherever the bytes of a server are cut. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { findHeader, HEADER_MAX, startsHeader } from "../../src/lsp/wire/frames.js";

const header = fc.oneof(
  fc.nat(99_999).map((length) => `Content-Length: ${length}\r\n\r\n`),
  fc.constant("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 7\r\n\r\n"),
  fc.nat(250).map((length) => `Content-Length: 7\r\nX: ${"y".repeat(length)}\r\n\r\n`),
  fc.nat(2_000).map((length) => `Content-Length:${" ".repeat(length)}7\r\n\r\n`),
  fc.constant("Content-Length: none\r\n\r\n"),
);
const filling = fc.oneof(
  fc.string({ maxLength: 100 }),
  fc.nat(3_000).map((length) => "z".repeat(length)),
);

test("a header is seen in the chunk that ends it, if it began in the chunk or shortly before", () => {
  let across = 0;
  fc.assert(
    fc.property(filling, header, filling, fc.nat(), (before, head, after, cut) => {
      const bytes = Buffer.from(before + head + after);
      const at = cut % (bytes.length + 1);
      const [tail, chunk] = [bytes.subarray(0, at), bytes.subarray(at)];
      const whole = Buffer.concat([tail.subarray(Math.max(0, tail.length - 64)), chunk]);
      const isThere = findHeader(whole, 0) >= 0;
      expect(startsHeader(tail, chunk)).toBe(isThere);
      if (isThere && findHeader(chunk, 0) < 0) across++;
    }),
    { numRuns: 1_000 },
  );
  expect(across).toBeGreaterThan(20);
});

test("a header across the border may be as long as any", () => {
  const head = `Content-Length:${" ".repeat(HEADER_MAX - 20)}7\r\n\r\n`;
  expect(head).toHaveLength(HEADER_MAX);
  const bytes = Buffer.from(`${"z".repeat(100)}${head}${"z".repeat(5_000)}`);
  for (const at of [101, 110, 120, 160])
    expect(startsHeader(bytes.subarray(0, at), bytes.subarray(at))).toBe(true);
  expect(startsHeader(undefined, bytes)).toBe(true);
  expect(startsHeader(undefined, bytes.subarray(101))).toBe(false);
});
