/** The dashboard in Chromium with scripted servers: a hub, several workspaces, and columns in each unit. */
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runHere } from "../cli/terminal.js";
import type { Scenario } from "../fake-server/index.js";
import { HubUser } from "../hub/support.js";
import { at, connect } from "../mcp/http/support.js";
import { hasBrowser, openBrowser, openLink, openView } from "./page.js";
import { closeAll, linkOf, openDashboard } from "./support.js";

const hover: Scenario = {
  capabilities: { hoverProvider: true },
  replies: { "textDocument/hover": { contents: "here" } },
};

describe.skipIf(!hasBrowser)("the dashboard in Chromium (skipped where chromium is not on PATH)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterEach(closeAll);
  afterAll(() => browser?.close());

  describe("of a hub", () => {
    let user: HubUser;
    beforeEach(() => {
      user = new HubUser();
    });
    afterEach(() => user.close());

    it("shows a call live, stops a server after a question, and says when the hub ends", async () => {
      const { args } = user.workspace({ extends: ["tools/core"] }, hover);
      const { call } = await user.open(args);
      const { code, stdout, stderr } = await runHere(["dashboard", "--no-open", ...args], { env: user.env });
      expect(code, stderr).toBe(0);
      const page = await openLink(browser, stdout.trim());
      await page.getByText(/^Hub, process \d+/).waitFor();
      await call("get_hover", { ...at, file_path: "a.fake" });
      const card = page.getByRole("article", { name: /^fake/ });
      await card.getByText("Ready", { exact: true }).waitFor();

      // A first call is at the right end of its chart, not at the left end of a day.
      await openView(page, "Charts");
      await page.getByRole("row", { name: /get_hover/ }).waitFor();
      // In the next minute there would be two points: that is too late.
      await expect.poll(() => hasBarAtRightEnd(page), { timeout: 10_000 }).toBe(true);

      // A tool that the config does not have is shown by its code; where calls are added up, it has no calls to show.
      await expect(call("made_up", {})).rejects.toThrow();
      const unknown = page.getByRole("row", { name: /\(unknown\)/ });
      await unknown.waitFor();
      expect(await unknown.getByRole("link").count()).toBe(0);
      await openView(page, "Calls");
      await page.getByRole("row", { name: /made_up.*Refused.*guard\/unknown-tool/ }).waitFor();

      await openView(page, "Servers");
      const ask = () => card.getByRole("button", { name: "Stop" }).click();
      const question = page.getByRole("dialog", { name: "Stop this server?" });
      await ask();
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      await card.getByText("Process").waitFor();
      await ask();
      await question.getByRole("button", { name: "Stop" }).click();
      await question.waitFor({ state: "detached" });
      await card.getByText("Stopped").waitFor();
      await expect.poll(() => card.getByText("Process").count()).toBe(0);
      await call("get_hover", { ...at, file_path: "a.fake" });
      await card.getByText("Ready", { exact: true }).waitFor();

      await openView(page, "Calls");
      await expect.poll(() => page.getByRole("row", { name: /get_hover.*Answered/ }).count()).toBe(2);
      await runHere(["hub", "stop", "--all"], { env: user.env });
      await page.getByRole("heading", { name: "The proxy has ended" }).waitFor();
    });
  });

  it.each(["utf-8", "utf-16", "utf-32"] as const)("marks places whose columns count %s", async (unit) => {
    const dashboard = await openDashboard({
      config: { dialect: { position: { unit } } },
      // The server's place is at the UTF-16 units 4 to 7.
      files: { "a.fake": "\u{1f600}  two\rlast" },
    });
    const page = await openLink(browser, new URL(await linkOf(dashboard), dashboard.origin).href);
    await openView(page, "Playground");
    await page.getByRole("combobox", { name: "Tool" }).selectOption("find_definition");
    await page.getByLabel("file_path").fill("a.fake");
    await page.getByLabel("line", { exact: true }).fill("1");
    await page.getByLabel("character").fill("1");
    await page.getByRole("button", { name: "Run" }).click();
    const answer = page.getByRole("region", { name: "Answer", exact: true });
    await answer.getByRole("tab", { name: /^Files/ }).click();
    await answer.locator("mark").waitFor();
    expect(await answer.locator("mark").allInnerTexts()).toEqual(["two"]);
    // A carriage return alone ends a line, as LSP says.
    expect(await answer.locator(".line-text").last().innerText()).toBe("last");
  });

  describe("of several workspaces", () => {
    it("shows which workspace a server is of, and lets a person choose one to try its tools", async () => {
      const dashboard = await openDashboard({
        config: { mcp: { tools: { exclude: ["get_hover"] } } },
        other: { files: { "b.fake": "b\n" }, servers: { fake: { scenario: hover } } },
      });
      const page = await openLink(browser, new URL(await linkOf(dashboard), dashboard.origin).href);
      for (const name of ["work", "other"])
        await page.getByRole("article").filter({ hasText: name }).getByText("fake").first().waitFor();

      await openView(page, "Playground");
      const tool = page.getByRole("combobox", { name: "Tool" });
      await expect.poll(() => tool.locator("option").allInnerTexts()).toContain("find_definition");
      expect(await tool.locator("option").allInnerTexts()).not.toContain("get_hover");
      await page.getByRole("combobox", { name: "Workspace" }).selectOption("other");
      await expect.poll(() => tool.locator("option").allInnerTexts()).toContain("get_hover");
      await tool.selectOption("get_hover");
      await page.getByLabel("file_path").fill("b.fake");
      await page.getByLabel("line", { exact: true }).fill("1");
      await page.getByLabel("character").fill("1");
      await page.getByRole("button", { name: "Run" }).click();
      const answer = page.getByRole("region", { name: "Answer", exact: true });
      await answer.getByText("here").first().waitFor();

      // An agent whose roots are in the other workspace is shown with them.
      const folder = dashboard.other?.folder ?? "";
      const client = await connect(dashboard.url, { roots: [pathToFileURL(folder).href] });
      await client.callTool({ name: "get_hover", arguments: { ...at, file_path: "b.fake" } });
      await openView(page, "Sessions");
      await page.getByRole("row").filter({ hasText: folder }).first().waitFor();
      await client.close();
    });
  });
});

/** Whether the first chart has a bar in the last sixth of its width. */
function hasBarAtRightEnd(page: Page): Promise<boolean> {
  // A text, because the tests have no types of the browser.
  return page.evaluate(`(() => {
    const canvas = document.querySelector(".chart canvas");
    if (canvas === null) return false;
    const { width, height } = canvas;
    const from = Math.floor((width * 5) / 6);
    const { data } = canvas.getContext("2d").getImageData(from, 0, width - from, height);
    const [, red, green, blue] = /^#(..)(..)(..)$/.exec(
      getComputedStyle(canvas).getPropertyValue("--chart-1").trim(),
    ).map((part) => Number.parseInt(part, 16));
    for (let at = 0; at < data.length; at += 4)
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255) return true;
    return false;
  })()`);
}
