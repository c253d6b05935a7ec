/**
 * The site of the docs: `npm run docs` builds it into `docs/.vitepress/dist`, `npx vitepress dev docs` serves it while you write.
 * A page that works on GitHub works here: the anchors are the same, and links to files outside of `docs` go to the repository.
 */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { type DefaultTheme, defineConfig, type MarkdownRenderer } from "vitepress";
import { brokenLinkReport, brokenLinks, repositoryUrl } from "./links.js";
import { slugOf } from "./markdown.js";
import { groups } from "./sidebar.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const docs = fileURLToPath(new URL("../", import.meta.url));
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%233451b2'/%3E%3Cpath d='M3 5l3 3-3 3M8 11h5' fill='none' stroke='%23fff' stroke-width='1.6'/%3E%3C/svg%3E";

function sidebar(): DefaultTheme.SidebarItem[] {
  return groups.map(({ text, pages }) => ({
    text,
    items: Object.entries(pages).map(([page, title]) => ({
      text: title,
      link: page === "index" ? "/" : `/${page}`,
      ...(page.endsWith("/README") ? { collapsed: true, items: pagesOf(posix.dirname(page)) } : {}),
    })),
  }));
}

/** The pages of a folder by their first headings. */
function pagesOf(folder: string): DefaultTheme.SidebarItem[] {
  return readdirSync(`${docs}${folder}`)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort()
    .map((name) => {
      const [, title = name] = /^# (.*)$/m.exec(readFileSync(`${docs}${folder}/${name}`, "utf8")) ?? [];
      return { text: title.replaceAll("`", ""), link: `/${folder}/${name.slice(0, -3)}` };
    });
}

/** Links that leave `docs` go to the repository. */
function outsideLinks(md: MarkdownRenderer): void {
  md.core.ruler.push("outside-links", ({ tokens, env }) => {
    for (const link of tokens.flatMap(({ children }) => children ?? [])) {
      const href = link.type === "link_open" ? link.attrGet("href") : null;
      if (href === null || !/^\.\.?\//.test(href)) continue;
      const [path = "", anchor] = href.split("#", 2);
      const target = posix.join("docs", posix.dirname(env.relativePath), path);
      if (!target.startsWith("docs/"))
        link.attrSet(
          "href",
          `${repositoryUrl}/blob/main/${target}${anchor === undefined ? "" : `#${anchor}`}`,
        );
    }
  });
}

/** Double braces are text, as they are on GitHub; the compiler of the site would evaluate them. */
function braces(md: MarkdownRenderer): void {
  for (const name of ["text", "code_inline"]) {
    const rule = md.renderer.rules[name];
    md.renderer.rules[name] = (...words) => (rule?.(...words) ?? "").replaceAll("{{", "&#123;&#123;");
  }
}

/** Blocks of Mermaid are drawn by a component of the theme. */
function diagrams(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { info = "", content = "" } = tokens[index] ?? {};
    if (info.trim() === "mermaid") return `<MermaidDiagram code="${encodeURIComponent(content)}" />`;
    return fence?.(tokens, index, options, env, self) ?? "";
  };
}

export default defineConfig({
  title: "lsp-proxy",
  description: "An MCP server that gives coding agents language servers, declared in TOML or JSON.",
  lang: "en",
  // The pages find each other by relative links, so the site works in any folder of a web server.
  base: "./",
  head: [["link", { rel: "icon", href: icon }]],
  markdown: {
    anchor: { slugify: slugOf },
    // What GitHub does not know is text here too.
    attrs: false,
    emoji: false,
    toc: false,
    config(md) {
      outsideLinks(md);
      diagrams(md);
      braces(md);
    },
  },
  themeConfig: {
    outline: [2, 3],
    search: { provider: "local" },
    sidebar: sidebar(),
    socialLinks: [{ icon: "github", link: repositoryUrl }],
    editLink: { pattern: `${repositoryUrl}/edit/main/docs/:path`, text: "Change this page on GitHub" },
    docFooter: { prev: false, next: false },
  },
  // The theme's home has no landmark for its content.
  transformHtml: (html) => html.replace('class="VPContent is-home"', 'role="main" $&'),
  vite: {
    // The index of the search is one file.
    build: { chunkSizeWarningLimit: 2000 },
    plugins: [
      {
        name: "links",
        apply: "build",
        buildStart() {
          const broken = brokenLinks(root);
          if (broken.length === 0) return;
          console.error(`\n${brokenLinkReport(broken)}\nbroken links: ${broken.length}`);
          process.exit(1);
        },
      },
    ],
  },
});
