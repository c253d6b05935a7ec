/**
 * The whole program, as an agent runs it, under mixed calls at once, random changes on disk and random kills of its
 * language servers. Every call is answered, no answer is about an older text, memory stays flat, no process is left.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { answerCheck, program, type ToolResult, testEnvironment } from "../live/session.js";
import { alive, until } from "../lsp/support.js";
import { writeTestWorkspace } from "../runtime/test-workspace.js";
import { generator, rounds, seed } from "./chance.js";

const names = Array.from({ length: 8 }, (_, index) => `f${index}.fake`);
/** Memory is compared once caches and compiled code have settled. */
const settledAfter = 100;

const restart = { max: 1_000_000, window_ms: 1_000, backoff_ms: [1, 5] };
const scenario = {
  capabilities: {
    hoverProvider: true,
    referencesProvider: true,
    documentSymbolProvider: true,
    diagnosticProvider: { interFileDependencies: true },
  },
  replies: {
    "textDocument/hover": { contents: { $text: true } },
    "textDocument/references": { $find: "BUG", as: "locations" },
    "textDocument/diagnostic": { kind: "full", items: { $find: "BUG", as: "diagnostics" } },
    "textDocument/documentSymbol": [],
  },
};
/** The second server publishes what the first is asked for. */
const published = {
  notify: "textDocument/publishDiagnostics",
  params: {
    uri: { $: "/params/textDocument/uri" },
    version: { $version: true },
    diagnostics: { $find: "ODD", as: "diagnostics" },
  },
};
const second = {
  capabilities: {},
  on: { "textDocument/didOpen": [published], "textDocument/didChange": [published] },
};

interface Soak {
  folder: string;
  client: Client;
  pid: number;
  close(): Promise<void>;
}

async function open(texts: Map<string, string>): Promise<Soak> {
  const { folder, outside } = writeTestWorkspace({
    files: Object.fromEntries(texts),
    servers: {
      one: { scenario, config: { restart } },
      two: { scenario: second, config: { restart, priority: -1, features: { only: ["diagnostics"] } } },
    },
  });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "serve", "--config", join(outside, "lspi.json")],
    env: testEnvironment(),
    stderr: "pipe",
  });
  const assertAnswers = answerCheck(transport.stderr);
  const client = new Client({ name: "soak", version: "0" });
  await client.connect(transport);
  return {
    folder,
    client,
    pid: transport.pid ?? 0,
    close: async () => {
      await client.close();
      rmSync(outside, { recursive: true, force: true });
      assertAnswers();
    },
  };
}

async function call(client: Client, name: string, args: JsonObject): Promise<JsonObject> {
  const result = (await client.callTool({ name, arguments: args })) as unknown as ToolResult;
  const answer = result.structuredContent as JsonObject;
  if (result.isError === true) throw new Error(`${name} was refused: ${JSON.stringify(answer)}`);
  return answer;
}

/** One question of each kind, each answer compared with the text that is on disk. */
const questions: ((client: Client, name: string, text: string) => Promise<void>)[] = [
  async (client, name, text) => {
    const { contents } = await call(client, "get_hover", { file_path: name, line: 1, character: 1 });
    expect(contents).toEqual([text]);
  },
  async (client, name, text) => {
    const args = { file_path: name, line: 1, character: 1 };
    expect((await call(client, "find_references", args)).total).toBe(text.split("BUG").length - 1);
  },
  async (client, name, text) => {
    const { status, total } = await call(client, "get_diagnostics", { file_path: name, wait_ms: 20_000 });
    const errors = text.split("BUG").length + text.split("ODD").length - 2;
    expect([status, total]).toEqual([errors > 0 ? "diagnostics" : "clean", errors]);
  },
  async (client, name) => {
    expect((await call(client, "get_document_symbols", { file_path: name })).total).toBe(0);
  },
];

async function serverPids(client: Client): Promise<number[]> {
  const { servers } = await call(client, "get_server_status", {});
  return (servers as JsonObject[]).flatMap(({ pid }) => (typeof pid === "number" ? [pid] : []));
}

function residentMb(pid: number): number {
  const [, pages = "0"] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
  return (Number(pages) * 4096) / 1_048_576;
}

function middle(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

test(`${rounds} rounds through the program, seed ${seed}`, {
  timeout: 120_000 + rounds * 2_000,
}, async () => {
  const random = generator(seed);
  const texts = new Map(names.map((name) => [name, `start ${name}`]));
  const { client, folder, pid, close } = await open(texts);
  const seen = new Set<number>();
  const memory: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const name of names.filter(() => random() < 0.4)) {
      const words = [random() < 0.5 ? "BUG" : "fine", random() < 0.3 ? "ODD" : "even"];
      const text = `${words.join(" ")} é😀漢 ${round}\r\n`;
      texts.set(name, text);
      writeFileSync(join(folder, name), text);
    }
    const pids = await serverPids(client);
    for (const one of pids) seen.add(one);
    const asked = names.map((name) => {
      const question = questions[Math.floor(random() * questions.length)];
      return question?.(client, name, texts.get(name) ?? "");
    });
    if (random() < 0.2) for (const one of pids.filter(() => random() < 0.7)) kill(one);
    await Promise.all(asked);
    if (process.platform === "linux" && round >= settledAfter) memory.push(residentMb(pid));
  }
  for (const one of await serverPids(client)) seen.add(one);
  await close();
  await until(() => [...seen, pid].every((one) => !alive(one)));
  if (memory.length < 100) return;
  const quarter = Math.floor(memory.length / 4);
  const [early, late] = [middle(memory.slice(0, quarter)), middle(memory.slice(-quarter))];
  expect(late, `from ${early} MB`).toBeLessThan(early * 1.25 + 10);
});

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since it was told of.
  }
}
