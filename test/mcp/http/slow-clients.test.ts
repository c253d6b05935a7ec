/** Slow calls and slow readers: event streams are kept alive, and a client that does not read delays nobody else. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { afterEach, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import type { Scenario } from "../../fake-server/index.js";
import {
  callOf,
  closeAll,
  definition,
  good,
  openGateway,
  openRaw,
  resultOf,
  send,
  silent,
} from "./support.js";

afterEach(async () => {
  vi.useRealTimers();
  await closeAll();
});

/** Calls `find_definition` and gives the response as soon as its head has come; nothing is read from it yet. */
function beginCall(
  url: string,
  session: { [name: string]: string },
  meta: JsonObject = {},
): Promise<IncomingMessage> {
  const call = callOf(1);
  const body = { ...call, params: { ...(call.params as JsonObject), _meta: meta } };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      { method: "POST", headers: { ...good, ...session }, agent: false },
      resolve,
    );
    request.once("error", reject);
    request.end(JSON.stringify(body));
  });
}

it("the event stream of a call that takes long gets keep-alive comments", async () => {
  const { url, work } = await openGateway({ servers: { fake: { scenario: silent } } });
  const session = await openRaw(url);
  // Only the intervals: everything else, such as the language server, runs in real time.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const response = await beginCall(url, session);
  expect(response.headers["content-type"]).toBe("text/event-stream");
  await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
  let text = "";
  response.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  vi.advanceTimersByTime(30_000);
  await expect.poll(() => text.match(/^: keepalive$/gm)).toHaveLength(2);
  response.destroy();
});

it("a client that does not read the progress of its call delays no other session, and gets its answer later", async () => {
  // Over 8 MB in all, twice what the buffers of a connection hold; a report is cut to 200 characters. Far more would take
  // so long on a busy machine that the client is disconnected, because it does not read.
  const reports = 12_000;
  const filler = { $repeat: "漢", times: 200 };
  const progress = (value: JsonObject) => ({ notify: "$/progress", params: { token: "index", value } });
  const scenario: Scenario = {
    capabilities: { ...definition.capabilities, hoverProvider: true },
    replies: { ...definition.replies, "textDocument/hover": { contents: "hovered" } },
    on: {
      "textDocument/definition": [
        progress({ kind: "begin", title: "indexing" }),
        {
          flood: "$/progress",
          times: reports,
          params: {
            token: "index",
            value: { kind: "report", message: { $text: [{ $: "/i" }, " ", filler] } },
          },
        },
        progress({ kind: "end" }),
      ],
    },
  };
  const { url } = await openGateway({ servers: { fake: { scenario } } });
  const [slow, other] = await Promise.all([openRaw(url), openRaw(url)]);
  const response = await beginCall(url, slow, { progressToken: "p" });
  const hover = callOf(2, { file_path: "a.fake", line: 1, character: 1 }, "get_hover");
  for (const session of [other, slow]) {
    const answer = await send(url, { headers: session, body: hover });
    expect(resultOf(answer, 2)).toMatchObject({ structuredContent: { ok: true } });
  }
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  // Reports that found no room were dropped.
  expect(Buffer.byteLength(text)).toBeLessThan(7_000_000);
  const answer = { status: 200, headers: response.headers, text };
  expect(resultOf(answer, 1)).toMatchObject({ structuredContent: { ok: true, total: 1 } });
});
