/** The failures of a server, with the outcome that a caller sees within its deadline. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/base/problem.js";
import type { ServerPool } from "../../src/lsp/types.js";
import { defaultLimits } from "../../src/plan/defaults.js";
import { fakeServer, type Scenario } from "../fake-server/index.js";
import {
  act,
  alive,
  ask,
  poolOf,
  received,
  scenarios,
  session,
  signal,
  until,
  workspace,
} from "./support.js";

const hover = {
  capabilities: { hoverProvider: true },
  replies: { "textDocument/hover": { contents: "hi" } },
};
const restart = { max: 2, windowMs: 60_000, backoffMs: [10, 40] as [number, number] };

async function refusal(promise: Promise<unknown>): Promise<Refusal> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw new Error(`no refusal but ${String(error)}`, { cause: error });
  return error;
}

function startOf(scenario: Scenario, server = {}): { pool: ServerPool; start: () => Promise<unknown> } {
  const root = workspace({ "a.fake": "hello\n" });
  const pool = poolOf(root, [fakeServer(scenarios(), scenario, { restart, ...server })]);
  return { pool, start: () => pool.get("fake", join(root, "a.fake"), signal()) };
}

describe("a server that does not come up", () => {
  test("dies at start", async () => {
    const { pool, start } = startOf({ start: [{ stderr: "no such module\n" }, { exit: 3 }] });
    const error = await refusal(start());
    expect(error.code).toBe("lsp/start-failed");
    expect(error.message).toContain("exited with code 3: no such module");
    const [status] = pool.status();
    expect(status?.stderr).toContain("no such module");
    expect(status?.lastError).toContain("exited with code 3");
  });

  test.each([
    [
      "an error before its stack",
      ["Error: no tsserver", "    at load (/opt/x.js:3:4)", "", "Node.js v20.1.0"],
      "Error: no tsserver",
    ],
    [
      "an error after its stack",
      ["Traceback (most recent call last):", '  File "/opt/x.py", line 3', "ModuleNotFoundError: no jedi"],
      "ModuleNotFoundError: no jedi",
    ],
    [
      "an error before a hint",
      ["error TS5023: Unknown option '--lsp'.", "Did you mean '--libs'?"],
      "error TS5023: Unknown option '--lsp'.",
    ],
    ["no word of an error", ["usage: x [-h]", "  --stdio"], "--stdio"],
    ["colours and a path", ["\u001b[31merror:\u001b[0m /opt/secret/x.json is bad"], "error: <path> is bad"],
  ])("says why in its output: %s", async (_name, lines, reason) => {
    const { start } = startOf({ start: [{ stderr: `${lines.join("\n")}\n` }, { exit: 3 }] });
    expect((await refusal(start())).message).toBe(`server "fake" exited with code 3: ${reason}`);
  });

  test("dies in initialize", async () => {
    const { start } = startOf({ on: { initialize: [{ signal: "SIGKILL" }] } });
    expect(await refusal(start())).toMatchObject({
      code: "lsp/start-failed",
      message: expect.stringContaining("SIGKILL"),
    });
  });

  test("never answers initialize", async () => {
    const { start } = startOf({ on: { initialize: [{ never: true }] } }, { initializeTimeoutMs: 150 });
    expect(await refusal(start())).toMatchObject({
      code: "lsp/start-failed",
      message: expect.stringContaining("150 ms"),
    });
  });

  test("refuses initialize, and its words lose paths outside the workspace", async () => {
    const { start } = startOf({
      on: { initialize: [{ error: { code: -32002, message: "no /etc/secret/x here" } }] },
    });
    const error = await refusal(start());
    expect(error.message).toContain("no <path> here");
    expect(error.message).not.toContain("secret");
  });

  test("is a program that sends back what it gets", async () => {
    const { start, pool } = startOf({}, { command: ["cat"], args: [] });
    expect(await refusal(start())).toMatchObject({
      code: "lsp/start-failed",
      message: expect.stringContaining("`cat` is not a language server"),
      nextSteps: [{ kind: "config", text: expect.stringContaining("`command` of the server") }],
    });
    expect(pool.status()[0]?.state).not.toBe("running");
  });

  test("answers initialize without capabilities", async () => {
    const { start } = startOf({ on: { initialize: [{ reply: { serverInfo: { name: "x" } } }] } });
    expect((await refusal(start())).message).toContain("its reply has no capabilities");
  });

  test("is not installed and nothing is known about it: the command is named, and no start is counted", async () => {
    const { pool, start } = startOf({}, { command: ["no-such-language-server"], install: null });
    for (let n = 0; n < 3; n++) {
      const error = await refusal(start());
      expect(error.message).toContain("no-such-language-server was not found on PATH");
      expect(error.nextSteps).toEqual([
        {
          kind: "config",
          text: 'Install no-such-language-server, or correct `command` of the server "fake".',
        },
      ]);
    }
    expect(pool.status()[0]?.restarts).toBe(0);
  });

  test("is not installed: the install line is the next step", async () => {
    const { pool, start } = startOf({}, { command: ["no-such-language-server"], install: "npm i -g it" });
    const error = await refusal(start());
    expect(error.code).toBe("lsp/not-installed");
    expect(error.nextSteps).toEqual([{ kind: "command", text: "npm i -g it" }]);
    expect(pool.status()[0]?.state).toBe("unavailable");
  });

  test("is not allowed", async () => {
    const root = workspace({});
    const pool = poolOf(root, [fakeServer(scenarios(), hover)], {
      allow: { commands: ["other"], hosts: [], effects: ["read"], env: [] },
    });
    const error = await refusal(pool.get("fake", undefined, signal()));
    expect(error.code).toBe("lsp/not-allowed");
    const text = `Add "${process.execPath}" to \`allow.commands\`.`;
    expect(error.nextSteps).toEqual([{ kind: "config", text }]);
  });
});

describe("a server that dies", () => {
  test("in a request: the read is asked again of the next start, and the status shows the restart", async () => {
    const folder = scenarios();
    const { server, file, pool } = await session(
      { ...hover, on: { "textDocument/hover": [{ signal: "SIGKILL", once: join(folder, "died") }] } },
      { server: { restart } },
    );
    const document = await server.ensureOpen(file, signal());
    expect(server.generation).toBe(1);
    expect(await ask(server, "textDocument/hover", { textDocument: { uri: document.uri } })).toEqual({
      contents: "hi",
    });
    expect(server.generation).toBe(2);
    expect(pool.status()[0]).toMatchObject({ state: "running", restarts: 1 });
    expect(await received(server, "textDocument/didOpen")).toHaveLength(1);
  });

  test("between two questions, and another call restarts it: the first call's document is open there too", async () => {
    const { server, file, root, pool } = await session(
      {
        capabilities: { hoverProvider: true, diagnosticProvider: { interFileDependencies: false } },
        replies: {
          "textDocument/hover": { contents: { $text: true } },
          "textDocument/diagnostic": { kind: "full", items: { $find: "hello", as: "diagnostics" } },
        },
      },
      { server: { restart }, files: { "b.fake": "other\n" } },
    );
    const document = await server.ensureOpen(file, signal());
    const kill = async (): Promise<void> => {
      const pid = pool.status()[0]?.pid;
      await act(server, { signal: "SIGKILL" }).catch(() => undefined);
      await until(() => pool.status()[0]?.pid !== pid);
      await server.ensureOpen(join(root, "b.fake"), signal());
    };
    await kill();
    const params = { textDocument: { uri: document.uri } };
    expect(await ask(server, "textDocument/hover", params)).toEqual({ contents: "hello\n" });
    await kill();
    const report = await server.diagnostics(document, { waitMs: 5_000, settleMs: 20, signal: signal() });
    expect(report.status).toBe("diagnostics");
  });

  test("in a request that is not a plain read: refused at once", async () => {
    const { server } = await session({
      capabilities: { executeCommandProvider: { commands: ["x"] } },
      on: { "workspace/executeCommand": [{ exit: 1 }] },
    });
    const started = performance.now();
    expect((await refusal(ask(server, "workspace/executeCommand", { command: "x" }))).code).toBe(
      "lsp/exited",
    );
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("with many requests in flight: all end at once", async () => {
    const { server } = await session({ on: { "fake/documents": [{ never: true }] } });
    const pending = Array.from({ length: 20 }, () => refusal(ask(server, "fake/documents")));
    await act(server, { signal: "SIGKILL" }).catch(() => undefined);
    expect((await Promise.all(pending)).every((error) => error.code === "lsp/exited")).toBe(true);
  });

  test("or only closes its output: refused at once, and the process is ended", async () => {
    const { server, pool } = await session({
      ignoreStdinEnd: true,
      on: { "fake/documents": [{ closeOutput: true }] },
    });
    const pid = pool.status()[0]?.pid ?? 0;
    expect((await refusal(ask(server, "fake/documents"))).code).toBe("lsp/exited");
    await until(() => !alive(pid));
  });

  test("answers first and then ends: the answer counts", async () => {
    const { server } = await session({ on: { "fake/documents": [{ reply: ["bye"] }, { exit: 0 }] } });
    expect(await ask(server, "fake/documents")).toEqual(["bye"]);
  });

  test("too often: refused quickly, and a restart by hand resets it", async () => {
    const folder = scenarios();
    const fixed = join(folder, "fixed");
    const root = workspace({});
    const scenario: Scenario = {
      ...hover,
      start: [
        { exit: 1, once: `${fixed}1` },
        { exit: 1, once: `${fixed}2` },
        { exit: 1, once: `${fixed}3` },
      ],
    };
    const pool = poolOf(root, [fakeServer(folder, scenario, { restart })]);
    for (let i = 0; i < 3; i++) await refusal(pool.get("fake", undefined, signal()));
    expect(pool.status()[0]?.state).toBe("broken");
    const started = performance.now();
    const error = await refusal(pool.get("fake", undefined, signal()));
    expect(error).toMatchObject({ code: "lsp/start-failed", message: expect.stringContaining("3 times") });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(await pool.restart("fake")).toEqual(["fake"]);
    expect(pool.status()[0]?.state).toBe("running");
  });

  test("once: the status says that the next start waits, and the call waits with it", async () => {
    const folder = scenarios();
    const scenario: Scenario = { ...hover, start: [{ exit: 1, once: join(folder, "1") }] };
    const backoffMs: [number, number] = [2_000, 2_000];
    const pool = poolOf(workspace({}), [
      fakeServer(folder, scenario, { restart: { max: 5, windowMs: 60_000, backoffMs } }),
    ]);
    await refusal(pool.get("fake", undefined, signal()));
    const died = performance.now();
    expect(pool.status()[0]?.state).toBe("backoff");
    await pool.get("fake", undefined, signal());
    expect(performance.now() - died).toBeGreaterThan(1_000);
    expect(pool.status()[0]).toMatchObject({ state: "running", restarts: 1 });
  });

  test("too often, but the window has passed: tried again", async () => {
    const folder = scenarios();
    const scenario: Scenario = {
      ...hover,
      start: [
        { exit: 1, once: join(folder, "1") },
        { exit: 1, once: join(folder, "2") },
      ],
    };
    const pool = poolOf(workspace({}), [
      fakeServer(folder, scenario, { restart: { max: 1, windowMs: 10_000, backoffMs: [1, 1] } }),
    ]);
    await refusal(pool.get("fake", undefined, signal()));
    await refusal(pool.get("fake", undefined, signal()));
    expect(pool.status()[0]?.state).toBe("broken");
    await until(() => pool.status()[0]?.state !== "broken");
    await pool.get("fake", undefined, signal());
    expect(pool.status()[0]?.state).toBe("running");
  });
});

describe("a server that answers badly", () => {
  test("never: timeout, reported in the status, and it gets $/cancelRequest", async () => {
    const { server, pool } = await session({ ...hover, on: { "textDocument/hover": [{ never: true }] } });
    const error = await refusal(
      server.request("textDocument/hover", {}, { signal: signal(), timeoutMs: 100 }),
    );
    expect(error).toMatchObject({ code: "lsp/timeout", message: expect.stringContaining("100 ms") });
    expect(pool.status()[0]).toMatchObject({ state: "running", lastError: error.message });
    expect(await received(server, "$/cancelRequest")).toHaveLength(1);
  });

  test("slowly, and the caller cancels: it gets $/cancelRequest", async () => {
    const { server } = await session({ ...hover, on: { "textDocument/hover": [{ never: true }] } });
    const controller = new AbortController();
    const call = refusal(server.request("textDocument/hover", {}, { signal: controller.signal }));
    await until(async () => (await received(server, "textDocument/hover")).length > 0);
    controller.abort();
    expect((await call).code).toBe("call/cancelled");
    expect(await received(server, "$/cancelRequest")).toHaveLength(1);
  });

  test("nothing at all: the questions that wait are bounded, and refused past that", async () => {
    const { server } = await session({
      capabilities: { hoverProvider: true },
      on: { "textDocument/hover": [{ never: true }] },
    });
    const cancels = Array.from({ length: 256 }, () => new AbortController());
    const waiting = cancels.map(({ signal: its }) =>
      server.request("textDocument/hover", {}, { signal: its }).catch((error: unknown) => error),
    );
    const past = server.request("textDocument/hover", {}, { signal: signal() });
    await expect(past).rejects.toMatchObject({ code: "lsp/busy" });
    for (const cancel of cancels) cancel.abort();
    await Promise.all(waiting);
    expect(await ask(server, "fake/documents")).toEqual([]);
  });

  test("a slow answer does not delay another", async () => {
    const { server } = await session({
      ...hover,
      on: { "textDocument/hover": [{ wait: "fake/documents" }] },
    });
    const slow = ask(server, "textDocument/hover");
    expect(await ask(server, "fake/children")).toEqual([]);
    await ask(server, "fake/documents");
    expect(await slow).toEqual({ contents: "hi" });
  });

  test.each([
    ["garbage", "]]not json at all[["],
    ["a body that is not JSON", "Content-Length: 7\r\n\r\n{nonsen"],
    ["half a frame", 'Content-Length: 5000\r\n\r\n{"jsonrpc":"2.0","me'],
    ["a header of 4 GB", "Content-Length: 4294967296\r\n\r\n"],
    ["a header without a number", "Content-Length: many\r\n\r\n"],
    ["a list instead of a message", "Content-Length: 3\r\n\r\n[1]"],
    [
      "a request without a usable id",
      'Content-Length: 46\r\n\r\n{"jsonrpc":"2.0","id":null,"method":"x/y/zz/"}',
    ],
  ])("%s: the next answers still come through", async (_name, raw) => {
    const { server } = await session({ ...hover, on: { "textDocument/hover": [{ raw }] } });
    expect(await ask(server, "textDocument/hover")).toEqual({ contents: "hi" });
    expect(await ask(server, "textDocument/hover")).toEqual({ contents: "hi" });
  });

  test("prints to stdout before its first message: initialize works, and the text is kept for the status", async () => {
    const { pool } = await session({ ...hover, start: [{ raw: "Downloading compiler é 10%\n" }] });
    expect(pool.status()[0]?.stderr.join()).toContain("Downloading compiler é 10%");
  });

  test("under another id: timeout, and the next call is not harmed", async () => {
    const { server } = await session({ ...hover, on: { "textDocument/hover": [{ wrongId: true }] } });
    const call = server.request("textDocument/hover", {}, { signal: signal(), timeoutMs: 100 });
    expect((await refusal(call)).code).toBe("lsp/timeout");
    expect(await ask(server, "fake/children")).toEqual([]);
  });

  test("over the cap: refused at once, without waiting for the timeout", async () => {
    const { server } = await session(
      { ...hover, replies: { "textDocument/hover": { $repeat: "é", times: 200_000 } } },
      { plan: { limits: limits(100_000) } },
    );
    const error = await refusal(ask(server, "textDocument/hover"));
    expect(error).toMatchObject({ code: "lsp/garbled", message: expect.stringContaining("over the limit") });
    expect(await ask(server, "fake/children")).toEqual([]);
  });

  test("over the cap with its number last: refused at once", async () => {
    const reply = { $frame: { jsonrpc: "2.0", result: { $repeat: "x", times: 200_000 }, id: { $: "/id" } } };
    const { server } = await session(
      { ...hover, on: { "textDocument/hover": [{ raw: reply }, { never: true }] } },
      { plan: { limits: limits(100_000) } },
    );
    const started = performance.now();
    expect(await refusal(ask(server, "textDocument/hover"))).toMatchObject({ code: "lsp/garbled" });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test("a body that is not JSON: refused at once when its number can be read", async () => {
    const raw = { $text: ["Content-Length: 21\r\n\r\n", '{"id":', { $: "/id" }, ',"result":NaN}'] };
    const { server, pool } = await session({
      ...hover,
      on: { "textDocument/hover": [{ raw }, { never: true }] },
    });
    const error = await refusal(ask(server, "textDocument/hover"));
    expect(error).toMatchObject({
      code: "lsp/garbled",
      message: expect.stringMatching(/answered textDocument\/hover with .* not a JSON/),
    });
    expect(pool.status()[0]?.lastError).toContain("not a JSON object");
  });

  test("with what nobody can read: what still waits after a moment is refused, and the next call works", async () => {
    const { server } = await session({
      ...hover,
      on: { "textDocument/hover": [{ raw: "Content-Length: 7\r\n\r\n{nonsen" }, { never: true }] },
    });
    const started = performance.now();
    const error = await refusal(ask(server, "textDocument/hover"));
    expect(error).toMatchObject({
      code: "lsp/garbled",
      message: expect.stringContaining("may have been the answer to textDocument/hover"),
    });
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(await ask(server, "fake/children")).toEqual([]);
    expect(await received(server, "$/cancelRequest")).toHaveLength(1);
  });

  test("with an error: its words, without paths outside the workspace", async () => {
    const { server, root } = await session({ ...hover });
    const actions = [{ error: { code: -32803, message: `bad ${root}/src/x.ts, see /home/me/.npmrc` } }];
    const error = await refusal(ask(server, "fake/do", { actions }));
    expect(error.code).toBe("lsp/failed");
    expect(error.message).toContain("bad src/x.ts, see <path>");
  });

  test("ContentModified and ServerCancelled: asked again", async () => {
    const folder = scenarios();
    const modified = { error: { code: -32801, message: "modified" }, once: join(folder, "1") };
    const cancelled = { error: { code: -32802, message: "cancelled" }, once: join(folder, "2") };
    const { server } = await session({ ...hover, on: { "textDocument/hover": [modified] } });
    expect(await ask(server, "textDocument/hover")).toEqual({ contents: "hi" });
    const other = await session({ ...hover, on: { "textDocument/hover": [cancelled] } });
    expect(await ask(other.server, "textDocument/hover")).toEqual({ contents: "hi" });
  });

  test("method not found on an advertised method is not supported", async () => {
    const { server } = await session({ capabilities: { hoverProvider: true } });
    expect((await refusal(ask(server, "textDocument/hover"))).code).toBe("lsp/not-supported");
  });

  test("a method that it does not offer is not sent", async () => {
    const { server } = await session({});
    expect((await refusal(ask(server, "textDocument/hover"))).code).toBe("lsp/not-supported");
    expect(await received(server, "textDocument/hover")).toEqual([]);
  });
});

describe("a server that talks without end", () => {
  test("floods with notifications: answers still come", async () => {
    const params = { type: 3, message: "x".repeat(100) };
    const { server } = await session({
      ...hover,
      on: { initialized: [{ flood: "window/logMessage", params, times: 20_000 }] },
    });
    expect(await ask(server, "textDocument/hover")).toEqual({ contents: "hi" });
  });

  test("writes to stderr without end: the ring stays small", async () => {
    const { server, pool } = await session({ ...hover });
    await act(server, { stderr: `${"y".repeat(500)}\n`, times: 5_000 }, { stderr: "z".repeat(100_000) });
    await until(() => pool.status()[0]?.stderr.at(-1)?.startsWith("z") === true);
    const lines = pool.status()[0]?.stderr ?? [];
    expect(lines.length).toBeLessThanOrEqual(51);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(200);
  });
});

describe("a server that does not end", () => {
  test.each([
    ["ignores shutdown", { ignoreShutdown: true }],
    [
      "ignores shutdown, exit, SIGTERM and the end of its input",
      { ignoreShutdown: true, ignoreExit: true, ignoreStdinEnd: true, refuseSigterm: true },
    ],
  ])("%s: it is gone with its children when close resolves", async (_name, flags) => {
    const { server, pool } = await session({ ...hover, ...flags });
    await act(server, { spawn: true });
    const pids = [pool.status()[0]?.pid ?? 0, ...((await ask(server, "fake/children")) as number[])];
    expect(pids.every(alive)).toBe(true);
    await pool.close();
    await until(() => !pids.some(alive));
  });

  test("shutdown carries no params, and exit follows", async () => {
    const folder = scenarios();
    const on = { shutdown: [{ save: join(folder, "shutdown") }], exit: [{ save: join(folder, "exit") }] };
    const { pool } = await session({ ...hover, on });
    await pool.close();
    const sent = JSON.parse(readFileSync(join(folder, "shutdown"), "utf8"));
    expect(Object.keys(sent)).not.toContain("params");
    expect(existsSync(join(folder, "exit"))).toBe(true);
    expect(pool.status()[0]?.state).toBe("stopped");
  });
});

function limits(maxMessageBytes: number) {
  return { ...defaultLimits, maxFileBytes: 4_194_304, maxMessageBytes };
}
