/** Looking at very many files: all of them are seen, and nobody is held up until the last. */
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { lookAtAll } from "../../src/lsp/documents/stamps.js";
import { afterThis, workspace } from "./support.js";

const root = workspace({ "a.txt": "1" });
const paths = Array.from({ length: 20_000 }, (_, number) =>
  join(root, number % 100 === 0 ? "a.txt" : `no${number}`),
);

test("others have their turns in between", async () => {
  let isOver = false;
  let turns = 0;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const seen: string[] = [];
  let files = 0;
  await lookAtAll(paths, (path, stats) => {
    seen.push(path);
    if (stats?.isFile()) files++;
  });
  isOver = true;
  expect(seen.toSorted()).toEqual(paths.toSorted());
  expect(files).toBe(200);
  expect(turns).toBeGreaterThan(2);
});

test("where a look takes long, the others are asked for at once, and elsewhere", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  afterThis(() => {
    vi.useRealTimers();
  });
  const some = paths.slice(0, 300);
  let isOnTheSpot = true;
  const seen: [string, boolean][] = [];
  const looking = lookAtAll(some, (path) => {
    seen.push([path, isOnTheSpot]);
    vi.advanceTimersByTime(1);
  });
  isOnTheSpot = false;
  await looking;
  expect(seen.map(([path]) => path).toSorted()).toEqual(some.toSorted());
  expect(seen.filter(([, isHere]) => isHere)).toHaveLength(16);
});
