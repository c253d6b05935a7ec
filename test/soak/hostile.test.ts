/**
 * The hostile half of the soak: servers and clients that misbehave at random, files that race. Every call of a client
 * that behaves is answered in time and validly, memory stays flat, no save is lost, no process is left.
 *
 * `npm run soak -- --only NAME` runs one misbehaviour alone, `--only each` all one by one, `--without NAME` all others
 * together, `--seed N` a failed run again.
 */
import { describe, expect, test } from "vitest";
import { seed } from "./chance.js";
import { misbehaviours, runHostile } from "./hostile/world.js";

const seconds = Number(process.env.SOAK_SECONDS ?? 4);
const only = process.env.SOAK_ONLY ?? "";
const without = (process.env.SOAK_WITHOUT ?? "").split(",");
const alone = only === "each" ? misbehaviours : only.split(",").filter((name) => name !== "");

// Processes are found and measured by /proc.
describe.skipIf(process.platform !== "linux")(`hostile for ${seconds} s, seed ${seed}`, () => {
  const options = { timeout: 300_000 + seconds * 3_000 };

  test.runIf(alone.length === 0)("all misbehaviours at random", options, () =>
    holds(misbehaviours.filter((name) => !without.includes(name))),
  );

  test.each(alone)("%s alone", options, (name) => holds([name]));
});

async function holds(names: readonly string[]): Promise<void> {
  const { failures, summary } = await runHostile(names, seconds, seed);
  console.log(`${names.length === 1 ? names[0] : "all"}, seed ${seed}: ${summary}`);
  expect(failures).toEqual([]);
}
