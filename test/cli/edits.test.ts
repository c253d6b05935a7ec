/** Edits from the shell, each call its own process, as a person or an agent without MCP makes them. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Run, run } from "./run.js";

let top: string;
const inside = (name: string) => join(top, "work", name);
const text = (name: string) => readFileSync(inside(name), "utf8");

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-cli-edits-")));
  const files = {
    "proxy.toml": `extends = ["./conf/base.toml"]\n[workspace]\nroots = ["."]\n`,
    "conf/base.toml": `[allow]\neffects = ["read", "edit"]\n`,
    "a.txt": "one\n",
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(inside(name)), { recursive: true });
    writeFileSync(inside(name), content);
  }
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

function call(tool: string, args: object): Promise<Run> {
  const env = { XDG_STATE_HOME: join(top, "state"), XDG_CONFIG_HOME: inside("home") };
  const words = ["call", tool, JSON.stringify(args), "--json", "--config", inside("proxy.toml")];
  return run(words, { cwd: inside("."), env });
}

const answer = ({ stdout }: Run) => JSON.parse(stdout) as Record<string, unknown>;

it.each(["proxy.toml", "conf/base.toml", "home/lsp-proxy/config.toml", "lspi.toml"])(
  "does not edit %s, which governs it or would",
  async (name) => {
    const before = text("conf/base.toml");
    const args = { file_path: name, content: "", overwrite: true, dry_run: false };
    const refused = await call("create_file", args);
    expect(refused.code).toBe(1);
    expect(answer(refused)).toMatchObject({ ok: false, error: { code: "edit/own-config" } });
    expect(text("conf/base.toml")).toBe(before);
  },
);
