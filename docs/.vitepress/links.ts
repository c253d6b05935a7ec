/** Finds the broken links of the docs: to pages, to headings, to files of the repository, to pictures. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { anchorsOf, linksOf, type Page, readPages } from "./markdown.js";

/** Where the repository is published. Links into it are links to its files. */
export const repositoryUrl = "https://github.com/lsp-proxy/lsp-proxy";

export interface BrokenLink {
  file: string;
  line: number;
  target: string;
  why: string;
}

/** Every broken link of README, the changelog and `docs`, and every page of `docs` that the program names and that is gone. */
export function brokenLinks(root: string, pages: Page[] = readPages(root)): BrokenLink[] {
  const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page)]));
  const why = (file: string, target: string) => problemOf(root, anchors, file, target);
  return [
    ...pages.flatMap((page) => linksOf(page).map((link) => ({ file: page.path, ...link }))),
    ...["src", "configs", "templates"].flatMap((folder) => namedPages(root, folder)),
  ].flatMap((link) => {
    const problem = why(link.file, link.target);
    return problem === undefined ? [] : [{ ...link, why: problem }];
  });
}

/** One line for each, as compilers print it. */
export function brokenLinkReport(broken: readonly BrokenLink[]): string {
  return broken.map(({ file, line, target, why }) => `${file}:${line}: ${target}: ${why}`).join("\n");
}

function problemOf(
  root: string,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
  file: string,
  target: string,
): string | undefined {
  const own = target.startsWith(`${repositoryUrl}/`)
    ? /^\/(?:blob|tree)\/main\/(.*)$/.exec(target.slice(repositoryUrl.length))?.[1]
    : undefined;
  if (own === undefined && /^([a-z][a-z\d+.-]*:|\/\/)/i.test(target)) return undefined;
  if (target === "") return "the link is empty";
  if (target.startsWith("/")) return "begins with a slash; a link to a file is relative to its page";
  const [path = "", anchor] = (own ?? target).split("#", 2);
  const from = own !== undefined ? "" : posix.dirname(file);
  const to = path === "" ? file : posix.join(from, decodeURIComponent(path.replace(/\?.*$/, "")));
  if (to.startsWith("..")) return "leaves the repository";
  const full = join(root, to);
  if (!existsSync(full)) return `there is no ${to}`;
  if (statSync(full).isDirectory())
    return to.startsWith("docs/") ? "is a folder; the site has only pages" : undefined;
  if (anchor === undefined) return undefined;
  const there = anchors.get(to);
  if (there !== undefined)
    return there.has(decodeURIComponent(anchor)) ? undefined : `${to} has no heading for #${anchor}`;
  const [, last] = /^L\d+(?:-L)?(\d+)?$/.exec(anchor) ?? [];
  const lines = readFileSync(full, "utf8").split("\n").length;
  const isLine = /^L\d+(-L\d+)?$/.test(anchor) && Number(last ?? anchor.slice(1)) <= lines;
  return isLine ? undefined : `${to} has no #${anchor}`;
}

/** The pages of `docs` that files of the program name, for example in a message. */
function namedPages(root: string, folder: string): { file: string; line: number; target: string }[] {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => posix.join(folder, path.replaceAll("\\", "/")))
    .filter((path) => /\.(?:ts|tsx|toml|hbs)$/.test(path) && !path.startsWith("templates/docs/"));
  return paths.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        [...line.matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([path]) => ({
          file,
          line: index + 1,
          target: `${repositoryUrl}/blob/main/${path}`,
        })),
      ),
  );
}
