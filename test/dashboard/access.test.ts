/** Who sees the dashboard: only a browser that came with a link, from an allowed host and origin. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Login } from "../../src/dashboard/login.js";
import { type RawRequest, send, token } from "../mcp/http/support.js";
import { closeAll, linkOf, openDashboard, Visitor, visit } from "./support.js";

afterEach(closeAll);

const PATHS = ["", "index.html", "events", "api/state", "api/call?id=1", "api/tools?workspace=work"];
const plain = { authorization: undefined, accept: undefined, "content-type": undefined };

/** Every answer must say nothing: no name of a tool, server, file or workspace. */
function expectNothing({ status, text }: { status: number; text: string }, expected: number): void {
  expect(status).toBe(expected);
  expect(text).not.toMatch(/find_definition|fake|csrf|"work"/);
  expect(text.length).toBeLessThan(200);
}

describe("a link", () => {
  it("becomes a cookie that only its own page gets, once", async () => {
    const dashboard = await openDashboard();
    const path = await linkOf(dashboard);
    const first = await send(dashboard.url, { method: "GET", path, headers: plain });
    expect(first.status).toBe(200);
    expect(first.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        /^lsp-proxy-[0-9a-f]{12}=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/dashboard\/$/,
      ),
    ]);
    expect(first.text).toContain('content="0;url=/dashboard/"');
    expect(first.text).not.toContain("<script");
    const second = await send(dashboard.url, { method: "GET", path, headers: plain });
    expectNothing(second, 403);
    expect(second.headers["set-cookie"]).toBeUndefined();
    expect(second.text).toContain("lsp-proxy dashboard");
  });

  it("is given only for the key of the gateway's record", async () => {
    const { url } = await openDashboard();
    for (const authorization of [undefined, "Bearer wrong", `Bearer ${token}`])
      expectNothing(await send(url, { path: "/dashboard/link", headers: { authorization } }), 401);
  });

  it("counts for two minutes, and its cookie for twelve hours", () => {
    const start = Date.now();
    let now = start;
    const login = new Login(() => now);
    const [code, late] = [login.issue(), login.issue()];
    now = start + 119_000;
    const cookie = login.redeem(code, "/dashboard/")?.split(";")[0];
    expect(login.session(cookie)).toBeDefined();
    now = start + 121_000;
    expect(login.redeem(late, "/dashboard/")).toBeUndefined();
    expect(login.redeem("", "/dashboard/")).toBeUndefined();
    now = start + 119_000 + 12 * 3_600_000;
    expect(login.session(cookie)).toBeDefined();
    now++;
    expect(login.session(cookie)).toBeUndefined();
  });

  it("does not make the process keep any number of codes and cookies", () => {
    const login = new Login();
    const first = login.issue();
    const cookie = login.redeem(login.issue(), "/")?.split(";")[0];
    for (let count = 0; count < 100; count++) login.redeem(login.issue(), "/");
    for (let count = 0; count < 16; count++) login.issue();
    expect(login.redeem(first, "/")).toBeUndefined();
    expect(login.session(cookie)).toBeUndefined();
  });
});

describe("without the right to see it", () => {
  it.each<[string, number, (cookie: string) => RawRequest["headers"]]>([
    ["no cookie", 401, () => ({})],
    ["a wrong cookie", 401, (cookie) => ({ cookie: `${cookie.split("=")[0]}=wrong` })],
    ["a cookie of another name", 401, (cookie) => ({ cookie: `other=${cookie.split("=")[1]}` })],
    ["the cookie twice", 401, (cookie) => ({ cookie: `${cookie}; ${cookie.split("=")[0]}=x` })],
    ["the token of a client instead", 401, () => ({ authorization: `Bearer ${token}` })],
    ["a wrong host", 403, (cookie) => ({ cookie, host: "evil.example" })],
    ["a foreign origin", 403, (cookie) => ({ cookie, origin: "http://evil.example" })],
    ["no origin of its own", 403, (cookie) => ({ cookie, origin: "null" })],
    ["a request of another site", 403, (cookie) => ({ cookie, "sec-fetch-site": "cross-site" })],
    ["a request of another port", 403, (cookie) => ({ cookie, "sec-fetch-site": "same-site" })],
  ])("nothing is shown: %s", async (_name, status, headers) => {
    const dashboard = await openDashboard();
    const { cookie } = await visit(dashboard);
    for (const path of PATHS) {
      const given = { ...plain, ...headers(cookie) };
      const answer = await send(dashboard.url, { method: "GET", path: `/dashboard/${path}`, headers: given });
      expectNothing(answer, status);
    }
  });

  it("the link opens nothing from a wrong host or a foreign origin, and is not used up by them", async () => {
    const dashboard = await openDashboard();
    const path = await linkOf(dashboard);
    for (const headers of [{ host: "evil.example" }, { origin: "http://evil.example" }]) {
      const answer = await send(dashboard.url, { method: "GET", path, headers: { ...plain, ...headers } });
      expectNothing(answer, 403);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
    expect((await send(dashboard.url, { method: "GET", path, headers: plain })).status).toBe(200);
  });

  it("the cookie opens nothing else: MCP needs its token", async () => {
    const dashboard = await openDashboard();
    const { cookie } = await visit(dashboard);
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const answer = await send(dashboard.url, { headers: { cookie, authorization: undefined }, body });
    expect(answer.status).toBe(401);
  });
});

describe("a request that does something", () => {
  const restart = { workspace: "work", server: "fake" };

  it.each<[string, number, RawRequest["headers"]]>([
    ["without the CSRF token", 403, { "x-lsp-proxy-csrf": undefined }],
    ["with a wrong CSRF token", 403, { "x-lsp-proxy-csrf": "wrong" }],
    ["without an origin", 403, { origin: undefined }],
    ["from a foreign origin", 403, { origin: "http://evil.example" }],
    ["from another site", 403, { "sec-fetch-site": "cross-site" }],
    ["as a form", 415, { "content-type": "application/x-www-form-urlencoded" }],
    ["without the cookie", 401, { cookie: undefined }],
  ])("does nothing %s", async (_name, status, headers) => {
    const dashboard = await openDashboard();
    const visitor = await visit(dashboard);
    await dashboard.work.call("find_definition", { file_path: "a.fake", line: 1, character: 1 });
    const pid = () => dashboard.work.runtime.pool.status()[0]?.pid;
    const before = pid();
    expect(before).toBeGreaterThan(0);
    for (const path of ["api/restart", "api/stop", "api/run"])
      expect((await visitor.post(path, { ...restart, tool: "find_definition" }, headers)).status).toBe(
        status,
      );
    expect(pid()).toBe(before);
    expect((await visitor.state()).calls).toEqual([]);
  });

  it("does nothing with the CSRF token of another browser, or with GET", async () => {
    const dashboard = await openDashboard();
    const [one, two] = [await visit(dashboard), await visit(dashboard)];
    const { csrf } = await one.state();
    expect((await two.post("api/stop", restart, { "x-lsp-proxy-csrf": csrf })).status).toBe(403);
    for (const path of ["api/restart", "api/stop", "api/run"]) expect((await one.get(path)).status).toBe(404);
  });
});

describe("the body of an action", () => {
  it("is refused with an answer when it is too large", async () => {
    const visitor = await visit(await openDashboard());
    const body = { workspace: "work", tool: "x".repeat(4 * 1024 * 1024) };
    const { status, text } = await visitor.post("api/run", body);
    expect([status, JSON.parse(text).error.message]).toEqual([400, "The body is too large."]);
  });

  it("may end early, which is no error of the proxy", async () => {
    const logged: string[] = [];
    const dashboard = await openDashboard({ log: (_level, text) => logged.push(text) });
    const visitor = await visit(dashboard);
    const { csrf } = await visitor.state();
    const { host, port, hostname } = new URL(dashboard.url);
    const socket = connect(Number(port), hostname);
    const lines = [
      ...["POST /dashboard/api/run HTTP/1.1", `Host: ${host}`, `Origin: ${dashboard.origin}`],
      ...[`Cookie: ${visitor.cookie}`, `X-Lsp-Proxy-Csrf: ${csrf}`, "Content-Type: application/json"],
      ...["Expect: 100-continue", "Content-Length: 100", "", "{"],
    ];
    socket.write(lines.join("\r\n"));
    // The gateway reads the request when it says so.
    await once(socket, "data");
    socket.destroy();
    await once(socket, "close");
    await visitor.state();
    await dashboard.stop();
    expect(logged.filter((text) => text.includes("internal error"))).toEqual([]);
  });
});

describe("an unusual address", () => {
  it.each([
    "%",
    "..%2f..%2fpackage.json",
    "../mcp",
    "/x",
    ".hidden.js",
    "index.html/",
    "api",
    "api/__proto__",
    "api/run?x",
  ])("is answered without a file: %s", async (name) => {
    const dashboard = await openDashboard();
    const visitor = await visit(dashboard);
    expect([404, 308]).toContain((await visitor.get(name)).status);
    expect((await visitor.get("api/state")).status).toBe(200);
  });
});

describe("every answer", () => {
  it("has the headers that keep the page closed", async () => {
    const dashboard = await openDashboard();
    const visitor = await visit(dashboard);
    const stranger = new Visitor(dashboard.url, "");
    for (const { headers } of [
      await visitor.get("api/state"),
      await stranger.get(""),
      await visitor.get("x"),
    ])
      expect(headers).toMatchObject({
        "content-security-policy": expect.stringMatching(
          /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
        ),
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
      });
  });
});

describe("a config that turns it off", () => {
  it("has no dashboard, and records nothing", async () => {
    const dashboard = await openDashboard({ config: { dashboard: { enabled: false } } });
    expect(dashboard.work.runtime.watch).toBeUndefined();
    for (const path of ["/dashboard/", "/dashboard/link", "/metrics"])
      expect((await send(dashboard.url, { method: "GET", path })).status).toBe(404);
  });
});
