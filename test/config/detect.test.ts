import { describe, expect, test } from "vitest";
import { chooseServers, scanWorkspace } from "../../src/config/detect.js";
import { diskFiles } from "../../src/config/files.js";
import { loadConfig } from "../../src/config/load.js";
import type { PresetFacts } from "../../src/config/preset-index.js";
import { memoryFiles, request, SHIPPED } from "./memory-files.js";

const scan = (contents: { [path: string]: string }) => scanWorkspace("/w", memoryFiles(contents));

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

  test("is bounded in entries and in depth, and says so", () => {
    const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`/w/${i}.ts`, ""]));
    expect(scan(many)).toMatchObject({ cut: true });
    const deep = scan({ [`/w/${"d/".repeat(9)}a.ts`]: "", "/w/b.ts": "" });
    expect([deep.cut, deep.extensions.get("ts")]).toEqual([true, 1]);
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
});
