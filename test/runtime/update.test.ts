/** A runtime that switches to another bundle while it is in use. */
import { dirname } from "node:path";
import { expect, it } from "vitest";
import type { Runtime } from "../../src/runtime/runtime.js";
import { openTestWorkspace, type TestWorkspace } from "./test-workspace.js";

const unchanged = ({ folder }: TestWorkspace): Parameters<Runtime["update"]>[1] => ({
  base: dirname(folder),
  ...{ ownFiles: [], binFolders: [], avoid: [] },
});

it("starts no server any more when it was closed during an update, and later updates do nothing", async () => {
  const work = await openTestWorkspace({ files: { "a.fake": "one\n" }, servers: { fake: { scenario: {} } } });
  try {
    const { runtime } = work;
    const signal = new AbortController().signal;
    const path = `${work.folder}/a.fake`;
    await runtime.pool.get("fake", path, signal);
    expect(runtime.pool.running()).toHaveLength(1);
    const updated = runtime.update(runtime.loaded, unchanged(work));
    await runtime.close();
    await updated;
    await runtime.update(runtime.loaded, unchanged(work));
    await expect(runtime.pool.get("fake", path, signal)).rejects.toThrow();
    expect(runtime.pool.running()).toEqual([]);
  } finally {
    await work.runtime.pool.close();
    await work.close();
  }
});
