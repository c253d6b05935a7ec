/** The shipped profiles on the command line: they compile, they weigh what they weigh, and bad texts have a place. */
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { repository } from "../live/session.js";
import { runHere } from "./terminal.js";

const profiles = readdirSync(join(repository, "configs", "profiles")).map((name) =>
  name.replace(/\.toml$/, ""),
);
const seven = ["codeflow", "gateway", "llxprt", "lspi", "lspi-codex", "lspi-navigation", "pathfinder"];

let folder = "";
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function config(text: string): string {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-profiles-")));
  const file = join(folder, "lspi.toml");
  writeFileSync(file, text);
  return file;
}

const server = '[allow]\ncommands = ["rust-analyzer"]\n[[servers]]\nid = "r"\nkind = "rust-analyzer"\n';

describe("profiles", () => {
  it("are all there", () => {
    expect(profiles).toEqual(expect.arrayContaining([...seven, "default", "full", "codex", "navigation"]));
  });

  it.each(profiles)("%s compiles and is weighed", async (name) => {
    const file = config(server);
    const { code, stdout, stderr } = await runHere(["tools", "--config", file, "--context", name, "--json"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const { tools, total } = JSON.parse(stdout) as {
      tools: { bytes: number }[];
      total: { bytes: number; tokens: number };
    };
    expect(tools.length).toBeGreaterThan(0);
    expect(total.bytes).toBe(tools.reduce((sum, tool) => sum + tool.bytes, 0));
    expect(total.bytes).toBeLessThan(name === "default" ? 9216 : 32_768);
  });

  it.each([
    ["codeflow", "find_definition"],
    ["lspi", "find_references"],
  ])("%s asks for the file and the name in %s, as its documents do", async (context, tool) => {
    const { stdout } = await runHere([
      "schema",
      "--config",
      config(server),
      "--context",
      context,
      "--tool",
      tool,
    ]);
    expect(JSON.parse(stdout).required.toSorted()).toEqual(["file_path", "symbol_name"]);
  });

  it.each(["codex", "navigation", "full"])("lspi's context %s still loads", async (context) => {
    const file = config(
      `workspace_root = "."\n${server}[mcp]\ncontext = "${context}"\n[mcp.tools]\nexclude = ["hover_at"]\n`,
    );
    const { code, stderr } = await runHere(["validate", "--config", file]);
    expect(code).toBe(0);
    expect(stderr).toContain("plan/absent-tool");
    expect(stderr).toContain("`lspi`");
  });
});

it("shows a text that cannot be used with its place, beside all other problems", async () => {
  const file = config(`${server}
[dialect.errors]
text = "Error: {{message"

[[tools]]
name = "outline"
input = "document"
output = "document_symbols"
text = "{{#with symbols}}{{this}}{{/with}}"
request = { method = "textDocument/nothing", params = "text_document" }
`);
  const { code, stderr } = await runHere(["validate", "--config", file]);
  expect(code).toBe(3);
  expect(stderr).toContain("lspi.toml:8:8");
  expect(stderr).toContain("lspi.toml:14:8");
  expect(stderr).toContain("`with`, which text templates do not support");
  expect(stderr).toContain("plan/unknown-method");
});
