/** Replaces common HTML entities, and escaped `_` and `*`, by their characters in Markdown outside code. */

const named: { readonly [name: string]: string } = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ensp: " ",
  emsp: " ",
  hellip: "…",
  mdash: "—",
  ndash: "–",
};
const entity = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g;
/** Fenced blocks and spans of code. */
const code = /(^|\n)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n\2|$)|(`+)(?!`)[\s\S]*?[^`]\3(?!`)/g;

/** The text with entities and escapes outside of code replaced by their characters. */
export function withoutEntities(markdown: string): string {
  if (!/[&\\]/.test(markdown)) return markdown;
  let out = "";
  let end = 0;
  for (const match of markdown.matchAll(code)) {
    out += decoded(markdown.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return out + decoded(markdown.slice(end));
}

function decoded(text: string): string {
  return text
    .replaceAll(entity, (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
      const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return isCharacter(point) ? String.fromCodePoint(point) : whole;
    })
    .replaceAll(/\\([_*])/g, "$1");
}

/** Whether a number is a character that may stand in a text: no control character, no half of a pair. */
function isCharacter(point: number): boolean {
  if (point === 0xa0) return true;
  return (
    (point >= 0x20 && point < 0x7f) ||
    (point > 0xa0 && point < 0xd800) ||
    (point > 0xdfff && point <= 0x10ffff)
  );
}
