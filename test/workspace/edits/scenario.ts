/** One edit with every kind of step, and the workspace for it. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "../../../src/workspace/edits/types.js";
import { type Bench, create, remove, rename } from "./bench.js";

/** The files of the workspace. */
export function fill(bench: Bench): void {
  bench.write("src/a.ts", "\ufeffexport const one = 1;\r\n", 0o751);
  bench.write("src/b.ts", "import { one } from './a';\nconsole.log(one);", 0o640);
  bench.write("lib/deep/c.ts", "deep one\n", 0o600);
  bench.write("lib/d.bin", new Uint8Array([0, 1, 2, 255]));
  bench.write("old/e.ts", "old\n", 0o444);
  bench.write("old/f/g.ts", "older\n");
  symlinkSync("../src/a.ts", join(bench.root, "old/link.ts"));
  bench.write("target.ts", "in the way\n");
  bench.write("source.ts", "moves\n", 0o700);
}

/** The edit. */
export function everything(bench: Bench): Change[] {
  const deep = bench.change("lib/deep/c.ts", "one", "uno");
  if (deep.kind !== "edit") throw new Error("not an edit");
  return [
    bench.change("src/a.ts", "one", "uno"),
    bench.change("src/b.ts", "one", "uno"),
    rename("lib", "pack/library"),
    { ...deep, path: "pack/library/deep/c.ts" },
    create("pack/library/new/n.ts", "new\n"),
    remove("old", { recursive: true }),
    rename("source.ts", "target.ts", { overwrite: true }),
    create("lib/again.ts", "again\n"),
  ];
}
