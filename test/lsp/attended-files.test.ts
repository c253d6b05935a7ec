/**
 * Which files of earlier answers are looked at in a call: the latest, those that may be written to without a word, and all of
 * them after a moment. Here nobody tells of a write: what is not looked at is not seen.
 */
import { linkSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test, vi } from "vitest";
import { AttendedFiles } from "../../src/lsp/documents/attended-files.js";
import { afterThis, workspace, write } from "./support.js";

const looked = vi.hoisted((): string[] => []);
vi.mock("../../src/base/facts.js", async (original) => {
  const facts = await original<typeof import("../../src/base/facts.js")>();
  const entryFacts: typeof facts.entryFacts = (path) => {
    looked.push(path);
    return facts.entryFacts(path);
  };
  return { ...facts, entryFacts };
});

const names = Array.from({ length: 40 }, (_, number) => `f${number}.txt`);

/** Forty files that answers were about, each looked at; `untold` are those that no watch tells of. */
async function attended({ limit = 100, untold = [] as string[] } = {}) {
  const root = workspace(Object.fromEntries(names.map((name) => [name, "one\n"])));
  vi.useFakeTimers({ toFake: ["performance"] });
  afterThis(() => {
    vi.useRealTimers();
  });
  const files = new AttendedFiles(limit);
  const told = {
    losses: 0,
    untold: new Set(untold),
    tells: vi.fn((path: string) => !told.untold.has(basename(path))),
  };
  const at = (name: string) => join(root, name);
  const look = async () => {
    const seen: string[] = [];
    await files.look((path, change) => seen.push(`${change} ${basename(path)}`), told);
    return seen.sort();
  };
  for (const name of names) {
    files.add(at(name));
    // One answer each: a page of forty would make all of them the latest.
    await look();
  }
  vi.advanceTimersByTime(300);
  await look();
  return { files, told, at, look };
}

const change = (at: (name: string) => string, ...some: string[]) => {
  for (const name of some) write(at(name), "second\n");
};

test("the latest sixteen are looked at each time, the others after a moment", async () => {
  const { at, look } = await attended();
  change(at, "f23.txt", "f24.txt", "f39.txt");
  expect(await look()).toEqual(["changed f24.txt", "changed f39.txt"]);
  vi.advanceTimersByTime(249);
  expect(await look()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(await look()).toEqual(["changed f23.txt"]);
});

test("one that an answer was about again is one of the latest", async () => {
  const { files, at, look } = await attended();
  files.add(at("f0.txt"));
  change(at, "f0.txt", "f24.txt", "f25.txt");
  expect(await look()).toEqual(["changed f0.txt", "changed f25.txt"]);
});

test("all files of a page are the latest, however many, until another answer was about others", async () => {
  const { files, at, look } = await attended();
  for (const name of names.slice(0, 30)) files.add(at(name));
  change(at, "f0.txt");
  expect(await look()).toEqual(["changed f0.txt"]);
  change(at, "f1.txt");
  expect(await look()).toEqual(["changed f1.txt"]);
  files.add(at("f39.txt"));
  change(at, "f2.txt", "f15.txt");
  expect(await look()).toEqual(["changed f15.txt"]);
});

test("one that no watch tells of is looked at each time, and one that is told of again is not", async () => {
  const { told, at, look } = await attended({ untold: ["f3.txt"] });
  change(at, "f3.txt", "f4.txt");
  expect(await look()).toEqual(["changed f3.txt"]);
  told.untold.clear();
  vi.advanceTimersByTime(300);
  expect(await look()).toEqual(["changed f4.txt"]);
  change(at, "f3.txt");
  expect(await look()).toEqual([]);
});

test("one that no watch tells of any longer is looked at each time from then on", async () => {
  const { told, at, look } = await attended();
  told.untold.add("f3.txt");
  told.losses += 1;
  change(at, "f3.txt", "f4.txt");
  expect(await look()).toEqual(["changed f3.txt"]);
});

test("one that got another name is looked at each time, and no longer once it has one only", async () => {
  const { at, look } = await attended();
  linkSync(at("f3.txt"), at("other"));
  vi.advanceTimersByTime(300);
  expect(await look()).toEqual(["changed f3.txt"]);
  change(at, "f3.txt", "f4.txt");
  expect(await look()).toEqual(["changed f3.txt"]);
  unlinkSync(at("other"));
  expect(await look()).toEqual(["changed f3.txt"]);
  change(at, "f3.txt");
  expect(await look()).toEqual([]);
});

test("the watches are asked once about each, not in every call", async () => {
  const { files, told, at, look } = await attended();
  told.tells.mockClear();
  for (let call = 0; call < 10; call++) {
    files.add(at("f0.txt"));
    await look();
  }
  expect(told.tells).not.toHaveBeenCalled();
  files.add(at("other"));
  await look();
  expect(told.tells.mock.calls).toEqual([[at("other")]]);
});

test("past the limit the oldest is let go, whatever it was, and not looked at again", async () => {
  const { files, told, at, look } = await attended({ limit: 20, untold: ["f20.txt"] });
  expect(files.has(at("f19.txt"))).toBe(false);
  expect(files.stampOf(at("f20.txt"))).toMatch(/./);
  files.add(at("other"));
  expect(files.has(at("f20.txt"))).toBe(false);
  looked.length = 0;
  await look();
  expect(looked.map((path) => basename(path))).toEqual([...names.slice(-15), "other"]);
  change(at, "f19.txt", "f20.txt", "f21.txt");
  vi.advanceTimersByTime(300);
  expect(await look()).toEqual(["changed f21.txt"]);
  told.tells.mockClear();
  told.losses += 1;
  await look();
  expect(told.tells).toHaveBeenCalledTimes(20);
});

test("one of a page larger than the limit is let go, though it is one of the latest", async () => {
  const { files, at, look } = await attended({ limit: 20 });
  for (const name of names.slice(0, 30)) files.add(at(name));
  looked.length = 0;
  await look();
  expect(looked.map((path) => basename(path))).toEqual(names.slice(10, 30));
  files.add(at("f5.txt"));
  await look();
  looked.length = 0;
  await look();
  expect(looked.map((path) => basename(path))).toEqual([...names.slice(15, 30), "f5.txt"]);
});
