/** A start on a Node that the build left no code for: Node keeps what it compiles, where nobody else can write. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
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
import { program, repository, testEnvironment } from "../live/session.js";

/** Stands in for Node's own cache, which the oldest Node has not, and writes down which folder it was given. */
const standIn = `
const node = require("node:module");
let folder = process.env.NODE_COMPILE_CACHE;
node.getCompileCacheDir = () => folder;
node.enableCompileCache = (given) => {
  folder = given;
  require("node:fs").appendFileSync(process.env.CACHE_TRACE, given);
};
`;

let folder: string;
/** The program as another Node finds it: no code for it. */
let other: string;
let state: string;
const own = () => join(state, "lsp-proxy", "compiled");
const trace = () => join(folder, "trace.txt");

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-cache-")));
  for (const name of ["dist", "configs", "templates", "package.json"])
    cpSync(join(repository, name), join(folder, "other", name), { recursive: true });
  rmSync(join(folder, "other", "dist", "cli", "compiled"), { recursive: true });
  other = join(folder, "other", "dist", "cli", "bin.js");
  writeFileSync(join(folder, "lspi.toml"), '[[servers]]\nid = "py"\nkind = "pyright"\n');
  writeFileSync(join(folder, "stand-in.cjs"), standIn);
});
beforeEach(() => {
  state = join(folder, "state");
  for (const path of [state, trace()]) rmSync(path, { recursive: true, force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A whole session; fails where the program does not answer or does not end well. */
function start(bin: string, options: string[] = [], env: NodeJS.ProcessEnv = {}): void {
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "0" } };
  const answer = execFileSync(
    process.execPath,
    [...options, bin, "serve", "--config", join(folder, "lspi.toml")],
    {
      env: { ...testEnvironment(), XDG_STATE_HOME: state, CACHE_TRACE: trace(), ...env },
      input: `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: hello })}\n`,
      stdio: ["pipe", "pipe", "ignore"],
      cwd: folder,
    },
  );
  expect(JSON.parse(answer.toString())).toMatchObject({ id: 0, result: { serverInfo: {} } });
}

/** The folder that Node was told to keep code in, if it was. */
function told(bin: string, env: NodeJS.ProcessEnv = {}): string | undefined {
  start(bin, ["--require", join(folder, "stand-in.cjs")], env);
  return existsSync(trace()) ? readFileSync(trace(), "utf8") : undefined;
}

describe("a start without code for this Node", () => {
  it("keeps it in the state folder, for its user alone", () => {
    expect(told(other)).toBe(own());
    expect(statSync(own()).mode & 0o777).toBe(0o700);
  });

  const node = `${process.version}-${process.platform}-${process.arch}`;
  // Another Node may have built the program.
  const isBuilder = existsSync(join(repository, "dist", "cli", "compiled", node));
  it.runIf(isBuilder)("keeps nothing where the build left the code", () => {
    expect(told(program)).toBeUndefined();
    expect(existsSync(own())).toBe(false);
  });

  it("leaves a cache of the user's own alone, and one that is forbidden", () => {
    expect(told(other, { NODE_COMPILE_CACHE: join(folder, "users") })).toBeUndefined();
    expect(told(other, { NODE_DISABLE_COMPILE_CACHE: "" })).toBeUndefined();
    expect(existsSync(own())).toBe(false);
  });

  it("starts where the folder cannot be made, or depends on where it is started", () => {
    writeFileSync(state, "a file");
    expect(told(other)).toBeUndefined();
    expect(told(other, { XDG_STATE_HOME: "relative" })).toBeUndefined();
    expect(existsSync(join(folder, "relative"))).toBe(false);
  });
});

describe.runIf(process.platform !== "win32")("a folder that others can write to", () => {
  it.each(["compiled", "above"])("is not used (%s)", (which) => {
    mkdirSync(own(), { recursive: true, mode: 0o700 });
    chmodSync(which === "compiled" ? own() : join(state, "lsp-proxy"), 0o770);
    expect(told(other)).toBeUndefined();
  });

  it("is not used by another name", () => {
    mkdirSync(join(folder, "elsewhere"), { recursive: true, mode: 0o700 });
    mkdirSync(join(state, "lsp-proxy"), { recursive: true, mode: 0o700 });
    symlinkSync(join(folder, "elsewhere"), own());
    expect(told(other)).toBeUndefined();
  });

  it.runIf(process.geteuid?.() === 0)("is not used if it is somebody else's", () => {
    mkdirSync(own(), { recursive: true, mode: 0o700 });
    chownSync(own(), 12_345, 12_345);
    expect(told(other)).toBeUndefined();
  });
});

// Node has its cache from 22.8 on.
describe.runIf("enableCompileCache" in module)("Node's own cache", () => {
  /** Every file of it, with what changes when it is written again. */
  const kept = () =>
    readdirSync(own(), { recursive: true, encoding: "utf8" })
      .map((name) => ({ name, facts: statSync(join(own(), name), { bigint: true }) }))
      .filter(({ facts }) => facts.isFile())
      .map(({ name, facts }) => `${name} ${facts.size} ${facts.ino} ${facts.mtimeNs}`);

  it("has the packs after the first start, and fits at the second", () => {
    start(other);
    const first = kept();
    expect(first).toHaveLength(2);
    start(other);
    expect(kept()).toEqual(first);
  });
});
