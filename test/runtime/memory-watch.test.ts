/** What the memory watch ends, and in which order; test/mcp/hostile runs it in real processes. */
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { type ClientMemory, type Measured, MemoryWatch } from "../../src/runtime/memory-watch.js";

/** A watch whose measurements are given, and what it has ended. `after` is what a garbage collection leaves. */
function watch(measured: { now: Measured; after?: Measured }) {
  const ended: string[] = [];
  const said: string[] = [];
  let isCollected = false;
  const memory = new MemoryWatch({
    limitMb: 1024,
    log: (_level, message) => said.push(message),
    onOutOfMemory: (message) => {
      ended.push("process");
      said.push(message);
    },
    measure: () => {
      const value = isCollected ? (measured.after ?? measured.now) : measured.now;
      isCollected = !isCollected;
      return value;
    },
  });
  memory.close();
  let time = 0;
  const check = async (count = 1) => {
    for (let i = 0; i < count; i++) {
      isCollected = false;
      time += 2_000;
      await memory.check(time);
    }
  };
  const server = (id: string) => {
    const input = Object.assign(new PassThrough(), { bytesRead: 0 });
    const transport = { input, output: new PassThrough(), ended: new Promise<string>(() => undefined) };
    memory.addServer({ id, transport, end: (why) => ended.push(`${id} ${why}`) });
    return input;
  };
  return { memory, ended, said, check, server };
}

const low: Measured = { resident: 0.3, live: 0.2, heap: 0.1 };
const over: Measured = { resident: 1.2, live: 1.1, heap: 0.3 };

it("ends the server or client that holds most memory, and at last the process", async () => {
  const measured = { now: low };
  const { memory, ended, said, check, server } = watch(measured);
  const [old, hostile, silent] = [server("old"), server("hostile"), server("silent")];
  old.bytesRead = 5e9;
  await check();
  old.bytesRead += 1e6;
  hostile.bytesRead = 4e8;
  const clients: ClientMemory[] = [1e6, 9e6].map((heldBytes) => {
    const client = {
      heldBytes,
      end: () => {
        ended.push(`client ${heldBytes}`);
        client.heldBytes = 0;
      },
    };
    return client;
  });
  memory.watchClients(() => clients);
  measured.now = over;
  await check(5);
  expect(ended).toEqual([
    expect.stringMatching(/^hostile had sent 382 MB .*limits\.proxy_memory_mb = 1024/),
    "client 9000000",
    expect.stringMatching(/^old had sent 1 MB/),
    "client 1000000",
    "process",
  ]);
  expect(silent.bytesRead).toBe(0);
  expect(said).toHaveLength(5);
});

it.each([
  ["is garbage", low],
  ["the allocator keeps although it is free", { resident: 1.2, live: 0.2, heap: 0.1 }],
])("ends nothing for memory that %s", async (_name, after) => {
  const { ended, check, server } = watch({ now: over, after });
  server("fake").bytesRead = 1e8;
  await check(3);
  expect(ended).toEqual([]);
});

it("counts the limit of V8 where that is reached first", async () => {
  const { ended, check, server } = watch({ now: { resident: 0.6, live: 0.5, heap: 1.01 } });
  server("fake").bytesRead = 1e8;
  await check();
  expect(ended).toHaveLength(1);
});

it("collects garbage from 128 MB on, and again when memory has grown by a fifth", async () => {
  let collected = 0;
  let [resident, left] = [100, 100];
  const memory = new MemoryWatch({
    limitMb: 1024,
    log: () => undefined,
    onOutOfMemory: () => undefined,
    measure: () => ({ resident: resident / 1024, live: 0.02, heap: 0.01 }),
    collect: async () => {
      collected++;
      resident = left;
    },
  });
  memory.close();
  const counts: number[] = [];
  for (const [index, now] of [100, 130, 130, 155, 60, 130].entries()) {
    resident = now;
    left = index < 3 ? 125 : 80;
    await memory.check(index * 2_000);
    counts.push(collected);
  }
  expect(counts).toEqual([0, 1, 1, 2, 2, 3]);
  // A large heap is collected only at the limit.
  left = 220;
  for (const now of [240, 300, 900, 1030, 130, 600]) {
    resident = now;
    await memory.check(100_000);
  }
  expect(collected).toBe(5);
});

it.each([
  ["100 MB, from 128 MB on", 100, [120, 130], [0, 1]],
  ["150 MB, when it has grown by a fifth", 150, [150, 175, 185], [0, 0, 1]],
  ["250 MB, at the limit", 250, [310, 900, 1030], [0, 0, 1]],
  ["more than the limit, at once", 1100, [1100], [1]],
])("collects garbage of a process that began with %s", async (_name, before, residents, expected) => {
  let collected = 0;
  let resident = before;
  const memory = new MemoryWatch({
    limitMb: 1024,
    log: () => undefined,
    onOutOfMemory: () => undefined,
    measure: () => ({ resident: resident / 1024, live: 0.02, heap: 0.01 }),
    collect: async () => void collected++,
  });
  memory.close();
  const counts: number[] = [];
  for (const now of residents) {
    resident = now;
    await memory.check(counts.length * 2_000);
    counts.push(collected);
  }
  expect(counts).toEqual(expected);
});

it("gives what it ended time to free its memory", async () => {
  const { memory, ended, server } = watch({ now: over });
  for (const id of ["a", "b"]) server(id).bytesRead = 1e8;
  for (const time of [2_000, 2_250, 2_500]) await memory.check(time);
  expect(ended).toHaveLength(1);
});

it("collects for real", async () => {
  const counts: number[] = [];
  const memory = new MemoryWatch({
    limitMb: 1,
    log: () => undefined,
    onOutOfMemory: () => undefined,
    measure: () => {
      const { heapUsed } = process.memoryUsage();
      counts.push(heapUsed);
      return { resident: 2, live: 0, heap: 0 };
    },
  });
  memory.close();
  const garbage = Array.from({ length: 300_000 }, (_, n) => ({ n }));
  garbage.length = 0;
  await memory.check();
  const [before = 0, after] = counts.slice(-2);
  expect(after).toBeLessThan(before - 5e6);
});
