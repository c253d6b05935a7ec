/** Part of the build: uses the program as a start does, and keeps what Node compiled for it. */
"use strict";
const { mkdirSync, mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { PassThrough } = require("node:stream");
const v8 = require("node:v8");
const { compiled, load, scripts } = require("../dist/cli/loader.cjs");

// A serving program changes flags once it is loaded; code that is kept under other flags than a start's is refused by V8.
v8.setFlagsFromString = () => undefined;

const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-build-"));
const config = join(folder, "lspi.toml");
const bundle = join(folder, "bundle");
/** A tool that somebody wrote: its schemas are compiled, which needs Ajv. */
const ownTool = `
[[tools]]
name = "own"
description = "A tool."
input = ["position", "symbol"]
output = "locations"
page = true
args.option = { type = "boolean", default = true, description = "An option." }
request = { method = "textDocument/references", params = "text_document_position" }
`;
const call = (id, name, args) => ({ id, method: "tools/call", params: { name, arguments: args } });
const session = [
  {
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "build", version: "0" } },
  },
  { method: "notifications/initialized" },
  { id: 1, method: "tools/list", params: {} },
  call(2, "get_server_status", {}),
  call(3, "get_hover", { file_path: "absent.py", line: 1, character: 1 }),
];

async function run(words, messages = []) {
  const stdin = new PassThrough();
  const stdout = new PassThrough().resume();
  const { main } = load("main.js");
  const env = { PATH: "", HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  stdin.end(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
  const code = await main(words, { stdin, stdout, stderr: process.stderr, env, cwd: folder });
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}`);
}

async function keep() {
  const servers = '[[servers]]\nid = "py"\nkind = "pyright"\n';
  writeFileSync(config, `${servers}${ownTool}`);
  await run(["generate", "--config", config, "--out", bundle]);
  writeFileSync(config, servers);
  await run(["generate", "--config", config, "--out", bundle]);
  await run(["serve", "--config", config], session);
  await run(["serve", "--bundle", bundle, "--workspace", folder], session);
  mkdirSync(compiled, { recursive: true });
  for (const [file, script] of scripts) writeFileSync(join(compiled, file), script.createCachedData());
}

keep().finally(() => rmSync(folder, { recursive: true, force: true }));
