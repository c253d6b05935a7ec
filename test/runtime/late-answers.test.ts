/** A shared answer whose time was up: who had that time ends with it, who has more asks for himself. */
import { describe, expect, it } from "vitest";
import { Stop } from "../../src/base/stop.js";
import type { PoolMark } from "../../src/lsp/types.js";
import { AnswerCache } from "../../src/runtime/sharing/answer-cache.js";
import { InFlight } from "../../src/runtime/sharing/in-flight.js";
import {
  type Fresh,
  type Question,
  type Sharing,
  shareAnswer,
} from "../../src/runtime/sharing/shared-answers.js";

const mark: PoolMark = {
  ...{ lookedAt: 0, files: "files", all: "all", sources: "sources", changedAt: null },
  holds: async () => true,
  isAhead: () => false,
  onRefuted: () => undefined,
};

function sharing(): Sharing {
  const pool = { glance: () => mark, mark: async () => mark } as unknown as Sharing["pool"];
  return { pool, inFlight: new InFlight(), answers: new AnswerCache(1000) };
}

function question(asker: string, leftMs: number): Question {
  return {
    ...{ tool: "find_definition", args: {}, sight: "[]", asker, cancel: new Stop() },
    ...{ holds: () => false, remainingMs: () => leftMs, onProgress: () => {} },
  };
}

/** What a call tells that is over, by the one who asked. */
function late(text: string): Fresh {
  return {
    outcome: { isError: true, error: null, structured: {}, text, notes: "", headline: "" },
    ...{ learned: { servers: [], awaited: [], warnings: [] }, refusal: undefined, isLate: true },
    ...{ owner: undefined, listing: undefined, isKept: false, files: [] },
  };
}

describe("an answer that came too late", () => {
  it("is told to whoever asked for it, though the clock says that a moment is left", async () => {
    let asked = 0;
    const { outcome } = await shareAnswer(sharing(), question("one", 0.9), async () => late(`${++asked}`));
    expect({ asked, text: outcome.text }).toEqual({ asked: 1, text: "1" });
  });

  it.each([
    ["is asked for again by who joined and has time left", 5000, "second"],
    ["is told to who joined and has no time left to ask", 5, "first"],
  ])("%s", async (_what, leftMs, told) => {
    const shared = sharing();
    let isOver = false;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const first = shareAnswer(shared, question("one", 0), () => ended.then(() => late("first")));
    const second = shareAnswer(shared, question("two", leftMs), async () => {
      // Before that it waits for what the first has begun.
      expect(isOver).toBe(true);
      return late("second");
    });
    // Whoever joins has looked at everything before.
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    isOver = true;
    end();
    expect((await first).outcome.text).toBe("first");
    expect((await second).outcome.text).toBe(told);
  });
});
