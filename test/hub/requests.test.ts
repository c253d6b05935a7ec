/** What a session remembers of its requests, so that it can switch to another hub. */
import { describe, expect, it } from "vitest";
import { PendingRequests } from "../../src/hub/requests.js";

const reads = new Set(["get_hover"]);
const call = (id: number, name: string, progressToken?: number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {}, ...(progressToken === undefined ? {} : { _meta: { progressToken } }) },
});
const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: {} };
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
const told = (requests: PendingRequests, message: object) =>
  requests.fromClient(JSON.stringify(message), message);
const heard = (requests: PendingRequests, message: object) =>
  requests.fromHub(JSON.stringify(message), message);
const repeated = (requests: PendingRequests) => requests.repeat(reads).map((line) => JSON.parse(line));

function afterHandshake(): PendingRequests {
  const requests = new PendingRequests();
  told(requests, initialize);
  heard(requests, { jsonrpc: "2.0", id: 0, result: {} });
  told(requests, initialized);
  return requests;
}

describe("after the end of a hub", () => {
  it("the handshake is repeated, and its answer is not shown again", () => {
    const requests = afterHandshake();
    requests.hubLost();
    expect(repeated(requests)).toEqual([initialize, initialized]);
    expect(heard(requests, { jsonrpc: "2.0", id: 0, result: {} })).toBeUndefined();
  });

  it("a handshake without an answer is asked again, and its answer is shown", () => {
    const requests = new PendingRequests();
    told(requests, initialize);
    requests.hubLost();
    expect(repeated(requests)).toEqual([initialize]);
    expect(heard(requests, { jsonrpc: "2.0", id: 0, result: {} })).toContain("result");
  });

  it("reads are asked again, other calls are marked, answered and cancelled ones are forgotten", () => {
    const requests = afterHandshake();
    for (const [id, name] of [
      [1, "get_hover"],
      [2, "rename_symbol"],
      [3, "get_hover"],
      [4, "get_hover"],
    ] as const)
      told(requests, call(id, name));
    heard(requests, { jsonrpc: "2.0", id: 3, result: {} });
    told(requests, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 4 } });
    requests.hubLost();
    const [, , read, edit, ...rest] = repeated(requests);
    expect(read).toEqual(call(1, "get_hover"));
    expect(edit).toMatchObject({ id: 2, params: { _meta: { "lsp-proxy/interrupted": true } } });
    expect(rest).toEqual([]);
  });

  it("subscriptions are repeated, and the client is notified to read the resources again", () => {
    const requests = afterHandshake();
    const ask = (id: number, method: string, uri: string) => {
      const message = { jsonrpc: "2.0", id, method: `resources/${method}`, params: { uri } };
      told(requests, message);
      heard(requests, { jsonrpc: "2.0", id, result: {} });
      return message;
    };
    const kept = ask(1, "subscribe", "x:kept");
    ask(2, "subscribe", "x:left");
    ask(3, "unsubscribe", "x:left");
    for (let hub = 0; hub < 2; hub++) {
      requests.hubLost();
      expect(repeated(requests)).toEqual([initialize, initialized, kept]);
      const told = heard(requests, { jsonrpc: "2.0", id: 1, result: {} }) ?? "";
      const params = { uri: "x:kept" };
      expect(JSON.parse(told)).toEqual({ jsonrpc: "2.0", method: "notifications/resources/updated", params });
    }
  });

  it("what waits is refused where there is no other hub, apart from what only listens", () => {
    const requests = afterHandshake();
    const listening = { jsonrpc: "2.0", id: 9, method: "subscriptions/listen", params: {} };
    for (const message of [call(1, "get_hover"), call(2, "rename_symbol"), listening])
      told(requests, message);
    requests.hubLost();
    // No hub was asked for this one.
    told(requests, call(3, "rename_symbol"));
    const edited = "why The process that ran this call ended before its answer. An edit was made as a whole";
    expect(requests.refuse("why", reads).map((line) => JSON.parse(line))).toEqual(
      [
        [1, "why"],
        [2, expect.stringContaining(edited)],
        [3, "why"],
      ].map(([id, message]) => ({ jsonrpc: "2.0", id, error: { code: -32000, message } })),
    );
    expect(repeated(requests)).toEqual([initialize, initialized, listening]);
  });

  it("what is no request is not asked again", () => {
    const requests = afterHandshake();
    for (const wrong of [
      { id: 1 },
      { id: 2, method: "ping" },
      { jsonrpc: "2.0", id: 3, method: "x", params: 1 },
    ])
      expect(told(requests, wrong)).toBe(JSON.stringify(wrong));
    expect(requests.isBusy).toBe(false);
  });

  it("a call that ended three hubs is not asked a fourth time", () => {
    const requests = afterHandshake();
    told(requests, call(1, "get_hover"));
    const marks = [1, 2, 3].map(() => {
      requests.hubLost();
      return repeated(requests)[2].params._meta !== undefined;
    });
    expect(marks).toEqual([false, false, true]);
  });

  it("progress continues from where it was", () => {
    const requests = afterHandshake();
    told(requests, call(1, "get_hover", 7));
    const progress = (value: number) => ({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 7, progress: value },
    });
    expect(heard(requests, progress(1))).toBe(JSON.stringify(progress(1)));
    expect(heard(requests, progress(2))).toBe(JSON.stringify(progress(2)));
    requests.hubLost();
    repeated(requests);
    expect(JSON.parse(heard(requests, progress(1)) ?? "")).toEqual(progress(3));
  });

  it("a late answer to a question of the old hub does not reach the new one", () => {
    const requests = afterHandshake();
    const question = { jsonrpc: "2.0", id: 0, method: "elicitation/create", params: {} };
    const shown = JSON.parse(heard(requests, question) ?? "");
    expect(requests.hubLost().map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        method: "notifications/cancelled",
        params: expect.objectContaining({ requestId: shown.id }),
      }),
    ]);
    const again = JSON.parse(heard(requests, question) ?? "");
    expect(told(requests, { jsonrpc: "2.0", id: shown.id, result: {} })).toBeUndefined();
    expect(JSON.parse(told(requests, { jsonrpc: "2.0", id: again.id, result: {} }) ?? "")).toMatchObject({
      id: 0,
    });
  });

  it("a listening request continues: its end is not shown, it is notified of other tools, no hub waits for it", () => {
    const requests = new PendingRequests();
    const listen = (id: string, notifications: object) => ({
      jsonrpc: "2.0",
      id,
      method: "subscriptions/listen",
      params: { notifications },
    });
    const [tools, prompts] = [
      listen("a", { toolsListChanged: true }),
      listen("b", { promptsListChanged: true }),
    ];
    for (const message of [tools, prompts]) told(requests, message);
    expect(requests.isBusy).toBe(false);
    const end = { jsonrpc: "2.0", id: "a", result: {} };
    expect(requests.fromHub(JSON.stringify(end), end, true)).toBeUndefined();
    for (let hub = 0; hub < 5; hub++) {
      requests.hubLost();
      expect(repeated(requests)).toEqual([tools, prompts]);
    }
    expect(requests.toolsChanged().map((line) => JSON.parse(line))).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/tools/list_changed",
        params: { _meta: { "io.modelcontextprotocol/subscriptionId": "a" } },
      },
    ]);
    // A hub that stays has ended it.
    expect(heard(requests, end)).toBe(JSON.stringify(end));
    expect(repeated(requests)).toEqual([prompts]);
  });
});
