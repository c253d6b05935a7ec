/** `GET /metrics`: off by default, for this machine or with its own token, with the right numbers. */
import { afterEach, describe, expect, it } from "vitest";
import { at, callOf, openRaw, send, token } from "../mcp/http/support.js";
import { closeAll, openDashboard, type TestDashboard, visit } from "./support.js";

afterEach(closeAll);

const on = { metrics: { enabled: true } };
const plain = { authorization: undefined, accept: undefined, "content-type": undefined };

function ask({ url }: TestDashboard, headers: { [name: string]: string | undefined } = {}) {
  return send(url, { method: "GET", path: "/metrics", headers: { ...plain, ...headers } });
}

/** The samples by name and labels, read as Prometheus reads them. */
function samplesIn(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [, name = "", labels = "", value = ""] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      expect(name).not.toBe("");
      return [`${name}{${labels}}`, Number(value)];
    }),
  );
}

describe("metrics", () => {
  it("are off by default", async () => {
    expect((await ask(await openDashboard())).status).toBe(404);
  });

  it("count calls by tool and outcome, and report the state of the servers", async () => {
    const dashboard = await openDashboard({ config: on });
    const session = await openRaw(dashboard.url);
    for (const id of [1, 2]) await send(dashboard.url, { headers: session, body: callOf(id) });
    await send(dashboard.url, { headers: session, body: callOf(3, { ...at, file_path: "no.fake" }) });
    await send(dashboard.url, { headers: session, body: callOf(4, {}, 'made_up"\n') });
    await dashboard.work.runtime.pool.restart("fake");
    await send(dashboard.url, { headers: session, body: callOf(5) });
    // The playground of the page is no agent.
    await (await visit(dashboard)).json("api/tools?workspace=work");
    const { status, headers, text } = await ask(dashboard);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(text).toContain("# TYPE lsp_proxy_call_duration_seconds histogram");
    expect(text).not.toContain("made_up");
    const samples = samplesIn(text);
    const duration = (part: string, tool: string, outcome: string) =>
      samples.get(`lsp_proxy_call_duration_seconds_${part}{tool="${tool}",outcome="${outcome}"}`);
    expect(duration("count", "find_definition", "ok")).toBe(3);
    expect(duration("count", "find_definition", "error")).toBe(1);
    expect(duration("count", "(unknown)", "error")).toBe(1);
    expect(duration("sum", "find_definition", "ok")).toBeGreaterThan(0);
    const infinite = 'lsp_proxy_call_duration_seconds_bucket{le="+Inf",tool="find_definition",outcome="ok"}';
    expect(samples.get(infinite)).toBe(3);
    const server = (name: string) => samples.get(`lsp_proxy_${name}{workspace="work",server="fake"}`);
    expect(server("server_restarts_total")).toBe(1);
    expect(server("server_running")).toBe(1);
    expect(server("server_ready")).toBe(1);
    expect(server("pending_requests")).toBe(0);
    expect(server("server_memory_bytes")).toBeGreaterThan(1_000_000);
    expect(samples.get("lsp_proxy_sessions{}")).toBe(1);
    expect(samples.get("lsp_proxy_running_calls{}")).toBe(0);
    expect(samples.get("lsp_proxy_memory_bytes{}")).toBeGreaterThan(10_000_000);
    // What is read each time is not added up.
    expect(
      samplesIn((await ask(dashboard)).text).get(
        'lsp_proxy_server_restarts_total{workspace="work",server="fake"}',
      ),
    ).toBe(1);
  });

  it("keep no arguments and answers where the dashboard is off", async () => {
    const dashboard = await openDashboard({ config: { ...on, dashboard: { enabled: false } } });
    await send(dashboard.url, { headers: await openRaw(dashboard.url), body: callOf(1) });
    expect((await ask(dashboard)).text).toContain('tool="find_definition"');
    expect((await send(dashboard.url, { method: "GET", path: "/dashboard/" })).status).toBe(404);
  });

  it.each<[string, number, { [name: string]: string }]>([
    ["a wrong host", 403, { host: "evil.example" }],
    ["a foreign origin", 403, { origin: "http://evil.example" }],
    ["a request that a proxy passed on", 401, { "x-forwarded-for": "10.0.0.1" }],
    ["a request that a proxy passed on, in the other form", 401, { forwarded: "for=10.0.0.1" }],
  ])("show nothing without a token to %s", async (_name, status, headers) => {
    const dashboard = await openDashboard({ config: on });
    expect(await ask(dashboard, headers)).toMatchObject({ status, text: "" });
  });

  it("need their own token where there is one", async () => {
    const env = { LSP_PROXY_METRICS_TOKEN: "the-token-of-the-metrics" };
    const dashboard = await openDashboard({ config: on, env });
    for (const authorization of [undefined, "Bearer wrong", `Bearer ${token}`])
      expect(await ask(dashboard, { authorization })).toMatchObject({ status: 401, text: "" });
    const authorization = "Bearer the-token-of-the-metrics";
    expect((await ask(dashboard, { authorization, "x-forwarded-for": "10.0.0.1" })).status).toBe(200);
    expect((await send(dashboard.url, { path: "/metrics", headers: { authorization } })).status).toBe(405);
  });
});
