/** The start of a hub that does not go well: the hub is killed. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HubUser, place } from "./support.js";

const LONG = { timeout: 60_000 };

let user: HubUser;
let folder: string;
beforeEach(() => {
  user = new HubUser();
  folder = join(user.runFolder, "lsp-proxy");
});
afterEach(() => user.close());

it("a hub that is killed while it starts is started again, also one that holds the lock", async () => {
  const { args } = user.workspace();
  const starts = join(user.top, "starts");
  const slowed = new URL("slow-listen.mjs", import.meta.url).pathname;
  const opening = user.open(args, { NODE_OPTIONS: `--import ${slowed}`, HUB_STARTS: starts });
  // The process id 0 would be this process's own group: a number whose line is not complete does not count.
  const started = () =>
    existsSync(starts) ? [...readFileSync(starts, "utf8").matchAll(/^[1-9]\d*\n/gm)] : [];
  const kill = (index: number) => process.kill(Number(started()[index]?.[0] ?? Number.NaN), "SIGKILL");
  await expect.poll(() => started().length, LONG).toBe(1);
  kill(0);
  await expect.poll(() => started().length, LONG).toBe(2);
  const locks = join(folder, "lock");
  const isLocked = () => existsSync(locks) && readdirSync(locks).some((name) => name.startsWith("lock-"));
  await expect.poll(isLocked, LONG).toBe(true);
  kill(1);

  const session = await opening;
  expect((await session.call("get_hover", place)).structuredContent).toMatchObject({ ok: true });
  const { structuredContent } = await session.call("get_server_status", {});
  expect(structuredContent.warnings ?? []).toEqual([]);
  expect(await user.hub()).toMatchObject({ sessions: 1 });
});
