import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { realDisk } from "../../../src/workspace/edits/real-disk.js";
import { applyNow, type Bench, create, makeBench, memory, remove } from "./bench.js";

let bench: Bench;

beforeEach(() => {
  bench = makeBench(memory);
  bench.write("a.ts", "one\n");
});

afterEach(() => {
  vi.restoreAllMocks();
  bench.remove();
});

/** Records the content of each file when it is flushed; null for folders. */
async function watchFlushes(): Promise<(string | null)[]> {
  const handle = await open(join(bench.root, "a.ts"));
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const flushed: (string | null)[] = [];
  const { sync } = prototype;
  vi.spyOn(prototype, "sync").mockImplementation(async function (this: typeof handle) {
    const isFile = (await this.stat()).isFile();
    flushed.push(isFile ? await readFile(`/proc/self/fd/${this.fd}`, "utf8") : null);
    return sync.call(this);
  });
  return flushed;
}

test.runIf(process.platform === "linux")(
  "a written file is on the disk, whole, before anything is told",
  async () => {
    const flushed = await watchFlushes();
    await realDisk.write(join(bench.root, "b.ts"), Buffer.from("two\n"), "default");
    expect(flushed).toEqual(["two\n"]);
  },
);

test.runIf(process.platform === "linux")(
  "an edit flushes its record, its images, its new texts and its folders",
  async () => {
    const edits = await bench.open();
    bench.write("old.ts", "old\n");
    const preview = await edits.preview([
      bench.change("a.ts", "one", "uno"),
      create("new.ts", "new\n"),
      remove("old.ts"),
    ]);
    const flushed = await watchFlushes();
    await edits.apply(preview);
    const files = flushed.filter((text) => text !== null);
    expect(files).toEqual(expect.arrayContaining(["one\nold\n", "uno\n", "new\n"]));
    expect(files.filter((text) => text.includes('"steps"'))).toHaveLength(1);
    expect(flushed.filter((text) => text === null).length).toBeGreaterThan(2);
    expect((await applyNow(edits, [remove("new.ts")])).operations).toHaveLength(1);
  },
);
