import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bench, benchAt, memory } from "./bench.js";
import { everything, fill } from "./scenario.js";

/** The long form kills at every write, the short one at a sample of them. */
const stride = process.env.SOAK_ROUNDS === undefined ? 10 : 1;
const options = { timeout: stride > 1 ? 600_000 : 1_800_000 };

let top: string;
let program: string;
let before: { [path: string]: string };
let after: { [path: string]: string };
const children = new Set<ChildProcess>();

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(memory, "edits-kill-")));
  program = join(top, "child.mjs");
  await build({
    entryPoints: [new URL("kill-child.ts", import.meta.url).pathname],
    outfile: program,
    ...{ bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "warning" },
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  const bench = freshBench("whole");
  before = bench.snapshot();
  await applyAll(bench);
  after = bench.snapshot();
  expect(Object.keys(after)).toContain("./pack/library/new/n.ts");
}, 120_000);

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(top, { recursive: true, force: true });
});

/** Runs the child until it is killed; false when the operation ended before. */
async function killedAt(folder: string, act: string, moment: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, folder, act, String(moment)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.add(child);
  let complaint = "";
  child.stderr.on("data", (data) => {
    complaint += data;
  });
  const signal = await new Promise<string | null>((resolve, reject) => {
    child.on("close", (code, name) =>
      code === 0 || name === "SIGKILL" ? resolve(name) : reject(new Error(`exit ${code}: ${complaint}`)),
    );
  });
  children.delete(child);
  return signal === "SIGKILL";
}

function freshBench(name: string): Bench {
  const folder = join(top, name);
  rmSync(folder, { recursive: true, force: true });
  const bench = benchAt(folder);
  fill(bench);
  return bench;
}

async function applyAll(bench: Bench): Promise<void> {
  const edits = await bench.open();
  const preview = await edits.preview(everything(bench));
  expect(preview.reasons).toEqual([]);
  await edits.apply(preview, { backupSuffix: ".bak" });
}

/** Kills an operation at each of its disk writes, two processes at a time, and checks what is left. */
async function atMoments(
  step: number,
  act: (moment: number, name: string) => Promise<boolean>,
): Promise<void> {
  let over = false;
  let next = 1;
  const worker = async (name: string): Promise<void> => {
    while (!over) {
      const moment = next;
      next += step;
      if (!(await act(moment, name))) over = true;
    }
  };
  await Promise.all([worker("left"), worker("right")]);
  // This operation has far more writes; fewer would mean that nothing was killed.
  expect(next).toBeGreaterThan(60);
}

function which(bench: Bench): "before" | "after" {
  const now = bench.snapshot();
  const same = (other: { [path: string]: string }): boolean =>
    JSON.stringify(sorted(now)) === JSON.stringify(sorted(other));
  if (same(before)) return "before";
  if (!same(after)) expect(now).toEqual(after);
  return "after";
}

function sorted(snapshot: { [path: string]: string }): [string, string][] {
  return Object.entries(snapshot).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The undo token of the only edit. */
function undoToken(bench: Bench): string {
  const [workspace = ""] = readdirSync(join(bench.state, "edits"));
  return `undo-${readdirSync(join(bench.state, "edits", workspace)).find((name) => /^[0-9a-z]{9}-/.test(name))}`;
}

describe("killed at every moment, the next opening leaves all or nothing", () => {
  test("of an apply, which can be undone if it happened", options, async () => {
    const seen: string[] = [];
    await atMoments(stride, async (moment, name) => {
      const bench = freshBench(`apply-${name}`);
      if (!(await killedAt(bench.top, "apply", moment))) return false;
      const edits = await bench.open();
      const state = which(bench);
      seen[moment] = state;
      if (state === "after") {
        await edits.undo(undoToken(bench));
        expect(which(bench)).toBe("before");
      }
      expect(bench.recoveries.every(({ outcome }) => outcome !== "conflict")).toBe(true);
      return true;
    });
    // There is one write from which on the edit has happened.
    expect(seen.indexOf("after")).toBeGreaterThan(30);
    expect(seen.lastIndexOf("before")).toBeLessThan(seen.indexOf("after"));
  });

  test("of an undo", options, async () => {
    const seen = new Set<string>();
    // Undo runs the same code as apply, so fewer writes are tried.
    await atMoments(2 * stride, async (moment, name) => {
      const bench = freshBench(`undo-${name}`);
      await applyAll(bench);
      if (!(await killedAt(bench.top, "undo", moment))) return false;
      const edits = await bench.open();
      const state = which(bench);
      seen.add(state);
      if (state === "after") await edits.undo(undoToken(bench));
      expect(which(bench)).toBe("before");
      return true;
    });
    expect([...seen].toSorted()).toEqual(["after", "before"]);
  });

  test("of a recovery, too", options, async () => {
    // The last write before the commit leaves the most to roll back.
    let last = 0;
    for (let moment = 1; ; moment += 8) {
      const tried = freshBench("tried");
      if (!(await killedAt(tried.top, "apply", moment))) break;
      await tried.open();
      if (which(tried) === "after") break;
      last = moment;
    }
    expect(last).toBeGreaterThan(30);
    let moments = 0;
    for (let moment = 1; ; moment += 2 * stride) {
      const bench = freshBench("again");
      expect(await killedAt(bench.top, "apply", last)).toBe(true);
      const killed = await killedAt(bench.top, "open", moment);
      await bench.open();
      expect(which(bench)).toBe("before");
      if (!killed) break;
      moments = moment;
    }
    expect(moments).toBeGreaterThan(20);
  });
});
