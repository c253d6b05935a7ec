/**
 * Real clients, in a private home, without a login or a model of their own: the stanza that `client --write` merged into their file
 * is loaded by them, the proxy is reached on stdio and over HTTP, the tools are offered, and what the model is handed is right,
 * whole and readable. `npm run clients` fetches them.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readClients } from "../../src/config/clients.js";
import { diskFiles } from "../../src/config/files.js";
import { readOther } from "../../src/config/read.js";
import { modelName } from "../../src/emit/clients.js";
import { run } from "../cli/run.js";
import { binaries, program, repository, testEnvironment } from "../live/session.js";
import { type ScriptedModel, startModel } from "./model.js";
import { programOf, programs } from "./programs.mjs";

const TOKEN = "a-token-for-clients-0123456789";
const FUNCTIONS = 200;

/** What is particular about driving one client: a file that a person has already, its environment, its words. */
interface Driver {
  /** What a person's file has before, and after. */
  file: string;
  before(model: string): string;
  env: { [name: string]: string };
  /** Says how it finds the server, and what that looks like. */
  check: { args: string[]; connected: RegExp };
  /** One turn with the model; absent for a client that is only asked how it finds the server. */
  args?: string[];
}

const drivers: { [id: string]: Driver } = {
  codex: {
    file: ".codex/config.toml",
    before: (model) =>
      // A name of a model that Codex does not know makes it offer the tools at once; the limit is that of those it knows.
      `# mine\nmodel = "scripted"\nmodel_provider = "local"\ntool_output_token_limit = 10000\n\n[model_providers.local]\nname = "local"\nbase_url = "${model}/v1"\nenv_key = "LOCAL_KEY"\nwire_api = "responses"\n`,
    env: { LOCAL_KEY: "none" },
    check: {
      args: ["app-server", "--strict-config", "--print-startup-config"],
      connected: /^\{"appServerVersion"/m,
    },
    args: ["exec", "--json", "--skip-git-repo-check", "go"],
  },
  "claude-code": {
    file: ".claude.json",
    before: () => '{\n  "theme": "dark"\n}\n',
    env: {
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ANTHROPIC_API_KEY: "none",
    },
    check: { args: ["mcp", "list"], connected: /lsp-proxy: .*Connected/ },
    args: ["-p", "go", "--output-format", "stream-json", "--verbose"],
  },
  gemini: {
    file: ".gemini/settings.json",
    before: () => '{\n  // mine\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n',
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_API_KEY: "none" },
    check: { args: ["mcp", "list"], connected: /✓ lsp-proxy: .*Connected/ },
    args: ["-p", "go", "-m", "gemini-2.5-flash", "--output-format", "json"],
  },
  opencode: {
    file: ".config/opencode/opencode.json",
    before: (model) =>
      `{\n  // mine\n  "model": "local/m",\n  "autoupdate": false,\n  "provider": { "local": { "npm": "@ai-sdk/openai-compatible", "options": { "baseURL": "${model}/v1", "apiKey": "none" }, "models": { "m": { "tool_call": true } } } },\n}\n`,
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    check: { args: ["mcp", "list"], connected: /✓ lsp-proxy .*connected/ },
    args: ["run", "--format", "json", "go"],
  },
  // Its model is offered tools only after it has looked for them, which a script cannot know.
  "qwen-code": {
    file: ".qwen/settings.json",
    before: () => '{\n  // mine\n  "ui": {}\n}\n',
    env: {},
    check: { args: ["mcp", "list"], connected: /✓.*lsp-proxy: .*Connected/ },
  },
  // It does nothing without a login but say what it has read.
  "copilot-cli": {
    file: ".copilot/mcp-config.json",
    before: () =>
      '{\n  "mcpServers": {\n    "mine": { "type": "local", "command": "true", "args": [], "tools": [] }\n  }\n}\n',
    env: {},
    check: {
      args: ["mcp", "get", "lsp-proxy"],
      connected: /Status: Enabled[\s\S]*find_definition, [\s\S]*Timeout: 40000ms/,
    },
  },
};

/** Which variables lead a client to the model, where its file does not. */
const leading: { [id: string]: string } = {
  "claude-code": "ANTHROPIC_BASE_URL",
  gemini: "GOOGLE_GEMINI_BASE_URL",
};

const calls = [
  { tool: "find_definition", args: { file_path: "app.py", symbol_name: "greet" } },
  { tool: "get_document_symbols", args: { file_path: "big.py", page_size: FUNCTIONS } },
  { tool: "get_hover", args: { file_path: "gone.py", line: 1, character: 1 } },
];

const clients = readClients(join(repository, "configs"), diskFiles);
const isWanted = process.env.RUN_CLIENTS === "1";
if (!isWanted) console.warn("skipped: real clients are fetched and driven by `npm run clients`");

describe.skipIf(!isWanted).each(Object.keys(programs))("%s", (id) => {
  const path = programOf(id);
  const driver = drivers[id] as Driver;
  const facts = clients.find((client) => client.id === id);
  const isThere = existsSync(path);
  if (isWanted && !isThere) console.warn(`skipped: ${programs[id]?.package} cannot be had from npm here`);

  let folder: string;
  let project: string;
  let port: number;
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), `lsp-proxy-${id}-`)));
    project = join(folder, "a project");
    port = await freePort();
    cpSync(join(repository, "test", "fixtures", "python"), project, { recursive: true });
    const big = Array.from(
      { length: FUNCTIONS },
      (_, at) => `def function_${at}() -> int:\n    return ${at}\n`,
    );
    writeFileSync(join(project, "big.py"), big.join("\n"));
    // By its path, since clients pass on no PATH of ours.
    const server = join(binaries, "pyright-langserver");
    writeFileSync(
      join(project, "lspi.toml"),
      `[mcp]\ncontext = "auto"\n[allow]\ncommands = ["${server}"]\n[http]\nport = ${port}\n[[servers]]\nid = "py"\nkind = "pyright"\ncommand = "${server}"\n`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }));

  it.skipIf(!isThere).each([[[]], [["--http"]]])(
    "is set up by the command %j, reaches the proxy, and its model is handed whole answers",
    async (flags) => {
      const home = join(folder, `home${flags.join("")}`);
      const file = join(home, driver.file);
      mkdirSync(dirname(file), { recursive: true });
      const model = await startModel(calls);
      const gateway = flags.length > 0 ? await startGateway(join(project, "lspi.toml")) : undefined;
      try {
        const mine = driver.before(model.url);
        writeFileSync(file, mine);
        const config = ["--config", join(project, "lspi.toml")];
        const env = { HOME: home, XDG_CONFIG_HOME: "", CODEX_HOME: "", CLAUDE_CONFIG_DIR: "" };
        const written = await run(["client", id, "--write", ...flags, ...config], { env });
        expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining(`changed ${file}`) });
        for (const line of mine.split("\n").filter((text) => text.includes("mine")))
          expect(readFileSync(file, "utf8")).toContain(line);
        expect(readFileSync(file, "utf8")).not.toContain(TOKEN);

        for (const words of facts?.skills === undefined
          ? []
          : [
              ["--scope", "user"],
              ["--scope", "repo", "--snippet"],
            ]) {
          const told = await run(["skill", "install", "--client", id, ...words, ...config], {
            env,
            cwd: project,
          });
          expect(told).toMatchObject({ code: 0 });
        }

        const drive = (args: string[]) => driven(path, args, project, environment(home, driver, id, model));
        const found = await drive(driver.check.args);
        expect(found.output).toMatch(driver.check.connected);
        if (driver.args !== undefined) {
          const { code, output } = await drive(driver.args);
          expect({ code, turns: model.turns.length }, output).toEqual({ code: 0, turns: calls.length + 1 });
          const { stdout } = await run(["tools", "--json", ...config]);
          const tools = JSON.parse(stdout).tools as { name: string }[];
          checkTurns(
            model,
            tools.map(({ name }) => name),
          );
        }
        // Whatever the client has made of its file meanwhile, the entry is taken out and the rest stays.
        const [top = ""] = facts?.files[0]?.entry ?? [];
        const others = () => {
          const language = file.endsWith(".toml") ? "toml" : "json";
          const { [top]: _, ...rest } = readOther(file, readFileSync(file), language).tree;
          return rest;
        };
        const was = others();
        const removal = ["client", id, "--remove", ...flags, ...config];
        expect((await run(removal, { env })).stdout).toMatch(/^changed /);
        expect(others()).toEqual(was);
        expect((await run(removal, { env })).stdout).toMatch(/^nothing to change in /);
      } finally {
        await model.close();
        if (gateway) await ended(gateway);
      }
    },
    300_000,
  );

  function checkTurns({ turns }: ScriptedModel, listed: readonly string[]) {
    const last = turns.at(-1);
    // Codex tells its model the server apart from the tool.
    const lacking = listed.filter(
      (tool) =>
        !last?.tools.some(
          (name) => name === tool || name === modelName(facts?.tool_name ?? "", "lsp-proxy", tool),
        ),
    );
    expect({ listed: listed.length, lacking }).toEqual({ listed: 11, lacking: [] });
    // What the proxy says about itself is told to the model too.
    expect(last?.text).toContain("Code intelligence from language servers, for python");
    expect(last?.text).toContain("Questions about code (python) answered by language servers");
    expect(last?.text).toContain("Use the MCP server `lsp-proxy` instead of text search");
    const [definition = "", symbols = "", refusal = ""] = last?.results ?? [];
    expect(definition).toContain("greet.py");
    expect(definition).toMatch(/"line":4,"character":5|4:5-4:10/);
    // Nothing was cut out, by the client or by us.
    const missing = Array.from({ length: FUNCTIONS }, (_, at) => `function_${at}`).filter(
      (name) => !new RegExp(`${name}\\b`).test(symbols),
    );
    expect(missing).toEqual([]);
    expect(symbols.length).toBeGreaterThan(5_000);
    expect(symbols).not.toMatch(/truncated\.\.\.|chars truncated|tokens truncated|characters omitted/);
    expect(refusal).toMatch(/gone\.py/);
    expect(refusal).toMatch(/guard\/|does not exist|no such/i);
  }
});

function environment(home: string, { env }: Driver, id: string, model: ScriptedModel) {
  const lead = leading[id];
  return {
    ...{ PATH: process.env.PATH ?? "", HOME: home, TERM: "xterm-256color", LSP_PROXY_TOKEN: TOKEN },
    ...env,
    ...(lead === undefined ? {} : { [lead]: model.url }),
  };
}

/** Runs a client to its end. */
async function driven(path: string, args: string[], cwd: string, env: { [name: string]: string }) {
  const child = spawn(path, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), 200_000);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { code, output };
}

async function startGateway(config: string): Promise<ChildProcess> {
  const gateway = spawn(process.execPath, [program, "serve", "--http", "--config", config], {
    env: { ...testEnvironment(), LSP_PROXY_TOKEN: TOKEN },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let told = "";
  gateway.stderr.setEncoding("utf8").on("data", (part: string) => {
    told += part;
  });
  await expect.poll(() => told, { timeout: 60_000 }).toMatch(/http:\/\/\S+/);
  return gateway;
}

async function ended(gateway: ChildProcess): Promise<void> {
  if (gateway.exitCode !== null) return;
  const gone = once(gateway, "exit");
  gateway.kill("SIGTERM");
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
