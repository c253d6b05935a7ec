/** `doctor`: what is right is told, what is wrong is told with its fix, and the exit code says which. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { program } from "../live/session.js";
import { type TestWorkspaceOptions, writeTestWorkspace } from "../runtime/test-workspace.js";
import { runHere } from "./terminal.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const scenario = {
  capabilities: { documentSymbolProvider: true, hoverProvider: true },
  serverInfo: { name: "fake", version: "1.2.3" },
  replies: { "textDocument/documentSymbol": [] },
};

interface Report {
  ok: boolean;
  findings: { area: string; state: string; text: string; fix?: string }[];
  servers: {
    id: string;
    version: string;
    features: string[];
    answerMs: number;
    answer: string;
    file: string;
  }[];
}

async function examined(options: TestWorkspaceOptions, prepare: (folder: string) => void = () => undefined) {
  const { outside } = writeTestWorkspace(options);
  folders.push(outside);
  prepare(outside);
  const { code, stdout, stderr } = await runHere(["doctor", "--json", "--config", "lspi.json"], {
    cwd: outside,
    env: { HOME: outside },
  });
  const report = JSON.parse(stdout) as Report;
  const of = (area: string) => report.findings.filter((finding) => finding.area === area);
  // A report of a problem says what to do.
  for (const finding of report.findings)
    if (finding.state === "problem" || finding.state === "warning") expect(finding.fix).toMatch(/\S/);
  return { code, stderr, report, of, folder: outside };
}

describe("doctor", () => {
  it("starts a real server and reports its version, features and first answer", async () => {
    const { code, report, of } = await examined({
      files: { "a.fake": "x\n" },
      servers: { fake: { scenario } },
    });
    expect(report.servers).toEqual([
      expect.objectContaining({
        id: "fake",
        version: "1.2.3",
        features: ["document_symbol", "hover"],
        answer: "0 symbols",
        failure: null,
      }),
    ]);
    expect(report.servers[0]?.answerMs).toBeGreaterThan(0);
    expect(of("server")).toEqual([expect.objectContaining({ state: "ok" })]);
    expect(of("tools")[0]?.text).toMatch(/^12 tools take \d+ bytes/);
    expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true });
  });

  it("names the project file that a server lacks, and how to create it", async () => {
    const config = { project_files: ["p.json"], project_fix: "Run make-project." };
    const servers = { fake: { scenario, config } };
    const lacking = await examined({ files: { "a.fake": "x\n" }, servers });
    expect(lacking.of("server")).toContainEqual(
      expect.objectContaining({
        state: "warning",
        text: expect.stringContaining("There is no p.json"),
        fix: "Run make-project.",
      }),
    );
    const whole = await examined({ files: { "a.fake": "x\n", "p.json": "" }, servers });
    expect(whole.of("server")).toEqual([expect.objectContaining({ state: "ok" })]);
  });

  it("reports a server that is not installed, one that does not start, and one without a file", async () => {
    const { code, of } = await examined({ files: { "b.bad": "" } }, (folder) => {
      const servers = [
        {
          id: "bad",
          command: [process.execPath, "no-such-script.js"],
          extensions: ["bad"],
          restart: { max: 0 },
        },
        { id: "gone", command: "not-there-at-all", extensions: ["gone"], install: "apt install gone" },
        { id: "idle", command: [process.execPath, "x.js"], extensions: ["none"] },
      ];
      const allow = { commands: [process.execPath, "not-there-at-all"] };
      writeFileSync(join(folder, "lspi.json"), JSON.stringify({ allow, servers }));
    });
    expect(code).toBe(1);
    const [gone, ...others] = of("server");
    expect(gone).toEqual({
      area: "server",
      state: "problem",
      text: "gone: `not-there-at-all` is not installed",
      fix: "apt install gone",
    });
    expect(others).toEqual([
      expect.objectContaining({ state: "problem", text: expect.stringMatching(/^bad: /) }),
      expect.objectContaining({
        state: "note",
        text: expect.stringMatching(/^idle: installed; the workspace has no file/),
        fix: expect.stringContaining("`lsp-proxy remove idle`"),
      }),
    ]);
  });

  it("tries a server whose files come after those of one that is not installed", async () => {
    const { of } = await examined(
      { files: { "a.gone": "", "b.fake": "x\n" }, servers: { fake: { scenario } } },
      (folder) => {
        const file = join(folder, "lspi.json");
        const config = JSON.parse(readFileSync(file, "utf8"));
        config.allow.commands.push("not-there-at-all");
        config.servers.push({
          id: "gone",
          command: "not-there-at-all",
          extensions: ["gone"],
          language_id: "gone",
        });
        writeFileSync(file, JSON.stringify(config));
      },
    );
    expect(of("server").map(({ state, text }) => `${state} ${text.split(":")[0]}`)).toEqual([
      "problem gone",
      "ok fake",
    ]);
  });

  it("tries a server whose only file is in a deep folder", async () => {
    const file = `${"d/".repeat(12)}a.fake`;
    // One that is denied comes before it, and is not looked into.
    const files = { [file.replace("a.fake", "A-secret.fake")]: "x\n", [file]: "x\n" };
    const { of } = await examined({ files, servers: { fake: { scenario } } }, (folder) => {
      const config = JSON.parse(readFileSync(join(folder, "lspi.json"), "utf8"));
      const workspace = { ...config.workspace, deny: ["**/A-secret.fake"] };
      writeFileSync(join(folder, "lspi.json"), JSON.stringify({ ...config, workspace }));
    });
    expect(of("server")).toEqual([
      expect.objectContaining({ state: "ok", text: expect.stringContaining(`${file})`) }),
    ]);
  });

  it("reports problems of the config with their place, and a stale bundle", async () => {
    const broken = await examined({ servers: { fake: { scenario } } }, (folder) =>
      writeFileSync(join(folder, "lspi.json"), '{ "servers": [{ "id": "x", "comand": "y" }] }'),
    );
    expect(broken.code).toBe(3);
    expect(broken.of("config")[0]).toMatchObject({
      state: "problem",
      text: expect.stringContaining("lspi.json:1: "),
    });
    const stale = await examined({ servers: { fake: { scenario } } }, (folder) => {
      mkdirSync(join(folder, ".lspi", "bundle"), { recursive: true });
    });
    expect(stale.code).toBe(1);
    expect(stale.of("bundle")[0]).toMatchObject({
      state: "problem",
      fix: expect.stringContaining("generate --out"),
    });
  });

  it("does not call a config trusted that needs no trust", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-doctor-"));
    folders.push(folder);
    writeFileSync(join(folder, "lspi.toml"), '[allow]\neffects = ["read"]\n');
    const doctor = (...flags: string[]) => runHere(["doctor", "--no-start", ...flags], { cwd: folder });
    const { stdout } = await doctor();
    expect(stdout).toMatch(/✓ trust +the config needs no trust: /);
    expect(stdout).not.toContain("is trusted");
    expect((await doctor("--trust-workspace")).stdout).toMatch(/✓ trust +the config is trusted$/m);
    expect((await doctor("--config", "lspi.toml")).stdout).toMatch(/is trusted because it was named/);
  });

  it("reports an untrusted config, and which clients are configured for the proxy", async () => {
    const { outside } = writeTestWorkspace({ servers: { fake: { scenario } } });
    folders.push(outside);
    const unset = ["CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "COPILOT_HOME"];
    const env = { HOME: outside, ...Object.fromEntries(unset.map((name) => [name, ""])) };
    const run = () => runHere(["doctor"], { cwd: outside, env });
    const untrusted = await run();
    expect(untrusted.code).toBe(3);
    expect(untrusted.stdout).toMatch(/✗ trust .*not trusted[\s\S]*→ .*lsp-proxy trust/);
    // Its own list of programs counts once it is trusted: that it does not yet is no second problem.
    expect(untrusted.stdout).not.toContain("is not allowed");
    expect(untrusted.stdout).toContain("no config of a client was found");
    const known = (command: string, args: string[] = []) =>
      writeFileSync(join(outside, ".mcp.json"), JSON.stringify({ mcpServers: { x: { command, args } } }));
    known(process.execPath, [program]);
    expect((await run()).stdout).toMatch(/✓ clients +\S.* has lsp-proxy in .*\.mcp\.json/);
    known(process.execPath, [program, "serve", "--workspace", join(outside, "work in progress")]);
    expect((await run()).stdout).toMatch(/✓ clients .*, for \S.* in progress$/m);
    known(process.execPath, [program, "serve", "--workspace", `/elsewhere in ${outside}`]);
    expect((await run()).stdout).toMatch(/! clients .*, not for /);
    for (const [command, ...args] of [
      ["/nonexistent/lsp-proxy"],
      ["lsp-proxy-that-nobody-has"],
      [process.execPath, "/nowhere/lsp-proxy/bin.js"],
    ] as [string, ...string[]][]) {
      known(command, args);
      const told = (await run()).stdout;
      expect(told).toMatch(
        /✗ clients +\S.* would start what does not exist: [\s\S]*→ `lsp-proxy client claude-code/,
      );
      expect(told).not.toContain("✓ clients");
    }
  });

  it("names the place in a client's file that does not parse, and a file that cannot be read", async () => {
    const { of, report } = await examined({ files: { "a.txt": "x\n" } }, (folder) => {
      for (const name of [".codex", ".gemini", ".cursor/mcp.json"])
        mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, ".codex/config.toml"), '[mcp_servers.lsp-proxy]\ncommand = "lsp-proxy\n');
      writeFileSync(join(folder, ".gemini/settings.json"), '{ "a": 1,\n  oops');
    });
    const fix = expect.stringMatching(/\S/);
    const at = (name: string) => expect.stringContaining(name);
    expect(of("clients")).toEqual([
      {
        area: "clients",
        state: "problem",
        text: at(".codex/config.toml:2:21: the string does not end"),
        fix,
      },
      {
        area: "clients",
        state: "warning",
        text: at(".gemini/settings.json:2:3: this is not a JSON value"),
        fix,
      },
      { area: "clients", state: "warning", text: at(".cursor/mcp.json: the file cannot be read"), fix },
    ]);
    expect(report.ok).toBe(false);
  });

  it("asks about a file of the server's main language where there is one", async () => {
    const { report } = await examined(
      { files: { "a.lock": "x\n", "sub/b.fake": "x\n" }, servers: { fake: { scenario } } },
      (folder) => {
        const [server] = JSON.parse(readFileSync(join(folder, "lspi.json"), "utf8")).servers;
        const servers = [
          {
            ...server,
            extensions: ["fake", "lock"],
            language_id: "fake",
            language_ids: { lock: "lockfile" },
          },
        ];
        const config = JSON.parse(readFileSync(join(folder, "lspi.json"), "utf8"));
        writeFileSync(join(folder, "lspi.json"), JSON.stringify({ ...config, servers }));
      },
    );
    expect(report.servers[0]?.file).toMatch(/b\.fake$/);
  });

  it("asks about another file where the first cannot be read, and says so where none can", async () => {
    const servers = { fake: { scenario } };
    const binary = "fn\u0000\n";
    const other = await examined({ files: { "a.fake": binary, "b.fake": binary, "c.fake": "x\n" }, servers });
    expect(other.report.servers[0]).toMatchObject({ failure: null, file: join(other.folder, "work/c.fake") });
    expect(other.code).toBe(0);
    const none = await examined({ files: { "a.fake": binary, "b.fake": binary }, servers });
    expect(none.of("server")).toMatchObject([
      {
        state: "problem",
        text: "fake: a.fake is a binary file (guard/not-a-file)",
        fix: expect.stringContaining("No other file for it was readable either"),
      },
    ]);
  });

  it("names the address, not a program, where a server runs elsewhere", async () => {
    const { of, report } = await examined({ files: { "a.far": "x\n" } }, (folder) => {
      const servers = [
        { id: "far", transport: { tcp: "127.0.0.1:9" }, extensions: ["far"], restart: { max: 0 } },
      ];
      writeFileSync(join(folder, "lspi.json"), JSON.stringify({ servers }));
    });
    expect(report.ok).toBe(false);
    expect(of("server")[0]).toMatchObject({
      state: "problem",
      fix: "Start it so that it listens on 127.0.0.1:9, or correct `transport`.",
    });
  });
});
