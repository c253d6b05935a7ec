/** One change of whole lines, applied as a server applies it, gives the new text in every encoding. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Range } from "vscode-languageserver-protocol";
import { Lines, type PositionEncoding } from "../../src/base/text.js";
import { changeBetween } from "../../src/lsp/documents/documents.js";

const encodings: PositionEncoding[] = ["utf-8", "utf-16", "utf-32"];

function apply(
  before: string,
  { range, text }: { range?: Range; text: string },
  encoding: PositionEncoding,
): string {
  if (!range) return text;
  const lines = new Lines(before);
  const offset = (at: { line: number; character: number }): number =>
    lines.offset(at.line, at.character, encoding);
  return before.slice(0, offset(range.start)) + text + before.slice(offset(range.end));
}

test("any text becomes any other", () => {
  const piece = fc.constantFrom("a", "b", "\n", "\r", "\r\n", "é", "漢", "😀", "\t", "");
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, text, fc.constantFrom(...encodings), (before, after, encoding) => {
      const change = changeBetween(new Lines(before), new Lines(after), encoding);
      expect(apply(before, change, encoding)).toBe(after);
    }),
    { numRuns: 5_000 },
  );
});

test("only the lines that differ are sent", () => {
  const change = changeBetween(new Lines("a\nb\nc\n"), new Lines("a\nB\nB\nc\n"), "utf-8");
  expect(change).toEqual({
    range: { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } },
    text: "B\nB\n",
  });
});
