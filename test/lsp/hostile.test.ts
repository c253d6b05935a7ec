/** A server that attacks its client: what it sends and does not read costs bounded time and memory, and is told. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/base/json.js";
import { Refusal } from "../../src/base/problem.js";
import type { LanguageServer } from "../../src/lsp/types.js";
import { serverPlan } from "../fake-server/index.js";
import { ask, poolOf, received, scenarios, session, signal, until, workspace } from "./support.js";

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
    const flood = { flood: method, params, times: 30_000, asks: true };
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
  const call = server.request("textDocument/references", params, { signal: abort.signal });
  await until(async () => (await received(server, "textDocument/references")).length > 0);
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

  async function references(overrides: Partial<typeof plan>) {
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
    // Right after the request, before pyright has shown its progress.
    for (let n = 0; n < 3; n++) {
      const abort = new AbortController();
      const call = find(abort.signal);
      setImmediate(() => abort.abort());
      await call.catch(() => undefined);
    }
    const { value } = await find(signal());
    return { value, restarts: pool.status()[0]?.restarts };
  }

  test("answers the next one after a restart", async () => {
    expect((await references({})).value).toHaveLength(2);
  });

  test("answers it without a restart where cancellations are not sent", async () => {
    const { value, restarts } = await references({ neverCancel: ["textDocument/references"] });
    expect(value).toHaveLength(2);
    expect(restarts).toBe(0);
  });
});
