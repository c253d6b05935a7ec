/**
 * Prints the path of one warm `find_references` through our own code: every function that runs between the client's
 * request and its answer, file by file, as V8's precise coverage counts them. Functions that wait (`async`) are the
 * path; the others are helpers that they call. Fails when the path is longer than the bounds.
 *
 *   npm run call-path
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { build } from "esbuild";

const MAX_PATH_FUNCTIONS = 45;
const MAX_FILES = 50;
const WARM_CALLS = 3;

const root = fileURLToPath(new URL("../..", import.meta.url));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-path-")));
try {
  await transpile();
  const functions = await functionsOfOneCall();
  process.exitCode = report(functions) ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Transpiles `src` file by file, so that coverage names our own files and functions. */
async function transpile() {
  await build({
    entryPoints: [join(root, "src/**/*.ts")],
    outdir: join(scratch, "src"),
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  for (const name of ["configs", "templates", "package.json", "node_modules", "dist"])
    symlinkSync(join(root, name), join(scratch, name));
  cpSync(join(root, "test/fixtures/typescript"), join(scratch, "project"), { recursive: true });
  // The project's language server is one of our own devDependencies.
  symlinkSync(join(root, "node_modules"), join(scratch, "project", "node_modules"));
}

/** Starts the proxy, warms it up, and counts the functions of one more call. */
async function functionsOfOneCall() {
  const hook = fileURLToPath(new URL("coverage.mjs", import.meta.url));
  const child = spawn(
    process.execPath,
    ["--import", hook, join(scratch, "src/cli/bin.js"), "serve", "--trust-workspace"],
    { cwd: join(scratch, "project"), stdio: ["pipe", "pipe", "inherit", "ipc"] },
  );
  const client = new Client({ name: "call-path", version: "1" });
  await client.connect(lineTransport(child));
  const call = () =>
    client.callTool({
      name: "find_references",
      arguments: { file_path: "src/greet.ts", line: 2, character: 17 },
    });
  for (let count = 0; count < WARM_CALLS; count++) await answered(call());
  await coverage(child, "reset");
  await answered(call());
  const functions = await coverage(child, "take");
  await client.close();
  return functions;
}

async function answered(call) {
  const { isError, content } = await call;
  if (isError) throw new Error(`the call failed: ${JSON.stringify(content)}`);
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

function coverage(child, command) {
  return new Promise((resolve) => {
    child.once("message", resolve);
    child.send(command);
  });
}

/** Prints the functions by file; says whether the bounds hold. */
function report(scripts) {
  let waiting = 0;
  let all = 0;
  const files = scripts
    .map(({ url, functions }) => ({ path: fileURLToPath(url).slice(scratch.length + 1), url, functions }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, url, functions } of files) {
    const text = readFileSync(fileURLToPath(url), "utf8");
    console.log(path.replace(/\.js$/, ".ts"));
    for (const { name, start, count } of functions) {
      const isAsync = text.slice(start).startsWith("async");
      all++;
      if (isAsync) waiting++;
      console.log(
        `  ${isAsync ? "async " : "      "}${name || "(anonymous)"}${count > 1 ? ` × ${count}` : ""}`,
      );
    }
  }
  const isShort = waiting <= MAX_PATH_FUNCTIONS && files.length <= MAX_FILES;
  console.log(
    `\n${waiting} functions on the path (at most ${MAX_PATH_FUNCTIONS}), ${files.length} files (at most ${MAX_FILES}), ` +
      `${all} functions with helpers: ${isShort ? "within the bounds" : "TOO LONG"}`,
  );
  return isShort;
}
