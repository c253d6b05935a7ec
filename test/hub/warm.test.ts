/** Language servers that a hub starts before a call needs them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { HubUser, place } from "./support.js";

const LONG = { timeout: 60_000 };

let user: HubUser;
beforeEach(() => {
  user = new HubUser();
});
afterEach(() => user.close());

/** The servers of the hub for a workspace. */
async function serversIn(workspace: string): Promise<string[] | undefined> {
  return (await user.hubs()).find((hub) => hub.workspace === workspace)?.servers;
}

it("`--warmup` starts servers, but none where the config that was found is not trusted", async () => {
  const untrusted = join(user.top, "untrusted");
  const trusted = join(user.top, "trusted");
  for (const folder of [untrusted, trusted]) {
    mkdirSync(folder);
    writeFileSync(join(folder, "a.ts"), "export const one = 1;\n");
  }
  const config = { allow: { commands: ["tsc"] }, servers: [{ id: "ts", kind: "typescript" }] };
  writeFileSync(join(untrusted, "lspi.json"), JSON.stringify(config));
  const session = await user.open(["--warmup"], {}, { cwd: untrusted });
  expect((await session.call("get_hover", { ...place, file_path: "a.ts" })).structuredContent).toMatchObject({
    error: { code: "config/untrusted" },
  });
  // The other hub starts later. When it has a server, the first one would have one too.
  await user.open(["--warmup"], {}, { cwd: trusted });
  await expect.poll(() => serversIn(trusted), LONG).toHaveLength(1);
  expect(await serversIn(untrusted)).toEqual([]);
});

const warm: JsonObject[] = [{ share: { warm: true } }, { mcp: { warmup: true } }];
it.each(warm)("%j starts the servers with the hub", async (asked) => {
  await user.open(user.workspace(asked).args);
  await expect.poll(async () => (await user.hub()).servers, LONG).toEqual(["fake"]);
});
