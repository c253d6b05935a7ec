/** How each real client is driven here: a file that a person has already, its environment, its words, in a private home. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { binaries, program, repository, testEnvironment } from "../live/session.js";
import type { ScriptedCall, ScriptedModel } from "./model.js";
import { networkEnv } from "./network.js";

export const TOKEN = "a-token-for-clients-0123456789";

/** How many functions the longest file of the project has. */
export const FUNCTIONS = 200;

/** What is particular about driving one client. */
export interface Driver {
  /** What a person's file has before, and after. */
  file: string;
  before(model: string): string;
  /** The same where edits are allowed, for a client that can be told to run everything unasked. */
  loose?(model: string): string;
  env: { [name: string]: string };
  /** The variable that leads it to the model, where its file does not; with what follows the model's address. */
  lead?: readonly [name: string, path: string];
  /** Says how it finds the server, and what that looks like. */
  check: { args: string[]; connected: RegExp };
  /** One turn with the model. */
  args: string[];
  /** More words for a turn in which nothing is asked. */
  allowing: string[];
  /** Whether its model is not told the `instructions` of the handshake, and knows only what the memory file says. */
  keepsInstructions?: true;
  /** What its model calls first, where it is shown tools only once it has looked for them. */
  looksFor?(names: readonly string[]): ScriptedCall | undefined;
}

const opencodeFile = (model: string) =>
  `{\n  // mine\n  "model": "local/m",\n  "autoupdate": false,\n  "provider": { "local": { "npm": "@ai-sdk/openai-compatible", "options": { "baseURL": "${model}/v1", "apiKey": "none" }, "models": { "m": { "tool_call": true } } } },\n}\n`;

export const drivers: { [id: string]: Driver } = {
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
    allowing: ["--dangerously-bypass-approvals-and-sandbox"],
  },
  "claude-code": {
    file: ".claude.json",
    before: () => '{\n  "theme": "dark"\n}\n',
    env: {
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ANTHROPIC_API_KEY: "none",
    },
    lead: ["ANTHROPIC_BASE_URL", ""],
    check: { args: ["mcp", "list"], connected: /lsp-proxy: .*Connected/ },
    args: ["-p", "go", "--output-format", "stream-json", "--verbose"],
    allowing: ["--allowedTools", "mcp__lsp-proxy__create_file"],
    // Few tools are shown at once (`alwaysLoad`).
    looksFor: (names) =>
      names.length > 16
        ? { tool: "ToolSearch", args: { query: `select:${names.join(",")}`, max_results: 50 } }
        : undefined,
  },
  gemini: {
    file: ".gemini/settings.json",
    before: () => '{\n  // mine\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n',
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_API_KEY: "none" },
    lead: ["GOOGLE_GEMINI_BASE_URL", ""],
    check: { args: ["mcp", "list"], connected: /✓ lsp-proxy: .*Connected/ },
    args: ["-p", "go", "-m", "gemini-2.5-flash", "--output-format", "json"],
    allowing: ["--approval-mode", "yolo"],
  },
  opencode: {
    file: ".config/opencode/opencode.json",
    before: opencodeFile,
    loose: (model) => opencodeFile(model).replace("// mine", '// mine\n  "permission": "allow",'),
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    check: { args: ["mcp", "list"], connected: /✓ lsp-proxy .*connected/ },
    args: ["run", "--format", "json", "go"],
    allowing: ["--auto"],
  },
  "qwen-code": {
    file: ".qwen/settings.json",
    before: () => '{\n  // mine\n  "security": { "auth": { "selectedType": "openai" } }\n}\n',
    env: { OPENAI_API_KEY: "none", OPENAI_MODEL: "scripted" },
    lead: ["OPENAI_BASE_URL", "/v1"],
    check: { args: ["mcp", "list"], connected: /✓.*lsp-proxy: .*Connected/ },
    args: ["-p", "go", "--output-format", "json"],
    allowing: ["--approval-mode", "yolo"],
    keepsInstructions: true,
    looksFor: (names) => ({
      tool: "tool_search",
      args: { query: `select:${names.join(",")}`, max_results: 20 },
    }),
  },
  "copilot-cli": {
    file: ".copilot/mcp-config.json",
    before: () =>
      '{\n  "mcpServers": {\n    "mine": { "type": "local", "command": "true", "args": [], "tools": [] }\n  }\n}\n',
    env: { COPILOT_MODEL: "scripted", COPILOT_OFFLINE: "true" },
    lead: ["COPILOT_PROVIDER_BASE_URL", "/v1"],
    check: {
      args: ["mcp", "get", "lsp-proxy"],
      connected: /Status: Enabled[\s\S]*find_definition, [\s\S]*Timeout: 40000ms/,
    },
    args: ["-p", "go", "--output-format", "json"],
    allowing: ["--allow-all-tools"],
    keepsInstructions: true,
  },
};

/** A project with a server, a config that allows some effects, and a file that is long. */
export function makeProject(project: string, port: number, effects: readonly string[]): void {
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
    `[mcp]\ncontext = "auto"\n[allow]\ncommands = ["${server}"]\neffects = ${JSON.stringify(effects)}\n[http]\nport = ${port}\n[[servers]]\nid = "py"\nkind = "pyright"\ncommand = "${server}"\n`,
  );
}

/** All that a client has of an environment. */
export function environment(home: string, { env, lead }: Driver, model: ScriptedModel) {
  return {
    ...{ PATH: process.env.PATH ?? "", HOME: home, TERM: "xterm-256color", LSP_PROXY_TOKEN: TOKEN },
    ...networkEnv,
    ...env,
    ...(lead === undefined ? {} : { [lead[0]]: model.url + lead[1] }),
  };
}

/** Runs a client to its end. */
export async function driven(path: string, args: string[], cwd: string, env: { [name: string]: string }) {
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

/** The gateway of a config, once it listens. */
export async function startGateway(config: string): Promise<ChildProcess> {
  const gateway = spawn(process.execPath, [program, "serve", "--http", "--config", config], {
    env: { ...testEnvironment(), LSP_PROXY_TOKEN: TOKEN },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let told = "";
  gateway.stderr.setEncoding("utf8").on("data", (part: string) => {
    told += part;
  });
  await expect.poll(() => told).toMatch(/http:\/\/\S+/);
  return gateway;
}

/** Ends a gateway. */
export async function ended(gateway: ChildProcess): Promise<void> {
  if (gateway.exitCode !== null) return;
  const gone = once(gateway, "exit");
  gateway.kill("SIGTERM");
  await gone;
}
