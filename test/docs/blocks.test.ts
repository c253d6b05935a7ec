/**
 * Every fenced block of README and docs is true. Blocks marked `run` are run and their output is compared; configs are validated;
 * in all others the commands of this program are checked by its own definitions, and data is parsed. docs/contributing.md has the marks.
 */
import { describe, expect, it } from "vitest";
import { readPages } from "../../docs/.vitepress/markdown.js";
import { repository } from "../live/session.js";
import { configProblems } from "./configs.js";
import { isRun, noShell, runPage } from "./run-page.js";
import { staticProblems } from "./static.js";

const pages = readPages(repository);

describe("what the pages say", () => {
  it("has blocks", () => {
    expect(pages.flatMap(({ blocks }) => blocks).length).toBeGreaterThan(60);
  });

  it("is a command that exists, or data that can be parsed", async () => {
    const problems = await Promise.all(pages.map((page) => staticProblems(page)));
    expect(problems.flat().join("\n")).toBe("");
  });

  it("is a config without problems and warnings", async () => {
    const problems = [];
    for (const page of pages) problems.push(...(await configProblems(page)));
    expect(problems.join("\n\n")).toBe("");
  });
});

const running = pages.filter(({ blocks }) => blocks.some(isRun));
it.skipIf(noShell).each(running.map((page) => [page.path, page] as const))(
  `shows what happens: %s${noShell === undefined ? "" : ` (${noShell})`}`,
  { timeout: 600_000 },
  async (_path, page) => {
    expect((await runPage(page)) ?? "").toBe("");
  },
);
