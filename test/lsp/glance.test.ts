/** A mark that trusts the system's watches for a moment: proven by a look at everything, and taken back where they had missed something. */
import { linkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { PoolContext, PoolMark, ServerPool } from "../../src/lsp/types.js";
import { fakeServer } from "../fake-server/index.js";
import {
  afterThis,
  poolOf,
  received,
  scenarios,
  session,
  signal,
  until,
  workspace,
  write,
} from "./support.js";

describe.runIf(process.platform === "linux")("a glance", () => {
  const files = { "a.fake": "one\n", "b.fake": "two\n" };

  /** A pool with one server that has both files open, of which one has a second name elsewhere. */
  async function open() {
    const { root, pool, server, file } = await session({}, { files });
    const outside = workspace({});
    linkSync(join(root, "b.fake"), join(outside, "b"));
    await server.sync(file, signal());
    await server.sync(join(root, "b.fake"), signal());
    await pool.mark();
    return { root, pool, server, outside };
  }

  /** A glance while nothing happens, whose look has yet to begin. */
  async function restedGlance(pool: ServerPool): Promise<PoolMark> {
    await pool.mark();
    const glanced = pool.glance();
    if (glanced === undefined) throw new Error("something has happened");
    return glanced;
  }

  /** A pool of which nobody has asked anything yet. */
  function fresh(context: Partial<PoolContext> = {}) {
    const root = workspace(files);
    return { root, pool: poolOf(root, [fakeServer(scenarios(), {})], {}, context) };
  }

  test("is a mark like any other while nothing happens", async () => {
    const { pool } = await open();
    const glanced = pool.glance();
    const { files: now, all } = await pool.mark();
    expect(glanced).toMatchObject({ files: now, all });
    expect(await glanced?.holds()).toBe(true);
  });

  test("is none where something was seen to happen, until that was looked at", async () => {
    const { root, pool } = await open();
    write(join(root, "c.fake"), "three\n");
    // The system has told of it then; asking meanwhile would look at it.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(pool.glance()).toBeUndefined();
    await pool.mark();
    expect(pool.glance()).toBeDefined();
  });

  test("is given too while a look only waits for what the system tells", async () => {
    const { pool } = await open();
    const looking = pool.mark();
    const glanced = pool.glance();
    expect(glanced).toBeDefined();
    await looking;
    expect(await glanced?.holds()).toBe(true);
  });

  test("does not hold where something had happened that the system was yet to tell of", async () => {
    const { root, pool } = await open();
    write(join(root, "c.fake"), "three\n");
    const glanced = pool.glance();
    expect(await glanced?.holds()).toBe(false);
  });

  test("is proven by a look at the document that was taken to be as it was, whoever glances meanwhile", async () => {
    const { pool, server } = await open();
    // In no root: nobody tells of it but a look at it as a document.
    const path = join(workspace({ "far.fake": "one\n" }), "far.fake");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    afterThis(() => void vi.useRealTimers());
    await server.sync(path, signal());
    const glanced = await restedGlance(pool);
    expect(server.synced(path, glanced.lookedAt, true)?.lines.text).toBe("one\n");
    write(path, "second\n");
    let isOver = false;
    const holds = Promise.resolve(glanced.holds()).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      pool.glance();
      await nextTurn();
    }
    expect(await holds).toBe(false);
    expect(server.synced(path, (await restedGlance(pool)).lookedAt, true)?.lines.text).toBe("second\n");
  });

  test("does not hold where a file was written unseen; the server hears of it", async () => {
    const { pool, server, outside } = await open();
    write(join(outside, "b"), "other\n");
    const glanced = pool.glance();
    expect(await glanced?.holds()).toBe(false);
    await until(async () => (await received(server, "textDocument/didChange")).length === 1);
    expect(await (await pool.mark()).holds()).toBe(true);
  });

  test("before the first look waits for none; what was written before it is no news", async () => {
    const { root, pool } = fresh();
    write(join(root, "a.fake"), "other\n");
    const glanced = pool.glance();
    expect(await glanced?.holds()).toBe(true);
    expect(glanced?.files).toBe((await pool.mark()).files);
  });

  test("before the first look does not hold where something is written while that is under way", async () => {
    const { root, pool } = fresh();
    const glanced = pool.glance();
    const looked = pool.mark();
    // Later than any look of this test: a clock of files may be behind ours.
    utimesSync(join(root, "a.fake"), new Date(), new Date(Date.now() + 60_000));
    expect(await glanced?.holds()).toBe(false);
    await looked;
  });

  test("before the first look holds also where there turn out to be too many files", async () => {
    const { pool } = fresh({ watchLimits: { files: 1 } });
    const glanced = pool.glance();
    expect(await glanced?.holds()).toBe(true);
    expect(pool.glance()).toBeUndefined();
  });

  test("is given beside ignored folders that are only swept, and does not hold where the sweep finds something", async () => {
    const modules = Object.fromEntries([..."abcdef"].map((name) => [`node_modules/x/${name}.fake`, name]));
    const watchLimits = { zoneFiles: 3, sweepRest: 0, sweepRestMs: 0, sweepWaitMs: 60_000 };
    const { root, pool } = await session(
      {},
      { files: { ...files, ...modules, ".gitignore": "node_modules\n" }, context: { watchLimits } },
    );
    await pool.mark();
    // What was written just before the start may have changed since it was read, and is news once.
    await expect.poll(async () => await pool.glance()?.holds()).toBe(true);
    write(join(root, "node_modules/x/new.fake"), "new\n");
    const later = pool.glance();
    expect(later).toBeDefined();
    expect(await later?.holds()).toBe(false);
  });

  test("is none where there are too many files to be watched", async () => {
    const { pool } = await session({}, { files, context: { watchLimits: { files: 1 } } });
    await pool.mark();
    expect(pool.glance()).toBeUndefined();
  });
});
