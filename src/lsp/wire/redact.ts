/**
 * Redacts absolute paths in texts of servers, in every form that servers print them: paths inside the roots become
 * relative, others become `<path>`. Relative names (`and/or`, `text/plain`) and plain web addresses stay. When in
 * doubt, text is redacted.
 */
import { tmpdir } from "node:os";
import { dirname, isAbsolute, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { knownHome } from "../../base/home.js";
import { isInside, slashed } from "../../base/paths.js";

/** Characters that end an unquoted name. */
const ends = String.raw`\s"'${"`"}<>()\[\]:,;\x00-\x1f\x7f`;
const slash = String.raw`[\\\/]`;
/** `%2F`, also when it was encoded again. */
const codedSlash = "%(?:25)*2f";
/** A letter or digit: a slash after one separates two names. Scripts without spaces between words are not included. */
const letter = String.raw`[\w\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]`;
/** An apostrophe as in `it's` does not end a quoted text. */
const apostrophe = `(?<=${letter})'(?=${letter})`;
/** A name. Brackets belong to it when a slash follows: `/app/(group)/page`. */
const part = String.raw`(?:[^${ends}]|${apostrophe}|[(\[][^${ends}]*[)\]](?=${slash}))+`;
/** Punctuation belongs to a name when a slash follows it: `/a;v/x`, not `/a:3:4`. */
const punctuated = String.raw`(?:(?:[:,;]+[^${ends}\\\/]+)+${slash}${part}){0,8}`;
const name = `${part}${punctuated}`;

/** A terminal colour code without its last letter, raw or escaped. */
const colour = String.raw`(?:\x1b|\\e|\\u001b|\\x1b|\\033)\[[\d;:?]*`;
/** Letters that belong to no word: Markdown emphasis, the end of a colour code, an escaped line break. */
const notInWord = String.raw`(?<=(?<!${letter})_{1,3})|(?<=${colour}[a-z])|(?<=(?<!\\)(?:\\\\)*\\[nrtbfv0])`;
const wordStart = `(?:(?<!${letter})|${notInWord})`;

const web = String.raw`(?<!${letter})https?:\/\/[^\s"'${"`"}<>\\\/()\[\]\x00-\x1f][^\s"'${"`"}<>\x00-\x1f\x7f]*`;
/** A web address that contains a path, as a parameter or behind another scheme. */
const containsPath = /file(?::|%(?:25)*3a)|[=#,;|](?:[\\/~]|%(?:25)*2f|[a-z]:[\\/])/i;

const beginning = String.raw`(?:[a-z][a-z0-9+.\-]*:${slash}|\/|~[\w.\-]*${slash}|\\\\|\.\.${slash}|${codedSlash})`;
const quoted = String.raw`(?<=(?<quote>["'${"`"}]))(?=${beginning})(?:(?!\\*\k<quote>)[^\r\n]|${apostrophe}){1,4096}(?=\\*\k<quote>)(?!${apostrophe})`;
const tail = String.raw`(?:[^\s"'${"`"}<>()\[\]\x00-\x1f]|${apostrophe})`;
/** `file:outside` is an absolute path too; `file:3:4` is a position in a file. */
const fileUri = String.raw`(?:file(?::|%(?:25)*3a)(?:${slash}|${codedSlash})+|(?<!${letter})file(?::|%(?:25)*3a)(?=[^\s\d:,;]))${tail}+`;
const uri = String.raw`[a-z][a-z0-9+.\-]{0,31}(?::|%(?:25)*3a)(?:\/|${codedSlash}){2,}${tail}*`;
const share = String.raw`(?<![\w\\])\\{2,}[\w.?$\-]+\\+(?:[a-z]:\\+)?${name}`;
/** Slashes as escaped in JSON: `\/as\/here`. */
const escaped = String.raw`(?<![\\<])(?:(?:\\\/|\\u002f|\\x2f)[^${ends}\\\/]+)+`;
const encoded = `${wordStart}${codedSlash}${part}`;
const drive = `${wordStart}[a-z]:${slash}+${name}`;
/** A relative name with `..`. It uses one kind of slash, so that `x\t/a` is not taken for a folder. */
const climbing = String.raw`(?:(?:(?<![\w.\\\/@\-]|${colour})|${notInWord})(?:(?:(?!_+\/)[\w.@\-]+(?<!@)\/)*?|(?:[\w.@\-]+\\)*?)|(?<=${letter}))\.\.${slash}${name}`;
const home = String.raw`${wordStart}~[\w.\-]*${slash}${name}`;
/** Text allowed directly before a path: a flag (`-I/usr`) or a full stop, but no other word. */
const before = [
  String.raw`(?<!${letter}|[.*:\/\\<])`,
  notInWord,
  String.raw`(?<=(?:^|\s)--?[a-z\-]{1,40})`,
  String.raw`(?<=\w\.)`,
  String.raw`(?<=\.{3})`,
  "(?<=:)",
  String.raw`(?<=<)(?!\/[\w:\-]+>)`,
].join("|");
const plain = String.raw`(?=\/)(?:${before})\/(?![\^?*|{}=&!]|\/*(?:\s|$))${name}`;

/** Further words of a name with spaces, when the last of them looks like part of a path. */
const word = `(?:[^${ends}]|${apostrophe})+`;
const rest = String.raw`(?: (?!\/)${word}){0,4}? (?!\/)(?:${word}\/${word}|[^${ends}\/]+\.\w{1,8}\b)`;

const pathForms = [quoted, fileUri, uri, share, escaped, encoded, drive, climbing, home, plain];
/** A name right after a letter: relative, unless it contains a known absolute folder. */
const glued = `(?<=${letter})(?:\\/|${codedSlash})${name}`;
const all = `(?<address>${web})|(?:(?<found>${pathForms.join("|")})|(?<glued>${glued}))(?<more>(?:${rest})?)`;
/** Compiled at the first use: it takes longer than many requests. */
let paths: RegExp | undefined;
/** A text without any of these contains no path and no web address. */
const mayHavePath = /[\\/]|%(?:25)*(?:2f|3a)|file:/i;

type Groups = { [name: string]: string | undefined };

export function redact(text: string, roots: readonly string[]): string {
  if (!mayHavePath.test(text)) return text;
  paths ??= new RegExp(all, "giu");
  return text.replace(paths, (...match: unknown[]) => {
    const { address, found = "", more = "", glued: afterWord } = match.at(-1) as Groups;
    if (address !== undefined) return containsPath.test(address) ? "<path>" : address;
    if (afterWord !== undefined) {
      const at = Number(match.at(-3));
      return redactAfterWord(afterWord, more, text.slice(Math.max(0, at - 80), at), roots);
    }
    if (staysBelowStart(found)) return found + redact(more, roots);
    return shown(found, more, roots);
  });
}

/** A path as shown, with words after it that may belong to it. */
function shown(path: string, more: string, roots: readonly string[]): string {
  const inside = insideRoots(toPath(path), roots);
  // A quoted text that begins with a path may contain another.
  if (inside !== undefined)
    return inside.replace(/\s.*/s, (words) => redact(words, roots)) + redact(more, roots);
  // The name of a root may contain a space.
  return insideRoots(toPath(path + more), roots) ?? "<path>";
}

/** A name right after a word, with a known absolute folder in it redacted. */
function redactAfterWord(name: string, more: string, before: string, roots: readonly string[]): string {
  const path = name.replaceAll(/%(?:25)*2f/gi, "/");
  const at = knownFolderIn(path, before, roots);
  if (at === undefined) return name + redact(more, roots);
  return `${path.slice(0, at)} ${shown(path.slice(at), more, roots)}`;
}

/** Whether a relative name stays below its start: `a/../b`. */
function staysBelowStart(found: string): boolean {
  if (!/^[\w.@-]+[\\/]/.test(found)) return false;
  return !posix.normalize(found.replaceAll("\\", "/")).startsWith("..");
}

function insideRoots(path: string, roots: readonly string[]): string | undefined {
  const root = roots.find((folder) => isInside(path, folder));
  return root === undefined ? undefined : slashed(relative(root, path)) || ".";
}

/** The found text as a path; `/` when it cannot be read as one, which is inside no root. */
function toPath(found: string): string {
  if (found.startsWith("\\/")) return found.replaceAll("\\/", "/");
  if (!/^file(?::|%3a)/i.test(found)) return isAbsolute(found) ? found : sep;
  try {
    return fileURLToPath(/^file:/i.test(found) ? found : decodeURIComponent(found));
  } catch {
    return sep;
  }
}

/** Folders that exist on every system and hardly in any project. */
const systemFolders =
  /^\/(?:etc|nix\/store|opt|private|proc|root|run|snap|srv|tmp|usr\/(?:include|lib\w*|local|s?bin|share|src)|var\/(?:cache|folders|lib|log|mail|run|spool|tmp|www))\//;
/** A single word before a path: not a name of several parts. */
const singleWord = /(?:^|[^\p{L}\p{N}_/.@-])[\p{L}\p{N}_]+$/u;
const ownFolders = [knownHome(process.env) ?? "", tmpdir()];

/**
 * The offset of an absolute path in a name that follows a word without a space (`error/home/me/x`). Folders of this
 * user and of the workspace are recognised anywhere in the name, system folders only after a single word.
 */
function knownFolderIn(name: string, before: string, roots: readonly string[]): number | undefined {
  const starts = [...ownFolders, ...roots, ...roots.flatMap(foldersAbove)]
    // A folder at the top of the file system has a name that any project may use.
    .filter((folder) => folder.split(sep).length > 2)
    .map((folder) => startOf(name, folder))
    .filter((start) => start >= 0);
  if (starts.length > 0) return Math.min(...starts);
  return systemFolders.test(name) && singleWord.test(before) ? 0 : undefined;
}

/** The offset of a whole folder name in a text, or -1. */
function startOf(name: string, folder: string): number {
  let start = name.indexOf(folder);
  while (start >= 0 && /[\w-]/.test(name[start + folder.length] ?? sep))
    start = name.indexOf(folder, start + 1);
  return start;
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}
