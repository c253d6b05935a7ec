/**
 * Snippets that a server puts into an edit although it was told that this client has none. Tab stops go and their
 * defaults stay; what would need an editor (variables, transformations) has no plain text and is refused.
 */

/** The plain text of a snippet; undefined when it has none. */
export function plainSnippet(snippet: string): string | undefined {
  const read = readUntil(snippet, 0, "");
  return read !== undefined && read.next === snippet.length ? read.text : undefined;
}

interface Read {
  text: string;
  next: number;
}

function readUntil(snippet: string, from: number, close: string): Read | undefined {
  let text = "";
  let at = from;
  while (at < snippet.length) {
    const character = snippet[at] ?? "";
    if (character === close) return { text, next: at };
    if (character === "\\" && /[$}\\]/.test(snippet[at + 1] ?? "")) {
      text += snippet[at + 1];
      at += 2;
    } else if (character === "$") {
      const stop = tabStop(snippet, at);
      if (stop === undefined) return undefined;
      text += stop.text;
      at = stop.next;
    } else {
      text += character;
      at++;
    }
  }
  return close === "" ? { text, next: at } : undefined;
}

/** `$1`, `${1}`, `${1:default}`, `${1|one,two|}`; a lone `$` is itself. */
function tabStop(snippet: string, at: number): Read | undefined {
  const rest = snippet.slice(at);
  const bare = /^\$\d+/.exec(rest) ?? /^\$\{\d+\}/.exec(rest);
  if (bare) return { text: "", next: at + bare[0].length };
  const choice = /^\$\{\d+\|((?:\\.|[^,|\\])*)(?:\\.|[^|\\])*\|\}/.exec(rest);
  if (choice) return { text: (choice[1] ?? "").replaceAll(/\\(.)/g, "$1"), next: at + choice[0].length };
  const opening = /^\$\{\d+:/.exec(rest);
  if (opening) {
    const inner = readUntil(snippet, at + opening[0].length, "}");
    return inner && { text: inner.text, next: inner.next + 1 };
  }
  return /^\$(\{|[A-Za-z_])/.test(rest) ? undefined : { text: "$", next: at + 1 };
}
