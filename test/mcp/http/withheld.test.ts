/** A session limited to some roots gets no server output about other files, and cannot undo edits of others. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import type { Scenario } from "../../fake-server/index.js";
import { closeAll, connect, openGateway, otherToken, token } from "./support.js";

afterEach(closeAll);

type TestClient = Awaited<ReturnType<typeof connect>>;

const secret = "const PASSWORD = 1";
const failing: Scenario = {
  capabilities: { hoverProvider: true, diagnosticProvider: { interFileDependencies: false } },
  on: {
    "textDocument/hover": [
      { stderr: `cannot parse file:///work/two/b.fake: ${secret}\n` },
      { error: { code: -32603, message: "clash with file:///work/two/b.fake and file:///work/one/a.fake" } },
    ],
    "textDocument/diagnostic": [
      {
        error: { code: -32603, message: "no report of file:///work/two/b.fake and file:///work/one/a.fake" },
      },
    ],
  },
};

async function open(scenario: Scenario) {
  const gateway = await openGateway({
    files: { "one/a.fake": "one\n", "two/b.fake": "two\n" },
    servers: { fake: { scenario } },
    config: {
      workspace: { roots: ["work"] },
      allow: { commands: [process.execPath], effects: ["read", "edit"] },
      mcp: { context: "full" },
    },
  });
  const uri = (name: string) => pathToFileURL(join(gateway.work.folder, name)).href;
  const narrow = (name: string) => connect(gateway.url, { roots: [uri(name)] });
  return { ...gateway, narrow };
}

async function ask(client: TestClient, name: string, args: JsonObject): Promise<JsonObject> {
  return (await client.callTool({ name, arguments: args })).structuredContent as JsonObject;
}

const hover = (client: TestClient, file: string) =>
  ask(client, "get_hover", { file_path: file, line: 1, character: 1 });

it("a limited session gets no server messages about other files; one that sees them does", async () => {
  const { url, narrow } = await open(failing);
  const [one, two, whole] = [await narrow("one"), await narrow("two"), await connect(url)];
  expect(await hover(two, "b.fake")).toMatchObject({
    error: { code: "lsp/failed", message: expect.stringContaining("clash with b.fake and <path>") },
  });
  const status = async (client: TestClient) => JSON.stringify(await ask(client, "get_server_status", {}));
  await expect.poll(() => status(whole)).toContain(secret);
  for (const client of [one, two]) {
    expect(await status(client)).not.toContain(secret);
    expect(await status(client)).not.toContain("b.fake");
  }
  const failed = JSON.stringify(await hover(one, "a.fake"));
  expect(failed).toContain("clash with <path> and a.fake");
  const diagnosed = JSON.stringify(await ask(one, "get_diagnostics", { file_path: "a.fake" }));
  expect(diagnosed).toContain("no report of <path> and a.fake");
  expect(JSON.stringify(await hover(whole, "one/a.fake"))).toContain("clash with two/b.fake and one/a.fake");
});

it("a limited session gets progress without its text", async () => {
  const title = "indexing file:///work/two/b.fake";
  const { url, narrow } = await open({
    capabilities: { hoverProvider: true },
    replies: { "textDocument/hover": { contents: "x" } },
    on: {
      "textDocument/hover": [
        { request: "window/workDoneProgress/create", params: { token: 1 } },
        { notify: "$/progress", params: { token: 1, value: { kind: "begin", title } } },
        { notify: "$/progress", params: { token: 1, value: { kind: "end" } } },
        { reply: { contents: "x" } },
      ],
    },
  });
  const heardBy = async (client: TestClient, file: string) => {
    const heard: string[] = [];
    const args = { file_path: file, line: 1, character: 1 };
    await client.callTool({ name: "get_hover", arguments: args }, undefined, {
      onprogress: ({ message }) => heard.push(message ?? ""),
    });
    return heard;
  };
  expect(await heardBy(await narrow("one"), "a.fake")).toContain("fake is working");
  expect(await heardBy(await connect(url), "one/a.fake")).toContain("indexing two/b.fake");
});

it("a limited session learns that a server did not start, without the server's message", async () => {
  const { url, narrow } = await open({
    on: { initialize: [{ error: { code: -32603, message: `broken file:///work/two/b.fake ${secret}` } }] },
  });
  const told = JSON.stringify(await hover(await narrow("one"), "a.fake"));
  expect(told).toContain("did not start");
  expect(told).not.toMatch(/PASSWORD|b\.fake/);
  expect(JSON.stringify(await hover(await connect(url), "one/a.fake"))).toContain("broken two/b.fake");
});

it("an edit can be undone by the holder of the token that made it, in any session, and by no other", async () => {
  const { url, work } = await open(failing);
  const mine = await connect(url);
  const made = await ask(mine, "create_file", { file_path: "new.fake", content: "x", dry_run: false });
  const undo = { undo_token: made.undo_token ?? "", dry_run: false };
  const theirs = await connect(url, { bearer: otherToken });
  for (const dry_run of [true, false])
    expect(await ask(theirs, "undo_edit", { ...undo, dry_run })).toMatchObject({
      error: { code: "edit/unknown-undo" },
    });
  expect(existsSync(join(work.folder, "new.fake"))).toBe(true);
  const again = await connect(url, { bearer: token });
  expect(await ask(again, "undo_edit", undo)).toMatchObject({ status: "undone" });
  expect(existsSync(join(work.folder, "new.fake"))).toBe(false);
});
