/** Runs inside Wine: starts the program as a Windows client would, and writes one line per check to a file. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const RESULTS = "C:\\results.txt";
const CALL_MS = 120_000;
const WORK = "C:\\Work";
const program = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));
const only = process.argv.slice(2);

const baseEnv = {
  ...process.env,
  // Windows itself writes this name so.
  Path: `C:\\npm;${process.env.PATH}`,
  PATH: undefined,
};
delete baseEnv.PATH;

/** Runs a command of the program to its end. */
async function cli(args, { cwd = WORK, env = baseEnv, input = "" } = {}) {
  const child = spawn(process.execPath, [program, ...args], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(input);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const status = await within(
    new Promise((done) => child.once("close", done)),
    `lsp-proxy ${args.join(" ")}`,
  );
  return { status, stdout, stderr, all: stdout + stderr };
}

function within(promise, what, ms = CALL_MS) {
  const late = wait(ms, undefined, { ref: false }).then(() => {
    throw new Error(`${what}: no end within ${ms} ms`);
  });
  return Promise.race([promise, late]);
}

const open = new Set();

/** An MCP session over stdio. */
async function session(cwd, args = ["--trust-workspace"], env = baseEnv) {
  const child = spawn(process.execPath, [program, "serve", ...args], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  open.add(child);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr = (stderr + text).slice(-4000);
  });
  const waiting = new Map();
  const lines = createInterface(child.stdout);
  lines.on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  const ended = new Promise((done) => child.once("close", done));
  ended.then(() => open.delete(child));
  let last = 0;
  const request = async (method, params) => {
    const id = ++last;
    const reply = new Promise((done) => waiting.set(id, done));
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const over = ended.then(() => {
      throw new Error(`the session ended during ${method}: ${stderr}`);
    });
    const { result, error } = await within(Promise.race([reply, over]), method);
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const clientInfo = { name: "windows", version: "1" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    pid: child.pid,
    child,
    errors: () => stderr,
    request,
    async call(name, input) {
      const result = await request("tools/call", { name, arguments: input });
      const text = result.content.map((part) => part.text ?? "").join("\n");
      return { text, data: result.structuredContent ?? {}, isError: result.isError === true };
    },
    async close() {
      child.stdin.end();
      await within(ended, "the end of a session");
    },
  };
}

/** The call's answer; throws what it said when it failed. */
async function answer(on, name, input) {
  const { text, data, isError } = await on.call(name, input);
  assert.ok(!isError, `${name} failed: ${text}\n${on.errors()}`);
  return { text, data };
}

const checks = [];
const check = (name, work) => checks.push({ name, work });

const TS = join(WORK, "typescript");
const greet = { file_path: "src/greet.ts", line: 2, character: 17 };

check("TypeScript: references in two files, through npm's .cmd script on PATH", async () => {
  const on = await session(TS);
  const { data, text } = await answer(on, "find_references", greet);
  assert.ok(text.includes("src/app.ts") && text.includes("src/greet.ts"), text);
  assert.ok(!text.includes("\\"), text);
  assert.ok(data);
  await on.close();
});

check("a clean file is clean, a broken one has its error", async () => {
  const on = await session(TS);
  const clean = await answer(on, "get_diagnostics", { file_path: "src/greet.ts" });
  assert.match(JSON.stringify(clean.data), /"clean"/, clean.text);
  const broken = await answer(on, "get_diagnostics", { file_path: "src/broken.ts" });
  assert.match(broken.text, /2322|not assignable/);
  await on.close();
});

for (const { name, work } of checks) {
  if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
  const started = Date.now();
  try {
    await within(work(), name, 5 * 60_000);
    report(`ok ${name} (${Date.now() - started} ms)`);
  } catch (error) {
    report(`FAILED ${name}\n    ${String(error?.stack ?? error).replaceAll("\n", "\n    ")}`);
  }
  for (const child of open) child.kill();
}
report("end");
process.exit(0);

function report(line) {
  appendFileSync(RESULTS, `${line}\n`);
}
