/** What a person can learn about a run: the trace of its traffic, the status of its servers, the log. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, describe, expect, it } from "vitest";
import type { Scenario } from "../fake-server/index.js";
import { program, testEnvironment } from "../live/session.js";
import { type TestWorkspaceOptions, writeTestWorkspace } from "../runtime/test-workspace.js";
import { runHere } from "./terminal.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function write(options: TestWorkspaceOptions): { folder: string; config: string } {
  const { outside } = writeTestWorkspace(options);
  folders.push(outside);
  return { folder: outside, config: join(outside, "lspi.json") };
}

const secret = "the secret of this file";
const fake = {
  scenario: {
    capabilities: { hoverProvider: true },
    replies: { "textDocument/hover": { contents: { $text: true } } },
    on: {
      initialized: [{ ask: "workspace/configuration", params: { items: [{ section: "fake" }] } }],
    },
  },
  config: { workspace_configuration: { fake: { token: "hunter2", name: "hunter2" } } },
};
const files = { "a.fake": `${secret}\n` };
const at = { file_path: "a.fake", line: 1, character: 1 };

interface Line {
  side: string;
  server?: string;
  direction: string;
  message: { method?: string; params?: { name?: string; textDocument?: { uri?: string; text?: string } } };
}

function linesOf(path: string): Line[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

describe("--trace", () => {
  it("writes the traffic of both sides, without texts and secrets, for its owner only", async () => {
    const { folder, config } = write({ files, servers: { fake } });
    const trace = join(folder, "trace.jsonl");
    const client = new Client({ name: "test", version: "0" });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [program, "serve", "--config", config, "--trace", trace],
        env: testEnvironment(),
      }),
    );
    const answer = await client.callTool({ name: "get_hover", arguments: at });
    expect(JSON.stringify(answer)).toContain(secret);
    await client.close();
    const lines = linesOf(trace);
    const find = (side: string, direction: string, method: string): Line | undefined =>
      lines.find(
        (line) => line.side === side && line.direction === direction && line.message.method === method,
      );
    expect(find("mcp", "received", "tools/call")?.message.params?.name).toBe("get_hover");
    expect(find("lsp", "received", "workspace/configuration")).toMatchObject({ server: "fake" });
    expect(find("lsp", "sent", "textDocument/didOpen")?.message.params?.textDocument).toMatchObject({
      uri: expect.stringMatching(/a\.fake$/),
      text: `<${secret.length + 1} characters>`,
    });
    const text = readFileSync(trace, "utf8");
    expect(text).not.toContain(secret);
    expect(text).not.toContain("hunter2");
    expect(statSync(trace).mode & 0o077).toBe(0);
  });

  it("keeps the texts on request, and is written by `call` too", async () => {
    const { folder, config } = write({ files, servers: { fake } });
    const trace = join(folder, "trace.jsonl");
    // One that others could read, from an earlier run.
    writeFileSync(trace, "", { mode: 0o644 });
    const args = ["call", "get_hover", JSON.stringify(at), "--config", config];
    expect(await runHere([...args, "--trace", trace, "--trace-text"])).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(trace, "utf8")).toContain(secret);
    expect(statSync(trace).mode & 0o777).toBe(0o600);
    expect(linesOf(trace).at(-1)?.message.method).toBe("exit");
  });

  it("is wrong use when it cannot be written, or has nothing to keep texts in", async () => {
    const { folder, config } = write({ files, servers: { fake } });
    const args = ["call", "get_hover", JSON.stringify(at), "--config", config];
    expect(await runHere([...args, "--trace", join(folder, "none", "trace")])).toMatchObject({ code: 2 });
    expect(await runHere([...args, "--trace-text"])).toMatchObject({ code: 2 });
  });
});

describe("status", () => {
  it("starts the servers, reports their state, and leaves none behind", async () => {
    const { config } = write({ files, servers: { fake } });
    const { code, stdout } = await runHere(["status", "--config", config, "--json"]);
    expect(code).toBe(0);
    const { servers } = JSON.parse(stdout) as { servers: { [name: string]: unknown }[] };
    expect(servers).toMatchObject([
      {
        id: "fake",
        state: "running",
        readiness: expect.any(String),
        pid: expect.any(Number),
        uptime_ms: expect.any(Number),
        restarts: 0,
        memory_mb: expect.any(Number),
        pending_requests: 0,
        last_error: null,
      },
    ]);
    expect(existsSync(`/proc/${servers[0]?.pid}/stat`)).toBe(false);
  });

  it("waits until a server is ready, and says when its time is over", async () => {
    const progress = (value: { kind: string; title?: string }) => ({
      notify: "$/progress",
      params: { token: 1, value },
    });
    const { folder, config } = write({
      files,
      servers: {
        fake: {
          scenario: {
            on: {
              initialized: [
                progress({ kind: "begin", title: "indexing" }),
                { waitFile: "GO" },
                progress({ kind: "end" }),
              ],
            },
          },
          config: { ready: {}, warmup_timeout_ms: 100 },
        },
      },
    });
    const scenario = join(folder, "fake.json");
    const go = join(folder, "go");
    writeFileSync(scenario, readFileSync(scenario, "utf8").replace("GO", go));
    const early = await runHere(["status", "--config", config, "--json", "--timeout", "1"]);
    expect(JSON.parse(early.stdout)).toMatchObject({ servers: [{ readiness: "indexing" }] });
    expect(early.stderr).toContain("fake was not ready after 1 s");
    const whole = runHere(["status", "--config", config, "--json"]);
    // Longer than the time that a call would wait for it.
    setTimeout(() => writeFileSync(go, ""), 1_000);
    expect(JSON.parse((await whole).stdout)).toMatchObject({ servers: [{ readiness: "ready" }] });
    expect((await whole).stderr).toBe("");
  });

  it("says in words that a server has not reported whether it has indexed, as doctor does", async () => {
    const words = "has not reported whether it has indexed, so answers may be incomplete at first";
    const idle = { scenario: {}, config: { extensions: ["none"] } };
    const { folder, config } = write({ files, servers: { fake, idle } });
    const status = await runHere(["status", "--config", config]);
    expect(status.stdout).toMatch(new RegExp(`^fake: running, ${words}$`, "m"));
    // One that does not run has nothing to report.
    expect(status.stdout).toMatch(/^idle: idle$/m);
    const doctor = await runHere(["doctor", "--config", config], { env: { HOME: folder } });
    expect(doctor.stdout).toMatch(new RegExp(`^✓ server +fake: .*, ${words}$`, "m"));
  });

  it("is wrong use where the config lists no tool for it", async () => {
    const { config } = write({ files, config: { mcp: { tools: { exclude: ["get_server_status"] } } } });
    expect(await runHere(["status", "--config", config])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("this config lists no tool for server status"),
    });
  });

  it("exits with 1 when a server does not come up, and says why in its own words", async () => {
    const bad: { scenario: Scenario } = { scenario: { start: [{ stderr: "no licence\n" }, { exit: 3 }] } };
    const { config } = write({ files, servers: { bad } });
    const { code, stdout } = await runHere(["status", "--config", config]);
    expect(code).toBe(1);
    expect(stdout).toContain("exited with code 3");
    expect(stdout).toContain("stderr: no licence");
  });
});

describe("serve", () => {
  it("says that no client came when its input ends at once", async () => {
    const { folder } = write({ files: {} });
    const { code, stdout, stderr } = await runHere(["serve", "-C", folder], { input: "" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/the input ended before an MCP client sent a message.*`lsp-proxy client`/);
  });
});

describe("the log", () => {
  it("goes to a file as one JSON document per line, from the level asked for", async () => {
    const { folder, config } = write({ files, servers: { fake } });
    const log = join(folder, "proxy.log");
    const args = ["call", "get_hover", JSON.stringify(at), "--config", config, "--log-file", log];
    const { stderr } = await runHere([...args, "--log-json", "--log-level", "info"]);
    expect(stderr).toBe("");
    expect(statSync(log).mode & 0o777).toBe(0o600);
    const [first] = readFileSync(log, "utf8").trim().split("\n");
    expect(JSON.parse(first ?? "")).toMatchObject({
      level: "info",
      message: "server started",
      server: "fake",
    });
    expect(await runHere([...args, "--log-level", "loud"])).toMatchObject({ code: 2 });
  });
});
