/** Ways to be started: on inherited descriptors while stdio stays free, and by the short command line. */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it } from "vitest";
import { program, repository, testEnvironment } from "./session.js";

let folder = "";
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fixture(name: string): string {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-start-")));
  cpSync(join(repository, "test", "fixtures", name), folder, { recursive: true });
  return folder;
}

interface Message {
  id?: number;
  result?: Record<string, unknown>;
}

/** A client on a pair of streams: asks one thing after the other. */
function clientOn(input: Readable, output: Writable) {
  const waiting = new Map<number, (message: Message) => void>();
  createInterface({ input }).on("line", (line) => {
    const message = JSON.parse(line) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  let id = 0;
  const ask = (method: string, params: object) =>
    new Promise<Message>((resolve) => {
      waiting.set(++id, resolve);
      output.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  return {
    async shake() {
      const clientInfo = { name: "test", version: "0" };
      await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
      output.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    },
    ask,
    async call(name: string, args: object) {
      const { result } = await ask("tools/call", { name, arguments: args });
      const [block] = (result?.content ?? []) as { text: string }[];
      return block?.text;
    },
  };
}

it("serves MCP on descriptors 3 and 4 and leaves stdin and stdout alone", async () => {
  const work = fixture("python");
  const child = spawn(
    process.execPath,
    [program, "serve", "--context", "navigation", "--workspace", work, "--fd-in", "3", "--fd-out", "4"],
    { stdio: ["pipe", "pipe", "inherit", "pipe", "pipe"], env: testEnvironment() },
  );
  let stdout = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const client = clientOn(child.stdio[4] as Readable, child.stdio[3] as Writable);
  await client.shake();
  // The host's own channel: neither its words nor its end concern the protocol.
  child.stdin?.end("this is no protocol\n");
  const { result } = await client.ask("tools/list", {});
  expect(result?.tools).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: "get_document_symbols" })]),
  );
  const symbols = await client.call("get_document_symbols", { file_path: "greet.py" });
  expect(symbols).toContain("greet");
  (child.stdio[3] as Writable).end();
  expect(await ended).toBe(0);
  expect(stdout).toBe("");
});

it("refuses descriptors that are not open", async () => {
  const child = spawn(process.execPath, [program, "serve", "--fd-in", "250", "--fd-out", "251"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: testEnvironment(),
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(2);
  expect(stderr).toContain('the descriptor "250" is not open');
});

it("serves one language server from the short command line, started at once", async () => {
  const work = fixture("python");
  const args = ["-e", "py", "-e", "pyi", "-s", "pyright-langserver", "--stdio", "-w", work];
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: testEnvironment(),
    cwd: tmpdir(),
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const client = clientOn(child.stdout, child.stdin);
  await client.shake();
  const uri = (file: string) => pathToFileURL(join(work, file)).href;
  const text = 'wave = "👋🏽 漢字"; first = ';
  const place = { uri: uri("app.py"), line: 2, character: text.length };
  expect(JSON.parse((await client.call("definition", place)) ?? "")).toEqual([
    { uri: uri("greet.py"), range: { start: { line: 3, character: 4 }, end: { line: 3, character: 9 } } },
  ]);
  child.stdin.end();
  expect(await ended).toBe(0);
});
