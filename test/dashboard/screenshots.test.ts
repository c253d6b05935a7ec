/**
 * The pictures of the docs, made only when a folder for them is named: `LSP_PROXY_SCREENSHOTS=docs/images npx vitest run
 * --config test/vitest.config.ts test/dashboard/screenshots.test.ts`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { hasBrowser, openBrowser, ServedPage } from "./page.js";
import { smallPng } from "./small-png.js";

const folder = process.env.LSP_PROXY_SCREENSHOTS;
/** How long agents work before the pictures are taken, so that the charts have something to show. */
const WORK_MS = 1000 * Number(process.env.LSP_PROXY_SCREENSHOTS_SECONDS ?? 240);

const file_path = "src/cart.ts";
const questions: [tool: string, args: object][] = [
  ["get_document_symbols", { file_path }],
  ["find_references", { file_path, symbol_name: "total" }],
  ["get_hover", { file_path: "src/checkout.ts", line_text: "return |total(this.items);" }],
  ["find_definition", { file_path: "src/checkout.ts", symbol_name: "Checkout/amount" }],
  ["search_workspace_symbols", { query: "Checkout" }],
  ["find_implementations", { file_path: "src/greet.ts", symbol_name: "Greeter" }],
  ["get_diagnostics", { file_path: "src/broken.ts" }],
  ["find_definition", { file_path, symbol_name: "discount" }],
  ["get_incoming_calls", { file_path, symbol_name: "total" }],
  ["get_document_symbols", { file_path: "release.sh" }],
];

const files = {
  [file_path]: `export interface Item {
  price: number;
  count: number;
}

/** The price of everything in the cart. */
export function total(items: readonly Item[]): number {
  return items.reduce((sum, { price, count }) => sum + price * count, 0);
}
`,
  "src/checkout.ts": `import { type Item, total } from "./cart.js";

export class Checkout {
  constructor(private readonly items: Item[]) {}

  get amount(): number {
    return total(this.items);
  }

  receipt(card: string): string {
    return "paid " + total(this.items) + " with " + card;
  }
}
`,
  "release.sh": "publish() {\n  echo done\n}\npublish\n",
  "main.go": "package main\n",
};

const servers = `
[[servers]]
id = "bash"
kind = "bash-language-server"
[[servers]]
id = "go"
kind = "gopls"
`;

describe.skipIf(!hasBrowser || folder === undefined)("the pictures (made when a folder is named)", () => {
  let browser: Browser;
  let served: ServedPage;
  beforeAll(async () => {
    browser = await openBrowser();
    served = new ServedPage(servers, ["bash-language-server", "gopls"]);
    for (const [name, text] of Object.entries(files)) served.write(name, text);
    await served.start();
    const agents = [await served.agent("codex"), await served.agent("claude-code")];
    // The page samples memory from when it is first opened.
    await served.open(browser);
    await agents[1]?.("get_document_symbols", { file_path: "main.go" });
    const end = Date.now() + WORK_MS;
    for (let turn = 0; turn < questions.length * 3 || Date.now() < end; turn++) {
      const [tool, args] = questions[turn % questions.length] ?? ["get_server_status", {}];
      await agents[turn % 5 < 3 ? 0 : 1]?.(tool, args);
      // Bursts with pauses between them, as agents work.
      await wait(turn % 11 === 10 ? 6000 : 400 + 90 * (turn % 7));
    }
  }, WORK_MS + 120_000);
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  async function open(
    hash: string,
    colorScheme: "light" | "dark",
    [width, height]: [number, number],
  ): Promise<Page> {
    const page = await served.open(browser, { colorScheme, viewport: { width, height } });
    await page.goto(`${new URL("/dashboard/", page.url()).href}#/${hash}`);
    await page.getByText(/^Loading…$/).waitFor({ state: "detached" });
    // A chart is drawn after its data has come.
    await wait(1500);
    return page;
  }

  async function save(page: Page, name: string): Promise<void> {
    const png = await page.screenshot({ animations: "disabled" });
    writeFileSync(join(folder ?? "", `dashboard-${name}.png`), smallPng(png));
  }

  it("are taken", async () => {
    await save(await open("servers", "light", [1200, 640]), "servers");
    await save(await open("calls", "dark", [1200, 640]), "calls");
    await save(await open("charts", "light", [1200, 740]), "charts");
    await save(await open("servers", "dark", [390, 760]), "phone");
    const page = await open("playground/tool", "dark", [1200, 720]);
    await page.getByLabel("Tool", { exact: true }).selectOption("find_references");
    await page.getByLabel("file_path").fill(file_path);
    await page.getByLabel("symbol_name").fill("total");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("tab", { name: /^Files/ }).click();
    await page.getByRole("combobox", { name: "File" }).selectOption("src/checkout.ts");
    await page.getByRole("region", { name: "Lines of src/checkout.ts" }).waitFor();
    await save(page, "playground");
  });
});
