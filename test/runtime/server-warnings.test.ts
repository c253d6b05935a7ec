/** What is said of folders that are not watched: once in a session, and always in the status. */
import { afterEach, expect, test } from "vitest";
import type { CallOutcome } from "../../src/runtime/session.js";
import { openTestWorkspace, type TestWorkspace } from "./test-workspace.js";

let shop: TestWorkspace | undefined;

afterEach(() => shop?.close());

const warnings = ({ structured }: CallOutcome): unknown => structured.warnings;

const scenario = {
  capabilities: { hoverProvider: true },
  replies: { "textDocument/hover": { contents: "text" } },
};
const hover = { file_path: "a.fake", line: 1 };

test("a folder that is not watched is named once in a session, and always in the status", async () => {
  const gen = Object.fromEntries(["a", "b", "c", "d"].map((name) => [`gen/${name}.fake`, ""]));
  shop = await openTestWorkspace({
    files: { "a.fake": "one two\n", ".gitignore": "gen/\n", ...gen },
    servers: { fake: { scenario } },
    watchOptions: { ignoredFiles: 3 },
  });
  const warning = { code: "answer/not-watched", data: { folder: "gen" } };
  expect(warnings(await shop.call("get_hover", { ...hover, character: 1 }))).toMatchObject([warning]);
  expect(warnings(await shop.call("get_hover", { ...hover, character: 5 }))).toEqual([]);
  const status = await shop.call("get_server_status", {});
  expect(status.structured.servers).toMatchObject([{ not_watched: ["gen"] }]);
  const other = shop.runtime.openSession();
  const options = { signal: new AbortController().signal };
  expect(warnings(await other.call("get_hover", { ...hover, character: 6 }, options))).toMatchObject([
    warning,
  ]);
});

test("hundreds of folders that are not watched are named by their root", async () => {
  const folders = Array.from({ length: 600 }, (_, index) => [`gen${index}/a.fake`, ""]);
  shop = await openTestWorkspace({
    files: { "a.fake": "one two\n", ".gitignore": "gen*/\n", ...Object.fromEntries(folders) },
    servers: { fake: { scenario } },
    watchOptions: { ignoredFolders: 5, ignoredWaitMs: 60_000 },
  });
  const warning = { code: "answer/not-watched", data: { folder: "." } };
  expect(warnings(await shop.call("get_hover", { ...hover, character: 1 }))).toMatchObject([warning]);
  expect(warnings(await shop.call("get_hover", { ...hover, character: 5 }))).toEqual([]);
  const status = await shop.call("get_server_status", {});
  expect(status.structured.servers).toMatchObject([{ not_watched: ["."] }]);
});
