/**
 * Breaks each rule of `mutations.json` once, in a copy of the working tree, and expects its test to fail. An entry has
 * the rule, the file below `src`, the line that keeps the rule, what replaces it, and the test below `test`.
 *
 *   npm run mutations               all rules
 *   npm run mutations -- deadline   those whose rule or file contains a word
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const mutations = JSON.parse(readFileSync(new URL("mutations.json", import.meta.url), "utf8"));
/** A broken rule may leave a test waiting for an event that never comes: that is a failure too. */
const TEST_TIMEOUT_MS = 20_000;

const words = process.argv.slice(2);
const isChosen = ({ rule, file }) => words.every((word) => rule.includes(word) || file.includes(word));
const copy = copyOfTree();
let missed = 0;
try {
  const chosen = mutations.filter(isChosen);
  const failing = await testsThatFail([...new Set(chosen.map(({ test }) => test))]);
  for (const test of failing) console.error(`test/${test}.test.ts fails with every rule in place`);
  missed += failing.length;
  for (const mutation of chosen) await tryOne(mutation);
  console.log(`${chosen.length - missed} passed, ${missed} failed`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = missed > 0 ? 1 : 0;

/** Files under version control as they are in the working tree, with the build and the packages. */
function copyOfTree() {
  const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-mutations-"));
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  for (const name of listed.stdout
    .toString()
    .split("\0")
    .filter((path) => existsSync(join(root, path)) && path !== ""))
    cpSync(join(root, name), join(folder, name));
  cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

async function testsThatFail(tests) {
  const failing = [];
  for (const test of tests) if (!(await passes(test))) failing.push(test);
  return failing;
}

async function tryOne({ rule, file, line, broken, test }) {
  const path = join(copy, "src", file);
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    text.replace(line, () => broken),
  );
  const isCaught = !(await passes(test));
  writeFileSync(path, text);
  if (!isCaught) missed++;
  console.log(`${isCaught ? "ok" : "MISSED"} ${rule} (src/${file}, test/${test}.test.ts)`);
}

async function passes(test) {
  const args = ["run", "--config", "test/vitest.config.ts", "--bail=1", `--testTimeout=${TEST_TIMEOUT_MS}`];
  const child = spawn(join("node_modules", ".bin", "vitest"), [...args, `test/${test}.test.ts`], {
    cwd: copy,
    stdio: "ignore",
  });
  const [status] = await once(child, "close");
  return status === 0;
}
