/**
 * Which open documents are compared with their files: all of them when anything was told of or a moment has passed, and in
 * between those that may be written to without a word; and whose texts are known without being read again. Here nobody
 * tells of a write but the cursor.
 */
import { linkSync, lstatSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Lines } from "../../src/base/text.js";
import { Capabilities } from "../../src/lsp/capabilities.js";
import { Documents, type Watched } from "../../src/lsp/documents/documents.js";
import { stampText } from "../../src/lsp/documents/file.js";
import { serverPlan } from "../fake-server/index.js";
import { afterThis, workspace, write } from "./support.js";

const names = Array.from({ length: 20 }, (_, number) => `f${number}.fake`);

/** Twenty open documents that were all looked at, long after they were written, and what the server is told of from then on. */
async function opened({ untold = "", maxOpen = 100 } = {}) {
  const root = workspace(Object.fromEntries(names.map((name) => [name, "one\n"])));
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.now() + 60_000 });
  afterThis(() => {
    vi.useRealTimers();
  });
  const told: string[] = [];
  const plan = serverPlan("fake", ["fake"], ["fake"], "fake");
  const documents = new Documents({
    server: plan,
    roots: [root],
    capabilities: new Capabilities(plan),
    encoding: () => "utf-16",
    maxOpen,
    maxBytes: 1_000,
    notify: () => undefined,
    onChanged: (path, what) => {
      if (what !== "opened") told.push(`${what} ${basename(path)}`);
    },
  });
  const watched: Watched & { cursor: number } = {
    cursor: 1,
    tells: (path) => basename(path) !== untold,
    stampOf: () => undefined,
  };
  const at = (name: string) => join(root, name);
  const open = async (some: readonly string[]) => {
    for (const name of some) await documents.sync(at(name));
  };
  const look = async () => {
    await documents.refresh(watched, performance.now());
    return told.splice(0);
  };
  return { at, documents, watched, open, look, told };
}

test("those asked about last are looked at each time, the others after a moment", async () => {
  const { at, open, look } = await opened();
  await open(names);
  expect(await look()).toEqual([]);
  write(at("f3.fake"), "second\n");
  write(at("f4.fake"), "second\n");
  vi.advanceTimersByTime(249);
  expect(await look()).toEqual(["changed f4.fake"]);
  vi.advanceTimersByTime(1);
  expect(await look()).toEqual(["changed f3.fake"]);
});

test("one that was asked about again is one of the last", async () => {
  const { at, documents, open, look } = await opened();
  await open(names);
  await look();
  expect(documents.synced(at("f0.fake"))).toBeDefined();
  write(at("f0.fake"), "second\n");
  write(at("f4.fake"), "second\n");
  expect(await look()).toEqual(["changed f0.fake"]);
});

test("one that is taken to be as it was is looked at in the next look, however many were asked about since", async () => {
  const { at, documents, open, look } = await opened();
  await open(names);
  await look();
  write(at("f0.fake"), "second\n");
  expect(documents.synced(at("f0.fake"), true)).toBeDefined();
  expect(documents.synced(at("f0.fake"))).toBeUndefined();
  await open(names.slice(1));
  expect(await look()).toEqual(["changed f0.fake"]);
  await open(names.slice(1));
  write(at("f0.fake"), "and third\n");
  write(at("f1.fake"), "second\n");
  // It was read anew; the other was taken for nothing.
  expect(await look()).toEqual(["changed f0.fake"]);
});

test("a look that began before one was taken to be as it was does not count for it", async () => {
  const { at, documents, watched, open, look, told } = await opened();
  await open(names);
  await look();
  const before = stampText(lstatSync(at("f0.fake")));
  const began = performance.now();
  vi.advanceTimersByTime(1);
  expect(documents.synced(at("f0.fake"), true)).toBeDefined();
  write(at("f0.fake"), "second\n");
  await open(names.slice(1));
  watched.stampOf = (path) => (basename(path) === "f0.fake" ? before : undefined);
  await documents.refresh(watched, began);
  expect(told).toEqual([]);
  watched.stampOf = () => undefined;
  expect(await look()).toEqual(["changed f0.fake"]);
});

test("one that was looked at is not looked at for having been taken to be as it was before", async () => {
  const { at, documents, open, look } = await opened();
  await open(names);
  await look();
  expect(documents.synced(at("f0.fake"), true)).toBeDefined();
  expect(await look()).toEqual([]);
  await open(names.slice(1));
  write(at("f0.fake"), "second\n");
  expect(await look()).toEqual([]);
});

test("one whose text may have changed unseen is not taken to be as it was", async () => {
  const { at, documents, open } = await opened();
  vi.setSystemTime(Date.now() - 60_000);
  await open(["f0.fake"]);
  vi.setSystemTime(Date.now() + 60_000);
  expect(documents.synced(at("f0.fake"), true)).toBeUndefined();
});

test("one that is taken to be as it was is not closed for want of room before it was looked at", async () => {
  const { at, documents, open, look } = await opened({ maxOpen: 1 });
  await open(["f0.fake"]);
  expect(documents.synced(at("f0.fake"), true)).toBeDefined();
  await open(["f1.fake"]);
  expect(documents.count).toBe(2);
  write(at("f0.fake"), "second\n");
  expect(await look()).toEqual(["changed f0.fake"]);
  await open(["f1.fake"]);
  expect(documents.count).toBe(1);
});

test("as soon as anything was told of, all are looked at", async () => {
  const { at, watched, open, look } = await opened();
  await open(names);
  await look();
  write(at("f0.fake"), "second\n");
  expect(await look()).toEqual([]);
  watched.cursor++;
  expect(await look()).toEqual(["changed f0.fake"]);
  write(at("f1.fake"), "second\n");
  expect(await look()).toEqual([]);
});

test("one that was read again may change again: it is looked at each time until all are", async () => {
  const { at, watched, open, look } = await opened();
  await open(names);
  await look();
  write(at("f0.fake"), "second\n");
  watched.cursor++;
  expect(await look()).toEqual(["changed f0.fake"]);
  write(at("f0.fake"), "and third\n");
  expect(await look()).toEqual(["changed f0.fake"]);
  vi.advanceTimersByTime(250);
  expect(await look()).toEqual([]);
  write(at("f0.fake"), "and the fourth\n");
  expect(await look()).toEqual([]);
});

test("one that has another name, or that no watch tells of, is looked at each time", async () => {
  const { at, open, look } = await opened({ untold: "f1.fake" });
  linkSync(at("f0.fake"), join(workspace({}), "elsewhere"));
  await open(names);
  await look();
  for (const name of ["f0.fake", "f1.fake", "f2.fake"]) write(at(name), "second\n");
  expect(await look()).toEqual(["changed f0.fake", "changed f1.fake"]);
});

test("one that was written just before it was read is looked at each time", async () => {
  const { at, open, look } = await opened();
  vi.setSystemTime(Date.now() - 60_000);
  await open(["f0.fake"]);
  vi.setSystemTime(Date.now() + 60_000);
  await open(names.slice(1));
  await look();
  for (const name of ["f0.fake", "f1.fake"]) write(at(name), "second\n");
  expect(await look()).toEqual(["changed f0.fake"]);
});

test("those that came since all were looked at are looked at each time", async () => {
  const { at, open, look } = await opened({ untold: "f1.fake" });
  await open(["f0.fake"]);
  await look();
  await open(names.slice(1));
  write(at("f1.fake"), "second\n");
  expect(await look()).toEqual(["changed f1.fake"]);
});

test("one that is gone is closed, and is not looked for any more", async () => {
  const { at, documents, open, look } = await opened();
  await open(names);
  await look();
  unlinkSync(at("f19.fake"));
  unlinkSync(at("f0.fake"));
  expect(await look()).toEqual(["closed f19.fake"]);
  vi.advanceTimersByTime(250);
  expect(await look()).toEqual(["closed f0.fake"]);
  expect(documents.count).toBe(18);
});

test("one that is closed for want of room while its file is read is not changed afterwards", async () => {
  for (let turns = 0; turns < 25; turns++) {
    const { at, documents, watched, open, told } = await opened({ maxOpen: 1 });
    documents.hold(at("f0.fake"));
    await open(["f0.fake", "f1.fake"]);
    write(at("f0.fake"), "second\n");
    told.splice(0);
    const looked = documents.refresh(watched, performance.now());
    for (let turn = 0; turn < turns; turn++) await undefined;
    documents.release(at("f0.fake"));
    await looked;
    expect(told.indexOf("closed f0.fake")).toBe(told.length - 1);
    vi.useRealTimers();
  }
});

test("a text that was shown is not read again to be opened, nor to be shown after it was closed for want of room", async () => {
  const { at, documents, open } = await opened({ maxOpen: 1 });
  const shown = await documents.textOf(at("f0.fake"));
  expect(shown?.text).toBe("one\n");
  // A text that is read is cut into lines anew.
  const isTheSame = (lines: Lines | undefined) => lines?.cuts === shown?.cuts && lines?.text === shown?.text;
  await open(["f0.fake"]);
  expect(documents.get(at("f0.fake"))?.lines).toSatisfy(isTheSame);
  await open(["f1.fake"]);
  expect(documents.get(at("f0.fake"))).toBeUndefined();
  expect(await documents.textOf(at("f0.fake"))).toSatisfy(isTheSame);
  await open(["f0.fake"]);
  expect(documents.get(at("f0.fake"))?.lines).toSatisfy(isTheSame);
});

test("a text that was shown, or open, is read again when its file has changed since", async () => {
  const { at, documents, open } = await opened({ maxOpen: 1 });
  await documents.textOf(at("f0.fake"));
  write(at("f0.fake"), "second\n");
  await open(["f0.fake"]);
  expect(documents.get(at("f0.fake"))?.lines.text).toBe("second\n");
  await open(["f1.fake"]);
  write(at("f0.fake"), "and third\n");
  expect((await documents.textOf(at("f0.fake")))?.text).toBe("and third\n");
  write(at("f0.fake"), "and the fourth\n");
  await open(["f0.fake"]);
  expect(documents.get(at("f0.fake"))).toMatchObject({ version: 1, edition: 2 });
  expect(documents.get(at("f0.fake"))?.lines.text).toBe("and the fourth\n");
});
