/**
 * Another program saves a file at each moment of an edit, of its roll-back and of its undo. The save must survive at its
 * path, or in a kept file that the answer names, and "nothing was changed" must be true.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Disk } from "../../../src/workspace/edits/disk.js";
import type { Edits } from "../../../src/workspace/edits/edits.js";
import { diskWithLinks } from "../../../src/workspace/edits/real-disk.js";
import type { Change, EditOutcome } from "../../../src/workspace/edits/types.js";
import {
  applyNow,
  type Bench,
  benchAt,
  create,
  makeBench,
  memory,
  refusalOf,
  remove,
  rename,
} from "./bench.js";
import { systemError } from "./faulty-disk.js";

let bench: Bench;

beforeAll(() => {
  bench = makeBench(memory);
});

afterAll(() => bench.remove());

/** The real disk, which calls `before` ahead of each operation in a folder, and within moves. */
function hookedDisk(folder: string, before: (method: string, paths: string[]) => void): Disk {
  const call = (method: string, args: unknown[]): void => {
    const paths = args.filter((arg): arg is string => typeof arg === "string");
    if (paths.some((path) => path.startsWith(folder))) before(method, paths);
  };
  const real = diskWithLinks((from, to) => {
    before("between", [from, to]);
    linkSync(from, to);
    before("between", [from, to]);
  });
  const disk: { [method: string]: unknown } = {};
  for (const [method, operation] of Object.entries(real))
    disk[method] =
      method === "readChunks"
        ? async function* (...args: unknown[]) {
            call(method, args);
            yield* Reflect.apply(real.readChunks, real, args as Parameters<Disk["readChunks"]>);
          }
        : async (...args: unknown[]) => {
            call(method, args);
            return Reflect.apply(operation, real, args);
          };
  // Copying attributes starts a program, which is slow and not tested here.
  const { write } = disk as unknown as Disk;
  disk.writeLike = (_like: string, ...args: Parameters<Disk["write"]>) => write(...args).then(() => true);
  return disk as unknown as Disk;
}

const SAVED = "saved by another program\n";

/** The usual ways to save a file. The last one opens the file when the edit begins. */
const ways = ["in place", "by rename", "to an open file"] as const;
type Way = (typeof ways)[number];

/** Prepares a save; the returned function does it, and says whether the file still had a name. */
function prepareSave(path: string, way: Way): () => boolean {
  if (way === "to an open file") {
    if (!existsSync(path)) return () => false;
    const descriptor = openSync(path, "r+");
    return () => {
      const hasName = fstatSync(descriptor).nlink > 0;
      ftruncateSync(descriptor);
      writeSync(descriptor, SAVED, 0);
      closeSync(descriptor);
      return hasName;
    };
  }
  return () => {
    if (way === "in place") writeFileSync(path, SAVED);
    else {
      writeFileSync(`${path}~`, SAVED);
      renameSync(`${path}~`, path);
    }
    return true;
  };
}

const files = {
  "edited.ts": "one\n",
  "moved.ts": "moves\n",
  "both.ts": "one, and moves\n",
  "deleted.ts": "goes\n",
  "last.ts": "one\n",
};

/** One edit with every kind of step for files; the file that is edited last can be made to fail. */
function changesOf(here: Bench): Change[] {
  return [
    here.change("edited.ts", "one", "uno"),
    here.change("both.ts", "one", "uno"),
    rename("moved.ts", "moved-to.ts"),
    rename("both.ts", "both-to.ts"),
    create("created.ts", "new\n"),
    remove("deleted.ts"),
    create("end/last.ts", "end\n"),
  ];
}

function textsIn(folder: string): { [name: string]: string } {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    names.map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name), "utf8")]).toSorted(),
  );
}

/** What an operation told: its warnings, or the refusal with all reasons. */
async function toldBy(act: Promise<EditOutcome>): Promise<{ text: string; unchanged: boolean }> {
  const outcome = await act.catch(() => undefined);
  if (outcome !== undefined) return { text: JSON.stringify(outcome.leftBehind), unchanged: false };
  const refusal = await refusalOf(act);
  const text = refusal.message + JSON.stringify(refusal.data);
  return { text, unchanged: refusal.code !== "edit/left-behind" };
}

/** Fails when the save is lost, or when something differs that was not told. */
function checkSave(
  here: Bench,
  told: { text: string; unchanged: boolean },
  before: { [name: string]: string },
  saved: string,
  way: Way,
): void {
  const after = textsIn(here.root);
  const hidden = Object.keys(after).filter((name) => name.startsWith(".lsp-proxy-"));
  for (const name of hidden) expect(told.text).toContain(name);
  const holders = Object.keys(after).filter((name) => after[name] === SAVED);
  expect(holders, told.text).not.toEqual([]);
  if (!told.unchanged) return;
  // What is written into a moved file goes back with it.
  const moves = [saved, saved.replace("-to.ts", ".ts"), saved.replace(/(-to)?\.ts$/, "-to.ts")];
  const isPresent = (name: string) => name === saved || (way !== "by rename" && before[name] !== undefined);
  const possible = moves.filter(isPresent).map((name) => ({ ...before, [name]: SAVED }));
  expect(possible).toContainEqual(after);
}

type Scenario = "applied" | "refused" | "undone" | "undo refused";

/** Runs an edit or its undo with a save at one moment, or with none at moment 0; returns how many moments there were. */
async function saveAt(here: Bench, scenario: Scenario, name: string, way: Way, at: number): Promise<number> {
  for (const [file, text] of Object.entries(files)) here.write(file, text);
  let armed = false;
  let isWriting = false;
  let moment = 0;
  let hasName: boolean | undefined;
  let save: () => boolean = () => false;
  const isRefused = scenario === "refused" || scenario === "undo refused";
  const disk = hookedDisk(here.root, (method, paths) => {
    if (!armed) return;
    // Before the first write there is nothing to lose.
    isWriting ||= method === "write";
    if (isWriting && ++moment === at) {
      // Nobody can see a write to an open file between the last look at it and its removal.
      const isTooLate = way === "to an open file" && ["removeTree", "unlink"].includes(method);
      hasName = isTooLate ? false : save();
    }
    const isLast = paths.some((path) => path.endsWith(scenario === "refused" ? "/last.ts" : "/deleted.ts"));
    if (isRefused && method === "moveToFree" && isLast) throw systemError("EIO");
  });
  const edits: Edits = await here.open({}, disk);
  let act = (): Promise<EditOutcome> => edits.apply(preview);
  const preview = await edits.preview(changesOf(here));
  expect(preview.reasons).toEqual([]);
  if (scenario === "undone" || scenario === "undo refused") {
    const { undoToken } = await edits.apply(preview);
    act = () => edits.undo(undoToken);
  }
  const before = textsIn(here.root);
  save = prepareSave(join(here.root, name), way);
  armed = true;
  const acting = act();
  const told = await toldBy(acting);
  if (at > 0) expect(hasName).toBeDefined();
  // A program that writes to a file after its last name is gone has saved nothing.
  if (hasName) checkSave(here, told, before, name, way);
  await edits.close();
  return moment;
}

/** The long form tries every moment, the short one a sample of them. */
const isLong = process.env.SOAK_ROUNDS !== undefined;
const stride = isLong ? 1 : 40;
const options = { timeout: isLong ? 7_200_000 : 600_000 };

describe.each(["applied", "refused", "undone", "undo refused"] as const)(
  "while an edit is %s",
  (scenario) => {
    const names = scenario.startsWith("undo")
      ? ["edited.ts", "moved-to.ts", "both-to.ts", "created.ts", "deleted.ts", "moved.ts"]
      : ["edited.ts", "moved.ts", "both.ts", "created.ts", "deleted.ts", "moved-to.ts"];
    // Up to the save everything happens as without one, so all files and ways have the same moments.
    let moments = 0;
    beforeAll(async () => {
      const here = benchAt(join(bench.top, scenario));
      moments = await saveAt(here, scenario, "edited.ts", "in place", 0);
      here.remove();
      expect(moments).toBeGreaterThan(30);
    });
    // At the same time: an edit mostly waits for the threads that read and write files.
    test.concurrent.each(names)(
      "a save of %s at every moment survives or is named",
      options,
      async (name) => {
        const tryAll = async (way: Way, index: number): Promise<void> => {
          const first = 1 + ((names.indexOf(name) + 3 * index) % stride);
          for (let at = first; at <= moments; at += stride) {
            const here = benchAt(join(bench.top, `${scenario}-${name}-${way}-${at}`));
            await saveAt(here, scenario, name, way, at);
            here.remove();
          }
        };
        await Promise.all(ways.map(tryAll));
      },
    );
  },
);

test(
  "a save during a roll-back survives when the process then dies, at every pair of moments",
  options,
  async () => {
    /** Rolls back one edited file, with a save at one moment and death at another; false when both come too late. */
    const run = async (here: Bench, way: Way, saveAt: number, dieAt: number): Promise<"early" | "late"> => {
      here.write("edited.ts", "one\n");
      let moment = 0;
      let isRollBack = false;
      const disk = hookedDisk(here.root, (method, paths) => {
        if (method === "moveToFree" && paths.some((path) => path.endsWith("/last.ts"))) {
          isRollBack = true;
          throw systemError("EIO");
        }
        if (!isRollBack) return;
        if (++moment === saveAt) prepareSave(join(here.root, "edited.ts"), way)();
        if (moment >= dieAt) throw systemError("EIO");
      });
      const edits = await here.open({}, disk);
      const preview = await edits.preview([
        here.change("edited.ts", "one", "uno"),
        create("last.ts", "end\n"),
      ]);
      const told = await toldBy(edits.apply(preview));
      await edits.close();
      await here.open();
      if (moment < saveAt) return "late";
      const text = told.text + JSON.stringify(here.recoveries);
      const after = textsIn(here.root);
      const hidden = Object.keys(after).filter((name) => name.startsWith(".lsp-proxy-"));
      for (const name of hidden) expect(text).toContain(name);
      expect(Object.values(after), text).toContain(SAVED);
      // A save by rename is the newest file of that name, so it has that name again.
      if (way === "by rename") expect(after["edited.ts"], text).toBe(SAVED);
      return moment < dieAt ? "late" : "early";
    };
    let tried = 0;
    const tryWay = async (way: Way): Promise<void> => {
      let [next, isOver] = [1, false];
      const tryAll = async (): Promise<void> => {
        while (!isOver) {
          const save = next++;
          let end = "early";
          for (let die = save; end === "early"; die++) {
            const here = benchAt(join(bench.top, `${way}-${save}-${die}`));
            end = await run(here, way, save, die);
            here.remove();
            tried++;
            if (end === "late" && die === save) isOver = true;
          }
        }
      };
      await Promise.all([tryAll(), tryAll(), tryAll()]);
    };
    await Promise.all([tryWay("in place"), tryWay("by rename")]);
    expect(tried).toBeGreaterThan(100);
  },
);

describe("without hard links", () => {
  const disk = diskWithLinks(() => {
    throw systemError("EPERM");
  });

  test("an edit, its roll-back and its undo work, and name the files without a guard", async () => {
    const here = benchAt(join(bench.top, "unguarded"));
    for (const [file, text] of Object.entries(files)) here.write(file, text);
    const before = textsIn(here.root);
    const edits = await here.open({}, disk);
    const { undoToken, unguarded } = await applyNow(edits, changesOf(here));
    expect(unguarded).toEqual(
      expect.arrayContaining(["edited.ts", "both.ts", "moved.ts", "created.ts", "end/last.ts"]),
    );
    expect((await edits.undo(undoToken)).unguarded).toContain("edited.ts");
    expect(textsIn(here.root)).toEqual(before);
    const failing: Disk = {
      ...disk,
      moveToFree: (from, to) =>
        to.endsWith("/last.ts") ? Promise.reject(systemError("EIO")) : disk.moveToFree(from, to),
    };
    const refusal = await refusalOf(applyNow(await here.open({}, failing), changesOf(here)));
    expect(refusal.code).toBe("edit/failed");
    expect(refusal.message).toContain("without hard links, a save in the same instant may be lost");
    expect(textsIn(here.root)).toEqual(before);
  });

  test("with them, nothing of this is told", async () => {
    const here = benchAt(join(bench.top, "guarded"));
    for (const [file, text] of Object.entries(files)) here.write(file, text);
    expect((await applyNow(await here.open(), changesOf(here))).unguarded).toEqual([]);
  });
});
