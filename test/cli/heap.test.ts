import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, expect, it } from "vitest";

const script = fileURLToPath(new URL("./.heap.mjs", import.meta.url));

/** Keeps some things for good and many for a while, and tells how large the heap was at the most, in megabytes. */
const churn = `import { holdHeap } from "../../src/cli/heap.js";
if (process.argv[2] === "held") holdHeap();
const alive = Array.from({ length: 100_000 }, (_, n) => ({ n, text: "text" + n }));
const passing = [];
let most = 0;
for (let n = 0; n < 1_500_000; n++) {
  passing[n % 30_000] = { n, list: [n, n + 1] };
  if (n % 20_000 === 0) most = Math.max(most, process.memoryUsage().heapTotal);
}
console.log(alive.length > 0 ? most / 2 ** 20 : 0);`;

beforeAll(async () => {
  const resolveDir = fileURLToPath(new URL(".", import.meta.url));
  await build({
    stdin: { contents: churn, resolveDir },
    ...{ outfile: script, bundle: true, format: "esm", platform: "node", logLevel: "silent" },
  });
  return () => rmSync(script, { force: true });
});

const mostMb = (how: string) => Number(execFileSync(process.execPath, [script, how], { encoding: "utf8" }));

it("holds less garbage than V8 would by itself", () => {
  const [held, free] = [mostMb("held"), mostMb("free")];
  expect(held).toBeLessThan(free * 0.9);
}, 60_000);
