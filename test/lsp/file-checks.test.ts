/** How often a warm call touches the disk in a workspace of 50,000 files, with the watch source of every platform. */
import fs, {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type OpenWatchSource, openWatchSource, SystemWatches } from "../../src/lsp/watch/watch-source.js";
import { openTestWorkspace, type TestWorkspace } from "../runtime/test-workspace.js";

const FILES = 50_000;
const PER_FOLDER = 40;
const MAX_STATS = 64;

/** The watch of macOS and Windows. On Linux Node emulates it with a watch per file, and events may come late. */
const recursive: OpenWatchSource = (roots, listener) => new SystemWatches(listener, roots);

const sources: [string, OpenWatchSource][] = [
  ["the watch source of this platform", openWatchSource],
  ["one recursive watch", recursive],
];

/** The many files, written once and moved into each workspace. */
let tree: string;
beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), "lsp-proxy-tree-"));
  for (let index = 0; index < FILES; ) {
    const folder = join(tree, `p${((index / PER_FOLDER) % 25) | 0}`, `d${(index / PER_FOLDER / 25) | 0}`);
    mkdirSync(folder, { recursive: true });
    // A link costs a tenth of a file, and is listed and watched as one.
    writeFileSync(join(folder, "f0.fake"), "name\n");
    for (let file = 1; file < PER_FOLDER; file++)
      linkSync(join(folder, "f0.fake"), join(folder, `f${file}.fake`));
    index += PER_FOLDER;
  }
}, 600_000);
afterAll(() => rmSync(tree, { recursive: true, force: true }));

describe.each(sources)("with %s, a warm call", { timeout: 120_000 }, (_name, open) => {
  /** Paths that events named. */
  const named = new Set<string>();
  const openEvents: OpenWatchSource = (roots, listener) => {
    const changed = (path: string) => {
      named.add(path);
      listener.changed(path);
    };
    return open(roots, { ...listener, changed });
  };
  let work: TestWorkspace;
  const span = { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } };
  const [created, deleted] = ["p3/d1/new.fake", "p4/d1/f1.fake"];
  const names = Array.from({ length: 12 }, (_, index) => `p${index}/d0/f0.fake`);

  /** How far the clock is ahead. */
  let laterMs = 0;

  beforeAll(async () => {
    const { now } = Date;
    vi.spyOn(Date, "now").mockImplementation(() => now() + laterMs);
    const scenario = {
      capabilities: { hoverProvider: true, referencesProvider: true, workspaceSymbolProvider: true },
      replies: {
        "textDocument/hover": { contents: { $text: true } },
        "textDocument/references": names.map((name) => ({ uri: `file:///work/${name}`, range: span })),
        "workspace/symbol": [
          { name: "name", kind: 13, location: { uri: "file:///work/a.fake", range: span } },
        ],
        "fake/project": { name: "p" },
      },
    };
    const withoutProject = { ...scenario, replies: { ...scenario.replies, "fake/project": { name: "" } } };
    const project_query = { method: "fake/project", params: { uri: "<uri>" }, field: "/name" };
    work = await openTestWorkspace({
      files: { "a.fake": "name\n", "b.fake": "name\n", "c.script": "name\n" },
      servers: {
        fake: { scenario, config: { root_markers: ["*.project", "fake.json"], project_query } },
        // No file of it belongs to a project, so more files are tried.
        scripts: { scenario: withoutProject, config: { extensions: ["script"], project_query } },
        absent: { scenario, config: { extensions: ["none"] } },
      },
      watchOptions: { openEvents, ignoredWaitMs: 60_000 },
    });
    for (const name of readdirSync(tree)) renameSync(join(tree, name), join(work.folder, name));
    // Everything is warm: open documents, shown files, roots.
    for (const name of ["a.fake", "b.fake", ...names]) await hover(name);
    await work.call("find_references", { file_path: "a.fake", line: 1, character: 1 });
  }, 600_000);
  afterAll(async () => {
    // The next workspace gets the tree as it was.
    rmSync(join(work.folder, created), { force: true });
    writeFileSync(join(work.folder, deleted), "name\n");
    for (const name of readdirSync(work.folder).filter((each) => /^p\d+$/.test(each)))
      renameSync(join(work.folder, name), join(tree, name));
    await work.close();
    vi.restoreAllMocks();
  });

  const hover = async (file: string) => {
    const { structured } = await work.call("get_hover", { file_path: file, line: 1, character: 1 });
    return structured.contents ?? structured.error;
  };

  it.each<[string, { [name: string]: string | number }]>([
    ["get_hover", { file_path: "a.fake", line: 1, character: 1 }],
    ["find_references", { file_path: "a.fake", line: 1, character: 1 }],
    ["search_workspace_symbols", { query: "name" }],
  ])("of %s stats few files and lists no folder", async (tool, args) => {
    await work.call(tool, args);
    const counted = countCalls();
    try {
      const { isError } = await work.call(tool, args);
      expect(isError).toBe(false);
    } finally {
      counted.restore();
    }
    expect(counted.listings).toEqual([]);
    expect(counted.stats.length, counted.stats.join("\n")).toBeLessThanOrEqual(MAX_STATS);
  });

  it("about the workspace lists no folder either, however long ago the last one was", async () => {
    const search = () => work.call("search_workspace_symbols", { query: "name" });
    await search();
    laterMs = 3_600_000;
    const counted = countCalls();
    try {
      expect(await search()).toMatchObject({
        isError: false,
        structured: { warnings: [{ code: "answer/no-project" }] },
      });
    } finally {
      counted.restore();
      laterMs = 0;
    }
    expect(counted.listings).toEqual([]);
    expect(counted.stats.length, counted.stats.join("\n")).toBeLessThanOrEqual(MAX_STATS);
  });

  it("knows the named file and the open ones without an event", async () => {
    writeFileSync(join(work.folder, "a.fake"), "other\n");
    expect(await hover("a.fake")).toEqual(["other\n"]);
    writeFileSync(join(work.folder, "b.fake"), "third\n");
    await hover("a.fake");
    const changes = await work.received("textDocument/didChange");
    expect(changes.at(-1)).toMatchObject({ textDocument: { uri: work.uri("b.fake") } });
  });

  it("knows what an event named, at a cost that does not depend on the workspace", async () => {
    const paths = [created, deleted].map((name) => join(work.folder, name));
    writeFileSync(join(work.folder, created), "new\n");
    unlinkSync(join(work.folder, deleted));
    // Node's emulation lists the folders of its events itself.
    if (open === recursive) await expect.poll(() => [...named]).toEqual(expect.arrayContaining(paths));
    const counted = countCalls();
    try {
      await hover("a.fake");
      await work.call("search_workspace_symbols", { query: "name" });
    } finally {
      counted.restore();
    }
    // A new file may mark a project, or be the first of a server; the watch knows the names in every folder.
    expect(counted.listings).toEqual([]);
    expect(counted.stats.length, counted.stats.join("\n")).toBeLessThanOrEqual(2 * MAX_STATS);
    const changes = (await work.received("workspace/didChangeWatchedFiles")).flatMap(
      (params) => params.changes as { uri: string; type: number }[],
    );
    expect(changes).toContainEqual({ uri: work.uri(created), type: 1 });
    expect(changes).toContainEqual({ uri: work.uri(deleted), type: 3 });
  });
});

/** Counts every stat, real path and existence check, and every listing of a folder, until `restore` is called. */
function countCalls(): { stats: string[]; listings: string[]; restore(): void } {
  const [stats, listings]: [string[], string[]] = [[], []];
  const statNames = [
    "stat",
    "lstat",
    "statSync",
    "lstatSync",
    "realpath",
    "realpathSync",
    "existsSync",
    "access",
    "accessSync",
  ];
  const listNames = ["readdir", "readdirSync", "opendir", "opendirSync"];
  const restores: (() => void)[] = [];
  const wrap = (target: object, name: string, calls: string[]): void => {
    const original = Reflect.get(target, name);
    if (typeof original !== "function") return;
    const counting = (...args: unknown[]) => {
      calls.push(`${name} ${String(args[0])}`);
      return original.apply(target, args);
    };
    Reflect.set(target, name, Object.assign(counting, original));
    restores.push(() => Reflect.set(target, name, original));
  };
  wrap(fs.realpathSync, "native", stats);
  for (const target of [fs, fs.promises]) {
    for (const name of statNames) wrap(target, name, stats);
    for (const name of listNames) wrap(target, name, listings);
  }
  syncBuiltinESMExports();
  const restore = () => {
    for (const undo of restores.reverse()) undo();
    syncBuiltinESMExports();
  };
  return { stats, listings, restore };
}
