/** Bodies that take long to parse for their size: each is read within a second of processor time, or refused before. */
import { expect, test } from "vitest";
import { readMessage } from "../../src/lsp/wire/message-format.js";
import { limitFor } from "../processor-time.mjs";

const options = { timeout: 120_000 };
/** The bounds are chosen so that a body takes less than a second; a slow machine may take twice as long. */
const LIMIT_MS = 2_000;

/** Joined in blocks: millions of live texts would be copied by each garbage collection. */
function list(count: number, item: (n: number) => string): string {
  const block = 5_000;
  const blocks: string[] = [];
  for (let start = 0; start < count; start += block)
    blocks.push(
      Array.from({ length: Math.min(block, count - start) }, (_, index) => item(start + index)).join(","),
    );
  return blocks.join(",");
}
const range = (line: number) => ({ start: { line, character: 3 }, end: { line, character: 9 } });
const uri = (n: number) => `file:///work/src/file${n % 1_000}.ts`;
const kinds = { kind: 12, detail: "", children: [] };

function read(result: string): { message: unknown; ms: number } {
  const body = `{"jsonrpc":"2.0","id":1,"result":${result}}`;
  const before = process.cpuUsage();
  const message = readMessage(body);
  const { user, system } = process.cpuUsage(before);
  return { message, ms: (user + system) / 1_000 };
}

test.each([
  ["4 million values", () => `[${list(4_100_000, () => "1")}]`, "has more than 4000000 values"],
  ["500,000 short texts", () => `[${list(600_000, (n) => `"${n}"`)}]`, "500000 different short texts"],
  [
    "many names in one object",
    () => `{${list(3_900_000, (n) => `"${n.toString(36)}":1`)}}`,
    "different short texts and names",
  ],
  [
    "a name in each of many objects",
    () => `[${list(1_900_000, (n) => `{"k${n}":1}`)}]`,
    "different short texts and names",
  ],
  [
    "names with escapes",
    () => `{${list(600_000, (n) => `"\\"\\\\${n}":"\\":"`)}}`,
    "different short texts and names",
  ],
])("more than %s: refused", options, (_, result, words) => {
  const { message, ms } = read(result());
  expect(message).toContain(words);
  expect(ms).toBeLessThan(limitFor(ms, LIMIT_MS));
});

test.each([
  ["100,000 references", () => `[${list(100_000, (n) => JSON.stringify({ uri: uri(n), range: range(n) }))}]`],
  [
    "the symbols of a file of 8 MB",
    () =>
      `[${list(180_000, (n) => JSON.stringify({ name: `key${n}`, ...kinds, range: range(n), selectionRange: range(n) }))}]`,
  ],
  ["an edit of 100,000 files", () => `{"changes":{${list(100_000, (n) => `"file:///work/${n}.ts":[]`)}}}`],
  ["the most short texts", () => `[${list(490_000, (n) => `"${n}"`)}]`],
  ["the most names", () => `{${list(490_000, (n) => `"k${n}":1`)}}`],
  ["the most long texts", () => `[${list(3_900_000, (n) => `"${n + 1e9} long"`)}]`],
  ["objects of many shapes", () => `[${list(666_000, (n) => `{"k${n % 500}":{"a${n % 400}":1}}`)}]`],
  ["few names, very often", () => `[${list(1_900_000, () => '{"a":1}')}]`],
])("%s: read", options, (_, result) => {
  const { message, ms } = read(result());
  expect(message).toMatchObject({ id: 1 });
  expect(ms).toBeLessThan(limitFor(ms, LIMIT_MS));
});
