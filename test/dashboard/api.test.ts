/** What the dashboard says about servers, sessions and calls, over real HTTP. */
import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { CallDetail, RunAnswer, ToolInfo, WorkspaceFile } from "../../src/dashboard/api.js";
import type { Scenario } from "../fake-server/index.js";
import { at, callOf, connect, definition, openRaw, send, silent } from "../mcp/http/support.js";
import { closeAll, openDashboard, visit } from "./support.js";

afterEach(closeAll);

describe("a call of an agent", () => {
  it("arrives on the event stream while it runs and when it has ended", async () => {
    const dashboard = await openDashboard();
    const visitor = await visit(dashboard);
    const stream = visitor.events();
    await expect.poll(() => stream.heard().map(({ name }) => name)).toContain("live");
    const session = await openRaw(dashboard.url);
    await send(dashboard.url, { headers: session, body: callOf(1) });
    await expect.poll(() => stream.calls().map(({ outcome }) => outcome)).toEqual(["running", "ok"]);
    const [begun, ended] = stream.calls();
    expect(begun).toMatchObject({ tool: "find_definition", target: "a.fake:1:1", time: null, server: null });
    expect(ended).toMatchObject({
      ...{ id: begun?.id, client: "raw", server: "fake", readiness: "ready", items: 1, workspace: "work" },
      ...{ bytes: expect.any(Number), tokens: expect.any(Number), code: null },
    });
    const { totalMs = 0, waitingMs = 0, serverMs = 0, ownMs = 0 } = ended?.time ?? {};
    expect(waitingMs).toBeGreaterThan(0);
    expect(serverMs).toBeGreaterThan(0);
    expect(ownMs).toBeGreaterThan(0);
    expect(waitingMs + serverMs + ownMs).toBeCloseTo(totalMs, 3);
    const { live, calls, charts } = await visitor.state();
    expect(calls).toEqual([ended]);
    expect(live.sessions).toEqual([
      expect.objectContaining({ client: "raw", clientVersion: "0", calls: 1, errors: 0, kind: "agent" }),
    ]);
    expect(live.servers).toEqual([
      expect.objectContaining({ id: "fake", state: "running", pid: expect.any(Number), files: [".fake"] }),
    ]);
    // Another minute may have begun since.
    const minutes = charts.minutes.filter(({ calls }) => calls > 0);
    expect(minutes).toMatchObject([{ calls: 1, errors: 0, tokens: ended?.tokens }]);
    expect(charts.tools).toEqual([expect.objectContaining({ tool: "find_definition", p50Ms: totalMs })]);
    const samples = charts.memory.at.map(() => expect.any(Number));
    expect(samples).not.toEqual([]);
    expect(charts.memory.lines[0]).toMatchObject({ name: "proxy", mb: samples });
    stream.close();
  });

  it("counts the wait for a slow server as the server's time", async () => {
    const go = join(tmpdir(), `lsp-proxy-go-${randomUUID()}`);
    const scenario = { ...definition, on: { "textDocument/definition": [{ waitFile: go }] } };
    const dashboard = await openDashboard({ servers: { fake: { scenario } } });
    const visitor = await visit(dashboard);
    const call = send(dashboard.url, { headers: await openRaw(dashboard.url), body: callOf(1) });
    await expect.poll(() => dashboard.work.received("textDocument/definition")).toHaveLength(1);
    expect((await visitor.state()).live.sessions[0]).toMatchObject({ running: 1 });
    const slept = performance.now();
    await wait(300);
    const sleptMs = performance.now() - slept;
    writeFileSync(go, "");
    await call;
    rmSync(go);
    const { time } = (await visitor.state()).calls[0] ?? {};
    expect(time?.serverMs).toBeGreaterThan(sleptMs - 5);
    expect(time?.ownMs).toBeLessThan((time?.totalMs ?? 0) - sleptMs);
  });

  it("is shown with the arguments and the answer as the agent saw it", async () => {
    const dashboard = await openDashboard();
    const visitor = await visit(dashboard);
    const session = await openRaw(dashboard.url);
    const answer = await send(dashboard.url, { headers: session, body: callOf(1) });
    const [call] = (await visitor.state()).calls;
    const detail = await visitor.json<CallDetail>(`api/call?id=${call?.id}`);
    expect(detail).toMatchObject({ call: { id: call?.id }, note: null, arguments: at });
    expect(detail.result?.structured).toMatchObject({ ok: true, locations: [{ path: "a.fake" }] });
    expect(answer.text).toContain(JSON.stringify(detail.result?.text));
    expect((await visitor.get("api/call?id=99")).status).toBe(400);
  });

  it("is an error, or cancelled, with the code that the agent got", async () => {
    const dashboard = await openDashboard({ servers: { fake: { scenario: silent } } });
    const visitor = await visit(dashboard);
    const session = await openRaw(dashboard.url);
    await send(dashboard.url, { headers: session, body: callOf(1, { ...at, file_path: "no.fake" }) });
    await send(dashboard.url, { headers: session, body: callOf(2, {}, "no_such_tool") });
    const waiting = send(dashboard.url, { headers: session, body: callOf(3) });
    await expect.poll(() => dashboard.work.received("textDocument/definition")).toHaveLength(1);
    const params = { requestId: 3 };
    await send(dashboard.url, {
      ...{ headers: session, body: { jsonrpc: "2.0", method: "notifications/cancelled", params } },
    });
    await waiting;
    await expect
      .poll(async () => (await visitor.state()).calls.map(({ tool, outcome, code }) => [tool, outcome, code]))
      .toEqual([
        ["find_definition", "error", "guard/not-a-file"],
        ["no_such_tool", "error", "guard/unknown-tool"],
        ["find_definition", "cancelled", "call/cancelled"],
      ]);
    const { live, charts } = await visitor.state();
    expect(live.sessions[0]).toMatchObject({ calls: 3, errors: 2 });
    // A name that a client made up does not become a series.
    expect(charts.tools.map(({ tool }) => tool)).toEqual(["(unknown)", "find_definition"]);
  });

  it("keeps no arguments and no answer where the config says so", async () => {
    const dashboard = await openDashboard({ config: { dashboard: { keep_answers: false } } });
    const visitor = await visit(dashboard);
    await send(dashboard.url, { headers: await openRaw(dashboard.url), body: callOf(1) });
    const { calls } = await visitor.state();
    expect(await visitor.json(`api/call?id=${calls[0]?.id}`)).toMatchObject({
      ...{ arguments: null, result: null, note: expect.stringContaining("dashboard.keep_answers") },
    });
  });
});

describe("a gateway with several workspaces", () => {
  it("shows each call in the workspace that the client's roots have chosen", async () => {
    const config = { metrics: { enabled: true } };
    const hover: Scenario = {
      ...{ capabilities: { hoverProvider: true }, replies: { "textDocument/hover": { contents: "here" } } },
    };
    const dashboard = await openDashboard({
      config: { ...config, mcp: { tools: { exclude: ["get_hover"] } } },
      other: { files: { "b.fake": "b\n" }, servers: { fake: { scenario: hover } } },
    });
    const visitor = await visit(dashboard);
    const roots = [pathToFileURL(dashboard.other?.folder ?? "").href];
    const client = await connect(dashboard.url, { roots });
    await client.callTool({ name: "get_hover", arguments: { ...at, file_path: "b.fake" } });
    await client.close();
    const { calls, workspaces, live, charts } = await visitor.state();
    expect(workspaces.map(({ name }) => name)).toEqual(["work", "other"]);
    expect(calls).toMatchObject([{ workspace: "other", tool: "get_hover", outcome: "ok", server: "fake" }]);
    expect(charts.tools.map(({ tool }) => tool)).toEqual(["get_hover"]);
    expect(live.servers.map(({ workspace, state }) => [workspace, state])).toEqual([
      ["work", "idle"],
      ["other", "running"],
    ]);
    const metrics = await send(dashboard.url, { method: "GET", path: "/metrics" });
    expect(metrics.text).toContain('count{tool="get_hover",outcome="ok"} 1');
  });
});

describe("the playground", () => {
  it("calls a tool in a session of its own, behind the same gate", async () => {
    const dashboard = await openDashboard();
    const visitor = await visit(dashboard);
    const tools = await visitor.json<ToolInfo[]>("api/tools?workspace=work");
    expect(tools.find(({ name }) => name === "find_definition")).toMatchObject({
      ...{ effect: "read", inputSchema: { properties: { file_path: expect.anything() } } },
    });
    const run = async (args: object): Promise<RunAnswer> => {
      const body = { workspace: "work", tool: "find_definition", arguments: { ...args } };
      const { status, text } = await visitor.post("api/run", body);
      expect(status).toBe(200);
      return JSON.parse(text);
    };
    const answer = await run(at);
    expect(answer).toMatchObject({
      call: { tool: "find_definition", outcome: "ok", client: "dashboard" },
      result: { isError: false, structured: { ok: true } },
      places: [{ path: "a.fake", line: 1, column: 5, endLine: 1, endColumn: 8 }],
    });
    expect(await run({ ...at, file_path: "/etc/passwd" })).toMatchObject({
      ...{ call: { code: "guard/outside-root" }, result: { isError: true } },
    });
    const { live } = await visitor.state();
    expect(live.sessions).toEqual([expect.objectContaining({ kind: "playground", calls: 2, errors: 1 })]);
  });

  it("has no tool that the config does not allow an agent", async () => {
    const dashboard = await openDashboard({ config: { extends: ["tools/core", "tools/rename"] } });
    const visitor = await visit(dashboard);
    const tools = await visitor.json<ToolInfo[]>("api/tools?workspace=work");
    expect(tools.filter(({ effect }) => effect !== "read")).toEqual([]);
    const body = { workspace: "work", tool: "rename_symbol", arguments: { ...at, new_name: "x" } };
    const { text } = await visitor.post("api/run", body);
    expect(JSON.parse(text)).toMatchObject({ result: { isError: true }, call: { outcome: "error" } });
  });

  it("shows files of the workspace, and no others", async () => {
    const dashboard = await openDashboard();
    const visitor = await visit(dashboard);
    const file = (path: string) => visitor.get(`api/file?workspace=work&path=${encodeURIComponent(path)}`);
    expect(JSON.parse((await file("a.fake")).text) as WorkspaceFile).toEqual({
      ...{ path: "a.fake", text: "one two\n", isCut: false },
    });
    for (const path of ["/etc/passwd", "../lspi.json", ".git/config", "no.fake", ""])
      expect((await file(path)).status).toBe(400);
  });
});

describe("a server", () => {
  it("is restarted and stopped, and the page is notified", async () => {
    const dashboard = await openDashboard();
    const visitor = await visit(dashboard);
    await send(dashboard.url, { headers: await openRaw(dashboard.url), body: callOf(1) });
    const stream = visitor.events();
    const pid = async () => (await visitor.state()).live.servers[0]?.pid;
    const before = await pid();
    const body = { workspace: "work", server: "fake" };
    const restarted = await visitor.post("api/restart", body);
    expect([restarted.status, JSON.parse(restarted.text)]).toEqual([200, { servers: ["fake"] }]);
    expect(await pid()).toBeGreaterThan(0);
    expect(await pid()).not.toBe(before);
    expect((await visitor.state()).live.servers[0]).toMatchObject({ state: "running", restarts: 1 });
    await expect
      .poll(() => stream.heard().some(({ name, data }) => name === "live" && data.servers[0]?.restarts === 1))
      .toBe(true);
    expect((await visitor.post("api/stop", body)).status).toBe(200);
    expect((await visitor.state()).live.servers[0]).toMatchObject({ state: "stopped", pid: null });
    expect((await visitor.post("api/stop", { workspace: "work", server: "none" })).status).toBe(400);
    expect((await visitor.post("api/stop", { workspace: "none", server: "fake" })).status).toBe(400);
    stream.close();
  });
});

describe("the end of the gateway", () => {
  it("is sent to the pages, and does not wait for them", async () => {
    const dashboard = await openDashboard();
    const stream = (await visit(dashboard)).events();
    await expect.poll(() => stream.heard()).not.toEqual([]);
    await dashboard.stop();
    await expect.poll(() => stream.isEnded).toBe(true);
    expect(stream.heard().at(-1)).toEqual({ name: "bye", data: { reason: "the gateway ends" } });
  });
});
