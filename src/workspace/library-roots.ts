/**
 * The folders of dependencies and standard libraries that servers' presets name. Files in them may be read, never
 * edited. A pattern is an absolute folder, or begins with `~`, a variable, `<parents>` or `**`; `*` stands for any
 * characters of one name.
 */
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { realPath } from "../base/disk.js";
import { compileGlob, type GlobMatcher } from "../base/glob.js";
import { isInside } from "../base/paths.js";

/** What the patterns refer to. */
interface LibraryContext {
  env: { readonly [name: string]: string | undefined };
  /** The user's home folder. */
  home: string;
  /** Absolute real paths of the workspace's roots. */
  roots: readonly string[];
}

const variable = /\$\{(\w+)(?::-([^}]*))?\}/;

/** Returns a function that gives the library folder of a real path; undefined when it lies in none. */
export function libraryRoots(
  patterns: readonly string[],
  context: LibraryContext,
): (path: string) => string | undefined {
  const folders = patterns
    .flatMap((pattern) => expanded(pattern, context))
    .flatMap((pattern) => compiled(pattern, context))
    .map(({ names, isAnywhere }) => ({ wanted: names.map(matcherOf), isAnywhere }));
  return (path) => {
    const names = path.split(sep);
    for (const { wanted, isAnywhere } of folders) {
      const room = names.length - wanted.length;
      const last = isAnywhere ? room : Math.min(room, 0);
      for (let at = 0; at <= last; at++) {
        const isHere = wanted.every((matches, index) => matches(names[at + index] ?? ""));
        if (isHere) return names.slice(0, at + wanted.length).join(sep);
      }
    }
    return undefined;
  };
}

/** The pattern with its variables, `~` and `<parents>` filled in; none when a variable without a default is not set. */
function expanded(pattern: string, context: LibraryContext): string[] {
  const { env, home, roots } = context;
  const [whole, name = "", otherwise] = variable.exec(pattern) ?? [];
  if (whole !== undefined) {
    const value = env[name] || otherwise;
    // GOPATH may be a list of folders.
    const values = value === undefined ? [] : value.split(delimiter).filter((entry) => entry !== "");
    return values.flatMap((entry) =>
      expanded(
        pattern.replace(whole, () => entry),
        context,
      ),
    );
  }
  if (pattern.startsWith("~/")) return [join(home, pattern.slice(2))];
  const below = /^<parents>\/(.+)$/.exec(pattern)?.[1];
  if (below !== undefined) return roots.flatMap(parentsOf).map((folder) => join(folder, below));
  return [pattern];
}

function parentsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...parentsOf(parent)];
}

interface Folder {
  names: string[];
  /** Whether it may begin at any folder of a path. */
  isAnywhere: boolean;
}

function compiled(pattern: string, { home }: LibraryContext): Folder[] {
  if (pattern.startsWith("**/")) return [{ names: pattern.slice(3).split("/"), isAnywhere: true }];
  if (!isAbsolute(pattern)) return [];
  const names = pattern.split(/[/\\]/).filter((name, index) => index === 0 || name !== "");
  const fixed = names.findIndex((name) => name.includes("*"));
  const plain = names.slice(0, fixed < 0 ? names.length : fixed);
  const folder = plain.join(sep) || sep;
  // A variable such as GOROOT may be anything: a folder with the user's own files is no library.
  if (fixed < 0 && isInside(home, folder)) return [];
  return [{ names: [...realPath(folder).split(sep), ...names.slice(plain.length)], isAnywhere: false }];
}

/** Only `*` is special: the user's own folders may have names such as `[id]`. */
function matcherOf(name: string): GlobMatcher {
  return compileGlob(name.replace(/[?[\\]/g, "\\$&"), { git: true, maxLength: Number.POSITIVE_INFINITY });
}
