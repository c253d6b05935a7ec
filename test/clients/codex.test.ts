import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../cli/run.js";
import { binaries, placeIn, program, repository, testEnvironment } from "../live/session.js";
import { findCodex, startCodex } from "./codex.js";

const codex = findCodex();
if ("why" in codex) console.warn(`skipped: ${codex.why}`);
const path = "path" in codex ? codex.path : "";

describe.skipIf(path === "")("codex app-server", () => {
  let folder: string;
  let home: string;
  let stanza: string;
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-codex-")));
    home = join(folder, "home");
    mkdirSync(home);
    cpSync(join(repository, "test", "fixtures", "python"), join(folder, 'a project\'s "own" folder'), {
      recursive: true,
    });
    const project = join(folder, 'a project\'s "own" folder');
    // An absolute path, since Codex passes on no PATH of ours.
    writeFileSync(
      join(project, "lspi.toml"),
      `[allow]\ncommands = ["${join(binaries, "pyright-langserver")}"]\n[[servers]]\nid = "py"\nkind = "pyright"\ncommand = "${join(binaries, "pyright-langserver")}"\n`,
    );
    const printed = await run(["codex", "--config", join(project, "lspi.toml")]);
    expect(printed.code).toBe(0);
    stanza = printed.stdout;
    writeFileSync(join(home, "config.toml"), stanza);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }));

  function strictCheck(text: string) {
    writeFileSync(join(home, "config.toml"), text);
    const { stdout } = spawnSync(path, ["app-server", "--strict-config", "--print-startup-config"], {
      encoding: "utf8",
      env: { PATH: process.env.PATH ?? "", HOME: home, CODEX_HOME: home },
    });
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}");
  }

  it("accepts the stanza in strict mode", () => {
    expect(strictCheck(stanza)).not.toHaveProperty("error");
    // The check can fail: Codex itself names a key that it does not know.
    const wrong = strictCheck(stanza.replace(/^command = /m, "comand = 1\ncommand = "));
    expect(JSON.stringify(wrong.error)).toContain("comand");
    writeFileSync(join(home, "config.toml"), stanza);
  });

  it("starts the proxy, lists its tools and gets a right answer", async () => {
    const project = join(folder, 'a project\'s "own" folder');
    const server = startCodex(path, home, folder);
    try {
      await server.request("initialize", {
        clientInfo: { name: "test", version: "0" },
        capabilities: { experimentalApi: true },
      });
      server.notify("initialized", {});
      const thread = (await server.request("thread/start", { cwd: folder })) as { thread: { id: string } };
      const status = (await server.request("mcpServerStatus/list", { detail: "full" })) as {
        data: { name: string; tools: Record<string, unknown> }[];
      };
      const ours = status.data.find((entry) => entry.name === "lsp-proxy" || entry.name === "lsp_proxy");
      expect(Object.keys(ours?.tools ?? {})).toHaveLength(11);
      const at = placeIn(readFileSync(join(project, "app.py"), "utf8"), "first = |greet(wave)");
      const answer = (await server.request("mcpServer/tool/call", {
        threadId: thread.thread.id,
        server: ours?.name,
        tool: "find_definition",
        arguments: { file_path: "app.py", ...at },
      })) as { structuredContent: { locations: unknown[] }; isError?: boolean };
      expect(answer.structuredContent.locations).toMatchObject([{ path: "greet.py", line: 4, character: 5 }]);
    } finally {
      await server.close();
    }
  }, 60_000);

  it.each([
    ["the session era", []],
    ["the revision 2026-07-28", ["--enable", "mcp_2026_07_28"]],
  ])(
    "shares the gateway over HTTP, in %s",
    async (_name, args) => {
      const project = join(folder, 'a project\'s "own" folder');
      const token = "a-token-for-codex-0123456789";
      const trace = join(folder, `${args.length}.jsonl`);
      const gateway = spawn(
        process.execPath,
        [program, "serve", "--http", "--port", "0", "--config", join(project, "lspi.toml"), "--trace", trace],
        { env: { ...testEnvironment(), LSP_PROXY_TOKEN: token }, stdio: ["ignore", "ignore", "pipe"] },
      );
      let told = "";
      gateway.stderr.setEncoding("utf8").on("data", (part: string) => {
        told += part;
      });
      await expect.poll(() => told, { timeout: 30_000 }).toMatch(/http:\/\/\S+/);
      const [url] = /http:\/\/\S+/.exec(told) ?? [];
      const own = join(folder, "http-home");
      mkdirSync(own, { recursive: true });
      const printed = await run(["codex", "--http", "--name", "lsp", "--config", join(project, "lspi.toml")]);
      const address = "http://127.0.0.1:3939/mcp";
      expect(printed.stdout).toContain(address);
      expect(strictCheck(printed.stdout)).not.toHaveProperty("error");
      writeFileSync(join(own, "config.toml"), printed.stdout.replace(address, url ?? ""));
      const server = startCodex(path, own, folder, { args, env: { LSP_PROXY_TOKEN: token } });
      try {
        await server.request("initialize", {
          clientInfo: { name: "test", version: "0" },
          capabilities: { experimentalApi: true },
        });
        server.notify("initialized", {});
        const thread = (await server.request("thread/start", { cwd: folder })) as { thread: { id: string } };
        const answer = (await server.request("mcpServer/tool/call", {
          threadId: thread.thread.id,
          server: "lsp",
          tool: "find_definition",
          arguments: { file_path: "app.py", symbol_name: "greet" },
        })) as { structuredContent: { locations: unknown[] } };
        expect(answer.structuredContent.locations).toMatchObject([
          { path: "greet.py", line: 4, character: 5 },
        ]);
      } finally {
        await server.close();
        gateway.kill("SIGTERM");
        if (gateway.exitCode === null) await once(gateway, "exit");
      }
    },
    90_000,
  );
});
