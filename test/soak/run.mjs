/**
 * `npm run soak`: all soaks, long: rounds of calls, ten minutes of misbehaviour, edits that are disturbed or killed at
 * every moment, patterns of a stranger. `--rounds N`, `--seconds N` and `--seed N` say how long and which. `--only
 * NAME[,NAME]` runs misbehaviours alone, `--only each` all one by one, `--without NAME[,NAME]` all others together.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const text = { type: "string" };
const { values, positionals } = parseArgs({
  options: { only: text, without: text, seconds: text, seed: text, rounds: text },
  allowPositionals: true,
});
const root = fileURLToPath(new URL("../..", import.meta.url));
const vitest = join(root, "node_modules", ".bin", "vitest");
const given = {
  SOAK_WITHOUT: values.without,
  SOAK_ONLY: values.only,
  SOAK_SECONDS: values.seconds,
  SOAK_SEED: values.seed,
  SOAK_ROUNDS: values.rounds,
};
const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
const isHostileOnly = values.only !== undefined || values.without !== undefined;
const seconds = values.only === undefined ? "600" : "20";
const env = { SOAK_ROUNDS: "500", SOAK_SECONDS: seconds, ...process.env, ...set };
const edits = [
  ...["saves", "kill", "race"].map((name) => `test/workspace/edits/${name}.test.ts`),
  "test/runtime/edits/hostile-server.test.ts",
];
const patterns = "test/mcp/hostile/patterns.test.ts";
const tests = isHostileOnly ? ["test/soak/hostile.test.ts"] : ["test/soak", ...edits, patterns];
const args = [
  "run",
  ...tests,
  "--config",
  "test/vitest.config.ts",
  "--no-file-parallelism",
  "--silent=false",
];
const { status } = spawnSync(vitest, [...args, ...positionals], {
  cwd: root,
  env,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
