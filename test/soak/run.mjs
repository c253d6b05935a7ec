/** `npm run soak`: both soaks, long. `SOAK_ROUNDS` and `SOAK_SEED` say how long and which. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const vitest = join(root, "node_modules", ".bin", "vitest");
const env = { SOAK_ROUNDS: "500", ...process.env };
const args = ["run", "--config", "test/vitest.config.ts", "--no-file-parallelism", "test/soak"];
const { status } = spawnSync(vitest, [...args, ...process.argv.slice(2)], {
  cwd: root,
  env,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
