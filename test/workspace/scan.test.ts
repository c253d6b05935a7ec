import { describe, expect, test } from "vitest";
import { scanWorkspace } from "../../src/workspace/scan.js";
import { memoryFiles } from "../config/memory-files.js";

const user = { env: {}, home: "/home/me" };
const scan = (contents: { [path: string]: string }, root = "/w") =>
  scanWorkspace(root, memoryFiles(contents), user);

describe("scanning", () => {
  test("counts extensions and names, and skips what git and npm own", async () => {
    const found = await scan({
      "/w/a.ts": "",
      "/w/src/b.TS": "",
      "/w/src/Dockerfile": "",
      "/w/.git/c.ts": "",
      "/w/.jj/c.ts": "",
      "/w/node_modules/x/d.ts": "",
      "/w/noext.": "",
    });
    expect([...found.extensions]).toEqual([["ts", 2]]);
    expect(found.filenames.get("Dockerfile")).toBe(1);
    expect(found.cut).toBe(false);
  });

  test("counts nothing that was installed or built, whatever git ignores", async () => {
    const found = await scan({
      "/w/pyvenv.cfg": "",
      "/w/a.py": "",
      "/w/.venv/pyvenv.cfg": "home = /usr/bin\n",
      "/w/.venv/lib/python3.11/site-packages/x/y.py": "",
      "/w/.venv/lib/python3.11/site-packages/x/locale/de.mo": "",
      "/w/api/any-name/pyvenv.cfg": "",
      "/w/api/any-name/lib/z.py": "",
      "/w/env/conda-meta/history": "",
      "/w/env/lib/z.py": "",
      "/w/target/CACHEDIR.TAG": "",
      "/w/target/debug/build.rs": "",
      "/w/vendor/modules.txt": "",
      "/w/vendor/example.com/x.go": "",
      "/w/lib/modules.txt": "",
      "/w/lib/b.go": "",
    });
    expect(Object.fromEntries(found.extensions)).toEqual({ cfg: 1, py: 1, txt: 1, go: 1 });
  });

  test("counts no other worktree of the repository, but submodules and other repositories", async () => {
    const contents = {
      "/w/.git/HEAD": "ref: refs/heads/main\n",
      "/w/.git/worktrees/x/commondir": "../..\n",
      "/w/a.ts": "",
      "/w/.claude/worktrees/x/.git": "gitdir: /w/.git/worktrees/x\n",
      "/w/.claude/worktrees/x/a.ts": "",
      "/w/lib/.git": "gitdir: ../.git/modules/lib\n",
      "/w/lib/b.py": "",
      "/o/.git/worktrees/y/commondir": "../..\n",
      "/w/other/.git": "gitdir: /o/.git/worktrees/y\n",
      "/w/other/c.rs": "",
    };
    const all = await scan(contents);
    expect(Object.fromEntries(all.extensions)).toMatchObject({ ts: 1, py: 1, rs: 1 });
    const inside = await scan(contents, "/w/.claude/worktrees/x");
    expect(inside.extensions.get("ts")).toBe(1);
  });

  test("honours .gitignore, also nested ones and exceptions", async () => {
    const found = await scan({
      "/w/.gitignore": "/out\n*.log\n!keep.log\n",
      "/w/out/a.py": "",
      "/w/sub/out/b.py": "",
      "/w/sub/.gitignore": "*.rs\n!/x.log\n",
      "/w/sub/c.rs": "",
      "/w/sub/deep/d.rs": "",
      "/w/e.rs": "",
      "/w/x.log": "",
      "/w/sub/x.log": "",
      "/w/keep.log": "",
    });
    expect(Object.fromEntries(found.extensions)).toEqual({ py: 1, rs: 1, log: 2, gitignore: 2 });
  });

  test("honours what git ignores above the workspace, the repository's excludes and the user's", async () => {
    const files = {
      "/r/.git/HEAD": "ref: refs/heads/main\n",
      "/r/.git/info/exclude": "*.local.ts\n",
      "/home/me/.gitconfig": "[user]\n\tname = x\n[core]\n\texcludesFile = ~/.ignored\n",
      "/home/me/.ignored": "scratch/\n",
      "/r/.gitignore": "dist/\n/packages/web/gen\n",
      "/r/packages/.gitignore": "*.tmp.ts\n",
      "/r/packages/web/a.ts": "",
      "/r/packages/web/a.local.ts": "",
      "/r/packages/web/a.tmp.ts": "",
      "/r/packages/web/gen/b.ts": "",
      "/r/packages/web/sub/gen/b.ts": "",
      "/r/packages/web/dist/c.ts": "",
      "/r/packages/web/scratch/d.ts": "",
    };
    expect(Object.fromEntries((await scan(files, "/r/packages/web")).extensions)).toEqual({ ts: 2 });
    // An ignored folder that is named is meant.
    expect((await scan(files, "/r/packages/web/dist")).extensions.get("ts")).toBe(1);
    const tree = {
      "/t/.git": "gitdir: /r/.git/worktrees/t\n",
      "/r/.git/worktrees/t/commondir": "../..\n",
      "/r/.git/info/exclude": "*.local.ts\n",
      "/home/me/.config/git/ignore": "*.own.ts\n",
      "/t/a.ts": "",
      "/t/a.local.ts": "",
      "/t/a.own.ts": "",
    };
    expect((await scan(tree, "/t")).extensions.get("ts")).toBe(1);
  });

  test("is bounded, but neither deep folders, nor ignored files, nor one vast folder hide a project", async () => {
    const vast = Object.fromEntries(Array.from({ length: 50_100 }, (_, i) => [`/w/aa/${i}.py`, ""]));
    const found = await scan({ ...vast, "/w/zz/go.mod": "", "/w/zz/main.go": "" });
    expect(found.cut).toBe(true);
    expect([found.extensions.get("py"), found.extensions.get("go")]).toEqual([50_000, 1]);
    const data = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`/w/data/${i}.tmp`, ""]));
    const ignored = await scan({ ...data, "/w/.gitignore": "*.tmp\n", "/w/src/main.go": "" });
    expect([ignored.cut, ignored.extensions.get("go"), ignored.extensions.get("tmp")]).toEqual([
      false,
      1,
      undefined,
    ]);
    const deep = await scan({ [`/w/${"d/".repeat(20)}X.java`]: "" });
    expect([deep.cut, deep.extensions.get("java")]).toEqual([false, 1]);
    expect((await scan({ [`/w/${"d/".repeat(70)}X.java`]: "" })).cut).toBe(true);
  });

  test("others have their turns meanwhile", async () => {
    const files = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`/w/${i % 100}/${i}.py`, ""]));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const found = await scan(files);
    clearInterval(timer);
    expect(found.extensions.get("py")).toBe(10_000);
    expect(turns).toBeGreaterThan(0);
  });
});
