/**
 * Prints the path of one warm `find_references` through our own code, so that anyone can look at it: the functions that
 * pass the call on, from the client's request to the language server and from its reply to the answer, and the files
 * whose code runs meanwhile (V8's precise coverage). Fails when it is longer than the bounds.
 *
 *   npm run call-path
 */
import { spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { instrument } from "./instrument.mjs";

const MAX_FUNCTIONS = 45;
const MAX_FILES = 50;
/** Run on timers of their own, and so now and then during a call. */
const ON_TIMER = ["cli/watch-files.js", "runtime/memory-watch.js"];
const WARM_CALLS = 3;
/** What the server says unasked during one call runs other code: only what runs in each of these calls is on the path. */
const RECORDED_CALLS = 3;
/** A file that was written less than two seconds ago is read again before each call. */
const SETTLE_MS = 2_500;

/**
 * The stations of a call, in the order of docs/architecture.md: where it waits for the disk, the server or the client, and
 * where the answer is made. A function is on the path when it is on the call stack, across `await`, as a station is
 * reached. What a function computes on the side (validators, routing, formatting) is a helper.
 */
const stations = [
  ["check the disk", "lsp/watch/workspace-watch.ts#check"],
  ["check the path", "workspace/gate.ts#admitFile"],
  ["open the document", "lsp/documents/documents.ts#ensureOpen"],
  ["check the capability", "lsp/capabilities.ts#offers"],
  ["send the request", "lsp/wire/connection.ts#request"],
  ["sort the items", "runtime/listing/collect.ts#collect"],
  ["render the page", "runtime/listing/list.ts#render"],
  ["check the files again", "runtime/ask/retry-on-change.ts#assertFilesUnchanged"],
  ["send the answer", "mcp/stream-transport.ts#send"],
];

const root = fileURLToPath(new URL("../..", import.meta.url));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-path-")));
try {
  transpile();
  process.exitCode = report(await recordCall()) ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Transpiles `src` file by file, and makes a small project beside it. */
function transpile() {
  for (const file of readdirSync(join(root, "src"), { recursive: true })) {
    if (!file.endsWith(".ts")) continue;
    const out = join(scratch, "src", file.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, instrument(readFileSync(join(root, "src", file), "utf8"), file));
  }
  for (const name of ["configs", "templates", "package.json", "node_modules", "dist"])
    symlinkSync(join(root, name), join(scratch, name));
  cpSync(join(root, "test/fixtures/typescript"), join(scratch, "project"), { recursive: true });
  // The project's language server is one of our own devDependencies.
  symlinkSync(join(root, "node_modules"), join(scratch, "project", "node_modules"));
}

/** Starts the proxy, warms it up, and records further calls. */
async function recordCall() {
  const hook = fileURLToPath(new URL("record.mjs", import.meta.url));
  const words = ["--import", hook, join(scratch, "src/cli/bin.js"), "serve", "--trust-workspace"];
  const child = spawn(process.execPath, words, {
    cwd: join(scratch, "project"),
    stdio: ["pipe", "pipe", "inherit", "ipc"],
  });
  const client = new Client({ name: "call-path", version: "1" });
  await client.connect(lineTransport(child));
  const args = { file_path: "src/greet.ts", line: 2, character: 17 };
  const call = async () => {
    const { isError, content } = await client.callTool({ name: "find_references", arguments: args });
    if (isError) throw new Error(`the call failed: ${JSON.stringify(content)}`);
  };
  for (let count = 0; count < WARM_CALLS; count++) await call();
  await wait(SETTLE_MS);
  await call();
  const recorded = [];
  for (let count = 0; count < RECORDED_CALLS; count++) {
    await tell(child, "start");
    await call();
    recorded.push(await tell(child, "stop"));
  }
  await client.close();
  const [{ files, functions }] = recorded;
  return { files: files.filter((file) => recorded.every((other) => other.files.includes(file))), functions };
}

/** The MCP client's transport over the child's own pipes: the SDK's spawns a process without an IPC channel. */
function lineTransport(child) {
  const transport = {
    async start() {
      let rest = "";
      child.stdout.setEncoding("utf8").on("data", (text) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop();
        for (const line of lines) transport.onmessage?.(JSON.parse(line));
      });
      child.on("close", () => transport.onclose?.());
    },
    async send(message) {
      child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      child.stdin.end();
      child.disconnect();
    },
  };
  return transport;
}

function tell(child, command) {
  return new Promise((resolve) => {
    child.once("message", resolve);
    child.send(command);
  });
}

/** Prints the path and the files; says whether the bounds hold. */
function report({ files, functions }) {
  const onPath = new Set();
  let isWhole = true;
  for (const [station, name] of stations) {
    const calls = functions.filter((call) => call.name === name || call.name === name.replace("#", "##"));
    if (calls.length === 0) isWhole = false;
    console.log(`${station}${calls.length === 0 ? `: ${name} DID NOT RUN` : ""}`);
    for (const call of calls.slice(0, 1)) {
      const chain = [];
      for (let at = call; at !== undefined; at = functions[at.parent]) chain.unshift(at.name);
      for (const step of chain) {
        if (!onPath.has(step)) console.log(`    ${step.replace("#", "  ")}`);
        onPath.add(step);
      }
    }
  }
  const paths = files
    .map((url) => fileURLToPath(url).slice(join(scratch, "src/").length))
    .filter((path) => !ON_TIMER.includes(path))
    .sort();
  console.log(
    `\nfiles whose code runs:\n${paths.map((path) => `    ${path.replace(/\.js$/, ".ts")}`).join("\n")}`,
  );
  const isShort = isWhole && onPath.size <= MAX_FUNCTIONS && paths.length <= MAX_FILES;
  const all = new Set(functions.map(({ name }) => name)).size;
  console.log(
    `\n${onPath.size} functions on the path (at most ${MAX_FUNCTIONS}; ${all} with helpers), ` +
      `${paths.length} files (at most ${MAX_FILES}): ${isShort ? "within the bounds" : "TOO LONG"}`,
  );
  return isShort;
}
