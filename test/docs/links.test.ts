/** The links of README and docs, and the list of pages of the site. `npm run docs` makes the same check before it builds the site. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { brokenLinkReport, brokenLinks } from "../../docs/.vitepress/links.js";
import { anchorsOf, linksOf, readPage, readPages } from "../../docs/.vitepress/markdown.js";
import { groups } from "../../docs/.vitepress/sidebar.js";
import { afterThis } from "../after-this.js";
import { repository } from "../live/session.js";

it("leads somewhere", () => {
  const pages = readPages(repository);
  expect(pages.length).toBeGreaterThan(60);
  expect(brokenLinkReport(brokenLinks(repository, pages))).toBe("");
});

it("every picture is on a page", () => {
  const shown = readPages(repository)
    .flatMap(linksOf)
    .map(({ target }) => basename(target));
  const pictures = readdirSync(join(repository, "docs", "images"));
  expect(pictures.filter((name) => !shown.includes(name))).toEqual([]);
});

it("every page is in the sidebar once, and every entry of the sidebar has its page", () => {
  // The pages of a folder are listed below its README.
  const pages = readPages(repository)
    .map(({ path }) => path)
    .filter((path) => /^docs\/([^/]+|.*\/README)\.md$/.test(path));
  const listed = groups.flatMap(({ pages }) => Object.keys(pages).map((page) => `docs/${page}.md`));
  expect(listed.sort()).toEqual(pages.sort());
});

describe("a broken link", () => {
  /** The report about these files. */
  function reportOn(files: { [path: string]: string }): string {
    const root = mkdtempSync(join(tmpdir(), "lsp-proxy-links-"));
    afterThis(() => rmSync(root, { recursive: true, force: true }));
    const all = { "README.md": "", "CHANGELOG.md": "", "docs/a.md": "# A\n", ...files };
    for (const folder of ["src", "configs", "templates"]) mkdirSync(join(root, folder));
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return brokenLinkReport(brokenLinks(root));
  }

  it.for([
    ["a page", { "docs/b.md": "\n\n[x](c.md)\n" }, "docs/b.md:3: c.md: there is no docs/c.md"],
    ["a page, from README", { "README.md": "[x](a.md)\n" }, "README.md:1: a.md: there is no a.md"],
    ["a heading", { "docs/b.md": "[x](a.md#b)" }, "docs/b.md:1: a.md#b: docs/a.md has no heading for #b"],
    [
      "a heading of the page",
      { "docs/b.md": "# B\n[x](#c)" },
      "docs/b.md:2: #c: docs/b.md has no heading for #c",
    ],
    [
      "a file of the repository",
      { "docs/b.md": "[x](../LICENSE)" },
      "docs/b.md:1: ../LICENSE: there is no LICENSE",
    ],
    ["a line of a file", { "docs/b.md": "[x](../src/x.ts#L9)", "src/x.ts": "1\n" }, "src/x.ts has no #L9"],
    ["a file outside", { "docs/b.md": "[x](../../LICENSE)" }, "leaves the repository"],
    ["a picture", { "docs/b.md": "![x](images/x.svg)" }, "there is no docs/images/x.svg"],
    [
      "a picture in HTML",
      { "README.md": '<img alt="" src="docs/images/x.svg">' },
      "there is no docs/images/x.svg",
    ],
    ["a definition", { "docs/b.md": "[x]\n\n[x]: c.md\n" }, "docs/b.md:3: c.md: there is no docs/c.md"],
    ["an absolute path", { "docs/b.md": "[x](/a.md)" }, "begins with a slash"],
    ["a folder of docs", { "docs/b.md": "[x](more)", "docs/more/c.md": "" }, "is a folder"],
    [
      "a file of the repository by its address",
      { "docs/b.md": "[x](https://github.com/lsp-proxy/lsp-proxy/blob/main/src/x.ts)" },
      "there is no src/x.ts",
    ],
    [
      "a page, from the home",
      { "docs/index.md": "---\nhero:\n    link: /c\n---\n" },
      "docs/index.md:3: c.md:",
    ],
    ["a page, in a message", { "src/x.ts": '\nprint("see docs/c.md");\n' }, "src/x.ts:2:"],
    ["a link over two lines", { "docs/b.md": "[x\ny](c.md)\n" }, "docs/b.md:2: c.md:"],
  ] as const)("to %s is reported with its place", ([, files, expected]) => {
    const report = reportOn(files);
    expect(report).toContain(expected);
    expect(report.split("\n")).toHaveLength(1);
  });

  it("does not count in code or in a comment", () => {
    const text = "`[x](c.md)` ``a ` [x](c.md)``\n<!-- [x](c.md)\n[y](d.md) -->\n```md\n[x](c.md)\n```\n";
    expect(reportOn({ "docs/b.md": text })).toBe("");
  });

  it("is not one that works", () => {
    const text =
      "[x](a.md) [y](a.md#a) [z](../README.md) [s](../src/x.ts#L1) [w](https://example.org/a.md#b)";
    expect(reportOn({ "docs/b.md": text, "src/x.ts": "1\n" })).toBe("");
  });
});

it.for([
  ["# Plain words", "plain-words"],
  ["## `[[servers]]`", "servers"],
  ["## `config/untrusted`", "configuntrusted"],
  ["### What's *new* in [this](a.md)?", "whats-new-in-this"],
  ["## snake_case and `a_b`", "snake_case-and-a_b"],
  ["## Build: config, plan", "build-config-plan"],
  ["## A -- B", "a----b"],
  ["## Closed ##", "closed"],
])("the anchor of %s is %s, as on GitHub", ([heading, anchor]) => {
  expect([...anchorsOf(readPage("a.md", `${heading}\n`))]).toEqual([anchor]);
});

it("the second of two equal headings has a number", () => {
  expect([...anchorsOf(readPage("a.md", "# A\n## B\n## B\n## B\n"))]).toEqual(["a", "b", "b-1", "b-2"]);
});
