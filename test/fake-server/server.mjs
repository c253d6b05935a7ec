/**
 * A language server that does what a scenario says: see README.md for the format. It has no dependencies and reads
 * bytes with its own framing, so that a fault of the client's framing cannot hide.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that `initialize` named. */
let root;
const scenario = JSON.parse(readFileSync(process.argv[2], "utf8"));
const documents = new Map();
const received = [];
const arrivals = [];
const children = [];
const refused = new Set();
const failing = new Map();
const waiting = [];
const replyIndex = new Map();
const answers = new Map();
let nextId = 0;
let output = process.stdout;

if (scenario.refuseSigterm) process.on("SIGTERM", () => {});

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  output.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
}

function uriOf(message) {
  return message.params?.textDocument?.uri ?? message.params?.uri;
}

function places(text, word) {
  const found = [];
  text.split(/\r\n|\r|\n/).forEach((line, number) => {
    for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + 1)) {
      found.push({
        start: { line: number, character: at },
        end: { line: number, character: at + word.length },
      });
    }
  });
  return found;
}

function find(value, message) {
  const uri = uriOf(message);
  const ranges = places(documents.get(uri)?.text ?? "", value.$find);
  if (value.as === "locations") return ranges.map((range) => ({ uri, range }));
  return ranges.map((range) => ({ range, severity: 1, source: "fake", message: `found ${value.$find}` }));
}

function fill(value, message) {
  if (Array.isArray(value)) return value.map((item) => fill(item, message));
  if (typeof value !== "object" || value === null) return value;
  if ("$" in value)
    return (
      value.$.split("/")
        .slice(1)
        .reduce((at, key) => at?.[key], message) ?? null
    );
  if ("$version" in value) return documents.get(uriOf(message))?.version ?? null;
  if (Array.isArray(value.$text)) return value.$text.map((part) => fill(part, message)).join("");
  if ("$text" in value) return documents.get(uriOf(message))?.text ?? null;
  if ("$frame" in value) {
    const body = JSON.stringify(fill(value.$frame, message));
    return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  }
  if ("$body" in value) {
    const body = fill(value.$body, message);
    return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  }
  if ("$list" in value)
    return Array.from({ length: value.times }, (_, i) => fill(value.$list, { ...message, i }));
  if ("$repeat" in value) return value.$repeat.repeat(value.times);
  if ("$find" in value) return find(value, message);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, message)]));
}

function request(method, params) {
  const id = nextId++;
  send({ id, method, params });
  return new Promise((resolve) => answers.set(id, resolve));
}

/** Looks again and again: the events of a folder in which many tests work may be lost. */
async function fileAppears(path) {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
}

const actions = {
  reply: (action, message) => send({ id: message.id, result: fill(action.reply, message) }),
  error: (action, message) => send({ id: message.id, error: action.error }),
  never: () => {},
  wrongId: (_action, message) => send({ id: 1_000_000 + message.id, result: null }),
  notify: (action, message) => send({ method: action.notify, params: fill(action.params, message) }),
  request: (action, message) => request(action.request, fill(action.params, message)),
  ask: (action, message) => void request(action.ask, fill(action.params, message)),
  wait: (action) => new Promise((resolve) => waiting.push({ method: action.wait, resolve })),
  waitFile: (action) => fileAppears(action.waitFile),
  raw: (action, message) => void output.write(fill(action.raw, message)),
  stderr: (action) => {
    for (let i = 0; i < (action.times ?? 1); i++) process.stderr.write(action.stderr);
  },
  flood: (action, message) => {
    for (let i = 0; i < action.times; i++) {
      const params = fill(action.params, { ...message, i });
      send({ ...(action.asks ? { id: nextId++ } : {}), method: action.flood, params });
    }
  },
  exit: (action) => process.exit(action.exit),
  signal: (action) => {
    process.kill(process.pid, action.signal);
    return new Promise(() => {});
  },
  spawn: (action) => {
    const program = ["-e", "setInterval(() => {}, 1e6)"];
    const child = spawn(process.execPath, program, { stdio: "ignore", detached: action.spawn === "apart" });
    children.push(child.pid);
  },
  daemon: (action) => {
    const bare = `setsid -f env -i sh -c 'echo $$ > "$1"; exec sleep 1000000' sh "$1" >/dev/null 2>&1`;
    const program = action.bare ? bare : `setsid sleep 1000000 >/dev/null 2>&1 & echo $! > "$1"`;
    const child = spawn("/bin/sh", ["-c", program, "sh", action.daemon], { stdio: "ignore" });
    return new Promise((resolve) => child.on("exit", resolve));
  },
  exec: (action) => {
    const child = spawn(action.exec[0], action.exec.slice(1), { stdio: "ignore" });
    return new Promise((resolve) => child.on("exit", resolve));
  },
  closeOutput: () => new Promise((resolve) => output.end(resolve)),
  save: (action, message) => writeFileSync(inRoot(action.save), JSON.stringify(message)),
  refuse: (action) => void refused.add(action.refuse),
  fail: (action) => void failing.set(action.fail, action.with),
  stopReading: () => void process.stdin.pause(),
};
const answering = ["reply", "error", "never", "wrongId"];

/** A file by its name in the root that the server was told of; nobody knows where the server itself stands. */
function inRoot(name) {
  if (isAbsolute(name)) return name;
  if (root === undefined) throw new Error(`${name} is relative, and no root was told`);
  return join(root, name);
}

async function run(list, message) {
  let answered = false;
  for (const action of list) {
    if (action.once) {
      const done = inRoot(action.once);
      if (existsSync(done)) continue;
      writeFileSync(done, "");
    }
    const name = Object.keys(actions).find((key) => Object.hasOwn(action, key));
    if (!name) throw new Error(`unknown action ${JSON.stringify(action)}`);
    if (answering.includes(name)) answered = true;
    await actions[name](action, message);
  }
  return answered;
}

function noteDocument({ method, params }) {
  if (method === "textDocument/didOpen") documents.set(params.textDocument.uri, { ...params.textDocument });
  if (method === "textDocument/didClose") documents.delete(params.textDocument.uri);
  if (method !== "textDocument/didChange") return;
  const document = documents.get(params.textDocument.uri);
  if (!document) return;
  document.version = params.textDocument.version;
  for (const change of params.contentChanges)
    document.text = change.range ? splice(document.text, change) : change.text;
}

/** Applies a ranged change; columns are UTF-16, the encoding of this server unless its scenario says otherwise. */
function splice(text, { range, text: inserted }) {
  const starts = [0];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\n" || (text[i] === "\r" && text[i + 1] !== "\n")) starts.push(i + 1);
  }
  const offset = ({ line, character }) => Math.min((starts[line] ?? text.length) + character, text.length);
  return text.slice(0, offset(range.start)) + inserted + text.slice(offset(range.end));
}

const own = {
  initialize: () => ({
    capabilities: {
      textDocumentSync: { openClose: true, change: 2, save: { includeText: false } },
      ...scenario.capabilities,
    },
    ...(scenario.serverInfo ? { serverInfo: scenario.serverInfo } : {}),
  }),
  shutdown: () => null,
  "fake/received": ({ params }) =>
    received.filter((seen) => !params?.method || seen.method === params.method),
  "fake/arrivals": ({ params }) =>
    arrivals.flatMap(({ method, ms }) => (method === params.method ? [ms] : [])),
  "fake/documents": () => [...documents.values()],
  "fake/children": () => children,
  "fake/arguments": () => process.argv.slice(2),
};

function nextReply(method) {
  const reply = scenario.replies[method];
  if (typeof reply !== "object" || reply === null || !Array.isArray(reply.$each)) return reply;
  const index = replyIndex.get(method) ?? 0;
  replyIndex.set(method, index + 1);
  return reply.$each[Math.min(index, reply.$each.length - 1)];
}

function answer(message) {
  const { id, method } = message;
  if (method === "shutdown" && scenario.ignoreShutdown) return;
  if (refused.has(method)) send({ id, error: { code: -32601, message: `Unhandled method ${method}` } });
  else if (failing.has(method)) send({ id, error: failing.get(method) });
  else if (Object.hasOwn(scenario.replies ?? {}, method))
    send({ id, result: fill(nextReply(method), message) });
  else if (own[method]) send({ id, result: own[method](message) });
  else send({ id, error: { code: -32601, message: `Unhandled method ${method}` } });
}

async function handle(message) {
  if (message.method === undefined) {
    received.push({ answer: message });
    answers.get(message.id)?.(message);
    answers.delete(message.id);
    return;
  }
  received.push(message);
  arrivals.push({ method: message.method, ms: performance.now() });
  noteDocument(message);
  if (message.method === "initialize" && message.params.rootUri) root = fileURLToPath(message.params.rootUri);
  for (const waiter of waiting.splice(0)) {
    if (waiter.method === message.method) waiter.resolve();
    else waiting.push(waiter);
  }
  const list = message.method === "fake/do" ? message.params.actions : (scenario.on?.[message.method] ?? []);
  const answered = await run(list, message);
  if (message.method === "exit" && !scenario.ignoreExit) process.exit(0);
  if (message.id === undefined || answered) return;
  if (message.method === "fake/do") send({ id: message.id, result: null });
  else answer(message);
}

function read(input) {
  let buffer = Buffer.alloc(0);
  input.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const end = buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, end).toString())?.[1]);
      if (buffer.length < end + 4 + length) return;
      const body = buffer.subarray(end + 4, end + 4 + length).toString();
      buffer = buffer.subarray(end + 4 + length);
      void handle(JSON.parse(body));
    }
  });
  input.on("end", () => {
    if (!scenario.ignoreStdinEnd) process.exit(0);
  });
}

if (scenario.ignoreStdinEnd) setInterval(() => {}, 1e6);
const port = process.argv.indexOf("--port");
const pipe = process.argv.indexOf("--pipe");
const call = process.argv.indexOf("--call");
await run(scenario.start ?? [], {});
if (call > 0) {
  output = connect(process.argv[call + 1]);
  read(output);
} else if (port > 0 || pipe > 0) {
  const server = createServer((socket) => {
    // What is written to a connection that was closed on purpose is lost, not fatal.
    socket.on("error", () => {});
    output = socket;
    read(socket);
  });
  server.listen(port > 0 ? Number(process.argv[port + 1]) : process.argv[pipe + 1], () =>
    process.stderr.write(`listening ${JSON.stringify(server.address())}\n`),
  );
} else {
  read(process.stdin);
}
