/** What one session may take of a hub, and what a session does where the hub has no place for it or does not answer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { program } from "../live/session.js";
import { HubUser, isThere, place, slow } from "./support.js";

let user: HubUser;
beforeEach(() => {
  user = new HubUser();
});
afterEach(() => user.close());

it("a session with many calls leaves a quarter of all to the others; one beyond the limit serves by itself, and says so", async () => {
  const http = { max_calls: 8, max_calls_per_session: 8, max_sessions: 2 };
  const { args, folder } = user.workspace({ http }, slow);
  const [one, two] = [await user.open(args), await user.open(args)];
  const codes: unknown[] = [];
  const ask = async (session: typeof one) => {
    const { structuredContent } = await session.call("get_hover", place);
    const { error } = structuredContent as { error?: { code: string } };
    codes.push(error?.code);
    return structuredContent.ok;
  };
  const many = Array.from({ length: 8 }, () => ask(one));
  await expect.poll(() => codes).toEqual(["call/too-many", "call/too-many"]);
  await expect.poll(() => isThere(folder, "asked-hover")).toBe(true);
  const few = Array.from({ length: 3 }, () => ask(two));
  await expect.poll(() => codes.length).toBe(3);
  writeFileSync(join(folder, "go"), "");
  expect((await Promise.all(many)).filter((ok) => ok === true)).toHaveLength(6);
  expect((await Promise.all(few)).filter((ok) => ok === true)).toHaveLength(2);

  const third = await user.open(args);
  for (const session of [one, two, third])
    expect((await session.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  const { structuredContent } = await third.call("get_server_status", {});
  expect(structuredContent.warnings).toEqual([
    expect.objectContaining({
      code: "answer/not-shared",
      message: expect.stringContaining("http.max_sessions"),
    }),
  ]);
  expect((await one.call("get_server_status", {})).structuredContent.warnings ?? []).toEqual([]);
  expect(await user.hub()).toMatchObject({ sessions: 2 });
});

it("reads of resources count like calls, and a refusal names the limit that was reached", async () => {
  const resource = {
    ...{ name: "hover", uri: "lsp://hover/{path}", tool: "get_hover" },
    args: { file_path: { from: "uri.path" }, line: 1, character: 1 },
  };
  const http = { max_calls: 8, max_calls_per_session: 5 };
  const { args, folder } = user.workspace({ http, resources: [resource] }, slow);
  const [one, two] = [await user.open(args), await user.open(args)];
  const refused: string[] = [];
  const read = async ({ client }: typeof one) => {
    try {
      await client.readResource({ uri: "lsp://hover/a.fake" }, { timeout: 120_000 });
      return true;
    } catch (error) {
      refused.push(String(error));
      return false;
    }
  };
  const reads = Array.from({ length: 7 }, () => read(one));
  const own = expect.stringMatching(
    /call\/too-many: At most 5 calls may run at a time \(http\.max_calls_per_session\)/,
  );
  await expect.poll(() => refused, { timeout: 60_000 }).toEqual([own, own]);
  await expect.poll(() => isThere(folder, "asked-hover"), { timeout: 60_000 }).toBe(true);
  // Two of the eight are kept for sessions with few calls, which the other is until it has two.
  reads.push(...Array.from({ length: 3 }, () => read(two)));
  const all = expect.stringMatching(/call\/too-many: At most 6 calls may run at a time \(http\.max_calls, /);
  await expect.poll(() => refused.slice(2), { timeout: 60_000 }).toEqual([all]);
  writeFileSync(join(folder, "go"), "");
  expect((await Promise.all(reads)).filter((isRead) => isRead)).toHaveLength(7);
});

it("a session whose hub is stopped serves by itself after a while, and says so; one whose client leaves ends", async () => {
  const { args } = user.workspace();
  const first = await user.open(args);
  await first.call("get_hover", place);
  const options = { env: user.env, cwd: user.top };
  const child = spawn(process.execPath, [program, "serve", "--shared", ...args], options);
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "0" } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  await once(child.stdout, "data");
  const { pid } = await user.hub();
  process.kill(pid, "SIGSTOP");
  try {
    child.stdin.end();
    await expect.poll(() => child.exitCode).toBe(0);
    // The client waits a minute for its handshake.
    const second = await user.open(args);
    expect((await second.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
    const { structuredContent } = await second.call("get_server_status", {});
    expect(structuredContent.warnings).toEqual([expect.objectContaining({ code: "answer/not-shared" })]);
    await second.close();
  } finally {
    process.kill(pid, "SIGCONT");
    child.kill("SIGKILL");
  }
  // The hub goes on, and so does its session.
  expect((await first.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  await expect.poll(async () => (await user.hub()).sessions).toBe(1);
  expect((await user.hub()).pid).toBe(pid);
});
