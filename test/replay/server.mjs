/**
 * Plays a recorded language server: `node server.mjs TRANSCRIPT`. A request is answered as its twin in the transcript was;
 * what the server said unasked after a message is said again after that message.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

const lines = readFileSync(process.argv[2], "utf8").trim().split("\n");
const folder = process.cwd();
const real = (text) =>
  text
    .replaceAll("<workspace-uri>", pathToFileURL(folder).href)
    .replaceAll("<workspace>", folder)
    .replaceAll("<workspace-name>", basename(folder));
const entries = lines.map((line) => JSON.parse(real(line)));

/** Everything that the proxy said, with the answer it got and what the server said before the proxy's next word. */
const said = [];
for (const { direction, message } of entries) {
  if (direction === "sent") {
    if (message.method !== undefined) said.push({ message, after: [], reply: undefined });
    continue;
  }
  if (message.method === undefined) {
    const asked = said.find((entry) => entry.message.id === message.id && entry.reply === undefined);
    if (asked) asked.reply = message;
  } else said.at(-1)?.after.push(message);
}

/** Versions and processes differ from run to run; what is asked does not. */
const keyOf = ({ method, params }) =>
  ["initialize", "initialized", "shutdown", "exit"].includes(method)
    ? method
    : JSON.stringify([method, params]);
const left = new Map();
for (const entry of said) {
  const key = keyOf(entry.message);
  left.set(key, [...(left.get(key) ?? []), entry]);
}

const send = (message) => {
  const body = Buffer.from(JSON.stringify(message));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  process.stdout.write(body);
};

function hear(message) {
  if (message.method === "exit") process.exit(0);
  if (message.method === undefined) return;
  const twins = left.get(keyOf(message)) ?? [];
  // The last answer to a question stands for all later times that it is asked.
  const twin = twins.length > 1 ? twins.shift() : twins[0];
  for (const unasked of twin?.after ?? []) send(unasked);
  if (message.id === undefined) return;
  if (message.method === "shutdown") send({ jsonrpc: "2.0", id: message.id, result: null });
  else if (twin?.reply) send({ ...twin.reply, id: message.id });
  else send({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "not in the transcript" } });
}

let pending = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  pending = Buffer.concat([pending, chunk]);
  for (;;) {
    const head = /Content-Length: (\d+)\r\n\r\n/.exec(pending.toString("latin1"));
    if (!head) return;
    const start = head.index + head[0].length;
    const end = start + Number(head[1]);
    if (pending.length < end) return;
    const message = JSON.parse(pending.subarray(start, end).toString("utf8"));
    pending = pending.subarray(end);
    hear(message);
  }
});
process.stdin.on("end", () => process.exit(0));
