/** The path of a call through our own code stays within its bounds (`npm run call-path` prints it). */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("run.mjs", import.meta.url));

it("is within the bounds", { timeout: 120_000 }, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  // The stations of the run are messages of the diagram, in the same order.
  const stations = [...(stdout.split("files whose code runs")[0]?.matchAll(/^\S.*$/gm) ?? [])].map(
    ([line]) => line,
  );
  const page = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  const messages = [...page.matchAll(/^ +\w->>\w: (.+)$/gm)].map(([, title]) => title);
  expect(stations.length).toBeGreaterThan(5);
  expect(messages.filter((title = "") => stations.includes(title))).toEqual(stations);
});
