/** The list of running hubs while one of them moves to the socket of a changed config. */
import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { privateLine } from "../../src/hub/lines.js";
import { HubUser } from "./support.js";

const servers: Server[] = [];
const user = new HubUser();
const folder = join(user.runFolder, "lsp-proxy");
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
  return new Promise((resolve) => server.listen(join(folder, `${name}.sock`), () => resolve(server)));
}

it("has a hub once that moves while it is asked", async () => {
  mkdirSync(folder, { mode: 0o700 });
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
