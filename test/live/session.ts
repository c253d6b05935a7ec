/** A real session: the built program over stdio, driven by the SDK's own client, on a private copy of a fixture. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Stream } from "node:stream";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

export const repository = fileURLToPath(new URL("../../", import.meta.url));
export const program = join(repository, "dist", "cli", "bin.js");
export const binaries = join(repository, "node_modules", ".bin");

/** The environment of a test's program: the servers of this repository on PATH, and nobody's own config or trust. */
export function testEnvironment(): { [name: string]: string } {
  return {
    ...(process.env as { [name: string]: string }),
    PATH: `${binaries}${delimiter}${process.env.PATH ?? ""}`,
    XDG_CONFIG_HOME: join(tmpdir(), "lsp-proxy-no-config"),
    XDG_STATE_HOME: join(tmpdir(), "lsp-proxy-no-state"),
    XDG_DATA_HOME: join(tmpdir(), "lsp-proxy-no-data"),
    LSPI_CONFIG_PATH: "",
  };
}

/** The first program of that name on PATH that really runs. */
export function installed(name: string, probe: string[]): string | undefined {
  for (const folder of (testEnvironment().PATH ?? "").split(delimiter)) {
    const program = join(folder, name);
    if (folder !== "" && spawnSync(program, probe, { timeout: 60_000 }).status === 0) return program;
  }
  return undefined;
}

/** Fails when the program has logged that one of its answers violates its own output schema. */
export function assertValidAnswers(stderr: string): void {
  const line = stderr.split("\n").find((text) => text.includes("violates its output schema"));
  if (line !== undefined) throw new Error(line);
}

/** Reads a program's stderr; the function that it returns fails as `assertValidAnswers` does. */
export function answerCheck(stderr: Stream | null): () => void {
  let text = "";
  stderr?.on("data", (part: Buffer | string) => {
    text += part.toString();
  });
  return () => assertValidAnswers(text);
}

export interface Place {
  line: number;
  character: number;
}

export interface ToolResult {
  isError?: boolean;
  structuredContent: Record<string, unknown>;
  content: { type: string; text: string }[];
}

export interface LiveSession {
  folder: string;
  client: Client;
  call(tool: string, args: object): Promise<ToolResult>;
  /** The one-based place in a file of the character after `|` in a piece of its text. */
  place(file: string, marked: string): Place;
  write(file: string, text: string): void;
  pid: number | null;
  close(): Promise<void>;
}

/** Starts `serve` with a config on a copy of a fixture (`empty` for none), with further files and variables. */
export async function openSession(
  fixture: string,
  config: string,
  extraArgs: string[] = [],
  files: { [name: string]: string } = {},
  env: { [name: string]: string } = {},
): Promise<LiveSession> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-live-")));
  if (fixture !== "empty") cpSync(join(repository, "test", "fixtures", fixture), folder, { recursive: true });
  writeFileSync(join(folder, "lspi.toml"), config);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "serve", "--config", join(folder, "lspi.toml"), ...extraArgs],
    env: { ...testEnvironment(), ...env },
    stderr: "pipe",
  });
  const assertAnswers = answerCheck(transport.stderr);
  transport.stderr?.on("data", (part: Buffer) => process.stderr.write(part));
  const client = new Client({ name: "live-test", version: "0" });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  await client.connect(transport).catch((error: unknown) => {
    remove();
    throw error;
  });
  return {
    folder,
    client,
    pid: transport.pid,
    call: async (tool, args) =>
      (await client.callTool({ name: tool, arguments: { ...args } }, undefined, {
        timeout: 150_000,
      })) as unknown as ToolResult,
    place: (file, marked) => placeIn(readFileSync(join(folder, file), "utf8"), marked),
    write: (file, text) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    },
    close: async () => {
      await client.close();
      remove();
      assertAnswers();
    },
  };
}

/** The one-based line and character (code points) of the mark `|` in a text. */
export function placeIn(text: string, marked: string): Place {
  const mark = marked.indexOf("|");
  const plain = marked.slice(0, mark) + marked.slice(mark + 1);
  const start = text.indexOf(plain);
  if (start < 0) throw new Error(`no such text: ${plain}`);
  const before = text.slice(0, start + mark);
  const lines = before.split("\n");
  return { line: lines.length, character: [...(lines.at(-1) ?? "")].length + 1 };
}
