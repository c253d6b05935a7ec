/**
 * `npm run first-hour`: six real projects, each from an empty home to right answers on a new user's path: the package is
 * installed from its tarball, `lsp-proxy setup --yes --client codex` does the rest, and questions with known answers are asked
 * in an MCP session that is started as the written entry says. Prints a line for each step, and exits with 1 when one fails.
 *
 *   --only NAME   only this project; may be repeated
 *   --keep        keeps the folders of the run
 *   --cache DIR   downloads and builds that are used again; default: a folder in the system's temporary folder
 */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Failed, newMachine, run } from "./machine.mjs";
import { projects, Wrong } from "./projects.mjs";
import { openSession } from "./session.mjs";
import { copySources, fetchSources, makeRepository } from "./sources.mjs";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const STILL_MS = 15_000;
const MOST_TRIES = 4;

const POLYGLOT = "polyglot";
const names = [...Object.keys(projects), POLYGLOT];
const { values: flags } = parseArgs({
  options: { only: { type: "string", multiple: true }, keep: { type: "boolean" }, cache: { type: "string" } },
});
const unknown = (flags.only ?? []).filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`there is no project ${unknown.join(", ")}; there are ${names.join(", ")}`);
  process.exit(2);
}
const wanted = names.filter((name) => flags.only?.includes(name) ?? true);
mkdirSync(resolve(flags.cache ?? join(tmpdir(), "lsp-proxy-first-hour-cache")), { recursive: true });
const cache = realpathSync(resolve(flags.cache ?? join(tmpdir(), "lsp-proxy-first-hour-cache")));

const counts = { passed: 0, failed: 0, skipped: 0 };
const rows = [];

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** Runs one step and prints its line. Returns its value; undefined when it failed. */
async function step(title, work) {
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  const still = setInterval(() => console.error(`       … ${title} (${seconds(elapsed())})`), STILL_MS);
  try {
    const value = (await work()) ?? true;
    counts.passed += 1;
    console.log(`  ok   ${seconds(elapsed()).padStart(8)}  ${title}`);
    return value;
  } catch (error) {
    counts.failed += 1;
    const why = error instanceof Failed || error instanceof Wrong ? error.message : error.stack;
    console.log(`  FAIL ${seconds(elapsed()).padStart(8)}  ${title}\n${why.replaceAll(/^/gm, "         ")}`);
    return undefined;
  } finally {
    clearInterval(still);
  }
}

function skip(title, why) {
  counts.skipped += 1;
  console.log(`  skip ${"".padStart(8)}  ${title}: ${why}`);
}

/** Why a project cannot be tried on this machine; undefined when it can. */
async function obstacle({ needs }, machine) {
  const missing = needs.filter((program) => !machine.has(program));
  if (missing.length > 0) return `${missing.join(", ")} is not installed`;
  return needs.includes("rustup") ? rustObstacle(machine) : undefined;
}

/** The toolchain is in the cache, so that a component is not added to the one of this machine's user. */
async function rustObstacle(machine) {
  const words = ["toolchain", "install", "stable", "--profile", "minimal", "--no-self-update"];
  try {
    if (!existsSync(join(machine.env.RUSTUP_HOME, "toolchains"))) await machine.run("rustup", words);
  } catch (error) {
    return `rustup cannot install a toolchain: ${error.message}`;
  }
  // Each run begins without the server and the sources of the standard library.
  for (const component of ["rust-analyzer", "rust-src"])
    await machine.run("rustup", ["component", "remove", component]).catch(() => {});
  return undefined;
}

/** Fetches a project and makes it ready to be worked on: the part that is not the proxy's. */
async function makeProject({ source, prepare }, folder, machine) {
  copySources(await fetchSources(source, cache, machine), folder);
  await prepare?.(folder, machine);
}

/** The path of a new user in one project: install, set up, ask. `parts` are the projects in it with their paths. */
async function tryProject(name, folder, parts, machine) {
  const began = performance.now();
  const row = { name, first: undefined, install: 0, setup: 0 };
  rows.push(row);
  const timed = async (key, work) => {
    const start = performance.now();
    const value = await work();
    row[key] = performance.now() - start;
    return value;
  };
  const isInstalled = await timed("install", () =>
    step("npm install --global the packed tarball", () =>
      machine.run("npm", ["install", "--global", "--prefix", machine.prefix, tarball]).then(() => true),
    ),
  );
  if (!isInstalled) return;
  const servers = parts.flatMap((part) => part.servers);
  await timed("setup", () =>
    step("lsp-proxy setup --yes --client codex", () => setUp(folder, servers, machine)),
  );
  const ask = async (questions, session) => {
    for (const { title, tool, input, right, isTold } of questions) {
      const isRight = await step(title, async () => {
        const answer = await readyAnswer(session, tool, input);
        if (answer.isError) throw new Wrong(`the call was refused:\n${answer.text.slice(0, 1500)}`);
        right(answer);
      });
      if (isRight && !isTold) row.first ??= performance.now() - began;
    }
  };
  const inSession = async (questions, between) => {
    const session = await step("a session, started as the entry says", () => openSession(machine, folder));
    if (session === undefined) return;
    try {
      await ask(questions(), session);
      await between?.(session);
    } finally {
      await session.close();
    }
  };
  const later = parts.filter(({ mend }) => mend !== undefined);
  const mended = () => later.flatMap((part) => part.mended(part.at));
  await inSession(
    () => parts.flatMap((part) => part.questions(part.at)),
    async (session) => {
      for (const part of later) await part.mend(join(folder, part.at("")));
      await ask(mended(), session);
    },
  );
}

/** The answer, asked for again while it says itself that the server is still indexing, as its warning advises. */
async function readyAnswer(session, tool, input) {
  for (let tries = 1; ; tries++) {
    const answer = await session.ask(tool, input);
    if (tries === MOST_TRIES || !answer.text.includes("answer/not-ready")) return answer;
  }
}

/** Runs `setup` and checks that each language's server has answered. Other servers may be unobtainable; that is shown. */
async function setUp(folder, servers, machine) {
  const words = ["setup", "--yes", "--client", "codex"];
  const { stdout, output, status } = await machine.run("lsp-proxy", words, { cwd: folder, mayFail: true });
  for (const line of stdout.trimEnd().split("\n")) console.log(`         ${line}`);
  const problems = [...stdout.matchAll(/^✗ (\w+) +(\S+).*/gm)];
  const own = problems.filter(([, area, name]) => area !== "install" || servers.includes(name));
  if (own.length > 0 || (status !== 0 && problems.length === 0))
    throw new Wrong(`it ended with ${status}:\n${output.trimEnd().split("\n").slice(-25).join("\n")}`);
  const silent = servers.filter((id) => !new RegExp(`^✓ answer +${id}: [1-9]`, "m").test(stdout));
  if (silent.length > 0) throw new Wrong(`no answer of ${silent.join(", ")}`);
}

const work = mkdtempSync(join(tmpdir(), "lsp-proxy-first-hour-package-"));
const packed = await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", work], {
  cwd: repository,
  env: process.env,
});
const tarball = join(work, packed.stdout.trim().split("\n").at(-1));

/** Makes one project, or all of them in one folder, and tries it in a home of its own. */
async function tryOne(name) {
  console.log(`\n${name}`);
  const machine = newMachine(cache);
  try {
    const members = name === POLYGLOT ? Object.keys(projects) : [name];
    const parts = [];
    const folder = join(machine.folder, name);
    for (const member of members) {
      const project = projects[member];
      const why = await obstacle(project, machine);
      if (why !== undefined) {
        skip(member, why);
        continue;
      }
      const at = (path) => (name === POLYGLOT ? join(member, path) : path);
      const isMade = await step(`the sources of ${member}`, () =>
        makeProject(project, join(folder, at("")), machine),
      );
      if (isMade) parts.push({ ...project, at });
    }
    if (parts.length === 0) return;
    if (!(await step("git init and commit", () => makeRepository(folder, machine)))) return;
    await tryProject(name, folder, parts, machine);
  } finally {
    if (flags.keep) console.log(`  kept: ${machine.folder}`);
    else rmSync(machine.folder, { recursive: true, force: true });
  }
}

try {
  for (const name of wanted) await tryOne(name);
} finally {
  rmSync(work, { recursive: true, force: true });
}

console.log(
  `\n${"project".padEnd(10)}${["install", "setup", "first right answer"].map((title) => title.padStart(20)).join("")}`,
);
for (const { name, install, setup, first } of rows) {
  const times = [install, setup, first].map((ms) => (ms === undefined ? "none" : seconds(ms)).padStart(20));
  console.log(`${name.padEnd(10)}${times.join("")}`);
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;
