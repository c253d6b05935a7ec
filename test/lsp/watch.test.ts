/** Every change on disk is known at the next check, made by any program, on the watch source of every platform. */
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
import { describe, expect, test } from "vitest";
import type { WatchOptions } from "../../src/lsp/watch/watch-options.js";
import {
  isOnNetwork,
  type OpenWatchSource,
  SystemWatches,
  type WatchListener,
} from "../../src/lsp/watch/watch-source.js";
import { WorkspaceWatch } from "../../src/lsp/watch/workspace-watch.js";
import { printedIn } from "../own-process.js";
import { afterThis, until, workspace, write } from "./support.js";

/** Node cannot write through mapped memory; Python can, where it is installed. */
const hasPython = spawnSync("python3", ["-c", "import mmap"]).status === 0;

/** So many files in a folder. */
const many = (folder: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}/f${i}.ts`, "1"]));

/** File systems count in ticks of some milliseconds: in that of the first look nobody can tell before from after. */
async function nextTick(): Promise<void> {
  const [looked, clock] = [Date.now(), join(workspace({}), "clock")];
  const tick = () => {
    write(clock, "");
    return statSync(clock).mtimeMs;
  };
  await expect.poll(tick, { interval: 1 }).toBeGreaterThan(looked + 1);
}

function writeMapped(path: string): void {
  const script =
    "import mmap,sys; f=open(sys.argv[1],'r+b'); m=mmap.mmap(f.fileno(),0); m[0:2]=b'22'; m.flush()";
  execFileSync("python3", ["-c", script, path]);
}

async function watched(
  files: { [path: string]: string },
  deny: string[] = [],
  options: Partial<WatchOptions> = {},
) {
  const root = workspace(files);
  const context = { roots: [root], deny, env: {}, log: () => {} };
  const watch = new WorkspaceWatch(context, { ignoredWaitMs: 60_000, ...options });
  afterThis(() => watch.close());
  await watch.check();
  let cursor = watch.cursor;
  const look = async (isIgnored: boolean): Promise<{ [path: string]: number }> => {
    await watch.check();
    const found = watch.since(cursor, [root]).filter(({ ignored }) => ignored === isIgnored);
    return Object.fromEntries(found.map(({ path, type }) => [relative(root, path), type]));
  };
  /** What changed since the last check, without what git ignores. */
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

test("a check that just ended serves a question only when it began after it", async () => {
  const { root, watch } = await watched({ "a.ts": "1" });
  const { cursor } = watch;
  const asked = performance.now();
  await watch.check();
  write(join(root, "a.ts"), "2");
  await watch.check(asked);
  expect(watch.since(cursor)).toEqual([]);
  await watch.check(performance.now());
  expect(watch.since(cursor)).toMatchObject([{ path: join(root, "a.ts"), type: 2 }]);
});

test("a file that an event names has changed, also when it was written within a tick of the clock", async () => {
  let listener: WatchListener | undefined;
  const openEvents: OpenWatchSource = (_roots, given) => {
    listener = given;
    return { capacity: 1e9, add: () => true, remove: () => {}, drain: async () => {}, close: () => {} };
  };
  const { root, changes } = await watched({ "a.ts": "1" }, [], { openEvents });
  listener?.changed(join(root, "a.ts"));
  expect(await changes()).toEqual({ "a.ts": 2 });
});

test("an event that does not name its file has everything read again", async () => {
  const { watch: original } = fs;
  const listeners: ((event: string, name: string | null) => void)[] = [];
  const silent = (folder: string, options: fs.WatchOptions, listener: (typeof listeners)[number]) => {
    listeners.push(listener);
    return original(folder, options);
  };
  const restore = () => {
    Object.assign(fs, { watch: original });
    syncBuiltinESMExports();
  };
  afterThis(restore);
  Object.assign(fs, { watch: silent });
  syncBuiltinESMExports();
  const { root, changes } = await watched({ "src/a.ts": "1" });
  restore();
  write(join(root, "src/b.ts"), "1");
  expect(await changes()).toEqual({});
  listeners[0]?.("rename", null);
  expect(await changes()).toEqual({ "src/b.ts": 1 });
});

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

test("dependencies are marked, denied paths are left out; a changed .gitignore counts", async () => {
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

test("files that a changed .gitignore ignores or no longer ignores count as changed", async () => {
  const { root, watch, changes, ignored } = await watched({
    ".gitignore": "*.log\n",
    "x.log": "1",
    "src/y.log": "1",
    "a.ts": "1",
  });
  const files = () => [...watch.files([root])].map((path) => relative(root, path)).toSorted();
  expect(files()).toEqual([".gitignore", "a.ts"]);
  write(join(root, ".gitignore"), "");
  expect(await changes()).toEqual({ ".gitignore": 2, "x.log": 2, "src/y.log": 2 });
  expect(files()).toEqual([".gitignore", "a.ts", "src/y.log", "x.log"]);
  write(join(root, ".gitignore"), "*.log\n");
  expect(await ignored()).toEqual({ "x.log": 2, "src/y.log": 2 });
  expect(files()).toEqual([".gitignore", "a.ts"]);
});

test("files that are ignored later, and are too many then, have no events", async () => {
  const names = ["a.txt", "b.txt", "c.txt", "d.ts"];
  const start = Object.fromEntries(names.map((name) => [name, "1"]));
  const { root, watch, changes } = await watched(start, [], { ignoredFiles: 1 });
  const withEvents = () => names.filter((name) => watch.hasEvents(join(root, name)));
  expect(withEvents()).toEqual(names);
  const { cursor } = watch;
  write(join(root, ".gitignore"), "*.txt\n");
  await changes();
  // One of the three is within the limit.
  expect(withEvents()).toHaveLength(2);
  expect(withEvents()).toContain("d.ts");
  expect(watch.partlyWatchedFolders([root])).toEqual([root]);
  expect(watch.since(cursor).filter(({ type }) => type === 3)).toEqual([]);
});

describe("what git ignores", () => {
  const rules = { ".gitignore": "gen/\n*_pb.ts\n" };

  test("is watched, marked as ignored, and offered to no server", async () => {
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

  test.each<[string, Partial<WatchOptions>]>([
    ["files in one folder", { ignoredFiles: 30 }],
    ["folders in one folder", { ignoredFolders: 7 }],
  ])("is followed only at its top level when there are too many %s", async (_what, few) => {
    const { root, watch, ignored, changes } = await watched({ ...rules, ...many("gen/one", 3) }, [], few);
    expect(watch.partlyWatchedFolders([root])).toEqual([]);
    write(join(root, "gen/one/f0.ts"), "2");
    expect(await ignored()).toEqual({ "gen/one/f0.ts": 2 });
    for (let i = 0; i < 10; i++) {
      for (const path of Object.keys(many(`gen/more${i}`, 3))) write(join(root, path), "1");
    }
    // Nothing counts as deleted because it is no longer followed.
    expect(Object.values(await ignored())).not.toContain(3);
    expect(watch.partlyWatchedFolders([root])).toEqual([join(root, "gen")]);
    expect(watch.partlyWatchedFolders([join(root, "src")])).toEqual([]);
    rmSync(join(root, "gen"), { recursive: true });
    expect(new Set(Object.values(await ignored()))).toEqual(new Set([3]));
    expect(watch.partlyWatchedFolders([root])).toEqual([]);
    // It is followed again when it is created again.
    write(join(root, "gen/one/f0.ts"), "4");
    expect(await ignored()).toEqual({ "gen/one/f0.ts": 1 });
    write(join(root, "gen/one/f0.ts"), "5");
    expect(await ignored()).toEqual({ "gen/one/f0.ts": 2 });
    expect(await changes()).toEqual({});
  });

  test("a package that is added to, replaced in or removed from a node_modules that is too large is seen", async () => {
    const start = { ...many("node_modules/p", 30), ...many("node_modules/@s/old", 3) };
    const { root, watch, ignored } = await watched(start, [], { ignoredFiles: 30 });
    const modules = join(root, "node_modules");
    expect(watch.partlyWatchedFolders([root])).toEqual([modules]);
    write(join(modules, "q/i.d.ts"), "1");
    write(join(modules, "@s/new/i.d.ts"), "1");
    write(join(modules, ".package-lock.json"), "{}");
    expect(await ignored()).toEqual({
      "node_modules/q/i.d.ts": 1,
      "node_modules/@s/new/i.d.ts": 1,
      "node_modules/.package-lock.json": 1,
    });
    write(join(modules, "q/i.d.ts"), "2");
    rmSync(join(modules, "p"), { recursive: true });
    rmSync(join(modules, "@s/old"), { recursive: true });
    expect(await ignored()).toEqual({
      "node_modules/q/i.d.ts": 2,
      "node_modules/p": 3,
      "node_modules/@s/old": 3,
    });
    write(join(root, "staged/i.d.ts"), "1");
    rmSync(join(modules, "q"), { recursive: true });
    renameSync(join(root, "staged"), join(modules, "q"));
    expect(await ignored()).toMatchObject({ "node_modules/q/i.d.ts": 2 });
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
      expect(watch.partlyWatchedFolders([root])).toEqual([]);
    },
  );

  test("a change before a large folder was read for the first time is known once it is", async () => {
    const start = many("node_modules/p", 1_000);
    const { root, watch } = await watched(start, [], { ignoredWaitMs: 0 });
    const path = join(root, "node_modules/p/f999.ts");
    await nextTick();
    write(path, "2");
    const isKnown = async () => {
      await watch.check();
      return watch.since(0, [root]).some((change) => change.path === path && change.type === 2);
    };
    await expect.poll(isKnown, { timeout: 30_000 }).toBe(true);
    expect(watch.since(0, [root])).toHaveLength(1);
  });

  test("is checked in a folder that is too large where an answer showed it", async () => {
    const files = { ...rules, ...many("gen/seen", 8), ...many("gen/other", 30) };
    const { root, watch, ignored } = await watched(files, [], { ignoredFiles: 30 });
    write(join(root, "gen/seen/f0.ts"), "2");
    expect(await ignored()).toEqual({});
    watch.addShown(join(root, "gen/seen/f0.ts"));
    watch.addShown("/etc/hostname");
    expect(await ignored()).toEqual({});
    write(join(root, "gen/seen/f0.ts"), "3");
    write(join(root, "gen/other/f0.ts"), "2");
    expect(await ignored()).toEqual({ "gen/seen/f0.ts": 2 });
  });
});

describe("a file that an answer showed", () => {
  test("is seen to change through a hard link from elsewhere, without an event", async () => {
    const { root, watch, changes } = await watched({ "a.ts": "1" });
    const outside = workspace({});
    linkSync(join(root, "a.ts"), join(outside, "a"));
    await changes();
    watch.addShown(join(root, "a.ts"));
    write(join(outside, "a"), "22");
    expect(await changes()).toEqual({ "a.ts": 2 });
    expect(await changes()).toEqual({});
  });

  test.skipIf(!hasPython)("is seen to change through mapped memory, without an event", async () => {
    const { root, watch, changes } = await watched({ "a.ts": "1111" });
    await changes();
    watch.addShown(join(root, "a.ts"));
    await changes();
    writeMapped(join(root, "a.ts"));
    expect((await changes())["a.ts"]).toBe(2);
  });

  test("is noticed when it is added and removed", async () => {
    const { root, watch, changes } = await watched({ "a.ts": "1" });
    watch.addShown(join(root, "a.ts"));
    unlinkSync(join(root, "a.ts"));
    expect(await changes()).toEqual({ "a.ts": 3 });
    write(join(root, "a.ts"), "2");
    expect(await changes()).toEqual({ "a.ts": 1 });
  });

  test("is seen to change where there are too many files to watch", async () => {
    const { root, watch } = await watched(many("src", 80), [], { files: 5 });
    const paths = [...Array(20).keys()].map((number) => join(root, `src/f${number}.ts`));
    for (const path of paths) watch.addShown(path);
    const { cursor } = watch;
    for (const path of paths) write(path, "22");
    await watch.check();
    const seen = watch.since(cursor, [root]).map(({ path }) => path);
    expect(seen.toSorted()).toEqual(paths.toSorted());
  });

  test("is dropped when there are too many of them", async () => {
    const { root, watch, changes } = await watched({ "a.ts": "1", "b.ts": "1" }, [], { shownFiles: 1 });
    const outside = workspace({});
    linkSync(join(root, "a.ts"), join(outside, "a"));
    await changes();
    watch.addShown(join(root, "a.ts"));
    watch.addShown(join(root, "b.ts"));
    write(join(outside, "a"), "22");
    expect(await changes()).toEqual({});
  });
});

test("a root that is replaced by another is followed with all that is in it", async () => {
  const { root, changes } = await watched({ "a.ts": "1", "sub/b.ts": "1", "sub/in/c.ts": "1" });
  await changes();
  renameSync(root, `${root}-old`);
  afterThis(() => rmSync(`${root}-old`, { recursive: true, force: true }));
  for (const name of ["a.ts", "sub/b.ts", "sub/in/c.ts"]) write(join(root, name), "22");
  expect(Object.keys(await changes()).toSorted()).toEqual(["a.ts", "sub/b.ts", "sub/in/c.ts"]);
  for (const name of ["a.ts", "sub/b.ts", "sub/in/c.ts"]) {
    expect(await changes()).toEqual({});
    write(join(root, name), "333");
    expect(await changes()).toEqual({ [name]: 2 });
  }
});

test("a root that is deleted and made again, under the same number if the system likes, is followed", async () => {
  const { root, changes } = await watched({ "a.ts": "1" });
  await changes();
  rmSync(root, { recursive: true });
  write(join(root, "a.ts"), "22");
  expect(await changes()).toEqual({ "a.ts": 2 });
  expect(await changes()).toEqual({});
  write(join(root, "a.ts"), "333");
  expect(await changes()).toEqual({ "a.ts": 2 });
});

test("more files than are followed: hasUnwatchedFiles says so, of this root only", async () => {
  const { root, watch } = await watched({ "a/1.ts": "", "a/2.ts": "", "b/3.ts": "" }, [], { files: 2 });
  expect(watch.hasUnwatchedFiles([root])).toBe(true);
  expect(watch.hasUnwatchedFiles([join(root, "a")])).toBe(true);
  expect(watch.hasUnwatchedFiles([workspace({})])).toBe(false);
  const { watch: other, root: otherRoot } = await watched({ "a/1.ts": "" }, [], { files: 2 });
  expect(other.hasUnwatchedFiles([otherRoot])).toBe(false);
});

describe("where there are no events", () => {
  const none: OpenWatchSource = () => ({
    ...{ capacity: 0, add: () => false, remove: () => {}, drain: async () => {}, close: () => {} },
  });

  test("hasUnwatchedFiles says so, and a background scan finds every change", async () => {
    const options = { openEvents: none, rescanMs: 20 };
    const { root, watch } = await watched({ "a.ts": "1", "src/b.ts": "1", "src/c.ts": "1" }, [], options);
    expect(watch.hasUnwatchedFiles([root])).toBe(true);
    const { cursor } = watch;
    write(join(root, "a.ts"), "22");
    write(join(root, "src/new/d.ts"), "1");
    unlinkSync(join(root, "src/b.ts"));
    const seen = () =>
      Object.fromEntries(watch.since(cursor, [root]).map(({ path, type }) => [relative(root, path), type]));
    await expect.poll(seen, { timeout: 20_000 }).toEqual({ "a.ts": 2, "src/new/d.ts": 1, "src/b.ts": 3 });
  });

  test("a background scan that fails is logged and tried again", async () => {
    const root = workspace({ "a.ts": "1" });
    let failures = 0;
    const openEvents: OpenWatchSource = (roots, listener) => ({
      ...none(roots, listener),
      add: () => {
        if (logged.length > 0 && failures++ < 2) throw new RangeError("no watch");
        return false;
      },
    });
    const logged: string[] = [];
    const log = (level: string, message: string) => logged.push(`${level} ${message}`);
    const watch = new WorkspaceWatch({ roots: [root], deny: [], env: {}, log }, { openEvents, rescanMs: 20 });
    afterThis(() => watch.close());
    await watch.check();
    const { cursor } = watch;
    write(join(root, "a.ts"), "22");
    await expect.poll(() => watch.since(cursor, [root]).length, { timeout: 20_000 }).toBe(1);
    const failed = "warn a background scan failed; it is tried again";
    expect(logged).toEqual(["warn not all files are watched", failed, failed]);
  });

  test("a check lists no folder", async () => {
    const { root, watch } = await watched(many("src", 20), [], { openEvents: none, rescanMs: 600_000 });
    const { cursor } = watch;
    write(join(root, "src/f1.ts"), "22");
    await watch.check();
    expect(watch.since(cursor, [root])).toEqual([]);
  });

  test("so it is on a network file system, and where that cannot be found out", async () => {
    const { statfsSync } = fs;
    const restore = () => {
      Object.assign(fs, { statfsSync });
      syncBuiltinESMExports();
    };
    afterThis(restore);
    const hasUnwatchedFilesOn = async (type: number) => {
      Object.assign(fs, { statfsSync: () => ({ type }) });
      syncBuiltinESMExports();
      const { root, watch } = await watched({ "a.ts": "1" });
      const hasUnwatched = watch.hasUnwatchedFiles([root]);
      expect(watch.hasEvents(join(root, "a.ts"))).toBe(!hasUnwatched);
      expect(watch.isUpToDate(join(root, "a.ts"))).toBe(!hasUnwatched);
      return hasUnwatched;
    };
    const ext4 = 0xef53;
    const [nfs, cifs, signedCifs] = [0x6969, 0xff534d42, 0xff534d42 | 0];
    expect(await hasUnwatchedFilesOn(ext4)).toBe(false);
    for (const type of [nfs, cifs, signedCifs]) expect(await hasUnwatchedFilesOn(type)).toBe(true);
    restore();
    expect([workspace({}), join(workspace({}), "none")].map(isOnNetwork)).toEqual([false, true]);
  });

  test("a folder that could not be watched is watched as soon as it can be", async () => {
    let isFull = true;
    const openEvents: OpenWatchSource = (_roots, listener) => {
      const source = new SystemWatches(listener);
      const add = (folder: string) => !isFull && source.add(folder);
      return {
        capacity: 9_999,
        add,
        remove: () => {},
        drain: () => source.drain(),
        close: () => source.close(),
      };
    };
    const { root, watch, changes } = await watched({ "src/a.ts": "1" }, [], { openEvents, rescanMs: 20 });
    expect(watch.hasUnwatchedFiles([root])).toBe(true);
    isFull = false;
    await expect.poll(() => watch.hasUnwatchedFiles([root]), { timeout: 20_000 }).toBe(false);
    await changes();
    write(join(root, "src/a.ts"), "2");
    expect(await changes()).toEqual({ "src/a.ts": 2 });
  });

  test("a watch that fails later counts as none", async () => {
    let listener: WatchListener | undefined;
    const openEvents: OpenWatchSource = (_roots, given) => {
      listener = given;
      return new SystemWatches(given);
    };
    const { root, watch } = await watched({ "src/a.ts": "1" }, [], { openEvents });
    expect(watch.hasUnwatchedFiles([root])).toBe(false);
    listener?.unwatched(join(root, "src"));
    expect(watch.hasUnwatchedFiles([root])).toBe(true);
  });
});

describe("what fails unexpectedly", () => {
  /** Watches like the real one; `fail` is called first and may throw. */
  const failing =
    (fail: { add?: (folder: string) => void; drain?: () => void }): OpenWatchSource =>
    (_roots, listener) => {
      const source = new SystemWatches(listener);
      return {
        capacity: 9_999,
        add: (folder) => {
          fail.add?.(folder);
          return source.add(folder);
        },
        remove: (folder) => source.remove(folder),
        drain: async () => {
          fail.drain?.();
          await source.drain();
        },
        close: () => source.close(),
      };
    };

  test("an ignored folder that cannot be read in the background counts as not watched, and is reported", async () => {
    const root = workspace({ ".gitignore": "gen/\n", "a.ts": "1", "gen/deep/b.ts": "1" });
    const logged: string[] = [];
    const log = (level: string, message: string) => logged.push(`${level} ${message}`);
    const add = (folder: string) => {
      if (folder.endsWith("deep")) throw new RangeError("no watch");
    };
    const options = { openEvents: failing({ add }), ignoredWaitMs: 60_000 };
    const watch = new WorkspaceWatch({ roots: [root], deny: [], env: {}, log }, options);
    afterThis(() => watch.close());
    await watch.check();
    expect(watch.partlyWatchedFolders([root])).toEqual([join(root, "gen")]);
    expect(logged).toEqual(["warn a folder could not be read; it is not watched completely"]);
    const { cursor } = watch;
    write(join(root, "a.ts"), "22");
    await watch.check();
    expect(watch.since(cursor, [root]).map(({ path }) => relative(root, path))).toContain("a.ts");
  });

  test.each(["events named", "lost events left"])(
    "what %s is read after a check that failed",
    async (what) => {
      let listener: WatchListener | undefined;
      let isBroken = false;
      const openEvents: OpenWatchSource = (_roots, given) => {
        listener = given;
        const add = () => {
          if (isBroken) throw new RangeError("broken");
          return true;
        };
        return { capacity: 1e9, add, remove: () => {}, drain: async () => {}, close: () => {} };
      };
      const { root, watch, changes } = await watched({ "a.ts": "1" }, [], { openEvents });
      isBroken = true;
      write(join(root, "new/b.ts"), "1");
      if (what === "events named") listener?.changed(join(root, "new/b.ts"));
      else listener?.lost();
      await expect(watch.check()).rejects.toThrow("broken");
      expect(watch.isUpToDate(join(root, "a.ts"))).toBe(false);
      isBroken = false;
      expect(await changes()).toEqual({ "new/b.ts": 1 });
    },
  );

  test("a check fails alone, not those that wait for it", async () => {
    let isBroken = false;
    const drain = () => {
      if (isBroken) throw new RangeError("broken");
    };
    const { watch, changes, root } = await watched({ "a.ts": "1" }, [], { openEvents: failing({ drain }) });
    isBroken = true;
    const first = watch.check();
    const second = watch.check();
    const failed = expect(first).rejects.toThrow("broken");
    isBroken = false;
    await failed;
    await second;
    write(join(root, "a.ts"), "22");
    expect(await changes()).toEqual({ "a.ts": 2 });
  });
});

describe("a folder that cannot be read for a while", () => {
  const unread = "warn a folder could not be read; it is not watched completely";

  test("because too many files are open: nothing in it counts as deleted, and it is followed again", async () => {
    const root = workspace({ ".gitignore": "gen/\n", "a.ts": "1", "src/b.ts": "1" });
    // A changed `.gitignore` has every folder listed again.
    const { stdout } = await printedIn(
      "lsp/watch",
      `import { closeSync, openSync, writeFileSync } from "node:fs";
      import { WorkspaceWatch } from "./workspace-watch.js";
      const root = ${JSON.stringify(root)};
      const logged = [];
      const log = (level, message, { cause }) => logged.push(level + " " + message + " " + cause);
      const watch = new WorkspaceWatch({ roots: [root], deny: [], env: {}, log }, { rescanMs: 20 });
      const changes = (since) => watch.since(since).map(({ path, type }) => [path.slice(root.length + 1), type]);
      void (async () => {
        await watch.check();
        const { cursor } = watch;
        writeFileSync(root + "/.gitignore", "other/\\n");
        const open = [];
        for (;;) {
          try {
            open.push(openSync("/dev/null"));
          } catch {
            break;
          }
        }
        await watch.check();
        const failed = { changes: changes(cursor), partlyWatched: watch.partlyWatchedFolders([root]) };
        const isUpToDate = watch.isUpToDate(root + "/a.ts");
        for (const file of open) closeSync(file);
        while (watch.partlyWatchedFolders([root]).length > 0) await new Promise((done) => setTimeout(done, 10));
        const next = watch.cursor;
        writeFileSync(root + "/src/b.ts", "22");
        await watch.check();
        console.log(JSON.stringify({ ...failed, isUpToDate, logged, after: changes(next) }));
        watch.close();
      })();`,
      { openFiles: 100 },
    );
    expect(JSON.parse(stdout)).toEqual({
      changes: [[".gitignore", 2]],
      partlyWatched: [root],
      isUpToDate: false,
      logged: [`${unread} EMFILE`],
      after: [["src/b.ts", 2]],
    });
  });

  /** Makes every stat of these entries fail, as on a broken disk. */
  function breakStat(path: string): () => void {
    const { lstat } = fs.promises;
    const replace = (used: typeof lstat) => {
      Object.assign(fs.promises, { lstat: used });
      syncBuiltinESMExports();
    };
    const failing = async (given: string) => {
      if (given === path) throw Object.assign(new Error("broken"), { code: "EIO" });
      return lstat(given);
    };
    replace(failing as typeof lstat);
    const restore = () => replace(lstat);
    afterThis(restore);
    return restore;
  }

  test.each(["a.ts", "in"])("or an entry of it, here %s", async (name) => {
    const options = { rescanMs: 20 };
    const { root, watch, changes } = await watched({ "src/a.ts": "1", "src/in/b.ts": "1" }, [], options);
    const restore = breakStat(join(root, "src", name));
    // Events name both entries.
    utimesSync(join(root, "src/in"), 1, 1);
    write(join(root, "src/a.ts"), "22");
    expect(Object.values(await changes())).not.toContain(3);
    expect(watch.partlyWatchedFolders([root])).toEqual([join(root, "src")]);
    restore();
    await expect.poll(() => watch.partlyWatchedFolders([root])).toEqual([]);
    await changes();
    write(join(root, "src/in/b.ts"), "22");
    expect(await changes()).toEqual({ "src/in/b.ts": 2 });
  });
});

describe("everything around a file is known", () => {
  test("after a check, until an event comes or events are lost", async () => {
    let listener: WatchListener | undefined;
    const openEvents: OpenWatchSource = (_roots, given) => {
      listener = given;
      return { capacity: 1e9, add: () => true, remove: () => {}, drain: async () => {}, close: () => {} };
    };
    const { root, watch } = await watched({ "src/a.ts": "1" }, [], { openEvents });
    const file = join(root, "src/a.ts");
    expect(watch.isUpToDate(file)).toBe(true);
    for (const happen of [() => listener?.changed(join(root, "b.ts")), () => listener?.lost()]) {
      happen();
      expect(watch.isUpToDate(file)).toBe(false);
      const checked = watch.check();
      expect(watch.isUpToDate(file)).toBe(false);
      await checked;
      expect(watch.isUpToDate(file)).toBe(true);
    }
    listener?.unwatched(root);
    expect(watch.isUpToDate(file)).toBe(false);
  });

  test("not before the first check, and not of a file outside the roots", async () => {
    const root = workspace({ "a.ts": "1" });
    const watch = new WorkspaceWatch({ roots: [root], deny: [], env: {}, log: () => {} });
    afterThis(() => watch.close());
    expect(watch.isUpToDate(join(root, "a.ts"))).toBe(false);
    await watch.check();
    expect(watch.isUpToDate(join(root, "a.ts"))).toBe(true);
    expect(watch.isUpToDate(join(workspace({ "a.ts": "1" }), "a.ts"))).toBe(false);
  });

  test("not where too many files are to be watched", async () => {
    const { root, watch } = await watched(many("src", 3), [], { files: 1 });
    const known = [...watch.files([root])];
    expect(known).toHaveLength(1);
    expect(known.map((path) => watch.isUpToDate(path))).toEqual([false]);
  });
});

describe("with one recursive watch, as on macOS and Windows", () => {
  /** The events of a test, given by hand: they may be few, late, or only about what is inside a new folder. */
  async function recursive(files: { [path: string]: string }, options: Partial<WatchOptions> = {}) {
    let listener: WatchListener | undefined;
    const openEvents: OpenWatchSource = (_roots, given) => {
      listener = given;
      return { capacity: 1e9, add: () => true, remove: () => {}, drain: async () => {}, close: () => {} };
    };
    const opened = await watched(files, [], { ...options, openEvents });
    const tell = (...names: string[]) => {
      for (const name of names) listener?.changed(join(opened.root, name));
    };
    return { ...opened, tell, lose: () => listener?.lost() };
  }

  test("what events name is read, and nothing else", async () => {
    const { root, changes, tell } = await recursive({ "a.ts": "1", "src/b.ts": "1", "src/c.ts": "1" });
    write(join(root, "a.ts"), "2");
    write(join(root, "src/c.ts"), "2");
    unlinkSync(join(root, "src/b.ts"));
    tell("a.ts", "src/b.ts");
    expect(await changes()).toEqual({ "a.ts": 2, "src/b.ts": 3 });
    tell("src/c.ts", "src/never.ts", "", "../outside.ts");
    expect(await changes()).toEqual({ "src/c.ts": 2 });
  });

  test("an event of a file in a folder that is not known yet brings the whole folder", async () => {
    const { root, changes, tell } = await recursive({ "a.ts": "1" });
    write(join(root, "new/deep/b.ts"), "1");
    write(join(root, "new/c.ts"), "1");
    tell("new/deep/b.ts");
    expect(await changes()).toEqual({ "new/deep/b.ts": 1, "new/c.ts": 1 });
    tell("new");
    expect(await changes()).toEqual({});
  });

  test("a folder that is renamed, deleted or replaced brings everything in it", async () => {
    const { root, changes, tell } = await recursive({ "src/a.ts": "1", "old/b.ts": "1", "other/a.ts": "22" });
    renameSync(join(root, "old"), join(root, "new"));
    tell("old", "new");
    expect(await changes()).toEqual({ "old/b.ts": 3, "new/b.ts": 1 });
    rmSync(join(root, "src"), { recursive: true });
    renameSync(join(root, "other"), join(root, "src"));
    tell("src", "other");
    expect(await changes()).toEqual({ "src/a.ts": 2, "other/a.ts": 3 });
  });

  test("an event inside a folder that is too large to be followed is passed over", async () => {
    const files = { ...many("node_modules/p/lib", 30), "a.ts": "1" };
    const { root, watch, ignored, tell } = await recursive(files, { ignoredFiles: 30 });
    expect(watch.partlyWatchedFolders([root])).toEqual([join(root, "node_modules")]);
    write(join(root, "node_modules/p/lib/f1.ts"), "22");
    tell("node_modules/p/lib/f1.ts");
    expect(await ignored()).toEqual({});
    write(join(root, "node_modules/q/lib/a.ts"), "1");
    tell("node_modules/q/lib/a.ts");
    expect(await ignored()).toEqual({ "node_modules/q/lib/a.ts": 1 });
  });

  test("after more events than are kept everything is read again", async () => {
    const { root, changes, tell } = await recursive({ "a.ts": "1", "src/b.ts": "1" });
    tell(...Array.from({ length: 20_000 }, (_, index) => `gone/${index}`));
    write(join(root, "src/b.ts"), "2");
    tell("src/b.ts");
    expect(await changes()).toEqual({ "src/b.ts": 2 });
  });

  test("after lost events everything is read again", async () => {
    const { root, changes, lose } = await recursive({ "a.ts": "1", "src/b.ts": "1" });
    write(join(root, "src/b.ts"), "2");
    write(join(root, "src/new/c.ts"), "2");
    unlinkSync(join(root, "a.ts"));
    lose();
    expect(await changes()).toEqual({ "a.ts": 3, "src/b.ts": 2, "src/new/c.ts": 1 });
  });

  test("Node's own recursive watch reports files in new folders", async () => {
    const openEvents: OpenWatchSource = (roots, listener) => new SystemWatches(listener, roots);
    const { root, watch } = await watched({ "src/a.ts": "1" }, [], { openEvents });
    expect(watch.hasUnwatchedFiles([root])).toBe(false);
    const seen = async (name: string) => {
      await watch.check();
      return watch.since(0, [root]).find(({ path }) => path === join(root, name))?.type;
    };
    write(join(root, "src/a.ts"), "2");
    write(join(root, "src/new/b.ts"), "1");
    await expect.poll(() => seen("src/a.ts")).toBe(2);
    await expect.poll(() => seen("src/new/b.ts")).toBe(1);
  });
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

test("a switch to a branch with 1 000 other files is read in one check", async () => {
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

describe("while the workspace is read for the first time", () => {
  /** Makes every stat of one entry wait for `unblock`; `isAlone` says whether only these stats are under way. */
  function blockStat(name: string) {
    const { lstat } = fs.promises;
    let unblock = () => {};
    const promise = new Promise<void>((done) => {
      unblock = done;
    });
    let [isReached, others] = [false, 0];
    const blocking = async (path: string) => {
      if (path.endsWith(name)) {
        isReached = true;
        await promise;
        return lstat(path);
      }
      others++;
      return lstat(path).finally(() => others--);
    };
    Object.assign(fs.promises, { lstat: blocking });
    syncBuiltinESMExports();
    afterThis(() => {
      Object.assign(fs.promises, { lstat });
      syncBuiltinESMExports();
    });
    return { unblock, isAlone: () => isReached && others === 0 };
  }

  /** A first check that does not end before the ignored folder is read, as far as it can be. */
  async function begun(name: string) {
    const root = workspace({ ".gitignore": "gen/\n", ...many("gen", 3) });
    const { unblock, isAlone } = blockStat(name);
    const watch = new WorkspaceWatch(
      { roots: [root], deny: [], env: {}, log: () => {} },
      { ignoredWaitMs: 50 },
    );
    afterThis(() => watch.close());
    const first = watch.check();
    await until(isAlone);
    await nextTick();
    const changes = async () => {
      await first;
      await watch.check();
      return watch.since(0, [root]).map(({ path, type }) => [relative(root, path), type]);
    };
    return { root, unblock, changes };
  }

  test("a file that is written before its folder is watched is known", async () => {
    const { root, unblock, changes } = await begun("/gen");
    write(join(root, "gen/f1.ts"), "2");
    unblock();
    await expect.poll(changes).toEqual([["gen/f1.ts", 2]]);
  });

  test("a file that is written after it was read, before its folder was, is known", async () => {
    const { root, unblock, changes } = await begun("/gen/f2.ts");
    write(join(root, "gen/f1.ts"), "2");
    expect(await changes()).toEqual([]);
    unblock();
    await expect.poll(changes).toEqual([["gen/f1.ts", 2]]);
  });
});

test("a check begins after it was asked for, however long another one takes", async () => {
  let listener: WatchListener | undefined;
  const openEvents: OpenWatchSource = (_roots, given) => {
    listener = given;
    return { capacity: 1e9, add: () => true, remove: () => {}, drain: async () => {}, close: () => {} };
  };
  const { root, watch } = await watched(many("src", 500), [], { openEvents });
  const { cursor } = watch;
  listener?.lost();
  const long = watch.check();
  for (let turn = 0; turn < 3; turn++) await new Promise((done) => setImmediate(done));
  write(join(root, "new.ts"), "1");
  listener?.changed(join(root, "new.ts"));
  await watch.check();
  expect(watch.since(cursor, [root])).toHaveLength(1);
  await long;
});

test("two callers get what happened before each of them", async () => {
  const { root, watch } = await watched({ "a.ts": "1" });
  const cursor = watch.cursor;
  write(join(root, "a.ts"), "2");
  const first = watch.check();
  mkdirSync(join(root, "n"));
  write(join(root, "n/b.ts"), "1");
  await Promise.all([first, watch.check()]);
  expect(watch.since(cursor, [root])).toHaveLength(2);
  expect(watch.since(cursor, [join(root, "n")])).toHaveLength(1);
});
