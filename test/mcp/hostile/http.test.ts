/** HTTP clients that misbehave, on raw sockets: silent connections, doubled headers, streams that nobody reads. */
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import type { Scenario } from "../../fake-server/index.js";
import { send } from "../http/support.js";
import {
  at,
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
  // Longer than the test waits: connections that are merely too late with their headers make no room.
  const http = { headers_timeout_ms: 100_000, body_timeout_ms: 100_000 };
  const { url } = await startGateway({ config: { http } });
  const known = open(url);
  await statusOf(known, requestText(url, initialize));
  let isClosed = false;
  known.once("close", () => {
    isClosed = true;
  });
  // Without a request for five seconds it would be closed in any case.
  const used = setInterval(() => known.write(requestText(url, initialize)), 1_000);
  try {
    const silent = Array.from({ length: 1_500 }, () => open(url));
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    const status = await Promise.race([
      statusOf(open(url), requestText(url, initialize)),
      new Promise<string>((resolve) => setTimeout(() => resolve("no answer"), 12_000)),
    ]);
    expect(status).toBe("HTTP/1.1 200 OK");
    expect(isClosed).toBe(false);
  } finally {
    clearInterval(used);
  }
});

const progress = (value: JsonObject): JsonObject => ({
  notify: "$/progress",
  params: { token: "index", value },
});
/** Over 8 MB of reports, twice what the buffers of a connection hold; then what else is given. */
const REPORTS = 12_000;
function chatty(id: string, ...then: JsonObject[]): Scenario {
  const message: JsonObject = { $text: [{ $: "/i" }, " ", { $repeat: "漢", times: 200 }] };
  return {
    ...definition,
    on: {
      "textDocument/definition": [
        progress({ kind: "begin", title: "indexing" }),
        {
          flood: "$/progress",
          times: REPORTS,
          params: { token: "index", value: { kind: "report", message } },
        },
        ...then,
      ],
      "$/cancelRequest": [{ save: `${id}-cancelled.json` }],
    },
  };
}

const eras = ["sessions", "no sessions"] as const;
type Era = (typeof eras)[number];
async function headersOf(era: Era, url: URL): Promise<{ headers: Headers; meta: JsonObject }> {
  if (era === "sessions") return { headers: await openSession(url), meta: {} };
  return { headers: modernHeaders, meta: MODERN };
}

/** Each case has a server of its own, by which its files are named. */
const idOf = (what: string, era: Era) => `${what}-${eras.indexOf(era)}`;
const scenarios: { [what: string]: (id: string) => Scenario } = {
  dropped: (id) =>
    chatty(
      id,
      progress({ kind: "end" }),
      // Answered only after the reports were handled.
      { request: "workspace/workspaceFolders" },
      { save: `${id}-reported.json` },
    ),
  unread: (id) => chatty(id, { never: true }),
  closed: (id) => {
    const wait: JsonObject[] = [{ save: `${id}-asked.json` }, { never: true }];
    const cancelled = [{ save: `${id}-cancelled.json` }];
    return { ...definition, on: { "textDocument/definition": wait, "$/cancelRequest": cancelled } };
  },
};

describe("one gateway", () => {
  let url: URL;
  let folder: string;
  beforeAll(async () => {
    const ids = Object.keys(scenarios).flatMap((what) => eras.map((era) => idOf(what, era)));
    // A call that is never answered may take longer than its test.
    const config = { request_timeout_ms: 170_000 };
    const servers = Object.entries(scenarios).flatMap(([what, scenario]) =>
      eras.map((era) => {
        const id = idOf(what, era);
        return [id, { scenario: scenario(id), config: { ...config, extensions: [id] } }] as const;
      }),
    );
    ({ url, folder } = await startGateway({
      files: Object.fromEntries(["fake", ...ids].map((id) => [`a.${id}`, "one two\n"])),
      servers: { fake: { scenario: definition }, ...Object.fromEntries(servers) },
      config: { limits: { timeout_ms: 170_000 } },
    }));
  });

  const isSaved = (id: string, what: string) => () => existsSync(join(folder, `${id}-${what}.json`));
  /** A call on a connection of its own. */
  const callIn = async (id: string, era: Era, more: JsonObject = {}): Promise<Socket> => {
    const { headers, meta } = await headersOf(era, url);
    const socket = open(url);
    const call = callOf(1, { ...more, ...meta }, { ...at, file_path: `a.${id}` });
    socket.write(requestText(url, call, headers));
    return socket;
  };

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

  // One after the other: a client that does not read for long is disconnected.
  it.each(eras)("reports that a client does not read are dropped, its answer is not: %s", async (era) => {
    const id = idOf("dropped", era);
    const socket = await callIn(id, era, { progressToken: "p" });
    socket.pause();
    await expect.poll(isSaved(id, "reported"), { timeout: 60_000 }).toBe(true);
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
    const reports = text.match(/notifications\/progress/g)?.length;
    expect(reports).toBeGreaterThan(0);
    expect(reports).toBeLessThan((REPORTS * 5) / 6);
  });

  // At the same time: these tests mostly wait.
  const eachEra = it.concurrent.for(eras);

  eachEra("a stream that nobody reads is ended, and its call cancelled: %s", async (era, { expect }) => {
    const id = idOf("unread", era);
    const socket = await callIn(id, era, { progressToken: "p" });
    socket.pause();
    await expect.poll(isSaved(id, "cancelled"), { timeout: 90_000 }).toBe(true);
  });

  eachEra("the call of a closed connection is cancelled: %s", async (era, { expect }) => {
    const id = idOf("closed", era);
    const socket = await callIn(id, era);
    await expect.poll(isSaved(id, "asked")).toBe(true);
    socket.destroy();
    await expect.poll(isSaved(id, "cancelled")).toBe(true);
  });
});
