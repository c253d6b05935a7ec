/** Which texts of files a server is given, and which are read again. */
import fs, { unlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { expect, test, vi } from "vitest";
import { Capabilities } from "../../src/lsp/capabilities.js";
import { Documents } from "../../src/lsp/documents/documents.js";
import { serverPlan } from "../fake-server/index.js";
import { afterThis, workspace, write } from "./support.js";

const names = ["a.fake", "b.fake", "c.fake"];

/** Documents over files that were written long ago, and what the server is notified of. */
function documentsOf({ maxOpen = 100 } = {}) {
  const root = workspace(Object.fromEntries(names.map((name) => [name, "one\n"])));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  afterThis(() => {
    vi.useRealTimers();
  });
  const notified: string[] = [];
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
      if (what !== "opened") notified.push(`${what} ${basename(path)}`);
    },
  });
  const at = (name: string) => join(root, name);
  const open = async (...some: string[]) => {
    for (const name of some) await documents.ensureOpen(at(name));
  };
  return { at, documents, open, notified };
}

/** Counts the files that are opened. */
function countOpens(): () => number {
  let count = 0;
  const { open } = fs.promises;
  fs.promises.open = (...args: Parameters<typeof open>) => {
    count++;
    return open(...args);
  };
  syncBuiltinESMExports();
  afterThis(() => {
    fs.promises.open = open;
    syncBuiltinESMExports();
  });
  return () => count;
}

test("only the changed files that are open are compared; one that is gone is closed", async () => {
  const { at, documents, open, notified } = documentsOf();
  await open("a.fake", "b.fake");
  for (const name of names) write(at(name), "second\n");
  await documents.refresh([at("a.fake"), at("c.fake")]);
  expect(notified).toEqual(["changed a.fake"]);
  const opened = countOpens();
  await documents.refresh([at("a.fake")]);
  expect(opened()).toBe(0);
  unlinkSync(at("b.fake"));
  await documents.refresh([at("b.fake")]);
  expect(notified).toEqual(["changed a.fake", "closed b.fake"]);
  expect(documents.count).toBe(1);
});

test("a file whose stamp is equal is not read again, unless it was written just before it was read", async () => {
  const { at, documents, open, notified } = documentsOf();
  await open("a.fake");
  const opened = countOpens();
  await documents.refresh([at("a.fake")]);
  await open("a.fake");
  expect(opened()).toBe(0);
  vi.setSystemTime(Date.now() - 60_000);
  await open("b.fake");
  vi.setSystemTime(Date.now() + 60_000);
  expect(opened()).toBe(1);
  await open("b.fake");
  expect(opened()).toBe(2);
  expect(notified).toEqual([]);
});

test("a document that is closed because of the limit while its file is read is not changed afterwards", async () => {
  for (let turns = 0; turns < 25; turns++) {
    const { at, documents, open, notified } = documentsOf({ maxOpen: 1 });
    documents.hold(at("a.fake"));
    await open("a.fake", "b.fake");
    write(at("a.fake"), "second\n");
    notified.splice(0);
    const refreshed = documents.refresh([at("a.fake")]);
    for (let turn = 0; turn < turns; turn++) await undefined;
    documents.release(at("a.fake"));
    await refreshed;
    expect(notified.indexOf("closed a.fake")).toBe(notified.length - 1);
    vi.useRealTimers();
  }
});

test("a document that the limit closed is opened again by a question, with its edition unless its text changed", async () => {
  const { at, documents, open } = documentsOf({ maxOpen: 1 });
  await open("a.fake", "b.fake");
  const edition = (name: string) => documents.get(at(name))?.edition;
  expect([edition("a.fake"), edition("b.fake")]).toEqual([undefined, 2]);
  await documents.hold(at("a.fake"));
  expect(edition("a.fake")).toBe(1);
  documents.release(at("a.fake"));
  write(at("b.fake"), "changed\n");
  await documents.hold(at("b.fake"));
  expect(edition("b.fake")).toBe(3);
});

test("a text that was shown, or open until the limit was reached, is read again only after a change", async () => {
  const { at, documents, open } = documentsOf({ maxOpen: 1 });
  const opened = countOpens();
  const shown = async () => (await documents.textOf(at("a.fake")))?.text;
  expect([await shown(), await shown(), opened()]).toEqual(["one\n", "one\n", 1]);
  write(at("a.fake"), "second\n");
  expect([await shown(), opened()]).toEqual(["second\n", 2]);
  await open("a.fake", "b.fake");
  expect(documents.get(at("a.fake"))).toBeUndefined();
  const before = opened();
  expect([await shown(), opened() - before]).toEqual(["second\n", 0]);
  write(at("a.fake"), "and third\n");
  expect(await shown()).toBe("and third\n");
  await open("a.fake");
  // The first edition was of "second", the second of b.fake.
  expect(documents.get(at("a.fake"))).toMatchObject({ version: 1, edition: 3 });
});
