/** Part of the build: uses the program as a start does, and keeps what Node compiled for it. */
"use strict";
const { mkdirSync, mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { createInterface } = require("node:readline");
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
/** Calls that a server answers, so that the whole road to it and back is kept, and not compiled when an agent first waits. */
const place = { file_path: "a.sample", line: 1, character: 5 };
const calls = [
  call(4, "get_hover", place),
  call(5, "find_definition", place),
  call(6, "find_references", { file_path: "a.sample", symbol_name: "name" }),
  call(7, "find_references", { file_path: "b.sample", symbol_name: "name" }),
  call(8, "get_document_symbols", { file_path: "a.sample" }),
  call(9, "get_diagnostics", { file_path: "a.sample" }),
  call(10, "search_workspace_symbols", { query: "name" }),
];

async function run(words, messages = []) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const { main } = load("main.js");
  const env = { PATH: "", HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const ended = main(words, { stdin, stdout, stderr: process.stderr, env, cwd: folder });
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  for (const message of messages) {
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    // One after the other, as an agent asks.
    if (message.id !== undefined) await answers.next();
  }
  stdin.end();
  const code = await ended;
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}`);
}

async function keep() {
  const [node, script] = [process.execPath, join(__dirname, "sample-server.cjs")].map((path) =>
    JSON.stringify(path),
  );
  const servers = `
[allow]
commands = ["pyright-langserver", ${node}]

[[servers]]
id = "py"
kind = "pyright"

[[servers]]
id = "sample"
command = ${node}
args = [${script}]
extensions = ["sample"]
ready.at_once = true
`;
  for (const name of ["a.sample", "b.sample"]) writeFileSync(join(folder, name), "its name\nits other\n");
  writeFileSync(config, `${servers}${ownTool}`);
  await run(["generate", "--config", config, "--out", bundle]);
  writeFileSync(config, servers);
  await run(["generate", "--config", config, "--out", bundle]);
  await run(["serve", "--config", config], session);
  await run(["serve", "--bundle", bundle, "--workspace", folder], [...session, ...calls]);
  mkdirSync(compiled, { recursive: true });
  for (const [file, script] of scripts) writeFileSync(join(compiled, file), script.createCachedData());
}

keep().finally(() => rmSync(folder, { recursive: true, force: true }));
