/** What a server has open is what is on disk, and nothing but text files gets in. */
import { execFileSync } from "node:child_process";
import fs, { mkdirSync, rmSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { Refusal } from "../../src/base/problem.js";
import type { LanguageServer } from "../../src/lsp/types.js";
import type { WatchOptions } from "../../src/lsp/watch/watch-options.js";
import type { WatchSource } from "../../src/lsp/watch/watch-source.js";
import { fakePlan, fakeServer } from "../fake-server/index.js";
import {
  act,
  afterThis,
  ask,
  poolOf,
  received,
  scenarios,
  session,
  signal,
  until,
  workspace,
  write,
} from "./support.js";

const withoutEvents: WatchSource = {
  ...{ capacity: 0, add: () => false, remove: () => {}, drain: async () => {}, close: () => {} },
};

const texts = (messages: JsonObject[]) =>
  messages.map(
    (params) => (params as { contentChanges: { text: string; range?: unknown }[] }).contentChanges,
  );

test("opened once with its language, then changed and saved when the file has changed", async () => {
  const { server, file } = await session({}, { server: { languageIds: { fake: "fancy" } } });
  const first = await server.ensureOpen(file, signal());
  expect(first).toMatchObject({ version: 1, languageId: "fancy", uri: pathToFileURL(file).href });
  expect((await server.ensureOpen(file, signal())).version).toBe(1);
  write(file, "second\n");
  const second = await server.ensureOpen(file, signal());
  expect(second.version).toBe(2);
  expect(second.hash).not.toBe(first.hash);
  expect(first.lines.text).toBe("hello\n");
  expect(await received(server, "textDocument/didOpen")).toHaveLength(1);
  expect(await ask(server, "fake/documents")).toMatchObject([{ text: "second\n", version: 2 }]);
  expect(await received(server, "textDocument/didSave")).toEqual([{ textDocument: { uri: first.uri } }]);
});

test.each<[string, JsonObject, unknown]>([
  [
    "lines that differ",
    {},
    { range: { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } }, text: "漢😀\r\n" },
  ],
  ["whole texts", { textDocumentSync: 1 }, { text: "one\r\n漢😀\r\nthree" }],
  ["whole texts", { textDocumentSync: { openClose: true, change: 1 } }, { text: "one\r\n漢😀\r\nthree" }],
])("a change is sent as the server asked: %s", async (_as, capabilities, change) => {
  const { server, file } = await session({ capabilities }, { text: "one\r\ntwo é\r\nthree" });
  await server.ensureOpen(file, signal());
  write(file, "one\r\n漢😀\r\nthree");
  await server.ensureOpen(file, signal());
  expect(texts(await received(server, "textDocument/didChange"))).toEqual([[change]]);
  expect(await ask(server, "fake/documents")).toMatchObject([{ text: "one\r\n漢😀\r\nthree" }]);
});

test("changes are sent before every question that follows, also of many at once", async () => {
  const { server, file } = await session({
    capabilities: { hoverProvider: true },
    replies: { "textDocument/hover": { contents: "hi" } },
  });
  const hover = async () => {
    const { uri } = await server.ensureOpen(file, signal());
    return ask(server, "textDocument/hover", { textDocument: { uri } });
  };
  await hover();
  for (const text of ["second\n", "third\n"]) {
    write(file, text);
    await Promise.all(Array.from({ length: 8 }, hover));
  }
  const seen = (await ask(server, "fake/received")) as { method?: string }[];
  const wanted = ["textDocument/didChange", "textDocument/hover"];
  const order = seen.flatMap(({ method = "" }) => (wanted.includes(method) ? [method.slice(13)] : []));
  const round = ["didChange", ...Array.from({ length: 8 }, () => "hover")];
  expect(order).toEqual(["hover", ...round, ...round]);
});

test("a wait for the disk ends with the caller's time", async () => {
  let isStuck = false;
  let reached = () => {};
  const stuck = new Promise<void>((done) => {
    reached = done;
  });
  const drain = async () => {
    if (!isStuck) return;
    reached();
    await new Promise(() => {});
  };
  const watchOptions = { openEvents: () => ({ ...withoutEvents, drain }) };
  const { server, file } = await session({}, { context: { watchOptions } });
  await server.ensureOpen(file, signal());
  isStuck = true;
  const controller = new AbortController();
  const opened = server.ensureOpen(file, controller.signal);
  await stuck;
  controller.abort(new Refusal("lsp/timeout", "too late"));
  await expect(opened).rejects.toMatchObject({ code: "lsp/timeout" });
});

test("a change that is recorded while documents are read is sent once", async () => {
  const { server, file, root, pool } = await session({});
  await server.ensureOpen(file, signal());
  const { open } = fs.promises;
  const replace = (used: typeof open) => {
    Object.assign(fs.promises, { open: used });
    syncBuiltinESMExports();
  };
  afterThis(() => replace(open));
  const created = join(root, "b.fake");
  replace((async (path: string, ...rest: [number]) => {
    replace(open);
    write(created, "b\n");
    // Another call looks at the disk.
    await pool.changeCursor();
    return open(path, ...rest);
  }) as typeof open);
  write(file, "second\n");
  await server.ensureOpen(file, signal());
  await server.ensureOpen(file, signal());
  const told = await received(server, "workspace/didChangeWatchedFiles");
  const uris = told.flatMap(({ changes }) => (changes as { uri: string }[]).map(({ uri }) => uri));
  expect(uris).toEqual([file, created].map((path) => pathToFileURL(path).href));
});

test("a change of the same size in the same moment is seen", async () => {
  const { server, file } = await session({}, { text: "aaaa" });
  for (const text of ["bbbb", "cccc", "dddd"]) {
    write(file, text);
    await server.ensureOpen(file, signal());
    expect(await ask(server, "fake/documents")).toMatchObject([{ text }]);
  }
});

test("a server that takes no changes gets the document anew; one that wants the text on save gets it", async () => {
  const { server, file } = await session({
    capabilities: { textDocumentSync: { openClose: true, change: 0, save: { includeText: true } } },
  });
  await server.ensureOpen(file, signal());
  write(file, "second\n");
  await server.ensureOpen(file, signal());
  expect(await received(server, "textDocument/didChange")).toEqual([]);
  expect(await ask(server, "fake/documents")).toMatchObject([{ text: "second\n", version: 2 }]);
  expect(await received(server, "textDocument/didSave")).toMatchObject([{ text: "second\n" }]);
});

test("other open documents are refreshed too, deleted ones are closed, and a recreated one opens again", async () => {
  const { server, root, file } = await session({}, { files: { "b.fake": "b\n", "c.fake": "c\n" } });
  for (const name of ["a.fake", "b.fake", "c.fake"]) await server.ensureOpen(join(root, name), signal());
  write(join(root, "b.fake"), "new b\n");
  unlinkSync(join(root, "c.fake"));
  await server.ensureOpen(file, signal());
  expect(await ask(server, "fake/documents")).toMatchObject([{ text: "hello\n" }, { text: "new b\n" }]);
  await expect(server.ensureOpen(join(root, "c.fake"), signal())).rejects.toMatchObject({
    code: "guard/not-a-file",
    message: "c.fake does not exist",
  });
  write(join(root, "c.fake"), "again\n");
  expect(await server.ensureOpen(join(root, "c.fake"), signal())).toMatchObject({ version: 1 });
});

test("the oldest is closed past the limit", async () => {
  const limits = { ...fakePlan([]).limits, maxOpenDocuments: 2 };
  const { server, root, file } = await session(
    {},
    { plan: { limits }, files: { "b.fake": "", "c.fake": "" } },
  );
  await server.ensureOpen(file, signal());
  await server.ensureOpen(join(root, "b.fake"), signal());
  await server.ensureOpen(file, signal());
  await server.ensureOpen(join(root, "c.fake"), signal());
  expect(await received(server, "textDocument/didClose")).toEqual([
    { textDocument: { uri: pathToFileURL(join(root, "b.fake")).href } },
  ]);
});

const references = "textDocument/references";

test.each(["answered", "given up"])(
  "a document that a question is about stays open past the limit, and is closed when it is %s",
  async (how) => {
    const limits = { ...fakePlan([]).limits, maxOpenDocuments: 1 };
    const go = join(workspace({}), "go");
    const { server, root, file } = await session(
      {
        capabilities: { referencesProvider: true },
        replies: { [references]: [] },
        on: { [references]: [{ waitFile: go }] },
      },
      { plan: { limits }, files: { "b.fake": "b\n", "c.fake": "c\n" } },
    );
    const { uri } = await server.ensureOpen(file, signal());
    const asker = new AbortController();
    const reply = server.request(references, { textDocument: { uri } }, { signal: asker.signal });
    const ended = reply.catch(() => undefined);
    await until(async () => (await received(server, references)).length === 1);
    await server.ensureOpen(join(root, "b.fake"), signal());
    await server.ensureOpen(join(root, "c.fake"), signal());
    const names = async () => {
      const open = (await ask(server, "fake/documents")) as { uri: string }[];
      return open.map((document) => document.uri.split("/").at(-1));
    };
    expect(await names()).toEqual(["a.fake", "c.fake"]);
    if (how === "answered") write(go, "");
    else asker.abort();
    await ended;
    if (how === "given up") await expect(reply).rejects.toThrow();
    write(go, "");
    expect(await names()).toEqual(["c.fake"]);
  },
);

test("a document that was closed before its question was asked is opened for it again", async () => {
  const limits = { ...fakePlan([]).limits, maxOpenDocuments: 1 };
  const { server, root, file } = await session(
    {
      capabilities: { referencesProvider: true },
      replies: { [references]: { $find: "hello", as: "locations" } },
    },
    { plan: { limits }, files: { "b.fake": "b\n" } },
  );
  const { uri } = await server.ensureOpen(file, signal());
  await server.ensureOpen(join(root, "b.fake"), signal());
  expect(await received(server, "textDocument/didClose")).toEqual([{ textDocument: { uri } }]);
  expect(await ask(server, references, { textDocument: { uri } })).toMatchObject([{ uri }]);
});

test("a byte-order mark is left out of the text; CRLF and non-ASCII names stay", async () => {
  const { server, root } = await session({}, { files: { "é [x] #1%.fake": "\uFEFFa\r\né😀" } });
  const document = await server.ensureOpen(join(root, "é [x] #1%.fake"), signal());
  expect(document.lines.text).toBe("a\r\né😀");
  const uri = (await received(server, "textDocument/didOpen"))[0]?.textDocument as JsonObject;
  expect(uri.uri).toBe(document.uri);
  expect((await server.textOf(document.uri.replaceAll("%5B", "[").replaceAll("%20", "%20")))?.text).toBe(
    "a\r\né😀",
  );
});

test("what is not a text file is refused, clearly and without hanging", async () => {
  const limits = { ...fakePlan([]).limits, maxFileBytes: 1_000 };
  const { server, root, file } = await session({}, { plan: { limits }, files: { "large.fake": "" } });
  truncateSync(join(root, "large.fake"), 5_000_000_000);
  writeFileSync(join(root, "nul.fake"), Buffer.from([65, 0, 66]));
  writeFileSync(join(root, "utf16.fake"), Buffer.from("\uFEFFtext", "utf16le"));
  writeFileSync(join(root, "big.fake"), Buffer.from("\uFEFFtext", "utf16le").swap16());
  writeFileSync(join(root, "latin.fake"), Buffer.from([65, 0xe9, 66]));
  mkdirSync(join(root, "folder.fake"));
  execFileSync("mkfifo", [join(root, "pipe.fake")]);
  symlinkSync(file, join(root, "link.fake"));
  symlinkSync("/dev/zero", join(root, "zero.fake"));
  const refused: [string, string][] = [
    ["large.fake", "larger than 1000 bytes"],
    ["nul.fake", "binary"],
    ["utf16.fake", "is UTF-16; only UTF-8 is read"],
    ["big.fake", "is UTF-16; only UTF-8 is read"],
    ["latin.fake", "not UTF-8"],
    ["folder.fake", "is a folder"],
    ["pipe.fake", "not a regular file"],
    ["link.fake", "symbolic link"],
    ["zero.fake", "symbolic link"],
    ["missing.fake", "does not exist"],
  ];
  for (const [name, why] of refused) {
    const error = await server.ensureOpen(join(root, name), signal()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "guard/not-a-file", message: expect.stringContaining(why) });
  }
  expect(await ask(server, "fake/documents")).toEqual([]);
});

test("an open file that became a folder is closed and refused", async () => {
  const { server, file } = await session({});
  await server.ensureOpen(file, signal());
  rmSync(file);
  mkdirSync(file);
  await expect(server.ensureOpen(file, signal())).rejects.toMatchObject({ code: "guard/not-a-file" });
  expect(await ask(server, "fake/documents")).toEqual([]);
});

test("changes of files that are not open are sent, registered or not, also before a workspace request", async () => {
  const { server, root, file } = await session({
    capabilities: { workspaceSymbolProvider: true },
    replies: { "workspace/symbol": [] },
  });
  await server.ensureOpen(file, signal());
  write(join(root, "sub/b.fake"), "1");
  write(join(root, "notes.md"), "1");
  await ask(server, "workspace/symbol", { query: "x" });
  const told = await received(server, "workspace/didChangeWatchedFiles");
  expect(told.flatMap((params) => params.changes)).toEqual([
    { uri: pathToFileURL(join(root, "notes.md")).href, type: 1 },
    { uri: pathToFileURL(join(root, "sub/b.fake")).href, type: 1 },
  ]);
});

test("a check of the files notifies every running server of changes before its next request", async () => {
  const { server, pool, root, file } = await session({});
  await server.ensureOpen(file, signal());
  write(join(root, "new.fake"), "1");
  write(file, "second\n");
  await pool.checkFiles();
  expect(await toldNames(server)).toEqual(["a.fake", "new.fake"]);
  expect(await received(server, "textDocument/didChange")).toHaveLength(1);
});

test("a server that registered watchers is notified of files that they match and of its own files", async () => {
  const registrations = [
    {
      id: "w",
      method: "workspace/didChangeWatchedFiles",
      registerOptions: { watchers: [{ globPattern: "**/*.json", kind: 1 }] },
    },
  ];
  const { server, root, file } = await session({}, { files: { "old.json": "1" } });
  await act(server, { request: "client/registerCapability", params: { registrations } });
  for (const name of ["new.json", "old.json", "x.md", "b.fake"]) write(join(root, name), "2");
  await server.ensureOpen(file, signal());
  const told = await received(server, "workspace/didChangeWatchedFiles");
  expect(
    told.flatMap((params) => params.changes as JsonObject[]).map(({ uri }) => String(uri).split("/").at(-1)),
  ).toEqual(["b.fake", "new.json"]);
});

const toldNames = async (server: LanguageServer): Promise<(string | undefined)[]> => {
  const told = await received(server, "workspace/didChangeWatchedFiles");
  return told
    .flatMap((params) => params.changes as JsonObject[])
    .map(({ uri }) => String(uri).split("/").at(-1));
};

test("among ignored files, a server is notified of its own kinds of files, registered or not, and of those it registered", async () => {
  const registrations = [
    {
      id: "w",
      method: "workspace/didChangeWatchedFiles",
      registerOptions: { watchers: [{ globPattern: "**/*.json" }] },
    },
  ];
  const { server, root, file } = await session({}, { files: { ".gitignore": "gen/\n" } });
  await server.ensureOpen(file, signal());
  for (const name of ["a.json", "b.fake", "c.md"]) write(join(root, "gen", name), "1");
  await server.ensureOpen(file, signal());
  expect(await toldNames(server)).toEqual(["b.fake"]);
  await act(server, { request: "client/registerCapability", params: { registrations } });
  for (const name of ["a.json", "b.fake", "c.md"]) write(join(root, "gen", name), "2");
  await server.ensureOpen(file, signal());
  expect(await toldNames(server)).toEqual(["b.fake", "a.json", "b.fake"]);
});

test("a file that an answer was about is followed also where too much is ignored to follow it all", async () => {
  const gen = Object.fromEntries(["a", "b", "c", "d"].map((name) => [`gen/in/${name}.fake`, "1"]));
  const root = workspace({ "a.fake": "", ".gitignore": "gen/\n", ...gen });
  const pool = poolOf(root, [fakeServer(scenarios(), {})], {}, { watchOptions: { ignoredFiles: 3 } });
  const server = await pool.get("fake", undefined, signal());
  await server.textOf(pathToFileURL(join(root, "gen/in/a.fake")).href);
  await server.ensureOpen(join(root, "a.fake"), signal());
  for (const name of ["a", "b"]) write(join(root, `gen/in/${name}.fake`), "2");
  await server.ensureOpen(join(root, "a.fake"), signal());
  expect(await toldNames(server)).toEqual(["a.fake"]);
});

test("a server that registered for dependencies is notified of them, and others of their own kinds of files there", async () => {
  const watchers = [{ globPattern: "**/node_modules/**/*" }];
  const registrations = [
    { id: "w", method: "workspace/didChangeWatchedFiles", registerOptions: { watchers } },
  ];
  const { server, root, file } = await session({}, { files: { "node_modules/p/a.json": "1" } });
  await server.ensureOpen(file, signal());
  for (const name of ["a.json", "b.fake"]) write(join(root, "node_modules/p", name), "2");
  await server.ensureOpen(file, signal());
  expect(await toldNames(server)).toEqual(["b.fake"]);
  await act(server, { request: "client/registerCapability", params: { registrations } });
  write(join(root, "node_modules/p/a.json"), "3");
  await server.ensureOpen(file, signal());
  expect(await toldNames(server)).toEqual(["b.fake", "a.json"]);
  expect(server.partlyWatchedFolders).toEqual([]);
});

test("an ignored folder that is not followed is named, by the server and in its status", async () => {
  const gen = Object.fromEntries(["a", "b", "c", "d"].map((name) => [`gen/${name}.fake`, "1"]));
  const root = workspace({ "a.fake": "", ".gitignore": "gen/\n", ...gen });
  const pool = poolOf(root, [fakeServer(scenarios(), {})], {}, { watchOptions: { ignoredFiles: 3 } });
  const server = await pool.get("fake", undefined, signal());
  await server.ensureOpen(join(root, "a.fake"), signal());
  expect(server.partlyWatchedFolders).toEqual([join(root, "gen")]);
  expect(server.hasUnwatchedFiles).toBe(false);
  expect(pool.status()[0]?.partlyWatchedFolders).toEqual([join(root, "gen")]);
});

test("with more files than are watched, that is said, and open documents stay true", async () => {
  const root = workspace({ "a.fake": "1", "b.fake": "1", "c.fake": "1" });
  const watchOptions = { files: 1 };
  const pool = poolOf(root, [fakeServer(scenarios(), {})], {}, { watchOptions });
  const server = await pool.get("fake", undefined, signal());
  for (const name of ["a", "b", "c"]) await server.ensureOpen(join(root, `${name}.fake`), signal());
  expect(server.hasUnwatchedFiles).toBe(true);
  for (const name of ["a", "b", "c"]) write(join(root, `${name}.fake`), "22");
  await server.ensureOpen(join(root, "a.fake"), signal());
  expect(await ask(server, "fake/documents")).toMatchObject([{ text: "22" }, { text: "22" }, { text: "22" }]);
  const { server: seen } = await session({});
  expect(seen.hasUnwatchedFiles).toBe(false);
});

test.each<[string, Partial<WatchOptions>]>([
  ["no folder has events", { openEvents: () => withoutEvents }],
  ["too many files are there to watch", { files: 1 }],
])("where %s, every open document is checked before a question", async (_where, watchOptions) => {
  const names = Array.from({ length: 40 }, (_, index) => `f${index}.fake`);
  const root = workspace(Object.fromEntries(names.map((name) => [name, "1"])));
  const options = { rescanMs: 600_000, shownFiles: 8, ...watchOptions };
  const pool = poolOf(root, [fakeServer(scenarios(), {})], {}, { watchOptions: options });
  const server = await pool.get("fake", undefined, signal());
  for (const name of names) await server.ensureOpen(join(root, name), signal());
  write(join(root, "f0.fake"), "22");
  unlinkSync(join(root, "f1.fake"));
  await server.ensureOpen(join(root, "f39.fake"), signal());
  const uriOf = (name: string) => pathToFileURL(join(root, name)).href;
  expect(await received(server, "textDocument/didChange")).toMatchObject([
    { textDocument: { uri: uriOf("f0.fake") } },
  ]);
  expect(await received(server, "textDocument/didClose")).toMatchObject([
    { textDocument: { uri: uriOf("f1.fake") } },
  ]);
});

test("outside the roots, every open document is checked before a question", async () => {
  const outside = workspace({ "x.fake": "1" });
  const names = Array.from({ length: 40 }, (_, index) => `f${index}.fake`);
  const root = workspace(Object.fromEntries(names.map((name) => [name, "1"])));
  const pool = poolOf(root, [fakeServer(scenarios(), {})], {}, { watchOptions: { shownFiles: 8 } });
  const server = await pool.get("fake", undefined, signal());
  for (const path of [join(outside, "x.fake"), ...names.map((name) => join(root, name))])
    await server.ensureOpen(path, signal());
  write(join(outside, "x.fake"), "22");
  await server.ensureOpen(join(root, "f39.fake"), signal());
  expect(await received(server, "textDocument/didChange")).toMatchObject([
    { textDocument: { uri: pathToFileURL(join(outside, "x.fake")).href } },
  ]);
});

test("where events come late, the file that is asked about is stat-ed", async () => {
  const names = ["a.fake", "b.fake"];
  const root = workspace(Object.fromEntries(names.map((name) => [name, "1"])));
  const openEvents = () => ({ ...withoutEvents, capacity: 100, add: () => true });
  const watchOptions = { shownFiles: 1, openEvents };
  const pool = poolOf(root, [fakeServer(scenarios(), {})], {}, { watchOptions });
  const server = await pool.get("fake", undefined, signal());
  for (const name of names) await server.ensureOpen(join(root, name), signal());
  write(join(root, "a.fake"), "22");
  expect((await server.ensureOpen(join(root, "a.fake"), signal())).lines.text).toBe("22");
});

test("a server that says when it has listed its files is not ready after a new source file, until it says so again", async () => {
  const text = ["source file"];
  const ready = { ...{ progress: false, atOnce: false, eachFolder: true, text }, field: "/message" };
  const { server, root, file } = await session(
    {},
    {
      server: { ready: { ...ready, notification: "window/logMessage" } },
      files: { "b.fake": "1", ".gitignore": "gen/\n" },
    },
  );
  const found = { notify: "window/logMessage", params: { type: 3, message: "Found 2 source files" } };
  const readinessAfter = async (name: string) => {
    write(join(root, name), "22");
    await server.ensureOpen(file, signal());
    return server.readiness;
  };
  await act(server, found);
  for (const name of ["b.fake", "notes.md", "gen/c.fake"]) expect(await readinessAfter(name)).toBe("ready");
  expect(await readinessAfter("c.fake")).toBe("unknown");
  await act(server, found);
  expect(server.readiness).toBe("ready");
});

test("a server that only sees open files gets the changed ones opened", async () => {
  const { server, root, file } = await session(
    {},
    { server: { openOnChange: true }, files: { "b.fake": "1" } },
  );
  await server.ensureOpen(file, signal());
  write(join(root, "b.fake"), "2");
  await server.ensureOpen(file, signal());
  expect(await ask(server, "fake/documents")).toMatchObject([{ text: "hello\n" }, { text: "2" }]);
});

test("what a document imports is opened with it, directly and so many files only", async () => {
  const files = {
    "b.fake": 'import "./deep"; import "./deep.fake";',
    "c.fake": "",
    "d/index.fake": "",
    "e.fake": "",
    "deep.fake": "",
    "denied/x.fake": "",
  };
  const text =
    "import \"./b\"; require('./c.js') \"./d\" './none' \"../../../etc/passwd\" './denied/x' './link' \"./e\"\n";
  const names = async (warmImports: number) => {
    const { server, root, file } = await session(
      {},
      {
        server: { warmImports },
        files,
        text,
        plan: { workspace: { roots: ["."], extraRoots: [], deny: ["denied/**"] } },
      },
    );
    symlinkSync("/etc/hostname", join(root, "link.fake"));
    await server.ensureOpen(file, signal());
    const opened = async () =>
      ((await ask(server, "fake/documents")) as { uri: string }[]).map(({ uri }) =>
        uri.slice(pathToFileURL(root).href.length + 1),
      );
    return { opened, first: file.slice(root.length + 1) };
  };
  const all = await names(50);
  await until(async () => (await all.opened()).length >= 5);
  expect(await all.opened()).toEqual([all.first, "b.fake", "c.fake", "d/index.fake", "e.fake"]);
  const two = await names(2);
  await until(async () => (await two.opened()).length >= 3);
  expect(await two.opened()).toEqual([two.first, "b.fake", "c.fake"]);
  const none = await names(0);
  expect(await none.opened()).toEqual([none.first]);
});

test("workspace symbols open one file of the language first when nothing is open", async () => {
  const { server, file } = await session(
    { capabilities: { workspaceSymbolProvider: true }, replies: { "workspace/symbol": [] } },
    { files: { "sub/z.fake": "" } },
  );
  await ask(server, "workspace/symbol", { query: "x" });
  expect(await ask(server, "fake/documents")).toMatchObject([{ uri: pathToFileURL(file).href }]);
});

test("the text of a file that is not open is read from disk, and again after it has changed", async () => {
  const { server, root } = await session({}, { files: { "b.fake": "one" } });
  const uri = pathToFileURL(join(root, "b.fake")).href;
  expect((await server.textOf(uri))?.text).toBe("one");
  write(join(root, "b.fake"), "two");
  expect((await server.textOf(uri))?.text).toBe("two");
  expect(await server.textOf(`${uri}x`)).toBeUndefined();
  expect(await server.textOf("untitled:1")).toBeUndefined();
});
