/** A runtime that switches to another bundle while it is in use. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { bundlePaths } from "../../src/abi/bundle.js";
import { digest } from "../../src/base/hash.js";
import { canonicalText } from "../../src/base/json.js";
import { loadBundle } from "../../src/runtime/bundle/load.js";
import type { Runtime } from "../../src/runtime/runtime.js";
import { compileConfig, openTestWorkspace, type TestWorkspace } from "./test-workspace.js";

const unchanged = ({ folder }: TestWorkspace): Parameters<Runtime["update"]>[1] => ({
  base: dirname(folder),
  ...{ ownFiles: [], binFolders: [], avoid: [] },
});

it("starts no server any more when it was closed during an update, and later updates do nothing", async () => {
  const work = await openTestWorkspace({ files: { "a.fake": "one\n" }, servers: { fake: { scenario: {} } } });
  try {
    const { runtime } = work;
    const signal = new AbortController().signal;
    const path = `${work.folder}/a.fake`;
    await runtime.pool.get("fake", path, signal);
    expect(runtime.pool.running()).toHaveLength(1);
    const updated = runtime.update(runtime.loaded, unchanged(work));
    await runtime.close();
    await updated;
    await runtime.update(runtime.loaded, unchanged(work));
    await expect(runtime.pool.get("fake", path, signal)).rejects.toThrow();
    expect(runtime.pool.running()).toEqual([]);
  } finally {
    await work.runtime.pool.close();
    await work.close();
  }
});

it.each([
  ["another program is allowed", { allow: { commands: ["tsc"] } }, true],
  ["another host is allowed", { allow: { hosts: ["there.example"] } }, true],
  ["answers may be longer", { limits: { max_items: 900 } }, true],
  ["fewer documents may be open", { limits: { max_open_documents: 9 } }, false],
  ["a variable is inherited", { allow: { env: ["PATH", "OTHER"] } }, false],
  // It was told when it started that the client makes no edits.
  ["edits are allowed", { allow: { effects: ["read", "edit"] } }, false],
  ["files are hidden", { workspace: { deny: ["*.secret"] } }, false],
])(
  "a changed config keeps the servers or restarts them: %s",
  async (_, change: { [section: string]: object }, keepsRunning) => {
    const work = await openTestWorkspace({
      files: { "a.fake": "one\n" },
      servers: { fake: { scenario: {} } },
    });
    try {
      const { runtime, folder } = work;
      await runtime.pool.get("fake", `${folder}/a.fake`, new AbortController().signal);
      const pids = () => runtime.pool.status().map(({ pid }) => pid);
      const before = pids();
      const file = join(dirname(folder), "lspi.json");
      const config = JSON.parse(readFileSync(file, "utf8"));
      for (const [section, members] of Object.entries(change))
        config[section] = { ...config[section], ...members };
      config.allow.commands.push(process.execPath);
      writeFileSync(file, JSON.stringify(config));
      await runtime.update(await loadBundle({ bundle: compileConfig(file) }), unchanged(work));
      expect(pids()).toEqual(keepsRunning ? before : [null]);
      expect(before).toEqual([expect.any(Number)]);
    } finally {
      await work.close();
    }
  },
);

it("declares another method without a restart: each handle has the methods of its own plan", async () => {
  const work = await openTestWorkspace({ files: { "a.fake": "one\n" }, servers: { fake: { scenario: {} } } });
  try {
    const { runtime, folder } = work;
    const { signal } = new AbortController();
    const get = () => runtime.pool.get("fake", `${folder}/a.fake`, signal);
    const pid = () => runtime.pool.status()[0]?.pid;
    const [before, pidBefore] = [await get(), pid()];
    const file = join(dirname(folder), "lspi.json");
    const config = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...config, methods: [{ method: "fake/documents" }] }));
    await runtime.update(await loadBundle({ bundle: compileConfig(file) }), unchanged(work));
    const after = await get();
    expect([pid(), after.generation]).toEqual([pidBefore, 1]);
    for (const [server, has, lacks] of [
      [before, "fake/received", "fake/documents"],
      [after, "fake/documents", "fake/received"],
    ] as const) {
      expect([server.supports(has), server.supports(lacks)]).toEqual([true, false]);
      await server.request(has, { method: "initialize" }, { signal });
      await expect(server.request(lacks, {}, { signal })).rejects.toMatchObject({
        code: "lsp/not-supported",
      });
    }
  } finally {
    await work.close();
  }
});

it("answers with a refusal where the code of a tool cannot be loaded, and says why in the log only", async () => {
  const work = await openTestWorkspace({ files: { "a.fake": "one\n" } });
  try {
    const { files, manifest } = compileConfig(join(dirname(work.folder), "lspi.json"));
    const path = bundlePaths.handler("get_server_status");
    const text = 'throw new Error("broken on purpose");';
    const { bundle: _, ...members } = { ...manifest, files: { ...manifest.files, [path]: digest(text) } };
    const bundle = {
      files: files.map((file) => (file.path === path ? { ...file, text } : file)),
      manifest: { ...members, bundle: digest(canonicalText(members)) },
    };
    await work.runtime.update(await loadBundle({ bundle }), unchanged(work));
    const outcome = await work.session.call(
      "get_server_status",
      {},
      { signal: new AbortController().signal },
    );
    expect(outcome).toMatchObject({ isError: true, structured: { error: { code: "runtime/fault" } } });
    expect(JSON.stringify(outcome)).not.toContain("on purpose");
    const faults = work.logged.filter(({ level }) => level === "error");
    expect(faults).toEqual([{ level: "error", message: expect.stringContaining("broken on purpose") }]);
  } finally {
    await work.close();
  }
});
