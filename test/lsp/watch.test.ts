/** What changed on disk is known at the next look, without waiting and whoever changed it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { WorkspaceWatch } from "../../src/lsp/watch.js";
import { afterThis, workspace, write } from "./support.js";

async function watched(files: { [path: string]: string }, deny: string[] = []) {
  const root = workspace(files);
  const watch = new WorkspaceWatch([root], deny, () => {});
  afterThis(() => watch.close());
  await watch.refresh();
  let cursor = watch.cursor;
  const changes = async (): Promise<{ [path: string]: number }> => {
    await watch.refresh();
    const found = watch.since(cursor, [root]).map(({ path, type }) => [relative(root, path), type]);
    cursor = watch.cursor;
    return Object.fromEntries(found);
  };
  return { root, watch, changes };
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

test("what git ignores, node_modules and denied paths are left out; a changed .gitignore counts", async () => {
  const { root, watch, changes } = await watched(
    {
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
  expect([...watch.files([root])].map((path) => relative(root, path))).not.toContain("secret/x.ts");
});

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
