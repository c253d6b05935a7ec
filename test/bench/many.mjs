/**
 * Many sessions on one gateway: how much gets through, what a call costs the program and what the server, and whether a
 * cheap call waits. The scripted server answers at once, so that the program is all there is; the real one is the limit.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { alone, quantile, timed } from "./figures.mjs";
import { cpuBelowMs, cpuMs } from "./process.mjs";
import { environment, program } from "./proxy.mjs";
import { RawServer } from "./raw.mjs";
import { scripted, span } from "./scripted.mjs";
import { generated, server as realServer } from "./workspace.mjs";

export const title = "Many sessions on one gateway";

const token = "benchmark-token-0123456789";
const calls = 200;
const counts = [1, 10, 50];

export async function run() {
  return [...(await scriptedRows()), ...(await realRows())];
}

async function scriptedRows() {
  const lines = Array.from({ length: 2000 }, (_, line) => `name${line} = target`);
  const { folder, bundle } = scripted({
    files: { "f0.fake": lines.join("\n") },
    mcp: "[http]\nport = 0\nmax_sessions = 64",
    capabilities: { hoverProvider: true, referencesProvider: true, definitionProvider: true },
    replies: (root) => ({
      "textDocument/hover": { contents: "words" },
      "textDocument/definition": [{ uri: `${root}/f0.fake`, range: span(3) }],
      "textDocument/references": lines.map((_, n) => ({ uri: `${root}/f0.fake`, range: span(n) })),
    }),
  });
  const gateway = await startGateway(["--bundle", bundle, "--workspace", folder]);
  const rows = [];
  try {
    const first = await openSession(gateway.url);
    await first.call("get_hover", { file_path: "f0.fake", line: 1, character: 1 });
    let place = 0;
    const mixed = ["get_hover", "find_definition", "get_hover", "find_references"];
    const next = (n) => ({
      tool: mixed[n % mixed.length],
      args: { file_path: "f0.fake", line: (place++ % 1999) + 1, character: 1 },
    });
    for (const count of counts) rows.push(...(await throughput(gateway, count, "scripted", next)));
    rows.push(...(await beside(first)));
  } finally {
    await gateway.close();
  }
  return rows;
}

/** The same with a real server, against as many questions sent to it raw at once as there are sessions. */
async function realRows() {
  const { folder, bundle, files } = generated();
  const gateway = await startGateway(["--bundle", bundle, "--workspace", folder, "--port", "0"]);
  const raw = await new RawServer(realServer, folder).open();
  const rows = [];
  try {
    const first = await openSession(gateway.url);
    const chosen = files.slice(0, 40);
    const uris = [];
    for (const path of chosen) {
      uris.push(await raw.didOpen(join(folder, path), realServer.languageId));
      await raw.request("textDocument/hover", rawPlace(uris.at(-1), 17));
      await first.call("get_hover", { file_path: path, line: 1, character: 1 });
    }
    let place = 0;
    const next = (n) => {
      const at = place++;
      const tool = n % 2 === 0 ? "get_hover" : "find_definition";
      const args = { file_path: chosen[at % chosen.length], line: lineOf(at, chosen) + 1, character: 18 };
      return { tool, args };
    };
    for (const count of counts) {
      let asked = 0;
      const spent = await timed(() =>
        Promise.all(
          Array.from({ length: count }, async () => {
            for (let n = 0; n < calls / count; n++) {
              const at = asked++;
              const method = n % 2 === 0 ? "textDocument/hover" : "textDocument/definition";
              await raw.request(method, rawPlace(uris[at % uris.length], lineOf(at, chosen)));
            }
          }),
        ),
      );
      rows.push(alone(`${count} at once, raw to a real server`, (calls / spent) * 1000, "calls a second"));
      rows.push(...(await throughput(gateway, count, "real", next)));
    }
  } finally {
    await raw.close();
    await gateway.close();
  }
  return rows;
}

/** A line of a generated module that declares a step; each is asked about in turn. */
function lineOf(at, chosen) {
  return 17 + 4 * (Math.floor(at / chosen.length) % 20);
}

function rawPlace(uri, line) {
  return { textDocument: { uri }, position: { line, character: 17 } };
}

/** What gets through with so many sessions, and what it costs the program and the server. */
async function throughput(gateway, count, kind, next) {
  const sessions = await Promise.all(Array.from({ length: count }, () => openSession(gateway.url)));
  const before = { program: cpuMs(gateway.pid), server: cpuBelowMs(gateway.pid) };
  const spent = await timed(() =>
    Promise.all(
      sessions.map(async (session) => {
        for (let n = 0; n < calls / count; n++) {
          const { tool, args } = next(n);
          await session.call(tool, args);
        }
      }),
    ),
  );
  const program = (cpuMs(gateway.pid) - before.program) / calls;
  const server = (cpuBelowMs(gateway.pid) - before.server) / calls;
  for (const session of sessions) await session.close();
  const what = `${count} sessions, ${kind} server`;
  return [
    alone(`${what}, mixed calls`, (calls / spent) * 1000, "calls a second"),
    alone(`${what}, processor time of the program`, program, "ms a call"),
    alone(`${what}, processor time of the server`, server, "ms a call"),
  ];
}

/** A cheap call alone, and the same while an expensive one is under way all the time. */
async function beside(session) {
  let line = 0;
  const cheap = () =>
    timed(() => session.call("get_hover", { file_path: "f0.fake", line: ++line, character: 2 }));
  const quiet = [];
  for (let n = 0; n < 100; n++) quiet.push(await cheap());
  let isOver = false;
  const busy = (async () => {
    while (!isOver)
      await session.call("find_references", { file_path: "f0.fake", line: ++line, character: 3 });
  })();
  const loaded = [];
  for (let n = 0; n < 100; n++) loaded.push(await cheap());
  isOver = true;
  await busy;
  return [
    alone("a hover alone, p95", quantile(quiet, 0.95), "ms"),
    alone("a hover while references of 2 000 places run, p95", quantile(loaded, 0.95), "ms"),
  ];
}

async function startGateway(words) {
  const child = spawn(process.execPath, [program, "serve", "--http", ...words], {
    env: { ...environment(), LSP_PROXY_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const url = await new Promise((resolve, reject) => {
    let text = "";
    child.stderr.on("data", (chunk) => {
      text += chunk;
      const [found] = /http:\/\/\S+/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("close", () => reject(new Error(text)));
  });
  const close = () => {
    const gone = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    return gone;
  };
  return { url, pid: child.pid, close };
}

async function openSession(url) {
  let id = 0;
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = async (message) => {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    if (!response.ok) throw new Error(`${message.method}: ${response.status}`);
    return { text: await response.text(), session: response.headers.get("mcp-session-id") };
  };
  const { session } = await post({
    id: id++,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bench", version: "0" },
    },
  });
  headers["mcp-session-id"] = session;
  headers["mcp-protocol-version"] = "2025-06-18";
  await post({ method: "notifications/initialized" });
  return {
    async call(name, args) {
      const { text } = await post({ id: id++, method: "tools/call", params: { name, arguments: args } });
      if (!text.includes('"ok":true')) throw new Error(text.slice(0, 300));
    },
    async close() {
      await (await fetch(url, { method: "DELETE", headers })).arrayBuffer();
    },
  };
}
