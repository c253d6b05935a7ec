/** What a start and a warm call cost, counted and not timed: a regression fails on any machine. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs, { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Message } from "vscode-jsonrpc/node";
import type { JsonObject } from "../../src/base/json.js";
import { Input } from "../../src/cli/command.js";
import { compile } from "../../src/cli/compile.js";
import { ResyncReader } from "../../src/lsp/wire/resync-reader.js";
import { answerSchema } from "../../src/protocol/envelope.js";
import { loadBundle } from "../../src/runtime/bundle/load.js";
import { openRuntime, type Runtime } from "../../src/runtime/runtime.js";
import type { Scenario } from "../fake-server/index.js";
import { program, repository, testEnvironment } from "../live/session.js";
import { planOf } from "../plan/config.js";
import { openTestWorkspace, writeTestWorkspace } from "../runtime/test-workspace.js";

describe("a start", () => {
  let folder: string;
  const trace = () => join(folder, "modules.txt");
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-counts-")));
    writeFileSync(join(folder, "lspi.toml"), '[[servers]]\nid = "py"\nkind = "pyright"\n');
    const words = ["generate", "--config", join(folder, "lspi.toml"), "--out", join(folder, "bundle")];
    execFileSync(process.execPath, [program, ...words], { env: testEnvironment(), stdio: "ignore" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The program's own files that a start imports. */
  function codeOf(...words: string[]): string[] {
    rmSync(trace(), { force: true });
    const hello = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "0" },
    };
    const messages: JsonObject[] = [
      { jsonrpc: "2.0", id: 0, method: "initialize", params: hello },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 1, method: "tools/list" },
    ];
    const hook = join(repository, "test", "cli", "module-trace.mjs");
    const answers = execFileSync(process.execPath, ["--import", hook, program, "serve", ...words], {
      env: { ...testEnvironment(), MODULE_TRACE: trace() },
      input: messages.map((message) => `${JSON.stringify(message)}\n`).join(""),
      stdio: ["pipe", "pipe", "ignore"],
    });
    expect(answers.toString().trim().split("\n")).toHaveLength(2);
    const read = readFileSync(trace(), "utf8")
      .trim()
      .split("\n")
      .filter((url) => url.startsWith("file:"))
      .map((url) => fileURLToPath(url));
    return [...new Set(read)].filter((file) => file.startsWith(join(repository, "dist", "cli")));
  }

  const sizeOf = (files: string[]) => files.reduce((sum, file) => sum + statSync(file).size, 0);

  it("of a bundle reads code of bounded size", () => {
    const code = codeOf("--bundle", join(folder, "bundle"), "--workspace", folder);
    // `import * as z from "zod"`: by its other name, all of its languages come along.
    expect(sizeOf(code)).toBeLessThan(1_600_000);
  });

  it("of a config reads the compiler besides, and neither Ajv nor semver", () => {
    const code = codeOf("--config", join(folder, "lspi.toml"));
    expect(sizeOf(code)).toBeLessThan(2_200_000);
    const marks = ["strictTypes", "SEMVER_SPEC_VERSION"];
    const isRead = (mark: string) => code.some((file) => readFileSync(file, "utf8").includes(mark));
    expect(marks.filter(isRead)).toEqual([]);
  });
});

/** A config with tools that somebody wrote, each with an argument of its own. */
function configOf(tools: number): string {
  const one = (n: number) => `[[tools]]
name = "tool_${n}"
description = "Tool ${n}."
input = ["position", "symbol"]
output = "locations"
args.option_${n} = { type = "boolean", default = true, description = "Option ${n}." }
request = { method = "textDocument/references", params = "text_document_position" }
`;
  return `[[servers]]\nid = "py"\nkind = "pyright"\n${Array.from({ length: tools }, (_, n) => one(n)).join("")}`;
}

describe("compiling a config", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-counts-")));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("reads as many files for eighty tools of one's own as for twenty", async () => {
    const read: number[] = [];
    for (const tools of [20, 20, 80]) {
      const config = join(folder, "lspi.toml");
      writeFileSync(config, configOf(tools));
      const tally = nothing();
      const restore = watchFiles(tally);
      const { stdin, stdout, stderr } = process;
      const io = { stdin, stdout, stderr, env: testEnvironment(), cwd: folder };
      const { bundle } = await compile(new Input({ config }), io).finally(restore);
      expect(bundle.files.length).toBeGreaterThan(4 * tools);
      read.push(tally.opened);
    }
    // The first one reads the program's own data besides.
    expect(read[2]).toBe(read[1]);
  });

  it("makes equal schemas for tools whose answers have the same form", () => {
    const { tools, dialect } = planOf(configOf(2)).plan;
    const [one, other] = tools.filter(({ name }) => name.startsWith("tool_"));
    if (one === undefined || other === undefined) throw new Error("there are no two tools");
    const schema = answerSchema(one, dialect);
    expect(answerSchema(other, dialect)).toEqual(schema);
    const counted = { ...other, output: { ...other.output, count: "count" } };
    expect(answerSchema(counted, dialect)).not.toEqual(schema);
    expect(answerSchema({ ...other, input: ["position"] }, dialect)).not.toEqual(schema);
  });
});

/** What was done to files, and what went over the wire, since the last look at it. */
interface Tally {
  opened: number;
  lookedAt: number;
  /** Folders that were listed. */
  listed: number;
  sent: string[];
  sentBytes: number;
  received: number;
}

const nothing = (): Tally => ({
  ...{ opened: 0, lookedAt: 0, listed: 0 },
  ...{ sent: [], sentBytes: 0, received: 0 },
});

/** A runtime whose messages to and from its server are counted. */
async function openCounted(files: { [path: string]: string }, scenario: Scenario, tally: Tally) {
  const { outside, bundle } = writeTestWorkspace({ files, servers: { fake: { scenario } } });
  const runtime = await openRuntime(await loadBundle({ bundle }, {}), {
    ...{ base: outside, env: process.env, log: () => undefined, binFolders: [], version: "0" },
    stateFolder: join(outside, "state"),
    ...{ ownFiles: [], avoid: [] },
    trace: ({ side, direction, message }) => {
      if (side !== "lsp") return;
      if (direction === "received") tally.received++;
      else {
        tally.sent.push((message as { method?: string }).method ?? "answer");
        tally.sentBytes += JSON.stringify(message).length;
      }
    },
  });
  return { runtime, top: outside };
}

describe("a warm call", () => {
  const tally = nothing();
  let runtime: Runtime;
  let top: string;
  let restore = () => {};
  const lines = Array.from({ length: 200 }, (_, line) => `name${line} = target`);
  const at = (line: number) => ({ uri: "file:///work/a.fake", range: span(line) });
  const span = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 4 } });

  beforeAll(async () => {
    const scenario = {
      capabilities: {
        ...{ hoverProvider: true, definitionProvider: true, referencesProvider: true },
        ...{ documentSymbolProvider: true, workspaceSymbolProvider: true },
      },
      replies: {
        "textDocument/hover": { contents: "words" },
        "textDocument/definition": [at(3)],
        "textDocument/references": [at(3), { uri: "file:///work/b.fake", range: span(1) }],
        "textDocument/documentSymbol": [{ name: "name3", kind: 13, range: span(3), selectionRange: span(3) }],
        "workspace/symbol": [{ name: "name3", kind: 13, location: at(3) }],
      },
    };
    const files = { "a.fake": lines.join("\n"), "b.fake": "one\ntwo\n" };
    ({ runtime, top } = await openCounted(files, scenario, tally));
    restore = watchFiles(tally);
    // A file that was written two seconds ago and more is known by its stamp.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    await count("find_references", { line: 1 });
    await count("find_references", { line: 2 });
  });
  afterAll(async () => {
    restore();
    vi.useRealTimers();
    await runtime.close();
    rmSync(top, { recursive: true, force: true });
  });

  const session = () => runtime.openSession();
  let shared: ReturnType<typeof session> | undefined;
  async function count(tool: string, args: JsonObject): Promise<Tally> {
    shared ??= session();
    Object.assign(tally, nothing());
    const pointing = tool === "search_workspace_symbols" ? {} : { file_path: "a.fake" };
    const place = "line" in args ? { ...args, character: 1 } : args;
    const outcome = await shared.call(
      tool,
      { ...pointing, ...place },
      { signal: new AbortController().signal },
    );
    expect(outcome.isError, JSON.stringify(outcome.structured)).toBe(false);
    return { ...tally };
  }

  it.each([
    ["get_hover", { line: 10 }, "textDocument/hover"],
    ["find_definition", { line: 11 }, "textDocument/definition"],
    ["find_references", { line: 12 }, "textDocument/references"],
    ["get_document_symbols", {}, "textDocument/documentSymbol"],
    ["search_workspace_symbols", { query: "name3" }, "workspace/symbol"],
  ])("of %s sends one message, reads no file, and sends none again", async (tool, args, method) => {
    const counted = await count(tool, args);
    expect(counted.sent).toEqual([method]);
    expect(counted.received).toBe(1);
    expect(counted.opened).toBe(0);
    expect(counted.listed).toBe(0);
    expect(counted.sentBytes).toBeLessThan(400);
    // The named file, the root, the open and shown files before the question, and the files of the answer after it.
    expect(counted.lookedAt).toBeLessThanOrEqual(12);
  });

  it("after one line of the file changed sends that line, not the file", async () => {
    const changed = [...lines];
    changed[5] = "other = target";
    writeFileSync(join(top, "work", "a.fake"), changed.join("\n"));
    const counted = await count("get_hover", { line: 21 });
    expect(counted.sent.filter((method) => method.startsWith("textDocument/didOpen"))).toEqual([]);
    expect(counted.sent).toContain("textDocument/didChange");
    expect(counted.sentBytes).toBeLessThan(1500);
  });
});

describe("a message of a server", () => {
  const body = (bytes: number) =>
    Buffer.from(JSON.stringify({ jsonrpc: "2.0", method: "x", params: "y".repeat(bytes) }));
  const framed = (bytes: number) => {
    const text = body(bytes);
    return Buffer.concat([Buffer.from(`Content-Length: ${text.length}\r\n\r\n`), text]);
  };

  it.each([
    ["in one piece is copied nowhere", 10_000, 1, 0],
    ["in two pieces is put together once", 100_000, 2, 1],
    ["that is large is gathered once, in however many pieces", 2_000_000, 31, 1],
  ])("%s", async (_what, bytes, pieces, times) => {
    const message = framed(bytes);
    const input = new Readable({ read: () => undefined });
    const read: Message[] = [];
    new ResyncReader(input, 16 * 2 ** 20, () => {}).listen((one) => read.push(one));
    const copied = watchCopies(message);
    try {
      const size = Math.ceil(message.length / pieces);
      for (let at = 0; at < message.length; at += size) input.push(message.subarray(at, at + size));
      await expect.poll(() => read).toHaveLength(1);
    } finally {
      copied.restore();
    }
    // Its head may be put back once more, before it is known how large the whole will be.
    expect(copied.bytes()).toBeLessThanOrEqual(times * (message.length + Math.ceil(message.length / pieces)));
    expect(copied.bytes()).toBeGreaterThanOrEqual(times * message.length * 0.5);
  });
});

describe("get_diagnostics of a file that has not changed", () => {
  const bad = { $find: "bad", as: "diagnostics" };
  const diagnosticProvider = { interFileDependencies: true, workspaceDiagnostics: false };
  const pulled: Scenario = {
    capabilities: { diagnosticProvider },
    replies: { "textDocument/diagnostic": { kind: "full", items: bad } },
  };
  const uri = { $: "/params/textDocument/uri" };
  const params = { uri, version: { $version: true }, diagnostics: bad };
  const pushed: Scenario = {
    on: { "textDocument/didOpen": [{ notify: "textDocument/publishDiagnostics", params }] },
  };

  it.each([
    ["sends the question alone, where the server is asked", pulled, ["textDocument/diagnostic"]],
    ["sends nothing, where the server tells", pushed, []],
  ])("reads nothing, and %s", async (_, scenario, sent) => {
    const tally = nothing();
    const { runtime, top } = await openCounted({ "a.fake": "good\nbad\n" }, scenario, tally);
    const restore = watchFiles(tally);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    const session = runtime.openSession();
    const ask = async () => {
      Object.assign(tally, nothing());
      const { signal } = new AbortController();
      const { structured } = await session.call("get_diagnostics", { file_path: "a.fake" }, { signal });
      expect(structured).toMatchObject({ total: 1, status: "diagnostics" });
      return { ...tally };
    };
    try {
      await ask();
      const again = await ask();
      expect(again).toMatchObject({ opened: 0, sent, received: sent.length });
      expect(again.sentBytes).toBeLessThan(200);
      expect(again.lookedAt).toBeLessThanOrEqual(8);
    } finally {
      vi.useRealTimers();
      restore();
      await runtime.close();
      rmSync(top, { recursive: true, force: true });
    }
  });
});

describe("an answer", () => {
  it("has each word of the server twice, as text and as data, and little besides", async () => {
    const long = 5000;
    const contents = { $each: [{ contents: "w" }, { contents: { $repeat: "w", times: long } }] };
    const scenario = { capabilities: { hoverProvider: true }, replies: { "textDocument/hover": contents } };
    const { outside } = writeTestWorkspace({
      files: { "a.fake": "x\ny\n" },
      servers: { fake: { scenario } },
    });
    const child = spawn(process.execPath, [program, "serve", "--config", join(outside, "lspi.json")], {
      env: testEnvironment(),
      stdio: ["pipe", "pipe", "ignore"],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    /** The bytes that a request is answered with. */
    const ask = async (id: number, method: string, params: JsonObject) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error("the program is gone");
        if ((JSON.parse(value) as { id?: number }).id === id) return Buffer.byteLength(`${value}\n`);
      }
    };
    const hover = (line: number) =>
      ask(line, "tools/call", { name: "get_hover", arguments: { file_path: "a.fake", line, character: 1 } });
    try {
      const clientInfo = { name: "t", version: "0" };
      await ask(0, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
      const short = await hover(1);
      expect(short).toBeLessThanOrEqual(460);
      expect(await hover(2)).toBe(short + 2 * (long - 1));
    } finally {
      child.kill();
      await once(child, "close");
      rmSync(outside, { recursive: true, force: true });
    }
  });
});

describe("a long listing", () => {
  it("stats each of its files twice at most, and opens those of its page", async () => {
    const names = Array.from({ length: 400 }, (_, n) => `f${1000 + n}.fake`);
    const method = "textDocument/references";
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    const scenario = {
      capabilities: { referencesProvider: true },
      replies: { [method]: names.map((name) => ({ uri: `file:///work/${name}`, range })) },
    };
    const files = Object.fromEntries(["a.fake", ...names].map((name) => [name, "x\n"]));
    const work = await openTestWorkspace({ files, servers: { fake: { scenario } } });
    const tally = nothing();
    // What the start of the server and the watches look at does not count.
    await work.call("find_references", { file_path: "a.fake", line: 1, character: 1, page_size: 3 });
    const restore = watchFiles(tally);
    try {
      const asked = { file_path: "a.fake", line: 1, character: 2, page_size: 4 };
      const { structured } = await work.call("find_references", asked);
      expect(structured).toMatchObject({ total: names.length, shown: 4 });
    } finally {
      restore();
      await work.close();
    }
    // Once for its real path, once to see that it did not change meanwhile; besides, what every call stats.
    expect(tally.lookedAt).toBeLessThan(2 * names.length + 64);
    expect(tally.opened).toBeLessThan(20);
  });
});

describe("a page of more files than are open", () => {
  it("reads none of them again while they have not changed", async () => {
    const names = Array.from({ length: 150 }, (_, number) => `f${1000 + number}.fake`);
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 1 } };
    const symbols = names.map((name) => ({
      ...{ name: "x", kind: 13, location: { uri: `file:///work/${name}`, range } },
    }));
    const scenario = {
      capabilities: { workspaceSymbolProvider: true },
      replies: { "workspace/symbol": symbols },
    };
    const files = Object.fromEntries(names.map((name) => [name, "a\nx = 1\n"]));
    const work = await openTestWorkspace({ files, servers: { fake: { scenario } } });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    const ask = (query: string) => work.call("search_workspace_symbols", { query, page_size: 150 });
    const tally = nothing();
    await ask("one");
    const restore = watchFiles(tally);
    try {
      const { structured } = await ask("two");
      expect(structured).toMatchObject({ total: names.length, shown: names.length });
      expect(tally.opened).toBe(0);
    } finally {
      restore();
      vi.useRealTimers();
      await work.close();
    }
  });
});

describe("a call after many files were asked about", () => {
  it("stats a bounded number of them and reads none", async () => {
    const names = Array.from({ length: 60 }, (_, number) => `f${number}.fake`);
    const scenario = {
      capabilities: { hoverProvider: true, textDocumentSync: 1 },
      replies: { "textDocument/hover": [{ result: { contents: "words" } }] },
    };
    const files = Object.fromEntries(names.map((name) => [name, "x\n".repeat(20)]));
    const work = await openTestWorkspace({ files, servers: { fake: { scenario } } });
    const tally = nothing();
    const ask = (file: string, line: number) =>
      work.call("get_hover", { file_path: file, line, character: 1 });
    for (const name of names) await ask(name, 1);
    const restore = watchFiles(tally);
    let line = 1;
    const looks = async () => {
      tally.lookedAt = 0;
      tally.opened = 0;
      tally.listed = 0;
      line = (line % 19) + 1;
      await ask("f0.fake", line);
      return tally;
    };
    try {
      // A file that was written in the last two seconds is read to be sure.
      await expect.poll(async () => (await looks()).opened).toBe(0);
      expect((await looks()).lookedAt).toBeLessThanOrEqual(64);
      expect((await looks()).listed).toBe(0);
    } finally {
      restore();
      await work.close();
    }
  });
});

describe("a call after files were created and deleted", () => {
  it("lists no folder, where a pattern marks the root", async () => {
    const scenario = {
      capabilities: { hoverProvider: true },
      replies: { "textDocument/hover": { contents: "words" } },
    };
    const config = { root_markers: ["*.sln", "none"], share_roots: false };
    const files = { "one/a.sln": "", "one/src/a.fake": "x\n", "two/src/b.fake": "x\n", "two/c.fake": "x\n" };
    const work = await openTestWorkspace({ files, servers: { fake: { scenario, config } } });
    const tally = nothing();
    const ask = async (file: string) => {
      tally.listed = 0;
      await work.call("get_hover", { file_path: file, line: 1, character: 1 });
      return tally.listed;
    };
    const roots = async () => {
      const { structured } = await work.call("get_server_status", {});
      return (structured.servers as { root: string | null }[]).map(({ root }) => root).toSorted();
    };
    await ask("one/src/a.fake");
    await ask("two/src/b.fake");
    const restore = watchFiles(tally);
    try {
      expect(await roots()).toEqual([".", "one"]);
      writeFileSync(join(work.folder, "one", "new.fake"), "x\n");
      expect([await ask("one/src/a.fake"), await ask("two/src/b.fake")]).toEqual([0, 0]);
      rmSync(join(work.folder, "one", "new.fake"));
      expect([await ask("one/src/a.fake"), await ask("two/src/b.fake")]).toEqual([0, 0]);
      // What the watch knows decides: a marker that comes makes a root.
      writeFileSync(join(work.folder, "two", "b.sln"), "");
      await ask("two/src/b.fake");
      expect(await roots()).toEqual([".", "one", "two"]);
    } finally {
      restore();
      await work.close();
    }
  });
});

/** Counts the bytes of a piece of memory that are copied to another one. */
function watchCopies({ buffer }: Buffer): { bytes(): number; restore(): void } {
  let bytes = 0;
  const count = (value: unknown, length?: number) => {
    if (value instanceof Uint8Array && value.buffer === buffer) bytes += length ?? value.length;
  };
  const { concat, from } = Buffer;
  const typed = Object.getPrototypeOf(Uint8Array.prototype) as { set: Uint8Array["set"] };
  const { set } = typed;
  const { copy } = Buffer.prototype;
  Object.assign(Buffer, {
    concat(list: readonly Uint8Array[], length?: number) {
      for (const part of list) count(part);
      return concat(list, length);
    },
    from(...given: Parameters<typeof from>) {
      count(given[0]);
      return from(...given);
    },
  });
  typed.set = function (this: Uint8Array, values, offset) {
    count(values);
    return set.call(this, values, offset);
  };
  Buffer.prototype.copy = function (this: Buffer, ...given: Parameters<Buffer["copy"]>) {
    const length = copy.apply(this, given);
    count(this, length);
    return length;
  };
  return {
    bytes: () => bytes,
    restore() {
      Object.assign(Buffer, { concat, from });
      typed.set = set;
      Buffer.prototype.copy = copy;
    },
  };
}

/** Counts the files that are opened and those that are looked at. */
function watchFiles(tally: Tally): () => void {
  const kept = { ...fs };
  const keptPromises = { ...fs.promises };
  const opens = ["openSync", "readFileSync"] as const;
  const looks = ["lstatSync", "statSync"] as const;
  const lists = ["readdirSync", "opendirSync"] as const;
  const counting = (key: "opened" | "lookedAt" | "listed", original: (...args: never[]) => unknown) =>
    Object.assign((...args: never[]) => {
      tally[key]++;
      return original(...args);
    }, original);
  for (const name of opens) Object.assign(fs, { [name]: counting("opened", kept[name] as never) });
  for (const name of looks) Object.assign(fs, { [name]: counting("lookedAt", kept[name] as never) });
  for (const name of lists) Object.assign(fs, { [name]: counting("listed", kept[name] as never) });
  const { native } = fs.realpathSync;
  fs.realpathSync.native = counting("lookedAt", native as never) as typeof native;
  for (const name of ["open", "readFile"] as const)
    Object.assign(fs.promises, { [name]: counting("opened", keptPromises[name] as never) });
  for (const name of ["readdir", "opendir"] as const)
    Object.assign(fs.promises, { [name]: counting("listed", keptPromises[name] as never) });
  for (const name of ["lstat", "stat", "realpath"] as const)
    Object.assign(fs.promises, { [name]: counting("lookedAt", keptPromises[name] as never) });
  syncBuiltinESMExports();
  return () => {
    fs.realpathSync.native = native;
    for (const name of [...opens, ...looks, ...lists]) Object.assign(fs, { [name]: kept[name] });
    Object.assign(fs.promises, keptPromises);
    syncBuiltinESMExports();
  };
}
