/** Many sessions on one gateway: how much gets through, what a call costs the program, and whether a cheap call waits. */
import { spawn } from "node:child_process";
import { alone, quantile, timed } from "./figures.mjs";
import { cpuMs } from "./process.mjs";
import { environment, program } from "./proxy.mjs";
import { scripted, span } from "./scripted.mjs";

export const title = "Many sessions on one gateway";

const token = "benchmark-token-0123456789";
const calls = 200;

export async function run() {
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
    for (const count of [1, 10, 50]) {
      const sessions = await Promise.all(Array.from({ length: count }, () => openSession(gateway.url)));
      const cpu = cpuMs(gateway.pid);
      const spent = await timed(() =>
        Promise.all(
          sessions.map(async (session) => {
            for (let n = 0; n < calls / count; n++) {
              const line = (place++ % 1999) + 1;
              await session.call(mixed[n % mixed.length], { file_path: "f0.fake", line, character: 1 });
            }
          }),
        ),
      );
      rows.push(alone(`${count} sessions, mixed calls`, (calls / spent) * 1000, "calls a second"));
      const each = (cpuMs(gateway.pid) - cpu) / calls;
      rows.push(alone(`${count} sessions, processor time of the program`, each, "ms a call"));
      for (const session of sessions) await session.close();
    }
    rows.push(...(await beside(first)));
  } finally {
    await gateway.close();
  }
  return rows;
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
