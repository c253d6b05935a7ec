/**
 * `npm run matrix [SERVER …]`: fetches each server of `servers.toml` into a folder of its own, drives it through the tools
 * with `lsp-proxy verify`, and keeps the cards in `results.json`, from which docs/languages.md is printed. Servers that
 * could not be fetched, or were not tried this time, keep what was seen before.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { folderOf, vuePackages } from "./folder.mjs";

const here = fileURLToPath(new URL("./", import.meta.url));
const program = join(here, "../../dist/cli/bin.js");
const resultsFile = join(here, "results.json");
const servers = parse(readFileSync(join(here, "servers.toml"), "utf8"));
const results = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, "utf8")) : {};
const wanted = process.argv.slice(2);

/** The packages of a server in a folder of their own; undefined when npm cannot get them. */
function fetched(packages) {
  const own = folderOf(packages);
  const done = join(own, "fetched");
  if (existsSync(done)) return join(own, "node_modules");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "package.json"), '{ "private": true }\n');
  const words = ["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages];
  const { status } = spawnSync("npm", words, {
    cwd: own,
    stdio: ["ignore", "ignore", "ignore"],
    timeout: 300_000,
  });
  if (status !== 0) return undefined;
  writeFileSync(done, "");
  return join(own, "node_modules");
}

function tryOut(id, { npm: packages, command }) {
  const modules = packages === undefined ? undefined : fetched(packages);
  if (packages !== undefined && modules === undefined) return { failure: "npm could not get it here" };
  const words = ["verify", id, "--json"];
  if (modules !== undefined) words.push("--modules", modules);
  if (command !== undefined) words.push("--command", command);
  const run = spawnSync(process.execPath, [program, ...words], { encoding: "utf8", timeout: 240_000 });
  try {
    return JSON.parse(run.stdout);
  } catch {
    return {
      failure:
        run.stderr
          .trim()
          .split("\n")
          .at(-1)
          ?.replace(/^lsp-proxy: /, "") || "it did not end in time",
    };
  }
}

// For the live test of the Vue stack, which is two servers on one project.
if (wanted.length === 0 || wanted.includes("vue")) fetched(vuePackages);

let right = 0;
let tried = 0;
for (const [id, entry] of Object.entries(servers)) {
  if (wanted.length > 0 && !wanted.includes(id)) continue;
  const card = tryOut(id, entry);
  // A server that is not here says nothing of the server.
  const isAbsent = card.failure?.includes("is not installed") === true && results[id]?.ok === true;
  if (!isAbsent) results[id] = card;
  tried++;
  if (card.ok) right++;
  const outcomes = card.probes?.map(({ probe, outcome }) => `${probe} ${outcome}`).join(", ") ?? card.failure;
  process.stdout.write(`${card.ok ? "ok  " : "FAIL"} ${id}: ${outcomes}\n`);
  const sorted = Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(resultsFile, `${JSON.stringify(sorted, null, 1)}\n`);
}
process.stdout.write(`${right} of ${tried} servers are right\n`);
