import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  applyNow,
  atEachMoment,
  type Bench,
  benchAt,
  create,
  makeBench,
  memory,
  reasonsOf,
  refusalOf,
  remove,
  snapshotOf,
} from "./bench.js";
import { type Moment, systemError, watchedDisk, withoutPrograms } from "./faulty-disk.js";
import { everything, fill } from "./scenario.js";

let bench: Bench;

beforeEach(() => {
  bench = makeBench(memory);
});

afterEach(() => bench.remove());

describe("whatever fails, everything is as it was", () => {
  test.each(["ENOSPC", "EACCES"])("%s at every change of the disk", { timeout: 120_000 }, async (code) => {
    const codes = new Set<string>();
    let happened = 0;
    await atEachMoment(async (at) => {
      const here = benchAt(join(bench.top, `${at}`));
      fill(here);
      const before = here.snapshot();
      // Opening is not tested here.
      let armed = 0;
      let struck = false;
      const disk = watchedDisk(() => {
        if (armed > 0 && ++armed === at + 1) {
          struck = true;
          throw systemError(code);
        }
      }, withoutPrograms);
      const edits = await here.open({}, disk);
      const preview = await edits.preview(everything(here));
      armed = 1;
      try {
        await edits.apply(preview);
        if (struck) happened++;
        expect(here.snapshot()).not.toEqual(before);
      } catch (error) {
        const refusal = await refusalOf(Promise.reject(error));
        codes.add(refusal.code);
        expect(here.snapshot()).toEqual(before);
        // It works when the cause is gone.
        await applyNow(await here.open({}, withoutPrograms), everything(here));
        expect(here.recoveries).toEqual([]);
      }
      here.remove();
      return !struck;
    });
    // A failure after the commit does not make the edit fail.
    expect(happened).toBeGreaterThan(2);
    expect([...codes].toSorted()).toEqual(["edit/failed", "edit/no-journal"]);
  });

  test("a disk that is really full", { timeout: 60_000 }, async (context) => {
    const small = join(bench.top, "small");
    mkdirSync(small);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", small], { stdio: "ignore" });
    } catch {
      return context.skip();
    }
    try {
      const here = benchAt(small);
      fill(here);
      const before = here.snapshot();
      const edits = await here.open();
      for (const size of [180_000, 300_000]) {
        const refusal = await refusalOf(
          applyNow(edits, [
            here.change("src/a.ts", "one", "uno"),
            create("big.txt", "x".repeat(size)),
            create("big2.txt", "x".repeat(size)),
          ]),
        );
        expect(refusal.code).toMatch(/^edit\/(failed|no-journal)$/);
        expect(refusal.message).toContain("the disk is full");
        expect(here.snapshot()).toEqual(before);
      }
      const { undoToken } = await applyNow(edits, [here.change("src/a.ts", "one", "uno")]);
      await edits.undo(undoToken);
      expect(here.snapshot()).toEqual(before);
    } finally {
      execFileSync("umount", ["-l", small]);
    }
  });

  test("a folder that may not be written, and a file", async (context) => {
    if (process.getuid?.() !== 0) return context.skip();
    fill(bench);
    bench.write("locked/x.ts", "one\n");
    bench.write("guarded.ts", "one\n", 0o444);
    const nobody = 65_534;
    for (const path of [
      bench.top,
      ...readdirSync(bench.top, { recursive: true }).map((name) => join(bench.top, String(name))),
    ])
      if (!path.endsWith("link.ts")) chownSync(path, nobody, nobody);
    chownSync(join(bench.root, "locked"), 0, 0);
    chmodSync(join(bench.root, "locked"), 0o755);
    const before = bench.snapshot();
    process.setegid?.(nobody);
    process.seteuid?.(nobody);
    try {
      const edits = await bench.open();
      const changes = [bench.change("src/a.ts", "one", "uno"), bench.change("locked/x.ts", "one", "uno")];
      const refusal = await refusalOf(applyNow(edits, changes));
      expect(reasonsOf(refusal)).toEqual(["edit/failed locked/x.ts"]);
      expect(refusal.message).toContain("permission denied");
      expect((await edits.preview([bench.change("guarded.ts", "one", "uno")])).reasons[0]?.code).toBe(
        "edit/read-only",
      );
    } finally {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
    expect(bench.snapshot()).toEqual(before);
  });

  test("a folder with read-only folders is deleted whole, and restored by an undo", async (context) => {
    if (process.getuid?.() !== 0) return context.skip();
    bench.write("t/deep/x.ts", "x\n");
    bench.write("t/deep/below/y.ts", "y\n");
    const nobody = 65_534;
    for (const name of ["", ...readdirSync(bench.top, { recursive: true })])
      chownSync(join(bench.top, String(name)), nobody, nobody);
    for (const name of ["t/deep/below", "t/deep"]) chmodSync(join(bench.root, name), 0o555);
    const before = bench.snapshot();
    process.setegid?.(nobody);
    process.seteuid?.(nobody);
    try {
      const edits = await bench.open();
      const { undoToken } = await applyNow(edits, [remove("t", { recursive: true })]);
      expect(readdirSync(bench.root)).toEqual([]);
      await edits.undo(undoToken);
    } finally {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
    expect(bench.snapshot()).toEqual(before);
  });

  test("a backup that cannot be removed stays hidden, is reported, and is removed at a later start; undo still works", async () => {
    bench.write("t/x.ts", "x\n");
    const before = bench.snapshot();
    const disk = watchedDisk(({ method, paths }) => {
      if (method === "removeTree" && paths[0]?.startsWith(bench.root)) throw systemError("EACCES");
    });
    const edits = await bench.open({}, disk);
    const { undoToken } = await applyNow(edits, [remove("t", { recursive: true })]);
    expect(readdirSync(bench.root)).toEqual([expect.stringMatching(/^\.lsp-proxy-/)]);
    await bench.open({}, disk);
    expect(bench.recoveries).toMatchObject([{ outcome: "conflict", reasons: [{ path: "t" }] }]);
    await edits.undo(undoToken);
    expect(bench.text("t/x.ts")).toBe("x\n");
    expect((await refusalOf(edits.undo(undoToken))).code).toBe("edit/unknown-undo");
    await bench.open();
    expect(bench.recoveries.slice(1)).toEqual([{ outcome: "finished", reasons: [] }]);
    expect(bench.snapshot()).toEqual(before);
    await bench.open();
    expect(bench.recoveries).toHaveLength(2);
  });

  test("a file that the system has locked", async (context) => {
    bench.write("a.ts", "one\n");
    bench.write("b.ts", "one\n");
    const file = join(bench.root, "b.ts");
    try {
      execFileSync("chattr", ["+i", file], { stdio: "ignore" });
    } catch {
      return context.skip();
    }
    try {
      const before = bench.snapshot();
      const edits = await bench.open();
      const refusal = await refusalOf(
        applyNow(edits, [bench.change("a.ts", "one", "uno"), bench.change("b.ts", "one", "uno")]),
      );
      expect(reasonsOf(refusal)[0]).toMatch(/b\.ts$/);
      expect(bench.snapshot()).toEqual(before);
    } finally {
      execFileSync("chattr", ["-i", file]);
    }
  });

  test("a state folder that cannot be used", async () => {
    bench.write("a.ts", "one\n");
    writeFileSync(bench.state, "a file in the way");
    const edits = await bench.open();
    const preview = await edits.preview([bench.change("a.ts", "one", "uno")]);
    expect((await refusalOf(edits.apply(preview))).code).toBe("edit/no-journal");
    expect(bench.text("a.ts")).toBe("one\n");
  });
});

describe("somebody else, at the worst moment", () => {
  /** Whether a file is being replaced for the first time; a roll-back does it again. */
  const isSwap = (name: string): ((moment: Moment) => boolean) => {
    let count = 0;
    return ({ method, paths }) => method === "exchange" && paths[1]?.endsWith(name) === true && ++count === 1;
  };

  test("saves a file by a rename while it is being replaced: nothing is lost", async () => {
    bench.write("a.ts", "one\n");
    bench.write("b.ts", "one\n");
    const isNow = isSwap("/b.ts");
    const disk = watchedDisk((moment) => {
      if (!isNow(moment)) return;
      bench.write("b.ts~", "theirs\n");
      renameSync(join(bench.root, "b.ts~"), join(bench.root, "b.ts"));
    });
    const edits = await bench.open({}, disk);
    const refusal = await refusalOf(
      applyNow(edits, [bench.change("a.ts", "one", "uno"), bench.change("b.ts", "one", "uno")]),
    );
    expect(reasonsOf(refusal)).toEqual(["edit/changed b.ts"]);
    expect([bench.text("a.ts"), bench.text("b.ts")]).toEqual(["one\n", "theirs\n"]);
    expect(readdirSync(bench.root).toSorted()).toEqual(["a.ts", "b.ts"]);
  });

  test("writes into a file that is being replaced: nothing is lost", async () => {
    bench.write("a.ts", "one\n");
    bench.write("b.ts", "one\n");
    const isNow = isSwap("/b.ts");
    const disk = watchedDisk((moment) => {
      if (isNow(moment)) writeFileSync(join(bench.root, "b.ts"), "theirs\n");
    });
    const edits = await bench.open({}, disk);
    const refusal = await refusalOf(
      applyNow(edits, [bench.change("a.ts", "one", "uno"), bench.change("b.ts", "one", "uno")]),
    );
    expect(refusal.code).toBe("edit/changed");
    expect([bench.text("a.ts"), bench.text("b.ts")]).toEqual(["one\n", "theirs\n"]);
    expect(readdirSync(bench.root).toSorted()).toEqual(["a.ts", "b.ts"]);
  });

  test("writes to a file that was just replaced: that stays, the rest is rolled back, and it is reported", async () => {
    bench.write("a.ts", "one\n");
    bench.write("b.ts", "one\n");
    const isNow = isSwap("/b.ts");
    const disk = watchedDisk((moment) => {
      if (!isNow(moment)) return;
      writeFileSync(join(bench.root, "a.ts"), "theirs\n");
      throw systemError("EIO");
    });
    const edits = await bench.open({}, disk);
    const refusal = await refusalOf(
      applyNow(edits, [bench.change("a.ts", "one", "uno"), bench.change("b.ts", "one", "uno")]),
    );
    expect(refusal.code).toBe("edit/left-behind");
    expect(reasonsOf(refusal)).toEqual(["edit/left-behind a.ts", "edit/failed b.ts"]);
    expect([bench.text("a.ts"), bench.text("b.ts")]).toEqual(["theirs\n", "one\n"]);
    // The earlier content is kept too.
    const kept = readdirSync(bench.root).filter((name) => name.startsWith(".lsp-proxy-"));
    expect(kept.map((name) => bench.text(name))).toEqual(["one\n"]);
  });

  test("makes a folder where a file would appear", async () => {
    bench.write("a.ts", "one\n");
    const disk = watchedDisk(({ method, paths }) => {
      if (method === "moveToFree" && paths[1]?.endsWith("/new.ts")) mkdirSync(join(bench.root, "new.ts"));
    });
    const edits = await bench.open({}, disk);
    const refusal = await refusalOf(
      applyNow(edits, [bench.change("a.ts", "one", "uno"), create("new.ts", "x")]),
    );
    expect(reasonsOf(refusal)).toEqual(["edit/failed new.ts"]);
    expect(bench.text("a.ts")).toBe("one\n");
    expect(readdirSync(bench.root).toSorted()).toEqual(["a.ts", "new.ts"]);
  });

  test("adds a file to a folder that is being deleted", async () => {
    bench.write("old/a.ts", "a\n");
    const disk = watchedDisk(({ method, paths }) => {
      if (method === "rename" && paths[0]?.endsWith("/old")) bench.write("old/b.ts", "theirs\n");
    });
    const edits = await bench.open({}, disk);
    expect((await refusalOf(applyNow(edits, [remove("old", { recursive: true })]))).code).toBe(
      "edit/changed",
    );
    expect(bench.text("old/b.ts")).toBe("theirs\n");
  });

  test("swaps a folder for a link that leads outside, at every change of the disk", {
    timeout: 120_000,
  }, async () => {
    await atEachMoment(async (at) => {
      const here = benchAt(join(bench.top, `${at}`));
      fill(here);
      const outside = join(here.top, "outside");
      for (const [name, text] of [
        ["a.ts", "theirs\n"],
        ["deep", undefined],
        ["n.ts", "theirs\n"],
      ] as const)
        if (text === undefined) mkdirSync(join(outside, name));
        else writeFileSync(join(outside, name), text);
      const beforeOutside = snapshotOf(outside);
      let struck = false;
      let armed = 0;
      const disk = watchedDisk(() => {
        if (armed === 0 || ++armed !== at + 1) return;
        struck = true;
        for (const folder of ["src", "old", "lib", "pack"]) {
          const path = join(here.root, folder);
          if (existsSync(path)) renameSync(path, join(here.root, `was-${folder}`));
          symlinkSync(outside, path);
        }
      }, withoutPrograms);
      const edits = await here.open({}, disk);
      const preview = await edits.preview(everything(here));
      armed = 1;
      await edits.apply(preview).catch((error: unknown) => {
        expect(error).toMatchObject({ name: "Refusal" });
      });
      expect(snapshotOf(outside)).toEqual(beforeOutside);
      rmSync(here.top, { recursive: true, force: true });
      expect(at).toBeLessThan(200);
      return !struck;
    });
  });

  test("tampers with the journal: nothing outside is touched", async () => {
    fill(bench);
    const { undoToken } = await applyNow(await bench.open(), [bench.change("src/b.ts", "one", "uno")]);
    const id = undoToken.replace("undo-", "");
    const [workspace = ""] = readdirSync(join(bench.state, "edits"));
    const record = join(bench.state, "edits", workspace, id, "record");
    writeFileSync(join(bench.top, "outside/b.ts"), readFileSync(join(bench.root, "src/b.ts")));
    const text = readFileSync(record, "utf8").replaceAll(join(bench.root, "src"), join(bench.top, "outside"));
    writeFileSync(record, text);
    const before = snapshotOf(join(bench.top, "outside"));
    const edits = await bench.open();
    expect((await refusalOf(edits.undo(undoToken))).code).toBe("edit/undo-conflict");
    rmSync(join(bench.state, "edits", workspace, id, "done"), { recursive: true });
    rmSync(join(bench.state, "edits", workspace, id, "committed"), { recursive: true });
    await bench.open();
    expect(bench.recoveries.map(({ outcome }) => outcome)).toEqual(["conflict"]);
    expect(snapshotOf(join(bench.top, "outside"))).toEqual(before);
    writeFileSync(record, "{ not json");
    await bench.open();
    expect(bench.recoveries.map(({ outcome }) => outcome)).toEqual(["conflict", "conflict"]);
  });
});
