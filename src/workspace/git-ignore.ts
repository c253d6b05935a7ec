/** What git ignores: the `.gitignore` files in and above a folder, the repository's own excludes, and the person's. */
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import ignore from "ignore";
import type { WalkedFiles } from "./walk.js";

/** The rules of one file; `local` turns a path in the workspace into one as the rules mean it. */
export interface IgnoreRules {
  matcher: ReturnType<typeof ignore>;
  local(path: string): string;
}

/** Whose excludes count. */
export interface Person {
  env: { readonly [name: string]: string | undefined };
  home: string;
}

/** The rules that hold in a whole workspace, the weakest first; none where no repository is. */
export function outerRules(root: string, files: WalkedFiles, person: Person): IgnoreRules[] {
  const top = repositoryOf(root, files);
  if (top === undefined) return [];
  const prefix = slashed(relative(top.folder, root));
  const above = prefix === "" ? [] : foldersDownTo(prefix);
  const sources = [
    { folder: "", file: excludesFile(top, files, person) },
    { folder: "", file: join(top.common, "info", "exclude") },
    ...above.map((folder) => ({ folder, file: join(top.folder, folder, ".gitignore") })),
  ];
  const rules = sources.flatMap(({ folder, file }) =>
    rulesIn(file, files, (path) => pathBelow(folder, `${prefix}/${path}`.replace(/^\//, ""))),
  );
  // Whoever names an ignored folder as the workspace means what is in it.
  return prefix !== "" && isIgnored("", true, rules) ? [] : rules;
}

/** The rules of a folder of the workspace, as more than those around it. */
export function folderRules(root: string, folder: string, files: WalkedFiles): IgnoreRules[] {
  return rulesIn(join(root, folder, ".gitignore"), files, (path) => pathBelow(folder, path));
}

/** Whether a path is ignored: the innermost rules that say anything about it decide, as in git. */
export function isIgnored(path: string, isFolder: boolean, rules: readonly IgnoreRules[]): boolean {
  for (const { matcher, local } of rules.toReversed()) {
    const verdict = matcher.test(isFolder ? `${local(path).replace(/\/$/, "")}/` : local(path));
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

function rulesIn(file: string, files: WalkedFiles, local: (path: string) => string): IgnoreRules[] {
  const text = textOf(file, files);
  return text === undefined ? [] : [{ matcher: ignore().add(text), local }];
}

/** The repository that a folder lies in: its top, and the folder that all its worktrees share. */
function repositoryOf(root: string, files: WalkedFiles): { folder: string; common: string } | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const git = join(folder, ".git");
    if (textOf(join(git, "HEAD"), files) !== undefined) return { folder, common: git };
    // In a worktree or a submodule `.git` is a file that says where the repository is.
    const named = /^gitdir:\s*(.+?)\s*$/m.exec(textOf(git, files) ?? "")?.[1];
    if (named !== undefined) {
      const own = resolve(folder, named);
      return { folder, common: resolve(own, textOf(join(own, "commondir"), files)?.trim() ?? ".") };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** The person's own excludes: the file that git's settings name, or the usual one. */
function excludesFile({ common }: { common: string }, files: WalkedFiles, { env, home }: Person): string {
  const settings = join(env.XDG_CONFIG_HOME || join(home, ".config"), "git");
  const configs = [join(common, "config"), join(home, ".gitconfig"), join(settings, "config")];
  const named = configs
    .map((file) => excludesIn(textOf(file, files) ?? ""))
    .find((file) => file !== undefined);
  if (named === undefined) return join(settings, "ignore");
  const path = named.replace(/^~(?=\/)/, home);
  return isAbsolute(path) ? path : join(home, path);
}

function excludesIn(text: string): string | undefined {
  const core = text.split(/^\s*\[/m).filter((section) => /^core\s*\]/i.test(section));
  return core
    .flatMap((section) => /^\s*excludesfile\s*=\s*"?([^"\n]*?)"?\s*$/im.exec(section)?.[1] ?? [])
    .at(-1);
}

/** `a/b` → ``, `a`: the folders above. */
function foldersDownTo(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, length) => parts.slice(0, length).join("/"));
}

function pathBelow(folder: string, path: string): string {
  return folder === "" ? path : path.slice(folder.length + 1);
}

function slashed(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}

/** One that cannot be read ignores nothing: the walk then only sees more than git would. */
function textOf(file: string, files: WalkedFiles): string | undefined {
  try {
    const content = files.read(file);
    return content instanceof Uint8Array ? new TextDecoder().decode(content) : content;
  } catch {
    return undefined;
  }
}
