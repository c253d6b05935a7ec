/** V8 itself, in a process of its own: it heeds what it is told while the program runs, and knows all of it. */
import { describe, expect, it } from "vitest";
import { printedIn } from "../../own-process.js";

const MB = 2 ** 20;

/** What this prints, where `Nursery`, `holdHeap` and `compileEarly` are at hand. */
function printed(script: string): Promise<{ stdout: string; stderr: string }> {
  const imports = `import { Nursery } from "./nursery.js";
    import { holdHeap } from "./heap.js";
    import { compileEarly } from "./compiler.js";`;
  return printedIn("cli/engine", `${imports} ${script}`);
}

/** Makes garbage for as many turns, of which the last few thousand tables stay alive, and tells the largest nursery and the last. */
const work = `const { getHeapSpaceStatistics } = require("node:v8");
  const size = () => getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size;
  const alive = [];
  const workFor = async (turns) => {
    let most = 0;
    for (let turn = 0; turn < turns; turn++) {
      for (let n = 0; n < 20_000; n++) alive[n % 15_000] = { turn, n, words: [n, turn, String(n)] };
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, size());
    }
    return { most, last: size() };
  };`;

describe("the nursery", () => {
  it("stays as it is while it is held", async () => {
    const { stdout } = await printed(`${work}
      const first = size();
      new Nursery(${8 * MB}).hold();
      workFor(150).then(({ most }) => console.log(JSON.stringify({ first, most })));`);
    const { first, most } = JSON.parse(stdout);
    // Its second half is taken with the first collection.
    expect(most).toBeLessThanOrEqual(2 * first);
  });

  it("grows to its size and not further, and again after V8 has taken it back", async () => {
    const { stdout } = await printed(`${work}
      const nursery = new Nursery(${8 * MB});
      nursery.hold();
      nursery.keep();
      (async () => {
        const before = await workFor(150);
        // What V8 does to a program that has little to do.
        require("node:v8").setFlagsFromString("--expose-gc");
        const collect = require("node:vm").runInNewContext("globalThis.gc");
        alive.length = 0;
        for (let n = 0; n < 5; n++) {
          await new Promise((resolve) => setTimeout(resolve, 1200));
          collect();
        }
        const idle = size();
        console.log(JSON.stringify({ before, idle, after: await workFor(150) }));
      })();`);
    const { before, idle, after } = JSON.parse(stdout);
    expect(before.last).toBeGreaterThanOrEqual(8 * MB);
    expect(idle).toBeLessThan(8 * MB);
    expect(after.last).toBeGreaterThanOrEqual(8 * MB);
    for (const { most } of [before, after]) expect(most).toBeLessThanOrEqual(16 * MB);
  }, 60_000);
});

describe("garbage", () => {
  it("is collected between turns, long before the nursery is full", async () => {
    const { stdout } = await printed(`${work}
      const used = () => getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_used_size;
      holdHeap({ bytes: ${8 * MB}, collectedAt: 50 });
      (async () => {
        // Only after a second is the nursery given its size.
        await new Promise((resolve) => setTimeout(resolve, 1100));
        await workFor(150);
        alive.length = 0;
        let most = 0;
        for (let turn = 0; turn < 400; turn++) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          most = Math.max(most, used());
          for (let n = 0; n < 1000; n++) alive[0] = { turn, n, words: [n, turn, String(n)] };
        }
        console.log(JSON.stringify({ half: size() / 2, most }));
      })();`);
    const { half, most } = JSON.parse(stdout);
    expect(half).toBeGreaterThanOrEqual(4 * MB);
    // V8 itself waits until four fifths are full.
    expect(most).toBeLessThan(0.7 * half);
  }, 60_000);
});

describe("what V8 is told", () => {
  it("is known to the V8 that runs", async () => {
    const { stderr } = await printed(
      `holdHeap({ bytes: ${8 * MB}, collectedAt: 50 }); compileEarly(); setTimeout(() => {}, 1500);`,
    );
    expect(stderr).toBe("");
  });
});
