/** An edit of a dead process is recovered by the next proxy on its files, also from a root inside or around its own. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openEdits, recoverEdits } from "../../../src/workspace/edits/edits.js";
import type { EditsOptions, Recovery } from "../../../src/workspace/edits/types.js";
import { openGate } from "../../../src/workspace/gate.js";
import { applyNow, type Bench, makeBench, refusalOf } from "./bench.js";
import { systemError, watchedDisk } from "./faulty-disk.js";

let bench: Bench;
const told: Recovery[] = [];

beforeEach(() => {
  bench = makeBench();
  for (const name of ["inner/a.ts", "inner/b.ts", "c.ts"]) bench.write(name, "one\n");
});

afterEach(() => {
  told.length = 0;
  bench.remove();
});

const options = async (root: string): Promise<EditsOptions> => ({
  gate: await openGate({ roots: [root], extraRoots: [], deny: [] }),
  stateFolder: bench.state,
  recovered: (recovery) => void told.push(recovery),
});

/** Edits two files of the outer root and stops halfway, like a killed process. */
async function leaveHalf(second: string): Promise<void> {
  let broken = false;
  const disk = watchedDisk(({ method, paths }) => {
    if (method === "exchange" && paths[1]?.endsWith(second)) broken = true;
    if (broken && paths[0]?.startsWith(bench.root)) throw systemError("EIO");
  });
  const edits = await openEdits(await options(bench.root), disk);
  const changes = [bench.change("inner/a.ts", "one", "uno"), bench.change(second, "one", "uno")];
  expect((await refusalOf(applyNow(edits, changes))).code).toBe("edit/left-behind");
  await edits.close();
  expect(bench.text("inner/a.ts")).toBe("uno\n");
}

test("one that opens an inner root takes back an edit of the outer one that is all its own", async () => {
  await leaveHalf("inner/b.ts");
  const edits = await openEdits(await options(join(bench.root, "inner")));
  expect(told).toMatchObject([{ outcome: "rolled-back" }]);
  expect(bench.text("inner/a.ts")).toBe("one\n");
  await edits.close();
});

test("one that may not edit does so as well", async () => {
  await leaveHalf("inner/b.ts");
  await recoverEdits(await options(join(bench.root, "inner")));
  expect(bench.text("inner/a.ts")).toBe("one\n");
});

test("an edit that also has files outside the roots is reported, and left for a process that has them", async () => {
  await leaveHalf("c.ts");
  const before = bench.snapshot();
  const inner = await openEdits(await options(join(bench.root, "inner")));
  expect(told).toMatchObject([{ outcome: "conflict", reasons: [{ code: "edit/left-behind" }] }]);
  expect(bench.snapshot()).toEqual(before);
  await inner.close();
  const outer = await openEdits(await options(bench.root));
  expect(bench.text("inner/a.ts")).toBe("one\n");
  await outer.close();
});
