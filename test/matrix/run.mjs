/**
 * `npm run matrix [-- --keep] [SERVER …]`: fetches each server of `servers.toml` into a folder of its own, drives it
 * through the tools with `lsp-proxy verify`, one at a time, and keeps the cards in `results.json`, from which
 * docs/languages.md is printed. Then it is asked in an untrusted repository, of which it must run nothing. What this run fetched is
 * removed again, unless `--keep`. A server that could not be fetched, or was not tried this time, keeps what was seen before.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { fetch } from "./fetch.mjs";

/** How long one server may be tried. */
const TRY_MS = 240_000;

const here = fileURLToPath(new URL("./", import.meta.url));
const program = join(here, "../../dist/cli/bin.js");
const resultsFile = join(here, "results.json");
const servers = parse(readFileSync(join(here, "servers.toml"), "utf8"));
const results = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, "utf8")) : {};
const words = process.argv.slice(2);
const isKept = words.includes("--keep");
const wanted = words.filter((word) => word !== "--keep");

/** The card of a server, or why there is none; `skipped` says that nothing was learnt of the server itself. */
function tryOut(id, { command }, { failure, bins, modules, source, version }) {
  if (failure !== undefined) return { skipped: failure };
  const scratch = mkdtempSync(join(tmpdir(), "lsp-proxy-matrix-try-"));
  const args = ["verify", id, "--json"];
  if (modules !== undefined) args.push("--modules", modules);
  if (command !== undefined) args.push("--command", command);
  try {
    const run = spawnSync(process.execPath, [program, ...args], {
      ...{ encoding: "utf8", timeout: TRY_MS },
      env: { ...process.env, PATH: [...bins, process.env.PATH].join(delimiter), TMPDIR: scratch },
    });
    if (run.stdout.startsWith("{")) return { ...JSON.parse(run.stdout), source, packageVersion: version };
    const said = run.stderr
      .trim()
      .split("\n")
      .at(-1)
      ?.replace(/^lsp-proxy: /, "");
    return run.status === 1 ? { skipped: said } : { failure: said || "it did not end in time" };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What a server ran of a repository that nobody trusts, as the test says it; nothing when it ran nothing. */
function ranOfStranger(id) {
  const { status, stdout } = spawnSync(
    join(here, "../../node_modules/.bin/vitest"),
    ["run", "--config", "test/vitest.config.ts", "test/matrix/strange.test.ts"],
    { cwd: join(here, "../.."), encoding: "utf8", env: { ...process.env, STRANGE_SERVERS: id } },
  );
  return status === 0 ? undefined : stdout;
}

function write() {
  const sorted = Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(resultsFile, `${JSON.stringify(sorted, null, 1)}\n`);
}

const unknown = wanted.filter((id) => servers[id] === undefined);
for (const id of unknown) process.stdout.write(`skip ${id}: test/matrix/servers.toml does not have it\n`);

const counts = { ok: 0, FAIL: 0, skip: unknown.length };
const misled = [];
for (const [id, entry] of Object.entries(servers)) {
  if (wanted.length > 0 && !wanted.includes(id)) continue;
  process.stderr.write(`${id} …\n`);
  const got = fetch(id, entry);
  const { skipped, ...card } = tryOut(id, entry, got);
  const ran = got.failure === undefined ? ranOfStranger(id) : undefined;
  if (ran !== undefined) {
    process.stderr.write(ran);
    misled.push(id);
  }
  if (!isKept) for (const folder of got.fresh) rmSync(folder, { recursive: true, force: true });
  const outcome = skipped !== undefined ? "skip" : card.ok ? "ok" : "FAIL";
  counts[outcome]++;
  if (skipped === undefined) results[id] = entry.note === undefined ? card : { ...card, note: entry.note };
  else if (results[id]?.probes === undefined) results[id] = { failure: skipped };
  const outcomes = card.probes?.map(({ probe, outcome: how }) => `${probe} ${how}`).join(", ");
  process.stdout.write(`${outcome.padEnd(4)} ${id}: ${skipped ?? outcomes ?? card.failure}\n`);
  write();
}
process.stdout.write(`${counts.ok} servers are right, ${counts.FAIL} are not, ${counts.skip} were skipped\n`);
if (misled.length > 0) {
  process.stdout.write(`run untrusted code: ${misled.join(", ")}\n`);
  process.exitCode = 1;
}
