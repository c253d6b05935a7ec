/** The heap is held, but while a large message is taken apart. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { largeMessages } from "../../../src/base/large-messages.js";

const set: string[] = [];
const collect = vi.fn();
// The nursery has its size; that it gets it is tried with V8 itself.
const SIZE = 8_000_000;
vi.mock("node:v8", () => ({
  setFlagsFromString: (flag: string) => set.push(flag),
  getHeapSpaceStatistics: () => [{ space_name: "new_space", space_size: SIZE }],
}));
vi.mock("node:vm", () => ({ runInNewContext: () => collect }));

const held = [
  ...["--semi-space-growth-factor=1", "--no-parallel-scavenge", "--heap-growing-percent=30"],
  "--minor-gc-task-trigger=50",
];
const early = ["--incremental-marking-soft-trigger=30", "--incremental-marking-hard-trigger=60"];
const room = [
  ...["--semi-space-growth-factor=2", "--parallel-scavenge", "--minor-gc-task-trigger=80"],
  "--heap-growing-percent=0",
  ...["--incremental-marking-soft-trigger=0", "--incremental-marking-hard-trigger=0"],
];
const collected = ["--expose-gc", "--no-expose-gc"];

/** The flags that were set since the last look. */
const news = () => set.splice(0);

describe("the heap", () => {
  beforeAll(async () => {
    vi.useFakeTimers();
    const { holdHeap } = await import("../../../src/cli/engine/heap.js");
    holdHeap({ bytes: SIZE, collectedAt: 50 });
  });
  afterAll(() => vi.useRealTimers());

  it("is held, and garbage is searched for early once the start is over", () => {
    expect(news()).toEqual(held);
    vi.advanceTimersByTime(999);
    expect(news()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(news()).toEqual(early);
  });

  it("has room from a large message until a while after the last one, and gives it back", () => {
    largeMessages.publish(100_000);
    expect(news()).toEqual([]);
    largeMessages.publish(1_000_000);
    expect(news()).toEqual(room);
    vi.advanceTimersByTime(2_000);
    largeMessages.publish(1_000_000);
    vi.advanceTimersByTime(2_000);
    expect(news()).toEqual([]);
    expect(collect).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_000);
    expect(news()).toEqual([...held, ...early, ...collected]);
    expect(collect).toHaveBeenCalledTimes(1);
    largeMessages.publish(1_000_000);
    expect(news()).toEqual(room);
  });

  it("keeps that room where the start is not over yet", async () => {
    vi.advanceTimersByTime(3_000);
    vi.resetModules();
    const { holdHeap } = await import("../../../src/cli/engine/heap.js");
    const { largeMessages: messages } = await import("../../../src/base/large-messages.js");
    holdHeap({ bytes: SIZE, collectedAt: 50 });
    messages.publish(1_000_000);
    news();
    vi.advanceTimersByTime(1_000);
    expect(news()).toEqual([]);
  });
});
