/**
 * Asks the real Taplo language server, as the VS Code extension Even Better TOML runs it, about a config on stdin: `node taplo.mjs PACKAGE
 * URL SCHEMA`. PACKAGE is the folder of `@taplo/lsp`. The file SCHEMA is served for URL, and nothing else is. Prints JSON: the schema that
 * Taplo associates, the diagnostics, and the completions and hovers at the places that arguments after these name as LINE:CHARACTER.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";

const [folder, url, schema, ...places] = process.argv.slice(2);
const { TaploLsp } = createRequire(import.meta.url)(folder);
const uri = "file:///project/lspi.toml";
const waiting = new Map();
/** The diagnostics that were published after the schema was read: earlier ones do not come from it. */
let diagnostics;
let isRead = false;

globalThis.fetch = async (request) => {
  const asked = typeof request === "string" ? request : request.url;
  isRead ||= asked === url;
  const response = asked === url ? new Response(readFileSync(schema)) : new Response("{}", { status: 404 });
  // The server reads the address of the answer, which an answer that was made here lacks.
  return Object.defineProperty(response, "url", { value: asked });
};

const environment = {
  now: () => new Date(),
  envVar: () => undefined,
  envVars: () => [],
  stdErrAtty: () => false,
  stdin: async () => new Uint8Array(),
  stdout: async (bytes) => bytes.length,
  stderr: async (bytes) => bytes.length,
  glob: () => [],
  readFile: async () => new Uint8Array(),
  writeFile: async () => {},
  urlToFilePath: (file) => decodeURI(file).slice("file://".length),
  isAbsolute: (path) => path.startsWith("/"),
  cwd: () => "/project",
  findConfigFile: () => undefined,
};

function onMessage(message) {
  const { id, method, params } = message;
  if (method === undefined) waiting.get(id)?.(message.result);
  else if (method === "textDocument/publishDiagnostics" && isRead) diagnostics = params.diagnostics;
  if (method !== undefined && id !== undefined)
    server.send({
      jsonrpc: "2.0",
      id,
      result: method === "workspace/configuration" ? params.items.map(() => ({})) : null,
    });
}

let last = 0;
function ask(method, params) {
  return new Promise((resolve) => {
    waiting.set(++last, resolve);
    server.send({ jsonrpc: "2.0", id: last, method, params });
  });
}

const server = await TaploLsp.initialize(environment, { onMessage });
await ask("initialize", {
  processId: null,
  rootUri: "file:///project",
  workspaceFolders: [{ uri: "file:///project", name: "project" }],
  capabilities: {},
});
server.send({ jsonrpc: "2.0", method: "initialized", params: {} });
const document = { uri, languageId: "toml", version: 1, text: await text(process.stdin) };
server.send({ jsonrpc: "2.0", method: "textDocument/didOpen", params: { textDocument: document } });
const { schema: associated } = await ask("taplo/associatedSchema", { documentUri: uri });
while (diagnostics === undefined) await new Promise((resolve) => setTimeout(resolve, 50));

const answers = [];
for (const place of places) {
  const [line, character] = place.split(":").map(Number);
  const at = { textDocument: { uri }, position: { line, character } };
  const hover = await ask("textDocument/hover", at);
  const completions = await ask("textDocument/completion", at);
  answers.push({ hover: hover?.contents.value, completions: (completions ?? []).map(({ label }) => label) });
}
process.stdout.write(JSON.stringify({ schema: associated?.url, diagnostics, answers }), () =>
  process.exit(0),
);
