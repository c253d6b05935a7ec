/**
 * Takes paths out of texts that servers wrote: inside the roots they become relative, outside they go, in every form that
 * servers are known to print them in. What may stay is a name within the roots, a name that begins nowhere (`and/or`,
 * `text/plain`), and a plain web address; rather too much goes than too little.
 */
import { isAbsolute, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** What ends a name that nobody quoted. */
const ends = String.raw`\s"'${"`"}<>()\[\]:,;\x00-\x1f\x7f`;
const slash = String.raw`[\\\/]`;
/** `%2F`, also when it was encoded once more. */
const codedSlash = "%(?:25)*2f";
/** A name up to its end; brackets are a part of it when a slash follows: `/app/(group)/page`. */
const part = String.raw`(?:[^${ends}]|[(\[][^${ends}]*[)\]](?=${slash}))+`;
/** A sign within a name, which is one when there is a slash behind it: `/a;v/x`, not `/a:3:4`. */
const further = String.raw`(?:(?:[:,;]+[^${ends}\\\/]+)+${slash}${part}){0,8}`;
const name = `${part}${further}`;

/** A letter or figure: behind one, a slash parts two names. Scripts that set no spaces between words are not among them. */
const letter = String.raw`[\w\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]`;
/** Letters that are none: the end of a terminal's colour and of an escaped line end, as they are or spelt out. */
const sham = String.raw`(?<=(?:\x1b|\\e|\\u001b|\\x1b|\\033)\[[\d;:?]*[a-z])|(?<=(?<!\\)(?:\\\\)*\\[nrtbfv0])`;
const afresh = `(?:(?<!${letter})|${sham})`;

const web = String.raw`(?<!${letter})https?:\/\/[^\s"'${"`"}<>\\\/()\[\]\x00-\x1f][^\s"'${"`"}<>\x00-\x1f\x7f]*`;
/** A web address that has a path in it, as a parameter or behind another scheme. */
const carried = /file(?::|%(?:25)*3a)|[=#,;|](?:[\\/~]|%(?:25)*2f|[a-z]:[\\/])/i;

const beginning = String.raw`(?:[a-z][a-z0-9+.\-]*:${slash}|\/|~[\w.\-]*${slash}|\\\\|\.\.${slash}|${codedSlash})`;
const quoted = String.raw`(?<=(?<quote>["'${"`"}]))(?=${beginning})(?:(?!\\*\k<quote>)[^\r\n]){1,4096}(?=\\*\k<quote>)`;
const fileUri = String.raw`file(?::|%(?:25)*3a)(?:${slash}|${codedSlash})+[^\s"'${"`"}<>()\[\]\x00-\x1f]+`;
const uri = String.raw`[a-z][a-z0-9+.\-]{0,31}(?::|%(?:25)*3a)(?:\/|${codedSlash}){2,}[^\s"'${"`"}<>()\[\]\x00-\x1f]*`;
const share = String.raw`(?<![\w\\])\\{2,}[\w.?$\-]+\\+(?:[a-z]:\\+)?${name}`;
/** `\/as\/some\/json` has it. */
const escaped = String.raw`(?<![\\<])(?:(?:\\\/|\\u002f|\\x2f)[^${ends}\\\/]+)+`;
const encoded = `${afresh}${codedSlash}${part}`;
const drive = `${afresh}[a-z]:${slash}+${name}`;
const climbing = String.raw`(?:(?<![\w.\\\/@\-])|${sham})(?:[\w.@\-]+${slash})*?\.\.${slash}${name}`;
const home = String.raw`${afresh}~[\w.\-]*${slash}${name}`;
/** After a word a path begins behind a flag (`-I/usr`) or a full stop, or not at all. */
const before = [
  String.raw`(?<!${letter}|[.*:\/\\<])`,
  sham,
  String.raw`(?<=(?:^|\s)--?[a-z\-]{1,40})`,
  String.raw`(?<=\w\.)`,
  "(?<=:)",
  String.raw`(?<=<)(?!\/[\w:\-]+>)`,
].join("|");
const plain = String.raw`(?=\/)(?:${before})\/(?![\^?*|{}=&!]|\/*(?:\s|$))${name}`;

/** A few more words, when the last of them shows that a name with spaces goes on. */
const word = `[^${ends}]+`;
const rest = String.raw`(?: (?!\/)${word}){0,4}? (?!\/)(?:${word}\/${word}|[^${ends}\/]+\.\w{1,8}\b)`;

const kinds = [quoted, fileUri, uri, share, escaped, encoded, drive, climbing, home, plain];
const paths = new RegExp(`(?<address>${web})|(?<found>${kinds.join("|")})(?<more>(?:${rest})?)`, "giu");

interface Groups {
  address: string | undefined;
  found: string | undefined;
  more: string | undefined;
}

/** The text without paths outside the roots. */
export function redact(text: string, roots: readonly string[]): string {
  return text.replace(paths, (...match: unknown[]) => {
    const { address, found = "", more = "" } = match.at(-1) as Groups;
    if (address !== undefined) return carried.test(address) ? "<path>" : address;
    if (staysBelow(found)) return found + redact(more, roots);
    const inside = insideRoots(toPath(found), roots);
    // A quoted text that begins with a path may name another further on.
    if (inside !== undefined)
      return inside.replace(/\s.*/s, (words) => redact(words, roots)) + redact(more, roots);
    // A root may itself have a space in its name.
    return insideRoots(toPath(found + more), roots) ?? "<path>";
  });
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
