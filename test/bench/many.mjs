/**
 * Many sessions on one gateway: how much gets through, what a call costs the program and what the server, and whether a
 * cheap call waits. The scripted server answers at once, so that the program is all there is; the real one is the limit.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alone, compared, timed } from "./figures.mjs";
import { cpuBelowMs, cpuMs } from "./process.mjs";
import { environment, program } from "./proxy.mjs";
import { RawServer } from "./raw.mjs";
import { scripted, span } from "./scripted.mjs";
import { generated, server as realServer } from "./workspace.mjs";

export const title = "Many sessions on one gateway";

const bareProgram = fileURLToPath(new URL("bare.mjs", import.meta.url));
const token = "benchmark-token-0123456789";
const calls = 600;
/** How often each side makes so many with a real server. */
const turns = 3;
const counts = [1, 10, 50];
/** What a real server is asked, one after the other: what costs it least, and what agents ask. */
const mixes = {
  "hovers and definitions": ["hover", "definition"],
  "calls of all kinds": ["hover", "definition", "references", "document symbols", "workspace symbols"],
};
/** Calls that are thrown away before, of so many sessions: programs that have just started compile more than they serve. */
const warmUp = { calls: 2000, sessions: 10 };

export async function run() {
  return [...(await scriptedRows()), ...(await realRows())];
}

async function scriptedRows() {
  const lines = Array.from({ length: 2000 }, (_, line) => `name${line} = target`);
  const { folder, bundle, server } = scripted({
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
  const raw = await new RawServer(server, folder).open();
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
    await through(gateway, warmUp.sessions, warmUp.calls, next);
    for (const count of counts)
      rows.push(...throughputRows(await through(gateway, count, calls, next), count, "scripted"));
    rows.push(...(await beside(first, raw, await raw.didOpen(join(folder, "f0.fake"), server.languageId))));
  } finally {
    await raw.close();
    await gateway.close();
  }
  return rows;
}

/**
 * The same with a real server, against as many questions sent to it raw at once as there are sessions, on a pipe, and over
 * HTTP through as little as can be: raw requests need no third process, and no client of HTTP.
 */
async function realRows() {
  const { folder, bundle, files } = generated();
  const gateway = await startGateway(["--bundle", bundle, "--workspace", folder, "--port", "0"]);
  const bare = await started([bareProgram, JSON.stringify({ server: realServer, folder, files })]);
  const raw = await new RawServer(realServer, folder).open();
  const rows = [];
  try {
    const first = await openSession(gateway.url);
    const uris = [];
    for (const path of files) {
      uris.push(await raw.didOpen(join(folder, path), realServer.languageId));
      await raw.request("textDocument/hover", rawPlace(uris.at(-1)));
      await first.call("get_hover", { file_path: path, line: 1, character: 1 });
    }
    for (const uri of uris) await raw.request("textDocument/hover", rawPlace(uri));
    for (const [mix, kinds] of Object.entries(mixes)) {
      const question = questions(kinds, files, uris);
      const askWith = (ask) => async (count, total) =>
        await Promise.all(
          Array.from({ length: count }, async () => {
            for (let n = 0; n < total / count; n++) await ask(question(n));
          }),
        );
      const askRaw = askWith(({ method, params }) => raw.request(method, params));
      const askBare = askWith(async ({ method, params }) => {
        const body = JSON.stringify({ method, params });
        await (await fetch(bare.url, { method: "POST", body })).json();
      });
      await askRaw(warmUp.sessions, warmUp.calls);
      await askBare(warmUp.sessions, warmUp.calls);
      await through(gateway, warmUp.sessions, warmUp.calls, question);
      for (const count of counts) {
        const totals = { raw: 0, bare: 0, bareCpu: 0, ours: { spent: 0, program: 0, server: 0 } };
        // In turns, so that whatever else the machine does falls on all three.
        for (let turn = 0; turn < turns; turn++) {
          totals.raw += await timed(() => askRaw(count, calls));
          const before = cpuMs(bare.pid);
          totals.bare += await timed(() => askBare(count, calls));
          totals.bareCpu += cpuMs(bare.pid) - before;
          const ours = await through(gateway, count, calls, question);
          for (const [name, value] of Object.entries(ours)) totals.ours[name] += value / turns;
        }
        const rate = (spent) => (turns * calls * 1000) / spent;
        rows.push(
          alone(`${count} at once, raw to a real server, ${mix}`, rate(totals.raw), "calls a second"),
        );
        const what = `${count} at once, over HTTP through as little as can be`;
        rows.push(alone(what, rate(totals.bare), "calls a second"));
        rows.push(alone(`${what}, its processor time`, totals.bareCpu / turns / calls, "ms a call"));
        rows.push(...throughputRows(totals.ours, count, "real", mix));
      }
    }
  } finally {
    await raw.close();
    await bare.close();
    await gateway.close();
  }
  return rows;
}

/** Questions of these kinds by turns, none of them twice: as a call of a tool, and as it is sent raw. */
function questions(kinds, files, uris) {
  let asked = 0;
  return (n) => {
    const at = asked++;
    const [file_path, uri] = [files[at % files.length], uris[at % uris.length]];
    const round = Math.floor(at / files.length);
    const { line, character } = placeOf(at, files);
    const args = { file_path, line: line + 1, character: character + 1 };
    const params = { textDocument: { uri }, position: { line, character } };
    switch (kinds[n % kinds.length]) {
      case "definition":
        return { tool: "find_definition", args, method: "textDocument/definition", params };
      case "references":
        return {
          ...{ tool: "find_references", args, method: "textDocument/references" },
          params: { ...params, context: { includeDeclaration: true } },
        };
      case "document symbols":
        return {
          // Another size of a page is another question, and holds all symbols as well.
          ...{ tool: "get_document_symbols", args: { file_path, page_size: 150 + (round % 50) } },
          ...{ method: "textDocument/documentSymbol", params: { textDocument: { uri } } },
        };
      case "workspace symbols": {
        // Its end is enough, and another question.
        const name = `step${at % files.length}_${round % 20}`;
        const query = name.slice(Math.floor(round / 20) % 4);
        return {
          ...{ tool: "search_workspace_symbols", args: { query } },
          ...{ method: "workspace/symbol", params: { query } },
        };
      }
      default:
        return { tool: "get_hover", args, method: "textDocument/hover", params };
    }
  };
}

/** A place in a line of a generated module that declares a step; each is asked about once, in turn. */
function placeOf(at, files) {
  const round = Math.floor(at / files.length);
  return { line: 17 + 4 * (round % 20), character: 16 + (Math.floor(round / 20) % 6) };
}

function rawPlace(uri) {
  return { textDocument: { uri }, position: placeOf(0, [uri]) };
}

/** What gets through with so many sessions, and what it costs the program and the server. */
function throughputRows({ spent, program, server }, count, kind, mix = "mixed calls") {
  const what = `${count} sessions, ${kind} server, ${mix}`;
  return [
    alone(what, (calls / spent) * 1000, "calls a second"),
    alone(`${what}, processor time of the program`, program, "ms a call"),
    alone(`${what}, processor time of the server`, server, "ms a call"),
  ];
}

/** Makes so many calls in so many sessions; the time that took, and a call's processor time. */
async function through(gateway, count, total, next) {
  const sessions = await Promise.all(Array.from({ length: count }, () => openSession(gateway.url)));
  const before = { program: cpuMs(gateway.pid), server: cpuBelowMs(gateway.pid) };
  const spent = await timed(() =>
    Promise.all(
      sessions.map(async (session) => {
        for (let n = 0; n < total / count; n++) {
          const { tool, args } = next(n);
          await session.call(tool, args);
        }
      }),
    ),
  );
  const program = (cpuMs(gateway.pid) - before.program) / total;
  const server = (cpuBelowMs(gateway.pid) - before.server) / total;
  for (const session of sessions) await session.close();
  return { spent, program, server };
}

/** A cheap call alone, and the same while an expensive one is under way all the time; raw, and through the gateway. */
async function beside(session, raw, uri) {
  let line = 0;
  const next = () => ++line % 2000;
  const place = (character) => ({ textDocument: { uri }, position: { line: next(), character } });
  const point = (character) => ({ file_path: "f0.fake", line: next() + 1, character });
  const ways = {
    base: {
      cheap: () => raw.request("textDocument/hover", place(1)),
      dear: () => raw.request("textDocument/references", { ...place(2), context: {} }),
    },
    ours: {
      cheap: () => session.call("get_hover", point(2)),
      dear: () => session.call("find_references", point(3)),
    },
  };
  const quiet = { base: [], ours: [] };
  const loaded = { base: [], ours: [] };
  // In turns, so that whatever else the machine does falls on both.
  for (let turn = 0; turn < 5; turn++)
    for (const [name, { cheap, dear }] of Object.entries(ways)) {
      for (let n = 0; n < 40; n++) quiet[name].push(await timed(cheap));
      let isOver = false;
      const busy = (async () => {
        while (!isOver) await dear();
      })();
      for (let n = 0; n < 40; n++) loaded[name].push(await timed(cheap));
      isOver = true;
      await busy;
    }
  return [
    compared("a hover alone", quiet.ours, quiet.base),
    compared("a hover while references of 2 000 places run", loaded.ours, loaded.base),
  ];
}

function startGateway(words) {
  return started([program, "serve", "--http", ...words]);
}

/** A program of Node that says where it listens. */
async function started(words) {
  const child = spawn(process.execPath, words, {
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
