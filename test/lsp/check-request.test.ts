/** A server with a check request: only its answer ends the wait for published diagnostics. */
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refusal } from "../../src/base/problem.js";
import { Lines } from "../../src/base/text.js";
import { Capabilities } from "../../src/lsp/capabilities.js";
import { Diagnostics } from "../../src/lsp/diagnostics/diagnostics.js";
import { ReadinessState } from "../../src/lsp/readiness.js";
import type { DiagnosticsReport, OpenDocument } from "../../src/lsp/types.js";
import { serverPlan } from "../fake-server/index.js";
import { signal } from "./support.js";

const path = "/w/a.fake";
const uri = pathToFileURL(path).href;
const bug = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, message: "bug" };
const check = { method: "custom/check", params: { of: ["<file>", "<uri>"] }, withinMs: 250, pauseMs: 60 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server that publishes without versions, with one document of which it said something a while ago. */
async function open(before: object[]) {
  const plan = serverPlan("fake", ["fake"], ["fake"], "fake");
  const readiness = new ReadinessState(plan.ready);
  readiness.initialized();
  const document: OpenDocument = {
    ...{ path, uri, languageId: "fake", version: 1, edition: 1 },
    ...{ hash: "", lines: new Lines("") },
  };
  const asked: { method: string; params: unknown }[] = [];
  let finish: () => void = () => {};
  let isAnswering = true;
  const diagnostics = new Diagnostics({
    capabilities: new Capabilities(plan),
    readiness,
    check,
    current: () => document,
    isOwn: () => true,
    touch: () => {},
    save: () => {},
    settings: { pull: true, onSave: false },
    request: (method, params) => {
      asked.push({ method, params });
      const isCheck = method === check.method;
      return new Promise((resolve, reject) => {
        if (isCheck) finish = () => resolve({ value: null, readiness: "ready" });
        else if (isAnswering) reject(new Refusal("lsp/not-supported", "unknown"));
      });
    },
  });
  const publish = (items: object[]) => diagnostics.publish({ uri, diagnostics: items });
  diagnostics.opened(path);
  publish(before);
  await vi.advanceTimersByTimeAsync(10_000);
  return {
    asked,
    publish,
    answer: () => finish(),
    fallSilent() {
      isAnswering = false;
    },
    change() {
      document.version++;
      diagnostics.changed(path);
    },
    changeOther: () => diagnostics.changed(undefined, ["/w/b.fake"]),
    ask() {
      let told: DiagnosticsReport | undefined;
      void diagnostics.report(document, { waitMs: 5_000, settleMs: 150, signal: signal() }).then((report) => {
        told = report;
      });
      return async (ms: number) => {
        await vi.advanceTimersByTimeAsync(ms);
        return told;
      };
    },
  };
}

test("what is published after the answer is complete at once", async () => {
  const { asked, publish, answer, change, ask } = await open([]);
  change();
  const told = ask();
  await told(80);
  expect(asked).toEqual([{ method: "custom/check", params: { of: [path, uri] } }]);
  answer();
  await told(50);
  publish([bug]);
  expect(await told(1)).toMatchObject({ status: "diagnostics", items: [bug], why: "" });
});

test("what was published before the answer is complete once the server's pause is over", async () => {
  const { asked, publish, answer, change, ask } = await open([bug]);
  change();
  const told = ask();
  await told(50);
  publish([bug]);
  await told(50);
  answer();
  expect(await told(55)).toBeUndefined();
  expect(await told(10)).toMatchObject({ status: "diagnostics", items: [bug] });
  expect(asked.map(({ method }) => method)).toEqual(["custom/check", ...twice("$/lsp-proxy/ping")]);
});

test("nothing published of a text in which everything was found is clean, where the last word was that too", async () => {
  const clean = await open([]);
  clean.change();
  const told = clean.ask();
  await told(80);
  clean.answer();
  expect(await told(55)).toBeUndefined();
  expect(await told(10)).toMatchObject({ status: "clean", items: [] });

  const broken = await open([bug]);
  broken.change();
  const waits = broken.ask();
  await waits(80);
  broken.answer();
  expect(await waits(9_900)).toBeUndefined();
  expect(await waits(100)).toMatchObject({ status: "unknown" });
});

test("a server that is too busy to say that its pause is over may still publish", async () => {
  const { publish, answer, change, ask, fallSilent } = await open([]);
  fallSilent();
  change();
  const told = ask();
  await told(80);
  answer();
  expect(await told(500)).toBeUndefined();
  publish([bug]);
  expect(await told(1)).toMatchObject({ status: "diagnostics" });
});

test("a late answer to a check request does not count, and the report is waited for as usual", async () => {
  const { publish, answer, change, ask } = await open([]);
  change();
  const told = ask();
  await told(260);
  answer();
  await told(10);
  publish([bug]);
  expect(await told(900)).toBeUndefined();
  expect(await told(1_200)).toMatchObject({ status: "diagnostics" });
});

test("one text is checked once, a text of a while ago not at all, nor one beside which other files changed", async () => {
  const { asked, change, changeOther, ask } = await open([]);
  await ask()(0);
  expect(asked).toEqual([]);
  change();
  await ask()(0);
  await ask()(0);
  expect(asked).toHaveLength(1);

  const late = await open([]);
  late.change();
  await vi.advanceTimersByTimeAsync(300);
  await late.ask()(0);
  expect(late.asked).toEqual([]);

  changeOther();
  change();
  await ask()(0);
  expect(asked).toHaveLength(1);
});

test("a change while the server checks takes the answer its meaning", async () => {
  const { publish, answer, change, changeOther, ask } = await open([]);
  change();
  const told = ask();
  await told(50);
  changeOther();
  answer();
  publish([]);
  expect(await told(800)).toBeUndefined();
});

function twice(word: string): string[] {
  return [word, word];
}
