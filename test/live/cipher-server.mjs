/**
 * A small language server for a language of its own: `let NAME = …` declares, `read NAME` uses. It knows all `*.my`
 * files of its folder, as real servers do, and has nothing scripted.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

let root = process.cwd();
const texts = new Map();
const send = (message) => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
};

const linesOf = (uri) => (texts.get(uri) ?? readFileSync(fileURLToPath(uri), "utf8")).split("\n");
const files = () =>
  readdirSync(root)
    .filter((name) => name.endsWith(".my"))
    .map((name) => pathToFileURL(join(root, name)).href);
const rangeOf = (line, start, name) => ({
  start: { line, character: start },
  end: { line, character: start + name.length },
});
/** Every declaration of a file. */
const declared = (uri) =>
  linesOf(uri).flatMap((text, line) => {
    const name = /^let (\w+)/.exec(text)?.[1];
    return name === undefined ? [] : [{ name, uri, range: rangeOf(line, 4, name) }];
  });
const find = (name) =>
  files()
    .flatMap(declared)
    .filter((entry) => entry.name === name);

function wordAt(uri, { line, character }) {
  for (const match of (linesOf(uri)[line] ?? "").matchAll(/\w+/g))
    if (match.index <= character && character <= match.index + match[0].length) return match[0];
  return undefined;
}

function publish(uri) {
  const diagnostics = linesOf(uri).flatMap((text, line) => {
    const name = /^read (\w+)/.exec(text)?.[1];
    if (name === undefined || find(name).length > 0) return [];
    return [{ range: rangeOf(line, 5, name), severity: 1, message: `${name} is not known` }];
  });
  send({ method: "textDocument/publishDiagnostics", params: { uri, diagnostics } });
}

const answers = {
  initialize: ({ rootUri }) => {
    root = fileURLToPath(rootUri);
    return { capabilities: { textDocumentSync: 1, definitionProvider: true, documentSymbolProvider: true } };
  },
  "textDocument/definition": ({ textDocument, position }) =>
    find(wordAt(textDocument.uri, position)).map(({ uri, range }) => ({ uri, range })),
  "textDocument/documentSymbol": ({ textDocument }) =>
    declared(textDocument.uri).map(({ name, range }) => ({ name, kind: 13, range, selectionRange: range })),
  shutdown: () => null,
};

function hear({ id, method, params }) {
  if (method === "exit") process.exit(0);
  if (method === "textDocument/didOpen") texts.set(params.textDocument.uri, params.textDocument.text);
  if (method === "textDocument/didChange")
    texts.set(params.textDocument.uri, params.contentChanges.at(-1).text);
  if (method === "textDocument/didOpen" || method === "textDocument/didChange")
    publish(params.textDocument.uri);
  if (id === undefined || method === undefined) return;
  const answer = answers[method];
  if (answer) send({ id, result: answer(params) });
  else send({ id, error: { code: -32601, message: "unknown method" } });
}

let pending = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  pending = Buffer.concat([pending, chunk]);
  for (;;) {
    const head = /Content-Length: (\d+)\r\n\r\n/.exec(pending.toString("latin1"));
    const start = head ? head.index + head[0].length : 0;
    if (!head || pending.length < start + Number(head[1])) return;
    const body = pending.subarray(start, start + Number(head[1]));
    pending = pending.subarray(start + Number(head[1]));
    hear(JSON.parse(body.toString("utf8")));
  }
});
process.stdin.on("end", () => process.exit(0));
