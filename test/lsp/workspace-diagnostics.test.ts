/** Diagnostics of all files: pulled with result ids, merged with published ones, and reported as incomplete where they are. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { ServerPlan } from "../../src/abi/plan.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import type { WorkspaceDiagnosticsReport } from "../../src/lsp/types.js";
import { fakeServer, type Scenario } from "../fake-server/index.js";
import { act, poolOf, received, scenarios, signal, until, workspace, write } from "./support.js";

const METHOD = "workspace/diagnostic";

function item(message: string): { [key: string]: Json } {
  return { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, message };
}

async function open(
  scenario: (uri: (name: string) => string) => Scenario,
  overrides: Partial<ServerPlan> = {},
) {
  const root = workspace({ "a.fake": "a", "b.fake": "b" });
  const uri = (name: string): string => pathToFileURL(join(root, name)).href;
  const pool = poolOf(root, [fakeServer(scenarios(), scenario(uri), overrides)]);
  const server = await pool.get("fake", undefined, signal());
  const look = (waitMs = 3_000): Promise<WorkspaceDiagnosticsReport> =>
    server.workspaceDiagnostics({ waitMs, settleMs: 30, signal: signal() });
  return { server, uri, look };
}

const offered = { diagnosticProvider: { identifier: "id", workspaceDiagnostics: true } };

test("result ids go back, `unchanged` means the same items, a file that is no longer told of is gone", async () => {
  const { server, uri, look } = await open((of) => ({
    capabilities: offered,
    replies: {
      [METHOD]: {
        $each: [
          {
            items: [
              { uri: of("b.fake"), kind: "full", version: null, resultId: "b1", items: [item("of b")] },
              { uri: of("a.fake"), kind: "full", version: 1, resultId: "a1", items: [item("of a")] },
            ],
          },
          { items: [{ uri: of("b.fake"), kind: "unchanged", version: null, resultId: "b2" }] },
          { items: [] },
        ],
      },
    },
  }));
  const ofB = { uri: uri("b.fake"), items: [item("of b")] };
  expect(await look()).toMatchObject({
    status: "diagnostics",
    why: "",
    files: [{ uri: uri("a.fake"), items: [item("of a")] }, ofB],
  });
  expect((await look()).files).toEqual([ofB]);
  await act(server, { request: "workspace/diagnostic/refresh" });
  expect(await look()).toMatchObject({ status: "clean", files: [] });
  const asked = await received(server, METHOD);
  expect(asked.map(({ previousResultIds }) => previousResultIds)).toEqual([
    [],
    [
      { uri: uri("b.fake"), value: "b1" },
      { uri: uri("a.fake"), value: "a1" },
    ],
    [],
  ]);
  expect(asked.every(({ identifier }) => identifier === "id")).toBe(true);
});

const part = (uri: string, message: string, $token: Json): JsonObject => ({
  notify: "$/progress",
  params: { token: $token, value: { items: [{ uri, kind: "full", version: null, items: [item(message)] }] } },
});
const token = { $: "/params/partialResultToken" };

test("partial results count, with those that the answer adds", async () => {
  const { uri, look } = await open((of) => ({
    capabilities: offered,
    replies: {
      [METHOD]: { items: [{ uri: of("b.fake"), kind: "full", version: null, items: [item("of b")] }] },
    },
    on: { [METHOD]: [part(of("a.fake"), "of a", token)] },
  }));
  expect(await look()).toMatchObject({
    status: "diagnostics",
    why: "",
    files: [
      { uri: uri("a.fake"), items: [item("of a")] },
      { uri: uri("b.fake"), items: [item("of b")] },
    ],
  });
});

test("parts of a question that had to be asked again do not count", async () => {
  const again = join(scenarios(), "again");
  const modified: JsonObject = { error: { code: -32801, message: "modified" }, once: `${again}2` };
  const { look } = await open((of) => {
    const first: JsonObject = { ...part(of("a.fake"), "of old", token), once: `${again}1` };
    const replies = { [METHOD]: { items: [] } };
    return { capabilities: offered, replies, on: { [METHOD]: [first, modified] } };
  });
  expect(await look()).toMatchObject({ status: "clean", files: [] });
});

test("a request that is never answered gives its partial results, with a warning", async () => {
  const { uri, look } = await open((of) => ({
    capabilities: offered,
    on: { [METHOD]: [part(of("a.fake"), "of a", token), { never: true }] },
  }));
  expect(await look()).toMatchObject({
    status: "diagnostics",
    why: expect.stringContaining("did not answer"),
    files: [{ uri: uri("a.fake"), items: [item("of a")] }],
  });
});

test("what was published is merged in, without duplicates", async () => {
  const { uri, look } = await open((of) => ({
    capabilities: offered,
    replies: {
      [METHOD]: { items: [{ uri: of("b.fake"), kind: "full", version: null, items: [item("x")] }] },
    },
    on: {
      [METHOD]: [
        {
          notify: "textDocument/publishDiagnostics",
          params: { uri: of("b.fake"), diagnostics: [item("x"), item("y")] },
        },
      ],
    },
  }));
  // The first answer may come before the publish is taken in; the second has both.
  await look();
  expect((await look()).files).toEqual([{ uri: uri("b.fake"), items: [item("x"), item("y")] }]);
});

test("a report on an older version of an open file does not count", async () => {
  const { look } = await open((of) => ({
    capabilities: offered,
    replies: { [METHOD]: { items: [{ uri: of("a.fake"), kind: "full", version: 9, items: [item("x")] }] } },
  }));
  expect(await look()).toMatchObject({ status: "unknown", why: expect.stringContaining("older version") });
});

test.each<[string, Scenario, string]>([
  ["a server that only publishes", {}, "only on files that were opened"],
  [
    "a failure",
    { capabilities: offered, on: { [METHOD]: [{ error: { code: -32000, message: "no" } }] } },
    "no",
  ],
  ["no report at all", { capabilities: offered, replies: { [METHOD]: null } }, "no report"],
])("%s is unknown with the reason, not clean", async (_case, scenario, why) => {
  const { look } = await open(() => scenario);
  expect(await look()).toMatchObject({ status: "unknown", why: expect.stringContaining(why), files: [] });
});

test("a server that holds the question open is not waited for past the time", async () => {
  const { server } = await open(() => ({ capabilities: offered, on: { [METHOD]: [{ never: true }] } }));
  const report = await server.workspaceDiagnostics({ waitMs: 100, settleMs: 30, signal: signal() });
  expect(report).toMatchObject({ status: "unknown", why: expect.stringContaining("did not answer") });
});

test("a server that checks single files reports the files that were opened in it", async () => {
  const { server, uri, look } = await open(() => ({
    capabilities: { diagnosticProvider: { workspaceDiagnostics: false } },
    replies: { "textDocument/diagnostic": { kind: "full", items: [item("mine")] } },
  }));
  await server.ensureOpen(join(server.root, "b.fake"), signal());
  expect(await look()).toMatchObject({
    status: "diagnostics",
    why: expect.stringContaining("only on files that were opened"),
    files: [{ uri: uri("b.fake"), items: [item("mine")] }],
  });
});

test("all files are not clean while the server checks in the background", async () => {
  const begin = { notify: "$/progress", params: { token: 1, value: { kind: "begin", title: "checking" } } };
  const ready = {
    progress: true,
    notification: "custom/ready",
    field: "/ok",
    text: [],
    atOnce: false,
    eachFolder: false,
  };
  const { server } = await open(() => ({ capabilities: offered, replies: { [METHOD]: { items: [] } } }), {
    ready,
  });
  // Its readiness does not depend on the check.
  await act(server, { notify: "custom/ready", params: { ok: true } }, begin);
  const look = (waitMs: number) => server.workspaceDiagnostics({ waitMs, settleMs: 30, signal: signal() });
  expect(await look(100)).toMatchObject({ status: "unknown", why: expect.stringContaining("background") });
  await act(server, { notify: "$/progress", params: { token: 1, value: { kind: "end" } } });
  expect(await look(3_000)).toMatchObject({ status: "clean", why: "" });
});

const published = (uri: string, ...diagnostics: JsonObject[]): JsonObject => ({
  notify: "textDocument/publishDiagnostics",
  params: { uri, diagnostics },
});

test("the published diagnostics of a closed file are dropped with its text, and reported again when the server sends them", async () => {
  const { server, uri, look } = await open((of) => ({
    on: { "textDocument/didOpen": [published(of("a.fake"))] },
  }));
  const ofB = join(server.root, "b.fake");
  await act(server, published(uri("b.fake"), item("of b")));
  expect(await look()).toMatchObject({ status: "diagnostics", files: [{ uri: uri("b.fake") }] });
  write(ofB, "mended");
  expect(await look()).toMatchObject({
    status: "unknown",
    why: expect.stringMatching(/not reported again on b\.fake/),
    files: [],
  });
  write(ofB, "broken anew");
  const told = look(30_000);
  await until(async () => (await received(server, "workspace/didChangeWatchedFiles")).length === 2);
  await act(server, published(uri("b.fake"), item("anew")));
  expect((await told).files).toEqual([{ uri: uri("b.fake"), items: [item("anew")] }]);
  expect((await told).why).not.toContain("b.fake");
});

test("what was published of a file that is gone is not told", async () => {
  const { server, uri, look } = await open((of) => ({
    on: { "textDocument/didOpen": [published(of("a.fake"))] },
  }));
  await act(server, published(uri("b.fake"), item("of b")));
  await look();
  rmSync(join(server.root, "b.fake"));
  // A last word on it, after its end.
  await server.ensureOpen(join(server.root, "a.fake"), signal());
  await act(server, published(uri("b.fake"), item("of b")));
  expect(await look()).toMatchObject({
    status: "unknown",
    files: [],
    why: expect.not.stringContaining("b.fake"),
  });
});

test("what was said before other files changed is told as such, unless the server says it again", async () => {
  const found: JsonObject = { $: "/params/textDocument/uri" };
  const again = {
    notify: "textDocument/publishDiagnostics",
    params: { uri: found, diagnostics: [item("x")] },
  };
  const { server, uri, look } = await open(() => ({
    on: { "textDocument/didOpen": [again], "textDocument/didChange": [again] },
  }));
  await look();
  await act(server, published(uri("b.fake"), item("of b")));
  write(join(server.root, "c.fake"), "new");
  const report = await look();
  expect(report.files.map((file) => file.uri)).toEqual([uri("a.fake"), uri("b.fake")]);
  expect(report.why).toMatch(/reported again on b\.fake$/);
});
