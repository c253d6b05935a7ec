/** Symbolic links that lead elsewhere than before: each call follows the path again, and answers only about its target. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

// The tests run at the same time because each waits until its files count as settled.
/** A file that was written less than two seconds ago is read again in any case. */
const settledMs = 2_100;

const method = "textDocument/hover";
const serverWords = "words of the server";
const files = {
  "one/a.fake": "one two three\n",
  "two/a.fake": "one two three\n",
  "two/b.none": "none\n",
  "three/c.fake": "one two three\n",
};

/** Symbols in a file that is not asked about. */
const symbols = ["one", "two"].map((name, index) => ({
  ...{ name, kind: 12 },
  location: { uri: "file:///work/three/c.fake", range: range(0, 4 * index, 4 * index + 3) },
}));

/** A workspace whose folder `one` is also reached by a link outside of it, where no watch is; its `a.fake` is open. */
async function openLinked({ onTestFinished }: TestContext) {
  const providers = ["hover", "definition", "documentSymbol", "workspaceSymbol"];
  const scenario = {
    capabilities: Object.fromEntries(providers.map((name) => [`${name}Provider`, true])),
    replies: {
      [method]: { contents: serverWords },
      "textDocument/documentSymbol": [],
      "workspace/symbol": symbols,
      "textDocument/definition": symbols.map(({ location }) => location).slice(0, 1),
    },
  };
  const work = await openTestWorkspace({ files, servers: { fake: { scenario } } });
  onTestFinished(() => work.close());
  const link = join(dirname(work.folder), "link");
  pointLink(link, join(work.folder, "one"));
  await new Promise((done) => setTimeout(done, settledMs));
  const path = join(link, "a.fake");
  expect((await hover(work, path, 1)).structured).toMatchObject({ document: { path: "one/a.fake" } });
  const outside = join(dirname(work.folder), "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.fake"), "one two three\n");
  return { work, link, path, outside };
}

function pointLink(link: string, folder: string): void {
  rmSync(link, { force: true });
  symlinkSync(folder, link);
}

const hover = (work: TestWorkspace, path: string, character: number) =>
  work.call("get_hover", { file_path: path, line: 1, character });

/** The file of the last hover request that the server got. */
async function lastAsked(work: TestWorkspace): Promise<unknown> {
  const asked = (await work.received(method)) as { textDocument: { uri: string } }[];
  return asked.at(-1)?.textDocument.uri;
}

describe.concurrent("an open document", () => {
  it("is answered about as it was written just before the call", async (test) => {
    const { work, path } = await openLinked(test);
    const text = "another text\n";
    writeFileSync(join(work.folder, "one/a.fake"), text);
    const { structured } = await hover(work, path, 2);
    expect(structured).toMatchObject({ document: { path: "one/a.fake" } });
    expect(await work.received("textDocument/didChange")).toHaveLength(1);
  });

  it.for(["by its link", "by its own path"])("is refused after it was deleted (%s)", async (by, test) => {
    const { work, path } = await openLinked(test);
    rmSync(join(work.folder, "one/a.fake"));
    const { structured } = await hover(work, by === "by its link" ? path : "one/a.fake", 2);
    expect(structured).toMatchObject({ ok: false, error: { code: "guard/not-a-file" } });
    expect(JSON.stringify(structured)).not.toContain(serverWords);
  });
});

describe.concurrent("a path through a link that was followed before", () => {
  it("is answered about the same file while the link stays", async (test) => {
    const { work, path } = await openLinked(test);
    expect((await hover(work, path, 2)).structured).toMatchObject({ document: { path: "one/a.fake" } });
    expect(await lastAsked(work)).toBe(work.uri("one/a.fake"));
  });

  it("is answered about another file when the link leads there now", async (test) => {
    const { work, link, path } = await openLinked(test);
    // The same question several times: no earlier answer may be given for another file.
    for (let times = 0; times < 3; times++) await hover(work, path, 1);
    pointLink(link, join(work.folder, "two"));
    expect((await hover(work, path, 1)).structured).toMatchObject({ document: { path: "two/a.fake" } });
    expect(await lastAsked(work)).toBe(work.uri("two/a.fake"));
  });

  it("is refused when the link leads out of the workspace now, without a word of the server", async (test) => {
    const { work, link, path, outside } = await openLinked(test);
    pointLink(link, outside);
    for (const character of [1, 2, 3]) {
      const outcome = await hover(work, path, character);
      expect(outcome.structured).toMatchObject({ ok: false, error: { code: "guard/outside-root" } });
      expect(JSON.stringify(outcome)).not.toContain(serverWords);
    }
    expect(await lastAsked(work)).toBe(work.uri("one/a.fake"));
  });

  it("is refused when the link leads out now, though the symbol is found in another file", async (test) => {
    const { work, link, path, outside } = await openLinked(test);
    const find = async (symbol: string) =>
      (await work.call("find_definition", { file_path: path, symbol_name: symbol })).structured;
    expect(await find("one")).toMatchObject({ ok: true, warnings: [{ code: "answer/found-elsewhere" }] });
    pointLink(link, outside);
    expect(await find("two")).toMatchObject({ ok: false, error: { code: "guard/outside-root" } });
  });

  it("is refused when the link leads nowhere now", async (test) => {
    const { work, link, path } = await openLinked(test);
    rmSync(link);
    const outcome = await hover(work, path, 2);
    expect(outcome.structured).toMatchObject({ ok: false, error: { code: "guard/outside-root" } });
    expect(JSON.stringify(outcome)).not.toContain(serverWords);
  });

  it("gets a server when it leads to a file of one now, and did not before", async (test) => {
    const { work, link } = await openLinked(test);
    const path = join(link, "b");
    symlinkSync(join(work.folder, "two", "b.none"), join(work.folder, "one", "b"));
    const none = await hover(work, path, 2);
    expect(none.structured).toMatchObject({ ok: false, error: { code: "route/no-server" } });
    symlinkSync(join(work.folder, "one", "a.fake"), join(work.folder, "three", "b"));
    pointLink(link, join(work.folder, "three"));
    expect((await hover(work, path, 3)).structured).toMatchObject({ document: { path: "one/a.fake" } });
  });
});
