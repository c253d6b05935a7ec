/**
 * The whole check, as `npm test` runs it: build, types, lint, generated files, tests. Every stage runs even when an
 * earlier one failed, so that one run tells everything. The last line counts.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "lsp-proxy-test-"));
const results = join(scratch, "results.json");
/** The scripts of tools, which Node runs: Windows cannot start what npm puts into `.bin`. */
const tools = {
  tsc: join(root, "node_modules/typescript/bin/tsc"),
  biome: join(root, "node_modules/@biomejs/biome/bin/biome"),
  vitest: join(root, "node_modules/vitest/vitest.mjs"),
};

let passed = 0;
let failed = 0;
let skipped = 0;

/** Runs a script of Node to its end, then shows what it wrote. */
async function stage(name, ...args) {
  const started = performance.now();
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => output.push(part));
  const [status] = await once(child, "close");
  process.stdout.write(Buffer.concat(output));
  console.log(
    `${status === 0 ? "ok" : "FAILED"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`,
  );
  if (status === 0) passed++;
  else failed++;
}

/** The printer of the generated files is built; types and lint need nothing of the build. */
async function buildAndPrint() {
  await stage("build", ".ci/build.mjs");
  await stage("generated files", "dist/cli/print.js", "--check");
}
await Promise.all([
  buildAndPrint(),
  stage("types", tools.tsc, "--noEmit", "-p", "test/tsconfig.json"),
  stage("types of the page", tools.tsc, "--noEmit", "-p", "src/dashboard/page/tsconfig.json"),
  stage("lint", tools.biome, "ci", "."),
]);

const tests = spawnSync(
  process.execPath,
  [
    tools.vitest,
    "run",
    "--config",
    "test/vitest.config.ts",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${results}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: "inherit" },
);
try {
  const counts = JSON.parse(readFileSync(results, "utf8"));
  passed += counts.numPassedTests;
  failed += counts.numFailedTests;
  skipped += counts.numPendingTests + counts.numTodoTests;
  // A file that does not even load has no failed test of its own.
  if (tests.status !== 0 && counts.numFailedTests === 0) failed++;
} catch (error) {
  console.error(`the test runner left no results: ${error.message}`);
  failed++;
}
rmSync(scratch, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 ? 1 : 0;
