/** Calls whose session or token ends while they run. */
import { afterEach, describe, expect, it } from "vitest";
import { digestOf } from "../../../src/mcp/http/bearer-tokens.js";
import { callOf, closeAll, openGateway, openRaw, send, silent, token } from "./support.js";

afterEach(closeAll);

describe("a running call", () => {
  const words = "The call was cancelled because its session ended or its token was removed.";

  it.each(["application/json, text/event-stream", "application/json"])(
    "ends with its session, and says so (%s)",
    async (accept) => {
      const { url, work } = await openGateway({ servers: { fake: { scenario: silent } } });
      const headers = await openRaw(url);
      const call = send(url, { headers: { ...headers, accept }, body: callOf(1) });
      await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
      expect((await send(url, { method: "DELETE", headers })).status).toBe(200);
      expect(await call).toMatchObject({ status: 200, text: expect.stringContaining(words) });
      await expect.poll(() => work.received("$/cancelRequest")).toHaveLength(1);
      expect((await send(url, { headers, body: callOf(2) })).status).toBe(404);
    },
  );

  it("ends with its token, and says so", async () => {
    let counting = [token];
    const tokens = { name: "test", digests: () => counting.map(digestOf) };
    const { url, work } = await openGateway({ tokens, servers: { fake: { scenario: silent } } });
    const call = send(url, { headers: await openRaw(url), body: callOf(1) });
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    counting = [];
    expect(await call).toMatchObject({ status: 200, text: expect.stringContaining(words) });
  });
});
