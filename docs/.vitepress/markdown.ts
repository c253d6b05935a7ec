/** Reads the Markdown of this repository: its pages, their fenced blocks, headings and links, each with its line. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Page {
  /** The path in the repository, with slashes. */
  path: string;
  lines: string[];
  blocks: Block[];
  /** The lines outside of fenced blocks and comments, which are empty here. */
  prose: string[];
}

export interface Block {
  /** The line of its first fence, from 1. */
  line: number;
  language: string;
  /** The words after the language. */
  marks: string[];
  text: string;
}

/** README, the changelog, every page of `docs`, and those that GitHub shows to contributors. */
export function readPages(root: string): Page[] {
  const found = ["docs", ".github"]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
        .filter((path) => path.endsWith(".md") && !path.includes("/.")),
    );
  return ["README.md", "CHANGELOG.md", ...found.sort()].map((path) =>
    readPage(path, readFileSync(join(root, path), "utf8")),
  );
}

export function readPage(path: string, text: string): Page {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: (Block & { fence: string; indent: number; body: string[] }) | undefined;
  for (const [index, line] of lines.entries()) {
    const [, indent = "", fence = "", info = ""] = /^([ \t>]*)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === undefined && fence !== "" && !(fence.startsWith("`") && info.includes("`"))) {
      const [language = "", ...marks] = info.trim().split(/\s+/);
      open = { line: index + 1, language, marks, text: "", fence, indent: indent.length, body: [] };
    } else if (open !== undefined && fence.startsWith(open.fence) && info.trim() === "") {
      const { fence: _fence, indent: _indent, body, ...block } = open;
      blocks.push({ ...block, text: body.map((part) => `${part}\n`).join("") });
      open = undefined;
    } else if (open !== undefined) {
      // A block in a list or a quotation is indented as its fence is.
      open.body.push(/^[ \t>]*$/.test(line.slice(0, open.indent)) ? line.slice(open.indent) : line);
    } else {
      prose.push(line);
      continue;
    }
    prose.push("");
  }
  if (open !== undefined) throw new Error(`${path}:${open.line}: this block has no end`);
  return { path, lines, blocks, prose: withoutComments(prose) };
}

function withoutComments(lines: string[]): string[] {
  const text = lines.join("\n");
  return text.replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, " ")).split("\n");
}

/** The anchor of a heading: what GitHub makes of its text. The site uses the same function. */
export function slugOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** The anchors of a page: its headings, where an equal one gets a number, and the `id`s of its HTML. */
export function anchorsOf({ prose }: Page): Set<string> {
  const anchors = new Set<string>();
  for (const line of prose) {
    const heading = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line)?.[1];
    if (heading !== undefined) {
      const slug = slugOf(plainText(heading));
      let anchor = slug;
      for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
      anchors.add(anchor);
    }
    for (const [, id = ""] of withoutCode(line).matchAll(/<[^>]*\s(?:id|name)="([^"]+)"/g)) anchors.add(id);
  }
  return anchors;
}

/** What a reader sees of one line of Markdown. */
function plainText(line: string): string {
  const parts = line.split(/(`+[^`]*`+)/);
  return parts
    .map((part, index) =>
      index % 2 === 1
        ? part.replaceAll("`", "")
        : part
            .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
            .replaceAll(/<[^>]+>/g, "")
            .replaceAll(/\\(?=[^\w\s])/g, "")
            .replaceAll(/\*+|(?<!\w)_+|_+(?!\w)/g, ""),
    )
    .join("");
}

/** The line with its inline code blanked. */
function withoutCode(line: string): string {
  return line.replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g, (code) => " ".repeat(code.length));
}

/** The inline code of a page, where it is on one line. */
export function inlineCode({ prose }: Page): { line: number; text: string }[] {
  return prose.flatMap((line, index) =>
    [...line.matchAll(/(`+)(?!`)(.*?)(?<!`)\1(?!`)/g)].map(([, , text = ""]) => ({ line: index + 1, text })),
  );
}

/** The targets of links and pictures, in Markdown and in HTML. */
export function linksOf({ prose }: Page): { line: number; target: string }[] {
  return prose.flatMap((raw, index) => {
    const line = withoutCode(raw);
    const found = [
      ...line.matchAll(/\]\(\s*<?((?:[^()\s<>]|\([^()\s]*\))*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g),
      ...line.matchAll(/^ {0,3}\[[^\]^]+\]:\s*<?([^\s>]+)/g),
      ...line.matchAll(/<[^>]*\s(?:href|src|srcset)="([^"]*)"/g),
    ];
    // The home of the site links to pages in its front matter.
    const [, page] = /^\s+link: \/([\w/-]+)$/.exec(raw) ?? [];
    return [...found.map(([, target = ""]) => target), ...(page === undefined ? [] : [`${page}.md`])].map(
      (target) => ({ line: index + 1, target }),
    );
  });
}
