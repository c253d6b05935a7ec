import { expect, it } from "vitest";
import { AnswerCache } from "../../src/runtime/answer-cache.js";
import type { CallOutcome } from "../../src/runtime/outcome.js";

const outcome: CallOutcome = {
  isError: false,
  error: null,
  structured: { ok: true },
  text: "yes",
  notes: "",
  headline: "yes",
};

it("keeps nothing that a server answered while it may still be taking in changed files", async () => {
  let now = 0;
  const cache = new AnswerCache(1_000_000, () => now);
  const before = { files: "1", all: "1" };
  const after = { files: "2", all: "2" };
  expect(await cache.get("k", before)).toBeUndefined();
  await cache.put("k", before, outcome, [], now);
  expect(await cache.get("k", before)).toBe(outcome);

  now = 1_000;
  expect(await cache.get("k", after)).toBeUndefined();
  await cache.put("k", after, outcome, [], now);
  expect(await cache.get("k", after)).toBeUndefined();

  now = 12_000;
  await cache.put("k", after, outcome, [], now);
  expect(await cache.get("k", after)).toBe(outcome);
});
