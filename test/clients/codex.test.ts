import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../cli/run.js";
import { runHere } from "../cli/terminal.js";
import { freePort } from "../free-ports.js";
import { binaries, placeIn, program, repository, testEnvironment } from "../live/session.js";
import { findCodex, startCodex } from "./codex.js";

const codex = findCodex();
if ("why" in codex) console.warn(`skipped: ${codex.why}`);
const path = "path" in codex ? codex.path : "";

/** Where the fixture defines it. */
const greet = { path: "src/greet.ts", line: 2, character: 17 };

describe.skipIf(path === "")("codex app-server", () => {
  let folder: string;
  let home: string;
  let stanza: string;
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-codex-")));
    home = join(folder, "home");
    mkdirSync(home);
    cpSync(join(repository, "test", "fixtures", "typescript"), join(folder, 'a project\'s "own" folder'), {
      recursive: true,
    });
    const project = join(folder, 'a project\'s "own" folder');
    // An absolute path, since Codex passes on no PATH of ours.
    writeFileSync(
      join(project, "lspi.toml"),
      `[allow]\ncommands = ["${join(binaries, "tsc")}"]\n[[servers]]\nid = "ts"\nkind = "typescript"\ncommand = "${join(binaries, "tsc")}"\n`,
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
      expect(Object.keys(ours?.tools ?? {})).toHaveLength(12);
      const at = placeIn(readFileSync(join(project, "src/app.ts"), "utf8"), "first = |greet(wave)");
      const answer = (await server.request("mcpServer/tool/call", {
        threadId: thread.thread.id,
        server: ours?.name,
        tool: "find_definition",
        arguments: { file_path: "src/app.ts", ...at },
      })) as { structuredContent: { locations: unknown[] }; isError?: boolean };
      expect(answer.structuredContent.locations).toMatchObject([greet]);
    } finally {
      await server.close();
    }
  }, 60_000);

  /** Starts a gateway and a Codex that is set up for it as the command says, and lets a test ask through them. */
  async function overHttp(
    config: string,
    args: string[],
    ask: (
      call: (tool: string, args: object) => Promise<Record<string, unknown>>,
      tools: string[],
    ) => Promise<void>,
  ) {
    const token = "a-token-for-codex-0123456789";
    const port = String(await freePort());
    const trace = join(mkdtempSync(join(folder, "trace-")), "trace.jsonl");
    const gateway = spawn(
      process.execPath,
      [program, "serve", "--http", "--port", port, "--config", config, "--trace", trace],
      { env: { ...testEnvironment(), LSP_PROXY_TOKEN: token }, stdio: ["ignore", "ignore", "pipe"] },
    );
    let told = "";
    gateway.stderr.setEncoding("utf8").on("data", (part: string) => {
      told += part;
    });
    try {
      await expect.poll(() => told).toMatch(/http:\/\/\S+/);
      const [url] = /http:\/\/\S+/.exec(told) ?? [];
      const own = mkdtempSync(join(folder, "http-home-"));
      const printed = await runHere(["codex", "--http", "--name", "lsp", "--config", config]);
      const address = "http://127.0.0.1:3939/mcp";
      expect(printed.stdout).toContain(address);
      expect(strictCheck(printed.stdout)).not.toHaveProperty("error");
      // Codex shows the error of a server that it requires.
      const entry = printed.stdout.replace(address, url ?? "").replace(/^url = .*$/m, "$&\nrequired = true");
      writeFileSync(join(own, "config.toml"), entry);
      const server = startCodex(path, own, folder, { args, env: { LSP_PROXY_TOKEN: token } });
      try {
        await server.request("initialize", {
          clientInfo: { name: "test", version: "0" },
          capabilities: { experimentalApi: true },
        });
        server.notify("initialized", {});
        const { thread } = (await server.request("thread/start", { cwd: folder })) as {
          thread: { id: string };
        };
        const { data } = (await server.request("mcpServerStatus/list", { detail: "full" })) as {
          data: { name: string; tools: Record<string, unknown> }[];
        };
        const call = (tool: string, words: object) =>
          server.request("mcpServer/tool/call", {
            ...{ threadId: thread.id, server: "lsp", tool },
            arguments: words,
          });
        await ask(call, Object.keys(data.find(({ name }) => name === "lsp")?.tools ?? {}));
      } finally {
        await server.close();
      }
    } finally {
      gateway.kill("SIGTERM");
      if (gateway.exitCode === null) await once(gateway, "exit");
    }
  }

  it.each([
    ["the session era", []],
    ["the revision 2026-07-28", ["--enable", "mcp_2026_07_28"]],
  ])(
    "shares the gateway over HTTP, in %s",
    async (_name, args) => {
      const project = join(folder, 'a project\'s "own" folder');
      await overHttp(join(project, "lspi.toml"), args, async (call) => {
        const answer = await call("find_definition", { file_path: "src/app.ts", symbol_name: "greet" });
        expect(answer.structuredContent).toMatchObject({ locations: [greet] });
      });
    },
    90_000,
  );

  /** The project's config over the profile that is strict, with a line for `[http]`. */
  function strictConfig(line: string): string {
    const project = join(folder, 'a project\'s "own" folder');
    const file = join(project, `strict-${line.length}.toml`);
    const lspi = readFileSync(join(project, "lspi.toml"), "utf8");
    writeFileSync(file, `${lspi}[mcp]\ncontext = "gateway"\n[http]\n${line}\n`);
    return file;
  }

  it("is accepted by a strict gateway that is configured for its handshake", async () => {
    const file = join(folder, 'a project\'s "own" folder', "src/greet.ts");
    await overHttp(strictConfig('older_handshakes = ["2025-06-18"]'), [], async (call, tools) => {
      expect(tools).toHaveLength(7);
      // A call has two seconds, in which the server may not have started yet.
      const answer = () =>
        call("vscode.lsp.documentSymbols", { uri: pathToFileURL(file).href }).then(
          ({ structuredContent }) => structuredContent,
          () => null,
        );
      await expect
        .poll(answer, { timeout: 60_000, interval: 500 })
        .toMatchObject({ symbols: expect.arrayContaining([expect.objectContaining({ name: "greet" })]) });
    });
  }, 120_000);

  it("is kept out by one that was not", async () => {
    const opened = overHttp(strictConfig(""), [], () => Promise.resolve());
    await expect(opened).rejects.toThrow(/-32602.*2025-06-18.*2025-11-25/);
  }, 120_000);
});
