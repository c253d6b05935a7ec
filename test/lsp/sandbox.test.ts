/** A confined server: what it cannot do, that it still works, and that it never runs without its sandbox. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { SandboxName, ServerPlan } from "../../src/abi/plan.js";
import { sandboxOf } from "../../src/lsp/process/sandbox.js";
import type { PoolContext } from "../../src/lsp/types.js";
import { fakePlan, fakeServer, fakeServerPath, serverPlan } from "../fake-server/index.js";
import {
  act,
  afterThis,
  alive,
  poolOf,
  scenarios,
  session,
  signal,
  until,
  workspace,
  write,
} from "./support.js";

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));
const probe = [
  ...["--bind", "/", "/", "--dev", "/dev", "--cap-drop", "ALL"],
  "--unshare-net",
  "--unshare-pid",
  "true",
];
const works = process.platform === "linux" && spawnSync("bwrap", probe).status === 0;
const unshareWords = ["--user", "--map-current-user", "--net", "--pid", "--fork", "true"];
const unshares = process.platform === "linux" && spawnSync("unshare", unshareWords).status === 0;
const where = works ? "" : " (bubblewrap is not installed, or this system forbids it)";

interface Attempts {
  write: string;
  create: string;
  network: string;
  moved: string;
  entered: boolean;
  capable: boolean;
  devices: boolean;
}

/** A server that, before it serves, tries what it should not and writes down what came of it. */
async function tried(
  sandbox: SandboxName,
  limits: Partial<ServerPlan["limits"]> = {},
  context: Partial<PoolContext> = {},
) {
  const top = workspace({ "above/work/a.fake": "old\n" });
  const root = join(top, "above", "work");
  const outside = workspace({});
  const listener = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  afterThis(() => void listener.close());
  await new Promise((done) => listener.once("listening", done));
  const { port } = listener.address() as AddressInfo;
  const told = join(outside, "told.json");
  const script = join(outside, "server.mjs");
  write(
    script,
    `import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
const attempt = (act) => { try { act(); return "done"; } catch (error) { return error.code; } };
const write = attempt(() => writeFileSync(${JSON.stringify(join(root, "a.fake"))}, "new"));
const create = attempt(() => writeFileSync(${JSON.stringify(join(root, "b.fake"))}, "new"));
const network = await new Promise((done) => {
  const socket = connect(${port}, "127.0.0.1", () => done("done"));
  socket.on("error", (error) => done(error.code));
});
const moved = attempt(() => renameSync(${JSON.stringify(join(top, "above"))}, ${JSON.stringify(join(top, "elsewhere"))}));
const isPid = (name) => /^[0-9]+$/.test(name);
const outcomes = readdirSync("/proc").filter(isPid).map((pid) => attempt(() =>
  writeFileSync("/proc/" + pid + ${JSON.stringify(`/root${root}/c.fake`)}, "new")));
const entered = ${JSON.stringify(sandbox)}.startsWith("read_only") && outcomes.includes("done");
const capable = !/^CapEff:\\s+0+$/m.test(readFileSync("/proc/self/status", "utf8"));
const devices = statSync("/dev").dev === ${statSync("/dev").dev};
writeFileSync(${JSON.stringify(`${told}.new`)}, JSON.stringify({ write, create, network, moved, entered, capable, devices }));
renameSync(${JSON.stringify(`${told}.new`)}, ${JSON.stringify(told)});
await import(${JSON.stringify(fakeServerPath)});
`,
  );
  const plan = fakeServer(scenarios(), {});
  const command = [process.execPath, script, plan.command[2] ?? ""];
  const server = { ...plan, command, sandbox, limits: { ...plan.limits, ...limits } };
  const pool = poolOf(root, [server], {}, context);
  await pool.get("fake", undefined, signal());
  const pid = pool.status()[0]?.pid ?? 0;
  await pool.close();
  return { ...(JSON.parse(readFileSync(told, "utf8")) as Attempts), pid };
}

/** How long a sleeper of this run sleeps: what another run left behind is not counted. */
const nap = (which: number): string => String(1_000_000 * which + process.pid);

/** The processes that the daemon below becomes. */
const sleepers = (seconds: string): string[] =>
  spawnSync("ps", ["-eo", "args="], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => line === `sleep ${seconds}`);

/**
 * A confined server that may be one process is let be. Processes are counted at intervals that are everybody's, so one that
 * began later, and is ended for its second process, tells that the first was counted.
 */
async function outlivesItsLimit(context: Partial<PoolContext>): Promise<void> {
  const limits = { memoryMb: null, openFiles: null, processes: 1, nice: null };
  const { pool } = await session({}, { server: { sandbox: "no_network", limits }, context });
  const later = await session({}, { server: { limits } });
  // On a slow machine it may be ended before it has answered.
  await act(later.server, { spawn: true }).catch(() => undefined);
  await until(() => later.pool.status()[0]?.lastError?.includes("limits.processes = 1") === true);
  expect(pool.status()).toMatchObject([{ state: "running", lastError: null }]);
}

/** A real server, confined, finds a definition. */
async function definesPython(sandbox: SandboxName, context: Partial<PoolContext>): Promise<void> {
  const root = workspace({ "main.py": "def add(a, b):\n    return a + b\n\nadd(1, 2)\n" });
  const plan: ServerPlan = {
    ...serverPlan("pyright", ["pyright-langserver"], ["py"], "python"),
    args: ["--stdio"],
    sandbox,
  };
  const pool = poolOf(root, [plan], {}, context);
  const path = join(root, "main.py");
  const server = await pool.get("pyright", path, signal());
  const { uri } = await server.ensureOpen(path, signal());
  const params = { textDocument: { uri }, position: { line: 3, character: 1 } };
  const retryEmpty = { attempts: 5, delayMs: 300, while: "always" as const };
  const { value } = await server.request("textDocument/definition", params, {
    signal: signal(),
    retryEmpty,
  });
  expect(JSON.stringify(value)).toContain('"line":0');
}

describe.runIf(works)(`bubblewrap${where}`, () => {
  test.each<[SandboxName, object]>([
    ["none", { write: "done", create: "done", network: "done", moved: "done" }],
    ["read_only", { write: "EROFS", create: "EROFS", network: "done", moved: "EBUSY" }],
    ["no_network", { write: "done", create: "done", network: "ECONNREFUSED", moved: "done" }],
    ["read_only_no_network", { write: "EROFS", create: "EROFS", network: "ECONNREFUSED", moved: "EBUSY" }],
  ])("%s", { timeout: 60_000 }, async (sandbox, outcome) => {
    const { pid, entered, capable, devices, ...came } = await tried(sandbox);
    expect(came).toEqual(outcome);
    // The superuser could undo a confinement by any of these.
    if (sandbox !== "none")
      expect({ entered, capable, devices }).toEqual({ entered: false, capable: false, devices: false });
    await until(() => !alive(pid));
  });

  describe("what is not the server's", () => {
    const names = [
      "home",
      "rc",
      "config",
      "state",
      "made",
      "moved",
      "token",
      "cache",
      "temporary",
      "session",
      "other",
    ];
    const kept = { config: "kept", state: "kept", made: "kept", moved: "kept", token: "kept" };
    const free = Object.fromEntries(names.map((name) => [name, "wrote"]));

    /** What came of writing to each place, and what is there afterwards. */
    const triedIn = async (sandbox: SandboxName) => {
      const top = workspace({
        ...{ "home/.bashrc": "old", "home/.config/lsp-proxy/config.toml": "old", "home/.cache/pip/x": "old" },
        ...{ "home/state/lsp-proxy/trusted.json": "old", "run/bus": "old", "tokens/t": "old" },
      });
      const home = join(top, "home");
      const context = {
        env: { ...process.env, HOME: home, XDG_RUNTIME_DIR: join(top, "run"), XDG_CACHE_HOME: undefined },
        ownFolders: [join(home, "state/lsp-proxy"), join(home, ".config/lsp-proxy"), join(top, "new/own")],
        ownFiles: [join(top, "tokens/t"), join(home, ".config/lsp-proxy/config.toml"), join(top, "absent")],
      };
      const { server, pool } = await session({}, { server: { sandbox }, context });
      const told = join(scenarios(), "told");
      const attempts: { [name: string]: string } = {
        home: 'echo new > "$1/home/new"',
        rc: 'echo new > "$1/home/.bashrc"',
        config: 'echo new > "$1/home/.config/lsp-proxy/config.toml"',
        state: 'echo new > "$1/home/state/lsp-proxy/trusted.json"',
        made: 'mkdir -p "$1/new/own" && echo new > "$1/new/own/trusted.json"',
        moved: 'mv "$1/home/.config" "$1/home/.elsewhere"',
        token: 'echo new > "$1/tokens/t"',
        cache: 'echo new > "$1/home/.cache/x" && [ ! -e "$1/home/.cache/pip/x" ]',
        temporary: 'echo new > "$1/x"',
        session: '[ -e "$1/run/bus" ]',
        other: `echo new > ${join(modules, "../.sandbox-test")}`,
      };
      const lines = names.map(
        (name) => `{ ${attempts[name]}; } 2> "$2.err" && echo ${name} wrote || echo ${name} kept`,
      );
      const script = `{ ${lines.join("\n")}\n} > "$2.new"; mv "$2.new" "$2"`;
      await act(server, { exec: ["/bin/sh", "-c", script, "sh", top, told] });
      await until(() => existsSync(told));
      await pool.close();
      rmSync(join(modules, "../.sandbox-test"), { force: true });
      const came = Object.fromEntries(
        readFileSync(told, "utf8")
          .trim()
          .split("\n")
          .map((line) => line.split(" ") as [string, string]),
      );
      const isNew = (name: string) =>
        existsSync(join(top, name)) && readFileSync(join(top, name), "utf8") !== "old";
      return { came, isNew };
    };

    test.each<SandboxName>(["read_only", "read_only_no_network"])(
      "%s: nothing is written but what is temporary, and caches that nobody else sees",
      { timeout: 60_000 },
      async (sandbox) => {
        const { came, isNew } = await triedIn(sandbox);
        // A checkout may lie in a temporary folder itself.
        const isTemporary = ["/tmp", "/var/tmp", tmpdir()].some((folder) => modules.startsWith(`${folder}/`));
        const others = { home: "kept", rc: "kept", session: "kept", other: isTemporary ? "wrote" : "kept" };
        expect(came).toEqual({ ...free, ...kept, ...others });
        expect(["home/.bashrc", "home/.cache/x", "x"].map(isNew)).toEqual([false, false, true]);
      },
    );

    test("no_network: what says what may be started is not written", { timeout: 60_000 }, async () => {
      // It sees the caches as they are.
      expect((await triedIn("no_network")).came).toEqual({ ...free, ...kept, cache: "kept" });
    });

    test("without a sandbox all of it is", { timeout: 60_000 }, async () => {
      const { came } = await triedIn("none");
      expect(came).toMatchObject({ home: "wrote", config: "wrote", state: "wrote", token: "wrote" });
    });
  });

  test("extra roots are read-only too", { timeout: 60_000 }, async () => {
    const extra = workspace({});
    const { server } = await session(
      {},
      {
        server: { sandbox: "read_only" },
        plan: { workspace: { roots: ["."], extraRoots: [extra], deny: [] } },
      },
    );
    const told = join(scenarios(), "told");
    const script = `echo x > "$1/new" && echo wrote > "$2.new" || echo kept > "$2.new"; mv "$2.new" "$2"`;
    await act(server, { exec: ["/bin/sh", "-c", script, "sh", extra, told] });
    await until(() => existsSync(told));
    expect(readFileSync(told, "utf8")).toBe("kept\n");
  });

  test("ends with the process that started it, however that ended", { timeout: 60_000 }, async () => {
    const root = workspace({});
    const server = fakeServer(scenarios(), {}, { sandbox: "no_network" });
    const context = { roots: [root], avoid: [], env: process.env };
    const { words } = await sandboxOf(fakePlan([server]), server, context);
    const command = JSON.stringify([...words, "sleep", nap(1)]);
    const script = `const [program, ...words] = ${command};
require("node:child_process").spawn(program, words, { detached: true, stdio: "ignore" });`;
    const parent = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
    afterThis(() => void parent.kill("SIGKILL"));
    await until(() => sleepers(nap(1)).length === 1);
    parent.kill("SIGKILL");
    await until(() => sleepers(nap(1)).length === 0);
  });

  test("holds together with a limit of open files", { timeout: 60_000 }, async () => {
    expect(await tried("read_only", { openFiles: 256 })).toMatchObject({ write: "EROFS" });
  });

  test("a daemon without parent, environment and limits ends with it", { timeout: 60_000 }, async () => {
    const told = join(scenarios(), "pid");
    const { pool, server } = await session({}, { server: { sandbox: "no_network" } });
    const words = ["setsid", "-f", "env", "-i", "prlimit", "--rttime=1000000000:1000000000"];
    await act(server, { exec: [...words, "sh", "-c", `echo > "$1"; exec sleep ${nap(2)}`, "sh", told] });
    await until(() => existsSync(told) && sleepers(nap(2)).length === 1);
    await pool.stop("fake");
    await until(() => sleepers(nap(2)).length === 0);
  });

  test("its own processes do not count against limits.processes", { timeout: 60_000 }, async () => {
    await outlivesItsLimit({});
  });

  test("a real server works in it", { timeout: 120_000 }, async () => {
    await definesPython("read_only_no_network", { binFolders: [join(modules, ".bin")] });
  });
});

/** A folder with these programs of the system and no others. */
function only(...names: string[]): string {
  const bin = workspace({});
  for (const name of names) symlinkSync(join("/usr/bin", name), join(bin, name));
  return bin;
}

describe.runIf(unshares)("util-linux, where bubblewrap is not installed", () => {
  const context = () => {
    const bin = only("unshare", "setpriv");
    symlinkSync(process.execPath, join(bin, "node"));
    return { env: { ...process.env, PATH: bin } };
  };

  test("takes the network away, and every capability", { timeout: 60_000 }, async () => {
    const { pid, network, write: wrote, capable } = await tried("no_network", {}, context());
    expect({ network, wrote, capable }).toEqual({ network: "ENETUNREACH", wrote: "done", capable: false });
    await until(() => !alive(pid));
  });

  test("holds for what the server starts, and ends with it", { timeout: 60_000 }, async () => {
    const told = join(scenarios(), "told");
    const { pool, server } = await session({}, { server: { sandbox: "no_network" }, context: context() });
    const script = `PATH=/usr/bin:/bin; { cat /proc/net/dev; unshare --user --map-root-user --net cat /proc/net/dev; } > "$1.new" 2> "$1.err"; mv "$1.new" "$1"; exec sleep ${nap(3)}`;
    await act(server, { exec: ["/usr/bin/setsid", "-f", "/bin/sh", "-c", script, "sh", told] });
    await until(() => existsSync(told));
    const devices = readFileSync(told, "utf8").match(/^ *[a-z]+[0-9]*:/gm) ?? [];
    expect(devices.map((name) => name.trim()).filter((name) => name !== "lo:")).toEqual([]);
    // The shell becomes the sleeper a moment after it told.
    await until(() => sleepers(nap(3)).length === 1);
    await pool.stop("fake");
    await until(() => sleepers(nap(3)).length === 0);
  });

  test("counts its own process out", { timeout: 60_000 }, async () => {
    await outlivesItsLimit(context());
  });

  test("a real server works in it", { timeout: 120_000 }, async () => {
    await definesPython("no_network", { ...context(), binFolders: [join(modules, ".bin")] });
  });

  test.each<SandboxName>(["read_only", "read_only_no_network"])(
    "cannot make a workspace read-only, so %s is refused",
    async (sandbox) => {
      const server = fakeServer(scenarios(), {}, { sandbox });
      const pool = poolOf(workspace({}), [server], {}, context());
      await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject({
        code: "lsp/no-sandbox",
        message: expect.stringContaining("bubblewrap (`bwrap`) is not installed"),
      });
    },
  );
});

describe("without a sandbox that can be had, no server", () => {
  const refused = (why: string) => ({ code: "lsp/no-sandbox", message: expect.stringContaining(why) });

  test.runIf(process.platform === "linux").each<[string, string | undefined, string]>([
    ["bubblewrap is not installed", undefined, "is not installed"],
    [
      "the system forbids it",
      "echo 'bwrap: No permissions to create new namespace' >&2; exit 1",
      "No permissions",
    ],
    ["it fails without a word", "exit 3", "the sandbox failed"],
  ])("%s", async (_when, script, why) => {
    const bin = workspace({});
    const started = join(bin, "started");
    if (script !== undefined) {
      write(join(bin, "bwrap"), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, "bwrap"), 0o755);
    }
    const server = fakeServer(
      scenarios(),
      { on: { initialize: [{ save: started }] } },
      { sandbox: "read_only" },
    );
    const pool = poolOf(workspace({}), [server], {}, { env: { PATH: bin } });
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(refused(why));
    expect(existsSync(started)).toBe(false);
    expect(pool.status()).toMatchObject([{ state: "unavailable" }]);
  });

  test.runIf(process.platform === "linux")("an untrusted bubblewrap is not used", async () => {
    const strange = workspace({ bwrap: '#!/bin/sh\nshift 9; exec "$@"\n' });
    chmodSync(join(strange, "bwrap"), 0o755);
    const server = fakeServer(scenarios(), {}, { sandbox: "no_network" });
    const pool = poolOf(workspace({}), [server], {}, { env: { PATH: strange }, avoid: [strange] });
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(refused("is not installed"));
  });

  test.runIf(process.platform === "linux")("a bubblewrap of the workspace is none", async () => {
    const root = workspace({ "bin/bwrap": '#!/bin/sh\nshift 9; exec "$@"\n' });
    chmodSync(join(root, "bin/bwrap"), 0o755);
    const server = fakeServer(scenarios(), {}, { sandbox: "no_network" });
    const pool = poolOf(root, [server], {}, { env: { PATH: join(root, "bin") } });
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(refused("is not installed"));
  });

  test("a server that runs elsewhere cannot be confined", async () => {
    const server = fakeServer(
      scenarios(),
      {},
      { sandbox: "no_network", transport: { kind: "pipe", mode: "connect", path: "x.sock" } },
    );
    const pool = poolOf(workspace({}), [server]);
    await expect(pool.get("fake", undefined, signal())).rejects.toMatchObject(refused("runs elsewhere"));
  });
});
