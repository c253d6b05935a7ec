/** Node's compile cache: code is cached in the state folder, and only where no other user can write. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { program, testEnvironment } from "../live/session.js";

/**
 * Replaces Node's own cache, which Node 20 does not have. It records the folder that it is given, and caches there what is
 * loaded as Node does: one file for each script, written only if there is none for the same text.
 */
const standIn = `
const fs = require("node:fs");
const node = require("node:module");
const { createHash } = require("node:crypto");
let folder = process.env.NODE_COMPILE_CACHE;
node.getCompileCacheDir = () => folder;
node.enableCompileCache = (given) => {
  folder = given;
  fs.appendFileSync(process.env.CACHE_TRACE, given);
  const script = fs.realpathSync(process.argv[1]);
  const key = createHash("sha256").update(script).update(fs.readFileSync(script)).digest("hex");
  const file = require("node:path").join(folder, key);
  if (!fs.existsSync(file)) fs.writeFileSync(file, "code");
};
`;

let folder: string;
let state: string;
const own = () => join(state, "lsp-proxy", "compiled");
const trace = () => join(folder, "trace.txt");

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-cache-")));
  writeFileSync(join(folder, "stand-in.cjs"), standIn);
  writeFileSync(join(folder, "lspi.toml"), '[[servers]]\nid = "py"\nkind = "pyright"\n');
});
beforeEach(() => {
  state = join(folder, "state");
  for (const path of [state, trace()]) rmSync(path, { recursive: true, force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the user of this machine has chosen for Node. */
const unset = { NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined };

/** Runs the program with Node's options and its own words; gives what it printed. */
function run(options: string[], words: string[], env: NodeJS.ProcessEnv = {}, input = ""): string {
  const printed = execFileSync(process.execPath, [...options, program, ...words], {
    env: { ...testEnvironment(), ...unset, XDG_STATE_HOME: state, CACHE_TRACE: trace(), ...env },
    input,
    stdio: ["pipe", "pipe", "ignore"],
    cwd: folder,
  });
  return printed.toString();
}

function start(options: string[], env: NodeJS.ProcessEnv): void {
  expect(run(options, ["--version"], env)).toMatch(/^\d+\.\d+\.\d+\n$/);
}

/** A whole session, which loads most of the program. */
function serve(options: string[]): void {
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "0" } };
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: hello })}\n`;
  const answer = run(options, ["serve", "--config", join(folder, "lspi.toml")], {}, input);
  expect(JSON.parse(answer)).toMatchObject({ id: 0, result: { serverInfo: {} } });
}

/** The folder that was given to Node's cache, if it was enabled. */
function cacheFolder(env: NodeJS.ProcessEnv = {}): string | undefined {
  start(["--require", join(folder, "stand-in.cjs")], env);
  return existsSync(trace()) ? readFileSync(trace(), "utf8") : undefined;
}

describe("the compile cache", () => {
  it("is in the state folder, for its user alone", () => {
    expect(cacheFolder()).toBe(own());
    expect(statSync(own()).mode & 0o777).toBe(0o700);
  });

  it("is not enabled where the user has one or has turned it off", () => {
    expect(cacheFolder({ NODE_COMPILE_CACHE: join(folder, "users") })).toBeUndefined();
    expect(cacheFolder({ NODE_DISABLE_COMPILE_CACHE: "" })).toBeUndefined();
    expect(existsSync(own())).toBe(false);
  });

  it("is not enabled where the folder cannot be made, and is never in a relative one", () => {
    const home = join(folder, "home");
    expect(cacheFolder({ HOME: home, XDG_STATE_HOME: "relative" })).toBe(
      join(home, ".local/state/lsp-proxy/compiled"),
    );
    expect(existsSync(join(folder, "relative"))).toBe(false);
    rmSync(trace());
    writeFileSync(state, "a file");
    expect(cacheFolder()).toBeUndefined();
  });
});

describe.runIf(process.platform !== "win32")("a folder that others can write to", () => {
  it.each(["compiled", "above"])("is not used (%s)", (which) => {
    mkdirSync(own(), { recursive: true, mode: 0o700 });
    chmodSync(which === "compiled" ? own() : join(state, "lsp-proxy"), 0o770);
    expect(cacheFolder()).toBeUndefined();
  });

  it("is not used through a link", () => {
    mkdirSync(join(folder, "elsewhere"), { recursive: true, mode: 0o700 });
    mkdirSync(join(state, "lsp-proxy"), { recursive: true, mode: 0o700 });
    symlinkSync(join(folder, "elsewhere"), own());
    expect(cacheFolder()).toBeUndefined();
  });

  it.runIf(process.geteuid?.() === 0)("is not used if it belongs to another user", () => {
    mkdirSync(own(), { recursive: true, mode: 0o700 });
    chownSync(own(), 12_345, 12_345);
    expect(cacheFolder()).toBeUndefined();
  });
});

/** Every file of the cache, with what changes when it is written again. */
function cachedFiles(): string[] {
  return readdirSync(own(), { recursive: true, encoding: "utf8" })
    .map((name) => ({ name, stats: statSync(join(own(), name), { bigint: true }) }))
    .filter(({ stats }) => stats.isFile())
    .map(({ name, stats }) => `${name} ${stats.size} ${stats.ino} ${stats.mtimeNs}`)
    .toSorted();
}

describe("a second start", () => {
  function expectUnchangedCache(options: string[] = []): void {
    serve(options);
    const first = cachedFiles();
    expect(first).not.toEqual([]);
    serve(options);
    expect(cachedFiles()).toEqual(first);
  }

  // Node has the cache from 22.8 on.
  it.runIf("enableCompileCache" in module)("finds the code cached and writes nothing again", () => {
    expectUnchangedCache();
  });

  it("leaves the cached code of a stand-in as it is", () => {
    expectUnchangedCache(["--require", join(folder, "stand-in.cjs")]);
  });
});
