/** Three gateways behind HAProxy, with the configuration that `generate --deploy haproxy` prints; one is killed under load. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../cli/run.js";
import { fakeServerPath, type Scenario } from "../fake-server/index.js";
import { freePorts } from "../free-ports.js";
import { until } from "../lsp/support.js";
import { callOf, openRaw, resultOf, send } from "../mcp/http/support.js";
import { program, testEnvironment } from "./session.js";

const GATEWAYS = 3;
const token = "a-token-of-the-cluster-0123456789";
const haproxy = findHaproxy();

function findHaproxy(): string | undefined {
  for (const name of ["haproxy", "/usr/sbin/haproxy"]) {
    try {
      execFileSync(name, ["-v"], { stdio: "ignore" });
      return name;
    } catch {}
  }
  return undefined;
}

const folder = haproxy === undefined ? "" : realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-cluster-")));
const config = join(folder, "lspi.toml");
const gateways: { child: ChildProcess; port: number; pid: number }[] = [];
let balancer: ChildProcess | undefined;
let url = "";

/** The pid of the language server that answers a session: each gateway has one of its own. */
async function serverOf(address: string, session: { [name: string]: string }): Promise<number> {
  const answer = await send(address, { headers: session, body: callOf(7, {}, "get_server_status") });
  const { structuredContent } = resultOf(answer, 7) as { structuredContent: { servers: { pid: number }[] } };
  return structuredContent.servers[0]?.pid ?? 0;
}

const define = (id: number) => callOf(id, { file_path: "a.fake", line: 1, character: 1 });

function startGateway(port: number): ChildProcess {
  return spawn(process.execPath, [program, "serve", "--http", "--config", config, "--port", String(port)], {
    env: { ...testEnvironment(), LSP_PROXY_TOKEN: token },
    stdio: "ignore",
  });
}

async function isUp(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
  return answer?.status === 200;
}

describe.skipIf(haproxy === undefined)("gateways behind HAProxy (skipped where it is not installed)", () => {
  beforeAll(async () => {
    const port = await freePorts(GATEWAYS + 1);
    url = `http://127.0.0.1:${port}/mcp`;
    const scenario: Scenario = {
      capabilities: { definitionProvider: true, hoverProvider: true },
      on: { "textDocument/hover": [{ waitFile: join(folder, "go") }] },
      replies: {
        "textDocument/definition": { $find: "two", as: "locations" },
        "textDocument/hover": { contents: "late" },
      },
    };
    writeFileSync(join(folder, "scenario.json"), JSON.stringify(scenario));
    writeFileSync(join(folder, "a.fake"), "one two\n");
    const command = JSON.stringify([process.execPath, fakeServerPath, join(folder, "scenario.json")]);
    writeFileSync(
      config,
      `extends = ["tools/core"]\n[allow]\ncommands = [${JSON.stringify(process.execPath)}]\n[[servers]]\nid = "fake"\ncommand = ${command}\nextensions = ["fake"]\n[http]\nport = ${port}\ndrain_ms = 60000\n`,
    );
    const args = [
      "generate",
      "--deploy",
      "haproxy",
      "--gateways",
      String(GATEWAYS),
      "--config",
      config,
      "--out",
    ];
    expect(await run([...args, folder])).toMatchObject({ code: 0 });
    for (let index = 1; index <= GATEWAYS; index++)
      gateways.push({ child: startGateway(port + index), port: port + index, pid: 0 });
    for (const gateway of gateways) {
      await until(() => isUp(gateway.port));
      const own = `http://127.0.0.1:${gateway.port}/mcp`;
      const session = await openRaw(own, token);
      await send(own, { headers: session, body: define(1) });
      gateway.pid = await serverOf(own, session);
    }
    balancer = spawn(haproxy ?? "", ["-db", "-f", join(folder, "haproxy.cfg")], { stdio: "inherit" });
    await until(() => isUp(port));
  }, 240_000);

  afterAll(async () => {
    for (const child of [balancer, ...gateways.map((gateway) => gateway.child)]) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      child.kill(child === balancer ? "SIGKILL" : "SIGTERM");
      await once(child, "exit");
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }, 120_000);

  it("keeps sessions together, and moves those of a killed gateway with a notice, while the others notice nothing", async () => {
    const sessions = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const headers = await openRaw(url, token);
        return { headers, home: await serverOf(url, headers), statuses: [] as number[], moved: false };
      }),
    );
    const homes = new Set(sessions.map(({ home }) => home));
    expect([...homes].sort()).toEqual(gateways.map(({ pid }) => pid).sort());
    const victim = gateways[0];
    if (victim === undefined) throw new Error("no gateway");
    let isOver = false;
    let id = 100;
    const work = sessions.map(async (session) => {
      while (!isOver) {
        const body = define(id++);
        const status = await send(url, { headers: session.headers, body }).then(
          (answer) => answer.status,
          // The connection was cut in the middle of the answer.
          () => 502,
        );
        session.statuses.push(status);
        if (status !== 404) continue;
        session.headers = await openRaw(url, token);
        session.moved = true;
      }
    });
    await expect.poll(() => Math.min(...sessions.map(({ statuses }) => statuses.length))).toBeGreaterThan(3);
    victim.child.kill("SIGKILL");
    const lost = sessions.filter(({ home }) => home === victim.pid);
    const goesOn = () =>
      lost.every(({ moved, statuses }) => moved && statuses.slice(-3).every((status) => status === 200));
    await expect.poll(goesOn).toBe(true);
    isOver = true;
    await Promise.all(work);
    for (const { home, statuses, headers } of sessions) {
      const odd = statuses.filter((status) => status !== 200);
      if (home !== victim.pid) expect(odd).toEqual([]);
      else {
        expect(odd.at(-1)).toBe(404);
        expect(odd.slice(0, -1).every((status) => status === 502 || status === 503)).toBe(true);
        expect(gateways.slice(1).map(({ pid }) => pid)).toContain(await serverOf(url, headers));
      }
    }
  }, 180_000);

  it("keeps a client without sessions at one gateway, and moves it when that is gone", async () => {
    const client = new Client({ name: "modern", version: "0" }, { versionNegotiation: { mode: "auto" } });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    const home = async () => {
      await client.callTool({
        name: "find_definition",
        arguments: { file_path: "a.fake", line: 1, character: 1 },
      });
      const { structuredContent } = await client.callTool({ name: "get_server_status", arguments: {} });
      return (structuredContent as { servers: { pid: number }[] }).servers[0]?.pid ?? 0;
    };
    const first = await home();
    for (let round = 0; round < 8; round++) expect(await home()).toBe(first);
    const gateway = gateways.find(({ pid }) => pid === first);
    gateway?.child.kill("SIGKILL");
    await expect.poll(() => home().catch(() => first)).not.toBe(first);
    await client.close();
  }, 120_000);

  it("gives new sessions to a gateway that comes back", async () => {
    const gateway = gateways[0];
    if (gateway === undefined) throw new Error("no gateway");
    gateway.child = startGateway(gateway.port);
    await expect.poll(() => isUp(gateway.port)).toBe(true);
    const own = `http://127.0.0.1:${gateway.port}/mcp`;
    const session = await openRaw(own, token);
    await send(own, { headers: session, body: define(1) });
    const pid = await serverOf(own, session);
    await expect.poll(async () => serverOf(url, await openRaw(url, token)).catch(() => 0)).toBe(pid);
    gateway.pid = pid;
  }, 120_000);

  it("lets a stopping gateway finish its running calls, while its sessions continue elsewhere", async () => {
    const gateway = gateways[0];
    if (gateway === undefined) throw new Error("no gateway");
    let session: { [name: string]: string } = {};
    const isHome = async () => {
      session = await openRaw(url, token);
      return (await serverOf(url, session)) === gateway.pid;
    };
    await until(isHome);
    const hover = callOf(1, { file_path: "a.fake", line: 1, character: 1 }, "get_hover");
    const late = send(url, { headers: session, body: hover });
    const own = `http://127.0.0.1:${gateway.port}/mcp`;
    const witness = await openRaw(own, token);
    const pending = async () => {
      const answer = await send(own, { headers: witness, body: callOf(7, {}, "get_server_status") });
      return JSON.stringify(resultOf(answer, 7)).includes('"pending_requests":1');
    };
    await until(pending);
    gateway.child.kill("SIGTERM");
    const next = async () => (await send(url, { headers: session, body: define(2) })).status;
    // Told to come back later until the balancer has noticed, then to begin anew.
    const seen = new Set<number>();
    await until(async () => seen.add(await next()).has(404));
    expect([...seen].every((status) => status === 503 || status === 404)).toBe(true);
    writeFileSync(join(folder, "go"), "");
    expect(JSON.stringify(resultOf(await late, 1))).toContain("late");
    await until(() => gateway.child.exitCode === 0);
  }, 120_000);
});
