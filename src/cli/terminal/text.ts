/** Text for a terminal: display width, escaping of control characters, tables, plurals and shortened lists. */

/** Ranges of code points that are two cells wide: East Asian wide forms and emoji. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

/** The number of terminal cells of a text. */
export function displayWidth(text: string): number {
  let cells = 0;
  for (const character of text) {
    if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) continue;
    const code = character.codePointAt(0) ?? 0;
    cells += WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
  }
  return cells;
}

/** Replaces control characters and characters that change the text direction. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}

/** Escapes every character of untrusted text that could move, hide or reverse what the terminal shows. */
export function escaped(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** Aligned columns under headings; the last column is not padded. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column] ?? ""))));
  const pad = (cell: string, column: number) =>
    column === headings.length - 1
      ? cell
      : cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cell)));
  return `${all.map((row) => row.map(pad).join("  ").trimEnd()).join("\n")}\n`;
}

/** The first items of a list, and how many more there are. */
export function some(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(", ");
  return items.length > most ? `${shown}, +${items.length - most}` : shown;
}

/** `1 server`, `2 servers`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
