/**
 * The files that the words of a command line and the values of variables name. A word is read in every way that programs
 * are known to read theirs, and what is there counts: rather a file too many than a script that nobody looks at.
 */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { sortedSet } from "../../base/order.js";

/** Behind and before these a name may stand within a word: `--a=b`, `-agent:x.jar=y`, `a.jar:b.jar`, `@file`, `"a b"`. */
const sign = /[\s"'`=:;,@|!?&#<>()[\]{}]/g;
/** What follows a whole name; the other signs stand within one just as well (`tool@2/bin`). */
const closing = /^(?:$|[\s"'`=:;,|])/;
/** How many signs a name may have in itself, unless it is all the rest of its word. */
const mostSigns = 16;

/** Real paths of the files that these words name; relative names begin at the folder that the program runs in. */
export function filesNamedIn(words: readonly string[], folder: string): string[] {
  return realPaths(words, (name, isWhole) => filesOf(name, folder, isWhole));
}

/** The same of whatever is there under a name, folders too. */
export function pathsNamedIn(words: readonly string[], folder: string): string[] {
  const isThere = (name: string) => !name.includes("\0") && kindOf(resolve(folder, name)) !== undefined;
  return realPaths(words, (name, isWhole) =>
    name !== "" && isThere(name) ? [resolve(folder, name)] : filesOf(name, folder, isWhole),
  );
}

/** What there is under a name, which may be all that a program is given of it. */
type Look = (name: string, isWhole: boolean) => string[];

function realPaths(words: readonly string[], look: Look): string[] {
  return sortedSet(words.flatMap((word) => filesIn(word, look)).map((path) => realpathSync(path)));
}

function filesIn(word: string, look: Look): string[] {
  const ends = [...Array.from(word.matchAll(sign), ({ index }) => index), word.length];
  return ends.flatMap((end, at) => {
    const begins = beginsIn(word.slice(0, end), (ends[at - 1] ?? -1) + 1);
    return [...ends.slice(at, at + mostSigns), word.length].flatMap((last) => {
      const isWhole = closing.test(word.slice(last, last + 1));
      return begins
        .flatMap((begin) => spellings(word.slice(begin, last)))
        .flatMap((name) => look(name, isWhole));
    });
  });
}

/** Where a name may begin in a part of a word: at once, behind a flag of one letter, at the first slash. */
function beginsIn(text: string, at: number): number[] {
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

/** The file of that name; where there is none, those that a program finds by it when it adds an ending: `node ./server`. */
function filesOf(name: string, folder: string, isWhole: boolean): string[] {
  // A NUL in a word is no path's.
  if (name === "" || name.includes("\0")) return [];
  const path = resolve(folder, name);
  const kind = kindOf(path);
  if (kind === "file") return [path];
  if (kind === "other" || !isWhole || !/[\\/]/.test(name)) return [];
  const [parent, beginning] = [dirname(path), `${basename(path)}.`];
  return namesIn(parent)
    .filter((other) => other.startsWith(beginning))
    .map((other) => join(parent, other))
    .filter((other) => kindOf(other) === "file");
}

function kindOf(path: string): "file" | "other" | undefined {
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts && (facts.isFile() ? "file" : "other");
  } catch {
    // Too long for a name, or not to be seen: nothing could run it either.
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
