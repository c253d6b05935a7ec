/**
 * A language server that misbehaves at random: `server.mjs '{ "faults": ["junk", …], "seed": 1, "rate": 0.3 }' STARTS`.
 * Without a fault it answers properly. STARTS is a file that counts the starts, so that each start behaves differently
 * and a whole run can still be repeated. `server.mjs --list` prints the names of the faults.
 */
import { spawn } from "node:child_process";
import { appendFileSync, statSync } from "node:fs";
import { generator } from "../generator.mjs";

const documents = new Map();
let random;
let tokens = 0;
let nextId = 1;

const pick = (list) => list[Math.floor(random() * list.length)];
const count = (least, most) => Math.floor(least + random() * (most - least));
const range = (line) => ({ start: { line, character: 0 }, end: { line, character: 1 } });

function frame(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Sends a message whose JSON is written by hand: some texts are deeper than JSON.stringify can go. */
function sendText(text) {
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

const send = (message) => process.stdout.write(frame(message));
const notify = (method, params) => send({ method, params });
const ask = (method, params) => send({ id: `own-${nextId++}`, method, params });
const after = (ms, act) => void setTimeout(act, ms);

function times(number, act) {
  for (let turn = 0; turn < number; turn++) act(turn);
}

/** Nested symbols as text, `levels` deep. */
function nested(levels, name) {
  const place = JSON.stringify(range(0));
  const open = `{"name":"${name}","kind":5,"range":${place},"selectionRange":${place},"children":[`;
  return `[${open.repeat(levels)}${"]}".repeat(levels)}]`;
}

/** A list of the kind that a request returns. */
function hugeReply(method, uri, length) {
  const diagnostic = { range: range(0), severity: 1, message: "huge" };
  const items = {
    "textDocument/diagnostic": diagnostic,
    "textDocument/documentSymbol": { name: "huge", kind: 12, range: range(0), selectionRange: range(0) },
    "textDocument/references": { uri, range: range(0) },
  };
  const item = items[method];
  if (item === undefined) return { contents: "x".repeat(length * 40) };
  const list = Array.from({ length }, (_, line) => ({ ...item, name: `huge${line}` }));
  return method === "textDocument/diagnostic" ? { kind: "full", items: list } : list;
}

const wrong = [0, -1, "text", true, [], {}, [null], [[]], { range: 1 }, [{ uri: 7, range: "x" }], [1e308]];
const wrongMembers = ["contents", "items", "kind", "uri", "range", "name", "children", "data", "changes"];

function wrongValue() {
  if (random() < 0.4) return pick(wrong);
  const object = Object.fromEntries(wrongMembers.map((name) => [name, pick(wrong)]));
  return random() < 0.5 ? object : [object, pick(wrong), object];
}

/** A fault acts when a request comes. It returns true when the request needs no other answer. */
const faults = {
  "flood-configuration": () => {
    times(20_000, () => ask("workspace/configuration", { items: [{ section: "a" }, { section: "b" }] }));
  },
  "flood-configuration-unread": () => {
    process.stdin.pause();
    // Each answer is a hundred times as long as its request.
    times(40_000, () => ask("workspace/configuration", { items: [{ section: "long" }] }));
    after(count(1_000, 8_000), () => process.stdin.resume());
  },
  "flood-progress": () => {
    times(10_000, () => {
      const token = `token-${process.pid}-${tokens++}`;
      ask("window/workDoneProgress/create", { token });
      notify("$/progress", { token, value: { kind: "begin", title: "t".repeat(1_000) } });
      if (random() < 0.2)
        notify("$/progress", { token, value: { kind: "report", message: "m".repeat(500) } });
    });
  },
  "flood-diagnostics": ({ params }) => {
    const folder = params.textDocument.uri.replace(/[^/]*$/, "");
    times(5_000, () =>
      notify("textDocument/publishDiagnostics", {
        uri: `${folder}new-${process.pid}-${tokens++}.bad`,
        diagnostics: [{ range: range(0), severity: 1, message: "d".repeat(4_000) }],
      }),
    );
  },
  "flood-log": () => {
    times(3_000, (turn) => notify("window/logMessage", { type: 1 + (turn % 4), message: "l".repeat(1_000) }));
    times(1_000, () => process.stderr.write(`${"e".repeat(1_000)}\n`));
  },
  registrations: () => {
    const glob = `**/${"*a".repeat(30)}b`;
    times(200, () =>
      ask("client/registerCapability", {
        registrations: [
          {
            id: `registration-${tokens++}`,
            method: pick(["textDocument/hover", "workspace/didChangeWatchedFiles"]),
            registerOptions: { documentSelector: [{ pattern: glob }], watchers: [{ globPattern: glob }] },
          },
        ],
      }),
    );
  },
  junk: () => {
    const bytes = Buffer.from(Array.from({ length: count(1, 2_000) }, () => count(0, 256)));
    process.stdout.write(
      pick([
        bytes,
        "some words on stdout\n",
        "\r\n\r\n",
        "Content-Length: -5\r\n\r\n",
        "Content-Length: 1e9\r\n\r\n",
        "Content-Length:".repeat(count(1, 70_000)),
        "Content-Length: 5\r\n\r\n{oops",
      ]),
    );
  },
  late: (message) => {
    after(count(500, 9_000), () => answer(message));
    return true;
  },
  silent: () => true,
  "wrong-types": ({ id }) => {
    send({ id, result: wrongValue() });
    return true;
  },
  "wrong-errors": ({ id }) => {
    send({
      id,
      error: pick([0, null, false, "", "text", [], {}, { code: "x" }, { code: 1e300, message: 7 }]),
    });
    return true;
  },
  deep: ({ id }) => {
    const [levels, name] = pick([
      [4_000, "n".repeat(1_000)],
      [60_000, "n"],
      [500, "n"],
    ]);
    sendText(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${nested(levels, name)}}`);
    return true;
  },
  huge: ({ id, method, params }) => {
    send({ id, result: hugeReply(method, params.textDocument.uri, count(50_000, 300_000)) });
    return true;
  },
  "duplicate-ids": (message) => {
    times(3, () => answer(message));
    times(3, () => send({ id: "same", method: "workspace/configuration", params: { items: [{}] } }));
    return true;
  },
  "unknown-ids": () => {
    times(100, () => send({ id: pick([count(1, 1e6), `x${count(1, 1e6)}`, null, -1]), result: {} }));
  },
  "exit-in-the-middle": ({ id }) => {
    const whole = frame({ id, result: { contents: "c".repeat(count(10, 100_000)) } });
    process.stdout.write(whole.subarray(0, count(1, whole.length)), () => process.exit(pick([0, 1, 137])));
    return true;
  },
  "close-output": () => {
    process.stdout.end();
    return true;
  },
  "stop-reading": () => {
    process.stdin.pause();
    setInterval(() => {}, 1e6);
    return true;
  },
  "ignore-end": () => {},
  "leave-children": () => {
    const program = ["-e", "setInterval(() => {}, 1e6)"];
    if (random() < 0.1)
      spawn(process.execPath, program, { stdio: "ignore", detached: random() < 0.5 }).unref();
  },
};

function places(text, word) {
  return text.split("\n").flatMap((line, number) => {
    const at = line.indexOf(word);
    if (at < 0) return [];
    const [start, end] = [at, at + word.length].map((character) => ({ line: number, character }));
    return [{ start, end }];
  });
}

const provided = {
  hoverProvider: true,
  referencesProvider: true,
  documentSymbolProvider: true,
  diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false },
};

const replies = {
  initialize: () => ({ capabilities: { textDocumentSync: 1, ...provided } }),
  shutdown: () => null,
  "textDocument/hover": (_uri, text) => ({ contents: text }),
  "textDocument/references": (uri, text) => places(text, "BUG").map((found) => ({ uri, range: found })),
  "textDocument/documentSymbol": () => [],
  "textDocument/diagnostic": (_uri, text) => ({
    kind: "full",
    items: places(text, "BUG").map((found) => ({ range: found, severity: 1, message: "found BUG" })),
  }),
};

function answer({ id, method, params }) {
  const reply = replies[method];
  const uri = params?.textDocument?.uri;
  if (reply === undefined) send({ id, error: { code: -32601, message: `no ${method}` } });
  else send({ id, result: reply(uri, documents.get(uri) ?? "") });
}

function handle(message, { faults: chosen, rate }) {
  const { id, method, params } = message;
  const ignoresEnd = chosen.includes("ignore-end");
  if (method === "textDocument/didOpen") documents.set(params.textDocument.uri, params.textDocument.text);
  if (method === "textDocument/didChange")
    documents.set(params.textDocument.uri, params.contentChanges[0].text);
  if (method === "textDocument/didClose") documents.delete(params.textDocument.uri);
  if (method === "exit" && !ignoresEnd) process.exit(0);
  if (method === undefined || id === undefined || (method === "shutdown" && ignoresEnd)) return;
  const acting = method.startsWith("textDocument/") && random() < rate;
  if (!acting || faults[pick(chosen)](message) !== true) answer(message);
}

function start(settings, starts) {
  appendFileSync(starts, ".");
  random = generator(settings.seed + statSync(starts).size);
  if (settings.faults.includes("ignore-end")) {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1e6);
  } else process.stdin.on("end", () => process.exit(0));
  process.stdout.on("error", () => process.exit(1));
  let buffer = Buffer.alloc(0);
  process.stdin.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const end = buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, end).toString())?.[1]);
      if (buffer.length < end + 4 + length) return;
      const body = buffer.subarray(end + 4, end + 4 + length).toString();
      buffer = buffer.subarray(end + 4 + length);
      handle(JSON.parse(body), settings);
    }
  });
}

if (process.argv[2] === "--list") console.log(JSON.stringify(Object.keys(faults)));
else start(JSON.parse(process.argv[2]), process.argv[3]);
