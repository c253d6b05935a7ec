/** A server that attacks its client: what it sends and does not read costs bounded time and memory, and is told. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/base/json.js";
import { Refusal } from "../../src/base/problem.js";
import { Capabilities } from "../../src/lsp/capabilities.js";
import { PublishedReports } from "../../src/lsp/diagnostics/published-reports.js";
import { WorkProgress } from "../../src/lsp/readiness-signals.js";
import type { LanguageServer } from "../../src/lsp/types.js";
import { serverPlan } from "../fake-server/index.js";
import { limitFor } from "../processor-time.mjs";
import { ask, poolOf, received, scenarios, session, signal, until, workspace, write } from "./support.js";

const able = {
  capabilities: { hoverProvider: true, referencesProvider: true },
  replies: { "textDocument/hover": { contents: "hi" }, "textDocument/references": [] },
};

async function refusal(promise: Promise<unknown>): Promise<Refusal> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw new Error(`no refusal but ${String(error)}`, { cause: error });
  return error;
}

/** Parameters of a request about a position in a file. */
function at({ uri }: { uri: string }, line = 0, character = 0): Json {
  return { textDocument: { uri }, position: { line, character }, context: { includeDeclaration: true } };
}

describe("a server that asks without end and reads no answer", () => {
  test.each([
    ["settings", "workspace/configuration", { items: [{}, {}, {}] }],
    ["registrations", "client/registerCapability", { registrations: [] }],
    ["what nobody knows", "no/such/method", {}],
  ])("%s: is ended, told why, and started again", async (_what, method, params) => {
    const once = join(scenarios(), "once");
    const flood = { flood: method, params, times: 15000, asks: true };
    const { server, pool } = await session(
      { ...able, on: { "textDocument/hover": [{ stopReading: true, once }, flood] } },
      { server: { settings: { text: "x".repeat(10_000) } } },
    );
    // The flood is not repeated: the second start finds the file and reads on.
    const error = await refusal(ask(server, "textDocument/hover"));
    expect(error).toMatchObject({
      code: "lsp/exited",
      message: expect.stringContaining("did not read its input"),
    });
    expect(server.crashNotice()).toContain("did not read its input");
    expect(pool.status()[0]?.lastError).toContain("did not read its input");
    expect(await ask(await pool.get("fake", undefined, signal()), "fake/children")).toEqual([]);
  });

  test("for settings 100,000 times in one request: gets an error, and no large answer", async () => {
    const items = Array.from({ length: 100_000 }, () => ({}));
    const ask100k = { ask: "workspace/configuration", params: { items } };
    const { server } = await session({ ...able, on: { "textDocument/hover": [ask100k] } });
    await ask(server, "textDocument/hover");
    const answers = async () => (await ask(server, "fake/received")) as { answer?: { error?: Json } }[];
    await until(async () => (await answers()).some(({ answer }) => answer?.error !== undefined));
  });
});

describe("a reply that cannot be used ends the call at once", () => {
  const deep = (levels: number) => ({ $text: ["[".repeat(levels), "]".repeat(levels)] });
  const body = (start: string, end: Json): Json => ({
    $text: ['{"jsonrpc":"2.0","id":', { $: "/id" }, start, end, "}"],
  });
  test.each([
    ["an error that is a number", body(',"error":', "0"), "lsp/invalid-reply"],
    ["an error that is a text", body(',"error":', '"no"'), "lsp/invalid-reply"],
    ["an error that is false", body(',"error":', "false"), "lsp/invalid-reply"],
    ["an error that is a list", body(',"error":', "[]"), "lsp/invalid-reply"],
    ["100,000 levels", body(',"result":', deep(100_000)), "lsp/garbled"],
    ["a method that is no text", body(',"method":null,"error":', "1"), "lsp/invalid-reply"],
  ])("%s", async (_what, message, code) => {
    const { server } = await session({
      ...able,
      on: { "textDocument/hover": [{ raw: { $body: message } }, { never: true }] },
    });
    const started = performance.now();
    expect((await refusal(ask(server, "textDocument/hover"))).code).toBe(code);
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(await ask(server, "fake/children")).toEqual([]);
  });

  test("an error without a code or a text is still the server's error", async () => {
    const { server } = await session({ ...able, on: { "textDocument/hover": [{ error: {} }] } });
    expect((await refusal(ask(server, "textDocument/hover"))).code).toBe("lsp/failed");
  });
});

const broken = { code: -32603, message: "this._token.cancel is not a function" };

/** A call that is cancelled once the server has the request. */
async function cancel(server: LanguageServer, params: Json): Promise<void> {
  const abort = new AbortController();
  const before = (await received(server, "textDocument/references")).length;
  const call = server.request("textDocument/references", params, { signal: abort.signal });
  await until(async () => (await received(server, "textDocument/references")).length > before);
  abort.abort();
  await call.catch(() => undefined);
}

describe("a server that fails for ever after a cancelled request", () => {
  const scenario = {
    ...able,
    on: {
      "textDocument/references": [{ wait: "$/cancelRequest" }],
      "$/cancelRequest": [{ fail: "textDocument/references", with: broken }],
    },
  };

  test("is recognised, and the call is answered by its next start", async () => {
    const once = join(scenarios(), "once");
    const { server, file, pool } = await session({
      ...scenario,
      on: { ...scenario.on, "textDocument/references": [{ wait: "$/cancelRequest", once }] },
    });
    const document = await server.ensureOpen(file, signal());
    await cancel(server, at(document));
    await until(async () => (await received(server, "$/cancelRequest")).length > 0);
    expect(await ask(server, "textDocument/references", at(document))).toEqual([]);
    expect(server.crashNotice()).toContain("same internal error since a request was cancelled");
    expect(pool.status()[0]?.restarts).toBe(1);
  });

  test("is not ended again and again: a client that cancels may not restart it for all others", async () => {
    // It answers a cancelled request in time, and every other one with the same honest error.
    const go = join(scenarios(), "go");
    const { server, file, pool } = await session({
      ...able,
      on: { "textDocument/references": [{ waitFile: go }, { error: broken }] },
    });
    for (let round = 0; round < 3; round++) {
      const document = await server.ensureOpen(file, signal());
      rmSync(go, { force: true });
      await cancel(server, at(document));
      write(go, "");
      expect((await refusal(ask(server, "textDocument/references", at(document)))).code).toBe("lsp/failed");
    }
    expect(pool.status()[0]?.restarts).toBe(1);
  });

  test("an internal error without a cancellation before it is an answer", async () => {
    const { server, pool, file } = await session({
      ...able,
      on: { "textDocument/references": [{ error: broken }] },
    });
    const document = await server.ensureOpen(file, signal());
    for (let n = 0; n < 3; n++)
      expect((await refusal(ask(server, "textDocument/references", at(document)))).code).toBe("lsp/failed");
    expect(pool.status()[0]?.restarts).toBe(0);
  });

  test("is not sent a cancellation where its config forbids it", async () => {
    const go = join(scenarios(), "go");
    const { server, file } = await session(
      { ...able, on: { ...scenario.on, "textDocument/references": [{ waitFile: go, once: `${go}-once` }] } },
      { server: { neverCancel: ["textDocument/references"] } },
    );
    const document = await server.ensureOpen(file, signal());
    await cancel(server, at(document));
    expect(await ask(server, "textDocument/references", at(document))).toEqual([]);
    expect(await received(server, "$/cancelRequest")).toEqual([]);
  });
});

describe("pyright, whose references a cancellation breaks", () => {
  const plan = { ...serverPlan("pyright", ["pyright-langserver"], ["py"], "python"), args: ["--stdio"] };
  const text = "def target() -> int:\n    return 1\n\n\ntarget()\n";

  async function references(overrides: Partial<typeof plan>, rounds: number) {
    const root = workspace({ "main.py": text, "pyrightconfig.json": "{}" });
    const pool = poolOf(
      root,
      [{ ...plan, ...overrides }],
      {},
      { binFolders: [join(process.cwd(), "node_modules/.bin")] },
    );
    const server = await pool.get("pyright", join(root, "main.py"), signal());
    const document = await server.ensureOpen(join(root, "main.py"), signal());
    const find = (limit: AbortSignal) =>
      server.request("textDocument/references", at(document, 0, 5), { signal: limit });
    let value: unknown;
    // A moment after the request, before pyright has shown its progress: one of these moments is the one.
    const moment = async (n: number) => {
      if (n % 2 === 1) return delay(n % 12);
      for (let turn = 0; turn < 2 + (n % 10); turn++) await nextTurn();
    };
    for (let n = 0; n < rounds && pool.status()[0]?.restarts === 0; n++) {
      const abort = new AbortController();
      const call = find(abort.signal);
      void moment(n).then(() => abort.abort());
      await call.catch(() => undefined);
      ({ value } = await find(signal()));
    }
    return { value, restarts: pool.status()[0]?.restarts };
  }

  test("answers the next one after a restart", async () => {
    const { value, restarts } = await references({}, 1_000);
    expect(value).toHaveLength(2);
    expect(restarts).toBeGreaterThan(0);
  });

  test("answers it without a restart where cancellations are not sent", async () => {
    const { value, restarts } = await references({ neverCancel: ["textDocument/references"] }, 12);
    expect(value).toHaveLength(2);
    expect(restarts).toBe(0);
  });
});

describe("what a server makes the client keep is bounded", () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const publish = (reports: PublishedReports, file: number, message: string) =>
    reports.take({ uri: `file:///w/${file}.fake`, diagnostics: [{ range, message }] });

  test.each([
    ["many small ones", 30_000, "x"],
    ["large ones", 1_000, "x".repeat(100_000)],
  ])("diagnostics of ever new files: %s", (_what, count, message) => {
    const reports = new PublishedReports(() => undefined);
    for (let file = 0; file < count; file++) publish(reports, file, message);
    expect(reports.all.length).toBeLessThanOrEqual(20_000);
    expect(JSON.stringify(reports.all).length).toBeLessThan(64_000_000);
    expect(reports.hasDropped).toBe(true);
    expect(reports.get(`/w/${count - 1}.fake`)?.items).toHaveLength(1);
  });

  test("and an answer about all files says that some were dropped", async () => {
    const diagnostics = [{ range, message: "wrong" }];
    const uri = { $text: ["file:///w/", { $: "/i" }, ".fake"] };
    const flood = { flood: "textDocument/publishDiagnostics", params: { uri, diagnostics }, times: 21_000 };
    const { server } = await session({ ...able, on: { "textDocument/hover": [flood] } });
    await ask(server, "textDocument/hover");
    const options = { signal: signal(), waitMs: 1_000, settleMs: 10 };
    const { why } = await server.workspaceDiagnostics(options);
    expect(why).toContain("more than is kept");
  });

  test("progress with ever new tokens, titles and texts", () => {
    const progress = new WorkProgress();
    const span = progress.requestSent(true);
    for (let n = 0; n < 5_000; n++) {
      const value = { kind: "begin", title: `${n}${"x".repeat(5_000)}`, message: "y".repeat(5_000) };
      expect(progress.take({ token: `t${n}`, value })).toBe("begun");
    }
    expect(progress.live.length).toBeLessThanOrEqual(200);
    expect(span.began.size).toBeLessThanOrEqual(1_000);
    expect(
      JSON.stringify([...span.began, ...progress.live.map(({ title, message }) => [title, message])]).length,
    ).toBeLessThan(1_000_000);
    expect(progress.take({ token: "t4999", value: { kind: "end" } })).toBe("answered");
    expect(
      progress.take({ token: "x".repeat(100_000), value: { kind: "begin", title: "" } }),
    ).toBeUndefined();
  });

  test.each([
    ["many", 5_000, "x"],
    ["large", 100, "x".repeat(1_000_000)],
  ])("registrations: %s", (_what, count, text) => {
    const { features, projectQuery, ready } = serverPlan("fake", ["fake"], ["fake"], "fake");
    const capabilities = new Capabilities({ features, projectQuery, ready });
    const registration = (n: number) => ({
      id: String(n),
      method: "textDocument/hover",
      registerOptions: { text },
    });
    const isWhole = Array.from({ length: count }, (_, n) =>
      capabilities.register({ registrations: [registration(n)] }),
    );
    expect(isWhole[0]).toBe(true);
    expect(isWhole.at(-1)).toBe(false);
    const kept = capabilities.registered("textDocument/hover");
    expect(kept.length).toBeLessThanOrEqual(1_000);
    expect(JSON.stringify(kept).length).toBeLessThan(8_000_000);
    capabilities.unregister({ unregisterations: [registration(0)] });
    expect(capabilities.register({ registrations: [registration(count)] })).toBe(true);
  });
});

describe("very many diagnostics", () => {
  const items = (times: number) => ({
    $list: {
      range: { start: { line: 0, character: { $: "/i" } }, end: { line: 0, character: 1 } },
      message: "m",
    },
    times,
  });

  // More than the arguments that one call of a function can have.
  test("150,000 pulled for one file are a report", async () => {
    const { server, file } = await session({
      capabilities: { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false } },
      replies: { "textDocument/diagnostic": { kind: "full", items: items(150_000) } },
    });
    const document = await server.ensureOpen(file, signal());
    const report = await server.diagnostics(document, { signal: signal(), waitMs: 60_000, settleMs: 10 });
    expect(report.status).toBe("diagnostics");
    expect(report.items).toHaveLength(150_000);
  });

  test("60,000 reports on one file are joined in linear time", async () => {
    const uri = "file:///w/a.fake";
    const range = { start: { line: 0, character: { $: "/i" } }, end: { line: 0, character: 1 } };
    const report = { uri, kind: "full", items: [{ range, message: "m" }] };
    const { server } = await session({
      capabilities: { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: true } },
      replies: { "workspace/diagnostic": { items: { $list: report, times: 60_000 } } },
    });
    const before = process.cpuUsage();
    const { files } = await server.workspaceDiagnostics({ signal: signal(), waitMs: 60_000, settleMs: 10 });
    expect(files).toMatchObject([{ uri }]);
    expect(files[0]?.items.length).toBeGreaterThan(10_000);
    // In processor time, which a busy machine does not lengthen.
    const ms = process.cpuUsage(before).user / 1_000;
    expect(ms).toBeLessThan(limitFor(ms, 20_000));
  });
});
