/** The gateway without session ids: requests belong to the last handshake of their token. */
import { afterAll, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import { patientGateway } from "../../profiles/patient-gateway.js";
import {
  answersIn,
  at,
  callOf,
  closeAll,
  connect,
  initialize,
  initialized,
  openGateway,
  otherToken,
  send,
  token,
} from "./support.js";

afterAll(closeAll);

const list: JsonObject = { jsonrpc: "2.0", id: 7, method: "tools/list" };
const of = (bearer: string) => ({ authorization: `Bearer ${bearer}`, "mcp-protocol-version": "2025-11-25" });

it.each<[string, JsonObject]>([
  ["by default", {}],
  ["in the profile gateway", patientGateway],
])("are neither given nor needed where they are switched off, %s", async (_, config) => {
  const { url } = await openGateway({ http: { sessions: false }, config });
  const early = await send(url, { headers: of(token), body: list });
  expect(early.status).toBe(400);
  expect(answersIn(early)).toMatchObject([{ error: { message: "Not initialized" } }]);
  const opened = await send(url, { headers: of(token), body: initialize() });
  expect(opened.status).toBe(200);
  expect(opened.headers).not.toHaveProperty("mcp-session-id");
  expect((await send(url, { headers: of(token), body: initialized })).status).toBe(202);
  const listed = await send(url, { headers: of(token), body: list });
  expect(listed.headers).not.toHaveProperty("mcp-session-id");
  expect(answersIn(listed)).toMatchObject([{ id: 7, result: { tools: expect.any(Array) } }]);
  // Another token has no session by that; an id that nobody gave changes nothing.
  expect((await send(url, { headers: of(otherToken), body: list })).status).toBe(400);
  const named = { ...of(token), "mcp-session-id": "x" };
  expect((await send(url, { headers: named, body: list })).status).toBe(200);
});

it("a client of the SDK works without them", async () => {
  const { url } = await openGateway({ http: { sessions: false } });
  const client = await connect(url);
  expect(client.transport.sessionId).toBeUndefined();
  expect(await client.callTool({ name: "find_definition", arguments: at })).not.toHaveProperty("isError");
  const [answer] = answersIn(await send(url, { headers: of(token), body: callOf(99) }));
  expect(answer).toMatchObject({ id: 99, result: { content: expect.any(Array) } });
  expect((await send(url, { method: "DELETE", headers: of(token) })).status).toBe(405);
});
