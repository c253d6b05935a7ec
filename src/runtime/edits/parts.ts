/**
 * A file of a preview in parts that fit a page, so that the largest edit can be read to its end by cursor. Their diffs one
 * after the other are the diff, their edits are the edits: one with a long text goes on as insertions at its own end.
 */
import type { Json, JsonObject } from "../../base/json.js";

/** Characters of the diff, and of the edits, in one part; a page has room for both in both forms. */
const roomOfPart = 6000;
/** The share of a page that a part may take. */
const shareOfPage = 1 / 8;

/** The end of an edit's span, as an empty span. */
type EndOf = (edit: JsonObject) => JsonObject;

/** The parts of a file for pages of so many characters; the file itself when it is small enough. */
export function partsOf(file: JsonObject, page: number, endOf: EndOf): JsonObject[] {
  const room = Math.min(roomOfPart, Math.floor(page * shareOfPage));
  const { edits, diff, ...rest } = file;
  const editParts = Array.isArray(edits)
    ? groups(
        edits.flatMap((edit) => shortEdits(edit, room, endOf)),
        room,
      )
    : [];
  const diffParts =
    typeof diff === "string" ? groups(shortLines(diff, room), room).map((lines) => lines.join("")) : [];
  const parts = Math.max(editParts.length, diffParts.length);
  if (parts < 2) return [file];
  return Array.from({ length: parts }, (_, index) => ({
    ...rest,
    ...{ part: index + 1, parts },
    ...(edits === undefined ? {} : { edits: editParts[index] ?? [] }),
    ...(diffParts[index] === undefined ? {} : { diff: diffParts[index] }),
  }));
}

/** Pieces that stand together, as many as there is room for. */
function groups<T extends Json>(pieces: readonly T[], room: number): T[][] {
  const made: T[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const piece of pieces) {
    const size = JSON.stringify(piece).length;
    if (used + size > room) {
      made.push([]);
      used = 0;
    }
    made.at(-1)?.push(piece);
    used += size;
  }
  return made;
}

function shortEdits(edit: Json, room: number, endOf: EndOf): JsonObject[] {
  const whole = edit as JsonObject;
  const [first = "", ...more] = pieces(String(whole.new_text), room);
  if (more.length === 0) return [whole];
  const rest = more.map((text) => ({ ...endOf(whole), new_text: text, continues: true }));
  return [{ ...whole, new_text: first }, ...rest];
}

/** The lines of a text, long ones in pieces. */
function shortLines(text: string, room: number): string[] {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).flatMap((line) => pieces(line, room));
}

/** A text in pieces that have room when they are written as JSON, none of which ends within a character. */
function pieces(text: string, room: number): string[] {
  if (JSON.stringify(text).length <= room) return [text];
  const made: string[] = [];
  let [piece, used] = ["", 0];
  for (const character of text) {
    const size = JSON.stringify(character).length - 2;
    if (used + size > room / 2 && piece !== "") {
      made.push(piece);
      [piece, used] = ["", 0];
    }
    piece += character;
    used += size;
  }
  return [...made, piece];
}
