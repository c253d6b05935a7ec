/** What makes a served config be read again: a change of a file that was read for it, not a file that is missing. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import { ConfigError } from "../../src/base/problem.js";
import type { Io } from "../../src/cli/command.js";
import type { Loaded } from "../../src/cli/open.js";
import { ServedConfig } from "../../src/cli/served-config.js";
import type { Runtime } from "../../src/runtime/runtime.js";

it("a missing file is read when it is created, and not before", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-served-"));
  const closed = new AbortController();
  const runtime = { finder: {}, closed: closed.signal, reportConfig: () => undefined } as unknown as Runtime;
  const [missing, present] = [join(folder, "lspi.toml"), join(folder, "other.toml")];
  writeFileSync(present, "");
  let loads = 0;
  const load = async () => {
    loads++;
    throw new ConfigError([]);
  };
  const io = { stderr: { writeText: () => undefined }, cwd: folder } as unknown as Io;
  const options = { io, log: () => undefined, onUsed: () => undefined };
  const inUse = { files: [missing, present], isStillTrusted: () => true } as unknown as Loaded;
  new ServedConfig(runtime, inUse, load, options);
  // After the first check, which sees nothing.
  await delay(1_500);
  expect(loads).toBe(0);
  writeFileSync(missing, "x");
  await vi.waitUntil(() => loads > 0, { timeout: 60_000 });
  expect(loads).toBe(1);
  closed.abort();
  rmSync(folder, { recursive: true, force: true });
});

it("a file that is newly read is protected from edits, also where the config means the same", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-served-"));
  const closed = new AbortController();
  const used: string[][] = [];
  const runtime = {
    finder: {},
    closed: closed.signal,
    reportConfig: () => undefined,
    update: async (_: unknown, { ownFiles }: { ownFiles: string[] }) => void used.push(ownFiles),
  } as unknown as Runtime;
  const [main, further] = [join(folder, "lspi.toml"), join(folder, "further.toml")];
  const loaded = { manifest: { bundle: "same" }, plan: { http: { tokenFile: null } } };
  const found = { loaded, base: folder, trusted: [], binFolders: [], avoid: [], isStillTrusted: () => true };
  const config = (files: string[]) => ({ ...found, files }) as unknown as Loaded;
  const io = { cwd: folder } as unknown as Io;
  const options = { io, log: () => undefined, onUsed: () => undefined };
  let files = [main];
  const served = new ServedConfig(runtime, config(files), async () => config(files), options);
  expect(await served.reload()).toBe(true);
  expect(used).toEqual([]);
  files = [main, further];
  expect(await served.reload()).toBe(true);
  expect(used).toEqual([expect.arrayContaining(files)]);
  closed.abort();
  rmSync(folder, { recursive: true, force: true });
});

describe("a search for servers that are new", () => {
  const closed = new AbortController();
  afterAll(() => closed.abort());

  /** The finder of a workspace whose config takes so long to read, and how often that was begun. */
  function finderOf(readMs: number) {
    const begun: number[] = [];
    const runtime = {
      finder: {},
      closed: closed.signal,
      reportConfig: () => undefined,
    } as unknown as Runtime;
    const load = async () => {
      begun.push(performance.now());
      await delay(readMs);
      throw new ConfigError([]);
    };
    const options = {
      io: { stderr: { writeText: () => undefined } } as unknown as Io,
      log: () => undefined,
      onUsed: () => undefined,
    };
    const inUse = { files: [], isScanned: true, isStillTrusted: () => true } as unknown as Loaded;
    new ServedConfig(runtime, inUse, load, options);
    return { finder: runtime.finder, begun };
  }

  it("soon after the last one is waited for, but not made earlier", async () => {
    const { finder, begun } = finderOf(5);
    await finder.lookAgain();
    expect(finder.laterLook()).toBeUndefined();
    await Promise.all([finder.lookAgain(), finder.lookAgain()]);
    expect(begun).toHaveLength(2);
    const [first = 0, second = 0] = begun;
    expect(second - first).toBeGreaterThan(20);
  });

  it("that has begun may have missed what is new, so the next one is waited for", async () => {
    const { finder, begun } = finderOf(5);
    const first = finder.lookAgain();
    await vi.waitUntil(() => begun.length === 1, { interval: 1 });
    expect(finder.laterLook()).toBe("soon");
    await finder.lookAgain();
    expect(begun).toHaveLength(2);
    await first;
  });

  it("that takes long is not waited for, and a call can say when the next one is", async () => {
    const { finder, begun } = finderOf(600);
    await finder.lookAgain();
    await finder.lookAgain();
    expect(begun).toHaveLength(1);
    expect(finder.laterLook()).toMatch(/^in \d+ s$/);
  });
});
