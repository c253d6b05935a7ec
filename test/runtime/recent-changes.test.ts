/** What a server tells of the workspace shortly after files changed, which it may not have taken in yet. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import type { Json } from "../../src/base/json.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

let work: TestWorkspace | undefined;
afterEach(async () => {
  await work?.close();
  work = undefined;
});

const found = [
  { name: "fresh", kind: 12, location: { uri: "file:///work/new.fake", range: range(0, 0, 5) } },
];

/** A server that has said that it is ready, with these answers to a search, the last for ever. */
async function open(answers: Json[]): Promise<TestWorkspace> {
  work = await openTestWorkspace({
    files: { "a.fake": "one two\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: { workspaceSymbolProvider: true, definitionProvider: true },
          on: {
            initialized: ["begin", "end"].map((kind) => ({
              notify: "$/progress",
              params: { token: "index", value: { kind, title: "indexing" } },
            })),
          },
          replies: {
            "workspace/symbol": { $each: answers },
            "textDocument/definition": found[0]?.location ?? null,
          },
        },
      },
    },
  });
  return work;
}

it("returns an empty answer at once while nothing changed", async () => {
  const { call, received } = await open([[], found]);
  const { structured } = await call("search_workspace_symbols", { query: "fresh" });
  expect(structured).toMatchObject({ total: 0, warnings: [] });
  expect(await received("workspace/symbol")).toHaveLength(1);
});

it("asks again for what a new file may have brought, and says that the server may not have it", async () => {
  const { call, received, folder } = await open([[], [], [], found]);
  await call("search_workspace_symbols", { query: "other" });
  writeFileSync(join(folder, "new.fake"), "fresh\n");
  const { structured, text } = await call("search_workspace_symbols", { query: "fresh" });
  expect(structured).toMatchObject({ total: 1, warnings: [{ code: "answer/files-changed" }] });
  expect(text).toContain("Warning answer/files-changed");
  expect(await received("workspace/symbol")).toHaveLength(4);
});

it("finds a symbol of a new file by its name", async () => {
  const { call, folder } = await open([[], [], found]);
  await call("search_workspace_symbols", { query: "other" });
  writeFileSync(join(folder, "new.fake"), "fresh\n");
  const { structured } = await call("find_definition", { symbol_name: "fresh" });
  expect(structured).toMatchObject({ total: 1, locations: [{ path: "new.fake" }] });
});

it("gives up in the end, and says why nothing may be known", async () => {
  const { call, folder } = await open([[]]);
  await call("search_workspace_symbols", { query: "other" });
  writeFileSync(join(folder, "new.fake"), "fresh\n");
  const { structured } = await call("search_workspace_symbols", { query: "fresh" });
  expect(structured).toMatchObject({ total: 0, warnings: [{ code: "answer/files-changed" }] });
});

it("leaves alone what changes in files that no server is for", async () => {
  const { call, received, folder } = await open([[]]);
  await call("search_workspace_symbols", { query: "other" });
  writeFileSync(join(folder, "notes.txt"), "fresh\n");
  // Until the system has told of it: a question that overtakes the news is asked again.
  for (let turn = 0; turn < 2; turn++) await nextTurn();
  const { structured } = await call("search_workspace_symbols", { query: "fresh" });
  expect(structured).toMatchObject({ total: 0, warnings: [] });
  expect(await received("workspace/symbol")).toHaveLength(2);
});
