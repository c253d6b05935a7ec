/**
 * A repository that ships what our own folders would have: a record of trust, a user config, an installed server. It
 * must not count where HOME or a variable of the XDG specification is empty or relative.
 */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run } from "./run.js";

let top: string;
let repository: string;
/** Exists if one of the programs was started. */
let trace: string;

function write(name: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(repository, name)), { recursive: true });
  writeFileSync(join(repository, name), text, { mode });
}

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "relative-folders-")));
  repository = join(top, "repository");
  trace = join(top, "started");
  mkdirSync(join(repository, ".git"), { recursive: true });
  mkdirSync(join(top, "home"));
  const program = `#!/bin/sh\necho "$0" >>'${trace}'\n`;
  write("a.ts", "export const a = 1;\n");
  write("b.b", "b\n");
  for (const bin of ["node_modules/.bin", ".local/share/lsp-proxy/servers/typescript/1/bin"])
    write(`${bin}/typescript-language-server`, program, 0o755);
  write(".local/share/lsp-proxy/servers/typescript/1/installed.json", "{}");
  // Which programs of the user are started for what, only the user's own config says.
  write("../tools/program", program, 0o755);
  const command = JSON.stringify(join(top, "tools/program"));
  write(
    ".config/lsp-proxy/config.toml",
    `[allow]\ncommands = [${command}]\n[[servers]]\nid = "other"\ncommand = ${command}\nextensions = ["b"]\n`,
  );
  write(
    ".local/state/lsp-proxy/trusted.json",
    JSON.stringify({ version: 1, configs: [], folders: [repository] }),
  );
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const attempt = (words: string[], env: { [name: string]: string }) =>
  run(words, {
    cwd: repository,
    env: {
      HOME: join(top, "home"),
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      XDG_STATE_HOME: join(top, "state"),
      XDG_CONFIG_HOME: join(top, "config"),
      XDG_DATA_HOME: join(top, "data"),
      NODE_DISABLE_COMPILE_CACHE: "1",
      ...env,
    },
  });

describe.skipIf(process.platform === "win32")("a repository with folders like our own", () => {
  it.each([
    { HOME: "", XDG_STATE_HOME: "" },
    { HOME: ".", XDG_STATE_HOME: "" },
    { XDG_STATE_HOME: ".local/state" },
    { XDG_CONFIG_HOME: ".config" },
    { XDG_DATA_HOME: ".local/share" },
    { HOME: "", XDG_STATE_HOME: ".local/state", XDG_CONFIG_HOME: ".config", XDG_DATA_HOME: ".local/share" },
  ] as { [name: string]: string }[])("is not trusted, nor run, nor loaded, with %j", async (env) => {
    const { stdout: trusted } = await attempt(["trust", "--list"], env);
    expect(trusted).not.toContain(repository);
    const { stdout, stderr } = await attempt(["doctor"], env);
    expect(stdout, stderr).toContain("no config was found");
    expect(stdout).toContain("servers in the workspace's node_modules/.bin are not used");
    expect(existsSync(trace)).toBe(false);
    const { stdout: servers } = await attempt(["install", "--list"], env);
    expect(servers).not.toContain("typescript");
  });

  it("is run where its user really trusts it, as the trace shows", async () => {
    await attempt(["trust", "--yes"], {});
    await attempt(["doctor"], {});
    expect(existsSync(trace)).toBe(true);
  });
});
