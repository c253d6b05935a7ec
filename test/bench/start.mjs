/** How long until a client has its tools, against Node's own start; what is loaded and read meanwhile. */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alone, compared, interleave, quantile } from "./figures.mjs";
import { cpuMs } from "./process.mjs";
import { environment, program, repository, StdioClient } from "./proxy.mjs";
import { generated, scratch } from "./workspace.mjs";

export const title = "Start, against `node -e 0`";

export async function run({ rounds }) {
  const workspace = generated(3);
  const roads = {
    "serve --bundle": [program, "serve", "--bundle", workspace.bundle, "--workspace", workspace.folder],
    "serve --config": [program, "serve", "--config", workspace.configFile],
  };
  const samples = { initialized: {}, listed: {}, cpu: {} };
  const ways = { node: async () => nodeStart() };
  for (const [name, words] of Object.entries(roads)) {
    for (const list of Object.values(samples)) list[name] = [];
    ways[name] = async () => {
      const client = new StdioClient(process.execPath, words);
      const { initialized, listed } = await client.open();
      samples.cpu[name].push(cpuMs(client.pid));
      samples.initialized[name].push(initialized);
      await client.close();
      return listed;
    };
  }
  const warmup = 2;
  const walls = await interleave(ways, { rounds: Math.max(15, rounds / 10), warmup });
  const nodeCpu = await nodeCpuMs(15);
  const most = { "serve --bundle": 3, "serve --config": 5 };
  return Object.keys(roads).flatMap((name) => {
    const text = `≤ ${most[name]} ×`;
    const target = { text, met: (row) => row.ratio <= most[name] };
    const loaded = modulesOf(roads[name]);
    const kilobytes = loaded.reduce((sum, file) => sum + statSync(file).size, 0) / 1024;
    return [
      compared(`${name}: initialize`, samples.initialized[name].slice(warmup), walls.node),
      compared(`${name}: tools/list`, walls[name], walls.node, target),
      alone(`${name}: processor time`, quantile(samples.cpu[name], 0.5) / nodeCpu, "× of Node's"),
      alone(`${name}: modules loaded`, loaded.length, "files"),
      alone(`${name}: code read`, Math.round(kilobytes), "KB"),
    ];
  });
}

/** The median of several starts of Node: how fast the machine is now. */
export async function usualNodeStartMs() {
  const starts = [];
  for (let n = 0; n < 11; n++) starts.push(await nodeStart());
  return quantile(starts, 0.5);
}

function nodeStart() {
  const started = performance.now();
  const child = spawn(process.execPath, ["-e", "0"], { stdio: "ignore", env: environment() });
  return new Promise((resolve) => child.once("exit", () => resolve(performance.now() - started)));
}

async function nodeCpuMs(rounds) {
  const script = "process.stdout.write(JSON.stringify(process.cpuUsage()))";
  const spent = Array.from({ length: rounds }, () => {
    const { user, system } = JSON.parse(execFileSync(process.execPath, ["-e", script]).toString());
    return (user + system) / 1000;
  });
  return quantile(spent, 0.5);
}

/** The program's own files that a start loads. */
export function modulesOf(words) {
  const trace = join(scratch("trace"), "modules.txt");
  const hook = join(repository, "test", "cli", "module-trace.mjs");
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "b", version: "0" } };
  const input = [
    { jsonrpc: "2.0", id: 0, method: "initialize", params: hello },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 1, method: "tools/list" },
  ];
  execFileSync(process.execPath, ["--import", hook, ...words], {
    env: { ...environment(), MODULE_TRACE: trace },
    input: input.map((message) => `${JSON.stringify(message)}\n`).join(""),
    stdio: ["pipe", "ignore", "ignore"],
  });
  const names = readFileSync(trace, "utf8").split("\n").filter(Boolean);
  const files = names.filter((name) => name.startsWith("file:")).map((name) => fileURLToPath(name));
  return [...new Set(files)].filter((file) => file !== hook);
}
