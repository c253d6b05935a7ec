/** Names that were followed before: the server is asked at once, and nothing is told before the name was followed again. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sha256 } from "../../src/base/hash.js";
import { insistOnSteady } from "../../src/runtime/ask/steady.js";
import { Belief } from "../../src/runtime/point/belief.js";
import type { Admitted, Followed } from "../../src/workspace/types.js";
import type { Scenario } from "../fake-server/index.js";
import { callState, gate } from "./doubles.js";
import { openWorkshop, range, type Workshop } from "./workshop.js";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A text that was written so shortly before may have changed since, and is compared anew. */
const untilSolidMs = 2_100;

const method = "textDocument/hover";
const files = {
  "one/a.fake": "one two three\n",
  "two/a.fake": "one two three\n",
  "two/b.none": "none\n",
  "three/c.fake": "one two three\n",
};

/** Symbols that only the workspace knows, in a file of their own. */
const symbols = ["one", "two"].map((name, index) => ({
  ...{ name, kind: 12 },
  location: { uri: "file:///work/three/c.fake", range: range(0, 4 * index, 4 * index + 3) },
}));

/** A workspace whose folder `one` has another name outside of it, of which no watch tells; and a document that is open. */
async function openAliased(on: Scenario["on"] = {}) {
  const providers = ["hover", "definition", "documentSymbol", "workspaceSymbol"];
  const scenario = {
    capabilities: Object.fromEntries(providers.map((name) => [`${name}Provider`, true])),
    replies: {
      [method]: { contents: "told" },
      "textDocument/documentSymbol": [],
      "workspace/symbol": symbols,
      "textDocument/definition": symbols.map(({ location }) => location).slice(0, 1),
    },
    on,
  };
  const work = await openWorkshop({ files, servers: { fake: { scenario } } });
  cleanups.push(() => work.close());
  const alias = join(dirname(work.folder), "alias");
  lead(alias, join(work.folder, "one"));
  await new Promise((done) => setTimeout(done, untilSolidMs));
  const name = join(alias, "a.fake");
  expect((await hover(work, name, 1)).structured).toMatchObject({ document: { path: "one/a.fake" } });
  const outside = join(dirname(work.folder), "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.fake"), "one two three\n");
  return { work, alias, name, outside };
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

describe("a document that is open", () => {
  it("is answered about as it is written just before the question, of which no watch has told", async () => {
    const { work, name } = await openAliased();
    const text = "another text\n";
    writeFileSync(join(work.folder, "one/a.fake"), text);
    const { structured } = await hover(work, name, 2);
    expect(structured).toMatchObject({ document: { path: "one/a.fake", sha256: sha256(text) } });
    const asked = await askedAbout(work);
    // The first of them about the text before, in vain.
    expect(asked).toEqual(["one/a.fake", "one/a.fake", "one/a.fake"]);
    const told = (await work.received("textDocument/didChange")) as unknown[];
    expect(told).toHaveLength(1);
  });

  it("is asked about anew at once, though the server never answers about the text before", async () => {
    const never = join(tmpdir(), "lsp-proxy-never");
    const { work, name } = await openAliased({ "textDocument/definition": [{ waitFile: never }] });
    writeFileSync(join(work.folder, "one/a.fake"), "another text\n");
    const found = work.call("find_definition", { file_path: name, line: 1, character: 1 });
    await vi.waitFor(async () => expect(await work.received("textDocument/definition")).toHaveLength(2));
    await work.close();
    await found.catch(() => undefined);
  });

  it("is not answered about when it is gone, of which no watch has told", async () => {
    const { work, name } = await openAliased();
    rmSync(join(work.folder, "one/a.fake"));
    const { structured } = await hover(work, name, 2);
    expect(structured).toMatchObject({ ok: false, error: { code: "guard/not-a-file" } });
  });
});

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
    const { work, alias, name, outside } = await openAliased();
    lead(alias, outside);
    for (const character of [2, 3, 4]) {
      const { structured } = await hover(work, name, character);
      expect(structured).toMatchObject({ ok: false, error: { code: "guard/outside-root" } });
      expect(JSON.stringify(structured)).not.toContain("told");
    }
    // In vain once, not each time.
    expect(await askedAbout(work)).toEqual(["one/a.fake", "one/a.fake"]);
  });

  it("and leads outside now is refused, though what is asked for was found in another file", async () => {
    const { work, alias, name, outside } = await openAliased();
    const find = (symbol: string) =>
      work
        .call("find_definition", { file_path: name, symbol_name: symbol })
        .then(({ structured }) => structured);
    expect(await find("one")).toMatchObject({ ok: true, warnings: [{ code: "answer/found-elsewhere" }] });
    lead(alias, outside);
    expect(await find("two")).toMatchObject({ ok: false, error: { code: "guard/outside-root" } });
  });

  it("and leads to another file now is answered about that one, though the server never answers about the first", async () => {
    const never = join(tmpdir(), "lsp-proxy-never");
    const { work, alias, name } = await openAliased({ "textDocument/definition": [{ waitFile: never }] });
    lead(alias, join(work.folder, "two"));
    const found = work.call("find_definition", { file_path: name, line: 1, character: 1 });
    await vi.waitFor(async () => expect(await work.received("textDocument/definition")).toHaveLength(2));
    const asked = (await work.received("textDocument/definition")) as { textDocument: { uri: string } }[];
    expect(asked.map(({ textDocument: { uri } }) => uri)).toEqual([
      work.uri("one/a.fake"),
      work.uri("two/a.fake"),
    ]);
    await work.close();
    await found.catch(() => undefined);
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
    const refuted = vi.fn();
    belief.proveSoon(refuted);
    expect(admitFile).not.toHaveBeenCalled();
    await new Promise((done) => setImmediate(done));
    expect(admitFile).toHaveBeenCalledOnce();
    expect(belief.holds()).toBe(true);
    expect(admitFile).toHaveBeenCalledOnce();
    expect(refuted).not.toHaveBeenCalled();
  });

  it.each([
    ["at once", () => followed(other)],
    ["later", async () => followed(other)],
  ])("that is refuted %s is told", async (_when, admitFile) => {
    const refuted = vi.fn();
    new Belief({ ...gate, admitFile }, "a", admitted).proveSoon(refuted);
    await vi.waitFor(() => expect(refuted).toHaveBeenCalledOnce());
  });

  it.each([
    [true, true],
    [true, false],
    [false, true],
    [true, undefined],
    [false, undefined],
  ])("and what was taken for granted (%s) must hold both: %s", async (mark, proof) => {
    const state = callState();
    const attempt = {
      ...{ startedAt: 0, isFirst: true, isLast: false },
      signal: state.signal,
      giveUp: vi.fn(),
    };
    const known = {
      ...{ lookedAt: 0, files: "", all: "", sources: "", changedAt: null },
      ...{ holds: () => mark, isAhead: () => false, onRefuted: () => undefined },
    };
    const call = { ...state, attempt, mark: known };
    call.evidence.document = undefined;
    const admitFile = () => followed(proof === true ? admitted : other);
    if (proof !== undefined) call.evidence.belief = new Belief({ ...gate, admitFile }, "a", admitted);
    const steady = async () => insistOnSteady(call);
    if (mark && proof !== false) await expect(steady()).resolves.toEqual(new Map());
    else await expect(steady()).rejects.toThrow();
  });
});
