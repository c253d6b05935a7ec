/**
 * Runs the MCP conformance suite and MCP Inspector against the built gateway. Scenarios in a baseline do not apply to a
 * server of tools; the run fails when one of them passes, or when any other fails. npm fetches both programs at pinned
 * versions; they are not installed by `npm ci`.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const program = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));
const config = join(here, "lspi.toml");
const token = randomBytes(32).toString("base64url");
const home = mkdtempSync(join(tmpdir(), "lsp-proxy-conformance-"));
// The suite needs a newer Node than the proxy; npm has a package of it.
const node = Number(process.versions.node.split(".")[0]) < 22 ? ["--package=node@24"] : [];

/** Starts the gateway; resolves to its address. */
function startGateway() {
  const child = spawn(
    process.execPath,
    [program, "serve", "--http", "--trust-workspace", "--config", config],
    {
      env: { ...process.env, LSP_PROXY_TOKEN: token },
      stdio: ["ignore", "inherit", "pipe"],
    },
  );
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}: ${text}`)));
    child.stderr.setEncoding("utf8").on("data", (part) => {
      text += part;
      const url = /http:\/\/\S+/.exec(text)?.[0];
      if (url !== undefined) resolve({ child, url });
    });
  });
}

/** The suite cannot send a token. This proxy in front of the gateway adds it and changes nothing else. */
function startProxy(url) {
  const target = new URL(url);
  const proxy = createServer((from, to) => {
    const headers = { ...from.headers, authorization: `Bearer ${token}` };
    const passed = request(
      { host: target.hostname, port: target.port, path: from.url, method: from.method, headers },
      (answer) => {
        to.writeHead(answer.statusCode, answer.headers);
        answer.pipe(to);
      },
    );
    passed.once("error", () => to.destroy());
    to.once("close", () => passed.destroy());
    from.pipe(passed);
  });
  return new Promise((resolve) => {
    proxy.listen(0, "127.0.0.1", () => {
      resolve({ proxy, url: `http://127.0.0.1:${proxy.address().port}${target.pathname}` });
    });
  });
}

/** Runs a program of a package; resolves to its exit code. */
function runPackage(packages, words) {
  const child = spawn("npm", ["exec", "--yes", ...packages, "--", ...words], {
    // In a folder without a package, npm looks for the program in the given packages.
    cwd: home,
    env: {
      ...process.env,
      HOME: home,
      npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? home, ".npm"),
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

const suite = (version) => [...node, `--package=@modelcontextprotocol/conformance@${version}`];
const inspector = ["--package=@modelcontextprotocol/inspector@2.12.0"];

const gateway = await startGateway();
const front = await startProxy(gateway.url);
const authorization = ["--header", `Authorization: Bearer ${token}`, "--stored-auth-only"];
const strictList = ["--method", "tools/list", "--strict"];
const overHttp = (era) => [
  "mcp-inspector",
  "--cli",
  gateway.url,
  "--transport",
  "http",
  ...strictList,
  "--protocol-era",
  era,
  ...authorization,
];
const stages = [
  [
    "suite, session era",
    suite("0.1.16"),
    [
      "conformance",
      "server",
      "--url",
      front.url,
      "--suite",
      "all",
      "--expected-failures",
      join(here, "baseline-sessions.yml"),
    ],
  ],
  [
    "suite, revision 2026-07-28",
    suite("0.2.0-alpha.12"),
    [
      "conformance",
      "server",
      "--url",
      front.url,
      "--requirements",
      "2026-07-28",
      "--expected-failures",
      join(here, "baseline-2026-07-28.yml"),
    ],
  ],
  ["inspector over HTTP, session era", inspector, overHttp("legacy")],
  ["inspector over HTTP, revision 2026-07-28", inspector, overHttp("modern")],
  [
    "inspector on stdio",
    inspector,
    [
      "mcp-inspector",
      "--cli",
      process.execPath,
      program,
      "serve",
      ...strictList,
      "-e",
      `LSPI_CONFIG_PATH=${config}`,
    ],
  ],
];

let failed = 0;
for (const [name, packages, words] of stages.filter(([name]) => name.includes(process.argv[2] ?? ""))) {
  const code = await runPackage(packages, words);
  console.log(`${code === 0 ? "ok" : "FAILED"} ${name}`);
  if (code !== 0) failed++;
}
front.proxy.close();
front.proxy.closeAllConnections();
gateway.child.removeAllListeners("exit");
gateway.child.kill("SIGTERM");
await new Promise((resolve) => gateway.child.once("exit", resolve));
rmSync(home, { recursive: true, force: true });
console.log(`${stages.length} stages, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
