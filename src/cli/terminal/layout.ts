/** Fits text to the width of a terminal: lines wrap between words, tables wrap inside their columns. */
import { escapeLine, escapeText } from "../../base/hidden-characters.js";
import type { Printed, Styled } from "./output.js";
import { displayWidth } from "./text.js";

/** The width where none is known. */
export const USUAL_WIDTH = 80;

/** Styles of headings, and of names that a person can type. */
export const HEADING = "1";
const NAME = "36";

/** The words of a text in lines of at most `width` cells. Only a word that is longer than a line is broken. */
export function wrapWords(text: string, width: number): string[] {
  if (displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (displayWidth(longer) <= width) line = longer;
    else {
      if (line !== "") lines.push(line);
      const pieces = brokenWord(word, width);
      line = pieces.pop() ?? "";
      lines.push(...pieces);
    }
  }
  return [...lines, line];
}

function brokenWord(word: string, width: number): string[] {
  if (displayWidth(word) <= width) return [word];
  const pieces = [""];
  for (const character of word) {
    const piece = `${pieces.at(-1) ?? ""}${character}`;
    if (displayWidth(piece) > width && pieces.at(-1) !== "") pieces.push(character);
    else pieces[pieces.length - 1] = piece;
  }
  return pieces;
}

/**
 * Text whose lines are wrapped between words. A wrapped line is indented by `hang`; else like its beginning, or below
 * the second column of an indented line that has two.
 */
export function wrapText(text: Printed, width: number, hang?: number): (string | Styled)[] {
  const pieces = (typeof text === "string" ? [text] : text).map((piece) =>
    typeof piece === "string" ? escapeText(piece) : { ...piece, text: escapeText(piece.text) },
  );
  const textOf = (piece: string | Styled) => (typeof piece === "string" ? piece : piece.text);
  const breaks = lineBreaks(pieces.map(textOf).join(""), width, hang);
  let offset = 0;
  return pieces.map((piece) => {
    const from = offset;
    offset += textOf(piece).length;
    const broken = textOf(piece).replace(/ /g, (space, index: number) => breaks.get(from + index) ?? space);
    return typeof piece === "string" ? broken : { ...piece, text: broken };
  });
}

/** The spaces that become line ends, by their index, each with the line end and indentation that replace it. */
function lineBreaks(text: string, width: number, hang: number | undefined): Map<number, string> {
  const breaks = new Map<number, string>();
  let start = 0;
  for (const line of text.split("\n")) {
    const lead = /^\s*/.exec(line)?.[0].length ?? 0;
    const second = /^ +\S+ {2,}(?=\S)/.exec(line)?.[0].length;
    const indent = Math.min(hang ?? second ?? lead, Math.floor(width / 2));
    let column = lead;
    let index = start + lead;
    let space: number | undefined;
    for (const word of line.slice(lead).split(" ")) {
      const cells = displayWidth(word);
      if (space !== undefined && word !== "" && column + cells > width) {
        // A long word is indented less, so that it fits.
        column = Math.max(0, Math.min(indent, width - cells));
        breaks.set(space, `\n${" ".repeat(column)}`);
      }
      column += cells + 1;
      index += word.length;
      space = index;
      index += 1;
    }
    start += line.length + 1;
  }
  return breaks;
}

/** Two columns: names, and texts that wrap beside them; below them where the terminal is too narrow for both. */
export function definitions(
  rows: readonly (readonly [string, string])[],
  width: number,
): (string | Styled)[] {
  const names = Math.max(...rows.map(([name]) => displayWidth(name)));
  const isNarrow = names + 4 > width / 2;
  const indent = " ".repeat(isNarrow ? 6 : names + 4);
  return rows.flatMap(([name, text]) => {
    const [first = "", ...more] = wrapWords(text, Math.max(1, width - indent.length));
    const gap = isNarrow ? `\n${indent}` : " ".repeat(names - displayWidth(name) + 2);
    return ["  ", { style: NAME, text: name }, gap, `${[first, ...more].join(`\n${indent}`)}\n`];
  });
}

const GAP = 2;

/** Aligned columns under headings. Where they are wider than the terminal, the cells of the widest columns wrap. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): (string | Styled)[] {
  const all = [headings, ...rows.map((row) => row.map(escapeLine))];
  const widths = columnWidths(headings.length, all, width);
  const [head = "", ...body] = all.map((row) => rowText(row, widths));
  return [{ style: HEADING, text: head }, "\n", body.map((line) => `${line}\n`).join("")];
}

/** The natural widths, less what the widest columns give up for all to fit; first those whose words stay whole. */
function columnWidths(count: number, rows: readonly (readonly string[])[], width: number): number[] {
  const most = (measure: (cell: string) => number) =>
    Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => measure(row[column] ?? ""))));
  const widths = most(displayWidth);
  const words = most((cell) => Math.max(...cell.split(" ").map(displayWidth)));
  let over = widths.reduce((sum, cells) => sum + cells, GAP * (count - 1)) - width;
  for (const least of [words, widths.map(() => 1)])
    for (; over > 0; over--) {
      const spare = widths.map((cells, column) => (cells > (least[column] ?? 1) ? cells : 0));
      const widest = Math.max(...spare);
      if (widest === 0) break;
      widths[spare.indexOf(widest)] = widest - 1;
    }
  return widths;
}

/** A row in as many lines as its cells need; the last column is not padded. */
function rowText(row: readonly string[], widths: readonly number[]): string {
  const cells = widths.map((cells, column) => wrapWords(row[column] ?? "", Math.max(1, cells)));
  const height = Math.max(...cells.map((lines) => lines.length));
  const lineAt = (index: number) =>
    cells
      .map((lines, column) => {
        const cell = lines[index] ?? "";
        return cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cell)));
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  return Array.from({ length: height }, (_, index) => lineAt(index)).join("\n");
}
