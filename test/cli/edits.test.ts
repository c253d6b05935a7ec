/** Edits from the shell, where each call is a process of its own. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Run, run } from "./run.js";
import { runHere } from "./terminal.js";

let top: string;
const inside = (name: string) => join(top, "work", name);
const text = (name: string) => readFileSync(inside(name), "utf8");

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-cli-edits-")));
  const files = {
    "proxy.toml": `extends = ["./conf/base.toml"]\n[workspace]\nroots = ["."]\ndeny = ["**/.env"]\n`,
    "conf/base.toml": `[allow]\neffects = ["read", "edit"]\n[mcp.tools]\nallow = ["apply_workspace_edit", "create_file", "undo_edit"]\n`,
    "a.txt": "one\n",
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(inside(name)), { recursive: true });
    writeFileSync(inside(name), content);
  }
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Calls in a process of its own, or in this one where that makes no difference. */
function call(tool: string, args: object, runs: typeof run | typeof runHere = run): Promise<Run> {
  const env = { XDG_STATE_HOME: join(top, "state"), XDG_CONFIG_HOME: inside("home") };
  const words = ["call", tool, JSON.stringify(args), "--json", "--config", inside("proxy.toml")];
  return runs(words, { cwd: inside("."), env });
}

const answer = ({ stdout }: Run) => JSON.parse(stdout) as Record<string, unknown>;

it.each(["proxy.toml", "conf/base.toml", "home/lsp-proxy/config.toml", "lspi.toml"])(
  "does not edit %s, which governs it or would",
  async (name) => {
    const before = text("conf/base.toml");
    const args = { file_path: name, content: "", overwrite: true, dry_run: false };
    const refused = await call("create_file", args, runHere);
    expect(refused.code).toBe(1);
    expect(answer(refused)).toMatchObject({ ok: false, error: { code: "edit/own-config" } });
    expect(text("conf/base.toml")).toBe(before);
  },
);

it.each([".env", ".git/hooks/pre-commit", "sub/.git", "sub/.GIT/config"])(
  "does not make %s",
  async (name) => {
    const refused = await call("create_file", { file_path: name, content: "x", dry_run: false }, runHere);
    expect(answer(refused)).toMatchObject({ ok: false, error: { code: "guard/denied" } });
  },
);

const edits = (text: string) => ({
  files: [
    { path: "a.txt", edits: [{ line: 1, character: 1, end_line: 1, end_character: 4, new_text: text }] },
  ],
});

const patience = 180_000;

it("applies in a later process the very edit that an earlier one showed, and undoes it in a third", {
  timeout: patience,
}, async () => {
  const shown = answer(await call("apply_workspace_edit", edits("two")));
  const token = { edit_token: shown.edit_token, dry_run: false };
  const applied = answer(await call("apply_workspace_edit", token));
  expect(applied).toMatchObject({ status: "applied", summary: { files: 1, edits: 1 } });
  expect(text("a.txt")).toBe("two\n");
  const again = answer(await call("apply_workspace_edit", token, runHere));
  expect(again).toMatchObject({ error: { code: "edit/changed" } });
  await call("undo_edit", { undo_token: applied.undo_token, dry_run: false });
  expect(text("a.txt")).toBe("one\n");
});

it("does not apply the preview of another call, a modified preview, or a preview of an older text", {
  timeout: patience,
}, async () => {
  const callHere = (args: object) => call("apply_workspace_edit", args, runHere);
  const shown = answer(await callHere(edits("six")));
  const token = { edit_token: shown.edit_token, dry_run: false };
  const other = answer(await callHere({ ...edits("ten"), ...token }));
  expect(other).toMatchObject({ error: { code: "edit/unknown-token" } });

  const folder = join(top, "state", "lsp-proxy", "previews");
  const [workspace = ""] = readdirSync(folder);
  for (const name of readdirSync(join(folder, workspace))) {
    const file = join(folder, workspace, name);
    expect(statSync(file).mode & 0o077).toBe(0);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"six"', '"bad"'));
  }
  const rewritten = answer(await callHere(token));
  expect(rewritten).toMatchObject({ ok: false });
  expect(text("a.txt")).toBe("one\n");

  const fresh = answer(await callHere(edits("six")));
  writeFileSync(inside("a.txt"), "one and more\n");
  const changed = answer(await callHere({ edit_token: fresh.edit_token, dry_run: false }));
  expect(changed).toMatchObject({ error: { code: "edit/changed" } });
  expect(text("a.txt")).toBe("one and more\n");
});
