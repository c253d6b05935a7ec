/** Columns of text for a terminal, as wide as what stands in them. */
import { displayWidth, printable } from "./width.js";

/** Rows under their headings; the last column is not padded. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column] ?? ""))));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === headings.length - 1 ? cell : padded(cell, widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return `${all.map(line).join("\n")}\n`;
}

function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

/** A list cut to the first few, with how many more there are. */
export function some(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(", ");
  return items.length > most ? `${shown}, +${items.length - most}` : shown;
}
