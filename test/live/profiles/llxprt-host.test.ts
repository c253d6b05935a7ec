/** The profile `llxprt` as llxprt-code starts it: a channel of its own on stdin and stdout, MCP on descriptors 3 and 4. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { program, repository, testEnvironment } from "../session.js";

interface Diagnostic {
  file: string;
  line: number;
  column: number;
  severity: string;
  message: string;
  code?: string;
}

interface Host {
  folder: string;
  child: ChildProcess;
  rpc: MessageConnection;
  ready: Promise<void>;
  ended: Promise<{ code: number | null; signal: string | null }>;
  stderr(): string;
}

const open: { child: ChildProcess; folder: string }[] = [];
afterEach(() => {
  for (const { child, folder } of open.splice(0)) {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

const tsserver = join(repository, "node_modules", "typescript-5", "lib", "tsserver.js");
const typescript = {
  id: "ts",
  command: "typescript-language-server",
  args: ["--stdio"],
  extensions: [".ts"],
  initializationOptions: { tsserver: { path: tsserver } },
};
/** TypeScript's own server, which starts with a tenth of the work: for what does not depend on the server. */
const native = { id: "native", command: "tsc", args: ["--lsp", "--stdio"], extensions: [".ts"] };
/** Times for a busy machine. */
const patient = { navigationTimeoutMs: 60_000, diagnosticsTimeoutMs: 30_000, firstTouchTimeoutMs: 60_000 };

/** Starts the program as the client does: no arguments, five pipes, the variable. */
function start(
  config: unknown,
  bootstrap = (folder: string) => JSON.stringify({ workspaceRoot: folder, config }),
): Host {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-host-")));
  cpSync(join(repository, "test", "fixtures", "typescript"), folder, { recursive: true });
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
    env: { ...testEnvironment(), LSP_BOOTSTRAP: bootstrap(folder) },
  });
  open.push({ child, folder });
  let stderr = "";
  child.stderr?.on("data", (part: Buffer) => {
    stderr += part.toString();
  });
  const [output, input] = [child.stdout, child.stdin];
  if (output === null || input === null) throw new Error("no pipes");
  const rpc = createMessageConnection(new StreamMessageReader(output), new StreamMessageWriter(input));
  rpc.onError(() => undefined);
  const ready = new Promise<void>((resolve) => {
    rpc.onNotification("lsp/ready", () => resolve());
  });
  rpc.listen();
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  return { folder, child, rpc, ready, ended, stderr: () => stderr };
}

/** An MCP client on the descriptors 3 and 4, which writes to one and reads from the other. */
async function mcpOf({ child }: Host, [writes, reads] = [3, 4]): Promise<Client> {
  const [to, from] = [child.stdio[writes as 3 | 4] as Writable, child.stdio[reads as 3 | 4] as Readable];
  const transport: Transport = {
    start: async () => {
      createInterface({ input: from }).on("line", (line) => {
        transport.onmessage?.(JSON.parse(line) as JSONRPCMessage);
      });
    },
    send: async (message) => {
      to.write(`${JSON.stringify(message)}\n`);
    },
    close: async () => {
      to.end();
    },
  };
  const client = new Client({ name: "lsp-navigation-client", version: "1.0.0" });
  await client.connect(transport);
  return client;
}

const textOf = async (client: Client, name: string, args: Record<string, unknown>) => {
  const { content } = await client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });
  return (content as { text: string }[])[0]?.text ?? "";
};

describe("llxprt's host", () => {
  it("checks files, with the text that it hands over, and shares the servers with MCP", async () => {
    const host = start({ servers: [typescript], ...patient });
    await host.ready;
    const file = join(host.folder, "src", "broken.ts");
    expect(await host.rpc.sendRequest("lsp/diagnostics")).toEqual({});
    expect(await host.rpc.sendRequest("lsp/status")).toMatchObject([{ serverId: "ts", state: "idle" }]);

    // A file that was written so recently would be read again in any case.
    await delay(2_500);
    const found = await host.rpc.sendRequest<Diagnostic[]>("lsp/checkFile", { filePath: file });
    expect(found).toMatchObject([{ file: "src/broken.ts", line: 3, severity: "error", code: "2322" }]);
    expect(found[0]?.message).toContain("Type 'string'");
    expect(found[0]?.column).toBeGreaterThan(0);

    // The text counts, whatever is on disk.
    const disk = readFileSync(file, "utf8");
    const fixed = { filePath: file, text: "export const right = 1;\n" };
    expect(await host.rpc.sendRequest("lsp/checkFile", fixed)).toEqual([]);
    const worse = { filePath: file, text: "export const a: number = '';\nexport const b: number = '';\n" };
    const both = await host.rpc.sendRequest<Diagnostic[]>("lsp/checkFile", worse);
    expect(both.map(({ line }) => line)).toEqual([1, 2]);
    const empty = { filePath: file, text: "" };
    expect(await host.rpc.sendRequest("lsp/checkFile", empty)).toEqual([]);
    expect(readFileSync(file, "utf8")).toBe(disk);
    // Without a text, the file is read.
    expect(await host.rpc.sendRequest("lsp/checkFile", { filePath: "src/broken.ts" })).toHaveLength(1);

    const all = await host.rpc.sendRequest<Record<string, Diagnostic[]>>("lsp/diagnostics");
    expect(Object.keys(all)).toEqual([file]);
    expect(all[file]).toMatchObject([{ file: "src/broken.ts", line: 3, severity: "error" }]);
    const running = [{ serverId: "ts", state: "ok", status: "active", healthy: true }];
    expect(await host.rpc.sendRequest("lsp/status")).toEqual(running);

    const client = await mcpOf(host);
    expect(client.getServerVersion()).toMatchObject({ name: "lsp-navigation", version: "0.1.0" });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("lsp_check_file");
    expect(tools).toHaveLength(6);
    await expect(client.callTool({ name: "lsp_check_file", arguments: { file } })).rejects.toThrow();
    expect(await textOf(client, "lsp_document_symbols", { file: "src/greet.ts" })).toContain(
      "function greet",
    );
    expect(await textOf(client, "lsp_diagnostics", {})).toMatch(/^src\/broken\.ts:\n {2}error \[3:\d+\]/);

    // The host closes MCP before it says that it is done.
    await client.close();
    expect(await host.rpc.sendRequest("lsp/shutdown")).toBeNull();
    expect(await host.ended).toEqual({ code: 0, signal: null });
  }, 240_000);

  it.each([
    [undefined, ["error"]],
    [["hint"], ["hint"]],
    [
      ["hint", "error", "info"],
      ["error", "hint"],
    ],
  ])(
    "gets exactly the severities that it includes, from both methods: %j",
    async (wanted, told) => {
      const host = start({ servers: [native], ...patient, ...(wanted && { includeSeverities: wanted }) });
      await host.ready;
      const filePath = join(host.folder, "src", "mixed.ts");
      writeFileSync(
        filePath,
        "export const a: number = '';\nexport function f() {\n  const unused = 1;\n}\n",
      );
      const mild = join(host.folder, "src", "mild.ts");
      writeFileSync(mild, "export function g() {\n  const unused = 1;\n}\n");
      const words = (found: Diagnostic[] = []) => found.map(({ severity }) => severity);
      expect(words(await host.rpc.sendRequest<Diagnostic[]>("lsp/checkFile", { filePath }))).toEqual(told);
      await host.rpc.sendRequest("lsp/checkFile", { filePath: mild });
      const all = await host.rpc.sendRequest<Record<string, Diagnostic[]>>("lsp/diagnostics");
      expect(words(all[filePath])).toEqual(told);
      // A file without any that is included has no entry.
      expect(Object.keys(all)).toEqual(told.includes("hint") ? [mild, filePath] : [filePath]);
    },
    120_000,
  );

  it("may use the descriptors of MCP the other way round, as llxprt-code's client does", async () => {
    const host = start({ servers: [native], ...patient });
    await host.ready;
    const client = await mcpOf(host, [4, 3]);
    expect((await client.listTools()).tools).toHaveLength(6);
    expect(await textOf(client, "lsp_document_symbols", { file: "src/greet.ts" })).toContain(
      "function greet",
    );
    await client.close();
    expect(await host.rpc.sendRequest("lsp/status")).toMatchObject([{ serverId: "native", state: "ok" }]);
    host.child.kill("SIGTERM");
    expect(await host.ended).toEqual({ code: 0, signal: null });
  }, 120_000);

  it("sees disabled servers; gets nothing about files outside the workspace, for nonsense or for a message over the limit", async () => {
    const host = start({ servers: [typescript, { ...typescript, id: "other", enabled: false }], ...patient });
    await host.ready;
    const states = [
      { serverId: "other", state: "disabled", healthy: false },
      { serverId: "ts", state: "idle", healthy: true },
    ];
    expect(await host.rpc.sendRequest("lsp/status")).toMatchObject(states);
    const secret = join(tmpdir(), "lsp-proxy-host-outside.ts");
    writeFileSync(secret, "export const a: number = '';\n");
    try {
      for (const filePath of [secret, "../outside.ts", "/etc/passwd", "src/none.ts", ""])
        for (const more of [{}, { text: "export const a: number = '';\n" }])
          expect(await host.rpc.sendRequest("lsp/checkFile", { filePath, ...more })).toEqual([]);
    } finally {
      rmSync(secret, { force: true });
    }
    for (const params of [undefined, {}, { filePath: 3 }, { filePath: ["src/broken.ts"] }])
      expect(await host.rpc.sendRequest("lsp/checkFile", params)).toEqual([]);
    await expect(host.rpc.sendRequest("lsp/format", {})).rejects.toMatchObject({ code: -32601 });
    // No server was started for any of that.
    expect(await host.rpc.sendRequest("lsp/status")).toMatchObject(states);

    // Bytes that are no message are skipped, and the channel goes on.
    const body = "{not json";
    host.child.stdin?.write("this is no protocol\n");
    host.child.stdin?.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    expect(await host.rpc.sendRequest("lsp/status")).toHaveLength(2);
    await expect.poll(() => host.stderr()).toContain("the host sent what is no message");

    // It does not keep a message over the limit.
    const length = 65 * 1024 * 1024;
    host.child.stdin?.write(
      `Content-Length: ${length}\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"lsp/checkFile","x":"`,
    );
    const part = Buffer.alloc(1024 * 1024, 120);
    for (let sent = 0; sent < length; sent += part.length)
      await new Promise<void>((resolve) => host.child.stdin?.write(part, () => resolve()));
    expect(await host.rpc.sendRequest("lsp/status")).toHaveLength(2);
    await expect.poll(() => host.stderr()).toContain("over the limit");

    // The host dies.
    host.child.stdin?.end();
    expect(await host.ended).toEqual({ code: 0, signal: null });
  }, 120_000);

  it("can switch all servers off", async () => {
    const none = start(false);
    await none.ready;
    const filePath = "src/broken.ts";
    expect(await none.rpc.sendRequest("lsp/checkFile", { filePath })).toEqual([]);
    const states = await none.rpc.sendRequest<{ state: string }[]>("lsp/status");
    expect(states.length).toBeGreaterThan(0);
    expect(states.every(({ state }) => state === "disabled")).toBe(true);
  }, 120_000);

  it("has no MCP without navigation tools, and the installed servers without servers of its own", async () => {
    const host = start({ navigationTools: false });
    await host.ready;
    const states = await host.rpc.sendRequest<{ serverId: string }[]>("lsp/status");
    expect(states.length).toBeGreaterThan(0);
    host.child.kill("SIGTERM");
    expect(await host.ended).toEqual({ code: 0, signal: null });
  }, 120_000);

  it.each([
    ["nonsense", "LSP_BOOTSTRAP must be a JSON object"],
    ["[]", "LSP_BOOTSTRAP must be a JSON object"],
    ["{}", "LSP_BOOTSTRAP.workspaceRoot must be a non-empty string"],
    ['{"workspaceRoot":"/","config":3}', "LSP_BOOTSTRAP.config must be a JSON object"],
    ['{"workspaceRoot":"/","config":{"servers":{}}}', "LSP_BOOTSTRAP.config.servers must be an array"],
    [
      '{"workspaceRoot":"/","config":{"servers":[{"id":"a"}]}}',
      "servers[0].command must be a non-empty string",
    ],
    [
      '{"workspaceRoot":"/","config":{"firstTouchTimeoutMs":-1}}',
      "firstTouchTimeoutMs must be a positive number",
    ],
    ['{"workspaceRoot":"/","config":{"includeSeverities":["bad"]}}', "includeSeverities must be a list of"],
  ])("ends with 1 and says why: %s", async (text, message) => {
    const host = start(undefined, () => text);
    expect(await host.ended).toEqual({ code: 1, signal: null });
    // What it said may be read after its end.
    await expect.poll(() => host.stderr()).toContain(message);
  });
});
