/** Bytes come out as they went in, however they were cut, and a large message is gathered in memory of its own size. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Inbox } from "../../src/lsp/wire/inbox.js";

const large = 300_000;
const bytes = (length: number) => Buffer.alloc(length, "0123456789abcdefghijk");

it("gives back every byte in its order, whatever is put back", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 12 }),
      fc.array(fc.record({ used: fc.nat(400_000), wanted: fc.nat(large * 2) }), {
        minLength: 1,
        maxLength: 6,
      }),
      (sizes, looks) => {
        const whole = bytes(sizes.reduce((sum, size) => sum + size, 0));
        const inbox = new Inbox();
        const out: Buffer[] = [];
        let at = 0;
        for (const [index, size] of sizes.entries()) {
          inbox.add(whole.subarray(at, at + size));
          at += size;
          const { used, wanted } = looks[index % looks.length] ?? { used: 0, wanted: 1 };
          const taken = inbox.take();
          out.push(Buffer.from(taken.subarray(0, used)));
          inbox.putBack(taken.subarray(used), wanted);
          expect(out.reduce((sum, { length }) => sum + length, 0) + inbox.size).toBe(at);
        }
        while (inbox.size > 0) out.push(Buffer.from(inbox.take()));
        expect(Buffer.concat(out).equals(whole)).toBe(true);
      },
    ),
    { numRuns: 40, seed: 9 },
  );
});

it("takes a large message that is whole by itself, and what came with its end next", () => {
  const whole = bytes(large + 1000);
  const inbox = new Inbox();
  inbox.putBack(whole.subarray(0, 10), large);
  for (let at = 10; at < whole.length; at += 65_536) inbox.add(whole.subarray(at, at + 65_536));
  expect(inbox.isSplit).toBe(true);
  const taken = inbox.take();
  expect(taken).toHaveLength(large);
  expect(taken.buffer.byteLength).toBe(large);
  expect(inbox.isSplit).toBe(false);
  expect(inbox.take().equals(whole.subarray(large))).toBe(true);
});

it("keeps no buffer alive for a few bytes at its end", () => {
  const inbox = new Inbox();
  inbox.putBack(Buffer.alloc(large).subarray(large - 5), 100);
  expect(inbox.take().buffer.byteLength).toBeLessThan(large / 2);
});
