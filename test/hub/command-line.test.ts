/** Commands that ask a hub which ends before its answer. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { run } from "../cli/run.js";
import { HubUser, isThere, place, slow } from "./support.js";

const LONG = { timeout: 60_000 };
const starting = { ...slow, on: { initialize: [{ save: "asked-initialize" }, { waitFile: "go" }] } };

let user: HubUser;
beforeEach(() => {
  user = new HubUser();
});
afterEach(() => user.close());

/** Runs a command in a hub that is killed when its server was asked something. The server answers later. */
async function runInKilledHub(words: string[], script: object, sign: string) {
  const { args, folder } = user.workspace({}, script);
  await (await user.open(args)).close();
  const { pid } = await user.hub();
  const running = run([...words, "--json", ...args], { env: user.env, cwd: user.top });
  await expect.poll(() => isThere(folder, sign), LONG).toBe(true);
  process.kill(pid, "SIGKILL");
  writeFileSync(join(folder, "go"), "");
  const { code, stdout } = await running;
  return { code, answer: JSON.parse(stdout) };
}

it.each([
  ["a call that reads", ["call", "get_hover", JSON.stringify(place)], { ok: true }],
  ["status", ["status"], { servers: [{ id: "fake", state: "running" }] }],
  ["doctor", ["doctor"], { servers: [{ id: "fake", failure: null }] }],
])("%s whose hub ends is answered without it", async (_, words, expected) => {
  expect((await runInKilledHub(words, starting, "asked-initialize")).answer).toMatchObject(expected);
  expect(await user.hubs()).toEqual([]);
});

it("a call that edits is refused when its hub ends: whether the edit was made is unknown", async () => {
  const words = ["call", "rename_symbol", JSON.stringify({ ...place, new_name: "name" })];
  const { code, answer } = await runInKilledHub(words, slow, "asked-rename");
  expect(answer).toMatchObject({ ok: false, error: { code: "call/interrupted" } });
  expect(code).not.toBe(0);
});

it("commands answer by themselves where the folder of hubs is no folder", async () => {
  const { args } = user.workspace();
  writeFileSync(join(user.runFolder, "lsp-proxy"), "");
  const words = ["call", "get_hover", JSON.stringify(place), ...args];
  expect(await run(words, { env: user.env, cwd: user.top })).toMatchObject({ code: 0 });
  rmSync(join(user.runFolder, "lsp-proxy"));
});
