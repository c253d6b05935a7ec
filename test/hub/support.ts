/** Sessions of `serve --shared` with the built program: real processes, with a folder of hubs of their own. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect } from "vitest";
import { run } from "../cli/run.js";
import { program, type ToolResult, testEnvironment } from "../live/session.js";

export interface SharedSession {
  client: Client;
  pid: number;
  /** How often the server's end was seen. */
  closed: () => number;
  /** How often the client was told that the tools have changed. */
  changes: () => number;
  stderr: () => string;
  call(tool: string, args: object): Promise<ToolResult>;
  status(): Promise<{ pid: number | null; uptime_ms: number | null }[]>;
  close(): Promise<void>;
}

export interface ListedHub {
  pid: number;
  workspace: string;
  sessions: number;
  servers: string[];
  memory_mb: number;
  uptime_ms: number;
}

/** A user with hubs: their folder, and what was started. */
export class HubUser {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-hub-")));
  readonly runFolder = join(this.top, "run");
  readonly env: { [name: string]: string };
  readonly #sessions: SharedSession[] = [];

  constructor() {
    mkdirSync(this.runFolder, { mode: 0o700 });
    this.env = {
      ...testEnvironment(),
      XDG_RUNTIME_DIR: this.runFolder,
      XDG_STATE_HOME: join(this.top, "state"),
    };
  }

  async open(
    args: string[],
    env: { [name: string]: string } = {},
    {
      cwd = this.top,
      answer,
      alone = false,
    }: { cwd?: string; answer?: (question: string) => boolean; alone?: boolean } = {},
  ): Promise<SharedSession> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, "serve", ...(alone ? [] : ["--shared"]), ...args],
      cwd,
      env: { ...this.env, ...env },
      stderr: "pipe",
    });
    let [stderr, closed] = ["", 0];
    transport.stderr?.on("data", (part: Buffer) => {
      stderr += part.toString();
    });
    const capabilities = answer === undefined ? {} : { elicitation: {} };
    const client = new Client({ name: "hub-test", version: "0" }, { capabilities });
    if (answer !== undefined)
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
        action: "accept",
        content: { trust: answer(params.message) },
      }));
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes++;
    });
    client.onclose = () => {
      closed++;
    };
    await client.connect(transport, { timeout: 60_000 });
    const call = async (tool: string, given: object) =>
      (await client.callTool({ name: tool, arguments: { ...given } }, undefined, {
        timeout: 120_000,
      })) as unknown as ToolResult;
    const session: SharedSession = {
      client,
      pid: transport.pid ?? 0,
      closed: () => closed,
      changes: () => changes,
      stderr: () => stderr,
      call,
      status: async () => {
        const { structuredContent } = await call("get_server_status", {});
        return structuredContent.servers as { pid: number | null; uptime_ms: number | null }[];
      },
      close: () => client.close(),
    };
    this.#sessions.push(session);
    return session;
  }

  async hubs(): Promise<ListedHub[]> {
    const { stdout } = await run(["hub", "--json"], { env: this.env, cwd: this.top });
    return (JSON.parse(stdout) as { hubs: ListedHub[] }).hubs;
  }

  /** The only hub. */
  async hub(): Promise<ListedHub> {
    const hubs = await this.hubs();
    expect(hubs).toHaveLength(1);
    return hubs[0] as ListedHub;
  }

  /** Ends all sessions and hubs; nothing of this user may be left. */
  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    const { code } = await run(["hub", "stop", "--all"], { env: this.env, cwd: this.top });
    expect(code).toBe(0);
    await expect.poll(() => this.processes(), { timeout: 30_000 }).toEqual([]);
    rmSync(this.top, { recursive: true, force: true });
  }

  /** The command lines of all processes that were started for this user: each has the folder in its environment. */
  processes(): string[] {
    return readdirSync("/proc").flatMap((pid) => {
      if (!/^\d+$/.test(pid)) return [];
      try {
        const isOurs = readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${this.top}/`);
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        return isOurs && words !== "" ? [words] : [];
      } catch {
        return [];
      }
    });
  }
}
