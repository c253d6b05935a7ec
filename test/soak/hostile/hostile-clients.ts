/**
 * Clients that misbehave, by name. Those over HTTP share the gateway with a client that behaves. Those over stdio have
 * a proxy of their own; a request that such a client sends properly must still be answered, and the proxy must end
 * with its client.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { Json, JsonObject } from "../../../src/base/json.js";
import { callOf, initialize, initialized, send } from "../../mcp/http/support.js";
import { checkBlocked, hostileToken, pause, peakMb, type Start, serve } from "./proxy.js";
import { CALL_LIMIT_MS, END_MS, MARGIN_MS, PEAK_MB, type Run, within } from "./run.js";

const tools = [
  "get_hover",
  "find_references",
  "get_diagnostics",
  "get_document_symbols",
  "apply_workspace_edit",
];

/** Bytes that are no JSON-RPC message, each in its own way. No line end within. */
function badMessage(run: Run): string {
  return run.pick([
    () => "{",
    () => "not json",
    () => "[".repeat(20_000),
    () => `{"jsonrpc":"2.0","id":${"9".repeat(400)},"method":"ping"}`,
    () => `{"jsonrpc":"2.0","id":{},"method":"tools/call"}`,
    () => `{"jsonrpc":"1.0","id":1}`,
    () => `{"jsonrpc":"2.0","id":5,"method":"notifications/cancelled","params":{"requestId":5}}`,
    () => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
    () => `{"jsonrpc":"2.0","method":"notifications/progress","params":${"[".repeat(500)}${"]".repeat(500)}}`,
    () => `{"jsonrpc":"2.0","id":77,"result":{}}`,
    () => JSON.stringify("x".repeat(200_000)),
    () => `{"__proto__":{"id":1},"constructor":{"prototype":{}}}`,
    () => "\u0000\u0001\u001b]0;title\u0007",
    () => JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }))),
  ])();
}

function wrongArguments(run: Run): JsonObject {
  const values: Json[] = [
    null,
    -1,
    1e308,
    "",
    "x".repeat(10_000),
    [],
    {},
    [[]],
    true,
    "../../etc/passwd",
    "\0",
  ];
  const names = [
    "file_path",
    "line",
    "character",
    "files",
    "dry_run",
    "edit_token",
    "page_size",
    "cursor",
    "__proto__",
  ];
  const chosen = names.filter(() => run.random() < 0.5);
  return Object.fromEntries(chosen.map((name) => [name, run.pick(values)]));
}

const foreign = (run: Run): JsonObject => ({
  file_path: `foreign.${run.pick(["bad0", "bad1", "bad2"])}`,
  line: 1,
  character: 1,
});

/** A raw HTTP connection: what it sends and when it reads is up to the test. */
class Raw {
  readonly socket: Socket;

  constructor(
    url: string,
    readonly session: string = "",
  ) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on("error", () => undefined);
    this.socket.on("data", () => undefined);
  }

  post(body: string, more = "", length = Buffer.byteLength(body)): void {
    const lines = [
      ...["POST /mcp HTTP/1.1", "host: localhost", `authorization: Bearer ${hostileToken}`],
      ...["content-type: application/json", "accept: application/json, text/event-stream"],
      ...(this.session === "" ? [] : [`mcp-session-id: ${this.session}`, "mcp-protocol-version: 2025-11-25"]),
      `content-length: ${length}${more}`,
    ];
    this.socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  }
}

/** Opens a session of the hostile token; empty when the gateway has none for it at the moment. */
async function openSession(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${hostileToken}` };
  const ask = (more: { [name: string]: string }, body: JsonObject) =>
    within(
      END_MS,
      send(url, { headers: { ...headers, ...more }, body }).catch(() => undefined),
    );
  const answer = await ask({}, initialize());
  const session = String(answer?.headers["mcp-session-id"] ?? "");
  if (session !== "") await ask({ "mcp-session-id": session }, initialized);
  return session;
}

type HttpClient = (run: Run, url: string) => Promise<void>;

export const httpClients: { [name: string]: HttpClient } = {
  "http-read-late": async (run, url) => {
    const raw = new Raw(url, await openSession(url));
    raw.socket.pause();
    for (let id = 1; id <= 50; id++) {
      const call = callOf(id, foreign(run), run.pick(tools.slice(0, 4)));
      (call.params as JsonObject)._meta = { progressToken: id };
      raw.post(JSON.stringify(call));
    }
    await pause(run.random() * 3_000);
    if (run.random() < 0.5) raw.socket.resume();
    await pause(500);
    raw.socket.destroy();
  },
  "http-disconnect": async (run, url) => {
    const session = await openSession(url);
    for (let turn = 0; turn < 10; turn++) {
      const raw = new Raw(url, session);
      const body = JSON.stringify(callOf(turn, foreign(run), run.pick(tools)));
      raw.post(run.random() < 0.5 ? body : body.slice(0, 20), "", body.length);
      await pause(run.random() * 200);
      raw.socket.destroy();
    }
  },
  "http-bad-json": async (run, url) => {
    const session = await openSession(url);
    for (let turn = 0; turn < 20; turn++) {
      const raw = new Raw(url, run.random() < 0.7 ? session : "");
      raw.post(badMessage(run), run.pick(["", "\r\nhost: other", "\r\ncontent-length: 3", "\r\nx: \u0001"]));
      await pause(run.random() * 30);
      raw.socket.destroy();
    }
  },
  "http-cancel": async (run, url) => {
    const raw = new Raw(url, await openSession(url));
    for (let id = 1; id <= 30; id++) {
      const other = new Raw(url, raw.session);
      other.post(JSON.stringify(callOf(id, foreign(run), run.pick(tools.slice(0, 4)))));
      const requestId = run.pick<Json>([id, id, String(id), id + 1, null, {}, -1]);
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
      await pause(run.random() * 40);
      raw.post(JSON.stringify(cancel));
      other.socket.destroySoon();
    }
    await pause(200);
    raw.socket.destroy();
  },
  "http-wrong-arguments": async (run, url) => {
    const raw = new Raw(url, await openSession(url));
    for (let id = 1; id <= 30; id++)
      raw.post(JSON.stringify(callOf(id, wrongArguments(run), run.pick(tools))));
    await pause(1_000);
    raw.socket.destroy();
  },
  "http-silent-connections": async (run, url) => {
    const all = Array.from({ length: 300 }, () => new Raw(url));
    for (const { socket } of all) if (run.random() < 0.3) socket.write("POST /mcp HTTP/1.1\r\nhost: loc");
    await pause(2_000);
    for (const { socket } of all) socket.destroy();
  },
};

/** A proxy over stdio whose client speaks raw lines. */
class StdioProxy {
  readonly start: Start;
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answered = new Set<Json>();
  readonly #ended: Promise<unknown>;
  #rest = "";
  #next = 1_000;

  constructor(
    readonly run: Run,
    readonly name: string,
  ) {
    this.start = serve(run.top, name, run.id);
    const { command, args, env } = this.start;
    this.child = spawn(command, args, { env, stdio: ["pipe", "pipe", "ignore"] });
    this.#ended = once(this.child, "exit");
    for (const stream of [this.child.stdin, this.child.stdout]) stream.on("error", () => undefined);
    this.child.stdout.on("data", (part: Buffer) => this.#read(part.toString()));
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const message: JsonObject = JSON.parse(line);
      if (message.id !== undefined && message.method === undefined) this.#answered.add(message.id ?? null);
    }
  }

  write(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  async open(): Promise<void> {
    this.write(JSON.stringify(initialize()));
    await this.answered([0], "initialize");
    this.write(JSON.stringify(initialized));
  }

  /** Sends a call and gives its id. */
  call(args: JsonObject, tool: string): number {
    const id = this.#next++;
    const call = callOf(id, args, tool);
    (call.params as JsonObject)._meta = { progressToken: id };
    this.write(JSON.stringify(call));
    return id;
  }

  /** Waits until these requests have their answers; a failure of the run when one has none in time. */
  async answered(ids: number[], what: string, limitMs = CALL_LIMIT_MS): Promise<void> {
    const until = performance.now() + limitMs + MARGIN_MS;
    const missing = () => ids.filter((id) => !this.#answered.has(id));
    while (missing().length > 0) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        return this.run.fail(
          `${this.name}: the proxy ended (${this.child.exitCode ?? this.child.signalCode}): ${what}`,
        );
      if (performance.now() > until)
        return this.run.fail(
          `${this.name}: ${missing().length} of ${ids.length} have no answer in time: ${what}`,
        );
      await pause(20);
    }
    this.run.count("answered raw requests");
  }

  /** Leaves, one way or another, and waits for the proxy's end. */
  async leave(): Promise<void> {
    const peak = peakMb(this.child.pid ?? 0);
    if (peak > PEAK_MB) this.run.fail(`${this.name}: the proxy had ${Math.round(peak)} MB`);
    this.run.pick([
      () => this.child.stdin.end(),
      () => this.child.stdin.destroy(),
      () => {
        this.child.stdout.destroy();
        this.child.stdin.destroy();
      },
      () => this.child.kill("SIGTERM"),
    ])();
    const late = pause(END_MS).then(() => "late");
    if ((await Promise.race([this.#ended, late])) !== "late")
      return checkBlocked(this.run, this.name, this.start);
    this.run.fail(`${this.name}: the proxy did not end within ${END_MS} ms`);
    this.child.kill("SIGKILL");
  }
}

type StdioClient = (run: Run, proxy: StdioProxy) => Promise<void>;

const stdioActs: { [name: string]: StdioClient } = {
  "stdio-read-late": async (run, proxy) => {
    proxy.child.stdout.pause();
    const ids = Array.from({ length: 40 }, () => proxy.call(foreign(run), run.pick(tools.slice(0, 4))));
    for (let turn = 0; turn < 20_000; turn++) proxy.write("bad line");
    await pause(run.random() * 2_000);
    proxy.child.stdout.resume();
    // Forty calls take turns: the last may wait for the first ones' limit.
    await proxy.answered(ids, "calls before reading late", 3 * CALL_LIMIT_MS);
    await proxy.answered([proxy.call({}, "get_server_status")], "a call after reading late");
  },
  "stdio-never-reads": async (run, proxy) => {
    proxy.child.stdout.pause();
    for (let turn = 0; turn < 200; turn++) proxy.call(foreign(run), run.pick(tools.slice(0, 4)));
    for (let turn = 0; turn < 5_000; turn++) proxy.write(badMessage(run).slice(0, 500));
    await pause(1_000);
  },
  "stdio-disconnect": async (run, proxy) => {
    for (let turn = 0; turn < 10; turn++) proxy.call(foreign(run), run.pick(tools));
    proxy.child.stdin.write(`{"jsonrpc":"2.0","id":1,"meth`);
    await pause(run.random() * 300);
  },
  "stdio-bad-json": async (run, proxy) => {
    for (let turn = 0; turn < 100; turn++) proxy.write(badMessage(run));
    await proxy.answered([proxy.call({}, "get_server_status")], "a call after bad messages");
  },
  "stdio-cancel": async (run, proxy) => {
    const kept: number[] = [];
    for (let turn = 0; turn < 30; turn++) {
      const id = proxy.call(foreign(run), run.pick(tools.slice(0, 4)));
      const requestId = run.pick<Json>([id, id, String(id), null, {}, -1]);
      if (requestId !== id) kept.push(id);
      await pause(run.random() * 20);
      proxy.write(
        JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }),
      );
    }
    await proxy.answered(kept, "calls that were not cancelled", 3 * CALL_LIMIT_MS);
  },
  "stdio-wrong-arguments": async (run, proxy) => {
    const ids = Array.from({ length: 100 }, () => proxy.call(wrongArguments(run), run.pick(tools)));
    await proxy.answered(ids, "calls with wrong arguments", 3 * CALL_LIMIT_MS);
  },
};

let proxies = 0;

/** Over stdio: each episode has a new proxy. */
export const stdioClients: { [name: string]: (run: Run) => Promise<void> } = Object.fromEntries(
  Object.entries(stdioActs).map(([name, act]) => [
    name,
    async (run: Run) => {
      const proxy = new StdioProxy(run, `${name}-${proxies++}`);
      await proxy.open();
      await act(run, proxy);
      await proxy.leave();
    },
  ]),
);
