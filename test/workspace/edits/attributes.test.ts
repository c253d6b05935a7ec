/** Extended attributes and access lists survive an edit and its undo. */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { realDisk } from "../../../src/workspace/edits/real-disk.js";
import { applyNow, type Bench, makeBench } from "./bench.js";

let bench: Bench;

beforeEach(() => {
  bench = makeBench();
  bench.write("a.ts", "one\n", 0o640);
});

afterEach(() => bench.remove());

/** Runs a line of Python, which has calls that Node lacks; undefined when that fails. */
function python(line: string): string | undefined {
  const { status, stdout } = spawnSync("python3", ["-c", `import os\n${line}`], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

const attribute = () =>
  python(`print(os.getxattr(${JSON.stringify(join(bench.root, "a.ts"))}, "user.note"))`);

function isGnu(): boolean {
  return spawnSync("/bin/cp", ["--version"]).status === 0;
}

test("are kept where the system has a tool for it", async ({ skip }) => {
  const made = python(`os.setxattr(${JSON.stringify(join(bench.root, "a.ts"))}, "user.note", b"mine")`);
  if (made === undefined || !isGnu()) skip();
  const edits = await bench.open();
  const applied = await applyNow(edits, [bench.change("a.ts", "one", "uno")]);
  expect([applied.attributesLost, bench.text("a.ts"), attribute()]).toEqual([[], "uno\n", "b'mine'"]);
  expect(statSync(join(bench.root, "a.ts")).mode & 0o777).toBe(0o640);
  await edits.undo(applied.undoToken);
  expect([bench.text("a.ts"), attribute()]).toEqual(["one\n", "b'mine'"]);
});

test("that are lost are named, and the edit is kept", async () => {
  const disk = {
    ...realDisk,
    writeLike: async (...[like, path, content, owner]: Parameters<typeof realDisk.writeLike>) => {
      await realDisk.writeLike(like, path, content, owner);
      return false;
    },
  };
  const edits = await bench.open({}, disk);
  const applied = await applyNow(edits, [bench.change("a.ts", "one", "uno")]);
  expect([applied.attributesLost, bench.text("a.ts")]).toEqual([["a.ts"], "uno\n"]);
});
