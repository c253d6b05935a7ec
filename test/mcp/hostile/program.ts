/** The built program with scripted language servers, for clients that misbehave: raw pipes and sockets, no SDK. */
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { connect as connectSocket, type Socket } from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { JsonObject } from "../../../src/base/json.js";
import type { Scenario } from "../../fake-server/index.js";
import { program, testEnvironment } from "../../live/session.js";
import { range, type TestWorkspaceOptions, writeTestWorkspace } from "../../runtime/test-workspace.js";

export const token = "a-token-of-the-tests-0123456789";
export const at = { file_path: "a.fake", line: 1, character: 1 };
/** A server that answers definition requests for the file. */
export const definition: Scenario = {
  capabilities: { definitionProvider: true },
  replies: { "textDocument/definition": [{ uri: "file:///work/a.fake", range: range(0, 4, 7) }] },
};

export const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export const initialize: JsonObject = {
  jsonrpc: "2.0",
  id: "hello",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
};

/** One call of a tool; with `meta` for a progress token, or for the protocol that has no handshake. */
export function callOf(
  id: number | string,
  meta: JsonObject = {},
  args: JsonObject = at,
  name = "find_definition",
): JsonObject {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: meta } };
}

export interface Program {
  child: ChildProcess & { stdin: Writable; stdout: Readable };
  pid: number;
  /** The folder of the workspace. */
  folder: string;
  /** Its exit code or signal, once all that it wrote has been read. */
  ended: Promise<number | string>;
  stderr(): string;
}

const running: { child: ChildProcess; folder: string }[] = [];

/** Ends every program that a test has started, and removes its folder. */
export async function endAll(): Promise<void> {
  for (const { child, folder } of running.splice(0)) {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts `serve` on a workspace with one file and one server. */
export function start(
  options: TestWorkspaceOptions = {},
  args: string[] = [],
  nodeArgs: string[] = [],
): Program {
  const { outside, folder } = writeTestWorkspace({
    files: { "a.fake": "one two\n" },
    servers: { fake: { scenario: definition } },
    ...options,
  });
  const config = join(outside, "lspi.json");
  const child = spawn(process.execPath, [...nodeArgs, program, "serve", "--config", config, ...args], {
    cwd: outside,
    env: { ...testEnvironment(), LSP_PROXY_TOKEN: token },
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.push({ child, folder: outside });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => undefined);
  const ended = new Promise<number | string>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? ""));
  });
  return { child, pid: child.pid ?? 0, folder, ended, stderr: () => stderr };
}

/** A client on the pipes of the program: what it reads, by line. */
export class PipeClient {
  readonly heard: JsonObject[] = [];
  #rest = "";
  #waiting: (() => void)[] = [];

  constructor(readonly program: Program) {}

  send(message: JsonObject | string): void {
    const { stdin } = this.program.child;
    stdin.write(typeof message === "string" ? message : `${JSON.stringify(message)}\n`);
  }

  /** Begins to read what the program writes. */
  read(): this {
    this.program.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (this.#rest + text).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) this.heard.push(JSON.parse(line));
      for (const wake of this.#waiting.splice(0)) wake();
    });
    return this;
  }

  /** The answer with this id, once it has come. */
  async answer(id: number | string): Promise<JsonObject> {
    for (;;) {
      const found = this.heard.find((message) => message.id === id && message.method === undefined);
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

/** Starts the program as a gateway; resolves with its address when it listens. */
export async function startGateway(
  options: TestWorkspaceOptions = {},
  nodeArgs: string[] = [],
): Promise<Program & { url: URL }> {
  const started = start(options, ["--http", "--port", "0", "--log-level", "info"], nodeArgs);
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(started.stderr())?.[0];
      if (found) resolve(found);
    };
    started.child.stderr?.on("data", look);
    void started.ended.then(() => reject(new Error(started.stderr())));
  });
  return { ...started, url: new URL(url) };
}

/** A raw connection to the gateway. */
export function socketTo({ port, hostname }: URL): Socket {
  const socket = connectSocket(Number(port), hostname);
  socket.on("error", () => undefined);
  return socket;
}

/** The bytes of one request. */
export function requestText(
  url: URL,
  body: JsonObject | JsonObject[] | string,
  headers: { [name: string]: string } = {},
): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = {
    host: url.host,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": String(Buffer.byteLength(text)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}
