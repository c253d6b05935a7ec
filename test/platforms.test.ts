/** The branches of macOS and Windows, exercised on whichever system the tests run. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { realPath } from "../src/base/disk.js";
import { GlobBudget } from "../src/base/glob.js";
import { isStillAt } from "../src/base/guarded-open.js";
import { folded, pathOfUri } from "../src/base/paths.js";
import { environmentOf, type Platform, platformNamed, platforms } from "../src/base/platform.js";
import { projectBins } from "../src/cli/folder-trust.js";
import { linkProgram } from "../src/cli/install/install-server.js";
import { serversFolder } from "../src/config/state-folder.js";
import { allSockets, shownFile, socketOf } from "../src/hub/hub-folder.js";
import { serverEnv } from "../src/lsp/process/environment.js";
import { commandLine } from "../src/lsp/process/launcher-script.js";
import { ownerMark, ProcessTree } from "../src/lsp/process/process-tree.js";
import { findCommand } from "../src/lsp/process/search.js";
import { openWatchSource } from "../src/lsp/watch/watch-source.js";
import { lifeOf, ownIdentity } from "../src/workspace/edits/lock.js";
import { diskWithLinks } from "../src/workspace/edits/real-disk.js";
import { openGate, RealPaths } from "../src/workspace/gate.js";
import { parseIgnoreRules, verdictOf } from "../src/workspace/ignore-rules.js";
import { afterThis } from "./after-this.js";
import { fakePlan, fakeServer } from "./fake-server/index.js";
import { act, alive, ask, session, until } from "./lsp/support.js";
import { applyNow, create, makeBench, remove, rename } from "./workspace/edits/bench.js";

const { linux, darwin, win32 } = platforms;
const all: [string, Platform][] = [
  ["Linux", linux],
  ["macOS", darwin],
  ["Windows", win32],
];
/** A system runs its own branches, and those that need less of the system. */
const possible = all.filter(([, platform]) => platform !== linux || process.platform === "linux");

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-platform-")));
  afterThis(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe.each(possible)("the disk of %s", (_name, platform) => {
  const disk = diskWithLinks(linkSync, platform);

  test("edits, renames and undoes", async () => {
    const bench = makeBench();
    afterThis(() => bench.remove());
    bench.write("a.ts", "one\n");
    bench.write("old/b.ts", "two\n");
    const before = bench.snapshot();
    const edits = await bench.open({}, disk);
    const applied = await applyNow(edits, [
      bench.change("a.ts", "one", "uno"),
      create("new.ts", "new\n"),
      rename("old", "moved"),
    ]);
    expect(bench.text("a.ts")).toBe("uno\n");
    expect(bench.text("moved/b.ts")).toBe("two\n");
    const removed = await applyNow(edits, [remove("new.ts")]);
    expect(existsSync(join(bench.root, "new.ts"))).toBe(false);
    for (const { undoToken } of [removed, applied]) await edits.undo(undoToken);
    expect(bench.snapshot()).toEqual(before);
  });

  test("does nothing in a folder that was replaced by a link", async () => {
    const top = folder();
    mkdirSync(join(top, "real"));
    writeFileSync(join(top, "real", "a"), "one");
    symlinkSync(join(top, "real"), join(top, "link"));
    await expect(disk.unlink(join(top, "link", "a"))).rejects.toThrow();
    await expect(disk.write(join(top, "link", "b"), Buffer.from("x"), "default")).rejects.toThrow();
    expect(readdirSync(join(top, "real"))).toEqual(["a"]);
  });
});

describe.each(possible)("on %s", (_name, platform) => {
  test("an open file is known to be at its path, and no longer after a swap", async () => {
    const top = folder();
    const path = join(top, "a");
    writeFileSync(path, "one");
    const handle = await open(path);
    afterThis(() => handle.close());
    expect(await isStillAt(handle, path, platform)).toBe(true);
    renameSync(path, join(top, "b"));
    symlinkSync(join(top, "b"), path);
    expect(await isStillAt(handle, path, platform)).toBe(false);
  });

  test("a holder of a lock is known to live", async () => {
    const own = await ownIdentity(platform);
    expect(await lifeOf(own, own, platform)).toBe("alive");
    // Process ids end far below.
    expect(await lifeOf({ ...own, pid: 2 ** 30 }, own, platform)).toBe("dead");
  });
});

/** Lets `realpath` find names as macOS does: in any letter case and in both forms of an accent. These are the real ones. */
function withTolerantNames(real: readonly string[]): void {
  const native = realpathSync.native;
  const spy = vi.spyOn(realpathSync, "native").mockImplementation(((path: string) => {
    const steps = path.split(sep).filter((step) => step !== "");
    const found = steps.reduce((at, step) => {
      return join(native(at), real.find((name) => folded(name) === folded(step)) ?? step);
    }, resolve("/"));
    return native(found);
  }) as typeof native);
  afterThis(() => spy.mockRestore());
}

describe("names on macOS", () => {
  const composed = "caf\u00e9.ts";
  const decomposed = composed.normalize("NFD");

  test.each([
    ["in other letter case", "SRC/Main.ts", "src/main.ts"],
    ["with an accent as one character", `src/${composed}`, `src/${decomposed}`],
  ])("a file is found by a name %s, and shown by its own", async (_name, asked, own) => {
    const root = folder();
    mkdirSync(join(root, "src"));
    writeFileSync(join(root, own), "one");
    // As there, the file can also be looked at by the other name.
    mkdirSync(join(root, dirname(asked)), { recursive: true });
    linkSync(join(root, own), join(root, asked));
    if (dirname(asked) !== dirname(own)) linkSync(join(root, own), join(root, dirname(own), basename(asked)));
    withTolerantNames(own.split("/"));
    const gate = await openGate({ roots: [root], extraRoots: [], deny: [] });
    expect((await gate.admitFile(asked)).shown).toBe(own);
    const paths = new RealPaths(darwin);
    // Twice: the second time its folder is known.
    for (let time = 0; time < 2; time++) expect(paths.of(join(root, asked))).toBe(join(root, own));
    expect(realPath(join(root, asked))).toBe(join(root, own));
    const uri = pathToFileURL(join(root, asked)).href;
    expect(gate.show(uri, (path) => paths.of(path))?.shown).toBe(own);
  });

  test("a folder that is denied with a composed accent is denied with a decomposed one", async () => {
    const root = folder();
    const denied = "Ge\u0301heim";
    mkdirSync(join(root, denied));
    writeFileSync(join(root, denied, "a.ts"), "one");
    const gate = await openGate({ roots: [root], extraRoots: [], deny: ["g\u00e9heim"] });
    await expect(gate.admitFile(`${denied}/a.ts`)).rejects.toThrow("workspace.deny");
  });

  test("rules of ignore files have no letter case and both forms of an accent", () => {
    const verdict = (name: string, platform: Platform) =>
      verdictOf(parseIgnoreRules("Build\ncaf\u00e9.ts\n", platform).rules, name, false, new GlobBudget());
    for (const name of ["build", decomposed]) {
      expect(verdict(name, darwin)).toBe(true);
      expect(verdict(name, linux)).toBeUndefined();
    }
  });

  test("paths through the links /tmp and /var of macOS name the files of /private", async () => {
    const top = folder();
    const root = join(top, "private", "tmp", "project");
    mkdirSync(root, { recursive: true });
    symlinkSync(join("private", "tmp"), join(top, "tmp"));
    writeFileSync(join(root, "a.ts"), "one");
    const linked = join(top, "tmp", "project");
    const gate = await openGate({ roots: [linked], extraRoots: [], deny: [] });
    expect(gate.roots).toEqual([root]);
    const paths = new RealPaths(darwin);
    for (const path of [join(root, "a.ts"), join(linked, "a.ts")]) {
      expect((await gate.admitFile(path)).path).toBe(join(root, "a.ts"));
      const uri = pathToFileURL(path).href;
      expect((await gate.admitFile(uri)).shown).toBe("a.ts");
      expect(gate.show(uri, (one) => paths.of(one))?.shown).toBe("a.ts");
    }
    // A file that does not exist yet is in the real folder, too.
    expect((await gate.admit(join(linked, "new.ts"))).path).toBe(join(root, "new.ts"));
  });
});

describe.each([
  ["macOS", darwin],
  ["Windows", win32],
])("the watch of %s", (_name, platform) => {
  test("is one for the whole tree, and reports files in folders that are new", async () => {
    const root = folder();
    mkdirSync(join(root, "src"));
    const seen = new Set<string>();
    const source = openWatchSource(
      [root],
      { changed: (path) => void seen.add(relative(root, path)), lost: () => {}, unwatched: () => {} },
      platform,
    );
    afterThis(() => source.close());
    expect(source.capacity).toBe(Number.POSITIVE_INFINITY);
    expect(source.add(root)).toBe(true);
    expect(source.add(join(root, "src"))).toBe(true);
    expect(source.add(dirname(root))).toBe(false);
    writeFileSync(join(root, "src", "a.ts"), "one");
    await expect.poll(() => [...seen], { timeout: 20_000 }).toContain(join("src", "a.ts"));
    mkdirSync(join(root, "new"));
    writeFileSync(join(root, "new", "b.ts"), "one");
    await expect.poll(() => [...seen].some((path) => path.startsWith("new")), { timeout: 20_000 }).toBe(true);
  });
});

/** Where `ps` lists processes as on macOS. */
const hasPs = existsSync("/bin/ps") || existsSync("/usr/bin/ps");

describe.runIf(hasPs && process.platform !== "win32")("servers on macOS, without /proc and prlimit", () => {
  const limits = { openFiles: 64, nice: null, processes: 8, memoryMb: 4_096 };

  test("a server runs, its memory is known, and a limit that cannot be set is reported", async () => {
    const logged: string[] = [];
    const log = (_level: string, message: string) => void logged.push(message);
    const { server } = await session({}, { context: { platform: darwin, log }, server: { limits } });
    expect(await ask(server, "fake/children")).toEqual([]);
    expect(logged.filter((line) => line.startsWith("limits."))).toEqual([
      "limits.open_files = 64 could not be set",
    ]);
  });

  test("nothing that a server started is left", async () => {
    const { server, pool } = await session({}, { context: { platform: darwin }, server: { limits } });
    await act(server, { spawn: true });
    const children = (await ask(server, "fake/children")) as number[];
    expect(children.map(alive)).toEqual([true]);
    await pool.close();
    await until(() => !children.some(alive));
  });
});

test("other Unixes are like macOS, but names differ by letter case and each folder needs a watch", () => {
  const { hasProc, ignoresCase, hasRecursiveWatch } = platformNamed("freebsd");
  expect({ hasProc, ignoresCase, hasRecursiveWatch }).toEqual({
    hasProc: false,
    ignoresCase: false,
    hasRecursiveWatch: false,
  });
});

describe("on Windows", () => {
  /** The two scripts that npm writes for a program, and the script of Node that they run. */
  function npmScripts(bin: string, name: string): string {
    const script = join(bin, "node_modules", name, "cli.js");
    mkdirSync(dirname(script), { recursive: true });
    writeFileSync(script, "", { mode: 0o755 });
    writeFileSync(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
    const run = `"%_prog%"  "%dp0%\\node_modules\\${name}\\cli.js" %*`;
    const lines = ["@ECHO off", 'IF EXIST "%dp0%\\node.exe" (', ") ELSE (", '  SET "_prog=node"', ")", run];
    writeFileSync(join(bin, `${name}.cmd`), lines.join("\r\n"), { mode: 0o755 });
    return script;
  }

  test("the program of a command is found by its name without the ending", () => {
    const bin = folder();
    for (const name of ["server.exe", "other", "batch.bat", "both.exe", "both.cmd"])
      writeFileSync(join(bin, name), "", { mode: 0o755 });
    const find = (name: string, platform = win32, pathExt?: string) =>
      findCommand(name, [bin], undefined, [], platform, pathExt);
    expect(find("server")).toBe(join(bin, "server.exe"));
    expect(find("server.exe")).toBe(join(bin, "server.exe"));
    expect(find("batch")).toBe(join(bin, "batch.bat"));
    expect(find("both")).toBe(join(bin, "both.exe"));
    expect(find("both", win32, ".JS;.CMD;.EXE")).toBe(join(bin, "both.cmd"));
    expect(find("batch", win32, ".EXE")).toBe(join(bin, "batch.bat"));
    expect(find("server", linux, ".EXE")).toBeUndefined();
    // A script for a Unix shell cannot be started.
    expect(find("other")).toBeUndefined();
    expect(find("server", linux)).toBeUndefined();
  });

  test("a script of npm counts as the Node script that it runs", () => {
    const bin = folder();
    const script = npmScripts(bin, "tool");
    for (const name of ["tool", "tool.cmd", join(bin, "tool"), join(bin, "tool.cmd")])
      expect(findCommand(name, [bin], undefined, [], win32)).toBe(script);
    expect(findCommand("tool", [bin], undefined, [bin], win32)).toBeUndefined();
    expect(commandLine(script, ["--stdio"], win32)).toEqual({
      file: process.execPath,
      args: [script, "--stdio"],
      windowsVerbatimArguments: false,
    });
  });

  test("pnpm's scripts are read too, and those that run something else stay as they are", () => {
    const bin = folder();
    const write = (text: string) => writeFileSync(join(bin, "a.cmd"), text, { mode: 0o755 });
    mkdirSync(join(bin, "x"));
    writeFileSync(join(bin, "x", "cli.mjs"), "", { mode: 0o755 });
    const find = () => findCommand("a", [bin], undefined, [], win32);
    write('@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\x\\cli.mjs" %*\r\n)\r\n');
    expect(find()).toBe(join(bin, "x", "cli.mjs"));
    for (const text of ['@"%~dp0\\x\\cli.mjs" %*\r\n', '@set A=1\r\n@"%~dp0\\y.exe" %*\r\n']) {
      write(text);
      expect(find()).toBe(join(bin, "a.cmd"));
    }
    write('@"%~dp0\\x\\cli.mjs" %*\r\n');
    expect(find()).toBe(join(bin, "a.cmd"));
    write('@SET "_prog=node"\r\n"%_prog%" "%dp0%\\missing.js" %*\r\n');
    expect(find()).toBe(join(bin, "a.cmd"));
  });

  test("a batch file is started with each argument quoted, and not with one that `cmd` would read", () => {
    const line = commandLine("C:\\b & c\\a.bat", ["--x", "C:\\d (1)\\"], win32);
    expect(line.file).toMatch(/cmd\.exe$/);
    expect(line.args).toEqual(["/d", "/s", "/c", '""C:\\b & c\\a.bat" "--x" "C:\\d (1)\\\\""']);
    expect(line.windowsVerbatimArguments).toBe(true);
    for (const word of ['" & calc', "%PATH%", "a\nb", "a\rb"])
      expect(() => commandLine("a.cmd", [word], win32)).toThrow("script of Windows");
    expect(commandLine("a.exe", ['"'], win32)).toMatchObject({ file: "a.exe", args: ['"'] });
    expect(commandLine("a.cmd", ["%A%"], linux)).toMatchObject({ file: "a.cmd", args: ["%A%"] });
  });

  test("an installed server has a script in place of a link, and is found by it", () => {
    const own = folder();
    const script = npmScripts(join(own, "node_modules", ".bin"), "tool");
    const native = join(own, "venv", "Scripts", "lint.exe");
    mkdirSync(dirname(native), { recursive: true });
    writeFileSync(native, "", { mode: 0o755 });
    for (const [path, name, target] of [
      [join(own, "node_modules", ".bin", "tool"), "tool", script],
      [join(dirname(native), "lint"), "lint", native],
    ] as const) {
      rmSync(join(own, "bin"), { recursive: true, force: true });
      linkProgram(path, name, own, win32);
      expect(readdirSync(join(own, "bin"))).toEqual([`${name}.cmd`]);
      chmodSync(join(own, "bin", `${name}.cmd`), 0o755);
      expect(findCommand(name, [join(own, "bin")], undefined, [], win32)).toBe(target);
    }
    expect(() => linkProgram(join(own, "none"), "none", own, win32)).toThrow("contain no program");
  });

  test("variables are found by their usual names, also in a copy", () => {
    expect(environmentOf({ Path: "a", SystemRoot: "b" }, win32)).toEqual({ PATH: "a", SYSTEMROOT: "b" });
    expect(environmentOf({ Path: "a" }, linux)).toEqual({ Path: "a" });
  });

  test("a server inherits a variable that the config names in other letter case", () => {
    const root = folder();
    const plan = fakePlan([], { allow: { ...fakePlan([]).allow, env: ["MyValue"] } });
    const server = fakeServer(root, {});
    const inherited = (platform: Platform) => {
      const env = environmentOf({ MyValue: "1" }, platform);
      const context = {
        roots: [root],
        base: root,
        env,
        binFolders: [],
        trusted: [root],
        avoid: [],
        platform,
      };
      return serverEnv({ plan, server, root, context }).env.MyValue;
    };
    for (const platform of [win32, linux]) expect(inherited(platform)).toBe("1");
  });

  test("URIs of drives and shares lead to real paths, however they are escaped", () => {
    for (const uri of ["file:///c%3A/Work/a%20b.ts", "file:///c:/Work/a%20b.ts", "file:///C:/Work/a b.ts"])
      expect(pathOfUri(uri, win32)).toBe("C:\\Work\\a b.ts");
    expect(pathOfUri("file://machine/share/a.ts", win32)).toBe("\\\\machine\\share\\a.ts");
    expect(pathOfUri("file:///c%3A/a.ts", linux)).toBe("/c:/a.ts");
  });

  test("no other machine is asked about a file outside the workspace", async () => {
    const gate = await openGate({ roots: [folder()], extraRoots: [], deny: [] }, win32);
    const spy = vi.spyOn(realpathSync, "native");
    afterThis(() => spy.mockRestore());
    const uri = "file://other/share/a.ts";
    await expect(gate.admitFile(uri)).rejects.toMatchObject({ code: "guard/outside-root" });
    const followed: string[] = [];
    const follow = (path: string) => {
      followed.push(path);
      return path;
    };
    expect(gate.show(uri, follow)).toBeUndefined();
    expect([...followed, ...spy.mock.calls]).toEqual([]);
  });

  test("pipes of hubs are found by files in the hubs' folder", () => {
    const hubs = folder();
    const pipe = socketOf(hubs, "0123abcd", win32);
    expect(allSockets(hubs, win32)).toEqual([]);
    writeFileSync(shownFile(hubs, pipe, win32), "");
    expect(allSockets(hubs, win32)).toEqual([pipe]);
    expect(shownFile(hubs, join(hubs, "0123abcd.sock"), linux)).toBe(join(hubs, "0123abcd.sock"));
  });

  test.runIf(process.platform !== "win32")(
    "a server is ended, also where `taskkill` cannot be run",
    async () => {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
      afterThis(() => void child.kill("SIGKILL"));
      const tree = new ProcessTree(child.pid ?? 0, ownerMark(), win32);
      expect([tree.memoryMb, tree.size]).toEqual([null, null]);
      // The id of a process that has ended may be another's.
      tree.signal("SIGKILL", false);
      expect(await tree.gone(200)).toBe(false);
      tree.signal("SIGTERM");
      expect(await tree.gone(20_000)).toBe(true);
    },
  );

  test("data of the program is in the user's own folder for it", () => {
    const env = { LOCALAPPDATA: "/data" };
    expect(serversFolder(env, "/home/me", win32)).toBe(join("/data", "lsp-proxy", "servers"));
    expect(serversFolder(env, "/home/me", linux)).toBe(
      join("/home/me", ".local", "share", "lsp-proxy", "servers"),
    );
  });

  test("the programs of a Python environment are in Scripts", () => {
    expect(projectBins("/w", win32)).toContain(join("/w", ".venv", "Scripts"));
    expect(projectBins("/w", darwin)).toContain(join("/w", ".venv", "bin"));
  });
});
