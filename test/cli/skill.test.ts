/** `skill`: what an agent is told names the tools that the config has, and comes and goes without a trace. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planText } from "../plan/config.js";
import { runHere } from "./terminal.js";

let folder: string;
let home: string;
let project: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-skill-")));
  home = join(folder, "home");
  project = join(folder, "project");
  mkdirSync(join(home, ".codex"), { recursive: true });
  mkdirSync(join(home, ".claude"));
  mkdirSync(project);
  config("");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function config(more: string): void {
  writeFileSync(
    join(project, "lspi.toml"),
    `[allow]\ncommands = ["x"]\n${more}\n[[servers]]\nid = "x"\ncommand = "x"\nextensions = ["x"]\nlanguage_id = "elvish"\n`,
  );
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function skill(...args: string[]) {
  return runHere(["skill", ...args, "--config", join(project, "lspi.toml")], {
    cwd: project,
    env: {
      HOME: home,
      PATH: "",
      CODEX_HOME: "",
      CLAUDE_CONFIG_DIR: "",
      XDG_CONFIG_HOME: "",
      GEMINI_CLI_HOME: "",
    },
  });
}

const files = (of: string) =>
  readdirSync(of, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();

describe("the procedures of a skill", () => {
  it("are the prompts of the gateway, with their names, arguments, steps and bounds", async () => {
    const { stdout } = await skill("print", "--context", "gateway");
    const [, procedures = ""] = stdout.split("## Procedures");
    const { prompts } = planText('[mcp]\ncontext = "gateway"\n');
    expect(prompts).toHaveLength(6);
    const sections = procedures.split(/^### /m).slice(1);
    expect(sections.map((section) => section.split("\n")[0])).toEqual(prompts.map(({ title }) => title));
    for (const [index, { name, description, args, messages }] of prompts.entries()) {
      const section = sections[index] ?? "";
      expect(section).toContain(`\`${name}\`: ${description}`);
      for (const arg of args)
        expect(section).toContain(
          `- \`${arg.name}\`${arg.required ? "" : " (optional)"}: ${arg.description}`,
        );
      // Every step and the bounds, letter by letter.
      const lines = (messages[0]?.text ?? "")
        .split("\n")
        .filter((line) => line !== "" && !line.includes("{{"));
      expect(lines.length).toBeGreaterThan(3);
      for (const line of lines) expect(section).toContain(line);
      expect(section).toContain("at most 10 pages of a list, at most 25 symbols, at most 50 findings");
    }
    expect(procedures).not.toMatch(/\{\{|undefined/);
    const listed = [...stdout.matchAll(/^\| `(vscode[^`]+)`/gm)].map(([, name]) => name);
    expect(listed).toHaveLength(7);
    for (const name of listed) expect(procedures).toContain(`\`${name}\``);
    for (const [, name] of procedures.matchAll(/`(vscode[^`]+)`/g)) expect(listed).toContain(name);
  });

  it("are those of any config with prompts, and of no other", async () => {
    const prompt = (text: string) =>
      `[[prompts]]\nname = "look"\nargs.what = { required = false }\n[[prompts.messages]]\ntext = "${text}"\n`;
    config(prompt("Look at {{one_line what}}{{#unless what}}all{{/unless}} & <b>."));
    const [, procedures = ""] = (await skill()).stdout.split("## Procedures");
    expect(procedures).toContain("### look\n\n`look`\n- `what` (optional)\n\nLook at `what` & <b>.\n");
    config("");
    expect((await skill()).stdout).not.toContain("## Procedures");
    config(prompt("Look at {{waht}}."));
    expect(await skill()).toMatchObject({ code: 3, stderr: expect.stringContaining("plan/bad-text") });
  });
});

describe("what it says", () => {
  it("are the tools and languages of the config, with their rules", async () => {
    const { stdout } = await skill();
    expect(stdout).toMatch(/^---\nname: lsp-proxy\ndescription: ".*elvish.*"\n---\n/);
    expect(stdout).toContain("| `find_references` | ");
    expect(stdout).toContain("`line` and `character`, both counted from 1");
    expect(stdout).not.toMatch(/rename_symbol|preview|undefined/);
    expect(/description: (".*")/.exec(stdout)?.[1]?.length).toBeLessThan(1024);
  });

  it("follows what the config allows, hides, renames and adds", async () => {
    config(
      'effects = ["read", "edit"]\n[mcp]\nname = "mine"\n[mcp.tools]\nexclude = ["get_hover"]\n[dialect]\nposition = { line_base = 0, character_base = 0 }\n[[tools]]\nname = "look_around"\ndescription = "Looks. And more."\ninput = "document"\noutput = "document_symbols"\nrequest = { method = "textDocument/documentSymbol", params = "text_document" }',
    );
    const { stdout } = await skill("print");
    expect(stdout).toContain("name: mine\n");
    expect(stdout).toContain("| `rename_symbol` | ");
    expect(stdout).toContain("| `look_around` | Looks. |");
    expect(stdout).toContain("counted from 0");
    expect(stdout).toContain("preview");
    expect(stdout).not.toContain("get_hover");
    const snippet = await skill("--snippet");
    expect(snippet.stdout).toMatch(/`look_around`[\s\S]*`rename_symbol`/);
    expect(snippet.stdout).not.toContain("get_hover");
  });
});

describe.each([["user"], ["repo"]])("for the %s", (scope) => {
  it("is installed where the clients that are here look, twice without a difference, and removed without a trace", async () => {
    const before = files(folder);
    const base = scope === "user" ? home : project;
    const done = await skill("install", "--scope", scope);
    expect(done.code).toBe(0);
    const made = files(folder).filter((file) => !before.includes(file));
    expect(made).toEqual(
      [".agents", ".claude"].map((name) => join(base, name, "skills", "lsp-proxy", "SKILL.md")),
    );
    expect(readFileSync(made[0] ?? "", "utf8")).toBe((await skill()).stdout);
    expect((await skill("install", "--scope", scope)).stdout).toMatch(/^nothing to change in /);
    expect((await skill("remove", "--scope", scope)).code).toBe(0);
    expect(files(folder)).toEqual(before);
    expect(existsSync(join(base, ".claude", "skills", "lsp-proxy"))).toBe(false);
  });

  it("is a section of the memory file, which is otherwise left as it is", async () => {
    const memory = scope === "user" ? join(home, ".claude", "CLAUDE.md") : join(project, "CLAUDE.md");
    const mine = "# My rules\n\nBe brief.\n";
    write(memory, mine);
    const flags = ["--snippet", "--client", "claude-code", "--scope", scope];
    await skill("install", ...flags);
    const text = readFileSync(memory, "utf8");
    expect(text.startsWith(mine)).toBe(true);
    expect(text).toContain("`find_definition`");
    writeFileSync(memory, `${text}\nMore of mine.\n`);
    config('[mcp.tools]\nexclude = ["find_definition"]');
    expect((await skill("install", ...flags)).stdout).toMatch(/^changed /);
    expect(readFileSync(memory, "utf8")).not.toContain("`find_definition`");
    expect(readFileSync(memory, "utf8")).toContain("More of mine.");
    await skill("remove", ...flags);
    expect(readFileSync(memory, "utf8")).toBe(`${mine}\nMore of mine.\n`);
    expect(readdirSync(dirname(memory)).filter((name) => name.includes("before"))).toEqual([]);
  });
});

it("keeps a skill of that name from another author, unless forced", async () => {
  const file = join(project, ".claude", "skills", "lsp-proxy", "SKILL.md");
  write(file, "mine");
  const refused = await skill("install", "--client", "claude-code");
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("client/taken") });
  expect(readFileSync(file, "utf8")).toBe("mine");
  expect((await skill("install", "--client", "claude-code", "--force")).code).toBe(0);
});

it("keeps a skill that the user has edited, unless forced; the config may change", async () => {
  const file = join(project, ".claude", "skills", "lsp-proxy", "SKILL.md");
  const memory = join(project, "CLAUDE.md");
  const flags = ["--client", "claude-code"];
  for (const [edited, words] of [
    [file, flags],
    [memory, [...flags, "--snippet"]],
  ] as const) {
    config("");
    await skill("install", ...words);
    // A checkout may have other line breaks.
    writeFileSync(edited, readFileSync(edited, "utf8").replaceAll("\n", "\r\n"));
    config('[mcp.tools]\nexclude = ["get_hover"]');
    expect(await skill("install", ...words)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^changed/),
    });
    const mine = readFileSync(edited, "utf8").replace("instead of text search", "instead of grep, please,");
    writeFileSync(edited, mine);
    for (const action of ["install", "remove"])
      expect(await skill(action, ...words)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("client/edited"),
      });
    expect(readFileSync(edited, "utf8")).toBe(mine);
    expect((await skill("install", ...words, "--force")).code).toBe(0);
    expect(readFileSync(edited, "utf8")).not.toContain("please");
    writeFileSync(edited, mine);
    expect((await skill("remove", ...words, "--force")).code).toBe(0);
    expect(existsSync(edited)).toBe(false);
  }
});

it("keeps what other clients here use, unless forced", async () => {
  mkdirSync(join(home, ".cursor"));
  mkdirSync(join(home, ".gemini"));
  for (const [file, words, named] of [
    ["AGENTS.md", ["--snippet"], "cursor"],
    [join(".agents", "skills", "lsp-proxy", "SKILL.md"), [], "gemini"],
  ] as const) {
    await skill("install", ...words);
    expect(await skill("remove", ...words, "--client", named)).toMatchObject({
      code: 0,
      stdout: `left ${file}: Codex also uses it; --yes removes it for all\n`,
    });
    expect(existsSync(join(project, file))).toBe(true);
    expect((await skill("remove", ...words, "--client", named, "--yes")).stdout).toBe(`removed ${file}\n`);
    expect(existsSync(join(project, file))).toBe(false);
    // Who names all of them needs no yes.
    await skill("install", ...words, "--client", "codex");
    await skill("remove", ...words, "--client", named, "--client", "codex");
    expect(existsSync(join(project, file))).toBe(false);
  }
});

it("refuses a section whose end is missing: what follows may be the person's", async () => {
  const memory = join(project, "CLAUDE.md");
  const flags = ["--snippet", "--client", "claude-code"];
  await skill("install", ...flags);
  const section = readFileSync(memory, "utf8");
  const open = section.slice(0, section.indexOf("<!-- lsp-proxy: end -->"));
  for (const text of [`${open}Mine.\n`, `${open}Mine.\n\n${section}`]) {
    writeFileSync(memory, text);
    for (const action of ["install", "remove"])
      expect(await skill(action, ...flags)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("client/no-place"),
      });
    expect(readFileSync(memory, "utf8")).toBe(text);
  }
});

it("is removed also when the config is broken, or gone", async () => {
  const before = files(home);
  for (const spoil of [() => config("oops"), () => rmSync(join(project, "lspi.toml"))]) {
    config("");
    await skill("install", "--scope", "user");
    expect(files(home)).not.toEqual(before);
    spoil();
    expect((await skill("remove", "--scope", "user")).code).toBe(0);
    expect(files(home)).toEqual(before);
  }
});

it("is not led out of the workspace by a link in it", async () => {
  write(join(home, ".profile"), "mine\n");
  symlinkSync(join(home, ".profile"), join(project, "CLAUDE.md"));
  const refused = await skill("install", "--snippet", "--client", "claude-code");
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("leads out of the workspace") });
  expect(readFileSync(join(home, ".profile"), "utf8")).toBe("mine\n");
});

it("names what it does not know", async () => {
  expect(await skill("instal")).toMatchObject({ code: 2 });
  expect(await skill("install", "--client", "codx")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("`codex`"),
  });
  expect(await skill("install", "--scope", "all")).toMatchObject({ code: 2 });
  rmSync(home, { recursive: true });
  mkdirSync(home);
  expect(await skill("install")).toMatchObject({ code: 2, stderr: expect.stringContaining("--client") });
});
