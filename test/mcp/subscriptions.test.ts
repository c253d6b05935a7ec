/** Subscriptions to resources, by real clients over stdio and HTTP: one notification for a burst, a bounded number, an end. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { Refusal } from "../../src/base/problem.js";
import type { WorkspaceChoice } from "../../src/mcp/call-types.js";
import { SessionCalls } from "../../src/mcp/calls.js";
import { serveStdio } from "../../src/mcp/stdio.js";
import { StreamTransport } from "../../src/mcp/stream-transport.js";
import { ResourceSubscriptions } from "../../src/mcp/subscriptions.js";
import { openTestWorkspace, range, type TestWorkspace } from "../runtime/test-workspace.js";
import { closeAll, connect, openGateway } from "./http/support.js";

const publish = (messages: string[]): JsonObject => ({
  notify: "textDocument/publishDiagnostics",
  params: {
    uri: { $: "/params/textDocument/uri" },
    version: { $version: true },
    diagnostics: messages.map((message) => ({ range: range(0, 0, 1), severity: 1, message })),
  },
});
const many = Array.from({ length: 33 }, (_, index) => `${index}.fake`);
const options = {
  files: Object.fromEntries(["a.fake", ...many].map((name) => [name, "one\n"])),
  servers: {
    fake: {
      scenario: {
        capabilities: { textDocumentSync: 1, documentSymbolProvider: true },
        replies: {
          "textDocument/documentSymbol": [
            { name: "one", kind: 12, range: range(0, 0, 1), selectionRange: range(0, 0, 1) },
          ],
        },
        on: {
          "textDocument/didOpen": [publish([])],
          "textDocument/didChange": ["x", "y", "z", "last"].map((message) => publish([message])),
        },
      },
    },
  },
  config: {
    resources: [
      {
        name: "diagnostics",
        uri: "lsp://diagnostics/{path}",
        tool: "get_diagnostics",
        args: { file_path: { from: "uri.path" } },
      },
      {
        name: "outline",
        uri: "lsp://outline/{path}",
        tool: "get_document_symbols",
        args: { file_path: { from: "uri.path" } },
      },
    ],
  },
};
const uri = "lsp://diagnostics/a.fake";

interface Opened {
  client: Client;
  work: TestWorkspace;
  /** The URIs of all notifications. */
  told: string[];
  leave(): Promise<void>;
}

const open: Opened[] = [];
afterEach(async () => {
  for (const { client, work } of open.splice(0)) {
    await client.close();
    await work.close();
  }
  await closeAll();
});

function listening(client: Client): string[] {
  const told: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    told.push(params.uri);
  });
  return told;
}

/** Listeners that are registered now. */
let listeners = 0;

async function overStdio(): Promise<Opened> {
  const work = await openTestWorkspace(options);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const { onActivity } = work.runtime;
  const counted: typeof onActivity = (listener) => {
    listeners++;
    const stop = onActivity(listener);
    return () => {
      listeners--;
      stop();
    };
  };
  void serveStdio({ ...work.runtime, onActivity: counted }, { input, output, log: () => undefined });
  const client = new Client({ name: "c", version: "0" });
  await client.connect(new StreamTransport(output, input));
  const leave = async () => void input.end();
  const opened = { client, work, told: listening(client), leave };
  open.push(opened);
  return opened;
}

async function overHttp(): Promise<Opened> {
  const gateway = await openGateway(options);
  const client = await connect(gateway.url);
  return { client, work: gateway.work, told: listening(client), leave: () => client.close() };
}

describe.each([
  ["stdio", overStdio],
  ["HTTP", overHttp],
])("over %s", (_, start) => {
  it("a burst of reports is one notification, and an unsubscribed resource has none", async () => {
    const { client, work, told } = await start();
    expect(client.getServerCapabilities()?.resources).toEqual({ listChanged: true, subscribe: true });
    await client.subscribeResource({ uri });
    writeFileSync(join(work.folder, "a.fake"), "two\n");
    await expect.poll(() => told, { timeout: 30_000 }).toEqual([uri]);
    const [content] = (await client.readResource({ uri })).contents;
    expect(content !== undefined && "text" in content ? content.text : "").toContain("last");
    // Whatever else the burst would have led to has had its time.
    await delay(1_500);
    expect(told).toEqual([uri]);

    await client.unsubscribeResource({ uri });
    await client.subscribeResource({ uri: "lsp://diagnostics/0.fake" });
    writeFileSync(join(work.folder, "a.fake"), "three\n");
    writeFileSync(join(work.folder, "0.fake"), "three\n");
    await expect.poll(() => told, { timeout: 30_000 }).toEqual([uri, "lsp://diagnostics/0.fake"]);
  });
});

it("a file that is written repeatedly is read when the writing pauses", async () => {
  const { client, work } = await overStdio();
  const outline = "lsp://outline/a.fake";
  await client.subscribeResource({ uri: outline });
  const reads = async () => (await work.received("textDocument/documentSymbol")).length;
  expect(await reads()).toBe(1);
  for (let count = 0; count < 40; count++) {
    writeFileSync(join(work.folder, "a.fake"), `${count}\n`);
    await delay(20);
  }
  await expect.poll(reads, { timeout: 30_000 }).toBeGreaterThan(1);
  expect(await reads()).toBeLessThan(10);
});

describe("a session's subscriptions", () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const opened = async () => {
    const work = await openTestWorkspace(options);
    closing.push(() => work.close());
    return work;
  };
  const { signal } = new AbortController();

  /** Subscriptions whose first reading is done, but not reported until `release`. */
  async function heldAtFirst() {
    const work = await opened();
    const calls = new SessionCalls(work.runtime, work.runtime.openSession());
    const told: string[] = [];
    const subscriptions = new ResourceSubscriptions(calls, (name) => told.push(name));
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const read = calls.read.bind(calls);
    let hasRead: () => void = () => undefined;
    const firstRead = new Promise<void>((resolve) => {
      hasRead = resolve;
    });
    calls.read = async (...call) => {
      calls.read = read;
      const outcome = await read(...call);
      hasRead();
      await released;
      return outcome;
    };
    const added = subscriptions.add(uri, signal);
    await firstRead;
    return { work, subscriptions, told, added, release };
  }

  it("one that is ended during its first reading stays ended", async () => {
    const { work, subscriptions, told, added, release } = await heldAtFirst();
    subscriptions.remove(uri);
    release();
    await added;
    await subscriptions.add("lsp://diagnostics/0.fake", signal);
    writeFileSync(join(work.folder, "a.fake"), "two\n");
    writeFileSync(join(work.folder, "0.fake"), "two\n");
    await expect.poll(() => told).toEqual(["lsp://diagnostics/0.fake"]);
  });

  it("a change during the first reading is not lost", async () => {
    const { work, told, added, release } = await heldAtFirst();
    let changes = 0;
    work.runtime.onActivity(() => changes++);
    writeFileSync(join(work.folder, "a.fake"), "two\n");
    await expect.poll(() => changes).toBeGreaterThan(0);
    // The readings after a change leave out what is not read yet, and find nothing more to do.
    await delay(3_000);
    release();
    await added;
    await expect.poll(() => told).toEqual([uri]);
  });

  it("follow the session to another workspace", async () => {
    const [first, second] = [await opened(), await opened()];
    let chosen = first.runtime;
    const workspaces: WorkspaceChoice = {
      choose: () => chosen,
      refusal: () => new Refusal("http/no-workspace", "no workspace is chosen"),
      session: { holder: "one" },
    };
    const calls = new SessionCalls(first.runtime, first.runtime.openSession(), { workspaces });
    calls.narrow([pathToFileURL(first.folder).href]);
    const told: string[] = [];
    const subscriptions = new ResourceSubscriptions(calls, (name) => told.push(name));
    await subscriptions.add(uri, signal);
    chosen = second.runtime;
    calls.narrow([pathToFileURL(second.folder).href]);
    // The resource is read again, because it may differ there.
    await expect.poll(() => second.received("textDocument/didOpen")).toHaveLength(1);
    expect(told).toEqual([]);
    writeFileSync(join(second.folder, "a.fake"), "two\n");
    await expect.poll(() => told).toEqual([uri]);
    // And they end with it.
    calls.end();
    let changes = 0;
    second.runtime.onActivity(() => changes++);
    writeFileSync(join(second.folder, "a.fake"), "three\n");
    await second.call("get_diagnostics", { file_path: "a.fake" });
    await expect.poll(() => changes).toBeGreaterThan(0);
    await delay(1_000);
    expect(told).toEqual([uri]);
  });
});

it("what cannot be read cannot be subscribed to", async () => {
  const { client } = await overStdio();
  for (const name of [
    "lsp://diagnostics/none.fake",
    "lsp://diagnostics/..%2F..%2Fetc%2Fpasswd",
    "lsp://none",
  ])
    await expect(client.subscribeResource({ uri: name })).rejects.toThrow();
  await client.unsubscribeResource({ uri: "lsp://none" });
});

it("a session has at most 32 subscriptions, which end with it", async () => {
  const { client, leave } = await overStdio();
  const uris = many.map((name) => `lsp://outline/${name}`);
  for (const name of uris.slice(0, 32)) await client.subscribeResource({ uri: name });
  await expect(client.subscribeResource({ uri: uris[32] ?? "" })).rejects.toThrow("at most 32");
  // Again, and another in place of one.
  await client.subscribeResource({ uri: uris[0] ?? "" });
  await client.unsubscribeResource({ uri: uris[0] ?? "" });
  await client.subscribeResource({ uri: uris[32] ?? "" });
  expect(listeners).toBe(1);
  await leave();
  await expect.poll(() => listeners).toBe(0);
});

it("a deleted file is a change", async () => {
  const { client, work, told } = await overStdio();
  await client.subscribeResource({ uri });
  rmSync(join(work.folder, "a.fake"));
  await expect.poll(() => told, { timeout: 30_000 }).toEqual([uri]);
});
