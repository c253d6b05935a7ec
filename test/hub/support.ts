/** Sessions of `serve --shared` with the built program: real processes, with a folder of hubs of their own. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, vi } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { runHere } from "../cli/terminal.js";
import { program, type ToolResult, testEnvironment } from "../live/session.js";
import { writeTestWorkspace } from "../runtime/test-workspace.js";

export const place = { file_path: "a.fake", line: 1, character: 1 };

/** A server that answers a hover and a rename of a file `slow.fake` only when the file `go` is there. */
const scenario = {
  capabilities: { hoverProvider: true, renameProvider: true, referencesProvider: true },
  replies: {
    "textDocument/hover": { contents: "here" },
    "textDocument/references": { $find: "word", as: "locations" },
    "textDocument/rename": {
      changes: {
        "file:///work/a.fake": [
          { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } }, newText: "name" },
        ],
      },
    },
  },
};

export const slow = {
  ...scenario,
  on: {
    "textDocument/hover": [{ save: "asked-hover" }, { waitFile: "go" }],
    "textDocument/rename": [{ save: "asked-rename" }, { waitFile: "go" }],
  },
};

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

interface OpenOptions {
  cwd?: string;
  answer?: (question: string) => boolean;
  /** The program, where it is another one than the built one. */
  start?: string;
  /** Whether it has servers of its own, without a hub. */
  alone?: boolean;
  /** Words before the command line, such as those of a shell with limits. */
  under?: string[];
}

export interface ListedHub {
  pid: number;
  workspace: string;
  sessions: number;
  servers: string[];
  memory_mb: number;
  uptime_ms: number;
}

/** Changes members of a config file. */
export function change(file: string, members: JsonObject): void {
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...members }));
}

export const isThere = (folder: string, name: string) => readdirSync(folder).includes(name);

/** A user with hubs: their folder, and what was started. */
export class HubUser {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-hub-")));
  readonly runFolder = join(this.top, "run");
  readonly env: { [name: string]: string };
  readonly #sessions: SharedSession[] = [];
  readonly #folders: string[] = [];

  constructor() {
    mkdirSync(this.runFolder, { mode: 0o700 });
    this.env = {
      ...testEnvironment(),
      XDG_RUNTIME_DIR: this.runFolder,
      TMPDIR: this.top,
      XDG_STATE_HOME: join(this.top, "state"),
    };
  }

  /** A workspace with one scripted server, and the words of the command line that name its config. */
  workspace(config: JsonObject = {}, script: object = scenario) {
    const { outside, folder } = writeTestWorkspace({
      files: { "a.fake": "word word word\n" },
      servers: { fake: { scenario: script } },
      config: {
        extends: ["tools/core", "tools/rename", "tools/undo"],
        allow: { commands: [process.execPath], effects: ["read", "edit"] },
        ...config,
      },
    });
    this.#folders.push(outside);
    return { folder, config: join(outside, "lspi.json"), args: ["--config", join(outside, "lspi.json")] };
  }

  async open(
    args: string[],
    env: { [name: string]: string } = {},
    { cwd = this.top, answer, start = program, alone = false, under = [] }: OpenOptions = {},
  ): Promise<SharedSession> {
    const [command = "", ...words] = [...under, process.execPath, start, "serve"];
    const transport = new StdioClientTransport({
      command,
      args: [...words, ...(alone ? [] : ["--shared"]), ...args],
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
    const { stdout } = await runHere(["hub", "--json"], { env: this.env, cwd: this.top });
    return (JSON.parse(stdout) as { hubs: ListedHub[] }).hubs;
  }

  /** The only hub. In the moment when one moves to the socket of a changed config, none is listed. */
  async hub(): Promise<ListedHub> {
    let hubs: ListedHub[] = [];
    const count = async () => {
      hubs = await this.hubs();
      return hubs.length;
    };
    await expect.poll(count).toBeGreaterThan(0);
    expect(hubs).toHaveLength(1);
    return hubs[0] as ListedHub;
  }

  /** Ends all sessions and hubs; nothing of this user may be left. */
  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    const { code } = await runHere(["hub", "stop", "--all"], { env: this.env, cwd: this.top });
    expect(code).toBe(0);
    // One that nobody has used yet ends after half a minute.
    await vi.waitFor(() => expect(this.processes()).toEqual([]), { timeout: 90_000, interval: 50 });
    for (const folder of [this.top, ...this.#folders]) rmSync(folder, { recursive: true, force: true });
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
