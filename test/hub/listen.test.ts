/** Clients of protocol 2026-07-28 that listen for changed tools: on a private session, and on a hub that changes or ends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runHere } from "../cli/terminal.js";
import { program } from "../live/session.js";
import { change, HubUser, place } from "./support.js";

let user: HubUser;
const clients: Client[] = [];
beforeEach(() => {
  user = new HubUser();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await user.close();
});

function newClient() {
  const client = new Client({ name: "t", version: "0" }, { versionNegotiation: { mode: "auto" } });
  clients.push(client);
  let changes = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    changes++;
  });
  return { client, changes: () => changes };
}

async function listen(args: string[]) {
  const { client, changes } = newClient();
  const words = [program, "serve", ...args];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: words, env: user.env, cwd: user.top }),
  );
  const subscription = await client.listen({ toolsListChanged: true });
  let end: string | undefined;
  void subscription.closed.then((cause) => {
    end = String(cause);
  });
  const tools = async () => (await client.listTools()).tools.map(({ name }) => name);
  return { client, tools, changes, end: () => end };
}

const without = (...exclude: string[]) => ({ mcp: { tools: { exclude } } });
const hover = { name: "get_hover", arguments: place };

it("a client that listens on a private session is notified of a changed config", async () => {
  const { args, config } = user.workspace();
  const { tools, changes, end } = await listen(args);
  change(config, without("find_references"));
  await expect.poll(changes).toBe(1);
  expect(await tools()).not.toContain("find_references");
  expect(end()).toBeUndefined();
});

it("a client that listens on a gateway is notified of a changed config", async () => {
  const { args, config } = user.workspace();
  const token = "a-token-of-a-listener-0123456789";
  const child = spawn(process.execPath, [program, "serve", "--http", "--port", "0", ...args], {
    cwd: user.top,
    env: { ...user.env, LSP_PROXY_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    let text = "";
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    await expect.poll(() => text).toMatch(/ on \S+\n/);
    const url = new URL(/ on (\S+)\n/.exec(text)?.[1] ?? "");
    const { client, changes } = newClient();
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    await client.listen({ toolsListChanged: true });
    change(config, without("find_references"));
    await expect.poll(changes).toBe(1);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("find_references");
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});

it("a client that listens on a hub is notified of a changed config, also after the hub is stopped or killed, or meanwhile", async () => {
  const { args, config } = user.workspace();
  const { client, tools, changes, end } = await listen(["--shared", ...args]);
  await client.callTool(hover);
  const { pid } = await user.hub();
  change(config, without("find_definition"));
  await expect.poll(changes).toBe(1);
  expect(await tools()).not.toContain("find_definition");
  expect(end()).toBeUndefined();
  expect((await user.hub()).pid).toBe(pid);
  for (const [index, stop] of [
    () => runHere(["hub", "stop", "--all"], { env: user.env, cwd: user.top }),
    async () => process.kill((await user.hub()).pid, "SIGKILL"),
  ].entries()) {
    await stop();
    expect(await client.callTool(hover)).toMatchObject({ structuredContent: { ok: true } });
    expect([changes(), end()]).toEqual([index + 1, undefined]);
    const gone = ["find_references", "get_document_symbols"][index] ?? "";
    change(config, without(gone));
    await expect.poll(changes).toBe(index + 2);
    expect(await tools()).not.toContain(gone);
  }
  // The config changes while there is no hub.
  await runHere(["hub", "stop", "--all"], { env: user.env, cwd: user.top });
  change(config, without());
  expect(await client.callTool(hover)).toMatchObject({ structuredContent: { ok: true } });
  await expect.poll(changes).toBe(4);
  expect(await tools()).toContain("find_references");
  expect(end()).toBeUndefined();
});
