/** Diagnostics: never clean before the server has reported on exactly the text that is on disk. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.js";
import type { DiagnosticsReport, LanguageServer } from "../../src/lsp/types.js";
import { fakeServer, serverPlan } from "../fake-server/index.js";
import {
  act,
  ask,
  poolOf,
  received,
  scenarios,
  session,
  signal,
  until,
  workspace,
  write,
} from "./support.js";

const found = { $find: "BUG", as: "diagnostics" };
const publish = {
  notify: "textDocument/publishDiagnostics",
  params: { uri: { $: "/params/textDocument/uri" }, version: { $version: true }, diagnostics: found },
};
const plain = { ...publish, params: { uri: { $: "/params/textDocument/uri" }, diagnostics: found } };
const pull = {
  capabilities: { diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false } },
  replies: { "textDocument/diagnostic": { kind: "full", items: found } },
};

const status = serverPlan("fake", [], [], "fake").ready;

async function diagnose(
  server: LanguageServer,
  file: string,
  waitMs = 20_000,
  settleMs = 30,
): Promise<DiagnosticsReport> {
  const document = await server.ensureOpen(file, signal());
  return server.diagnostics(document, { waitMs, settleMs, signal: signal() });
}

test.each([
  ["with versions", publish],
  ["without versions", plain],
])("push %s: each answer is about the text on disk now", async (_name, action) => {
  const { server, file } = await session({
    on: { "textDocument/didOpen": [action], "textDocument/didChange": [action] },
  });
  expect(await diagnose(server, file)).toMatchObject({ status: "clean", items: [] });
  write(file, "a BUG\n");
  expect(await diagnose(server, file)).toMatchObject({
    status: "diagnostics",
    items: [{ message: "found BUG" }],
  });
  write(file, "no more\n");
  expect(await diagnose(server, file)).toMatchObject({ status: "clean" });
});

test("push: nothing published is unknown, not clean", async () => {
  const { server, file } = await session({});
  const report = await diagnose(server, file, 60);
  expect(report.status).toBe("unknown");
  expect(report.why).toContain("published nothing");
});

test("push: a publish for an older version does not count", async () => {
  const old = { ...publish, params: { ...publish.params, version: 1 } };
  const { server, file } = await session({
    on: { "textDocument/didOpen": [publish], "textDocument/didChange": [old] },
  });
  await diagnose(server, file);
  write(file, "a BUG\n");
  expect(await diagnose(server, file, 80)).toMatchObject({ status: "unknown" });
});

test("push: several publishes in a row count when they have settled", async () => {
  const empty = { ...publish, params: { ...publish.params, diagnostics: [] } };
  const { server, file } = await session(
    { on: { "textDocument/didOpen": [empty, publish] } },
    { text: "BUG" },
  );
  // A busy machine may let time pass between the two.
  expect(await diagnose(server, file, 20_000, 1_000)).toMatchObject({ status: "diagnostics" });
});

test("push: an empty publish while the server is indexing is not clean", async () => {
  const begin = { notify: "$/progress", params: { token: "t", value: { kind: "begin", title: "indexing" } } };
  const end = { notify: "$/progress", params: { token: "t", value: { kind: "end" } } };
  const { server, file } = await session({ on: { initialized: [begin], "textDocument/didOpen": [publish] } });
  await until(() => server.readiness === "indexing");
  expect(await diagnose(server, file, 80)).toMatchObject({ status: "unknown", readiness: "indexing" });
  const later = diagnose(server, file, 5_000);
  await act(server, end);
  expect(await later).toMatchObject({ status: "clean", readiness: "ready" });
});

test("push: after a change of another file the server is asked again", async () => {
  const { server, root, file } = await session({
    on: { "textDocument/didOpen": [publish], "textDocument/didChange": [publish] },
  });
  await diagnose(server, file);
  write(join(root, "other.fake"), "x");
  expect(await diagnose(server, file)).toMatchObject({ status: "clean" });
  expect(await received(server, "textDocument/didChange")).toMatchObject([{ textDocument: { version: 2 } }]);
  await diagnose(server, file);
  expect(await received(server, "textDocument/didChange")).toHaveLength(1);
});

test("push: silence after a change of another file is unknown, with what was last said", async () => {
  const { server, root, file } = await session(
    { on: { "textDocument/didOpen": [publish] } },
    { text: "BUG" },
  );
  await diagnose(server, file);
  write(join(root, "other.fake"), "x");
  const report = await diagnose(server, file, 80);
  expect(report).toMatchObject({ status: "unknown", items: [{ message: "found BUG" }] });
  expect(report.why).toContain("other files changed");
});

test("pull: found, clean, and about the text on disk now", async () => {
  const { server, file } = await session(pull);
  expect(await diagnose(server, file)).toMatchObject({ status: "clean" });
  write(file, "a BUG\n");
  expect(await diagnose(server, file)).toMatchObject({
    status: "diagnostics",
    items: [{ message: "found BUG" }],
  });
});

test("pull: the first 'nothing' of a server that shows nothing of itself is asked again, and no later one", async () => {
  const nothing = { kind: "full", items: [] };
  const late = {
    ...pull,
    replies: {
      "textDocument/diagnostic": { $each: [nothing, pull.replies["textDocument/diagnostic"], nothing] },
    },
  };
  const { server, file } = await session(late, { text: "a BUG\n" });
  expect(await diagnose(server, file, 20_000)).toMatchObject({ status: "diagnostics" });
  expect(await diagnose(server, file, 20_000)).toMatchObject({ status: "clean" });
  expect(await received(server, "textDocument/diagnostic")).toHaveLength(3);
  const atOnce = await session(late, {
    ...{ text: "a BUG\n", server: { ready: { ...status, text: [], atOnce: true, eachFolder: false } } },
  });
  expect(await diagnose(atOnce.server, atOnce.file, 20_000)).toMatchObject({ status: "clean" });
});

test("pull: nothing is clean before the server has sent the status that it is known for", async () => {
  const { server, file } = await session(pull, {
    server: { ready: { ...status, notification: "fake/ready" }, warmupTimeoutMs: 60_000 },
  });
  expect(await diagnose(server, file, 1_000)).toMatchObject({
    status: "unknown",
    why: "the server has not reported that it is ready",
  });
  await act(server, { notify: "fake/ready", params: {} });
  expect(await diagnose(server, file)).toMatchObject({ status: "clean" });
});

test("the published diagnostics of a server count where the preset turns pulling off", async () => {
  const nothing = { kind: "full", items: [] };
  const { server, file } = await session(
    {
      ...{ ...pull, replies: { "textDocument/diagnostic": nothing } },
      on: { "textDocument/didOpen": [publish] },
    },
    { text: "a BUG\n", server: { diagnostics: { pull: false, onSave: false } } },
  );
  expect(await diagnose(server, file)).toMatchObject({
    status: "diagnostics",
    items: [{ message: "found BUG" }],
  });
  expect(await received(server, "textDocument/diagnostic")).toHaveLength(0);
});

test("a server that checks saved files only gets didSave once it is ready, and is waited for", async () => {
  const begin = { notify: "$/progress", params: { token: 1, value: { kind: "begin", title: "build" } } };
  const end = { notify: "$/progress", params: { token: 1, value: { kind: "end" } } };
  const built = join(scenarios(), "built");
  const { server, file } = await session(
    {
      capabilities: pull.capabilities,
      replies: {
        "textDocument/diagnostic": {
          $each: [
            { kind: "full", items: [] },
            { kind: "full", items: found },
          ],
        },
      },
      on: { "textDocument/didSave": [begin, { waitFile: built }, end] },
    },
    {
      text: "a BUG\n",
      server: {
        ...{ ready: { ...status, notification: "fake/ready" }, warmupTimeoutMs: 60_000 },
        diagnostics: { pull: true, onSave: true },
      },
    },
  );
  const report = diagnose(server, file, 60_000);
  await until(async () => (await received(server, "textDocument/didOpen")).length > 0);
  expect(await received(server, "textDocument/didSave")).toHaveLength(0);
  await act(server, { notify: "fake/ready", params: {} });
  await until(async () => (await received(server, "textDocument/diagnostic")).length > 0);
  write(built, "");
  expect(await report).toMatchObject({ status: "diagnostics", items: [{ message: "found BUG" }] });
  expect(await received(server, "textDocument/didSave")).toHaveLength(1);
});

test("pull: the result id comes back, `unchanged` means the same items, and a refresh forgets it", async () => {
  const item = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, message: "m" };
  const { server, file } = await session({
    ...pull,
    replies: {
      "textDocument/diagnostic": {
        $each: [
          { kind: "full", resultId: "r1", items: [item] },
          { kind: "unchanged", resultId: "r2" },
        ],
      },
    },
  });
  expect((await diagnose(server, file)).items).toEqual([item]);
  expect((await diagnose(server, file)).items).toEqual([item]);
  await act(server, { request: "workspace/diagnostic/refresh" });
  await diagnose(server, file);
  const asked = await received(server, "textDocument/diagnostic");
  expect(asked.map((params) => params.previousResultId)).toEqual([undefined, "r1", undefined]);
});

test("pull: related documents are remembered with their result ids", async () => {
  const root = workspace({ "a.fake": "a", "b.fake": "b" });
  const uri = pathToFileURL(join(root, "b.fake")).href;
  const item = {
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
    message: "of b",
  };
  const related = { [uri]: { kind: "full", resultId: "rb", items: [item] } };
  const replies: { [method: string]: Json } = {
    "textDocument/diagnostic": {
      $each: [
        { kind: "full", items: [], relatedDocuments: related },
        { kind: "unchanged", resultId: "rb" },
      ],
    },
  };
  const pool = poolOf(root, [fakeServer(scenarios(), { ...pull, replies })]);
  const server = await pool.get("fake", undefined, signal());
  expect((await diagnose(server, join(root, "a.fake"))).status).toBe("clean");
  expect((await diagnose(server, join(root, "b.fake"))).items).toEqual([item]);
  expect((await received(server, "textDocument/diagnostic")).at(-1)).toMatchObject({
    previousResultId: "rb",
  });
});

test("pull by registration: the identifier is passed, and a call that began before the registration gets it", async () => {
  const registrations = [
    {
      id: "d",
      method: "textDocument/diagnostic",
      registerOptions: { identifier: "lint", documentSelector: [{ language: "fake" }] },
    },
  ];
  const { server, file } = await session({ replies: pull.replies }, { text: "BUG" });
  const report = diagnose(server, file, 5_000);
  await until(async () => (await received(server, "textDocument/didOpen")).length > 0);
  await act(server, { request: "client/registerCapability", params: { registrations } });
  expect(await report).toMatchObject({ status: "diagnostics" });
  expect(await received(server, "textDocument/diagnostic")).toMatchObject([{ identifier: "lint" }]);
});

test("pull and push together are merged, without duplicates", async () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
  const same = { range, severity: 1, source: "fake", message: "found BUG" };
  const diagnostics = [same, { range, message: "pushed" }];
  const both = { ...publish, params: { ...publish.params, diagnostics } };
  const { server, file } = await session(
    { ...pull, on: { "textDocument/didOpen": [both] } },
    { text: "BUG" },
  );
  await server.ensureOpen(file, signal());
  await ask(server, "fake/documents");
  const report = await diagnose(server, file);
  expect(report.items.map((item) => (item as JsonObject).message)).toEqual(["found BUG", "pushed"]);
});

test("pull: the first reply about a file has four times the usual time, and a later one the usual", async () => {
  const ready = join(scenarios(), "ready");
  const { server, file } = await session(
    { ...pull, on: { "textDocument/diagnostic": [{ waitFile: ready }] } },
    { text: "a BUG\n" },
  );
  const first = diagnose(server, file, 3_000);
  // After more than twice the usual time.
  setTimeout(() => write(ready, ""), 7_000);
  expect(await first).toMatchObject({ status: "diagnostics", items: [{ message: "found BUG" }] });
  rmSync(ready);
  write(file, "another BUG\n");
  expect(await diagnose(server, file, 500)).toMatchObject({ status: "unknown" });
});

test("pull: a failure is unknown with the reason", async () => {
  const { server, file } = await session({
    ...pull,
    on: { "textDocument/diagnostic": [{ error: { code: -32803, message: "no project" } }] },
  });
  const report = await diagnose(server, file);
  expect(report).toMatchObject({ status: "unknown" });
  expect(report.why).toContain("no project");
});

test.each<JsonObject>([{}, { kind: "full" }, { kind: "unchanged", resultId: "1" }])(
  "pull: a report that says nothing is unknown, not clean: %j",
  async (report) => {
    const { server, file } = await session({ ...pull, replies: { "textDocument/diagnostic": report } });
    expect(await diagnose(server, file)).toMatchObject({ status: "unknown" });
  },
);

test("push: a server that is waited for is not idle", async () => {
  // Longer than a busy machine needs from the start to the question, and a fraction of the wait.
  const { server, file, pool } = await session({}, { server: { idleShutdownMs: 2_000 } });
  const before = server.generation;
  expect(await diagnose(server, file, 2_500)).toMatchObject({ status: "unknown" });
  expect(server.generation).toBe(before);
  expect(pool.status()[0]?.restarts).toBe(0);
});

test("a server that the config does not ask for diagnostics says so", async () => {
  const { server, file } = await session(pull, {
    server: { features: { only: null, except: ["diagnostics"] } },
  });
  expect(await diagnose(server, file)).toMatchObject({ status: "unknown" });
  expect(await received(server, "textDocument/diagnostic")).toEqual([]);
});

test("a cancelled wait ends at once", async () => {
  const { server, file } = await session({});
  const controller = new AbortController();
  const document = await server.ensureOpen(file, signal());
  const report = server.diagnostics(document, { waitMs: 20_000, settleMs: 30, signal: controller.signal });
  controller.abort();
  await expect(report).rejects.toMatchObject({ code: "call/cancelled" });
});
