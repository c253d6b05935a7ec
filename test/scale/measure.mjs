/**
 * What a gateway costs: memory of itself, of each session and of each language server, and CPU for each call. Runs the built
 * program over HTTP on a copy of the fixtures: `npm run build && node test/scale/measure.mjs`. Linux only.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const SESSIONS = Number(process.env.SCALE_SESSIONS ?? 200);
const CALLS = Number(process.env.SCALE_CALLS ?? 2000);
const token = "a-token-for-measuring-0123456789";
const repository = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-scale-"));
cpSync(join(repository, "test", "fixtures", "python"), folder, { recursive: true });
cpSync(join(repository, "test", "fixtures", "typescript"), folder, { recursive: true });
/** As many declarations as there are questions: none is asked twice, so no answer is there already or shared. */
const place = (n) => `place_${n}`;
const rounds = Math.ceil(CALLS / SESSIONS);
const places = Array.from(
  { length: SESSIONS * (1 + rounds) },
  (_, n) => `def ${place(n)}(value: int) -> int: ...\n`,
);
writeFileSync(join(folder, "places.py"), places.join(""));
writeFileSync(
  join(folder, "lspi.toml"),
  `[allow]
commands = ["pyright-langserver", "typescript-language-server"]
[[servers]]
id = "py"
kind = "pyright"
[[servers]]
id = "ts"
kind = "typescript-language-server"
initialize_options.tsserver.path = ${JSON.stringify(join(repository, "node_modules", "typescript-5", "lib"))}
[http]
port = 0
max_sessions = 1024
max_calls = 1024
`,
);

const gateway = spawn(
  process.execPath,
  [join(repository, "dist", "cli", "bin.js"), "serve", "--http", "--config", join(folder, "lspi.toml")],
  {
    env: {
      ...process.env,
      LSP_PROXY_TOKEN: token,
      XDG_STATE_HOME: join(folder, "state"),
      XDG_CONFIG_HOME: join(folder, "none"),
      PATH: `${join(repository, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
    },
    stdio: ["ignore", "ignore", "pipe"],
  },
);

const url = await new Promise((done, fail) => {
  let told = "";
  gateway.stderr.setEncoding("utf8").on("data", (part) => {
    told += part;
    const found = /http:\/\/\S+\/mcp/.exec(told);
    if (found) done(found[0]);
  });
  gateway.once("exit", () => fail(new Error(told)));
});

let id = 0;
async function post(session, method, params) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json",
      ...(session && { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
  });
  if (!response.ok) throw new Error(`${method}: ${response.status}`);
  return { session: response.headers.get("mcp-session-id"), body: await response.json() };
}

async function open() {
  const clientInfo = { name: "scale", version: "0" };
  const { session } = await post(null, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo,
  });
  return session;
}

async function call(session, name, args) {
  const { body } = await post(session, "tools/call", { name, arguments: args });
  if (body.error || body.result.isError) throw new Error(JSON.stringify(body));
  return body.result.structuredContent;
}

const residentMb = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
/** Milliseconds of CPU so far; Linux counts in hundredths of a second. */
const cpuMs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
const rows = [];
const row = (what, value) => rows.push(`| ${what} | ${value} |`);

try {
  const first = await open();
  row("gateway, one session, no language server", `${residentMb(gateway.pid).toFixed(0)} MB`);
  const python = { file_path: "app.py", symbol_name: "greet" };
  await call(first, "find_definition", python);
  await call(first, "get_document_symbols", { file_path: "src/app.ts" });
  const { servers } = await call(first, "get_server_status", {});
  for (const server of servers)
    row(`language server \`${server.id}\`, small project`, `${server.memory_mb ?? "?"} MB`);
  const before = residentMb(gateway.pid);
  const sessions = [first];
  for (let opened = 1; opened < SESSIONS; opened++) sessions.push(await open());
  for (const session of sessions) await call(session, "find_definition", python);
  const grown = (residentMb(gateway.pid) - before) / SESSIONS;
  row(`each session, of ${SESSIONS}, after a call`, `${(grown * 1024).toFixed(0)} kB`);
  const pid = servers.find((server) => server.id === "py")?.pid;
  const kinds = {
    "the same question again": (session) => call(session, "find_definition", python),
    "a question to the server": async (session, n) => {
      const asked = { file_path: "places.py", line: n + 1, character: 5 };
      const { contents } = await call(session, "get_hover", asked);
      if (!contents.join().includes(`${place(n)}(`)) throw new Error(`${place(n)}: ${contents.join()}`);
    },
  };
  for (const [what, ask] of Object.entries(kinds)) {
    const round = (from) => Promise.all(sessions.map((session, at) => ask(session, from + at)));
    // The first ones open the file, which the server then reads.
    await round(0);
    const [own, theirs] = [cpuMs(gateway.pid), cpuMs(pid)];
    let asked = 0;
    for (; asked < rounds * SESSIONS; asked += SESSIONS) await round(SESSIONS + asked);
    row(`CPU of the gateway for ${what}`, `${((cpuMs(gateway.pid) - own) / asked).toFixed(2)} ms`);
    row(`CPU of \`py\` for ${what}`, `${((cpuMs(pid) - theirs) / asked).toFixed(2)} ms`);
  }
  row(`gateway after ${2 * SESSIONS * (1 + rounds)} calls`, `${residentMb(gateway.pid).toFixed(0)} MB`);
  process.stdout.write(`| what | cost |\n|---|---|\n${rows.join("\n")}\n`);
} finally {
  gateway.kill("SIGTERM");
  await new Promise((done) => gateway.once("exit", done));
  rmSync(folder, { recursive: true, force: true });
}
