/** The checks of a request before an SDK sees it, one status each. */
import { connect as tcp } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import {
  answersIn,
  callOf,
  closeAll,
  good,
  initialize,
  openGateway,
  openRaw,
  type RawRequest,
  send,
} from "./support.js";

afterEach(closeAll);

/** A request that fails every check; the test corrects one thing after the other in the order of the checks. */
const bad: RawRequest & { headers: { [name: string]: string | undefined } } = {
  method: "PUT",
  path: "/elsewhere",
  headers: {
    host: "evil.example",
    origin: "http://evil.example",
    authorization: "Bearer not-the-token-of-the-tests",
    "content-type": "text/plain",
    accept: "text/html",
    "content-length": "2000",
  },
  body: "x".repeat(2000),
};

describe("the checks of a request's head", () => {
  it("run in their order, each with its status, and a body only where a token is missing", async () => {
    const { url } = await openGateway({ http: { max_body_bytes: 1024 } });
    const corrections: [number, Partial<RawRequest>, { [name: string]: string | undefined }][] = [
      [404, {}, {}],
      [405, { path: "/mcp" }, {}],
      [403, { method: "POST" }, {}],
      [403, {}, { host: "localhost:1" }],
      [401, {}, { origin: undefined }],
      [415, {}, { authorization: `Bearer a-token-of-the-tests-0123456789` }],
      [406, {}, { "content-type": "application/json; charset=utf-8" }],
      [413, {}, { accept: "application/json, text/event-stream" }],
    ];
    let request = bad;
    for (const [status, change, headers] of corrections) {
      request = { ...request, ...change, headers: { ...request.headers, ...headers } };
      const answer = await send(url, request);
      expect(answer.status).toBe(status);
      const notFound = '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Not found"},"id":null}';
      if (status !== 401) expect(answer.text).toBe(status === 404 ? notFound : "");
      if (status === 405) expect(answer.headers.allow).toBe("POST, GET, DELETE");
      if (status === 401) expect(answer.headers["www-authenticate"]).toBe("Bearer");
    }
    const served = await send(url, {
      ...request,
      headers: { ...request.headers, "content-length": undefined },
      body: initialize(),
    });
    expect(served.status).toBe(200);
  });

  it.each([
    ["none", undefined],
    ["another scheme", "Basic YTpi"],
    ["an empty one", "Bearer "],
    ["a wrong one", "Bearer not-the-token-of-the-tests"],
    ["one of another length", "Bearer a"],
    ["a right one with more behind it", "Bearer a-token-of-the-tests-0123456789 x"],
    ["a right one in the wrong case", "Bearer A-TOKEN-OF-THE-TESTS-0123456789"],
  ])("refuse every request, the handshake included, whose token is %s", async (_name, authorization) => {
    const { url, logged } = await openGateway();
    const session = await openRaw(url);
    for (const request of [
      { body: initialize() },
      { body: callOf(1), headers: session },
      { method: "GET", headers: session },
      { method: "DELETE", headers: session },
    ]) {
      const headers = { ...("headers" in request ? request.headers : {}), authorization };
      expect(await send(url, { ...request, headers })).toMatchObject({
        status: 401,
        text: expect.stringContaining("`lsp-proxy token`"),
      });
    }
    // Once, however many requests come.
    expect(logged.filter((line) => line.includes("a request was rejected"))).toEqual([
      expect.stringMatching(/^warn .*`lsp-proxy token`/),
    ]);
  });

  it("compare the host with or without its port, and the origin exactly", async () => {
    const { url } = await openGateway({
      http: { allowed_hosts: ["localhost", "proxy.test:8080"], allowed_origins: ["http://app.test"] },
    });
    const status = async (headers: { [name: string]: string }) =>
      (await send(url, { headers, body: initialize() })).status;
    expect(await status({ host: "localhost" })).toBe(200);
    expect(await status({ host: "LOCALHOST:99" })).toBe(200);
    expect(await status({ host: "proxy.test:8080" })).toBe(200);
    expect(await status({ host: "proxy.test" })).toBe(403);
    expect(await status({ host: "127.0.0.1" })).toBe(403);
    expect(await status({ host: "localhost.evil.example" })).toBe(403);
    expect(await status({ host: "localhost", origin: "http://app.test" })).toBe(200);
    expect(await status({ host: "localhost", origin: "http://app.test:81" })).toBe(403);
    expect(await status({ host: "localhost", origin: "null" })).toBe(403);
    expect(await status({ host: "localhost:81", origin: "http://localhost:81" })).toBe(200);
    expect(await status({ host: "localhost:81", origin: "http://localhost:82" })).toBe(403);
    expect(await status({ host: "evil.example", origin: "http://evil.example" })).toBe(403);
  });

  it("stop reading a body that is too long, also one without a content length", async () => {
    const { url } = await openGateway({ http: { max_body_bytes: 1024 } });
    const long = `${JSON.stringify(initialize())}${" ".repeat(2000)}`;
    const answer = await send(url, { headers: { "transfer-encoding": "chunked" }, body: long });
    expect([answer.status, answer.text, answer.headers.connection]).toEqual([413, "", "close"]);
    expect(
      (await send(url, { headers: { "transfer-encoding": "chunked" }, body: initialize() })).status,
    ).toBe(200);
  });

  it.each([
    ["headers", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"],
    [
      "a body",
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a-token-of-the-tests-0123456789\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{",
    ],
  ])("wait for %s only so long", async (_name, begun) => {
    const { url } = await openGateway({ http: { headers_timeout_ms: 300, body_timeout_ms: 600 } });
    const socket = tcp(Number(new URL(url).port), "127.0.0.1");
    const text = await new Promise<string>((resolve, reject) => {
      let heard = "";
      socket.setEncoding("utf8").on("data", (part) => {
        heard += part;
      });
      socket.once("error", reject);
      socket.once("close", () => resolve(heard));
      socket.write(begun);
    });
    expect(text).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });
});

describe("a client that disconnects in the middle of its request", () => {
  it("causes no error in the log", async () => {
    const { url, logged } = await openGateway();
    const socket = tcp(Number(new URL(url).port), "127.0.0.1");
    const head = Object.entries({ ...good, host: "localhost", "content-length": "100" });
    socket.write(
      `POST /mcp HTTP/1.1\r\n${head.map((entry) => `${entry.join(": ")}\r\n`).join("")}\r\n{`,
      () => socket.destroy(),
    );
    await expect.poll(() => logged.filter((line) => line.startsWith("debug http"))).toHaveLength(1);
    expect(logged.filter((line) => line.startsWith("error"))).toEqual([]);
  });
});

describe("a body that is not JSON", () => {
  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
  ])("is answered with a parse error: %s", async (_name, body) => {
    const { url } = await openGateway();
    const answer = await send(url, { body });
    expect(answer.status).toBe(400);
    expect(answersIn(answer)).toMatchObject([{ id: null, error: { code: -32700 } }]);
  });
});

describe("the health endpoint", () => {
  it("says without a token that the gateway runs, to allowed hosts only", async () => {
    const { url } = await openGateway();
    const ask = (headers: { [name: string]: string | undefined } = {}) =>
      send(url, { method: "GET", path: "/health", headers: { authorization: undefined, ...headers } });
    expect(await ask()).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(await ask({ host: "evil.example" })).toMatchObject({
      status: 404,
      text: expect.stringContaining('"message":"Not found"'),
    });
    expect(await send(url, { path: "/health" })).toMatchObject({ status: 404 });
  });
});
