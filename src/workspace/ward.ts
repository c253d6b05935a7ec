/**
 * The files that govern the proxy itself: every file of its config, what is trusted and locked, its tokens, the bundle
 * that it serves. Whoever could edit them could allow itself anything, so no edit may, whatever `deny` says.
 */
import { lstat, readlink } from "node:fs/promises";
import { dirname, parse, relative, resolve, sep } from "node:path";
import { sortBy } from "../base/order.js";
import { OWN_NAME } from "../base/own-names.js";
import { isInside } from "../base/paths.js";
import { Refusal } from "../base/problem.js";

const mostLinks = 40;

/** Judges real paths, without looking at the disk. */
export interface Ward {
  /** Throws a Refusal when a file there governs, would govern, or lies in a folder that does. */
  refuse(path: string): void;
  /** The same, also when something that governs lies below. */
  refuseWhole(path: string): void;
}

/** The ward of a workspace with these roots; `paths` are files and folders that need not exist. */
export async function openWard(roots: readonly string[], paths: readonly string[]): Promise<Ward> {
  const outermost = sortBy(roots, (root) => [root.length]);
  const entries = await Promise.all(paths.map((path) => entriesOf(path)));
  const guarded = new Set(entries.flatMap((names) => [...names]).map(folded));

  const isOwn = (path: string): boolean => {
    const root = outermost.find((folder) => isInside(path, folder)) ?? parse(path).root;
    if (
      folded(sep + relative(root, path))
        .split(sep)
        .some((name) => OWN_NAME.test(name))
    )
      return true;
    for (let at = folded(path); ; at = dirname(at)) {
      if (guarded.has(at)) return true;
      if (dirname(at) === at) return false;
    }
  };
  const refuse = (path: string): void => {
    if (isOwn(path))
      throw new Refusal("edit/own-config", "governs this proxy and cannot be edited through it");
  };
  return {
    refuse,
    refuseWhole(path) {
      refuse(path);
      const folder = folded(path);
      if ([...guarded].some((own) => isInside(own, folder)))
        throw new Refusal(
          "edit/own-config",
          "holds files that govern this proxy and cannot be moved or removed through it",
        );
    },
  };
}

/**
 * The names that decide what a path leads to: its own, where it really stands, and every symbolic link on the way. Plain
 * folders on the way are not among them: only moving or removing those would matter.
 */
async function entriesOf(path: string, links = mostLinks): Promise<Set<string>> {
  const { root } = parse(path);
  let at = root;
  const rest = path
    .slice(root.length)
    .split(sep)
    .filter((name) => name !== "");
  for (const [index, name] of rest.entries()) {
    const entry = resolve(at, name);
    const facts = await lstat(entry).catch(() => undefined);
    if (facts?.isSymbolicLink() && links > 0) {
      const target = resolve(at, await readlink(entry), ...rest.slice(index + 1));
      return new Set([entry, ...(await entriesOf(target, links - 1))]);
    }
    at = entry;
  }
  return new Set([at]);
}

/** A path as the least particular file system takes it: without case, forms of one character, or what it drops. */
function folded(path: string): string {
  return path
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .split(sep)
    .map((name, index) => (index === 0 ? name : name.replace(/:.*$/s, "").replace(/(?<=[^. ])[. ]+$/, "")))
    .join(sep);
}
