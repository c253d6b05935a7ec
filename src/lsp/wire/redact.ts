/**
 * Takes paths out of texts that servers wrote: inside the roots they become relative, outside they go, in every form that
 * servers are known to print them in. What may stay is a name within the roots, a name that begins nowhere (`and/or`,
 * `text/plain`), and a plain web address; rather too much goes than too little.
 */
import { isAbsolute, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { knownPlaceIn } from "./known-places.js";

/** What ends a name that nobody quoted. */
const ends = String.raw`\s"'${"`"}<>()\[\]:,;\x00-\x1f\x7f`;
const slash = String.raw`[\\\/]`;
/** `%2F`, also when it was encoded once more. */
const codedSlash = "%(?:25)*2f";
/** A letter or figure: behind one, a slash parts two names. Scripts that set no spaces between words are not among them. */
const letter = String.raw`[\w\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]`;
/** `it's`: no end of what was quoted. */
const apostrophe = `(?<=${letter})'(?=${letter})`;
/** A name up to its end; brackets are a part of it when a slash follows: `/app/(group)/page`. */
const part = String.raw`(?:[^${ends}]|${apostrophe}|[(\[][^${ends}]*[)\]](?=${slash}))+`;
/** A sign within a name, which is one when there is a slash behind it: `/a;v/x`, not `/a:3:4`. */
const further = String.raw`(?:(?:[:,;]+[^${ends}\\\/]+)+${slash}${part}){0,8}`;
const name = `${part}${further}`;

/** A terminal's colour but for its last letter, as it is or spelt out. */
const colour = String.raw`(?:\x1b|\\e|\\u001b|\\x1b|\\033)\[[\d;:?]*`;
/** Letters that are none: Markdown's emphasis, the end of a colour and of an escaped line end. */
const sham = String.raw`(?<=(?<!${letter})_{1,3})|(?<=${colour}[a-z])|(?<=(?<!\\)(?:\\\\)*\\[nrtbfv0])`;
const afresh = `(?:(?<!${letter})|${sham})`;

const web = String.raw`(?<!${letter})https?:\/\/[^\s"'${"`"}<>\\\/()\[\]\x00-\x1f][^\s"'${"`"}<>\x00-\x1f\x7f]*`;
/** A web address that has a path in it, as a parameter or behind another scheme. */
const carried = /file(?::|%(?:25)*3a)|[=#,;|](?:[\\/~]|%(?:25)*2f|[a-z]:[\\/])/i;

const beginning = String.raw`(?:[a-z][a-z0-9+.\-]*:${slash}|\/|~[\w.\-]*${slash}|\\\\|\.\.${slash}|${codedSlash})`;
const quoted = String.raw`(?<=(?<quote>["'${"`"}]))(?=${beginning})(?:(?!\\*\k<quote>)[^\r\n]|${apostrophe}){1,4096}(?=\\*\k<quote>)(?!${apostrophe})`;
const tail = String.raw`(?:[^\s"'${"`"}<>()\[\]\x00-\x1f]|${apostrophe})`;
/** `file:outside` too is an absolute path, as URLs are read; `file:3:4` is a place in a file. */
const fileUri = String.raw`(?:file(?::|%(?:25)*3a)(?:${slash}|${codedSlash})+|(?<!${letter})file(?::|%(?:25)*3a)(?=[^\s\d:,;]))${tail}+`;
const uri = String.raw`[a-z][a-z0-9+.\-]{0,31}(?::|%(?:25)*3a)(?:\/|${codedSlash}){2,}${tail}*`;
const share = String.raw`(?<![\w\\])\\{2,}[\w.?$\-]+\\+(?:[a-z]:\\+)?${name}`;
/** `\/as\/some\/json` has it. */
const escaped = String.raw`(?<![\\<])(?:(?:\\\/|\\u002f|\\x2f)[^${ends}\\\/]+)+`;
const encoded = `${afresh}${codedSlash}${part}`;
const drive = `${afresh}[a-z]:${slash}+${name}`;
/** Down with one kind of slash, so that `x\t/a` is no folder's name, and up again. */
const climbing = String.raw`(?:(?:(?<![\w.\\\/@\-]|${colour})|${sham})(?:(?:(?!_+\/)[\w.@\-]+(?<!@)\/)*?|(?:[\w.@\-]+\\)*?)|(?<=${letter}))\.\.${slash}${name}`;
const home = String.raw`${afresh}~[\w.\-]*${slash}${name}`;
/** After a word a path begins behind a flag (`-I/usr`) or a full stop, or not at all. */
const before = [
  String.raw`(?<!${letter}|[.*:\/\\<])`,
  sham,
  String.raw`(?<=(?:^|\s)--?[a-z\-]{1,40})`,
  String.raw`(?<=\w\.)`,
  String.raw`(?<=\.{3})`,
  "(?<=:)",
  String.raw`(?<=<)(?!\/[\w:\-]+>)`,
].join("|");
const plain = String.raw`(?=\/)(?:${before})\/(?![\^?*|{}=&!]|\/*(?:\s|$))${name}`;

/** A few more words, when the last of them shows that a name with spaces goes on. */
const word = `(?:[^${ends}]|${apostrophe})+`;
const rest = String.raw`(?: (?!\/)${word}){0,4}? (?!\/)(?:${word}\/${word}|[^${ends}\/]+\.\w{1,8}\b)`;

const kinds = [quoted, fileUri, uri, share, escaped, encoded, drive, climbing, home, plain];
/** A slash right behind a letter, with what follows: two names, unless it is a place that is known. */
const glued = `(?<=${letter})(?:\\/|${codedSlash})${name}`;
const all = `(?<address>${web})|(?:(?<found>${kinds.join("|")})|(?<glued>${glued}))(?<more>(?:${rest})?)`;
/** Made at the first need: to make and to compile it takes longer than many an answer. */
let paths: RegExp | undefined;
/** Without one of these there is no path in a text, nor a web address. */
const signs = /[\\/]|%(?:25)*(?:2f|3a)|file:/i;

interface Groups {
  address: string | undefined;
  found: string | undefined;
  more: string | undefined;
  glued: string | undefined;
}

/** The text without paths outside the roots. */
export function redact(text: string, roots: readonly string[]): string {
  if (!signs.test(text)) return text;
  paths ??= new RegExp(all, "giu");
  return text.replace(paths, (...match: unknown[]) => {
    const { address, found = "", more = "", glued: behind } = match.at(-1) as Groups;
    if (address !== undefined) return carried.test(address) ? "<path>" : address;
    if (behind !== undefined) {
      const at = Number(match.at(-3));
      return unglued(behind, more, text.slice(Math.max(0, at - 80), at), roots);
    }
    if (staysBelow(found)) return found + redact(more, roots);
    return shown(found, more, roots);
  });
}

/** What is told of a path, and of words that may belong to it. */
function shown(path: string, more: string, roots: readonly string[]): string {
  const inside = insideRoots(toPath(path), roots);
  // A quoted text that begins with a path may name another further on.
  if (inside !== undefined)
    return inside.replace(/\s.*/s, (words) => redact(words, roots)) + redact(more, roots);
  // A root may itself have a space in its name.
  return insideRoots(toPath(path + more), roots) ?? "<path>";
}

/** A name behind a word, without the known place that it is or leads to. */
function unglued(name: string, more: string, before: string, roots: readonly string[]): string {
  const path = name.replaceAll(/%(?:25)*2f/gi, "/");
  const at = knownPlaceIn(path, before, roots);
  if (at === undefined) return name + redact(more, roots);
  return `${path.slice(0, at)} ${shown(path.slice(at), more, roots)}`;
}

/** Whether a relative name climbs no higher than it has gone down: `a/../b`. */
function staysBelow(found: string): boolean {
  if (!/^[\w.@-]+[\\/]/.test(found)) return false;
  return !posix.normalize(found.replaceAll("\\", "/")).startsWith("..");
}

function insideRoots(path: string, roots: readonly string[]): string | undefined {
  for (const root of roots) {
    const inside = relative(root, path);
    if (inside === "") return ".";
    if (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) {
      return inside.split(sep).join("/");
    }
  }
  return undefined;
}

/** The path that was found; what cannot be read as one is nowhere inside. */
function toPath(found: string): string {
  if (found.startsWith("\\/")) return found.replaceAll("\\/", "/");
  if (!/^file(?::|%3a)/i.test(found)) return isAbsolute(found) ? found : sep;
  try {
    return fileURLToPath(/^file:/i.test(found) ? found : decodeURIComponent(found));
  } catch {
    return sep;
  }
}
