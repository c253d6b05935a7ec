/**
 * Where the tables of a TOML text begin, told without understanding it, so that what is broken in one table does not hide
 * what is broken in the next. Never a line within a text or a list: a table that is not seen only leaves an error untold.
 */

/** `[a.b]` or `[[a.b]]` alone on its line; the group is its first key. */
const HEADER =
  /[ \t]*\[{1,2}[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*(?:\.[ \t]*(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*)*\]{1,2}[ \t]*(?:#[^\n]*)?\r?(?=\n|$)/y;

/** Bare keys that no value of a list can be: they can only stand in a header. */
const NO_VALUE = /^(?!(?:true|false|inf|nan)$)[A-Za-z_]/;

const TEXT_IN_LINE = /"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?/y;
const COMMENT = /#[^\n]*/y;

/** The offsets of all headers. */
export function headerOffsets(text: string): number[] {
  const found: number[] = [];
  let depth = 0;
  let isLineStart = true;
  for (let at = 0; at < text.length; ) {
    const header = isLineStart ? match(HEADER, text, at) : null;
    isLineStart = text[at] === "\n";
    if (header !== null && (depth === 0 || NO_VALUE.test(header[1] ?? ""))) {
      found.push(at);
      // A list that was never closed ends here.
      depth = 0;
      at += header[0].length;
      continue;
    }
    depth = Math.max(0, depth + step(text[at]));
    at = afterToken(text, at);
  }
  return found;
}

function step(character: string | undefined): number {
  if (character === "[" || character === "{") return 1;
  return character === "]" || character === "}" ? -1 : 0;
}

/** The offset behind the text or comment that begins here, or behind one character. */
function afterToken(text: string, at: number): number {
  for (const quotes of ['"""', "'''"]) {
    if (text.startsWith(quotes, at)) return afterLongText(text, at + 3, quotes);
  }
  const token = match(TEXT_IN_LINE, text, at) ?? match(COMMENT, text, at);
  return at + Math.max(1, token?.[0].length ?? 1);
}

/** A text over several lines that does not end has all the rest. */
function afterLongText(text: string, from: number, quotes: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (quotes === '"""' && text[at] === "\\") at += 1;
    else if (text.startsWith(quotes, at)) return at + quotes.length;
  }
  return text.length;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
