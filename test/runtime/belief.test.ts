/** Names that were followed before: the server is asked at once, and nothing is told before the name was followed again. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Belief } from "../../src/runtime/point/belief.js";
import type { Admitted, Followed } from "../../src/workspace/types.js";
import { gate } from "./doubles.js";
import { openWorkshop, type Workshop } from "./workshop.js";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A text that was written so shortly before may have changed since, and is compared anew. */
const untilSolidMs = 2_100;

const method = "textDocument/hover";
const files = { "one/a.fake": "one two three\n", "two/a.fake": "one two three\n", "two/b.none": "none\n" };

/** A workspace whose folder `one` has another name outside of it, of which no watch tells; and a document that is open. */
async function openAliased(): Promise<{ work: Workshop; alias: string; name: string }> {
  const scenario = { capabilities: { hoverProvider: true }, replies: { [method]: { contents: "told" } } };
  const work = await openWorkshop({ files, servers: { fake: { scenario } } });
  cleanups.push(() => work.close());
  const alias = join(dirname(work.folder), "alias");
  lead(alias, join(work.folder, "one"));
  await new Promise((done) => setTimeout(done, untilSolidMs));
  const name = join(alias, "a.fake");
  expect((await hover(work, name, 1)).structured).toMatchObject({ document: { path: "one/a.fake" } });
  return { work, alias, name };
}

function lead(alias: string, folder: string): void {
  rmSync(alias, { force: true });
  symlinkSync(folder, alias);
}

/** Each about another character: an answer that is kept would be given again. */
const hover = (work: Workshop, name: string, character: number) =>
  work.call("get_hover", { file_path: name, line: 1, character });

async function askedAbout(work: Workshop): Promise<unknown[]> {
  const asked = (await work.received(method)) as { textDocument: { uri: string } }[];
  return asked.map(({ textDocument: { uri } }) => uri.split("/").slice(-2).join("/"));
}

describe("a name that was followed before", () => {
  it("is asked about once where it leads to the same file", async () => {
    const { work, name } = await openAliased();
    expect((await hover(work, name, 2)).structured).toMatchObject({ document: { path: "one/a.fake" } });
    expect(await askedAbout(work)).toEqual(["one/a.fake", "one/a.fake"]);
  });

  it("and leads to another file now is answered about that one, and was asked about the first in vain", async () => {
    const { work, alias, name } = await openAliased();
    lead(alias, join(work.folder, "two"));
    expect((await hover(work, name, 2)).structured).toMatchObject({ document: { path: "two/a.fake" } });
    expect(await askedAbout(work)).toEqual(["one/a.fake", "one/a.fake", "two/a.fake"]);
  });

  it("and leads outside now is refused, whatever the server said", async () => {
    const { work, alias, name } = await openAliased();
    const outside = join(dirname(work.folder), "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.fake"), "one two three\n");
    lead(alias, outside);
    const { structured } = await hover(work, name, 2);
    expect(structured).toMatchObject({ ok: false, error: { code: "guard/outside-root" } });
    expect(JSON.stringify(structured)).not.toContain("told");
    expect(await askedAbout(work)).toEqual(["one/a.fake", "one/a.fake"]);
  });

  it("and leads to another file now is not answered from what is kept, however often it was asked before", async () => {
    const { work, alias, name } = await openAliased();
    // The first call started the server, and is not kept.
    for (let times = 0; times < 3; times++) await hover(work, name, 1);
    expect(await askedAbout(work)).toEqual(["one/a.fake", "one/a.fake"]);
    lead(alias, join(work.folder, "two"));
    expect((await hover(work, name, 1)).structured).toMatchObject({ document: { path: "two/a.fake" } });
  });

  it("and leads nowhere now is refused", async () => {
    const { work, alias, name } = await openAliased();
    rmSync(alias);
    const { structured } = await hover(work, name, 2);
    expect(structured).toMatchObject({ ok: false, error: { code: "guard/outside-root" } });
  });

  it("to a file of no server is not refused for that, where it leads to one of a server now", async () => {
    const { work, alias } = await openAliased();
    const name = join(alias, "b");
    symlinkSync(join(work.folder, "two", "b.none"), join(work.folder, "one", "b"));
    const none = await hover(work, name, 2);
    expect(none.structured).toMatchObject({ ok: false, error: { code: "route/no-server" } });
    mkdirSync(join(work.folder, "three"));
    symlinkSync(join(work.folder, "one", "a.fake"), join(work.folder, "three", "b"));
    lead(alias, join(work.folder, "three"));
    expect((await hover(work, name, 3)).structured).toMatchObject({ document: { path: "one/a.fake" } });
  });
});

describe("a belief", () => {
  const admitted: Admitted = { path: "/w/a", uri: "file:///w/a", shown: "a", writable: true };
  const other: Admitted = { ...admitted, path: "/w/b" };
  const followed = (admitted: Admitted): Followed => ({ admitted, named: "/w/link" });
  const refuse = () => {
    throw new Error("no");
  };

  it.each([
    ["the same file", () => followed(admitted), true],
    ["another file", () => followed(other), false],
    ["nothing", refuse, false],
    ["the same file, later", async () => followed(admitted), true],
    ["another file, later", async () => followed(other), false],
    ["nothing, later", async () => refuse(), false],
  ])("in a name that leads to %s", async (_what, admitFile, holds) => {
    expect(await new Belief({ ...gate, admitFile }, "a", admitted).holds()).toBe(holds);
  });

  it("is looked at once, and in the next turn at the latest when it is to be proven soon", async () => {
    const admitFile = vi.fn(() => followed(admitted));
    const belief = new Belief({ ...gate, admitFile }, "a", admitted);
    belief.proveSoon();
    expect(admitFile).not.toHaveBeenCalled();
    await new Promise((done) => setImmediate(done));
    expect(admitFile).toHaveBeenCalledOnce();
    expect(belief.holds()).toBe(true);
    expect(admitFile).toHaveBeenCalledOnce();
  });
});
