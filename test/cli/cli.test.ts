import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { run } from "./run.js";
import { runHere } from "./terminal.js";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-cli-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const config = '[allow]\ncommands = ["pyright-langserver"]\n[[servers]]\nid = "py"\nkind = "pyright"\n';

/** A server that starts quickly, for what a server answers. */
const styles = '[[servers]]\nid = "css"\nkind = "vscode-css-language-server"\n';

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe("help and wrong use", () => {
  it("lists every command", async () => {
    const { code, stdout } = await runHere(["--help"]);
    expect(code).toBe(0);
    for (const name of Object.keys(commands)) expect(stdout).toContain(`  ${name}`);
  });

  it.each(Object.keys(commands))("%s --help shows its usage", async (name) => {
    const { code, stdout, stderr } = await runHere([name, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: lsp-proxy ${name}`));
  });

  it("ends quietly when its output is closed", async () => {
    const { code, stderr } = await run(["schema"], { deaf: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("says what it does not know, and exits with 2", async () => {
    const command = await run(["serv"]);
    expect(command).toMatchObject({ code: 2, stdout: "" });
    expect(command.stderr).toContain("did you mean `serve`?");
    const flag = await runHere(["validate", "--confg", "x"]);
    expect(flag.code).toBe(2);
    expect(flag.stderr).toContain("'--confg'; did you mean `--config`?");
    expect((await runHere(["generate"])).code).toBe(2);
    expect((await runHere(["call"])).code).toBe(2);
    expect((await runHere([])).code).toBe(2);
  });

  it("prints its version", async () => {
    for (const word of ["--version", "-v", "-V", "version"])
      expect((await runHere([word])).stdout.trim()).toBe(
        JSON.parse(readFileSync("package.json", "utf8")).version,
      );
  });

  it("runs in the folder of -C, before the command or after it", async () => {
    write("lspi.toml", config);
    const words = ["explain", "--config", "lspi.toml"];
    for (const args of [
      ["-C", folder, ...words],
      [...words, "-C", folder],
      [...words, "--directory", folder],
    ])
      expect(await runHere(args)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(join(folder, "lspi.toml")),
      });
    expect(await runHere(["-C", join(folder, "absent"), "tools"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("-C takes a folder"),
    });
    expect((await runHere(["tools", "-C"])).code).toBe(2);
  });

  it("refuses the options of a gateway without --http", async () => {
    for (const words of [["--port", "9"], ["--bind", "127.0.0.1"], ["--allow-remote"]])
      expect(await runHere(["serve", ...words])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("add --http"),
      });
  });

  it("explains a code, by its whole name or its end", async () => {
    const whole = await runHere(["explain", "config/untrusted"]);
    expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining("lsp-proxy trust") });
    expect(await runHere(["explain", "untrusted"])).toEqual(whole);
    expect(JSON.parse((await runHere(["explain", "config/untrusted", "--json"])).stdout)).toMatchObject({
      code: "config/untrusted",
      kind: "problem",
    });
    expect(await runHere(["explain", "config/untrused"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean `config/untrusted`?"),
    });
  });
});

describe("validate", () => {
  it("accepts a good config", async () => {
    const { code, stdout, stderr } = await runHere(["validate", "--config", write("lspi.toml", config)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("1 server, 12 tools, no errors");
  });

  it("shows all problems with their places and exits with 3", async () => {
    const file = write("lspi.toml", `${config}comand = "x"\nargs = 3\n`);
    const { code, stdout, stderr } = await runHere(["validate", "--config", file]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(`${file}:6:1`);
    expect(stderr).toContain("command");
    expect(stderr).toContain(`${file}:7:8`);
    const asJson = await runHere(["validate", "--config", file, "--json"]);
    expect(asJson.code).toBe(3);
    expect(JSON.parse(asJson.stdout).problems).toMatchObject([
      { code: "config/unknown-key", suggestion: "command", line: 6, column: 1 },
      { code: "config/wrong-type", line: 7, column: 8 },
    ]);
  });

  it("reports the problems of all stages together, and none that only follow from another", async () => {
    const tool = 'name = "x"\ndescription = "x"\ninput = "document"\noutput = "json"\n';
    const request = 'request = { method = "textDocument/hoover", params = "text_document" }\n';
    const file = write(
      "lspi.toml",
      `[[servers]]\nid = "py"\nkind = "pyrigth"\n[limits]\nmax_items = "many"\n[[tools]]\n${tool}${request}`,
    );
    const { stdout } = await runHere(["validate", "--config", file, "--json"]);
    expect(
      JSON.parse(stdout).problems.map(({ code, line }: { code: string; line: number }) => [code, line]),
    ).toEqual([
      ["config/unknown-preset", 3],
      ["config/wrong-type", 5],
      ["plan/unknown-method", 11],
    ]);
  });

  it("checks the rest of an entry with a problem", async () => {
    const tool = [
      '[[tools]]\nname = "t"\ndescription = "d"\ninput = ["position", "nonsense"]\noutput = "locatons"',
      'request = { method = "textDocument/definition", params = "text_doc" }',
      'args.a = { type = "strin", description = "d" }',
      'args.b = { type = "integer", default = "x", description = "d" }',
      'args.toString = { type = "string", description = "d" }',
    ].join("\n");
    const server = '[allow]\ncommands = ["x"]\n[[servers]]\nid = "s"\ncommand = "y"\nextensions = ["b/c"]\n';
    const file = write("lspi.toml", `${server}${tool}\n`);
    const { stdout } = await runHere(["validate", "--config", file, "--json"]);
    expect(
      JSON.parse(stdout).problems.map(({ code, line }: { code: string; line: number }) => [code, line]),
    ).toEqual([
      ["plan/command-not-allowed", 5],
      ["config/bad-value", 6],
      ["plan/unknown-anchor", 10],
      ["plan/unknown-shape", 11],
      ["plan/unknown-base", 12],
      ["config/bad-value", 13],
      ["plan/bad-tool", 14],
      ["plan/bad-tool", 15],
    ]);
  });

  it("says when the file is not there", async () => {
    const { code, stderr } = await runHere(["validate", "--config", join(folder, "absent.toml")]);
    expect(code).toBe(3);
    expect(stderr).toContain("config/not-found");
  });
});

describe("generate --deploy", () => {
  it("prints one file for a named config, the same each time, and says what it needs", async () => {
    const file = write("lspi.toml", config);
    const printed = await runHere(["generate", "--deploy", "haproxy", "--config", file, "--gateways", "3"]);
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    expect(printed.stdout.match(/^ +server gateway-/gm)).toHaveLength(3);
    const out = join(folder, "deploy");
    await runHere(["generate", "--deploy", "haproxy", "--config", file, "--gateways", "3", "--out", out]);
    expect(readFileSync(join(out, "haproxy.cfg"), "utf8")).toBe(printed.stdout);
    const wrong = async (...args: string[]) => {
      const { code, stderr } = await runHere(["generate", ...args], { cwd: folder });
      expect(code).toBe(2);
      return stderr;
    };
    const targets = "compose, haproxy, kubernetes, systemd";
    expect(await wrong("--deploy", "nomad", "--config", file)).toContain(targets);
    expect((await runHere(["generate", "--help"])).stdout.replace(/\s+/g, " ")).toContain(targets);
    expect(await wrong("--deploy", "systemd", "--config", file, "--gateways", "0")).toContain("--gateways");
    expect(await wrong("--deploy", "systemd", "--trust-workspace")).toContain("--config FILE");
  });

  it("prints nothing that the profile would not let start", async () => {
    const file = write("lspi.toml", '[mcp]\ncontext = "gateway"\n');
    const printed = (target: string) => runHere(["generate", "--deploy", target, "--config", file]);
    expect(await printed("systemd")).toMatchObject({ code: 0 });
    for (const target of ["compose", "kubernetes"])
      expect(await printed(target)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("listens on 127.0.0.1 alone"),
      });
  });
});

describe("generate", () => {
  it("writes a bundle, then finds it up to date, then stale, missing and foreign", async () => {
    const file = write("lspi.toml", config);
    const out = join(folder, "bundle");
    expect((await runHere(["generate", "--config", file, "--out", out])).code).toBe(0);
    expect((await runHere(["generate", "--config", file, "--out", out, "--check"])).code).toBe(0);
    writeFileSync(join(out, "foreign.txt"), "x");
    const foreign = await runHere(["generate", "--config", file, "--out", out, "--check"]);
    expect(foreign.code).toBe(1);
    expect(foreign.stderr).toContain("bundle/foreign");
    rmSync(join(out, "foreign.txt"));
    mkdirSync(join(out, "empty"));
    expect((await runHere(["generate", "--config", file, "--out", out, "--check"])).stderr).toContain(
      "bundle/foreign",
    );
    rmSync(join(out, "empty"), { recursive: true });
    rmSync(join(out, "handlers", "get_hover.js"));
    expect((await runHere(["generate", "--config", file, "--out", out, "--check"])).stderr).toContain(
      "bundle/missing",
    );
    writeFileSync(file, `${config}priority = 3\n`);
    const stale = await runHere(["generate", "--config", file, "--out", out, "--check"]);
    expect(stale.code).toBe(1);
    expect(stale.stderr).toContain("bundle/stale");
    expect(stale.stderr).toMatch(/\n\s*\+.*3/);
  });

  it("prints warnings in JSON too", async () => {
    write("lspi.toml", config);
    write("lspi.json", "{}");
    const env = { HOME: folder };
    expect((await runHere(["trust", "--yes"], { cwd: folder, env })).code).toBe(0);
    for (const words of [[], ["--check"]]) {
      const out = ["--out", join(folder, "bundle"), "--json", ...words];
      const { stdout } = await runHere(["generate", ...out], { cwd: folder, env });
      expect(JSON.parse(stdout).problems).toMatchObject([{ severity: "warning" }]);
    }
  });

  it("never replaces a folder that is not a bundle", async () => {
    const file = write("lspi.toml", config);
    const { code, stderr } = await runHere(["generate", "--config", file, "--out", folder]);
    expect(code).toBe(3);
    expect(stderr).toContain("bundle/unwritable");
    expect(readFileSync(file, "utf8")).toBe(config);
  });
});

describe("tools, explain, schema", () => {
  it("weighs the default profile under 9 KB", async () => {
    const file = write("lspi.toml", config);
    const { code, stdout } = await runHere(["tools", "--config", file, "--json", "--budget", "9216"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).tools).toHaveLength(12);
    expect((await runHere(["tools", "--config", file, "--budget", "100"])).code).toBe(1);
  });

  it("explains a limit that an argument says by its name", async () => {
    const { stdout } = await runHere(["explain", "--context", "lspi"]);
    expect(stdout).not.toContain("[object");
    expect(stdout).toMatch(/at most `\w+`/);
  });

  it("takes a workspace that was named for that of the config that was named, with the same bundle", async () => {
    const file = write("lspi.toml", styles);
    mkdirSync(join(folder, "other"));
    const other = dirname(write("other/app.css", ".greet {\n}\n"));
    const named = ["--config", file, "--workspace", other];
    expect((await runHere(["explain", ...named])).stdout).toContain(`workspace  ${other};`);
    expect((await runHere(["explain", "--config", file])).stdout).toContain(`workspace  ${dirname(file)};`);
    const asked = JSON.stringify({ file_path: "app.css" });
    const answer = await runHere(["call", "get_document_symbols", asked, ...named]);
    expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining("greet") });
    const plans = [named, named.slice(0, 2)].map((words) => runHere(["explain", ...words, "--json"]));
    const [one, two] = await Promise.all(plans);
    expect(one?.stdout).toBe(two?.stdout);
  });

  it("explains the plan for a person and as data", async () => {
    const file = write("lspi.toml", config);
    const { stdout } = await runHere(["explain", "--config", file]);
    expect(stdout).toContain("pyright-langserver --stdio");
    expect(stdout).toContain("textDocument/references");
    const plan = JSON.parse((await runHere(["explain", "--config", file, "--json"])).stdout);
    expect(plan.servers[0].id).toBe("py");
  });

  it("prints the schemas", async () => {
    const schema = JSON.parse((await runHere(["schema"])).stdout);
    expect(schema.$schema).toContain("2020-12");
    expect(schema.additionalProperties).toBe(false);
    const file = write("lspi.toml", config);
    const tool = JSON.parse(
      (await runHere(["schema", "--config", file, "--tool", "find_references"])).stdout,
    );
    expect(tool.properties).toHaveProperty("include_declaration");
    expect((await runHere(["schema", "--config", file, "--tool", "find_reference"])).stderr).toContain(
      "did you mean `find_references`?",
    );
  });
});

describe("call", () => {
  it("answers in text and in JSON, and exits with 1 when refused", async () => {
    const file = write("lspi.toml", styles);
    write("a.css", ":root {\n  --hello: red;\n}\n.a { color: var(--hello); }\n");
    const args = JSON.stringify({ file_path: "a.css", line: 4, character: 19 });
    const text = await runHere(["call", "find_definition", args, "--config", file]);
    expect(text).toMatchObject({ code: 0, stderr: "" });
    expect(text.stdout).toMatch(/a\.css\n {2}2:3-2:10 {2}--hello: red;/);
    const json = await runHere(["call", "find_definition", "-", "--config", file, "--json"], { input: args });
    expect(JSON.parse(json.stdout).locations).toMatchObject([{ path: "a.css", line: 2, character: 3 }]);
    const refused = await runHere([
      "call",
      "find_definition",
      '{"file_path": "../x.css", "line": 1, "character": 1}',
      "--config",
      file,
    ]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("guard/outside-root");
    expect((await runHere(["call", "find_definition", "{", "--config", file])).code).toBe(2);
  });
});
