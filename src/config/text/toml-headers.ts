/**
 * Finds the table headers of a TOML text that may not parse, so that an error in one table does not hide errors in the next.
 * A line inside a string or a list is never taken for a header.
 */

/** `[a.b]` or `[[a.b]]` alone on its line; the group is its first key. */
const HEADER =
  /[ \t]*\[{1,2}[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*(?:\.[ \t]*(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*)*\]{1,2}[ \t]*(?:#[^\n]*)?\r?(?=\n|$)/y;

/** A bare key that cannot be a value of a list, so that it must be a header's. */
const ONLY_A_KEY = /^(?!(?:true|false|inf|nan)$)[A-Za-z_]/;

/** A string, a long string that may not end, or a comment. */
const TOKEN = /"""(?:[^\\]|\\.?)*?(?:"""|$)|'''.*?(?:'''|$)|"(?:[^"\\\n]|\\[^\n])*"?|'[^'\n]*'?|#[^\n]*/sy;

/** The offsets of all headers. */
export function headerOffsets(text: string): number[] {
  const offsets: number[] = [];
  let depth = 0;
  let isLineStart = true;
  for (let at = 0; at < text.length; ) {
    const header = isLineStart ? matchAt(HEADER, text, at) : null;
    if (header !== null && (depth === 0 || ONLY_A_KEY.test(header[1] ?? ""))) {
      offsets.push(at);
      // A list that was not closed ends here.
      depth = 0;
      isLineStart = false;
      at += header[0].length;
      continue;
    }
    const character = text[at] ?? "";
    isLineStart = character === "\n";
    if ("[{".includes(character)) depth++;
    if ("]}".includes(character)) depth = Math.max(0, depth - 1);
    at += Math.max(1, matchAt(TOKEN, text, at)?.[0].length ?? 1);
  }
  return offsets;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
