import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run } from "../cli/run.js";
import { binaries, repository } from "./session.js";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-default-")));
  cpSync(join(repository, "test", "fixtures", "typescript"), folder, { recursive: true });
  cpSync(join(repository, "test", "fixtures", "python"), folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A PATH with Node and the system's programs, but none of the repository's. */
const barePath = [join(process.execPath, ".."), "/usr/bin", "/bin"].join(":");

describe("without any config", () => {
  it("serves the languages whose servers are installed", async () => {
    const { code, stdout } = await run(["explain", "--json"], { cwd: folder });
    expect(code).toBe(0);
    const plan = JSON.parse(stdout);
    expect(plan.servers.map((server: { id: string }) => server.id)).toEqual(
      expect.arrayContaining(["pyright", "typescript"]),
    );
    expect(plan.allow.effects).toEqual(["read"]);
  });

  it("answers a call", async () => {
    const args = JSON.stringify({ file_path: "src/app.ts", symbol_name: "run" });
    const { code, stdout } = await run(["call", "find_references", args], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toMatch(/src\/app\.ts\n {2}5:17-5:20 .*\n {2}9:23-9:26 /);
  });

  it("runs the workspace's own node_modules only when it is trusted", async () => {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(binaries, join(folder, "node_modules", ".bin"));
    const state = {
      PATH: barePath,
      XDG_STATE_HOME: join(folder, "state"),
      XDG_CONFIG_HOME: join(folder, "config"),
    };
    const starts = async (...flags: string[]) => {
      const { stdout } = await run(["explain", ...flags], { cwd: folder, env: state });
      return /starts +tsc --lsp --stdio +\((.*)\)/.exec(stdout)?.[1];
    };
    const own = join(folder, "node_modules", ".bin", "tsc");
    const untrusted = "in the workspace, which is not trusted: `lsp-proxy trust`";
    expect(await starts()).toBe(untrusted);
    expect(await starts("--trust-workspace")).toBe(own);
    expect((await run(["trust", "--yes"], { cwd: folder, env: state })).code).toBe(0);
    expect(await starts()).toBe(own);
    expect((await run(["trust", "--remove"], { cwd: folder, env: state })).code).toBe(0);
    expect(await starts()).toBe(untrusted);
  });
});
