/**
 * How long is fuzzed, and from which seed. `FUZZ_ROUNDS` multiplies the short run of the tests; `FUZZ_SEED` repeats a run:
 * fast-check prints seed and path of what failed, and the smallest input that fails.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { afterEach, beforeEach, expect } from "vitest";

const times = Number(process.env.FUZZ_ROUNDS ?? 1);
const seed = Number(process.env.FUZZ_SEED ?? 20_260_728);

/** The parameters of a property that takes this many rounds in the short run. */
export function rounds(short: number): { numRuns: number; seed: number } {
  return { numRuns: Math.max(1, Math.round(short * times)), seed };
}

/** How long one test may take: a short run ends within its bound many times over. */
export const patience = 60_000 * Math.max(1, times);

const mostLeftMb = 100;
const mostAtOnceMb = 1_500;

/** Holds that no test of a file leaves memory behind, however long it runs, or takes too much at once. */
export function holdMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heldMb = (): number => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1_048_576;
  };
  let before = 0;
  beforeEach(() => {
    before = heldMb();
  });
  afterEach(() => {
    expect(heldMb() - before).toBeLessThan(mostLeftMb);
    expect(process.resourceUsage().maxRSS / 1024).toBeLessThan(mostAtOnceMb);
  });
}

/** One change to bytes: some are replaced, left out, doubled or put in. */
interface Change {
  at: number;
  drop: number;
  add: Uint8Array;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  drop: fc.nat({ max: 12 }),
  add: fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc.constantFrom(
      ...["\0", "\r\n", "\n", "{", "[[", '"', "\\u0000", "-1", "1e999"].map((text) => Buffer.from(text)),
    ),
  ),
});

/** Bytes that began as something valid, changed in a few places. */
export function nearly(valid: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc.tuple(valid, fc.array(change, { minLength: 1, maxLength: 6 })).map(([text, changes]) =>
    changes.reduce<Buffer>((bytes, { at, drop, add }) => {
      const from = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, from), add, bytes.subarray(from + drop)]);
    }, Buffer.from(text)),
  );
}

/** Bytes of any kind. */
export const noise: fc.Arbitrary<Buffer> = fc
  .uint8Array({ maxLength: 400 })
  .map((bytes) => Buffer.from(bytes));
