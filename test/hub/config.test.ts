/** A config that changes while sessions share a hub: the hub switches to it, or leaves its sessions to another hub. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { runHere } from "../cli/terminal.js";
import { repository } from "../live/session.js";
import { change, HubUser, isThere, place, type SharedSession, slow } from "./support.js";

const without = (tool: string) => ({ mcp: { tools: { exclude: [tool] } } });
const toolsOf = async ({ client }: SharedSession) => (await client.listTools()).tools.map(({ name }) => name);
const statusOf = async (session: SharedSession) =>
  JSON.stringify((await session.call("get_server_status", {})).structuredContent);

/** The sessions and the config are the same in all tests, which run in this order: a start costs more than a change. */
describe("a changed config", () => {
  const user = new HubUser();
  const { args, folder, config } = user.workspace({}, slow);
  const go = join(folder, "go");
  writeFileSync(go, "");
  let [first, second]: SharedSession[] = [];
  const opened = (session: SharedSession | undefined) => {
    if (session === undefined) throw new Error("a test before this one opens the session");
    return session;
  };
  /** A hub counts a session before its client has read the notification. */
  const isToldOnce = (sessions: SharedSession[], before: number[]) =>
    expect.poll(() => sessions.map((session) => session.changes())).toEqual(before.map((count) => count + 1));
  const sessionsOf = async () => (await user.hubs()).map(({ sessions }) => sessions);
  afterAll(() => user.close());

  it("that has problems changes nothing, and the status says so until it is right again", async () => {
    const session = await user.open(args, { ONLY_HERE: "1" });
    first = session;
    await session.call("get_hover", place);
    const { pid } = await user.hub();
    const text = readFileSync(config, "utf8");
    change(config, { nonsense: 1 });
    await expect
      .poll(() => statusOf(session))
      .toMatch(/config\/unknown-key in \S*lspi\.json:\d+: .*nonsense/);
    expect(await statusOf(session)).toContain("answer/config-not-used");
    expect((await session.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
    writeFileSync(config, text);
    await expect.poll(() => statusOf(session)).not.toContain("answer/config-not-used");
    expect(await user.hub()).toMatchObject({ pid, sessions: 1 });
    expect(session.changes()).toBe(0);
  });

  it("that has problems does not end a session whose hub ends; calls are refused until it is right again", async () => {
    const session = opened(first);
    const text = readFileSync(config, "utf8");
    const ends = [
      async () => process.kill((await user.hub()).pid, "SIGKILL"),
      () => runHere(["hub", "stop", "--all"], { env: user.env, cwd: user.top }),
    ];
    for (const end of ends) {
      change(config, { nonsense: 1 });
      await expect.poll(() => statusOf(session)).toContain("answer/config-not-used");
      await end();
      const why =
        /the config has 1 problem: config\/unknown-key in \S+lspi\.json:\d+: .*nonsense.*\. `(.+)` says more\. Call again when that is corrected\.$/;
      for (const _ of [1, 2]) await expect(session.call("get_hover", place)).rejects.toThrow(why);
      // It comes by another pipe.
      await expect.poll(() => session.stderr()).toContain("nonsense");
      writeFileSync(config, text);
      expect((await session.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
    }
    expect(session.closed()).toBe(0);
  });

  it("that means the same changes nothing", async () => {
    const one = opened(first);
    const [{ pid }, changes] = [await user.hub(), one.changes()];
    writeFileSync(config, `${readFileSync(config, "utf8")}\n\n`);
    // Another session finds the same hub by the new record, or starts one that finds it.
    second = await user.open(args, { ONLY_HERE: "2" });
    expect(await user.hub()).toMatchObject({ pid, sessions: 2 });
    // One that was started, and is not needed, ends.
    await expect.poll(() => user.processes().filter((words) => words.includes("hub run"))).toHaveLength(1);
    expect(one.changes()).toBe(changes);
  });

  it("is used by the same hub: running calls end, servers keep running, all sessions are notified", async () => {
    const [one, two] = [opened(first), opened(second)];
    const changes = [one.changes(), two.changes()];
    for (const name of ["go", "asked-hover"]) rmSync(join(folder, name));
    const waiting = one.call("get_hover", place);
    await expect.poll(() => isThere(folder, "asked-hover")).toBe(true);
    const [{ pid }, [server]] = [await user.hub(), await two.status()];
    expect(server?.pid).toBeGreaterThan(0);
    change(config, without("find_references"));
    await isToldOnce([one, two], changes);
    expect(await toolsOf(one)).not.toContain("find_references");
    expect(await toolsOf(two)).not.toContain("find_references");
    writeFileSync(go, "");
    expect((await waiting).structuredContent).toMatchObject({ ok: true });

    // A session that starts now finds the hub by its new key, and the command line too.
    const three = await user.open(args);
    expect(await user.hub()).toMatchObject({ pid, sessions: 3 });
    expect((await three.status())[0]?.pid).toBe(server?.pid);
    const { stdout } = await runHere(["status", "--json", ...args], { env: user.env, cwd: user.top });
    expect((JSON.parse(stdout) as { servers: { pid: number }[] }).servers[0]?.pid).toBe(server?.pid);
    expect([one.closed(), two.closed()]).toEqual([0, 0]);
    await three.close();
    await expect.poll(sessionsOf).toEqual([2]);
  });

  it("and a session that starts at the same moment end with one hub", async () => {
    const [one, two] = [opened(first), opened(second)];
    const changes = [one.changes(), two.changes()];
    change(config, without("get_document_symbols"));
    const late = await user.open(args);
    await expect.poll(sessionsOf).toEqual([3]);
    for (const session of [one, late])
      await expect.poll(() => toolsOf(session)).not.toContain("get_document_symbols");
    // The next test counts from here, so none may be on its way.
    await isToldOnce([one, two], changes);
    expect([one.closed(), late.closed()]).toEqual([0, 0]);
    await late.close();
    await expect.poll(sessionsOf).toEqual([2]);
  });

  it("that turns the dashboard off needs another hub, which has none", async () => {
    const sessions = [opened(first), opened(second)];
    const changes = sessions.map((session) => session.changes());
    const { pid } = await user.hub();
    change(config, { dashboard: { enabled: false } });
    await expect.poll(async () => (await user.hubs()).map((hub) => hub.pid)).not.toContain(pid);
    await expect.poll(sessionsOf).toEqual([2]);
    await isToldOnce(sessions, changes);
    expect([opened(first).closed(), opened(second).closed()]).toEqual([0, 0]);
  });

  it("that lets servers inherit another variable needs another hub: sessions may differ in it", async () => {
    const sessions = [opened(first), opened(second)];
    const changes = sessions.map((session) => session.changes());
    const { pid } = await user.hub();
    const { allow } = JSON.parse(readFileSync(config, "utf8")) as { allow: JsonObject };
    change(config, { allow: { ...allow, env: ["ONLY_HERE"] }, ...without("find_definition") });
    await expect.poll(sessionsOf).toEqual([1, 1]);
    expect((await user.hubs()).map((hub) => hub.pid)).not.toContain(pid);
    await isToldOnce(sessions, changes);
    for (const session of sessions) {
      expect(await toolsOf(session)).not.toContain("find_definition");
      expect(session.closed()).toBe(0);
    }
  });
});

let user: HubUser;
beforeEach(() => {
  user = new HubUser();
});
afterEach(() => user.close());

it("the hub ends while the config has problems: all sessions go on by themselves when it is corrected", async () => {
  const { args, config, folder } = user.workspace({}, slow);
  const sessions = [await user.open(args), await user.open(args), await user.open(args)] as const;
  const [one, two] = sessions;
  const text = readFileSync(config, "utf8");
  const edit = one.call("rename_symbol", { ...place, new_name: "name", dry_run: false });
  await expect.poll(() => isThere(folder, "asked-rename")).toBe(true);
  writeFileSync(config, "{");
  const validate = `lsp-proxy validate --config ${config}`;
  await expect.poll(() => statusOf(two)).toContain(`The user can run \`${validate}\`.`);
  process.kill((await user.hub()).pid, "SIGKILL");
  const says = `\`${validate}\` says more. Call again when that is corrected.`;
  await expect(edit).rejects.toThrow(`${says} The process that ran this call ended before its answer.`);
  const refused = await two.client.listTools().catch(String);
  expect(String(refused).endsWith(says)).toBe(true);
  expect((await runHere(validate.split(" ").slice(1), { env: user.env, cwd: user.top })).code).not.toBe(0);
  expect(await user.hubs()).toEqual([]);
  writeFileSync(config, JSON.stringify({ ...JSON.parse(text), ...without("find_references") }));
  const long = { timeout: 60_000 };
  await expect.poll(() => sessions.map((session) => session.changes()), long).toEqual([1, 1, 1]);
  expect(await user.hub()).toMatchObject({ sessions: 3 });
  for (const session of sessions) expect(await toolsOf(session)).not.toContain("find_references");
});

it("a changed config that was found needs trust first; one that lost it refuses calls", async () => {
  const { folder, config } = user.workspace();
  const found = { ...JSON.parse(readFileSync(config, "utf8")), workspace: { roots: ["."] } };
  const file = join(folder, "lspi.json");
  writeFileSync(file, JSON.stringify(found));
  const asked = { cwd: folder, env: user.env };
  expect((await runHere(["trust", "--yes"], asked)).code).toBe(0);
  const session = await user.open([], {}, { cwd: folder });
  expect((await session.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  const { pid } = await user.hub();
  change(file, without("find_references"));
  const trust = `The user can run \`lsp-proxy trust --workspace ${folder}\`.`;
  await expect.poll(() => statusOf(session)).toContain(trust);
  expect(await toolsOf(session)).toContain("find_references");
  expect((await runHere(["trust", "--yes"], asked)).code).toBe(0);
  await expect.poll(() => toolsOf(session)).not.toContain("find_references");
  expect((await user.hub()).pid).toBe(pid);
  expect((await runHere(["trust", "--remove"], asked)).code).toBe(0);
  await expect
    .poll(async () => (await session.call("get_hover", place)).structuredContent)
    .toMatchObject({ error: { code: "config/untrusted" } });
  expect(session.closed()).toBe(0);
});

it("a found config that has problems at the start: calls are refused until it is correct", async () => {
  const { folder, config } = user.workspace();
  const found = { ...JSON.parse(readFileSync(config, "utf8")), workspace: { roots: ["."] } };
  const file = join(folder, "lspi.json");
  writeFileSync(file, JSON.stringify(found));
  expect((await runHere(["trust", "--yes"], { cwd: folder, env: user.env })).code).toBe(0);
  writeFileSync(file, "{");
  const session = await user.open([], {}, { cwd: folder });
  const hover = async () => (await session.call("get_hover", place)).structuredContent;
  expect(await hover()).toMatchObject({ error: { code: "config/unusable" } });
  writeFileSync(file, JSON.stringify(found));
  await expect.poll(hover).toMatchObject({ ok: true });
  expect(session.closed()).toBe(0);
});

it("a hub whose program has changed answers its running calls, and its sessions switch to another", async () => {
  const copy = join(user.top, "program");
  mkdirSync(copy);
  for (const name of ["dist", "package.json"])
    cpSync(join(repository, name), join(copy, name), { recursive: true });
  for (const name of ["configs", "templates", "node_modules"])
    symlinkSync(join(repository, name), join(copy, name));
  const start = join(copy, "dist", "cli", "bin.js");
  const { args, folder } = user.workspace({}, slow);
  const session = await user.open(args, {}, { start });
  const waiting = session.call("get_hover", place);
  await expect.poll(() => isThere(folder, "asked-hover")).toBe(true);
  const { pid } = await user.hub();
  utimesSync(start, new Date(), new Date());
  // It no longer takes sessions, so it is not listed.
  await expect.poll(async () => (await user.hubs()).some((hub) => hub.pid === pid)).toBe(false);
  writeFileSync(join(folder, "go"), "");
  expect((await waiting).structuredContent).toMatchObject({ ok: true });
  expect((await session.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  expect((await user.hub()).pid).not.toBe(pid);
  expect(session.closed()).toBe(0);
});

it("without a config, a language that is new is seen by open and new sessions and by the command line", async () => {
  const folder = join(user.top, "new-language");
  mkdirSync(folder);
  writeFileSync(join(folder, "a.ts"), "export const one = 1;\n");
  const first = await user.open([], {}, { cwd: folder });
  const symbols = async (session: SharedSession, file: string) =>
    JSON.stringify((await session.call("get_document_symbols", { file_path: file })).structuredContent);
  expect(await symbols(first, "a.ts")).toContain("one");
  const [{ pid }, [server]] = [await user.hub(), await first.status()];

  // The command line finds the hub.
  writeFileSync(join(folder, "b.py"), "def two():\n    return 2\n");
  const shown = async () => {
    const { stdout } = await runHere(["status", "--json"], { env: user.env, cwd: folder });
    const { servers } = JSON.parse(stdout) as { servers: { id: string; pid: number }[] };
    return servers.map(({ id, pid }) => (id === "typescript" ? pid : id));
  };
  await expect.poll(shown, { timeout: 60_000 }).toEqual(["pyright", server?.pid]);
  expect(await symbols(first, "b.py")).toContain("two");

  // A session that joins sees all servers without a call that needs them.
  writeFileSync(join(folder, "c.yaml"), "three: 3\n");
  const second = await user.open([], {}, { cwd: folder });
  await expect.poll(async () => (await second.status()).length, { timeout: 60_000 }).toBe(3);

  // A call that needs one is answered by it.
  writeFileSync(join(folder, "d.json"), '{ "four": 4 }\n');
  await expect.poll(() => symbols(first, "d.json"), { timeout: 60_000 }).toContain("four");
  expect(await user.hub()).toMatchObject({ pid, sessions: 2 });
  expect((await first.status()).map((one) => one.pid)).toContain(server?.pid);
});

it("without a config, a hub answers calls while a program is asked for its version for a session that joins", async () => {
  const folder = join(user.top, "slow-version");
  const [bin, hub, asked, go] = ["bin", "hub", "asked", "go"].map((name) => join(user.top, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const path of [folder, bin]) mkdirSync(path);
  writeFileSync(join(folder, "a.rs"), "fn main() {}\n");
  const waits = `echo $$ >'${asked}.new'; mv '${asked}.new' '${asked}'; until [ -e '${go}' ]; do sleep 0.1; done`;
  const version = `#!/bin/sh\nif [ "$PPID" = "$(cat '${hub}')" ]; then ${waits}; fi\necho 1.0\n`;
  writeFileSync(join(bin, "rust-analyzer"), version, { mode: 0o755 });
  writeFileSync(hub, "none\n");
  const env = { PATH: `${bin}:${user.env.PATH}` };
  const first = await user.open([], env, { cwd: folder });
  const listed = await user.hub();
  writeFileSync(hub, `${listed.pid}\n`);
  const second = user.open([], env, { cwd: folder });
  await expect.poll(() => existsSync(asked), { timeout: 60_000 }).toBe(true);
  // It still waits when the call is answered: its time limit ends it otherwise, and only then a blocked hub goes on.
  await first.call("get_server_status", {});
  expect(() => process.kill(Number(readFileSync(asked, "utf8")), 0)).not.toThrow();
  writeFileSync(go, "");
  await second;
});
