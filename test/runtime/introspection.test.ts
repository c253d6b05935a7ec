/** What the proxy tells of itself, and how its servers are restarted and stopped. */
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { openTestWorkspace, type TestWorkspace } from "./test-workspace.js";

let work: TestWorkspace | undefined;
afterEach(async () => {
  await work?.close();
  work = undefined;
});

const secret = "hunter2-hunter2";

async function open(effects: string[] = ["read"]): Promise<TestWorkspace> {
  const scenario = {
    capabilities: { hoverProvider: true },
    replies: { "textDocument/hover": { contents: "hi" } },
  };
  work = await openTestWorkspace({
    files: { "a.fake": "one\n", "b.other": "two\n" },
    servers: {
      fake: { scenario, config: { env: { FAKE_TOKEN: secret }, language_id: "fake" } },
      other: { scenario, config: { extensions: ["other"], language_id: "other" } },
    },
    config: {
      extends: ["tools/core", "tools/introspection", "tools/control"],
      allow: { commands: [process.execPath], effects },
    },
  });
  return work;
}

const at = { file_path: "a.fake", line: 1, character: 1 };

describe("introspection", () => {
  it("says what works where, once it is known", async () => {
    const { call } = await open();
    const before = (await call("list_servers", {})).structured.value as JsonObject;
    expect(before.languages).toEqual([
      { language: "fake", servers: ["fake"], features: null },
      { language: "other", servers: ["other"], features: null },
    ]);
    await call("get_hover", at);
    const after = (await call("list_servers", {})).structured.value as JsonObject;
    expect(after.languages).toMatchObject([
      { language: "fake", features: expect.arrayContaining(["hover"]) },
      { language: "other", features: null },
    ]);
  });

  it("shows the config without values of the environment and without paths", async () => {
    const { call, folder } = await open();
    for (const tool of ["get_current_config", "list_servers"]) {
      const { structured, text } = await call(tool, {});
      expect(JSON.stringify(structured) + text).not.toContain(secret);
      expect(JSON.stringify(structured) + text).not.toContain(folder);
    }
    const { value } = (await call("get_current_config", {})).structured;
    expect(value).toMatchObject({
      effects: ["read"],
      read_only: true,
      limits: { max_items: 200 },
      servers: [
        { id: "fake", env: ["FAKE_TOKEN"] },
        { id: "other", env: [] },
      ],
      tools: expect.arrayContaining([expect.objectContaining({ name: "get_hover", effect: "read" })]),
    });
  });
});

describe("control", () => {
  const pids = ({ runtime }: TestWorkspace) =>
    Object.fromEntries(runtime.pool.status().map(({ id, pid }) => [id, pid]));

  it("is neither listed nor callable without the effect", async () => {
    const { session, runtime } = await open();
    expect(runtime.tools.map((tool) => tool.name)).not.toContain("restart_server");
    const signal = new AbortController().signal;
    await expect(session.call("restart_server", {}, { signal })).rejects.toThrow(
      "does not allow the effect `command`",
    );
  });

  it("restarts and stops by id, by extension, or all that run", async () => {
    const work = await open(["read", "command"]);
    await work.call("get_hover", at);
    await work.call("get_hover", { ...at, file_path: "b.other" });
    const first = pids(work);
    const value = async (tool: string, args: JsonObject) => (await work.call(tool, args)).structured.value;
    expect(await value("restart_server", { extensions: [".other"] })).toEqual({ restarted: ["other"] });
    expect(pids(work).fake).toBe(first.fake);
    expect(pids(work).other).not.toBe(first.other);
    expect(await value("restart_server", { server_id: "fake" })).toEqual({ restarted: ["fake"] });
    expect(pids(work).fake).not.toBe(first.fake);
    expect(await value("stop_server", {})).toEqual({ stopped: ["fake", "other"] });
    expect(work.runtime.pool.running()).toEqual([]);
    expect((await work.call("get_hover", at)).isError).toBe(false);
    const unknown = await work.call("stop_server", { extensions: ["nothing"] });
    expect(unknown.structured).toMatchObject({ error: { code: "guard/invalid-arguments" } });
    const near = await work.call("stop_server", { server_id: "fak" });
    expect(near.structured).toMatchObject({
      error: { message: expect.stringContaining("Did you mean fake?") },
    });
  });
});
