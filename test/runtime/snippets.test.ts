/** The texts that stand beside places: around the symbol, bounded, and read from each file once. */
import { describe, expect, it } from "vitest";
import type { AnswerOptions } from "../../src/abi/handler.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import { Lines } from "../../src/base/text.js";
import { buildAnswer } from "../../src/runtime/answer/answer.js";
import { callState, serverOf } from "./doubles.js";
import { range } from "./test-workspace.js";

const a = "file:///w/a.fake";

async function answer(text: string, places: Json, snippet?: AnswerOptions["snippet"]) {
  const parts = [{ server: serverOf({ [a]: text }), value: places }];
  const options = snippet === undefined ? {} : { snippet };
  const { structured } = await buildAnswer(callState(), "locations", { parts, perItem: false }, options);
  return { texts: (structured.locations as JsonObject[]).map((item) => item.text), structured };
}

describe("a text beside a place", () => {
  it("is cut around the symbol, on characters, with a warning", async () => {
    const line = `${"👋".repeat(500)}symbol${"→".repeat(500)}`;
    const { texts, structured } = await answer(`  ${line}\n`, [{ uri: a, range: range(0, 1002, 1008) }]);
    const [text] = texts as [string];
    expect([...text]).toHaveLength(400);
    expect(text).toBe(`${"👋".repeat(197)}symbol${"→".repeat(197)}`);
    expect(structured).toMatchObject({ truncated: false, warnings: [{ code: "answer/snippet-cut" }] });
  });

  it("has its symbol wherever it is in the lines around", async () => {
    const lines = [`${"x".repeat(60)}`, `${"y".repeat(60)}symbol`, "z".repeat(60)];
    const { texts } = await answer(lines.join("\n"), [{ uri: a, range: range(1, 60, 66) }], {
      show: true,
      contextLines: 1,
      maxChars: 40,
    });
    expect(texts[0]).toContain("symbol");
    expect(texts[0]).toHaveLength(40);
  });

  it("is whole without a warning where it fits", async () => {
    const { texts, structured } = await answer("  one two\n", [{ uri: a, range: range(0, 6, 9) }]);
    expect(texts).toEqual(["one two"]);
    expect(structured.warnings).toEqual([]);
  });

  it("costs one reading of each file, however many places there are", async () => {
    const files = ["a", "b", "c"].map((name) => `file:///w/${name}.fake`);
    const read: string[] = [];
    const server = {
      ...serverOf({}),
      textOf: async (uri: string) => {
        read.push(uri);
        return new Lines("some text of the file\n".repeat(60));
      },
    };
    const value = files.flatMap((uri) =>
      Array.from({ length: 50 }, (_, line) => ({ uri, range: range(line, 5, 9) })),
    );
    const parts = [{ server, value }];
    const { structured } = await buildAnswer(callState(), "locations", { parts, perItem: false }, {});
    expect(structured.total).toBe(150);
    expect((structured.locations as JsonObject[])[0]).toMatchObject({ text: "some text of the file" });
    expect(read.toSorted()).toEqual(files);
  });
});
