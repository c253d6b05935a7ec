/**
 * Finds the files that command line arguments and environment variables name. An argument is read in every way that
 * programs read theirs, and every existing file counts: one too many is better than a script that is not checked.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { namesIn } from "../../base/disk.js";
import { statOf } from "../../base/file-stamp.js";
import { sortedSet } from "../../base/order.js";

/** Characters that may separate names: `--a=b`, `-agent:x.jar=y`, `a.jar:b.jar`, `@file`, `"a b"`. */
const separator = /[\s"'`=:;,@|!?&#<>()[\]{}]/g;
/** Separators after a whole name. The others also occur within names (`tool@2/bin`). */
const closing = /^(?:$|[\s"'`=:;,|])/;
/** Separators that a name may contain, unless it is the whole rest of its argument. */
const maxSeparators = 16;

/** Real paths of the files that these words name, relative to the working folder of the program. */
export function filesNamedIn(words: readonly string[], folder: string): string[] {
  return realPaths(words, (name, isWhole) => filesOf(name, folder, isWhole));
}

/** Like `filesNamedIn`, with folders. */
export function pathsNamedIn(words: readonly string[], folder: string): string[] {
  const exists = (name: string) => !name.includes("\0") && kindOf(resolve(folder, name)) !== undefined;
  return realPaths(words, (name, isWhole) =>
    name !== "" && exists(name) ? [resolve(folder, name)] : filesOf(name, folder, isWhole),
  );
}

/** Finds the paths of a name; `isWhole` when nothing else of the argument belongs to it. */
type Lookup = (name: string, isWhole: boolean) => string[];

function realPaths(words: readonly string[], lookup: Lookup): string[] {
  return sortedSet(words.flatMap((word) => filesIn(word, lookup)).map((path) => realpathSync.native(path)));
}

function filesIn(word: string, lookup: Lookup): string[] {
  const ends = [...Array.from(word.matchAll(separator), ({ index }) => index), word.length];
  return ends.flatMap((end, at) => {
    const starts = startsIn(word.slice(0, end), (ends[at - 1] ?? -1) + 1);
    return [...ends.slice(at, at + maxSeparators), word.length].flatMap((last) => {
      const isWhole = closing.test(word.slice(last, last + 1));
      return starts
        .flatMap((start) => spellings(word.slice(start, last)))
        .flatMap((name) => lookup(name, isWhole));
    });
  });
}

/** Where a name may begin in a part of an argument: at its start, after a one-letter flag, at the first slash. */
function startsIn(text: string, at: number): number[] {
  const part = text.slice(at);
  const slash = part.search(/\.{0,2}[\\/]/);
  return [at, ...(/^-\w./.test(part) ? [at + 2] : []), ...(slash > 0 ? [at + slash] : [])];
}

function spellings(text: string): string[] {
  if (!/^file:/i.test(text)) return text.includes("\\") ? [text, text.replace(/\\(.)/g, "$1")] : [text];
  try {
    return [fileURLToPath(text)];
  } catch {
    return [];
  }
}

/** The file of that name, or the files that a program finds by adding an extension: `node ./server`. */
function filesOf(name: string, folder: string, isWhole: boolean): string[] {
  // No path contains NUL.
  if (name === "" || name.includes("\0")) return [];
  const path = resolve(folder, name);
  const kind = kindOf(path);
  if (kind === "file") return [path];
  if (kind === "other" || !isWhole || !/[\\/]/.test(name)) return [];
  const parent = dirname(path);
  const prefix = `${basename(path)}.`;
  return namesIn(parent)
    .filter((other) => other.startsWith(prefix))
    .map((other) => join(parent, other))
    .filter((other) => kindOf(other) === "file");
}

function kindOf(path: string): "file" | "other" | undefined {
  const stats = statOf(path);
  return stats && (stats.isFile() ? "file" : "other");
}
