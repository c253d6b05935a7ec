/** HTTP clients that misbehave, on raw sockets: silent connections, doubled headers, streams that nobody reads. */
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import type { Scenario } from "../../fake-server/index.js";
import { send } from "../http/support.js";
import {
  callOf,
  definition,
  endAll,
  initialize,
  MODERN,
  requestText,
  socketTo,
  startGateway,
} from "./program.js";

vi.setConfig({ testTimeout: 180_000 });
const sockets: Socket[] = [];
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await endAll();
});

type Headers = { [name: string]: string };

function open(url: URL): Socket {
  const socket = socketTo(url);
  sockets.push(socket);
  return socket;
}

async function openSession(url: URL): Promise<Headers> {
  const { headers } = await send(String(url), { body: initialize });
  return {
    "mcp-session-id": String(headers["mcp-session-id"]),
    "mcp-protocol-version": "2025-11-25",
  };
}

const modernHeaders: Headers = {
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "find_definition",
};

/** The first line of the response to some bytes, once it has come. */
function statusOf(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once("data", (part: Buffer) => resolve(part.toString().split("\r\n")[0] ?? ""));
    socket.once("close", () => reject(new Error("the connection was closed")));
    socket.write(text);
  });
}

it("1,500 silent connections lock nobody out, and a known client keeps its connection", async () => {
  const { url } = await startGateway();
  const known = open(url);
  await statusOf(known, requestText(url, initialize));
  let isClosed = false;
  known.once("close", () => {
    isClosed = true;
  });
  const silent = Array.from({ length: 1_500 }, () => open(url));
  await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  const status = await Promise.race([
    statusOf(open(url), requestText(url, initialize)),
    new Promise<string>((resolve) => setTimeout(() => resolve("no answer"), 6_000)),
  ]);
  expect(status).toBe("HTTP/1.1 200 OK");
  expect(isClosed).toBe(false);
});

describe("one gateway", () => {
  let url: URL;
  beforeAll(async () => {
    ({ url } = await startGateway());
  });

  it.each(["host", "authorization", "origin", "content-type", "mcp-session-id"])(
    "refuses a request with two %s headers",
    async (name) => {
      const text = requestText(url, initialize);
      const value = /authorization/.test(name) ? "Bearer other" : "evil.example";
      const own = name === "origin" || name === "mcp-session-id" ? `${name}: http://${url.host}\r\n` : "";
      const doubled = text.replace("\r\n", `\r\n${own}`).replace("\r\n\r\n", `\r\n${name}: ${value}\r\n\r\n`);
      expect(await statusOf(open(url), doubled)).toBe("HTTP/1.1 400 Bad Request");
      expect(await statusOf(open(url), text)).toBe("HTTP/1.1 200 OK");
    },
  );
});

const progress = (value: JsonObject): JsonObject => ({
  notify: "$/progress",
  params: { token: "index", value },
});
/** Over 15 MB of reports, more than the buffers of a connection hold; then what else is given. */
function chatty(...then: JsonObject[]): Scenario {
  return {
    ...definition,
    on: {
      "textDocument/definition": [
        progress({ kind: "begin", title: "indexing" }),
        ...Array.from({ length: 24_000 }, (_, index) =>
          progress({ kind: "report", message: { $text: [`${index} `, { $repeat: "漢", times: 200 }] } }),
        ),
        ...then,
      ],
      "$/cancelRequest": [{ save: "cancelled.json" }],
    },
  };
}

const eras = ["sessions", "no sessions"] as const;
async function headersOf(
  era: (typeof eras)[number],
  url: URL,
): Promise<{ headers: Headers; meta: JsonObject }> {
  if (era === "sessions") return { headers: await openSession(url), meta: {} };
  return { headers: modernHeaders, meta: MODERN };
}

// At the same time: these tests mostly wait.
const eachEra = it.concurrent.for(eras);

eachEra("reports that a client does not read are dropped, its answer is not: %s", async (era, { expect }) => {
  const scenario = chatty(
    progress({ kind: "end" }),
    // Answered only after the reports were handled.
    { request: "workspace/workspaceFolders" },
    { save: "reported.json" },
  );
  const { url, folder } = await startGateway({ servers: { fake: { scenario } } });
  const { headers, meta } = await headersOf(era, url);
  const socket = open(url);
  socket.write(requestText(url, callOf(1, { progressToken: "p", ...meta }), headers));
  socket.pause();
  await expect.poll(() => existsSync(join(folder, "reported.json")), { timeout: 60_000 }).toBe(true);
  let text = "";
  const answered = new Promise<void>((resolve) => {
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (text.includes('"id":1')) resolve();
    });
  });
  socket.resume();
  await answered;
  expect(text).toContain("structuredContent");
  expect(text.match(/notifications\/progress/g)?.length).toBeLessThan(20_000);
});

eachEra("a stream that nobody reads is ended, and its call cancelled: %s", async (era, { expect }) => {
  // The call itself may take longer than this test.
  const { url, folder } = await startGateway({
    servers: { fake: { scenario: chatty({ never: true }), config: { request_timeout_ms: 170_000 } } },
    config: { limits: { timeout_ms: 170_000 } },
  });
  const { headers, meta } = await headersOf(era, url);
  const socket = open(url);
  socket.write(requestText(url, callOf(1, { progressToken: "p", ...meta }), headers));
  socket.pause();
  await expect.poll(() => existsSync(join(folder, "cancelled.json")), { timeout: 90_000 }).toBe(true);
});

eachEra("the call of a closed connection is cancelled: %s", async (era, { expect }) => {
  const scenario: Scenario = {
    ...definition,
    on: {
      "textDocument/definition": [{ save: "asked.json" }, { never: true }],
      "$/cancelRequest": [{ save: "cancelled.json" }],
    },
  };
  const { url, folder } = await startGateway({ servers: { fake: { scenario } } });
  const { headers, meta } = await headersOf(era, url);
  const socket = open(url);
  socket.write(requestText(url, callOf(1, meta), headers));
  await expect.poll(() => existsSync(join(folder, "asked.json")), { timeout: 20_000 }).toBe(true);
  socket.destroy();
  await expect.poll(() => existsSync(join(folder, "cancelled.json")), { timeout: 10_000 }).toBe(true);
});
