/**
 * The paths that git ignores: the `.gitignore` files in and above a folder, the repository's excludes, and the user's.
 * All of them may be untrusted: they are read and matched within bounds, and what is over a bound is reported.
 */
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { realPath } from "../base/disk.js";
import { GlobBudget, GlobError, PATH_STEPS } from "../base/glob.js";
import { folderNamedBy } from "../base/home.js";
import { slashed } from "../base/paths.js";
import { type IgnoreRule, parseIgnoreRules, verdictOf } from "./ignore-rules.js";
import type { WalkedFiles } from "./walk.js";

/** The rules of one ignore file. */
export interface IgnoreRules {
  rules: readonly IgnoreRule[];
  /** The ignore file's folder, relative to the repository (else the workspace). */
  folder: string;
  /** The workspace root, relative to the same. */
  prefix: string;
}

/** The user whose git settings count. */
export interface GitUser {
  env: { readonly [name: string]: string | undefined };
  home: string;
}

/** The largest file that is read. */
export const MAX_RULES_BYTES = 1_048_576;
/** How much text, and how many rules, are used in all. */
const MAX_TOTAL_BYTES = 4 * MAX_RULES_BYTES;
const MAX_TOTAL_RULES = 100_000;
/** Most notes that are reported. */
const MAX_NOTES = 20;
/** How many steps matching may take until `refill` is called: two or three seconds, with pauses between the paths. */
const ALL_STEPS = 60_000_000;

/** The ignore files of one walk or one watch. Create one for each. */
export class GitIgnore {
  readonly #budget = new GlobBudget(ALL_STEPS);
  /** The bytes used of each file, and of all together. A file that is read again replaces its earlier share. */
  readonly #used = new Map<string, { bytes: number; rules: number }>();
  #usedBytes = 0;
  #usedRules = 0;
  readonly #reported = new Set<string>();

  /** `tell` is called once for each file, or part of one, that is not used, with the reason. */
  constructor(
    private readonly files: WalkedFiles,
    private readonly user: GitUser,
    private readonly tell: (note: string) => void,
  ) {}

  /** Whether matching has used up its steps: nothing more counts as ignored. */
  get isExhausted(): boolean {
    return this.#budget.isSpent;
  }

  /** Another round of work begins. */
  refill(): void {
    this.#budget.refill(ALL_STEPS, ALL_STEPS);
  }

  /** The rules from outside a workspace that apply in it, the weakest first; none outside of a repository. */
  outerRules(root: string): IgnoreRules[] {
    const top = repositoryOf(root, this.files);
    if (top === undefined) return [];
    const prefix = slashed(relative(top.folder, root));
    const above = prefix === "" ? [] : foldersDownTo(prefix);
    const sources = [
      { folder: "", file: excludesFile(top, this.files, this.user) },
      { folder: "", file: join(top.common, "info", "exclude") },
      ...above.map((folder) => ({ folder, file: join(top.folder, folder, ".gitignore") })),
    ];
    const rules = sources.flatMap(({ folder, file }) => this.#rulesIn(file, folder, prefix));
    // If the workspace is inside an ignored folder, outer rules do not apply.
    const fromTop = rules.map((some) => ({ ...some, prefix: "" }));
    const isInIgnored = [...above.slice(1), prefix].some((folder) => this.isIgnored(folder, true, fromTop));
    return isInIgnored ? [] : rules;
  }

  /** Whether a folder inside the root is another worktree of the root's repository: a second copy of its files. */
  isWorktree(root: string, folder: string): boolean {
    const inner = repositoryOf(join(root, folder), this.files);
    const outer = repositoryOf(root, this.files);
    return inner !== undefined && outer !== undefined && realPath(inner.common) === realPath(outer.common);
  }

  /** The rules of a folder's own `.gitignore`; `folder` is relative to the root. */
  folderRules(root: string, folder: string): IgnoreRules[] {
    return this.#rulesIn(join(root, folder, ".gitignore"), folder, "");
  }

  /** Whether a path in a folder that is not ignored is. The innermost rules that match it decide, as in git. */
  isIgnored(path: string, isFolder: boolean, rules: readonly IgnoreRules[]): boolean {
    if (this.isExhausted) return false;
    try {
      return this.#budget.lend(PATH_STEPS, (budget) => verdictOfAll(path, isFolder, rules, budget));
    } catch (error) {
      if (!(error instanceof GlobError)) throw error;
      this.#tellOnce("matching the ignore rules takes too long: some files count as not ignored");
      return false;
    }
  }

  #rulesIn(file: string, folder: string, prefix: string): IgnoreRules[] {
    this.#use(file, 0, 0);
    if (this.#usedBytes >= MAX_TOTAL_BYTES || this.#usedRules >= MAX_TOTAL_RULES) {
      this.#tellOnce("there are too many ignore rules: the .gitignore files of some folders are not used");
      return [];
    }
    const content = bytesOf(file, this.files);
    if (content === undefined || content.length === 0) return [];
    if (content.length > MAX_RULES_BYTES) {
      this.#tellOnce(`${file} is larger than 1 MiB and is not used`);
      return [];
    }
    const { rules, skipped } = parseIgnoreRules(decoded(content));
    if (skipped > 0)
      this.#tellOnce(
        `${file} has ${skipped} rules that are too long, or more than can be used; they are skipped`,
      );
    this.#use(file, content.length, rules.length);
    return [{ rules, folder, prefix }];
  }

  #use(file: string, bytes: number, rules: number): void {
    const before = this.#used.get(file);
    this.#usedBytes += bytes - (before?.bytes ?? 0);
    this.#usedRules += rules - (before?.rules ?? 0);
    if (bytes > 0) this.#used.set(file, { bytes, rules });
    else this.#used.delete(file);
  }

  #tellOnce(note: string): void {
    if (this.#reported.has(note) || this.#reported.size >= MAX_NOTES) return;
    this.#reported.add(note);
    this.tell(note);
  }
}

/** Whether the innermost rules that match a path ignore it. */
function verdictOfAll(
  path: string,
  isFolder: boolean,
  rules: readonly IgnoreRules[],
  budget: GlobBudget,
): boolean {
  for (const some of rules.toReversed()) {
    const local = localPath(path, some);
    // A file says nothing about the folder that it is in.
    const verdict = local === "" ? undefined : verdictOf(some.rules, local, isFolder, budget);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

/** A path as the ignore file sees it; empty for its own folder and for those above. */
function localPath(path: string, { folder, prefix }: IgnoreRules): string {
  const whole = prefix === "" ? path : path === "" ? prefix : `${prefix}/${path}`;
  return folder === "" ? whole : whole.slice(folder.length + 1);
}

/** The repository that a folder lies in: its top folder, and the `.git` folder that all its worktrees share. */
function repositoryOf(root: string, files: WalkedFiles): { folder: string; common: string } | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const git = join(folder, ".git");
    if (bytesOf(join(git, "HEAD"), files) !== undefined) return { folder, common: git };
    // In a worktree or a submodule `.git` is a file that names the repository.
    const named = linesOf(git, files)
      .find((line) => line.startsWith("gitdir:"))
      ?.slice("gitdir:".length)
      .trim();
    if (named !== undefined) {
      const own = resolve(folder, named);
      return { folder, common: resolve(own, linesOf(join(own, "commondir"), files)[0] ?? ".") };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** The user's own excludes: the file that git's settings name, or the default one. */
function excludesFile({ common }: { common: string }, files: WalkedFiles, { env, home }: GitUser): string {
  const settings = join(folderNamedBy(env, "XDG_CONFIG_HOME") ?? join(home, ".config"), "git");
  const configs = [join(common, "config"), join(home, ".gitconfig"), join(settings, "config")];
  const named = configs.map((file) => excludesIn(linesOf(file, files))).find((file) => file !== undefined);
  if (named === undefined) return join(settings, "ignore");
  const path = named.replace(/^~(?=\/)/, home);
  return isAbsolute(path) ? path : join(home, path);
}

/** The last value of `core.excludesFile`. */
function excludesIn(lines: readonly string[]): string | undefined {
  let isCore = false;
  let found: string | undefined;
  for (const line of lines) {
    if (line.startsWith("[")) isCore = /^\[core\s*\]/i.test(line);
    const equals = line.indexOf("=");
    if (!isCore || line.slice(0, Math.max(equals, 0)).trim().toLowerCase() !== "excludesfile") continue;
    found = line
      .slice(equals + 1)
      .trim()
      .replace(/^"|"$/g, "");
  }
  return found;
}

/** `a/b` → ``, `a`: the folders above. */
function foldersDownTo(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, length) => parts.slice(0, length).join("/"));
}

/** The lines of a file of settings, trimmed, without empty ones. */
function linesOf(file: string, files: WalkedFiles): string[] {
  const content = bytesOf(file, files);
  if (content === undefined || content.length > MAX_RULES_BYTES) return [];
  return decoded(content)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** A file that cannot be read has no rules: the walk then only sees more than git would. */
function bytesOf(file: string, files: WalkedFiles): string | Uint8Array | undefined {
  try {
    return files.read(file);
  } catch {
    return undefined;
  }
}

function decoded(content: string | Uint8Array): string {
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}
