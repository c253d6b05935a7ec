/**
 * Corrects miscounted positions of read tools. If nothing is found at a position that is not on a word, other
 * readings of the numbers are tried (0- or 1-based, characters, UTF-16 units or bytes), then nearby positions,
 * and the answer says so. On a word, an empty answer is the truth. Edits are never moved.
 */
import type { DialectPlan } from "../../abi/plan.js";
import { sortBy } from "../../base/order.js";
import { columnsOf, convertColumn, type Lines, type PositionEncoding } from "../../base/text.js";
import { formatPosition, type Point } from "../../protocol/dialect-format.js";
import { isKeyword } from "../../protocol/keywords.js";
import { toPoint } from "../answer/places.js";
import { isEmpty, type ReplyPart } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { declaredNames } from "./find-symbol.js";
import type { Place, Target } from "./target.js";
import { wordAt, wordsOf } from "./words.js";

const mostTries = 4;
const mostPlaces = 50;
const reach = 2;
const units: readonly PositionEncoding[] = ["utf-32", "utf-16", "utf-8"];

/** The answer at the first nearby word that has one; the target moves there, for later steps too. */
export async function answersNearby(
  call: CallState,
  target: Target,
  ask: () => Promise<ReplyPart[]>,
): Promise<ReplyPart[] | undefined> {
  const { readiness } = call.evidence;
  const { counted, place } = target;
  if (counted === undefined || place === undefined || call.tool.effect !== "read") return undefined;
  if (!call.plan.dialect.position.fuzz) return undefined;
  if (readiness === "indexing" || readiness === "starting") return undefined;
  const { lines } = target.document;
  if (wordAt(lines.line(place.line), place.character) !== undefined) return undefined;
  const near = wordsAt(lines, placesNear(lines, place, counted, call.plan.dialect));
  const words = await namesOf(call, target, near);
  const here = wordsOf(lines.line(place.line)).map(({ start }) => ({ line: place.line, character: start }));
  // Where the line has names, a name of another line would be a guess.
  const hasNames = (await namesOf(call, target, here)).length > 0;
  const tried = hasNames ? words.filter(({ line }) => line === place.line) : words;
  for (const other of tried.slice(0, mostTries)) {
    target.place = other;
    const parts = await ask();
    if (parts.every((part) => isEmpty(part.value))) continue;
    warnOfMovedPosition(call, target, "There is no symbol at the exact position");
    return parts;
  }
  target.place = place;
  return undefined;
}

/** The words that are names: no numbers, and no keywords unless the file declares a symbol of that name. */
async function namesOf(call: CallState, target: Target, places: readonly Place[]): Promise<Place[]> {
  const { lines } = target.document;
  const textAt = ({ line, character }: Place) => wordAt(lines.line(line), character)?.text ?? "";
  const words = places.filter((place) => !/^\p{N}/u.test(textAt(place)));
  if (!words.some((place) => isKeyword(textAt(place)))) return words;
  const declared = new Set(await declaredNames(call, target));
  return words.filter((place) => !isKeyword(textAt(place)) || declared.has(textAt(place)));
}

/** The nearby position of a word, without asking a server; undefined when it is not near. */
export function wordNearby(target: Target, word: string, dialect: DialectPlan): Place | undefined {
  const { counted, place } = target;
  if (counted === undefined || place === undefined) return undefined;
  const { lines } = target.document;
  return wordsAt(lines, placesNear(lines, place, counted, dialect)).find(
    ({ line, character }) => wordAt(lines.line(line), character)?.text === word,
  );
}

/** Warns that another position was used, and names its word; `why` begins the sentence. */
export function warnOfMovedPosition(call: CallState, target: Target, why: string): void {
  const { place, document } = target;
  if (place === undefined) return;
  const { dialect } = call.plan;
  const { lineBase, characterBase, unit } = dialect.position;
  const used = toPoint(document.lines, place, "utf-16", unit);
  const word = wordAt(document.lines.line(place.line), place.character)?.text ?? "the place";
  const where = `line ${used.line + lineBase}, character ${used.character + characterBase}`;
  const message = `${why}; ${word} in ${where}, was used.`;
  call.evidence.warn("answer/fuzzed-position", message, formatPosition(dialect, used));
}

/** The starts of the words at these positions, without duplicates. */
export function wordsAt(lines: Lines, places: readonly Place[]): Place[] {
  const found = new Map<string, Place>();
  for (const { line, character } of places) {
    const word = wordAt(lines.line(line), character);
    if (word !== undefined) found.set(`${line}:${word.start}`, { line, character: word.start });
  }
  return [...found.values()];
}

/** The positions that the numbers may have meant, those of the given line and the likeliest first; at most 50. */
export function placesNear(lines: Lines, place: Place, counted: Point, dialect: DialectPlan): Place[] {
  const all = [...otherReadings(lines, counted, dialect), ...around(place)];
  return sortBy(all, ({ line }) => [line !== place.line]).slice(0, mostPlaces);
}

/** The same numbers, read with the other base or in other units. */
function otherReadings(lines: Lines, counted: Point, { position }: DialectPlan): Place[] {
  const { lineBase, characterBase } = position;
  const own = { line: counted.line - lineBase, character: counted.character - characterBase };
  const other = {
    line: counted.line - (1 - lineBase),
    character: counted.character - (1 - characterBase),
  };
  const others = units.filter((unit) => unit !== position.unit);
  return [
    ...others.map((unit) => ({ ...own, unit })),
    { line: own.line, character: other.character, unit: position.unit },
    { ...other, unit: position.unit },
    { line: other.line, character: own.character, unit: position.unit },
    ...others.map((unit) => ({ ...other, unit })),
  ].flatMap(({ line, character, unit }) => {
    const text = lines.line(line);
    if (line < 0 || line >= lines.count || character < 0 || character > columnsOf(text, unit)) return [];
    return [{ line, character: convertColumn(text, character, unit, "utf-16") }];
  });
}

function around(place: Place): Place[] {
  const places: Place[] = [];
  for (const line of [place.line, place.line + 1, place.line - 1]) {
    for (let away = 0; away <= reach; away++)
      places.push({ line, character: place.character + away }, { line, character: place.character - away });
  }
  return places;
}
