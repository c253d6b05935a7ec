/** `serve --shared` with a real language server: the second session is answered by the server of the first. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { placeIn, repository } from "../live/session.js";
import { HubUser } from "./support.js";

const config = `
[allow]
commands = ["tsc"]

[share]
warm = true

[[servers]]
id = "ts"
kind = "typescript"
`;

describe("typescript 7", () => {
  const user = new HubUser();
  const folder = join(user.top, "w");
  const args = ["--config", join(folder, "lspi.toml")];
  beforeAll(() => {
    mkdirSync(folder);
    cpSync(join(repository, "test", "fixtures", "typescript"), folder, { recursive: true });
    writeFileSync(join(folder, "lspi.toml"), config);
  });
  afterEach(() => user.close());

  const asked = () => ({
    file_path: "src/greet.ts",
    ...placeIn(readFileSync(join(folder, "src/greet.ts"), "utf8"), "function |greet"),
  });

  it("starts with the hub, and serves every session, also after the hub was killed", async () => {
    const one = await user.open(args);
    await expect.poll(async () => (await user.hub()).servers).toEqual(["ts"]);
    const first = await one.call("find_references", asked());
    expect(first.structuredContent).toMatchObject({ ok: true, total: 7 });
    const two = await user.open(args);
    const second = await two.call("find_references", asked());
    expect(second.structuredContent.locations).toEqual(first.structuredContent.locations);
    const [[mine], [other]] = [await one.status(), await two.status()];
    expect(mine?.pid).toBeGreaterThan(0);
    expect(other?.pid).toBe(mine?.pid);

    const answers = [one, two].flatMap((session) =>
      Array.from({ length: 5 }, () => session.call("find_references", asked())),
    );
    process.kill((await user.hub()).pid, "SIGKILL");
    for (const { structuredContent } of await Promise.all(answers))
      expect(structuredContent).toMatchObject({ ok: true, total: 7 });
    const [[after]] = [await two.status()];
    expect((await one.status())[0]?.pid).toBe(after?.pid);
    expect([one.closed(), two.closed()]).toEqual([0, 0]);
    expect(await user.hub()).toMatchObject({ sessions: 2 });
  });
});
