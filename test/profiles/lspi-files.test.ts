/** Config files for lspi 0.2: which server serves a file, and folders outside the workspace. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterEach, describe, expect, it } from "vitest";
import { runHere, serveHere } from "../cli/terminal.js";
import { openTestWorkspace } from "../runtime/test-workspace.js";

let top = "";
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** A folder `w` with the config, beside a folder `other`. */
function configFile(text: string): string {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-lspi-files-")));
  for (const folder of ["w/a", "w/b", "other"]) mkdirSync(join(top, folder), { recursive: true });
  writeFileSync(join(top, "w", "lspi.toml"), text);
  return join(top, "w", "lspi.toml");
}

const server = (id: string, more: string) =>
  `[[servers]]\nid = "${id}"\nkind = "rust_analyzer"\nextensions = ["rs"]\n${more}\n`;

describe("two servers of one extension", () => {
  it("load if their root_dir differs, and conflict if it does not", async () => {
    const validate = async (one: string, two: string) => {
      const file = configFile(`workspace_root = "."\n${server("one", one)}${server("two", two)}`);
      const { code, stdout, stderr } = await runHere(["validate", "--config", file]);
      return { code, text: stdout + stderr };
    };
    expect(await validate('root_dir = "a"', 'rootDir = "b"')).toMatchObject({ code: 0 });
    expect(await validate('root_dir = "a"', "")).toMatchObject({ code: 0 });
    const same = await validate('root_dir = "./a"', 'root_dir = "a/"');
    expect(same.code).not.toBe(0);
    expect(same.text).toContain("plan/route-conflict");
    expect((await validate("", 'root_dir = "."')).text).toContain("plan/route-conflict");
  });

  it("serve the files in their root_dir, the deepest first", async () => {
    const hover = (value: string) => ({
      scenario: {
        capabilities: { hoverProvider: true },
        replies: { "textDocument/hover": { contents: value } },
      },
    });
    const work = await openTestWorkspace({
      files: { "a/x.fake": "alpha\n", "a/b/x.fake": "alpha\n", "x.fake": "alpha\n" },
      servers: {
        outer: { ...hover("outer"), config: { root_dir: "work/a" } },
        inner: { ...hover("inner"), config: { root_dir: "work/a/b" } },
        whole: hover("whole"),
      },
      config: { extends: [], mcp: { context: "lspi" } },
    });
    try {
      const serverOf = async (file_path: string) =>
        (await work.call("hover_at", { file_path, line: 1, character: 1 })).structured.server_id;
      expect(await serverOf("a/x.fake")).toBe("outer");
      expect(await serverOf("a/b/x.fake")).toBe("inner");
      expect(await serverOf("x.fake")).toBe("whole");
    } finally {
      await work.close();
    }
  });
});

describe("lspi mcp", () => {
  const listed = async (...words: string[]) => {
    const file = configFile(`[allow]\ncommands = ["rust-analyzer"]\n${server("one", "")}`);
    const { transport, end } = serveHere([...words, "--config", file], { command: "mcp" });
    const client = new Client({ name: "test", version: "0" });
    await client.connect(transport);
    const { tools } = await client.listTools();
    await client.close();
    await end();
    return tools.map(({ name }) => name);
  };

  it("serves lspi's tools, as its flags say", async () => {
    const usual = await listed();
    expect(usual).toContain("find_definition_at");
    expect(usual).not.toContain("rename_symbol");
    const whole = await listed("--read-write");
    expect(whole).toEqual(expect.arrayContaining([...usual, "rename_symbol", "restart_server"]));
    expect(whole).toHaveLength(21);
    expect(await listed("--mode", "refactor", "--read-write", "--warmup")).toEqual(whole);
    expect(await listed("--mode", "navigation")).not.toContain("restart_server");
    expect(await listed("--context", "codex", "--read-only")).toEqual(usual);
  });

  it.each([
    [["--mode", "other"], "--mode takes navigation, refactor"],
    [["--context", "other"], "--context takes full, codex, navigation"],
    [["--read-only", "--read-write"], "not both"],
  ])("%j is refused", async (words, message) => {
    const { code, stderr } = await runHere(["mcp", ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe("root_dir and workspace_folders", () => {
  it("are reported if no root contains them", async () => {
    const validate = async (more: string, workspace = "") => {
      const file = configFile(`${workspace}\n${server("one", more)}`);
      const { code, stdout, stderr } = await runHere(["validate", "--config", file, "--json"]);
      expect(code).toBe(0);
      const { problems } = JSON.parse(stdout || stderr) as { problems: { code: string; pointer: string }[] };
      return problems.map((problem) => `${problem.code} ${problem.pointer}`);
    };
    expect(await validate('root_dir = "a"\nworkspace_folders = ["b"]')).toEqual([]);
    expect(await validate('rootDir = "../other"')).toEqual(["plan/outside-workspace /servers/0/root_dir"]);
    expect(await validate('workspace_folders = ["a", "../other"]')).toEqual([
      "plan/outside-workspace /servers/0/workspace_folders/1",
    ]);
    expect(await validate('root_dir = ".."')).toEqual([]);
    expect(await validate('root_dir = "../other"', '[workspace]\nroots = [".", "../other"]')).toEqual([]);
  });
});
