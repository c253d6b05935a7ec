/** However the program ends, its language servers and their children end with it: the process table says so. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { program, testEnvironment } from "../live/session.js";
import { alive } from "../lsp/support.js";
import { writeTestWorkspace } from "../runtime/test-workspace.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The worst to get rid of: it has children, one of them in a session of its own, ignores every request to go, and does not die of SIGTERM. */
const stubborn = {
  capabilities: { hoverProvider: true },
  replies: { "textDocument/hover": { contents: "here" } },
  on: { initialized: [{ spawn: true }, { spawn: "apart" }] },
  ignoreShutdown: true,
  ignoreExit: true,
  ignoreStdinEnd: true,
  refuseSigterm: true,
};

function message(id: number, method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
}

interface Running {
  child: ReturnType<typeof spawn>;
  /** The program's and all that it started. */
  pids: number[];
}

/** The program with a language server at work; started by a shell of its own when `parent` says so. */
async function start(parent: "us" | "a shell"): Promise<Running> {
  const { outside } = writeTestWorkspace({
    files: { "a.fake": "text\n" },
    servers: { fake: { scenario: stubborn } },
  });
  folders.push(outside);
  const words = [process.execPath, program, "serve", "--config", join(outside, "lspi.json")];
  const [command, args] =
    parent === "us" ? [words[0], words.slice(1)] : ["/bin/sh", ["-c", '"$@"; exit', "sh", ...words]];
  const child = spawn(command ?? "", args, {
    env: testEnvironment(),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const info = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "0" },
  };
  child.stdin?.write(message(0, "initialize", info));
  child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const hover = { name: "get_hover", arguments: { file_path: "a.fake", line: 1, character: 1 } };
  child.stdin?.write(message(1, "tools/call", hover));
  await answered(child, 1);
  return { child, pids: [child.pid ?? 0, ...descendants(child.pid ?? 0)] };
}

function answered(child: Running["child"], id: number): Promise<void> {
  return new Promise((done) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (text.includes(`"id":${id}`)) done();
    });
  });
}

function descendants(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);
}

function childrenOf(pid: number): number[] {
  const table = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return table.map(Number).filter((other) => parentOf(other) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

describe.skipIf(process.platform !== "linux")("nothing is left behind", () => {
  it.each<[string, "us" | "a shell", (running: Running) => void]>([
    ["stdin closed", "us", ({ child }) => child.stdin?.end()],
    ["SIGTERM", "us", ({ child }) => child.kill("SIGTERM")],
    ["SIGINT", "us", ({ child }) => child.kill("SIGINT")],
    ["SIGKILL of the program", "us", ({ child }) => child.kill("SIGKILL")],
    [
      "its parent killed",
      "a shell",
      ({ child }) => {
        child.kill("SIGKILL");
        child.stdin?.destroy();
        child.stdout?.destroy();
      },
    ],
  ])("%s", async (_how, parent, end) => {
    const running = await start(parent);
    // The program, the guard, the server and its two children.
    expect(running.pids.length).toBeGreaterThanOrEqual(5);
    end(running);
    await expect.poll(() => running.pids.filter(alive)).toEqual([]);
  });
});
