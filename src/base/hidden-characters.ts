/**
 * Escapes characters of foreign text that a terminal obeys or does not show: control characters (C0, C1, DEL), marks of
 * the text direction, zero-width and other invisible characters. The escape is that of JSON, so JSON stays equal.
 */

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The text with every hidden character replaced. */
export function replaceHidden(text: string, replace: (character: string) => string): string {
  return text.replace(HIDDEN, replace);
}

/** The text cut at its hidden characters, which are the odd parts. */
export function splitHidden(text: string): string[] {
  return text.split(new RegExp(`(${HIDDEN.source})`, "u"));
}

/** Escapes every hidden character, also line ends and tabs. For a value that is part of a line, such as a file name. */
export function escapeLine(text: string): string {
  return text.replace(HIDDEN, jsonEscape);
}

/** Escapes every hidden character but line ends and tabs. For text of several lines. */
export function escapeText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(HIDDEN, (found) => (found === "\n" || found === "\t" ? found : jsonEscape(found)));
}

/** `\uXXXX` for each UTF-16 unit. */
function jsonEscape(character: string): string {
  const unit = (index: number) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  return Array.from({ length: character.length }, (_, index) => unit(index)).join("");
}
