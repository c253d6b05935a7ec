import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { sha256 } from "../../../src/base/hash.js";
import { loadBundle } from "../../../src/runtime/bundle/load.js";
import { openRuntime } from "../../../src/runtime/runtime.js";
import { openEdits } from "../../../src/workspace/edits/edits.js";
import { openGate } from "../../../src/workspace/gate.js";
import { applyNow, edit, refusalOf } from "../../workspace/edits/bench.js";
import { systemError, watchedDisk } from "../../workspace/edits/faulty-disk.js";
import { writeTestWorkspace } from "../test-workspace.js";

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Edits two files and stops halfway, like a killed process. */
async function leaveHalf(folder: string, stateFolder: string): Promise<void> {
  let broken = false;
  const disk = watchedDisk(({ method, paths }) => {
    if (method === "exchange" && paths[1]?.endsWith("/b.fake")) broken = true;
    if (broken && paths[0]?.startsWith(folder)) throw systemError("EIO");
  });
  const gate = await openGate({ roots: [folder], extraRoots: [], deny: [] });
  const edits = await openEdits({ gate, stateFolder }, disk);
  const changes = ["a.fake", "b.fake"].map((name) =>
    edit(name, sha256("one\n"), [{ start: 0, end: 3, newText: "uno" }]),
  );
  expect((await refusalOf(applyNow(edits, changes))).code).toBe("edit/left-behind");
}

test("a start that may not edit still takes back what a dead process left, and writes nothing where none did", async () => {
  const { folder, outside, bundle } = writeTestWorkspace({ files: { "a.fake": "one\n", "b.fake": "one\n" } });
  made.push(outside);
  const stateFolder = join(outside, "state");
  const logged: string[] = [];
  const start = async (): Promise<void> => {
    const runtime = await openRuntime(await loadBundle({ bundle }), {
      ...{
        base: outside,
        env: process.env,
        stateFolder,
        ownFiles: [],
        binFolders: [],
        avoid: [],
        version: "0",
      },
      log: (_level, message, data) => logged.push(`${message} ${JSON.stringify(data)}`),
    });
    await runtime.close();
  };
  await start();
  expect(existsSync(stateFolder)).toBe(false);

  await leaveHalf(folder, stateFolder);
  expect(readFileSync(join(folder, "a.fake"), "utf8")).toBe("uno\n");
  await start();
  expect(readFileSync(join(folder, "a.fake"), "utf8")).toBe("one\n");
  expect(readdirSync(folder).toSorted()).toEqual(["a.fake", "b.fake"]);
  expect(logged.filter((line) => line.includes("rolled-back"))).toHaveLength(1);
});
