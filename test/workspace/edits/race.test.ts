/**
 * Another process saves a file in the usual ways, at random times, while edits of it are applied, refused and undone.
 * The last save must survive. `SOAK_ROUNDS` makes it long.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Disk } from "../../../src/workspace/edits/disk.js";
import type { Edits } from "../../../src/workspace/edits/edits.js";
import { realDisk } from "../../../src/workspace/edits/real-disk.js";
import type { EditOutcome } from "../../../src/workspace/edits/types.js";
import { type Bench, makeBench, memory, refusalOf } from "./bench.js";
import { systemError } from "./faulty-disk.js";

const ROUNDS = Number(process.env.SOAK_ROUNDS ?? 20) * 6;
const ways = ["truncate", "rename", "in place"];
const acts = ["apply", "refuse", "undo", "refuse undo"] as const;
const hiddenPrefix = ".lsp-proxy-";

let bench: Bench;
let saver: ChildProcess;

beforeEach(async () => {
  bench = makeBench(memory);
  saver = fork(fileURLToPath(new URL("saving-child.mjs", import.meta.url)), { execArgv: [] });
  await once(saver, "message");
});

afterEach(() => {
  saver.kill("SIGKILL");
  bench.remove();
});

/** A disk on which an edit fails after its first file was replaced. */
const failing: Disk = {
  ...realDisk,
  exchange: (from, to, aside) =>
    to.endsWith("/z.ts") ? Promise.reject(systemError("EIO")) : realDisk.exchange(from, to, aside),
};

/** Prepares an edit or an undo of two files. */
async function prepare(
  act: (typeof acts)[number],
  good: Edits,
  bad: Edits,
): Promise<() => Promise<EditOutcome>> {
  bench.write("a.ts", "one\n");
  bench.write("z.ts", "one\n");
  const edits = act.startsWith("refuse") ? bad : good;
  const preview = await good.preview([
    bench.change("a.ts", "one", "uno"),
    bench.change("z.ts", "one", "uno"),
  ]);
  if (act === "apply" || act === "refuse") return () => edits.apply(preview);
  const { undoToken } = await good.apply(preview);
  return () => edits.undo(undoToken);
}

test("no last save of another process is lost", { timeout: 3_600_000 }, async () => {
  const good = await bench.open();
  const bad = await bench.open({}, failing);
  const outcomes = new Map<string, number>();
  // How long the last edit took: saves are spread over that time.
  let tookMs = 20;
  let saves = 0;
  // On a busy machine it takes longer until a save meets an edit.
  const hasMet = () => outcomes.has("done") && outcomes.has("edit/changed");
  for (let round = 0; round < ROUNDS || (round < 20 * ROUNDS && !hasMet()); round++) {
    const act = acts[round % acts.length] ?? "apply";
    const way = ways[Math.floor(round / acts.length) % ways.length];
    const run = await prepare(act, good, bad);
    const texts = Array.from({ length: 1 + (round % 3) }, (_, index) => `saved ${round}-${index}, one\n`);
    saves += texts.length;
    const saved = once(saver, "message");
    const path = join(bench.root, "a.ts");
    // Some come late enough that the edit is done: a refused one takes less time than a whole one.
    const spreadMs = tookMs * (round % 5 > 2 ? 5 : 1.2);
    saver.send({ path, way, texts, waitMs: (Math.random() * spreadMs) / texts.length });
    const start = performance.now();
    const acting = run();
    const outcome = await acting.catch(() => undefined);
    tookMs = Math.min(1_000, performance.now() - start);
    await saved;
    const refusal = outcome === undefined ? await refusalOf(acting) : undefined;
    const code = refusal?.code ?? "done";
    outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
    const told = JSON.stringify(outcome?.leftBehind ?? [refusal?.message, refusal?.data]);
    const hidden = readdirSync(bench.root).filter((name) => name.startsWith(hiddenPrefix));
    const state = `round ${round}, ${act}, ${way}, ${code}: ${told}`;
    for (const name of hidden) expect(told, state).toContain(name);
    const contents = ["a.ts", ...hidden].map((name) => readFileSync(join(bench.root, name), "utf8"));
    expect(contents, state).toContain(texts.at(-1));
    // Then nothing but the save has changed.
    if (refusal !== undefined && code !== "edit/left-behind")
      expect([hidden, contents], state).toEqual([[], [texts.at(-1)]]);
    for (const name of hidden) rmSync(join(bench.root, name));
  }
  console.log(`${saves} saves`, Object.fromEntries(outcomes));
  // Otherwise the saves never met an edit.
  expect(outcomes.get("done")).toBeGreaterThan(0);
  expect([...outcomes.keys()]).toContain("edit/changed");
});
