/** Hard links from outside the workspace: a write through the other name, of which no event tells, is noticed. */
import { linkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { WorkspaceWatch } from "../../src/lsp/watch/workspace-watch.js";
import { afterThis, ask, received, session, signal, workspace, write } from "./support.js";

/** Gives a file another name outside the workspace. */
function linkOutside(path: string): string {
  const other = join(workspace({}), "other");
  linkSync(path, other);
  return other;
}

test("a shown file is seen to change through a hard link that it got later", async () => {
  const root = workspace({ "a.ts": "1" });
  const path = join(root, "a.ts");
  const watch = new WorkspaceWatch({ roots: [root], deny: [], env: {}, log: () => {} });
  afterThis(() => watch.close());
  await watch.check();
  watch.addShown(path);
  const other = linkOutside(path);
  for (const text of ["22", "333"]) {
    await watch.check();
    const { cursor } = watch;
    write(other, text);
    await watch.check();
    expect(watch.since(cursor, [root])).toMatchObject([{ path, type: 2 }]);
  }
});

test("an open document follows writes through a hard link that it got later, at the next question", async () => {
  const { server, root, file } = await session(
    { capabilities: { workspaceSymbolProvider: true }, replies: { "workspace/symbol": [] } },
    { files: { "b.fake": "1" } },
  );
  for (const path of [file, join(root, "b.fake")]) await server.ensureOpen(path, signal());
  const other = linkOutside(file);
  const question: { [name: string]: () => Promise<unknown> } = {
    "about the document": () => server.ensureOpen(file, signal()),
    "about another document": () => server.ensureOpen(join(root, "b.fake"), signal()),
    "about the workspace": () => ask(server, "workspace/symbol", { query: "x" }),
  };
  for (const [name, run] of Object.entries(question)) {
    write(other, `${name}\n`);
    await run();
    const documents = (await ask(server, "fake/documents")) as { uri: string; text: string }[];
    const open = documents.find(({ uri }) => uri === pathToFileURL(file).href);
    expect(open?.text, name).toBe(`${name}\n`);
  }
});

test("the server is notified of a shown file that was written through a hard link that it got later", async () => {
  const { server, root, file } = await session({}, { files: { "b.fake": "1" } });
  await server.ensureOpen(file, signal());
  const shown = join(root, "b.fake");
  const uri = pathToFileURL(shown).href;
  expect((await server.textOf(uri))?.text).toBe("1");
  write(linkOutside(shown), "22");
  await server.ensureOpen(file, signal());
  const told = await received(server, "workspace/didChangeWatchedFiles");
  expect(told.flatMap(({ changes }) => changes)).toEqual([{ uri, type: 2 }]);
  expect((await server.textOf(uri))?.text).toBe("22");
});

test("an open document follows writes through a hard link while forty other files are used", async () => {
  const others = Array.from({ length: 40 }, (_, index) => `b${index}.fake`);
  const { server, root, file } = await session(
    { capabilities: { workspaceSymbolProvider: true }, replies: { "workspace/symbol": [] } },
    { files: Object.fromEntries(others.map((name) => [name, "1"])) },
  );
  for (const name of ["a.fake", ...others]) await server.ensureOpen(join(root, name), signal());
  write(linkOutside(file), "second\n");
  await ask(server, "workspace/symbol", { query: "x" });
  const documents = (await ask(server, "fake/documents")) as { uri: string; text: string }[];
  expect(documents.find(({ uri }) => uri === pathToFileURL(file).href)?.text).toBe("second\n");
});

test("a document follows writes through a hard link when it is asked about, however many were opened after it", async () => {
  // Only the most recently used documents are compared with their files before a question about another one.
  const others = Array.from({ length: 40 }, (_, index) => `b${index}.fake`);
  const { server, root, file } = await session(
    {},
    { files: Object.fromEntries(others.map((name) => [name, "1"])) },
  );
  for (const name of ["a.fake", ...others]) await server.ensureOpen(join(root, name), signal());
  write(linkOutside(file), "second\n");
  expect((await server.ensureOpen(file, signal())).lines.text).toBe("second\n");
  expect(await received(server, "textDocument/didChange")).toHaveLength(1);
});
