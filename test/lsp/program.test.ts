/** Which program is started as a server, with which environment, and that it matches the lock. */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { ServerPlan } from "../../src/abi/plan.js";
import { cleanedEnvironment } from "../../src/lsp/process/environment.js";
import { type LockedServer, lockedServer, lockFileIn, RECORD_VERSION } from "../../src/lsp/process/lock.js";
import { findTool } from "../../src/lsp/process/program.js";
import { defaultEnv } from "../../src/plan/defaults.js";
import { fakePlan, fakeServer, fakeServerPath } from "../fake-server/index.js";
import { ask, poolOf, scenarios, signal, workspace, write } from "./support.js";

/** A program that plays a scenario, at a path of its own. */
function programAt(path: string, scenario: object = {}): void {
  write(`${path}.json`, JSON.stringify(scenario));
  write(
    path,
    `#!${process.execPath}\nprocess.argv[2] = ${JSON.stringify(`${path}.json`)};\nimport(${JSON.stringify(fakeServerPath)});\n`,
  );
  chmodSync(path, 0o755);
}

function serverOf(...command: string[]): ServerPlan {
  return fakeServer(scenarios(), {}, { command });
}

describe("a program of the workspace", () => {
  const untrusted = { code: "lsp/not-allowed", message: expect.stringContaining("not trusted") };

  test.each<[string, (root: string, bin: string) => { PATH: string; command: string }]>([
    ["by its absolute path", (root) => ({ PATH: "", command: join(root, "bin/tool") })],
    ["through PATH", (root) => ({ PATH: join(root, "bin"), command: "tool" })],
    [
      "through a link from elsewhere",
      (root, bin) => {
        symlinkSync(join(root, "bin/tool"), join(bin, "tool"));
        return { PATH: bin, command: "tool" };
      },
    ],
    [
      "through a folder that is a link",
      (root, bin) => {
        symlinkSync(join(root, "bin"), join(bin, "link"));
        return { PATH: join(bin, "link"), command: "tool" };
      },
    ],
  ])("is not started %s", async (_how, arrange) => {
    const root = workspace({});
    programAt(join(root, "bin/tool"));
    const { PATH, command } = arrange(root, workspace({}));
    const servers = [serverOf(command)];
    const pool = poolOf(root, servers, {}, { env: { PATH } });
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(untrusted);
    const trusting = poolOf(root, servers, {}, { env: { PATH }, trusted: [root] });
    expect((await trusting.get("fake", undefined, signal())).generation).toBe(1);
  });

  test.each<[string, (script: string) => string[]]>([
    ["as a word", (script) => [script]],
    ["by the workspace's name", () => ["<workspace>/tools/srv.cjs"]],
    ["behind flags", (script) => ["--no-warnings", script, fakeServerPath]],
  ])("is not started as a script either, %s", async (_how, words) => {
    const root = workspace({ "tools/srv.cjs": `import(${JSON.stringify(fakeServerPath)});\n` });
    const fake = serverOf(process.execPath);
    const command = [process.execPath, ...words(join(root, "tools/srv.cjs")), ...fake.args];
    const servers = [{ ...fake, command, args: [] }];
    const pool = poolOf(root, servers);
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({
      ...untrusted,
      message: expect.stringContaining("`srv.cjs`, which lies in the workspace"),
    });
    const trusting = poolOf(root, servers, {}, { trusted: [root] });
    await trusting.get("fake", undefined, signal()).catch(() => undefined);
    expect(trusting.status()[0]?.lastError ?? "").not.toContain("not trusted");
  });

  test("a link in it is its own as well", async () => {
    const root = workspace({ "bin/x": "" });
    const bin = workspace({});
    programAt(join(bin, "tool"));
    symlinkSync(join(bin, "tool"), join(root, "bin/tool"));
    const pool = poolOf(root, [serverOf("tool")], {}, { env: { PATH: join(root, "bin") } });
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(untrusted);
  });

  test("is passed over for one further on in PATH", async () => {
    const root = workspace({});
    const bin = workspace({});
    programAt(join(root, "bin/tool"), { start: [{ exit: 9 }] });
    programAt(join(bin, "tool"));
    const pool = poolOf(root, [serverOf("tool")], {}, { env: { PATH: `${join(root, "bin")}:${bin}` } });
    expect((await pool.get("fake", undefined, signal())).generation).toBe(1);
  });
});

describe("what a program starts by name", () => {
  /** Two programs `tool` whose first line names an interpreter, which the workspace has as well. */
  const arrange = () => {
    const root = workspace({ "bin/interpreter": "#!/bin/sh\nexit 9\n" });
    const bin = workspace({});
    chmodSync(join(root, "bin/interpreter"), 0o755);
    symlinkSync(process.execPath, join(bin, "interpreter"));
    programAt(join(bin, "tool"));
    const text = readFileSync(join(bin, "tool"), "utf8");
    write(join(bin, "tool"), text.replace(/^#!.*/, "#!/usr/bin/env interpreter"));
    return { root, bin };
  };
  const trusting = (root: string) => ({ trusted: [root] });

  test.runIf(process.platform !== "win32")(
    "is not the workspace's either, unless it is trusted",
    async () => {
      const { root, bin } = arrange();
      const link = join(workspace({}), "link");
      symlinkSync(join(root, "bin"), link);
      for (const strange of [join(root, "bin"), link, "bin", "./bin", ""]) {
        const env = { PATH: `${strange}:${bin}:/usr/bin:/bin` };
        const pool = poolOf(root, [{ ...serverOf("tool"), cwd: root }], {}, { env });
        expect((await pool.get("fake", undefined, signal())).generation).toBe(1);
        await pool.close();
      }
      const env = { PATH: `${join(root, "bin")}:${bin}:/usr/bin:/bin` };
      const pool = poolOf(root, [serverOf("tool")], {}, { env, ...trusting(root) });
      await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({
        message: expect.stringContaining("exited with code 9"),
      });
    },
  );

  test("nor that of what stands around it", () => {
    const { root, bin } = arrange();
    const path = `${join(root, "bin")}:${bin}:relative:`;
    const left = (...untrusted: string[]) => cleanedEnvironment({ PATH: path }, untrusted).env;
    expect(left(root)).toEqual({ PATH: bin });
    expect(left(bin)).toEqual({ PATH: join(root, "bin") });
    expect(left()).toEqual({ PATH: path });
    expect(left(root, bin)).toEqual({});
  });
});

test("words that a shell would read are words", async () => {
  const root = workspace({});
  const bin = workspace({});
  programAt(join(bin, "tool"));
  const args = ["$(touch a)", "; touch b", "`touch c`", "| touch d", "*", "&& touch e"];
  for (const limits of [{}, { openFiles: 512 }]) {
    const server = { ...serverOf("tool"), args };
    const pool = poolOf(
      root,
      [{ ...server, limits: { ...server.limits, ...limits } }],
      {},
      { env: { PATH: bin } },
    );
    await pool.get("fake", undefined, signal());
    const pid = pool.status()[0]?.pid;
    if (process.platform === "linux")
      expect(
        readFileSync(`/proc/${pid}/cmdline`, "utf8")
          .split("\0")
          .slice(-1 - args.length, -1),
      ).toEqual(args);
    await pool.close();
  }
});

test.runIf(process.platform === "linux")("a server inherits the allowed names and nothing else", async () => {
  const secrets = {
    GITHUB_TOKEN: "s1",
    AWS_SECRET_ACCESS_KEY: "s2",
    API_KEY: "s3",
    SSH_AUTH_SOCK: "s4",
    LD_PRELOAD: "",
  };
  const env = { PATH: process.env.PATH, HOME: "/h", ...secrets };
  const started = async (names: string[]) => {
    const plan = { allow: { ...fakePlan([serverOf(process.execPath)]).allow, env: names } };
    const pool = poolOf(workspace({}), [fakeServer(scenarios(), {}, { env: { OWN: "1" } })], plan, { env });
    await pool.get("fake", undefined, signal());
    const text = readFileSync(`/proc/${pool.status()[0]?.pid}/environ`, "utf8");
    return text
      .split("\0")
      .filter(Boolean)
      .map((pair) => pair.split("=")[0])
      .sort();
  };
  expect(await started(["PATH", "HOME"])).toEqual(["HOME", "LSP_PROXY_MARK", "OWN", "PATH"]);
  expect(await started([...defaultEnv])).toEqual(["HOME", "LSP_PROXY_MARK", "OWN", "PATH"]);
  expect(await started(["API_KEY"])).toEqual(["API_KEY", "LSP_PROXY_MARK", "OWN"]);
});

test("no name that is inherited by default sounds like a secret", () => {
  expect(defaultEnv.filter((name) => /TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH/i.test(name))).toEqual([]);
});

test("a tool that we run ourselves is never one in a root or in an untrusted folder", () => {
  const bin = workspace({});
  programAt(join(bin, "tool"));
  const find = (roots: string[], avoid: string[]) => findTool("tool", { roots, avoid, env: { PATH: bin } });
  expect(find([], [])).toBe(join(bin, "tool"));
  expect(find([bin], [])).toBeUndefined();
  expect(find([], [bin])).toBeUndefined();
});

describe("the lock", () => {
  const locked = async (server: ServerPlan, root: string, env: { PATH: string }, trusted: string[] = []) => {
    const state = workspace({});
    const plan = fakePlan([server]);
    const context = { roots: [root], base: root, env, binFolders: [], trusted, avoid: [] };
    const entry = await lockedServer(plan, server, context);
    const { files } = entry;
    const record = (list: LockedServer[]) =>
      writeFileSync(
        lockFileIn(state),
        JSON.stringify({ version: RECORD_VERSION, folders: [{ folder: root, servers: list }] }),
      );
    record([entry]);
    const pool = poolOf(root, [server], {}, { env, trusted, lockFile: lockFileIn(state) });
    return { pool, files, state, record };
  };
  const refused = (words: string) => ({ code: "lsp/not-locked", message: expect.stringContaining(words) });

  test("starts exactly that program, and reports it", async () => {
    const [root, bin] = [workspace({}), workspace({})];
    programAt(join(bin, "tool"));
    const { pool, files } = await locked(serverOf("tool"), root, { PATH: bin });
    expect(files).toEqual([
      { path: join(bin, "tool"), digest: expect.stringMatching(/^sha256-[0-9a-f]{64}$/) },
    ]);
    await pool.get("fake", undefined, signal());
    expect(pool.status()).toMatchObject([{ state: "running", locked: true }]);
  });

  test("refuses one that changed, and looks again at the next call", async () => {
    const [root, bin] = [workspace({}), workspace({})];
    programAt(join(bin, "tool"));
    const { pool } = await locked(serverOf("tool"), root, { PATH: bin });
    const before = readFileSync(join(bin, "tool"));
    writeFileSync(join(bin, "tool"), `${before}\n`);
    for (let round = 0; round < 8; round++)
      await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(refused("has changed"));
    expect(pool.status()).toMatchObject([
      { state: "unavailable", lastError: expect.stringContaining("locked") },
    ]);
    writeFileSync(join(bin, "tool"), before);
    expect(await ask(await pool.get("fake", undefined, signal()), "fake/children")).toEqual([]);
  });

  test("refuses the same bytes at another path", async () => {
    const [root, bin, first] = [workspace({}), workspace({}), workspace({})];
    programAt(join(bin, "tool"));
    const { pool } = await locked(serverOf("tool"), root, { PATH: `${first}:${bin}` });
    copyFileSync(join(bin, "tool"), join(first, "tool"));
    chmodSync(join(first, "tool"), 0o755);
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(refused("another file"));
  });

  test("counts the script that a program is given", async () => {
    const root = workspace({});
    const script = join(workspace({}), "server.mjs");
    write(script, `import(${JSON.stringify(fakeServerPath)});\n`);
    const server = fakeServer(scenarios(), {});
    const { pool, files } = await locked(
      { ...server, command: [process.execPath, script, server.command[2] ?? ""] },
      root,
      { PATH: "" },
    );
    expect(files.map(({ path }) => path)).toContain(script);
    write(script, "// other\n");
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(refused("has changed"));
  });

  /** Runs Node, and is small: Node itself takes long to hash, and one test with it is enough. */
  const smallNode = () => {
    const path = join(workspace({}), "node");
    write(path, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const smallServer = () => {
    const server = fakeServer(scenarios(), {});
    return { ...server, command: [smallNode(), ...server.command.slice(1)] };
  };

  const scripted = () => {
    const [root, elsewhere] = [workspace({}), workspace({})];
    write(join(root, "server.mjs"), `import(${JSON.stringify(fakeServerPath)});\n`);
    write(join(elsewhere, "server.mjs"), `import(${JSON.stringify(fakeServerPath)});\n`);
    write(join(elsewhere, "hook.cjs"), "// loaded first\n");
    const server = smallServer();
    return { root, elsewhere, server, scenario: server.command[2] ?? "" };
  };

  test.each([
    ...["in args", "relative to the root", "relative to cwd", "behind a =", "as a URL"],
    ...["in a variable", "quoted in a variable"],
  ])("counts a script %s", async (where) => {
    const { root, elsewhere, server, scenario } = scripted();
    const [node = ""] = server.command;
    const there = (name: string) => join(elsewhere, name);
    const cases: { [where: string]: { script: string } & Partial<ServerPlan> } = {
      "in args": {
        script: there("server.mjs"),
        command: [node],
        args: [there("server.mjs"), scenario],
      },
      "relative to the root": { script: join(root, "server.mjs"), command: [node, "server.mjs", scenario] },
      "relative to cwd": {
        script: there("server.mjs"),
        cwd: elsewhere,
        command: [node, "./server.mjs"],
        args: [scenario],
      },
      "behind a =": {
        script: there("hook.cjs"),
        command: [node, `--require=${there("hook.cjs")}`, ...server.command.slice(1)],
      },
      "as a URL": {
        script: there("hook.cjs"),
        command: [node, "--import", `${pathToFileURL(there("hook.cjs"))}`, ...server.command.slice(1)],
      },
      "quoted in a variable": {
        script: there("hook.cjs"),
        env: { NODE_OPTIONS: `--no-warnings --require "${there("hook.cjs")}"` },
      },
      "in a variable": {
        script: there("hook.cjs"),
        env: { NODE_OPTIONS: `--no-warnings --require=${there("hook.cjs")}` },
      },
    };
    const { script = "", ...changes } = cases[where] ?? {};
    const { pool, files } = await locked({ ...server, ...changes }, root, { PATH: "" }, [root]);
    expect(files.map(({ path }) => path)).toContain(script);
    const before = readFileSync(script);
    write(script, "// other\n");
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(refused("has changed"));
    writeFileSync(script, before);
    await pool.get("fake", undefined, signal());
  });

  test.each<[string, Partial<ServerPlan>]>([
    ["variables", { env: { NODE_OPTIONS: "--no-warnings" } }],
    ["arguments", { args: ["--no-warnings"] }],
    ["a folder", { cwd: "/" }],
    ["a transport", { transport: { kind: "tcp", mode: "connect", host: "127.0.0.1", port: 9 } }],
  ])("refuses a server that got %s since", async (_, changes) => {
    const { root, server } = scripted();
    const { state } = await locked(server, root, { PATH: "" });
    const pool = poolOf(root, [{ ...server, ...changes }], {}, { lockFile: lockFileIn(state) });
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(refused("in another way"));
  });

  test("refuses a server that is not in it, and everything when it is damaged", async () => {
    const root = workspace({});
    const { pool, record, state } = await locked(smallServer(), root, { PATH: "" });
    record([]);
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(refused("was not there"));
    for (const text of ["", "{", "{}", '{"version":1,"folders":[]}', '{"version":2,"folders":[{}]}']) {
      writeFileSync(lockFileIn(state), text);
      await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(refused("cannot be read"));
    }
  });

  test("of another folder means nothing here", async () => {
    const [root, state] = [workspace({}), workspace({})];
    mkdirSync(join(root, "sub"));
    writeFileSync(
      lockFileIn(state),
      JSON.stringify({ version: RECORD_VERSION, folders: [{ folder: join(root, "sub"), servers: [] }] }),
    );
    const pool = poolOf(root, [fakeServer(scenarios(), {})], {}, { lockFile: lockFileIn(state) });
    await pool.get("fake", undefined, signal());
    expect(pool.status()).toMatchObject([{ locked: null }]);
  });
});
