/** Part of the build: a language server that answers at once, so that the road of a call is compiled from end to end. */
"use strict";
const range = (line) => ({ start: { line, character: 4 }, end: { line, character: 8 } });
const symbol = (name, line) => ({ name, kind: 12, range: range(line), selectionRange: range(line) });

/** What is answered to a question about a document. */
const answers = {
  initialize: () => ({
    capabilities: {
      textDocumentSync: 2,
      hoverProvider: true,
      definitionProvider: true,
      referencesProvider: true,
      documentSymbolProvider: true,
      workspaceSymbolProvider: true,
      diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false },
    },
  }),
  "textDocument/hover": () => ({ contents: { kind: "markdown", value: "a name" } }),
  "textDocument/definition": ({ textDocument: { uri } }) => [{ uri, range: range(0) }],
  "textDocument/references": ({ textDocument: { uri } }) =>
    [0, 1].map((line) => ({ uri, range: range(line) })),
  "textDocument/documentSymbol": () => [symbol("name", 0), symbol("other", 1)],
  "textDocument/diagnostic": () => ({
    kind: "full",
    items: [{ range: range(1), severity: 1, message: "wrong" }],
  }),
  "workspace/symbol": () => [],
};

function send(message) {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function take({ id, method, params }) {
  if (method === "exit") process.exit(0);
  if (method === "initialized") {
    send({ method: "window/logMessage", params: { type: 3, message: "ready" } });
    send({ id: "0", method: "workspace/configuration", params: { items: [{ section: "sample" }] } });
  }
  if (method !== undefined && id !== undefined) send({ id, result: answers[method]?.(params) ?? null });
}

let rest = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (;;) {
    const head = rest.indexOf("\r\n\r\n");
    if (head < 0) return;
    const end = head + 4 + Number(/\d+/.exec(rest.toString("latin1", 0, head))[0]);
    if (rest.length < end) return;
    const body = rest.toString("utf8", head + 4, end);
    rest = rest.subarray(end);
    take(JSON.parse(body));
  }
});
