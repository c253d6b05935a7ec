/**
 * `npm run fuzz [-- FILE …]`: every fuzz, or those of the files, long and from a new seed. `FUZZ_ROUNDS` and `FUZZ_SEED` say how
 * long and which.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const vitest = join(root, "node_modules", ".bin", "vitest");
const seed = process.env.FUZZ_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
const env = { FUZZ_ROUNDS: "50", ...process.env, FUZZ_SEED: seed };
console.log(`FUZZ_ROUNDS=${env.FUZZ_ROUNDS} FUZZ_SEED=${seed}`);
const args = ["run", "--config", "test/vitest.config.ts", "--no-file-parallelism"];
const files = process.argv.slice(2);
const { status } = spawnSync(vitest, [...args, ...(files.length > 0 ? files : ["test/fuzz"])], {
  cwd: root,
  env,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
