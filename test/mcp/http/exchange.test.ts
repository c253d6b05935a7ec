/** What the SDKs get of a request, and when a response counts as closed. */
import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { type Exchange, onceClosed, sdkRequest } from "../../../src/mcp/http/exchange.js";
import { good } from "./support.js";

function exchange(isStreamed: boolean, method = "POST"): Exchange {
  const headers = { ...good, cookie: "secret", "mcp-session-id": "s" };
  const request = new Request("http://localhost/mcp", { method, headers });
  return { request, isStreamed, outgoing: {} as ServerResponse, holder: "h", body: {}, messages: [] };
}

it("an SDK gets the headers of the protocol, and neither token nor cookie", () => {
  const { headers } = sdkRequest(exchange(true));
  expect(Object.fromEntries(headers)).toEqual({
    accept: good.accept,
    "content-type": "application/json",
    "mcp-session-id": "s",
  });
});

it("an SDK sees that a client accepts JSON only", () => {
  expect(sdkRequest(exchange(false)).headers.get("accept")).toBe("application/json, text/event-stream;q=0");
  expect(sdkRequest(exchange(false, "GET")).headers.get("accept")).toBe(good.accept);
});

it("a response that is closed already is noticed", () => {
  let calls = 0;
  onceClosed({ destroyed: true } as ServerResponse, () => calls++);
  expect(calls).toBe(1);
});
