import { mkdtempSync, realpathSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TextRing } from "../../src/base/text-ring.js";
import type { CallOutcome } from "../../src/runtime/answer/outcome.js";
import { AnswerCache } from "../../src/runtime/sharing/answer-cache.js";

const outcome: CallOutcome = {
  isError: false,
  error: null,
  structured: { ok: true },
  text: "yes",
  notes: "",
  headline: "yes",
};
const mark = { files: "1", all: "1" };

let folder = "";
let file = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-cache-")));
  file = join(folder, "a");
  writeFileSync(file, "one");
  utimesSync(file, 1000, 1000);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A cache at a time that the test sets. */
function cacheAt(mostBytes = 1_000_000) {
  const clock = { now: 2_000_000 };
  return { clock, cache: new AnswerCache(mostBytes, () => clock.now) };
}

it("keeps nothing that a server answered while it may still be taking in changed files", async () => {
  let now = 0;
  const cache = new AnswerCache(1_000_000, () => now);
  const after = { files: "2", all: "2" };
  expect(await cache.get("k", mark)).toBeUndefined();
  await cache.put("k", mark, outcome, [], now);
  expect(await cache.get("k", mark)).toEqual(outcome);

  now = 1_000;
  expect(await cache.get("k", after)).toBeUndefined();
  await cache.put("k", after, outcome, [], now);
  expect(await cache.get("k", after)).toBeUndefined();

  now = 12_000;
  await cache.put("k", after, outcome, [], now);
  expect(await cache.get("k", after)).toEqual(outcome);
});

it.each<[string, () => void]>([
  ["another length", () => writeFileSync(file, "one more")],
  ["another time", () => utimesSync(file, 1001, 1001)],
  ["no file any more", () => rmSync(file)],
])("gives nothing again when a file that it shows has %s, though no watch saw it", async (_, change) => {
  const { cache, clock } = cacheAt();
  await cache.put("k", mark, outcome, [file], clock.now);
  expect(await cache.get("k", mark)).toEqual(outcome);
  change();
  expect(await cache.get("k", mark)).toBeUndefined();
});

it.each<[string, () => void]>([
  ["has another length", () => writeFileSync(join(folder, "b"), "two more")],
  [
    "is another one of the same length and time",
    () => {
      writeFileSync(join(folder, "c"), "new");
      utimesSync(join(folder, "c"), 1000, 1000);
      renameSync(join(folder, "c"), join(folder, "b"));
    },
  ],
])("looks at each of the files: nothing is given again when the second %s", async (_, change) => {
  const { cache, clock } = cacheAt();
  const second = join(folder, "b");
  writeFileSync(second, "two");
  utimesSync(second, 1000, 1000);
  await cache.put("k", mark, outcome, [file, second], clock.now);
  expect(await cache.get("k", mark)).toEqual(outcome);
  change();
  expect(await cache.get("k", mark)).toBeUndefined();
});

it("keeps nothing when the second of its files changed after the question", async () => {
  const { cache, clock } = cacheAt();
  const second = join(folder, "b");
  writeFileSync(second, "two");
  utimesSync(second, clock.now / 1000, clock.now / 1000);
  await cache.put("k", mark, outcome, [file, second], clock.now);
  expect(await cache.get("k", mark)).toBeUndefined();
});

it("gives nothing again when a file came into being that was not there", async () => {
  const { cache, clock } = cacheAt();
  const missing = join(folder, "b");
  await cache.put("k", mark, outcome, [missing], clock.now);
  expect(await cache.get("k", mark)).toEqual(outcome);
  writeFileSync(missing, "there");
  expect(await cache.get("k", mark)).toBeUndefined();
});

it("keeps nothing about a file that changed after the question, or just before it", async () => {
  const { cache, clock } = cacheAt();
  utimesSync(file, clock.now / 1000, clock.now / 1000);
  await cache.put("k", mark, outcome, [file], clock.now);
  expect(await cache.get("k", mark)).toBeUndefined();
  await cache.put("k", mark, outcome, [file], clock.now + 1000);
  expect(await cache.get("k", mark)).toEqual(outcome);
});

it("keeps an answer for five seconds, however often it is given", async () => {
  const { cache, clock } = cacheAt();
  await cache.put("k", mark, outcome, [file], clock.now);
  clock.now += 4_999;
  expect(await cache.get("k", mark)).toEqual(outcome);
  clock.now += 1;
  expect(await cache.get("k", mark)).toBeUndefined();
});

it("gives nothing again once a server said or did anything", async () => {
  const { cache, clock } = cacheAt();
  await cache.put("k", mark, outcome, [], clock.now);
  expect(await cache.get("k", { files: "1", all: "2" })).toBeUndefined();
  expect(await cache.get("k", mark)).toBeUndefined();
});

it("keeps so many bytes, the oldest go first, and none that is more than a quarter of them", async () => {
  const long = { ...outcome, text: "x".repeat(200) };
  const { cache, clock } = cacheAt(1_300);
  for (const key of ["a", "b", "c", "d"]) await cache.put(key, mark, long, [], clock.now);
  expect(await cache.get("a", mark)).toEqual(long);
  await cache.put("e", mark, long, [], clock.now);
  expect(await cache.get("a", mark)).toBeUndefined();
  expect(cache.has("a", "me")).toBe(false);
  expect(cache.bytes).toBeLessThanOrEqual(1_300);
  for (const key of ["b", "c", "d", "e"]) expect(await cache.get(key, mark)).toEqual(long);
  await cache.put("f", mark, { ...outcome, text: "x".repeat(400) }, [], clock.now);
  expect(await cache.get("f", mark)).toBeUndefined();
  await cache.put("g", mark, { ...outcome, text: "é".repeat(150) }, [], clock.now);
  expect(await cache.get("g", mark)).toBeUndefined();
});

it("counts its questions, too", async () => {
  const { cache, clock } = cacheAt(1_300);
  for (const key of ["a", "b", "c", "d"]) await cache.put(key.repeat(300), mark, outcome, [], clock.now);
  expect(cache.has("a".repeat(300), "me")).toBe(false);
  expect(await cache.get("d".repeat(300), mark)).toEqual(outcome);
  // One that is too long would drive the others out.
  await cache.put("é".repeat(163), mark, outcome, [], clock.now);
  expect(cache.has("é".repeat(163), "me")).toBe(false);
  expect(await cache.get("d".repeat(300), mark)).toEqual(outcome);
});

it("counts an answer to the same question once", async () => {
  const { cache, clock } = cacheAt();
  await cache.put("a", mark, outcome, [], clock.now);
  const { bytes } = cache;
  for (let times = 0; times < 3; times++) await cache.put("a", mark, outcome, [], clock.now);
  expect(cache.bytes).toBe(bytes);
});

it("keeps none in no bytes", async () => {
  const { cache, clock } = cacheAt(0);
  await cache.put("a", mark, outcome, [], clock.now);
  expect(await cache.get("a", mark)).toBeUndefined();
});

it("gives every answer as it was, whatever was kept and forgotten in between", () => {
  const answers = fc.array(
    fc.record({
      key: fc.constantFrom("a", "b", "c", "d"),
      text: fc.string({ unit: "grapheme", maxLength: 60 }),
      isNews: fc.boolean(),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(answers, (said) => {
      const { cache, clock } = cacheAt(1_000);
      let all = 1;
      const last = new Map<string, string>();
      for (const { key, text, isNews } of said) {
        if (isNews) all++;
        if (isNews) last.clear();
        const now = { files: "1", all: String(all) };
        cache.put(key, now, { ...outcome, text }, [], clock.now);
        last.set(key, text);
        expect(cache.get(key, now)).toEqual({ ...outcome, text });
        for (const other of ["a", "b", "c", "d"]) {
          const kept = cache.get(other, now);
          if (kept !== undefined) expect(kept).toEqual({ ...outcome, text: last.get(other) });
        }
      }
    }),
  );
});

it("holds nothing that will never be given again", async () => {
  const { cache, clock } = cacheAt();
  await cache.put("a", mark, outcome, [], clock.now);
  expect(cache.bytes).toBeGreaterThan(0);
  const one = cache.bytes;
  await cache.put("b", { files: "1", all: "2" }, outcome, [], clock.now);
  expect(cache.bytes).toBe(one);
  clock.now += 5_000;
  await cache.put("c", { files: "1", all: "2" }, outcome, [], clock.now);
  expect(cache.bytes).toBe(one);
});

it("writes to the same memory once nothing is kept", async () => {
  const { cache, clock } = cacheAt();
  const put = vi.spyOn(TextRing.prototype, "put");
  for (let times = 0; times < 3; times++) {
    await cache.put("a", mark, outcome, [], clock.now);
    await cache.put("b", mark, outcome, [], clock.now);
    clock.now += 5_000;
  }
  const places = put.mock.results.map(({ value }) => value.at % 1_000_000);
  put.mockRestore();
  expect(places).toEqual([0, places[1], 0, places[1], 0, places[1]]);
});

it("gives an answer that nobody else can change", async () => {
  const { cache, clock } = cacheAt();
  await cache.put("k", mark, outcome, [], clock.now);
  const first = cache.get("k", mark) as { structured: { ok: unknown } };
  first.structured.ok = "changed";
  expect(cache.get("k", mark)).toEqual(outcome);
});
