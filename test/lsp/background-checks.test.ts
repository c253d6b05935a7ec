/**
 * Servers that answer a pull and push further diagnostics later: rust-analyzer answers at once, and cargo's errors come
 * seconds after. A file is clean only when both have reported on the text that is on disk.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { BackgroundChecks } from "../../src/lsp/diagnostics/background-checks.js";
import { ReadinessState } from "../../src/lsp/readiness.js";
import type { DiagnosticsReport, LanguageServer } from "../../src/lsp/types.js";
import type { Scenario } from "../fake-server/index.js";
import { act, received, session, signal, until, write } from "./support.js";

/** Ends by itself only; the answer to a pull must come within it, also on a busy machine. */
const SHORT_MS = 2_000;

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const borrow = { range, severity: 1, source: "check", message: "borrowed twice" };
const status = {
  progress: true,
  notification: "custom/status",
  field: "/quiet",
  text: [],
  atOnce: false,
  eachFolder: false,
};
const ready = { notify: "custom/status", params: { quiet: true } };

const pull: Scenario = {
  capabilities: { diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false } },
  replies: { "textDocument/diagnostic": { kind: "full", items: { $find: "BUG", as: "diagnostics" } } },
};

function progress(kind: "begin" | "end"): JsonObject {
  return { notify: "$/progress", params: { token: "check", value: { kind, title: "cargo check" } } };
}

function push(file: string, ...diagnostics: JsonObject[]): JsonObject {
  const uri = pathToFileURL(file).href;
  return { notify: "textDocument/publishDiagnostics", params: { uri, diagnostics } };
}

async function diagnose(server: LanguageServer, file: string, waitMs: number): Promise<DiagnosticsReport> {
  const document = await server.ensureOpen(file, signal());
  return server.diagnostics(document, { waitMs, settleMs: 50, signal: signal() });
}

/** Resolves when the server has been asked so often. */
function asked(server: LanguageServer, times: number): Promise<void> {
  return until(async () => (await received(server, "textDocument/diagnostic")).length >= times);
}

/** A server that has checked the project at its start and is ready. */
async function checked(files: { [path: string]: string } = {}) {
  const opened = await session(
    { ...pull, on: { initialized: [progress("begin"), progress("end"), ready] } },
    { server: { ready: status }, files },
  );
  await until(() => opened.server.readiness === "ready");
  expect(await diagnose(opened.server, opened.file, 5_000)).toMatchObject({ status: "clean" });
  return opened;
}

test("the first edit: a pull that finds nothing waits for the check that begins after it", async () => {
  const { server, file } = await checked();
  const before = (await received(server, "textDocument/diagnostic")).length;
  write(file, "two borrows\n");
  const report = diagnose(server, file, 20_000);
  await asked(server, before + 1);
  await act(server, progress("begin"), push(file, borrow), progress("end"));
  expect(await report).toMatchObject({ status: "diagnostics", why: "", items: [borrow] });
  // What was pushed has gone with the text that it was about, and the check says so.
  write(file, "fixed\n");
  const fixed = diagnose(server, file, 20_000);
  await until(async () => (await received(server, "textDocument/didChange")).length === 2);
  await act(server, progress("begin"), push(file), progress("end"));
  expect(await fixed).toMatchObject({ status: "clean", items: [] });
});

test("a file whose check still runs at the end of the wait is not clean", async () => {
  const { server, file } = await checked();
  write(file, "two borrows\n");
  await server.ensureOpen(file, signal());
  await act(server, progress("begin"));
  expect(await diagnose(server, file, SHORT_MS)).toMatchObject({
    status: "unknown",
    why: expect.stringContaining("background"),
    readiness: "ready",
  });
  await act(server, push(file, borrow), progress("end"));
  expect(await diagnose(server, file, 20_000)).toMatchObject({ status: "diagnostics", items: [borrow] });
});

test("pulled diagnostics are reported while the background check runs, with a warning", async () => {
  const { server, file } = await checked();
  write(file, "a BUG\n");
  await server.ensureOpen(file, signal());
  await act(server, progress("begin"));
  expect(await diagnose(server, file, SHORT_MS)).toMatchObject({
    status: "diagnostics",
    why: expect.stringContaining("background"),
    items: [{ message: "found BUG" }],
  });
});

test("a server that has pushed is waited for, and its silence is unknown, at once when asked again", async () => {
  const { server, file, root } = await session(pull, { files: { "b.fake": "b\n" } });
  expect(await diagnose(server, file, 5_000)).toMatchObject({ status: "clean" });
  await server.ensureOpen(join(root, "b.fake"), signal());
  await act(server, push(join(root, "b.fake"), borrow));
  write(file, "two borrows\n");
  expect(await diagnose(server, file, SHORT_MS)).toMatchObject({ status: "unknown" });
  const start = performance.now();
  expect(await diagnose(server, file, 60_000)).toMatchObject({ status: "unknown" });
  expect(performance.now() - start).toBeLessThan(20_000);
  const later = diagnose(server, file, 60_000);
  await act(server, push(file));
  await later;
  expect(await diagnose(server, file, 5_000)).toMatchObject({ status: "clean" });
});

test("a push about files of another kind is no reason to wait", async () => {
  const { server, file, root } = await session(pull, { files: { "project.json": "{}" } });
  await act(server, push(join(root, "project.json"), borrow));
  write(file, "edited\n");
  expect(await diagnose(server, file, 60_000)).toMatchObject({ status: "clean" });
});

test("a push that clears a file, or is about one that is not open, is no reason to wait", async () => {
  const { server, file, root } = await session(pull, { files: { "b.fake": "b\n" } });
  expect(await diagnose(server, file, 5_000)).toMatchObject({ status: "clean" });
  await act(server, push(file), push(join(root, "b.fake")), push(join(root, "b.fake"), borrow));
  write(file, "edited\n");
  expect(await diagnose(server, file, 60_000)).toMatchObject({ status: "clean", why: "" });
});

test("before the first change the quiet after work is longer, as the first check begins a moment after loading", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const readiness = new ReadinessState(status);
    const checks = new BackgroundChecks(readiness, false);
    const tell = (kind: string) =>
      readiness.notified("$/progress", { token: 1, value: { kind, title: "x" } });
    const check = () => {
      tell("begin");
      expect(checks.dueMs(undefined, 50)).toBe(Number.POSITIVE_INFINITY);
      tell("end");
    };
    check();
    expect(checks.dueMs(undefined, 50)).toBe(500);
    vi.advanceTimersByTime(490);
    expect(checks.dueMs(undefined, 50)).toBe(10);
    vi.advanceTimersByTime(10);
    expect(checks.dueMs(undefined, 50)).toBe(0);
    checks.changed(true);
    check();
    expect(checks.dueMs(undefined, 50)).toBe(50);
  } finally {
    vi.useRealTimers();
  }
});

test("what was pushed before other files changed is not told as current", async () => {
  const { server, file, root } = await checked({ "b.fake": "b\n" });
  await act(server, progress("begin"), push(file, borrow), progress("end"));
  expect(await diagnose(server, file, 5_000)).toMatchObject({ status: "diagnostics", items: [borrow] });
  write(join(root, "b.fake"), "the cause is gone\n");
  await server.ensureOpen(file, signal());
  await act(server, progress("begin"));
  expect(await diagnose(server, file, SHORT_MS)).toMatchObject({ status: "unknown", items: [borrow] });
  await act(server, push(file), progress("end"));
  expect(await diagnose(server, file, 20_000)).toMatchObject({ status: "clean" });
});

test("what was pushed of a file before it was opened holds", async () => {
  const { server, root } = await checked({ "b.fake": "b\n" });
  await act(server, progress("begin"), push(join(root, "b.fake"), borrow), progress("end"));
  expect(await diagnose(server, join(root, "b.fake"), 5_000)).toMatchObject({
    status: "diagnostics",
    items: [borrow],
  });
});

test("after a change of files that are not open, the server gets didSave, which begins its check", async () => {
  const { server, file, root } = await checked({ "b.fake": "b\n" });
  write(join(root, "b.fake"), "the cause of an error in a\n");
  const report = diagnose(server, file, 20_000);
  await until(async () => (await received(server, "textDocument/didSave")).length === 1);
  await act(server, progress("begin"), push(file, borrow), progress("end"));
  expect(await report).toMatchObject({ status: "diagnostics", items: [borrow] });
  await diagnose(server, file, 5_000);
  expect(await received(server, "textDocument/didSave")).toHaveLength(1);
});
