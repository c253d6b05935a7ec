/** The path of a call through our own code stays within its bounds (`npm run call-path` prints it). */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("run.mjs", import.meta.url));

it("is within the bounds", { timeout: 120_000 }, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
});
