/**
 * What an agent sees of each fault of a language server: an answer or a coded refusal, before the call's deadline, and a
 * session that goes on.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import type { Scenario } from "../fake-server/index.js";
import { openTestWorkspace, range, type TestWorkspace, type TestWorkspaceOptions } from "./test-workspace.js";

const workspaces: TestWorkspace[] = [];
afterEach(async () => {
  for (const work of workspaces.splice(0)) await work.close();
});

async function open(options: TestWorkspaceOptions): Promise<TestWorkspace> {
  const work = await openTestWorkspace(options);
  workspaces.push(work);
  return work;
}

const files = { "a.fake": "one two\n" };
const at = { file_path: "a.fake", line: 1, character: 1 };
const good: Scenario = {
  capabilities: { hoverProvider: true, referencesProvider: true },
  replies: {
    "textDocument/hover": { contents: "here" },
    "textDocument/references": [{ uri: "file:///work/a.fake", range: range(0, 0, 3) }],
  },
};
const begun = 'Content-Length: 100\r\n\r\n{"jsonrpc"';
const flood = { flood: "window/logMessage", params: { type: 3, message: "noise" }, times: 20_000 };

function onHover(...actions: JsonObject[]): Scenario {
  return { ...good, on: { "textDocument/hover": actions } };
}

interface Fault {
  scenario: Scenario;
  /** The refusal's code; absent when the call is answered all the same. */
  code?: string;
}

const faults: { [name: string]: Fault } = {
  "dies at start": { scenario: { start: [{ exit: 1 }] }, code: "lsp/start-failed" },
  "dies during initialize": { scenario: { on: { initialize: [{ exit: 1 }] } }, code: "lsp/start-failed" },
  "never answers initialize": {
    scenario: { on: { initialize: [{ never: true }] } },
    code: "lsp/start-failed",
  },
  "dies in a request, once": { scenario: onHover({ signal: "SIGKILL", once: "died" }) },
  "dies in every request": { scenario: onHover({ signal: "SIGKILL" }), code: "lsp/exited" },
  "never answers": { scenario: onHover({ never: true }), code: "lsp/timeout" },
  "answers under a wrong id": { scenario: onHover({ wrongId: true }), code: "lsp/timeout" },
  "prints garbage": { scenario: onHover({ raw: "Segfault?\n\u0000{]" }) },
  "answers nonsense": { scenario: onHover({ reply: 7 }), code: "lsp/invalid-reply" },
  "sends half a frame, then answers": { scenario: onHover({ raw: begun }) },
  "sends a header of 4 GB, then answers": {
    scenario: onHover({ raw: "Content-Length: 4294967296\r\n\r\n" }),
  },
  "answers over the cap": {
    scenario: onHover({ reply: { contents: { $repeat: "x", times: 2_000_000 } } }),
    code: "lsp/garbled",
  },
  "floods with notifications": { scenario: onHover(flood) },
  "writes to stderr without end": { scenario: onHover({ stderr: "noise\n", times: 20_000 }) },
  "closes its output": { scenario: onHover({ closeOutput: true }), code: "lsp/exited" },
  "ignores shutdown and refuses to die": {
    scenario: { ...good, ignoreShutdown: true, ignoreExit: true, ignoreStdinEnd: true, refuseSigterm: true },
  },
};

describe("a server that", () => {
  it.each(Object.entries(faults))("%s", { timeout: 60_000 }, async (name, { scenario, code }) => {
    const { call } = await open({
      files,
      servers: {
        fake: {
          scenario,
          config: {
            // What does not end by a limit has the time that a busy machine needs.
            initialize_timeout_ms: name === "never answers initialize" ? 1_500 : 15_000,
            request_timeout_ms: code === "lsp/timeout" ? 1_500 : 15_000,
            restart: { max: 3, backoff_ms: [1, 5] },
          },
        },
      },
      config: { limits: { timeout_ms: 20_000, max_message_bytes: 1_048_576 } },
    });
    const started = performance.now();
    const { structured, text } = await call("get_hover", at);
    expect(performance.now() - started).toBeLessThan(20_000);
    if (code === undefined) expect(structured).toMatchObject({ ok: true, contents: ["here"] });
    else expect(structured).toMatchObject({ ok: false, error: { code } });
    if (code !== undefined) expect(text).toContain(code);
    // The session goes on, and its status tells of the server.
    expect((await call("get_server_status", {})).structured).toMatchObject({ ok: true, total: 1 });
  });
});

describe("after a fault", () => {
  it("says in the next answer why the server was ended for its memory", async () => {
    const { call, runtime } = await open({
      files,
      servers: { fake: { scenario: good, config: { limits: { memory_mb: 1 } } } },
    });
    const first = await call("get_hover", at);
    expect(first.structured).toMatchObject({ contents: ["here"] });
    await expect.poll(() => runtime.pool.status()[0]?.state, { timeout: 20_000 }).not.toBe("running");
    const { structured, text } = await call("get_hover", at);
    expect(structured).toMatchObject({
      contents: ["here"],
      warnings: [
        {
          code: "answer/server-restarted",
          message: expect.stringContaining("over limits.memory_mb = 1"),
          data: { server_id: "fake" },
        },
      ],
    });
    expect(text).toContain("limits.memory_mb");
  });

  it("gives the reason also when the read was retried", async () => {
    const { call } = await open({
      files,
      servers: { fake: { scenario: onHover({ signal: "SIGKILL", once: "died" }) } },
    });
    expect((await call("get_hover", at)).structured).toMatchObject({
      contents: ["here"],
      warnings: [{ message: expect.stringContaining("was ended by SIGKILL") }],
    });
  });

  it("is never broken for ever: the window passes, and the status says what happened", async () => {
    const { call } = await open({
      files,
      servers: {
        fake: {
          scenario: onHover({ signal: "SIGKILL", once: "1" }, { signal: "SIGKILL", once: "2" }),
          config: { restart: { max: 0, window_ms: 5_000, backoff_ms: [1, 5] } },
        },
      },
    });
    expect((await call("get_hover", at)).structured).toMatchObject({ error: { code: "lsp/start-failed" } });
    expect((await call("get_server_status", {})).structured.servers).toMatchObject([
      { state: "broken", last_error: expect.stringContaining("SIGKILL") },
    ]);
    await expect
      .poll(async () => (await call("get_hover", at)).structured.contents, { interval: 200 })
      .toEqual(["here"]);
    expect((await call("get_server_status", {})).structured.servers).toMatchObject([{ state: "running" }]);
  });
});

describe("calls side by side", () => {
  it("a slow references call does not delay a hover", async () => {
    const { call, received } = await open({
      files,
      servers: { fake: { scenario: { ...good, on: { "textDocument/references": [{ never: true }] } } } },
    });
    const cancel = new AbortController();
    const slow = call("find_references", at, cancel.signal);
    await expect.poll(() => received("textDocument/references")).toHaveLength(1);
    expect((await call("get_hover", at)).structured).toMatchObject({ contents: ["here"] });
    cancel.abort();
    expect((await slow).structured).toMatchObject({ error: { code: "call/cancelled" } });
  });

  it("a change is sent before the question that follows it, also while others ask", async () => {
    const { call, folder } = await open({
      files,
      servers: {
        fake: { scenario: { ...good, replies: { "textDocument/hover": { contents: { $text: true } } } } },
      },
    });
    for (let round = 0; round < 10; round++) {
      writeFileSync(join(folder, "a.fake"), `text ${round}\n`);
      const answers = await Promise.all(Array.from({ length: 5 }, () => call("get_hover", at)));
      for (const { structured } of answers) expect(structured.contents).toEqual([`text ${round}\n`]);
    }
  });
});
