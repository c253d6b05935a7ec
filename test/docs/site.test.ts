/**
 * The built site in a real browser, tested only when its folder is named: `npm run docs && LSP_PROXY_SITE=docs/.vitepress/dist npx
 * vitest run --config test/vitest.config.ts test/docs/site.test.ts`. With LSP_PROXY_SCREENSHOTS it leaves pictures there.
 */
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { anchorsOf, readPages } from "../../docs/.vitepress/markdown.js";
import { hasBrowser, openBrowser } from "../dashboard/page.js";
import { repository } from "../live/session.js";

const site = process.env.LSP_PROXY_SITE;
const pictures = process.env.LSP_PROXY_SCREENSHOTS;
const types: { [extension: string]: string } = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
};
const pages = readPages(repository).filter(({ path }) => path.startsWith("docs/"));
const withDiagrams = pages.filter(({ blocks }) => blocks.some(({ language }) => language === "mermaid"));

describe.skipIf(!hasBrowser || site === undefined)("the site (tested when its folder is named)", () => {
  let browser: Browser;
  let server: Server;
  let origin: string;
  const wrong: string[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
    server = createServer(({ url = "" }, answer) => {
      // In a folder of the server: the site may be published below any path.
      const path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname)).replace(
        /^\/docs\//,
        "/",
      );
      const file = join(site ?? "", path.endsWith("/") ? `${path}index.html` : path);
      const isThere = existsSync(file);
      answer.writeHead(isThere ? 200 : 404, { "content-type": types[extname(file)] ?? "text/plain" });
      answer.end(isThere ? readFileSync(file) : "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });
  afterEach(() => {
    expect(wrong.splice(0)).toEqual([]);
  });

  /** A page of the site; what goes wrong in it, and every request to somewhere else, fails the test. */
  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.on(
      "console",
      (message) => ["error", "warning"].includes(message.type()) && wrong.push(message.text()),
    );
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on(
      "response",
      (response) => response.status() >= 400 && wrong.push(`${response.status()} ${response.url()}`),
    );
    page.on("request", (request) => {
      const isOwn = request.url().startsWith(origin) || request.url().startsWith("data:");
      if (!isOwn) wrong.push(`asks ${request.url()}`);
    });
    await page.goto(`${origin}/docs/${path}`);
    await page.locator("h1").first().waitFor();
    return page;
  }

  /** What axe finds on the page. */
  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(axe.source);
    // A table of Markdown must have a header, also where the corner has nothing to say.
    const options = '{ rules: { "empty-table-header": { enabled: false } } }';
    const found = (await page.evaluate(`axe.run(${options})`)) as axe.AxeResults;
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
    );
  }

  async function shoot(page: Page, name: string): Promise<void> {
    if (pictures !== undefined)
      await page.screenshot({ path: join(pictures, `site-${name}.png`), timeout: 120_000 });
  }

  const chosen = [
    ...new Set([
      "index",
      "clients",
      "config",
      "cli",
      "security",
      ...withDiagrams.map(({ path }) => path.slice(5, -3)),
    ]),
  ].filter((page) => existsSync(join(site ?? "", `${page}.html`)));
  const modes = ["light", "dark"] as const;

  it.each(chosen.flatMap((page) => modes.map((mode) => [page, mode] as const)))(
    "shows %s (%s)",
    async (name, mode) => {
      const page = await open(`${name}.html`, { colorScheme: mode });
      const isDark = (await page.locator("html").getAttribute("class")) ?? "";
      expect(isDark.includes("dark")).toBe(mode === "dark");
      for (const diagram of await page.locator(".diagram").all()) await diagram.locator("svg").waitFor();
      await shoot(page, `${name}-${mode}`);
      expect(await violations(page)).toEqual([]);
      await page.context().close();
    },
  );

  it.each(chosen)("fits a phone: %s", async (name) => {
    const page = await open(`${name}.html`, { viewport: { width: 390, height: 800 } });
    for (const diagram of await page.locator(".diagram").all()) await diagram.locator("svg").waitFor();
    await shoot(page, `${name}-phone`);
    expect(await page.evaluate("document.scrollingElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.context().close();
  });

  it.skipIf(withDiagrams.length === 0)("draws a diagram again when the reader goes dark", async () => {
    const page = await open(`${withDiagrams[0]?.path.slice(5, -3)}.html`, { colorScheme: "light" });
    const drawn = () => page.locator(".diagram").first().innerHTML();
    await page.locator(".diagram svg").first().waitFor();
    const light = await drawn();
    await page.getByRole("switch").first().click();
    await expect.poll(drawn).not.toBe(light);
    await page.locator(".diagram svg").first().waitFor();
    await page.context().close();
  });

  it("finds a word", async () => {
    const page = await open("clients.html");
    await page
      .getByRole("button", { name: /search/i })
      .first()
      .click();
    await page.getByRole("searchbox").fill("untrusted");
    const results = page.getByRole("option");
    await results.first().waitFor();
    await shoot(page, "search");
    await results.first().click();
    await page.waitForURL(/#|\.html/);
    expect(await page.locator("main").innerText()).toMatch(/untrusted|trust/i);
    await page.context().close();
  });

  it("has every page with every anchor that the check of links knows", () => {
    const missing = pages.flatMap((page) => {
      const file = page.path.replace(/^docs\/(.*)\.md$/, "$1.html");
      const html = readFileSync(join(site ?? "", file), "utf8");
      return [...anchorsOf(page)]
        .filter((anchor) => !html.includes(` id="${anchor}"`))
        .map((anchor) => `${file}#${anchor}`);
    });
    expect(missing).toEqual([]);
  });
});
