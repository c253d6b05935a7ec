/** How soon the dashboard paints something and what it transfers: Chromium on loopback, by the browser's own timing. */
import { execFileSync, spawn } from "node:child_process";
import { chromium } from "playwright-core";
import { alone, quantile } from "./figures.mjs";
import { environment, program } from "./proxy.mjs";
import { scripted } from "./scripted.mjs";

export const title = "The dashboard in Chromium, on loopback";

const warmup = 2;

export async function run({ rounds }) {
  const { configFile } = scripted({ files: { "a.fake": "" }, capabilities: {}, replies: () => ({}) });
  const env = { ...environment(), LSP_PROXY_TOKEN: "the-token-of-the-bench-0123456789" };
  const words = ["serve", "--http", "--port", "0", "--config", configFile];
  const gateway = spawn(process.execPath, [program, ...words], { env, stdio: ["ignore", "ignore", "pipe"] });
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath: chromiumOnPath(), args });
  try {
    await new Promise((resolve, reject) => {
      gateway.stderr.on("data", (text) => String(text).includes(" on http:") && resolve());
      gateway.once("exit", () => reject(new Error("the gateway has ended")));
    });
    const link = [program, "dashboard", "--no-open", "--config", configFile];
    const page = await browser.newPage();
    await page.goto(execFileSync(process.execPath, link, { env, encoding: "utf8" }).trim());
    await page.getByText("Live", { exact: true }).waitFor();
    const loads = [];
    for (let load = -warmup; load < Math.max(15, rounds / 10); load++) {
      await page.reload();
      await page.getByText("Live", { exact: true }).waitFor();
      if (load >= 0) loads.push(await page.evaluate(timing));
    }
    const part = (name, share) =>
      quantile(
        loads.map((load) => load[name]),
        share,
      );
    const [paint, kilobytes] = [part("paint", 0.5), part("bytes", 1) / 1000];
    return [
      alone(`first paint, median of ${loads.length} loads`, paint, "ms", {
        ...{ text: "≤ 100 ms", met: ({ value }) => value <= 100 },
      }),
      alone("first paint, 95th percentile", part("paint", 0.95), "ms"),
      alone("transferred by a load", kilobytes, "KB", {
        ...{ text: "≤ 150 KB", met: ({ value }) => value <= 150 },
      }),
    ];
  } finally {
    await browser.close();
    gateway.kill();
  }
}

function chromiumOnPath() {
  try {
    return execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  } catch {
    throw new Error("The section `page` needs `chromium` on PATH (Debian's package `chromium`).");
  }
}

/** Runs in the page. The event stream never ends, so it is no entry. */
function timing() {
  const loaded = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return {
    paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    bytes: loaded.reduce((sum, { transferSize }) => sum + transferSize, 0),
  };
}
