import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openEdits } from "../../../src/workspace/edits/edits.js";
import { lifeOf, ownIdentity, takeLock } from "../../../src/workspace/edits/lock.js";
import { realDisk } from "../../../src/workspace/edits/real-disk.js";
import { openGate } from "../../../src/workspace/gate.js";
import { applyNow, type Bench, makeBench, memory, reasonsOf, refusalOf } from "./bench.js";
import { watchedDisk } from "./faulty-disk.js";

let programs: string;
let bench: Bench;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  programs = mkdtempSync(join(memory, "edits-programs-"));
  await build({
    entryPoints: ["counting-child.ts", "holding-child.ts"].map(
      (name) => new URL(name, import.meta.url).pathname,
    ),
    outdir: programs,
    outExtension: { ".js": ".mjs" },
    ...{ bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "warning" },
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
});

afterAll(() => rmSync(programs, { recursive: true, force: true }));

beforeEach(() => {
  bench = makeBench(memory);
  bench.write("log.txt", "end\n");
  bench.write("copy.txt", "end\n");
});

afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  bench.remove();
});

function start(program: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [join(programs, `${program}.mjs`), bench.top, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  return child;
}

describe("two processes at once", () => {
  test("lose no edit, and never half of one", { timeout: 300_000 }, async () => {
    const count = 20;
    const both = ["left", "right"].map((name) => start("counting-child", name, String(count)));
    const codes = await Promise.all(both.map((child) => once(child, "exit").then(([code]) => code)));
    expect(codes).toEqual([0, 0]);
    const lines = bench.text("log.txt").trimEnd().split("\n");
    expect(lines).toHaveLength(2 * count + 1);
    expect(new Set(lines).size).toBe(2 * count + 1);
    expect(bench.text("copy.txt")).toBe(bench.text("log.txt"));
    expect(Object.keys(bench.snapshot()).toSorted()).toEqual([".", "./copy.txt", "./log.txt"]);
  });

  test("wait for each other while alive, and clear up after the dead", { timeout: 120_000 }, async () => {
    const before = bench.snapshot();
    const child = start("holding-child");
    if (child.stdout === null) throw new Error("no output");
    await once(child.stdout, "data");
    expect(bench.text("log.txt")).toContain("mine");
    const edits = await bench.open({ lockWaitMs: 200 });
    expect(bench.recoveries).toEqual([]);
    const preview = await edits.preview([bench.change("copy.txt", "end", "ours\nend")]);
    expect((await refusalOf(edits.apply(preview))).code).toBe("edit/busy");
    expect(bench.text("log.txt")).toContain("mine");
    child.kill("SIGKILL");
    await once(child, "exit");
    await edits.apply(preview);
    expect(bench.recoveries).toEqual([{ outcome: "rolled-back", reasons: [] }]);
    expect(bench.text("log.txt")).toBe("end\n");
    expect(bench.text("copy.txt")).toBe("ours\nend\n");
    expect(Object.keys(bench.snapshot())).toEqual(Object.keys(before));
  });

  test("leave a file alone that was changed after one of them died", { timeout: 120_000 }, async () => {
    const child = start("holding-child");
    if (child.stdout === null) throw new Error("no output");
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    bench.write("log.txt", "theirs\n");
    const edits = await bench.open();
    expect(bench.recoveries).toMatchObject([{ outcome: "conflict", reasons: [{ path: "log.txt" }] }]);
    expect([bench.text("log.txt"), bench.text("copy.txt")]).toEqual(["theirs\n", "end\n"]);
    // Reported once; it does not block the next edit.
    await applyNow(edits, [bench.change("copy.txt", "end", "ours\nend")]);
    expect(bench.recoveries).toHaveLength(1);
  });
});

describe("two workspaces, one inside the other", () => {
  test("are edited one after the other", async () => {
    bench.write("sub/x.txt", "end\n");
    const gate = await openGate({ roots: [join(bench.root, "sub")], extraRoots: [], deny: [] });
    const inner = await openEdits({ gate, stateFolder: bench.state, limits: { lockWaitMs: 50 } });
    const change = bench.change("sub/x.txt", "end", "inner\nend");
    if (change.kind !== "edit") throw new Error("not an edit");
    const preview = await inner.preview([{ ...change, path: "x.txt" }]);
    const codes: string[] = [];
    const disk = watchedDisk(async ({ method, paths }) => {
      if (method === "exchange" && paths[1]?.endsWith("/x.txt"))
        codes.push((await refusalOf(inner.apply(preview))).code);
    });
    await applyNow(await bench.open({}, disk), [bench.change("sub/x.txt", "end", "outer\nend")]);
    expect(codes).toEqual(["edit/busy"]);
    expect((await refusalOf(inner.apply(preview))).code).toBe("edit/changed");
    expect(bench.text("sub/x.txt")).toBe("outer\nend\n");
  });
});

describe("two sessions of one process", () => {
  test("one wins, the other is refused by its hashes", async () => {
    const edits = await bench.open();
    const left = await edits.preview([bench.change("log.txt", "end", "left\nend")]);
    const right = await edits.preview([
      bench.change("log.txt", "end", "right\nend"),
      bench.change("copy.txt", "end", "right\nend"),
    ]);
    const outcomes = await Promise.allSettled([edits.apply(left), edits.apply(right)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(reasonsOf(await refusalOf(edits.apply(right)))).toEqual(["edit/changed log.txt"]);
    expect([bench.text("log.txt"), bench.text("copy.txt")]).toEqual(["left\nend\n", "end\n"]);
  });
});

describe("the lock", () => {
  test("knows a process that took the number of a dead one", async () => {
    const own = await ownIdentity();
    expect(await lifeOf(own, own)).toBe("alive");
    expect(await lifeOf({ ...own, start: `${own.start}0` }, own)).toBe("dead");
    expect(await lifeOf({ ...own, boot: "another" }, own)).toBe("dead");
    expect(await lifeOf({ ...own, host: "another" }, own)).toBe("unknown");
    expect(await lifeOf({ ...own, space: "another" }, own)).toBe("unknown");
  });

  test("is not taken from a process that cannot be checked, until long after", async () => {
    const own = await ownIdentity();
    const holder = (sinceMs: number): string => JSON.stringify({ ...own, host: "elsewhere", sinceMs });
    writeFileSync(join(bench.root, "lock-7"), holder(Date.now() - 300_000));
    expect((await refusalOf(takeLock(realDisk, bench.root, 50))).code).toBe("edit/busy");
    writeFileSync(join(bench.root, "lock-7"), holder(Date.now() - 3_600_000));
    const lock = await takeLock(realDisk, bench.root, 50);
    await lock.check();
    expect(JSON.parse(readFileSync(join(bench.root, "lock-8"), "utf8")).host).toBe(own.host);
    await lock.release();
  });

  test("is given to one of many that want it", { timeout: 120_000 }, async () => {
    let inside = 0;
    let most = 0;
    const turn = async (): Promise<void> => {
      const lock = await takeLock(realDisk, bench.root, 100_000);
      most = Math.max(most, ++inside);
      await lock.check();
      inside--;
      await lock.release();
    };
    await Promise.all(Array.from({ length: 12 }, turn));
    expect(most).toBe(1);
  });
});
