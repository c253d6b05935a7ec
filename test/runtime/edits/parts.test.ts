/** The preview of a large file can be read completely by cursor. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import { splitChange, splitIntoParts } from "../../../src/runtime/edits/render-edit.js";
import { editing, filesOf, read } from "./support.js";

const lines = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${word} "quoted" 😀 ${index}\n`).join("");

it("every page keeps its bounds, and all of them together are the whole edit", async () => {
  const before = lines("old", 4000);
  const after = `${lines("new", 3000)}${"x".repeat(30_000)}\n`;
  const work = await editing({ files: { "a.fake": before }, tools: ["create_file"] });
  const call: JsonObject = { file_path: "a.fake", content: after, overwrite: true };
  const parts: JsonObject[] = [];
  let token: unknown;
  for (let page: JsonObject | undefined = call; page !== undefined; ) {
    const answer = await work.call("create_file", page);
    expect(answer.structured.status).toBe("preview");
    expect(JSON.stringify(answer.structured).length).toBeLessThanOrEqual(40_000);
    expect(answer.text.length).toBeLessThanOrEqual(40_000);
    parts.push(...filesOf(answer).filter(({ operation }) => operation === undefined));
    token = answer.structured.edit_token;
    const { next_cursor } = answer.structured;
    page = typeof next_cursor === "string" ? { ...call, cursor: next_cursor } : undefined;
  }
  expect(parts.length).toBeGreaterThan(10);
  expect(parts.map(({ part }) => part)).toEqual(parts.map((_, index) => index + 1));
  expect(parts.every(({ parts: count, cut }) => count === parts.length && cut === undefined)).toBe(true);
  const diff = parts.map(({ diff: own }) => own ?? "").join("");
  const added = diff.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++"));
  expect(`${added.map((line) => line.slice(1)).join("\n")}\n`).toBe(after);
  const edits = parts.flatMap(({ edits: own }) => own as JsonObject[]);
  expect(edits.slice(1).every(({ continues }) => continues === true)).toBe(true);
  expect(after).toContain(edits.map(({ new_text }) => new_text).join(""));
  await work.call("create_file", { ...call, dry_run: false, edit_token: token as string });
  expect(read(work, "a.fake")).toBe(after);
});

it("a small file is one item, and no character is torn", () => {
  const small = { path: "a", edits: [{ line: 1, new_text: "x" }], diff: "+x\n" };
  expect(splitIntoParts(small, 5000)).toEqual([small]);
  const text = "😀".repeat(9000);
  const changes = splitChange({ start: 1, end: 9, newText: text }, 5000);
  expect(changes.map(({ newText }) => newText).join("")).toBe(text);
  expect(changes.every(({ newText }) => /^(?:😀)+$/u.test(newText))).toBe(true);
  expect(changes.map(({ start }) => start)).toEqual([1, ...changes.slice(1).map(() => 9)]);
  const edits = changes.map(({ newText }) => ({ new_text: newText }));
  const parts = splitIntoParts({ path: "a", edits }, 5000);
  expect(parts.flatMap(({ edits: own }) => own)).toEqual(edits);
  expect(parts.length).toBeGreaterThan(1);
});
