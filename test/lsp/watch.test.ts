/** What changed on disk is known at the next look, without waiting and whoever changed it. */
import { execFileSync, spawnSync } from "node:child_process";
import fs, {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, relative } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { stampText } from "../../src/lsp/documents/file.js";
import { isForeign } from "../../src/lsp/watch/folder-watchers.js";
import { type WatchLimits, WorkspaceWatch } from "../../src/lsp/watch/watch.js";
import { afterThis, workspace, write } from "./support.js";

/** Node writes to no mapped memory; Python does, where it is installed. */
const hasPython = spawnSync("python3", ["-c", "import mmap"]).status === 0;

/** So many files in a folder. */
const many = (folder: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}/f${i}.ts`, "1"]));

function writeMapped(path: string): void {
  const script =
    "import mmap,sys; f=open(sys.argv[1],'r+b'); m=mmap.mmap(f.fileno(),0); m[0:2]=b'22'; m.flush()";
  execFileSync("python3", ["-c", script, path]);
}

async function watched(
  files: { [path: string]: string },
  deny: string[] = [],
  limits: Partial<WatchLimits> = {},
) {
  const root = workspace(files);
  const watch = new WorkspaceWatch([root], deny, () => {}, { openWaitMs: 60_000, ...limits });
  afterThis(() => watch.close());
  await watch.refresh();
  let cursor = watch.cursor;
  const look = async (isIgnored: boolean): Promise<{ [path: string]: number }> => {
    await watch.refresh();
    const found = watch.since(cursor, [root]).filter(({ ignored }) => ignored === isIgnored);
    return Object.fromEntries(found.map(({ path, type }) => [relative(root, path), type]));
  };
  /** What changed since the last look, without what git ignores. */
  const changes = async () => {
    const seen = await look(false);
    cursor = watch.cursor;
    return seen;
  };
  /** What changed of what git ignores. */
  const ignored = async () => {
    const seen = await look(true);
    cursor = watch.cursor;
    return seen;
  };
  return { root, watch, changes, ignored };
}

test("created, changed and deleted files, also in new and renamed folders", async () => {
  const { root, changes } = await watched({ "a.ts": "1", "src/b.ts": "1", "src/c.ts": "1" });
  expect(await changes()).toEqual({});
  write(join(root, "a.ts"), "2");
  write(join(root, "new/deep/d.ts"), "1");
  unlinkSync(join(root, "src/b.ts"));
  expect(await changes()).toEqual({ "a.ts": 2, "new/deep/d.ts": 1, "src/b.ts": 3 });
  write(join(root, "new/deep/d.ts"), "2");
  renameSync(join(root, "src"), join(root, "lib"));
  expect(await changes()).toEqual({ "new/deep/d.ts": 2, "src/c.ts": 3, "lib/c.ts": 1 });
  write(join(root, "lib/c.ts"), "3");
  expect(await changes()).toEqual({ "lib/c.ts": 2 });
});

test("a folder that was replaced by another of the same name is still watched", async () => {
  const { root, changes } = await watched({ "src/in/a.ts": "1" });
  rmSync(join(root, "src"), { recursive: true });
  write(join(root, "src/in/a.ts"), "2");
  expect(await changes()).toEqual({ "src/in/a.ts": 2 });
  write(join(root, "src/in/a.ts"), "3");
  expect(await changes()).toEqual({ "src/in/a.ts": 2 });
});

test("same size and same time do not hide a change", async () => {
  const { root, changes } = await watched({ "a.ts": "1" });
  const when = new Date(1_700_000_000_000);
  utimesSync(join(root, "a.ts"), when, when);
  await changes();
  writeFileSync(join(root, "a.ts"), "2");
  utimesSync(join(root, "a.ts"), when, when);
  expect(await changes()).toEqual({ "a.ts": 2 });
});

test("dependencies are told apart, denied paths are left out; a changed .gitignore counts", async () => {
  const { root, watch, changes } = await watched(
    {
      "node_modules/p/i.ts": "",
      ".gitignore": "out/\n*.log\n",
      "src/.gitignore": "!keep.log\n",
      "src/keep.log": "",
      "secret/x.ts": "",
      "a.ts": "",
    },
    ["secret/**"],
  );
  write(join(root, "out/o.ts"), "1");
  write(join(root, "node_modules/p/i.ts"), "1");
  write(join(root, "src/x.log"), "1");
  write(join(root, "src/keep.log"), "1");
  write(join(root, "secret/x.ts"), "2");
  expect(await changes()).toEqual({ "src/keep.log": 2 });
  write(join(root, ".gitignore"), "*.log\n");
  expect(await changes()).toEqual({ ".gitignore": 2, "out/o.ts": 1 });
  const files = [...watch.files([root])].map((path) => relative(root, path));
  expect(files).toContain("out/o.ts");
  expect(files).not.toContain("secret/x.ts");
  expect(files).not.toContain("src/x.log");
  expect(files).not.toContain("node_modules/p/i.ts");
});

describe("what git ignores", () => {
  const rules = { ".gitignore": "gen/\n*_pb.ts\n" };

  test("is followed, told apart, and offered to nobody", async () => {
    const { root, watch, ignored, changes } = await watched({
      ...rules,
      "gen/deep/a.ts": "1",
      "src/b_pb.ts": "1",
      "src/c.ts": "1",
    });
    write(join(root, "gen/deep/a.ts"), "2");
    write(join(root, "gen/new/d.ts"), "1");
    write(join(root, "src/b_pb.ts"), "2");
    expect(await ignored()).toEqual({ "gen/deep/a.ts": 2, "gen/new/d.ts": 1, "src/b_pb.ts": 2 });
    rmSync(join(root, "gen"), { recursive: true });
    expect(await ignored()).toEqual({ "gen/deep/a.ts": 3, "gen/new/d.ts": 3 });
    write(join(root, "gen/deep/a.ts"), "3");
    expect(await ignored()).toEqual({ "gen/deep/a.ts": 1 });
    expect([...watch.files([root])].map((path) => relative(root, path)).toSorted()).toEqual([
      ".gitignore",
      "src/c.ts",
    ]);
    expect(await changes()).toEqual({});
  });

  /** Every look sweeps, and waits until that is done. */
  const swept = { sweepRest: 0, sweepRestMs: 0, sweepWaitMs: 60_000 };
  /** Until files are older than what a sweep takes for fresh. */
  const age = () => new Promise((done) => setTimeout(done, 150));

  test.each<[string, Partial<WatchLimits>]>([
    ["files in one part", { zoneFiles: 20 }],
    ["folders in one part", { zoneFolders: 5 }],
    ["files in all parts", { allFiles: 25 }],
    ["folders in all parts", { allFolders: 6 }],
  ])("is only swept when there are too many %s, and nothing counts as deleted", async (_what, few) => {
    const limits = { ...swept, ...few };
    const { root, watch, ignored, changes } = await watched({ ...rules, ...many("gen/one", 3) }, [], limits);
    expect(watch.notWatched([root])).toEqual([]);
    write(join(root, "gen/one/f0.ts"), "2");
    expect(await ignored()).toEqual({ "gen/one/f0.ts": 2 });
    for (let i = 0; i < 10; i++) {
      for (const path of Object.keys(many(`gen/more${i}`, 3))) write(join(root, path), "1");
    }
    expect(Object.values(await ignored())).not.toContain(3);
    expect(watch.notWatched([root])).toEqual([join(root, "gen")]);
    expect(watch.notWatched([join(root, "src")])).toEqual([]);
    // It begins anew when it does.
    rmSync(join(root, "gen"), { recursive: true });
    const gone = await ignored();
    expect([Object.keys(gone).length, new Set(Object.values(gone))]).toEqual([33, new Set([3])]);
    expect(watch.notWatched([root])).toEqual([]);
    write(join(root, "gen/one/f0.ts"), "4");
    expect(await ignored()).toEqual({ "gen/one/f0.ts": 1 });
    write(join(root, "gen/one/f0.ts"), "5");
    expect(await ignored()).toEqual({ "gen/one/f0.ts": 2 });
    expect(await changes()).toEqual({});
  });

  test("dependencies are followed, and so is a package that is added, replaced or removed", async () => {
    const { root, ignored, changes } = await watched({
      "src/a.ts": "1",
      "node_modules/p/i.d.ts": "1",
      "node_modules/q/i.d.ts": "1",
    });
    write(join(root, "node_modules/p/i.d.ts"), "2");
    write(join(root, "node_modules/@s/new/i.d.ts"), "1");
    rmSync(join(root, "node_modules/q"), { recursive: true });
    expect(await ignored()).toEqual({
      "node_modules/p/i.d.ts": 2,
      "node_modules/@s/new/i.d.ts": 1,
      "node_modules/q/i.d.ts": 3,
    });
    expect(await changes()).toEqual({});
  });

  test.skipIf(process.platform !== "linux")(
    "of some thousand files, one written in place is seen",
    async () => {
      const { root, watch, ignored } = await watched({ ...rules, ...many("gen/one", 2_500) });
      write(join(root, "gen/one/f7.ts"), "2");
      expect(await ignored()).toEqual({ "gen/one/f7.ts": 2 });
      expect(watch.notWatched([root])).toEqual([]);
    },
  );

  test("a change before a large folder was read for the first time is known once it is", async () => {
    const start = many("node_modules/p", 1_000);
    const { root, watch } = await watched(start, [], { openWaitMs: 0 });
    const path = join(root, "node_modules/p/f999.ts");
    // File systems count in ticks of some milliseconds: in that of the first look nobody can tell before from after.
    const [looked, clock] = [Date.now(), join(workspace({}), "clock")];
    const tick = () => {
      write(clock, "");
      return statSync(clock).mtimeMs;
    };
    await expect.poll(tick, { interval: 1 }).toBeGreaterThan(looked + 1);
    write(path, "2");
    const isKnown = async () => {
      await watch.refresh();
      return watch.since(0, [root]).some((change) => change.path === path && change.type === 2);
    };
    await expect.poll(isKnown, { timeout: 30_000 }).toBe(true);
    expect(watch.since(0, [root])).toHaveLength(1);
  });

  test("what is swept: files that come, go or are renamed into place are seen, and packages too", async () => {
    const start = { ...many("node_modules/p/lib", 12), ...many("node_modules/q", 12) };
    const { root, watch, ignored } = await watched(start, [], { ...swept, zoneFiles: 20 });
    const modules = join(root, "node_modules");
    expect(watch.notWatched([root])).toEqual([modules]);
    await age();
    await ignored();
    write(join(modules, "p/lib/new.ts"), "1");
    unlinkSync(join(modules, "p/lib/f0.ts"));
    expect(await ignored()).toEqual({ "node_modules/p/lib/new.ts": 1, "node_modules/p/lib/f0.ts": 3 });
    await age();
    await ignored();
    write(join(root, "next"), "2");
    renameSync(join(root, "next"), join(modules, "p/lib/f1.ts"));
    expect(await ignored()).toMatchObject({ "node_modules/p/lib/f1.ts": 2 });
    write(join(modules, "@s/r/i.d.ts"), "1");
    rmSync(join(modules, "q"), { recursive: true });
    const seen = await ignored();
    expect(seen).toMatchObject({ "node_modules/@s/r/i.d.ts": 1, "node_modules/q/f0.ts": 3 });
    expect(Object.keys(seen).filter((path) => path.startsWith("node_modules/q/"))).toHaveLength(12);
  });

  test("an installation is seen by the package manager's own file, however short the last sweep is ago", async () => {
    const start = { ...many("node_modules/p", 30), "node_modules/.package-lock.json": "1" };
    const { root, ignored } = await watched(start, [], { ...swept, sweepRest: 1e9, zoneFiles: 20 });
    await ignored();
    write(join(root, "node_modules/q/i.d.ts"), "1");
    expect(await ignored()).toEqual({});
    write(join(root, "node_modules/.package-lock.json"), "22");
    expect(await ignored()).toMatchObject({
      "node_modules/.package-lock.json": 2,
      "node_modules/q/i.d.ts": 1,
    });
  });

  test("no more folders are swept than is allowed", async () => {
    const start = { ...many("node_modules/p", 30), "node_modules/q/x.ts": "1" };
    const { root, ignored } = await watched(start, [], { ...swept, sweptFolders: 1, zoneFiles: 20 });
    write(join(root, "node_modules/q/new.ts"), "1");
    expect(await ignored()).toEqual({});
  });

  test("is followed in a part that is too large where answers were about it", async () => {
    const { root, watch, ignored } = await watched(
      { ...rules, ...many("gen/seen", 8), ...many("gen/other", 30) },
      [],
      { zoneFiles: 20, sweptFolders: 0 },
    );
    write(join(root, "gen/seen/f0.ts"), "2");
    expect(await ignored()).toEqual({});
    watch.attend(join(root, "gen/seen/f0.ts"));
    watch.attend("/etc/hostname");
    expect(await ignored()).toEqual({});
    write(join(root, "gen/seen/f0.ts"), "3");
    write(join(root, "gen/seen/new.ts"), "1");
    write(join(root, "gen/other/f0.ts"), "2");
    expect(await ignored()).toEqual({ "gen/seen/f0.ts": 2, "gen/seen/new.ts": 1 });
  });
});

describe("a file that an answer was about", () => {
  test("is seen to change where the system's watches do not tell: through a hard link from elsewhere", async () => {
    const { root, watch, changes } = await watched({ "a.ts": "1", "b.ts": "1" });
    const outside = workspace({});
    linkSync(join(root, "a.ts"), join(outside, "a"));
    linkSync(join(root, "b.ts"), join(outside, "b"));
    await changes();
    watch.attend(join(root, "a.ts"));
    write(join(outside, "a"), "22");
    write(join(outside, "b"), "22");
    expect((await changes())["a.ts"]).toBe(2);
  });

  test("is seen to change through a hard link that it got later", async () => {
    const { root, watch, changes } = await watched({ "a.ts": "1" });
    await changes();
    watch.attend(join(root, "a.ts"));
    const outside = workspace({});
    linkSync(join(root, "a.ts"), join(outside, "a"));
    write(join(outside, "a"), "22");
    await expect.poll(async () => (await changes())["a.ts"], { timeout: 5_000 }).toBe(2);
    await changes();
    write(join(outside, "a"), "333");
    expect((await changes())["a.ts"]).toBe(2);
  });

  test.skipIf(!hasPython)("is seen to change through memory, which tells nobody", async () => {
    const { root, watch, changes } = await watched({ "a.ts": "1111" });
    await changes();
    watch.attend(join(root, "a.ts"));
    await changes();
    writeMapped(join(root, "a.ts"));
    expect((await changes())["a.ts"]).toBe(2);
  });

  test.skipIf(!hasPython)(
    "is seen to change through memory after a moment where many others were asked about since, and at once where it has other names",
    async () => {
      vi.useFakeTimers({ toFake: ["performance"] });
      afterThis(() => {
        vi.useRealTimers();
      });
      const names = Array.from({ length: 80 }, (_, number) => `f${number}.ts`);
      const files = Object.fromEntries(names.map((name) => [name, "1111"]));
      const { root, watch, changes } = await watched({ ...files, "old.ts": "1111", "linked.ts": "1111" });
      linkSync(join(root, "linked.ts"), join(workspace({}), "elsewhere"));
      await changes();
      for (const some of [["old.ts", "linked.ts"], names]) {
        for (const name of some) watch.attend(join(root, name));
        await changes();
      }
      for (const name of ["old.ts", "linked.ts", "f79.ts"]) writeMapped(join(root, name));
      expect(await changes()).toEqual({ "linked.ts": 2, "f79.ts": 2 });
      expect(watch.stampOf(join(root, "f79.ts"))).toBe(stampText(statSync(join(root, "f79.ts"))));
      expect(watch.stampOf(join(root, "old.ts"))).toBeUndefined();
      vi.advanceTimersByTime(250);
      expect(await changes()).toEqual({ "old.ts": 2 });
    },
  );

  test.skipIf(!hasPython)(
    "is seen to change through memory at once where the last page showed it",
    async () => {
      vi.useFakeTimers({ toFake: ["performance"] });
      afterThis(() => {
        vi.useRealTimers();
      });
      const names = Array.from({ length: 80 }, (_, number) => `f${number}.ts`);
      const { root, watch, changes } = await watched(Object.fromEntries(names.map((name) => [name, "1111"])));
      await changes();
      for (const name of names) watch.attend(join(root, name));
      await changes();
      for (const name of names.slice(0, 30)) watch.attend(join(root, name));
      for (const name of ["f0.ts", "f79.ts"]) writeMapped(join(root, name));
      expect(await changes()).toEqual({ "f0.ts": 2 });
      writeMapped(join(root, "f1.ts"));
      expect(await changes()).toEqual({ "f1.ts": 2 });
      vi.advanceTimersByTime(250);
      expect(await changes()).toEqual({ "f79.ts": 2 });
    },
  );

  const grown = (many: (number: number) => string) => Array.from({ length: 30 }, (_, number) => many(number));
  test.skipIf(!hasPython).each([
    ["a folder", "build/\n", "build/a.ts", grown((number) => `build/more/f${number}.ts`)],
    ["files", "*.gen\n", "a.gen", grown((number) => `f${number}.gen`)],
  ])(
    "is seen to change through memory at once where %s that git ignores and that it is of have grown too many",
    async (_, rules, name, more) => {
      vi.useFakeTimers({ toFake: ["performance"] });
      afterThis(() => {
        vi.useRealTimers();
      });
      const files = { ".gitignore": rules, [name]: "1111", ...many("src", 80) };
      const { root, watch } = await watched(files, [], { zoneFiles: 20 });
      const own = join(root, name);
      await watch.refresh();
      for (const some of [[own], Object.keys(many("src", 80)).map((name) => join(root, name))]) {
        for (const path of some) watch.attend(path);
        await watch.refresh();
      }
      const seen = async () => {
        const { cursor } = watch;
        writeMapped(own);
        await watch.refresh();
        return watch.since(cursor, [root]).some(({ path }) => path === own);
      };
      expect(watch.tells(own)).toBe(true);
      expect(await seen()).toBe(false);
      for (const path of more) write(join(root, path), "1");
      await expect
        .poll(async () => {
          await watch.refresh();
          return watch.tells(own);
        })
        .toBe(false);
      expect(await seen()).toBe(true);
    },
  );

  test("is seen to change at once, among many others, where no watch tells of it", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    afterThis(() => {
      vi.useRealTimers();
    });
    const files = many("src", 80);
    const { root, watch } = await watched(files, [], { files: 5 });
    const paths = Object.keys(files).map((name) => join(root, name));
    for (const path of paths) watch.attend(path);
    await watch.refresh();
    const { cursor } = watch;
    const early = paths.slice(0, 10);
    for (const path of early) write(path, "22");
    await watch.refresh();
    expect(
      watch
        .since(cursor, [root])
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(early.toSorted());
  });

  test("is let go when there are too many of them", async () => {
    const { root, watch, changes } = await watched({ "a.ts": "1", "b.ts": "1" }, [], { attended: 1 });
    const outside = workspace({});
    linkSync(join(root, "a.ts"), join(outside, "a"));
    await changes();
    watch.attend(join(root, "a.ts"));
    watch.attend(join(root, "b.ts"));
    write(join(outside, "a"), "22");
    if (process.platform === "linux") expect(await changes()).toEqual({});
  });
});

test("a write is told of in every folder that is followed, and nowhere else", async () => {
  const { root, watch } = await watched(
    {
      ...{ ".gitignore": "gen\n", "src/a.ts": "", "gen/b.ts": "", "node_modules/q/x.ts": "" },
      ...many("node_modules/p", 30),
    },
    [],
    { zoneFiles: 20 },
  );
  const tells = (name: string) => watch.tells(join(root, name));
  expect(["src/a.ts", "gen/b.ts"].map(tells)).toEqual([true, true]);
  expect(["src/none.ts", "node_modules/p/f0.ts", "../a.ts"].map(tells)).toEqual([false, false, false]);
  // Its folder is followed for it alone, and may be replaced with what is around it.
  watch.attend(join(root, "node_modules/q/x.ts"));
  await watch.refresh();
  expect(tells("node_modules/q/x.ts")).toBe(false);
  const { watch: full, root: fullRoot } = await watched(many("src", 30), [], { files: 5 });
  const told = [...Array(30).keys()].filter((number) => full.tells(join(fullRoot, `src/f${number}.ts`)));
  expect(told.length).toBeLessThanOrEqual(5);
});

test("a root that is replaced by another is followed with all that is in it", async () => {
  const { root, watch, changes } = await watched({ "a.ts": "1", "sub/b.ts": "1", "sub/in/c.ts": "1" });
  await changes();
  renameSync(root, `${root}-old`);
  afterThis(() => rmSync(`${root}-old`, { recursive: true, force: true }));
  for (const name of ["a.ts", "sub/b.ts", "sub/in/c.ts"]) write(join(root, name), "22");
  expect(Object.keys(await changes()).toSorted()).toEqual(["a.ts", "sub/b.ts", "sub/in/c.ts"]);
  for (const name of ["a.ts", "sub/b.ts", "sub/in/c.ts"]) {
    expect(await changes()).toEqual({});
    expect(watch.tells(join(root, name))).toBe(true);
    write(join(root, name), "333");
    expect(await changes()).toEqual({ [name]: 2 });
  }
});

test("a root that is deleted and made again, under the same number if the system likes, is followed", async () => {
  const { root, watch, changes } = await watched({ "a.ts": "1" });
  await changes();
  rmSync(root, { recursive: true });
  write(join(root, "a.ts"), "22");
  expect(await changes()).toEqual({ "a.ts": 2 });
  expect(await changes()).toEqual({});
  expect(watch.tells(join(root, "a.ts"))).toBe(true);
  write(join(root, "a.ts"), "333");
  expect(await changes()).toEqual({ "a.ts": 2 });
});

test("nothing is told of where other machines write, or where that cannot be found out", async () => {
  const { statfsSync } = fs;
  afterThis(() => {
    Object.assign(fs, { statfsSync });
    syncBuiltinESMExports();
  });
  const toldOn = async (type: number) => {
    Object.assign(fs, { statfsSync: () => ({ type }) });
    syncBuiltinESMExports();
    const { root, watch } = await watched({ "a.ts": "1" });
    return watch.tells(join(root, "a.ts"));
  };
  const ext4 = 0xef53;
  const [nfs, cifs, signedCifs] = [0x6969, 0xff534d42, 0xff534d42 | 0];
  expect(await toldOn(ext4)).toBe(true);
  for (const type of [nfs, cifs, signedCifs]) expect(await toldOn(type)).toBe(false);
  Object.assign(fs, { statfsSync });
  syncBuiltinESMExports();
  expect([workspace({}), join(workspace({}), "none")].map(isForeign)).toEqual([false, true]);
});

test("what is ignored later, and is too much then, is not told of", async () => {
  const { root, watch, changes } = await watched(
    { "a.txt": "1", "b.txt": "1", "c.txt": "1", "d.ts": "1" },
    [],
    {
      zoneFiles: 1,
    },
  );
  await changes();
  const tells = () => ["a.txt", "b.txt", "c.txt", "d.ts"].map((name) => watch.tells(join(root, name)));
  expect(tells()).toEqual([true, true, true, true]);
  const { losses } = watch;
  write(join(root, ".gitignore"), "*.txt\n");
  await changes();
  await changes();
  expect(tells()).toEqual([false, false, false, true]);
  expect(watch.losses).toBe(losses + 3);
});

test("more files than are followed: that is said, of this root only", async () => {
  const { root, watch } = await watched({ "a/1.ts": "", "a/2.ts": "", "b/3.ts": "" }, [], { files: 2 });
  expect(watch.isBlind([root])).toBe(true);
  expect(watch.isBlind([join(root, "a")])).toBe(true);
  expect(watch.isBlind([workspace({})])).toBe(false);
  const { watch: other, root: otherRoot } = await watched({ "a/1.ts": "" }, [], { files: 2 });
  expect(other.isBlind([otherRoot])).toBe(false);
});

test.skipIf(process.platform !== "linux")(
  "so many events that the system loses some: everything is read again",
  { timeout: 120_000 },
  async () => {
    const { root, changes } = await watched({ "noise/a": "", "noise/b": "", "quiet/c.ts": "1" });
    const most = Number(readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"));
    // Two files in turn, since equal events one after the other count once. Nothing reads the queue meanwhile.
    const noise = ["a", "b"].map((name) => openSync(join(root, "noise", name), "w"));
    for (let i = 0; i <= most; i++) writeSync(noise[i % 2] ?? 0, "x");
    noise.forEach((file) => {
      closeSync(file);
    });
    write(join(root, "quiet/c.ts"), "2");
    expect(await changes()).toMatchObject({ "quiet/c.ts": 2 });
  },
);

test("a branch of 1 000 files is absorbed in one look", async () => {
  const files = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`d${i % 40}/f${i}.ts`, "one"]));
  const { root, changes } = await watched(files);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: root });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "one");
  git("checkout", "-q", "-b", "two");
  for (const path of Object.keys(files)) write(join(root, path), "two");
  git("commit", "-q", "-a", "-m", "two");
  await changes();
  git("checkout", "-q", "-");
  const seen = await changes();
  expect(Object.keys(seen)).toHaveLength(1_000);
  expect(new Set(Object.values(seen))).toEqual(new Set([2]));
});

test("two callers get what happened before each of them", async () => {
  const { root, watch } = await watched({ "a.ts": "1" });
  const cursor = watch.cursor;
  write(join(root, "a.ts"), "2");
  const first = watch.refresh();
  mkdirSync(join(root, "n"));
  write(join(root, "n/b.ts"), "1");
  await Promise.all([first, watch.refresh()]);
  expect(watch.since(cursor, [root])).toHaveLength(2);
  expect(watch.since(cursor, [join(root, "n")])).toHaveLength(1);
});
