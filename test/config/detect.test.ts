import { describe, expect, test } from "vitest";
import { Catalogue } from "../../src/config/catalogue/catalogue.js";
import {
  chooseServers,
  languagesHere,
  neededProposals,
  proposeServers,
} from "../../src/config/catalogue/detect.js";
import type { PresetFacts } from "../../src/config/catalogue/preset-index.js";
import { diskFiles } from "../../src/config/files.js";
import { scanWorkspace } from "../../src/workspace/scan.js";
import { memoryFiles, SHIPPED } from "./memory-files.js";

const user = { env: {}, home: "/home/me" };
const scan = (contents: { [path: string]: string }, root = "/w") =>
  scanWorkspace(root, memoryFiles(contents), user);

describe("choosing", async () => {
  const presets: PresetFacts[] = [
    { id: "low", rank: 1, extensions: ["ts", "vue"] },
    { id: "high", rank: 2, extensions: ["ts", "js"] },
    { id: "docker", filenames: ["Dockerfile"] },
    { id: "unused", extensions: ["zig"] },
    { id: "lint", companion: true, extensions: ["ts", "lint"] },
  ];
  const found = await scan({ "/w/a.ts": "", "/w/Dockerfile": "" });

  test("the installed preset with the highest rank, for what is there", () => {
    expect(chooseServers(found, presets, [() => true])).toEqual({
      servers: [
        { id: "docker", kind: "docker" },
        { id: "high", kind: "high" },
      ],
    });
    expect(chooseServers(found, presets, [({ id }) => id === "low"])).toEqual({
      servers: [{ id: "low", kind: "low" }],
    });
    expect(chooseServers(found, presets, [() => false])).toEqual({ servers: [] });
  });

  test("a companion is never chosen, not even for files of no other server", async () => {
    const lone = await scan({ "/w/a.lint": "" });
    expect(chooseServers(lone, presets, [() => true])).toEqual({ servers: [] });
  });

  test("two chosen servers never claim the same files", async () => {
    const both = await scan({ "/w/a.ts": "", "/w/b.vue": "" });
    expect(chooseServers(both, presets, [() => true])).toEqual({
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
    const one = chooseServers(found, presets, [isInstalled]);
    expect(asked).toEqual(["high", "docker"]);
    expect(chooseServers(found, presets.toReversed(), [() => true])).toEqual(one);
  });

  test("with the shipped presets: TypeScript 7 before typescript-language-server", async () => {
    const presetsSeen = new Catalogue(SHIPPED, diskFiles).facts();
    const both = await scan({ "/w/a.ts": "", "/w/b.py": "" });
    const ids = (installed: string[]) =>
      chooseServers(both, presetsSeen, [({ id }) => installed.includes(id)]).servers;
    expect(ids(["typescript", "typescript-language-server", "vtsls", "pyright", "pylsp"])).toEqual([
      { id: "pyright", kind: "pyright" },
      { id: "typescript", kind: "typescript" },
    ]);
    expect(ids(["vtsls", "typescript-language-server"])).toEqual([
      { id: "typescript-language-server", kind: "typescript-language-server" },
    ]);
  });

  test("tiers come one after the other, whatever the ranks", async () => {
    const both = await scan({ "/w/a.ts": "", "/w/b.vue": "" });
    const proposals = proposeServers(both, presets, [({ id }) => id === "low", () => true]);
    expect(proposals.map(({ preset, files }) => [preset.id, files])).toEqual([["low", 2]]);
  });

  test("the named languages are those of the files in the folder, the most files first", async () => {
    const here = await scan({
      "/w/go.mod": "",
      "/w/a.go": "",
      "/w/b.go": "",
      "/w/x.tf": "",
      "/w/y.tfvars": "",
    });
    const told = (preset: PresetFacts, ids: { [file: string]: string }) => {
      const [proposal] = proposeServers(here, [preset], [() => true]);
      return proposal && languagesHere(proposal, here, (file) => ids[file] ?? "else");
    };
    const go = { id: "go", languages: ["go", "gomod", "gowork"], extensions: ["go"], filenames: ["go.mod"] };
    expect(told(go, { go: "go", "go.mod": "gomod" })).toEqual([
      { language: "go", files: 2 },
      { language: "gomod", files: 1 },
    ]);
    const ids = { c: "c", h: "cpp", cpp: "cpp" };
    const clangd = { id: "clangd", languages: ["c", "cpp"], extensions: ["c", "cpp", "h"] };
    const headers = async (files: { [path: string]: string }) => {
      const scanned = await scan(files);
      const [proposal] = proposeServers(scanned, [clangd], [() => true]);
      return proposal && languagesHere(proposal, scanned, (file) => ids[file as keyof typeof ids]);
    };
    const [c, cpp, h] = [{ "/w/a.c": "", "/w/b.c": "" }, { "/w/a.cpp": "" }, { "/w/a.h": "", "/w/b.h": "" }];
    expect(await headers({ ...c, ...h })).toEqual([{ language: "c", files: 4 }]);
    expect(await headers({ ...cpp, ...h })).toEqual([{ language: "cpp", files: 3 }]);
    expect(await headers({ ...c, ...cpp, ...h })).toEqual([
      { language: "c", files: 4 },
      { language: "cpp", files: 1 },
    ]);
    expect(await headers(h)).toEqual([{ language: "cpp", files: 2 }]);
    const terraform = { id: "tf", languages: ["terraform"], extensions: ["tf", "tfvars"] };
    expect(told(terraform, { tf: "terraform", tfvars: "terraform-vars" })).toEqual([
      { language: "terraform", files: 2 },
    ]);
  });
});

describe("servers that are installed without being named", () => {
  const needed = (files: { [language: string]: number }) => {
    const proposals = Object.entries(files).map(([language, count]) => ({ language, files: count }));
    return neededProposals(proposals, (proposal) => [proposal]).map(({ language }) => language);
  };

  test("those of programming languages with ten files or a tenth of all", () => {
    expect(needed({ python: 83, html: 20, toml: 5, makefile: 1, shellscript: 4 })).toEqual(["python"]);
    expect(needed({ typescript: 1255, python: 83, go: 10, rust: 9 })).toEqual(["typescript", "python", "go"]);
    expect(needed({ typescript: 1, python: 1 })).toEqual(["typescript", "python"]);
  });

  test("that of the most files whatever it is, and none without files", () => {
    expect(needed({ markdown: 40, lua: 2 })).toEqual(["markdown"]);
    expect(needed({})).toEqual([]);
  });
});
