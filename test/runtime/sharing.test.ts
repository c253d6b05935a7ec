/** Identical calls share one request while it is under way, and an answer is given again only while it is true. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import type { Scenario } from "../fake-server/index.js";
import { openWorkshop, range, type Workshop, type WorkshopOptions } from "./workshop.js";

let workshop: Workshop | undefined;
const gates: string[] = [];
afterEach(async () => {
  await workshop?.close();
  workshop = undefined;
  for (const folder of gates.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function open(options: WorkshopOptions): Promise<Workshop> {
  workshop = await openWorkshop(options);
  return workshop;
}

const method = "textDocument/definition";
const at = { file_path: "a.fake", line: 1, character: 1 };
const files = { "a.fake": "one two\n", "b.fake": "two\n", "sub/c.fake": "three\n" };
const capabilities = { definitionProvider: true, hoverProvider: true };
const places = [{ uri: "file:///work/b.fake", range: range(0, 0, 3) }];

/** A server that answers only when a file appears. */
function slow(): { scenario: Scenario; release: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-gate-"));
  gates.push(folder);
  const gate = join(folder, "go");
  return {
    scenario: { capabilities, on: { [method]: [{ waitFile: gate }, { reply: places }] } },
    release: () => writeFileSync(gate, ""),
  };
}

/** Long enough for every call that was begun before to have joined what is under way. */
async function settled({ runtime }: Workshop): Promise<void> {
  await runtime.pool.checkFiles();
  for (let turn = 0; turn < 50; turn++) await nextTurn();
}

describe("identical calls at the same time", () => {
  it("share one request", async () => {
    const { scenario, release } = slow();
    const work = await open({ files, servers: { fake: { scenario } } });
    const calls = [work.call("find_definition", at), work.call("find_definition", at)];
    await expect.poll(async () => (await work.received(method)).length, { timeout: 20_000 }).toBe(1);
    calls.push(work.call("find_definition", { ...at }));
    const other = work.call("find_definition", { ...at, character: 2 });
    await expect.poll(async () => (await work.received(method)).length, { timeout: 20_000 }).toBe(2);
    await settled(work);
    release();
    const outcomes = await Promise.all(calls);
    expect(outcomes.map(({ structured }) => structured.total)).toEqual([1, 1, 1]);
    expect((await other).isError).toBe(false);
    expect(await work.received(method)).toHaveLength(2);
  });

  it("share one request within a batch too", async () => {
    const { scenario, release } = slow();
    const work = await open({
      files,
      servers: { fake: { scenario } },
      config: { extends: ["tools/core", "tools/batch"] },
    });
    const operations = Array.from({ length: 8 }, () => ({ tool: "find_definition", args: at }));
    const batch = work.call("batch_execute", { operations, parallel: true });
    await expect.poll(async () => (await work.received(method)).length, { timeout: 20_000 }).toBe(1);
    await settled(work);
    release();
    expect((await batch).structured).toMatchObject({ successful: 8 });
    expect(await work.received(method)).toHaveLength(1);
  });

  it("leave alone: the answer goes on for the others, and is cancelled with the last", async () => {
    const { scenario, release } = slow();
    const work = await open({ files, servers: { fake: { scenario } } });
    const [first, second] = [new AbortController(), new AbortController()];
    const left = work.call("find_definition", at, first.signal);
    const stays = work.call("find_definition", at, second.signal);
    await expect.poll(async () => (await work.received(method)).length, { timeout: 20_000 }).toBe(1);
    await settled(work);
    first.abort();
    expect((await left).structured).toMatchObject({ error: { code: "call/cancelled" } });
    expect(await work.received("$/cancelRequest")).toHaveLength(0);
    second.abort();
    expect((await stays).structured).toMatchObject({ error: { code: "call/cancelled" } });
    await expect
      .poll(async () => (await work.received("$/cancelRequest")).length, { timeout: 20_000 })
      .toBe(1);
    release();
  });

  it("do not share across a change: who asks later is told of the newer file", async () => {
    const { scenario, release } = slow();
    const work = await open({ files, servers: { fake: { scenario } } });
    const before = work.call("find_definition", at);
    await expect.poll(async () => (await work.received(method)).length, { timeout: 20_000 }).toBe(1);
    writeFileSync(join(work.folder, "b.fake"), "two and more\n");
    const after = work.call("find_definition", at);
    await expect.poll(async () => (await work.received(method)).length, { timeout: 20_000 }).toBe(2);
    release();
    expect((await before).isError).toBe(false);
    expect((await after).structured.locations).toMatchObject([{ text: "two and more" }]);
  });
});

describe("a kept answer", () => {
  const scenario: Scenario = { capabilities, replies: { [method]: places } };

  /** Calls until an answer comes without a request; gives the number of requests so far. */
  async function kept(work: Workshop): Promise<number> {
    let count = -1;
    await expect
      .poll(
        async () => {
          const before = (await work.received(method)).length;
          expect((await work.call("find_definition", at)).structured.total).toBe(1);
          count = (await work.received(method)).length;
          return before > 0 && count === before;
        },
        { timeout: 30_000, interval: 100 },
      )
      .toBe(true);
    return count;
  }

  const changes: [string, (work: Workshop) => unknown][] = [
    ["the file itself changes", (work) => writeFileSync(join(work.folder, "a.fake"), "one two three\n")],
    ["another file changes", (work) => writeFileSync(join(work.folder, "sub/c.fake"), "four\n")],
    ["a file is new", (work) => writeFileSync(join(work.folder, "d.fake"), "four\n")],
    [
      "the server says something",
      async (work) => {
        const [server] = work.runtime.pool.running();
        const actions = [{ notify: "window/logMessage", params: { type: 3, message: "news" } }];
        await server?.request("fake/do", { actions }, { signal: new AbortController().signal });
      },
    ],
  ];

  it.each(changes)("is asked for again when %s", async (_what, change) => {
    const work = await open({
      files,
      servers: { fake: { scenario } },
      config: { methods: [{ method: "fake/received" }, { method: "fake/do" }] },
    });
    const count = await kept(work);
    await change(work);
    const { structured } = await work.call("find_definition", at);
    expect(structured.total).toBe(1);
    expect((await work.received(method)).length).toBe(count + 1);
  });

  it("is given to calls within calls as well, and goes the other way", async () => {
    const work = await open({
      files,
      servers: { fake: { scenario } },
      config: { extends: ["tools/core", "tools/batch"] },
    });
    const operation = { tool: "find_definition", args: at };
    const count = await kept(work);
    const { structured } = await work.call("batch_execute", {
      operations: Array.from({ length: 20 }, () => operation),
    });
    expect(structured).toMatchObject({ successful: 20, server_id: "fake", readiness: "ready" });
    expect((await work.received(method)).length).toBe(count);
  });

  const list = "textDocument/references";

  /** A workshop whose server knows two references. */
  function openListed(): Promise<Workshop> {
    const many = [0, 4].map((start) => ({ uri: "file:///work/a.fake", range: range(0, start, start + 3) }));
    const listed: Scenario = { capabilities: { referencesProvider: true }, replies: { [list]: many } };
    return open({ files, servers: { fake: { scenario: listed } } });
  }

  /** Asks until an answer comes without a request; gives that, and the number of requests so far. */
  async function keptList(work: Workshop, asked: JsonObject) {
    let first = await work.call("find_references", asked);
    await expect
      .poll(
        async () => {
          const before = (await work.received(list)).length;
          first = await work.call("find_references", asked);
          return (await work.received(list)).length === before;
        },
        { timeout: 30_000, interval: 100 },
      )
      .toBe(true);
    return { first, count: (await work.received(list)).length };
  }

  it("is kept with its further pages, for its own session", async () => {
    const work = await openListed();
    const asked = { ...at, page_size: 1 };
    const { first, count } = await keptList(work, asked);
    const next = await work.call("find_references", { ...asked, cursor: first.structured.next_cursor ?? "" });
    expect(next.structured).toMatchObject({ total: 2, shown: 1, locations: [{ character: 5 }] });
    const other = work.runtime.openSession();
    const options = { signal: new AbortController().signal };
    const theirs = await other.call("find_references", asked, options);
    expect((await work.received(list)).length).toBe(count + 1);
    const cursor = theirs.structured.next_cursor ?? "";
    expect((await other.call("find_references", { ...asked, cursor }, options)).isError).toBe(false);
  });

  it("is for other sessions as well where it is the whole listing", async () => {
    const work = await openListed();
    const asked = { ...at, page_size: 2 };
    const { count } = await keptList(work, asked);
    const other = work.runtime.openSession();
    const theirs = await other.call("find_references", asked, { signal: new AbortController().signal });
    expect(theirs.structured).toMatchObject({ total: 2, shown: 2, truncated: false });
    expect((await work.received(list)).length).toBe(count);
  });

  it("is asked for again of a server that was started anew", async () => {
    const work = await open({ files, servers: { fake: { scenario } } });
    await kept(work);
    await work.runtime.pool.restart("fake");
    await work.call("find_definition", at);
    expect(await work.received(method)).toHaveLength(1);
  });

  it("is only for the same question", async () => {
    const work = await open({ files, servers: { fake: { scenario } } });
    const count = await kept(work);
    await work.call("find_definition", { ...at, character: 2 });
    expect((await work.received(method)).length).toBe(count + 1);
  });

  it("is none without room for it, and none while the server indexes", async () => {
    const none = await open({
      files,
      servers: { fake: { scenario } },
      config: { limits: { cache_bytes: 0 } },
    });
    for (let turn = 0; turn < 4; turn++) {
      await none.call("find_definition", at);
      await settled(none);
    }
    expect(await none.received(method)).toHaveLength(4);
    await none.close();
    const begin = { token: "index", value: { kind: "begin", title: "Indexing" } };
    const busy = await open({
      files,
      servers: {
        fake: {
          scenario: { ...scenario, on: { initialized: [{ notify: "$/progress", params: begin }] } },
          config: { warmup_timeout_ms: 50 },
        },
      },
      config: { limits: { timeout_ms: 2000 } },
    });
    for (let turn = 0; turn < 3; turn++) {
      const { structured } = await busy.call("find_definition", at);
      expect(structured.readiness).toBe("indexing");
      await settled(busy);
    }
    expect((await busy.received(method)).length).toBeGreaterThanOrEqual(3);
  });
});
