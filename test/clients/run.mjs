/**
 * `npm run clients [CLIENT …]`: fetches real MCP clients from npm, at pinned versions, into a folder outside this repository, and
 * drives them with the stanzas that `lsp-proxy client` writes, without a network. A client that cannot be had is skipped, with
 * the reason.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderOf, programOf, programs } from "./programs.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const wanted = process.argv.slice(2);

for (const [id, { package: name }] of Object.entries(programs)) {
  const folder = folderOf(name);
  if ((wanted.length > 0 && !wanted.includes(id)) || existsSync(join(folder, "fetched"))) continue;
  console.log(`fetching ${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const words = ["install", "--no-audit", "--no-fund", "--prefer-offline", name];
  const { status } = spawnSync("npm", words, {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    timeout: 600_000,
  });
  if (status === 0 && existsSync(programOf(id))) writeFileSync(join(folder, "fetched"), "");
  else console.log(`${name} cannot be had from npm here`);
}

/** A network of its own that has nothing but loopback, where the system lets a user make one. */
const alone = ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
const isAlone = spawnSync(alone[0], [...alone.slice(1), "true"]).status === 0;
if (!isAlone) console.log("no network of its own can be made here: clients get a proxy that leads nowhere");

const codex = programOf("codex");
const [program, ...words] = [
  ...(isAlone ? alone : []),
  join(root, "node_modules", ".bin", "vitest"),
  ...["run", "--config", "test/vitest.config.ts", "test/clients"],
  ...(wanted.length > 0 ? ["-t", wanted.join("|")] : []),
];
const { status } = spawnSync(program, words, {
  cwd: root,
  stdio: "inherit",
  env: {
    ...process.env,
    ...{ RUN_CLIENTS: "1", CLIENTS_NETWORK: isAlone ? "loopback" : "proxy" },
    ...(existsSync(codex) ? { LSP_PROXY_CODEX: codex } : {}),
  },
});
process.exitCode = status ?? 1;
