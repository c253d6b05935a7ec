/** When a published report counts: how long nothing must follow it. Uses fake time. */
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Lines } from "../../src/base/text.js";
import { Capabilities } from "../../src/lsp/capabilities.js";
import { Diagnostics } from "../../src/lsp/diagnostics/diagnostics.js";
import { PublishedReports } from "../../src/lsp/diagnostics/published-reports.js";
import { ReadinessState } from "../../src/lsp/readiness.js";
import type { DiagnosticsReport, OpenDocument } from "../../src/lsp/types.js";
import { serverPlan } from "../fake-server/index.js";
import { signal } from "./support.js";

const path = "/w/a.fake";
const uri = pathToFileURL(path).href;
const bug = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, message: "bug" };
const settleMs = 150;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server that only publishes, with one document open, at the test's own time. */
function open() {
  const plan = serverPlan("fake", ["fake"], ["fake"], "fake");
  const readiness = new ReadinessState(plan.ready);
  readiness.initialized();
  const document: OpenDocument = {
    path,
    uri,
    languageId: "fake",
    version: 1,
    edition: 1,
    hash: "",
    lines: new Lines(""),
  };
  const documents = new Map([[path, document]]);
  const diagnostics = new Diagnostics({
    capabilities: new Capabilities(plan),
    readiness,
    check: null,
    current: (name) => documents.get(name),
    isOwn: () => true,
    touch: () => {},
    save: () => {},
    settings: plan.diagnostics,
    request: () => Promise.reject(new Error("nothing is pulled here")),
  });
  return {
    readiness,
    documents,
    diagnostics,
    publish: (items: object[], version?: number) => diagnostics.publish({ uri, diagnostics: items, version }),
    change() {
      document.version++;
      diagnostics.changed(path);
    },
    /** What is told after so long, or undefined while nothing is. */
    ask(waitMs: number) {
      let told: DiagnosticsReport | undefined;
      void diagnostics.report(document, { waitMs, settleMs, signal: signal() }).then((report) => {
        told = report;
      });
      return async (ms: number) => {
        await vi.advanceTimersByTimeAsync(ms);
        return told;
      };
    },
  };
}

test("the first time, a file is waited for twice as long, up to ten seconds", async () => {
  const { publish, change, ask } = open();
  const first = ask(5_000);
  expect(await first(9_000)).toBeUndefined();
  publish([bug], 1);
  expect(await first(settleMs)).toMatchObject({ status: "diagnostics" });
  change();
  const second = ask(5_000);
  expect(await second(4_990)).toBeUndefined();
  expect(await second(20)).toMatchObject({ status: "unknown" });
  const other = open().ask(8_000);
  expect(await other(9_990)).toBeUndefined();
  expect(await other(20)).toMatchObject({ status: "unknown" });
});

test("a report with findings counts when it has settled", async () => {
  const { publish, ask } = open();
  const told = ask(5_000);
  await told(10);
  publish([bug], 1);
  expect(await told(settleMs - 10)).toBeUndefined();
  publish([bug, { ...bug, message: "another" }], 1);
  expect(await told(settleMs - 10)).toBeUndefined();
  expect((await told(20))?.items).toHaveLength(2);
});

test("a report with a version counts after its settling; without one after two seconds, one when the server is known", async () => {
  const versioned = open();
  const sure = versioned.ask(5_000);
  versioned.publish([], 1);
  expect(await sure(settleMs + 10)).toMatchObject({ status: "clean" });
  const plain = open();
  const waits = [
    [[], 1_900, "clean"],
    [[bug], 1_900, "diagnostics"],
    [[], 900, "clean"],
    [[bug], 900, "diagnostics"],
  ] as const;
  for (const [items, ms, status] of waits) {
    const unsure = plain.ask(5_000);
    plain.publish([...items]);
    expect(await unsure(ms)).toBeUndefined();
    expect(await unsure(200)).toMatchObject({ status, why: "", readiness: "unknown" });
    plain.change();
  }
});

test("findings that another report follows are not reported before it, where the server is new or known to do so", async () => {
  const types = { ...bug, message: "types" };
  const { publish, change, ask } = open();
  const first = ask(5_000);
  publish([bug]);
  expect(await first(1_300)).toBeUndefined();
  publish([bug, types]);
  expect((await first(2_100))?.items).toHaveLength(2);
  for (let version = 2; version < 6; version++) {
    change();
    const next = ask(5_000);
    publish([bug], version);
    expect(await next(2_500)).toBeUndefined();
    publish([bug, types], version);
    // As many as ever came: nothing more is waited for.
    expect((await next(settleMs + 10))?.items).toHaveLength(2);
  }
});

test("findings that may be incomplete at the end of the wait are marked as such", async () => {
  const { publish, ask } = open();
  const told = ask(500);
  await told(900);
  publish([bug]);
  expect(await told(200)).toMatchObject({
    status: "diagnostics",
    why: expect.stringContaining("may not have finished"),
  });
});

test("a late second report of a server stops counting after some texts without one", async () => {
  const { publish, change, ask } = open();
  publish([], 1);
  await vi.advanceTimersByTimeAsync(2_000);
  publish([bug], 1);
  for (let version = 2; version < 10; version++) {
    change();
    publish([bug], version);
  }
  expect(await ask(5_000)(settleMs + 10)).toMatchObject({ status: "diagnostics", why: "" });
});

test("without a version, a report after two texts in a row may be about the first", async () => {
  const { diagnostics, publish, change, ask } = open();
  diagnostics.opened(path);
  change();
  const told = ask(5_000);
  await told(300);
  publish([bug]);
  expect(await told(3_000)).toBeUndefined();
  publish([]);
  expect(await told(2_100)).toMatchObject({ status: "clean" });
  change();
  change();
  const other = ask(5_000);
  publish([bug]);
  expect(await other(5_010)).toMatchObject({ status: "diagnostics", why: "" });
  change();
  change();
  const cut = ask(3_000);
  publish([bug]);
  expect(await cut(3_010)).toMatchObject({ status: "diagnostics", why: expect.stringContaining("finished") });
  // Long after the first text, nothing about it is on its way any more.
  change();
  await vi.advanceTimersByTimeAsync(6_000);
  change();
  const late = ask(5_000);
  publish([bug]);
  expect(await late(1_010)).toMatchObject({ status: "diagnostics", why: "" });
});

test("a server that first sent an empty and then a full report is waited for accordingly", async () => {
  const { publish, change, ask } = open();
  const first = ask(5_000);
  publish([], 1);
  await first(1_200);
  publish([bug], 1);
  await first(settleMs);
  change();
  const second = ask(5_000);
  publish([], 2);
  expect(await second(2_300)).toBeUndefined();
  publish([bug], 2);
  expect(await second(settleMs + 10)).toMatchObject({ status: "diagnostics" });
  change();
  const third = ask(10_000);
  publish([], 3);
  expect(await third(5_000)).toMatchObject({ status: "clean" });
});

test("an empty report that is too recent at the end of the wait is unknown", async () => {
  const { publish, ask } = open();
  const told = ask(500);
  await told(900);
  publish([]);
  expect(await told(200)).toMatchObject({
    status: "unknown",
    why: expect.stringContaining("may not have finished"),
  });
});

test("an empty report while any progress is open is not clean, though the server counts as ready", async () => {
  const { readiness, publish, ask } = open();
  const check = (kind: string) => readiness.notified("$/progress", { token: 1, value: { kind, title: "x" } });
  check("begin");
  const told = ask(20_000);
  publish([], 1);
  expect(await told(5_000)).toBeUndefined();
  check("end");
  expect(await told(settleMs)).toMatchObject({ status: "clean", readiness: "ready" });
});

test("what is published of a document that was closed answers no wait", async () => {
  const { documents, diagnostics, publish, ask } = open();
  const told = ask(5_000);
  await told(10);
  documents.clear();
  diagnostics.forget(path);
  publish([]);
  expect(await told(1)).toMatchObject({ status: "unknown", why: expect.stringContaining("closed") });
});

test("an empty report on a closed file does not count for the file that is opened after it; findings do", () => {
  const reports = new PublishedReports(() => undefined);
  reports.take({ uri, diagnostics: [] });
  reports.opened(path);
  expect(reports.get(path)).toBeUndefined();
  reports.take({ uri, diagnostics: [bug] });
  reports.opened(path);
  expect(reports.get(path)?.items).toEqual([bug]);
  reports.changed(undefined);
  reports.opened(path);
  expect(reports.get(path)).toBeUndefined();
});
