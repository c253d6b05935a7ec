/** The built program over stdio, driven by as little as can be: lines of JSON, no SDK. */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../../", import.meta.url));
export const program = process.env.BENCH_PROGRAM ?? join(repository, "dist", "cli", "bin.js");

/** A state that nobody else has: what earlier runs left in it would be looked at by each start. */
const state = join(tmpdir(), `lsp-proxy-bench-state-${process.pid}`);
process.once("exit", () => rmSync(state, { recursive: true, force: true }));

/** The servers of this repository on PATH, and nobody's own config, trust or state. */
export function environment() {
  return {
    ...process.env,
    PATH: `${join(repository, "node_modules", ".bin")}${delimiter}${process.env.PATH ?? ""}`,
    XDG_CONFIG_HOME: join(tmpdir(), "lsp-proxy-no-config"),
    XDG_STATE_HOME: state,
    LSPI_CONFIG_PATH: "",
  };
}

/** A client of any MCP server that speaks on stdio. */
export class StdioClient {
  #pending = new Map();
  #next = 0;
  #rest = [];

  constructor(command, args, { cwd, env = environment() } = {}) {
    this.started = performance.now();
    this.child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
    this.child.stdout.on("data", (chunk) => this.#read(chunk));
    this.gone = new Promise((resolve) => this.child.once("close", resolve));
    void this.gone.then(() => {
      for (const { reject } of this.#pending.values()) reject(new Error(`${command} is gone`));
    });
    this.child.stdin.on("error", () => undefined);
  }

  get pid() {
    return this.child.pid;
  }

  request(method, params) {
    const id = this.#next++;
    const answer = new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#write({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  /** The handshake; tells when each of its two answers had come, in milliseconds after the start. */
  async open() {
    await this.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bench", version: "0" },
    });
    const initialized = performance.now() - this.started;
    this.#write({ jsonrpc: "2.0", method: "notifications/initialized" });
    const { tools } = await this.request("tools/list", {});
    return { initialized, listed: performance.now() - this.started, tools };
  }

  async call(name, args) {
    return this.request("tools/call", { name, arguments: args });
  }

  async close() {
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 10_000);
    await this.gone;
    clearTimeout(timer);
  }

  #write(message) {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #read(chunk) {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const last = rest.subarray(0, end);
      const line = this.#rest.length === 0 ? last : Buffer.concat([...this.#rest, last]);
      this.#rest = [];
      rest = rest.subarray(end + 1);
      this.#answer(line.toString("utf8"));
    }
    if (rest.length > 0) this.#rest.push(rest);
  }

  #answer(line) {
    if (!line.startsWith("{")) return;
    const message = JSON.parse(line);
    const waiting = this.#pending.get(message.id);
    if (waiting === undefined || message.method !== undefined) return;
    this.#pending.delete(message.id);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }
}

/** `serve` with these words, with the handshake done. */
export async function openProxy(words, options) {
  const client = new StdioClient(
    process.execPath,
    [...(process.env.FLAGS ?? "").split(" ").filter(Boolean), program, "serve", ...words],
    options,
  );
  await client.open();
  return client;
}

/** Questions to the program, by their kind; an answer that is an error is thrown. */
export function ourCalls(proxy) {
  const call = async (tool, args) => {
    const result = await proxy.call(tool, args);
    if (result.isError) throw new Error(JSON.stringify(result.structuredContent?.error));
    return result;
  };
  const position = ({ path, line, character }) => ({
    file_path: path,
    line: line + 1,
    character: character + 1,
  });
  return {
    definition: (place) => call("find_definition", position(place)),
    hover: (place) => call("get_hover", position(place)),
    references: (place) => call("find_references", position(place)),
    "document symbols": ({ path, size }) =>
      call("get_document_symbols", { file_path: path, page_size: size }),
    "workspace symbols": ({ name }) => call("search_workspace_symbols", { query: name }),
    diagnostics: ({ path }) => call("get_diagnostics", { file_path: path, min_severity: "hint" }),
  };
}
