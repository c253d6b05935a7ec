import { describe, expect, test } from "vitest";
import { chooseServers, languagesHere, proposeServers } from "../../src/config/detect.js";
import { diskFiles } from "../../src/config/files.js";
import { loadConfig } from "../../src/config/load.js";
import type { PresetFacts } from "../../src/config/preset-index.js";
import { scanInTurns, scanWorkspace } from "../../src/config/scan.js";
import { memoryFiles, request, SHIPPED } from "./memory-files.js";

const person = { env: {}, home: "/home/me" };
const scan = (contents: { [path: string]: string }, root = "/w") =>
  scanWorkspace(root, memoryFiles(contents), person);

describe("scanning", () => {
  test("counts extensions and names, and skips what git and npm own", () => {
    const found = scan({
      "/w/a.ts": "",
      "/w/src/b.TS": "",
      "/w/src/Dockerfile": "",
      "/w/.git/c.ts": "",
      "/w/node_modules/x/d.ts": "",
      "/w/noext.": "",
    });
    expect([...found.extensions]).toEqual([["ts", 2]]);
    expect(found.filenames.get("Dockerfile")).toBe(1);
    expect(found.cut).toBe(false);
  });

  test("honours .gitignore, also nested ones and exceptions", () => {
    const found = scan({
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

  test("honours what git ignores above the workspace, the repository's excludes and the person's", () => {
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
    expect(Object.fromEntries(scan(files, "/r/packages/web").extensions)).toEqual({ ts: 2 });
    // Whoever names an ignored folder means it.
    expect(scan(files, "/r/packages/web/dist").extensions.get("ts")).toBe(1);
    const tree = {
      "/t/.git": "gitdir: /r/.git/worktrees/t\n",
      "/r/.git/worktrees/t/commondir": "../..\n",
      "/r/.git/info/exclude": "*.local.ts\n",
      "/home/me/.config/git/ignore": "*.own.ts\n",
      "/t/a.ts": "",
      "/t/a.local.ts": "",
      "/t/a.own.ts": "",
    };
    expect(scan(tree, "/t").extensions.get("ts")).toBe(1);
  });

  test("is bounded, but neither deep folders, nor ignored files, nor one vast folder hide a project", () => {
    const vast = Object.fromEntries(Array.from({ length: 50_100 }, (_, i) => [`/w/aa/${i}.py`, ""]));
    const found = scan({ ...vast, "/w/zz/go.mod": "", "/w/zz/main.go": "" });
    expect(found.cut).toBe(true);
    expect([found.extensions.get("py"), found.extensions.get("go")]).toEqual([50_000, 1]);
    const data = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`/w/data/${i}.tmp`, ""]));
    const ignored = scan({ ...data, "/w/.gitignore": "*.tmp\n", "/w/src/main.go": "" });
    expect([ignored.cut, ignored.extensions.get("go"), ignored.extensions.get("tmp")]).toEqual([
      false,
      1,
      undefined,
    ]);
    const deep = scan({ [`/w/${"d/".repeat(20)}X.java`]: "" });
    expect([deep.cut, deep.extensions.get("java")]).toEqual([false, 1]);
    expect(scan({ [`/w/${"d/".repeat(70)}X.java`]: "" }).cut).toBe(true);
  });

  test("in turns it finds the same, and lets others have theirs", async () => {
    const files = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`/w/${i % 100}/${i}.py`, ""]));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const found = await scanInTurns("/w", memoryFiles(files), person);
    clearInterval(timer);
    expect(found).toEqual(scan(files));
    expect(turns).toBeGreaterThan(0);
  });
});

describe("choosing", () => {
  const presets: PresetFacts[] = [
    { id: "low", rank: 1, extensions: ["ts", "vue"] },
    { id: "high", rank: 2, extensions: ["ts", "js"] },
    { id: "docker", filenames: ["Dockerfile"] },
    { id: "unused", extensions: ["zig"] },
    { id: "lint", companion: true, extensions: ["ts", "lint"] },
  ];
  const found = scan({ "/w/a.ts": "", "/w/Dockerfile": "" });

  test("the installed preset with the highest rank, for what is there", () => {
    expect(chooseServers(found, presets, () => true)).toEqual({
      servers: [
        { id: "docker", kind: "docker" },
        { id: "high", kind: "high" },
      ],
    });
    expect(chooseServers(found, presets, ({ id }) => id === "low")).toEqual({
      servers: [{ id: "low", kind: "low" }],
    });
    expect(chooseServers(found, presets, () => false)).toEqual({ servers: [] });
  });

  test("a companion is never chosen, not even for files that nobody else claims", () => {
    const lone = scan({ "/w/a.lint": "" });
    expect(chooseServers(lone, presets, () => true)).toEqual({ servers: [] });
  });

  test("two chosen servers never claim the same files", () => {
    const both = scan({ "/w/a.ts": "", "/w/b.vue": "" });
    expect(chooseServers(both, presets, () => true)).toEqual({
      servers: [
        { id: "high", kind: "high" },
        { id: "low", kind: "low", extensions: ["vue"], filenames: [] },
      ],
    });
  });

  test("asks only about programs that would be used, and the presets' order does not show", () => {
    const asked: string[] = [];
    const isInstalled = ({ id }: PresetFacts) => {
      asked.push(id);
      return true;
    };
    const one = chooseServers(found, presets, isInstalled);
    expect(asked).toEqual(["high", "docker"]);
    expect(chooseServers(found, presets.toReversed(), () => true)).toEqual(one);
  });

  test("with the shipped presets: TypeScript 7 before typescript-language-server", () => {
    let presetsSeen: PresetFacts[] = [];
    loadConfig(
      request({
        shipped: SHIPPED,
        workspace: "/nowhere",
        home: "/nowhere",
        embedded: (all) => {
          presetsSeen = all;
          return {};
        },
      }),
      diskFiles,
    );
    const ids = (installed: string[]) =>
      chooseServers(scan({ "/w/a.ts": "", "/w/b.py": "" }), presetsSeen, ({ id }) => installed.includes(id))
        .servers;
    expect(ids(["typescript", "typescript-language-server", "vtsls", "pyright", "pylsp"])).toEqual([
      { id: "pyright", kind: "pyright" },
      { id: "typescript", kind: "typescript" },
    ]);
    expect(ids(["vtsls", "typescript-language-server"])).toEqual([
      { id: "typescript-language-server", kind: "typescript-language-server" },
    ]);
  });

  test("tiers come one after the other, whatever the ranks", () => {
    const both = scan({ "/w/a.ts": "", "/w/b.vue": "" });
    const proposals = proposeServers(both, presets, [({ id }) => id === "low", () => true]);
    expect(proposals.map(({ preset, files }) => [preset.id, files])).toEqual([["low", 2]]);
  });

  test("the languages that are told are those of the files that are there, the most files first", () => {
    const here = scan({ "/w/go.mod": "", "/w/a.go": "", "/w/b.go": "", "/w/x.tf": "", "/w/y.tfvars": "" });
    const told = (preset: PresetFacts, ids: { [file: string]: string }) => {
      const [proposal] = proposeServers(here, [preset], [() => true]);
      return proposal && languagesHere(proposal, here, (file) => ids[file] ?? "else");
    };
    const go = { id: "go", languages: ["go", "gomod", "gowork"], extensions: ["go"], filenames: ["go.mod"] };
    expect(told(go, { go: "go", "go.mod": "gomod" })).toEqual([
      { language: "go", files: 2 },
      { language: "gomod", files: 1 },
    ]);
    const terraform = { id: "tf", languages: ["terraform"], extensions: ["tf", "tfvars"] };
    expect(told(terraform, { tf: "terraform", tfvars: "terraform-vars" })).toEqual([
      { language: "terraform", files: 2 },
    ]);
  });
});
