/** Servers may request edits only while a command runs, and are notified of file operations as registered. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { Json } from "../../src/base/json.js";
import { clientCapabilities } from "../../src/lsp/wire/initialize.js";
import type { Scenario } from "../fake-server/index.js";
import { ask, received, session, signal, until, write } from "./support.js";

const asksToApply: Scenario = {
  capabilities: { executeCommandProvider: { commands: ["go"] } },
  on: {
    "workspace/executeCommand": [
      { request: "workspace/applyEdit", params: { edit: { changes: { x: [] } } } },
      { reply: "done" },
    ],
  },
};

test("a server's own edit is taken only within a command that takes edits", async () => {
  const { server } = await session(asksToApply);
  const told: unknown[] = [];
  const run = (onApplyEdit?: (edit: unknown) => Promise<{ applied: boolean }>) =>
    server.request(
      "workspace/executeCommand",
      { command: "go" },
      { signal: signal(), ...(onApplyEdit ? { onApplyEdit } : {}) },
    );
  await run(async (edit) => {
    told.push(edit);
    return { applied: true };
  });
  await run();
  expect(told).toEqual([{ changes: { x: [] } }]);
  const answers = (await ask(server, "fake/received")) as { answer?: { result: { applied: boolean } } }[];
  const results = answers.flatMap(({ answer }) => (answer ? [answer.result] : []));
  expect(results.map(({ applied }) => applied)).toEqual([true, false]);
});

test("servers are offered no more than the proxy may do", () => {
  const offered = (effects: ("read" | "edit" | "command")[]) =>
    (clientCapabilities({}, effects) as { workspace: { applyEdit: Json; fileOperations?: Json } }).workspace;
  expect(offered(["read"])).toMatchObject({ applyEdit: false });
  expect(offered(["read"]).fileOperations).toBeUndefined();
  expect(offered(["read", "edit"])).toMatchObject({ applyEdit: false, fileOperations: { willRename: true } });
  expect(offered(["command", "edit", "read"])).toMatchObject({ applyEdit: true });
});

test("a server is notified of the files that its filters match, and of no others", async () => {
  const filters: Json = [
    { scheme: "file", pattern: { glob: "**/*.fake", matches: "file" } },
    { pattern: { glob: "**/LIB", matches: "folder", options: { ignoreCase: true } } },
    { scheme: "untitled", pattern: { glob: "**/*" } },
  ];
  const { server, root } = await session({
    capabilities: { workspace: { fileOperations: { willRename: { filters }, didRename: { filters } } } },
  });
  const files = [
    { path: join(root, "a.fake"), newPath: join(root, "b.fake"), isFolder: false },
    { path: join(root, "d.fake"), newPath: join(root, "e.fake"), isFolder: true },
    { path: join(root, "lib"), newPath: join(root, "src"), isFolder: true },
    { path: join(root, "x.other"), newPath: join(root, "y.other"), isFolder: false },
  ];
  const wanted = [files[0], files[2]];
  expect(server.wantedFiles("will", "Rename", files)).toEqual(wanted);
  expect(server.wantedFiles("did", "Create", files)).toEqual([]);
  server.tellFiles("Rename", files);
  server.tellFiles("Delete", files);
  await until(async () => (await received(server, "workspace/didRenameFiles")).length > 0);
  const uri = (path: string | undefined) => pathToFileURL(path ?? "").href;
  expect(await received(server, "workspace/didRenameFiles")).toEqual([
    { files: wanted.map((file) => ({ oldUri: uri(file?.path), newUri: uri(file?.newPath) })) },
  ]);
  expect(await received(server, "workspace/didDeleteFiles")).toEqual([]);
});

test("what anyone changed since a cursor is known, and nothing else", async () => {
  const { pool, root } = await session({}, { files: { "b.fake": "b" } });
  write(join(root, "b.fake"), "before");
  const cursor = await pool.changeCursor();
  expect([...(await pool.changedSince(cursor))]).toEqual([]);
  write(join(root, "a.fake"), "after");
  write(join(root, "new.fake"), "after");
  expect([...(await pool.changedSince(cursor))].sort()).toEqual([
    join(root, "a.fake"),
    join(root, "new.fake"),
  ]);
});
