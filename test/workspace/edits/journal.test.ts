import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openEdits } from "../../../src/workspace/edits/edits.js";
import { openGate } from "../../../src/workspace/gate.js";
import { applyNow, type Bench, create, makeBench, memory, refusalOf } from "./bench.js";

let bench: Bench;

beforeEach(() => {
  bench = makeBench(memory);
  bench.write("a.ts", "0\n");
});

afterEach(() => {
  vi.useRealTimers();
  bench.remove();
});

interface Kept {
  entries: string[];
  bytes: number;
}

/** The edits in the journals and their size in bytes. */
function journals(): Kept[] {
  return readdirSync(join(bench.state, "edits")).map(journalIn);
}

function journal(): Kept {
  return journals()[0] ?? { entries: [], bytes: 0 };
}

function journalIn(workspace: string): Kept {
  const folder = join(bench.state, "edits", workspace);
  const files = readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, String(name))));
  const entries = readdirSync(folder).filter((name) => /^[0-9a-z]{9}-/.test(name));
  return { entries, bytes: files.filter((file) => file.isFile()).reduce((sum, file) => sum + file.size, 0) };
}

async function editTimes(count: number, limits: object): Promise<string[]> {
  const edits = await bench.open(limits);
  const tokens: string[] = [];
  for (let i = 0; i < count; i++)
    tokens.push(
      (await applyNow(edits, [bench.change("a.ts", bench.text("a.ts"), `${i} ${"x".repeat(1_000)}\n`)]))
        .undoToken,
    );
  return tokens;
}

describe("the journal", () => {
  test("is for its owner alone", async () => {
    await editTimes(1, {});
    const paths = readdirSync(bench.state, { recursive: true }).map((name) =>
      join(bench.state, String(name)),
    );
    expect(paths.length).toBeGreaterThan(4);
    for (const path of [bench.state, ...paths]) {
      const facts = statSync(path);
      // Marks are empty folders inside a private folder.
      if (!/(committed|done|clean)$/.test(path)) expect([path, facts.mode & 0o077]).toEqual([path, 0]);
    }
  });

  test("keeps the newest edits, by number", async () => {
    const tokens = await editTimes(8, { journalEntries: 3 });
    expect(
      journal()
        .entries.map((id) => `undo-${id}`)
        .toSorted(),
    ).toEqual(tokens.slice(-3).toSorted());
    const edits = await bench.open();
    expect((await refusalOf(edits.undo(tokens[0] ?? ""))).code).toBe("edit/unknown-undo");
    for (const token of tokens.slice(-3).toReversed()) await edits.undo(token);
    expect(bench.text("a.ts")).toMatch(/^4 /);
  });

  test("keeps the newest edits, by size", async () => {
    const limits = { journalBytes: 8_000 };
    const tokens = await editTimes(10, limits);
    expect(journal().bytes).toBeLessThan(9_000);
    await (await bench.open(limits)).undo(tokens.at(-1) ?? "");
    const edits = await bench.open({ journalBytes: 2_000 });
    const before = bench.snapshot();
    bench.write("big.ts", "x".repeat(5_000));
    expect((await refusalOf(applyNow(edits, [bench.change("big.ts", "x", "y")]))).code).toBe(
      "edit/too-large",
    );
    expect({ ...bench.snapshot(), "./big.ts": "" }).toEqual({ ...before, "./big.ts": "" });
  });

  test("forgets old edits, also those of other workspaces", async () => {
    const [token = ""] = await editTimes(1, {});
    const other = makeBench(memory);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * 24 * 3_600_000 });
    const gate = await openGate({ roots: [other.root], extraRoots: [], deny: [] });
    await openEdits({ gate, stateFolder: bench.state });
    other.remove();
    expect(journals().flatMap(({ entries }) => entries)).toEqual([]);
    expect((await refusalOf((await bench.open()).undo(token))).code).toBe("edit/unknown-undo");
  });

  test("keeps no folder for a workspace without edits, because every start reads all", async () => {
    const folders = () => readdirSync(join(bench.state, "edits"));
    const edits = await bench.open();
    expect(folders()).toEqual([]);
    await editTimes(1, {});
    expect(folders()).toHaveLength(1);
    const other = makeBench(memory);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * 24 * 3_600_000 });
    const gate = await openGate({ roots: [other.root], extraRoots: [], deny: [] });
    await openEdits({ gate, stateFolder: bench.state });
    other.remove();
    expect(folders()).toEqual([]);
    // An engine that was opened before still works.
    await applyNow(edits, [create("again.ts", "text")]);
    expect(journal().entries).toHaveLength(1);
  });

  test("says what it held in plain JSON", async () => {
    await editTimes(1, {});
    const [workspace = ""] = readdirSync(join(bench.state, "edits"));
    const [id = ""] = journal().entries;
    const record = JSON.parse(readFileSync(join(bench.state, "edits", workspace, id, "record"), "utf8"));
    expect(record).toMatchObject({ version: 1, id, undoes: null, steps: [{ kind: "swap" }] });
  });
});
