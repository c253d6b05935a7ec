/** What was spelt once is sent as it was spelt, and nothing else changes. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { messageText, spelt } from "../../src/base/spelt.js";

const long = "x".repeat(3000);

describe("a message", () => {
  it("is the JSON that it would be, whatever in it was spelt before", () => {
    const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "toJSON", '"', "result"));
    const table = () => fc.dictionary(key, fc.jsonValue());
    const optional = fc.option(fc.jsonValue(), { nil: undefined });
    fc.assert(
      fc.property(table(), table(), optional, fc.constantFrom(0, 1, 2), (inner, outer, more, depth) => {
        const answer = { ...inner, long };
        const result = { content: [{ type: "text", text: "a\n\u2028" }], structuredContent: answer, more };
        const message =
          depth === 0 ? answer : depth === 1 ? result : { ...outer, jsonrpc: "2.0", result, id: 1 };
        const plain = JSON.stringify(message);
        spelt(answer);
        expect(messageText(message)).toBe(plain);
      }),
    );
  });

  it("does not spell again what was spelt", () => {
    const answer = { long };
    const text = spelt(answer);
    const stringify = vi.spyOn(JSON, "stringify");
    expect(messageText({ jsonrpc: "2.0", id: 1, result: { structuredContent: answer } })).toContain(text);
    expect(spelt(answer)).toBe(text);
    expect(stringify.mock.calls.flat()).not.toContain(answer);
    stringify.mockRestore();
  });
});
