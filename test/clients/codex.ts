/** The real Codex, at a pinned version, in a private home: without a login, a model or a network of its own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { networkEnv } from "./network.js";
import { programs } from "./programs.mjs";

const { package: name } = programs.codex;

/** Path of the codex executable, or why there is none. */
export function findCodex(): { path: string } | { why: string } {
  if (process.env.LSP_PROXY_CODEX) return { path: process.env.LSP_PROXY_CODEX };
  const args = ["exec", "--yes", `--package=${name}`, "-c", "command -v codex"];
  const fetched = spawnSync("npm", args, { encoding: "utf8", timeout: 240_000 });
  const path = fetched.stdout?.trim().split("\n").at(-1) ?? "";
  if (fetched.status === 0 && path.startsWith("/")) return { path };
  return {
    why: `${name} cannot be had from npm here: ${fetched.stderr?.trim().split("\n").at(-1) ?? "no answer"}`,
  };
}

export interface CodexServer {
  request(method: string, params: object): Promise<Record<string, unknown>>;
  notify(method: string, params: object): void;
  close(): Promise<void>;
}

/** Starts `codex app-server` and speaks its line protocol. */
export function startCodex(
  path: string,
  home: string,
  cwd: string,
  { args = [], env = {} }: { args?: string[]; env?: { [name: string]: string } } = {},
): CodexServer {
  const child: ChildProcess = spawn(path, [...args, "app-server"], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: home, CODEX_HOME: home, ...networkEnv, ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const pending = new Map<
    number,
    { resolve(value: Record<string, unknown>): void; reject(error: Error): void }
  >();
  let next = 1;
  if (child.stdout) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as {
        id?: number;
        result?: Record<string, unknown>;
        error?: { message: string };
      };
      const waiting = message.id === undefined ? undefined : pending.get(message.id);
      if (waiting === undefined || message.id === undefined) return;
      pending.delete(message.id);
      if (message.error) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.result ?? {});
    });
  }
  child.once("exit", (code) => {
    for (const waiting of pending.values()) waiting.reject(new Error(`codex ended with ${code}`));
  });
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const id = next++;
        pending.set(id, { resolve, reject });
        child.stdin?.write(`${JSON.stringify({ id, method, params })}\n`);
      }),
    notify: (method, params) => void child.stdin?.write(`${JSON.stringify({ method, params })}\n`),
    close: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGKILL");
      }),
  };
}
