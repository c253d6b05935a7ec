/** What git ignores: the `.gitignore` files in and above a folder, the repository's excludes, and the user's. */
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import ignore from "ignore";
import { slashed } from "../base/paths.js";
import type { WalkedFiles } from "./walk.js";

/** The rules of one ignore file; `local` turns a path relative to the workspace into one relative to that file. */
export interface IgnoreRules {
  matcher: ReturnType<typeof ignore>;
  local(path: string): string;
}

/** The user whose git settings count. */
export interface Person {
  env: { readonly [name: string]: string | undefined };
  home: string;
}

/** The rules from outside a workspace that apply in it, the weakest first; none outside of a repository. */
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
  // When the workspace itself is an ignored folder, its files are meant.
  return prefix !== "" && isIgnored("", true, rules) ? [] : rules;
}

/** The rules of a folder's own `.gitignore`; `folder` is relative to the root. */
export function folderRules(root: string, folder: string, files: WalkedFiles): IgnoreRules[] {
  return rulesIn(join(root, folder, ".gitignore"), files, (path) => pathBelow(folder, path));
}

/** Whether a path is ignored. The innermost rules that match it decide, as in git. */
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

/** The repository that a folder lies in: its top folder, and the `.git` folder that all its worktrees share. */
function repositoryOf(root: string, files: WalkedFiles): { folder: string; common: string } | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const git = join(folder, ".git");
    if (textOf(join(git, "HEAD"), files) !== undefined) return { folder, common: git };
    // In a worktree or a submodule `.git` is a file that names the repository.
    const named = /^gitdir:\s*(.+?)\s*$/m.exec(textOf(git, files) ?? "")?.[1];
    if (named !== undefined) {
      const own = resolve(folder, named);
      return { folder, common: resolve(own, textOf(join(own, "commondir"), files)?.trim() ?? ".") };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** The user's own excludes: the file that git's settings name, or the default one. */
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

/** A file that cannot be read has no rules: the walk then only sees more than git would. */
function textOf(file: string, files: WalkedFiles): string | undefined {
  try {
    const content = files.read(file);
    return content instanceof Uint8Array ? new TextDecoder().decode(content) : content;
  } catch {
    return undefined;
  }
}
