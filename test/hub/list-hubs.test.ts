/** The list of running hubs while one of them moves to the socket of a changed config, or does not answer. */
import { chmodSync, mkdirSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { privateLine } from "../../src/hub/lines.js";
import { runHere } from "../cli/terminal.js";
import { HubUser, place } from "./support.js";

const servers: Server[] = [];
let user: HubUser;
beforeEach(() => {
  user = new HubUser();
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await user.close();
});

/** Answers who connects, or does what is given instead. */
function listen(name: string, instead?: () => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    instead?.();
    if (instead === undefined) socket.end(privateLine("answer", { pid: 1234, workspace: "/w", sessions: 2 }));
    else socket.destroy();
  });
  servers.push(server);
  return new Promise((resolve) =>
    server.listen(join(user.runFolder, "lsp-proxy", `${name}.sock`), () => resolve(server)),
  );
}

it("has a hub once that moves while it is asked", async () => {
  mkdirSync(join(user.runFolder, "lsp-proxy"), { mode: 0o700 });
  const moved: Promise<Server>[] = [];
  const old = await listen("old", () => {
    moved.push(listen("new"));
    old.close();
  });
  const hub = { pid: 1234, workspace: "/w", sessions: 2 };
  expect(await user.hubs()).toMatchObject([hub]);
  expect(moved).toHaveLength(1);
  // It may be at both for a moment.
  await listen("another");
  expect(await user.hubs()).toMatchObject([hub]);
});

it("has the hubs of clients that do not pass on XDG_RUNTIME_DIR, unless others can use their folder", async () => {
  const { args } = user.workspace();
  const session = await user.open(args, { XDG_RUNTIME_DIR: "" });
  const own = await user.open(args);
  expect((await user.hubs()).map(({ sessions }) => sessions)).toEqual([1, 1]);
  const listed = await runHere(["hub"], { env: user.env, cwd: user.top });
  expect(listed.stdout.match(/ has a different XDG_RUNTIME_DIR$/gm)).toHaveLength(2);
  const other = join(user.top, `lsp-proxy-${process.geteuid?.()}`);
  chmodSync(other, 0o755);
  expect(await user.hubs()).toHaveLength(1);
  chmodSync(other, 0o700);
  expect((await runHere(["hub", "stop", "--all"], { env: user.env, cwd: user.top })).code).toBe(0);
  expect(await user.hubs()).toEqual([]);
  for (const { call } of [session, own])
    expect((await call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
});

it("names a hub that does not answer, and does not say that it was stopped", async () => {
  const { args } = user.workspace();
  const session = await user.open(args);
  await session.call("get_hover", place);
  const { pid } = await user.hub();
  const hub = (...words: string[]) => runHere(["hub", ...words], { env: user.env, cwd: user.top });
  process.kill(pid, "SIGSTOP");
  try {
    expect(await hub()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^the hub at \S+ does not answer; .* end its process \d+$/m),
    });
    expect((await hub()).stdout).toContain(` ${pid}\n`);
    const stopped = await hub("stop", "--all");
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain("does not answer");
  } finally {
    process.kill(pid, "SIGCONT");
  }
  expect(await user.hub()).toMatchObject({ pid, sessions: 1 });
});
