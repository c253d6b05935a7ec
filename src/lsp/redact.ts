/**
 * Takes absolute paths out of texts that servers wrote: inside the roots they become relative, outside they go, in every
 * form that servers are known to print them in. Rather too much goes than too little.
 */
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const part = "[^\\s\"'`<>()[\\]:,;]+";
const quoted = /(?<=(?<quote>["'`]))(?:file:\/|[A-Za-z]:[\\/]|\/)[^"'`\r\n]*(?=\k<quote>)/i;
const fileUri = /file(?::|%3a)(?:[\\/]|%2f)+[^\s"'`<>()[\]]+/i;
/** `\/as\/some\/json` has it. */
const escaped = /(?<!\\)(?:\\\/[^\s"'`<>()[\]:,;\\/]+){2,}/;
/** After a word, a path begins with a flag (`-I/usr`) or not at all; after a colon, unless that is a URL's. */
const before = "(?<![\\w.:/\\\\<-])|(?<=(?:^|\\s)-[A-Za-z]+)|(?<=[<:])(?!\\/[/>]|\\/\\w+>)";
const plain = new RegExp(`(?:${before})(?:\\b[A-Za-z]:[\\\\/]|/)${part}`);
/** A few more words, when the last of them shows that a name with spaces goes on. */
const rest = new RegExp(
  `(?: (?!/)${part}){0,4}? (?!/)(?:${part}/${part}|[^\\s"'\`<>()[\\]:,;/]+\\.\\w{1,8}\\b)`,
);
const paths = new RegExp(
  `(${quoted.source}|${fileUri.source}|${escaped.source}|${plain.source})((?:${rest.source})?)`,
  "gi",
);

/** The text without paths outside the roots. */
export function redact(text: string, roots: readonly string[]): string {
  return text.replace(paths, (_all, found: string, _quote: unknown, more: string) => {
    const inside = insideRoots(toPath(found), roots);
    if (inside !== undefined) return inside + redact(more, roots);
    // A root may itself have a space in its name.
    return insideRoots(toPath(found + more), roots) ?? "<path>";
  });
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
