/**
 * Finds a position by the text of its line. A `|` marks the symbol, but may also be a `|` of the code. An exact
 * line wins over one that differs in indentation only, and that one over a line that contains the text.
 */
import type { JsonObject } from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { columnsOf, cutCharacters, type Lines } from "../../base/text.js";
import { formatRange } from "../../protocol/dialect-format.js";
import { toSpan } from "../answer/places.js";
import type { CallState } from "../call-state.js";
import { declaredOn, SeveralMatches } from "./find-symbol.js";
import { warnOfMovedPosition } from "./nearby.js";
import { identifierOf, nameAndIndex } from "./symbol-names.js";
import { findWord } from "./symbols.js";
import type { Place, Target } from "./target.js";
import { firstWord, wordAt } from "./words.js";

const snippetCharacters = 400;

/** The text to look for, and where the mark was in it. */
interface SoughtText {
  text: string;
  mark: number | undefined;
}

/** A line that matches; the column is the mark's, or undefined without a mark. */
interface Match {
  line: number;
  column: number | undefined;
}

/** The arguments about a line besides its text. */
interface LineHints {
  /** The word of the line that is meant. */
  name: string | undefined;
  /** The line's number as the agent counted it: of several lines, this one or the nearest is meant. */
  line: number | undefined;
}

/** The target at the line with this text; with a name, at that word of the line. */
export async function findLine(
  call: CallState,
  target: Target,
  text: string,
  { name, line }: LineHints,
): Promise<Target> {
  const { lines } = target.document;
  const readings = readingsOf(text);
  const given = line === undefined ? undefined : line - call.plan.dialect.position.lineBase;
  const found = [isSame, isIndented, isWithin].map((compare) => matchesOf(lines, readings, compare));
  const onIt = found.map((some) => some.filter((match) => match.line === given));
  const matches =
    onIt.find((some) => some.length > 0) ??
    nearestLine(
      call,
      found.find((some) => some.length > 0),
      given,
    );
  if (matches === undefined)
    throw new Refusal("point/no-line", `No line of ${target.admitted.shown} has this text.`);
  const places: Place[] = [];
  for (const match of matches) places.push(await placeInLine(call, target, match, name));
  const distinct = uniqueBy(places, ({ line, character }) => `${line}:${character}`);
  const [only] = distinct;
  if (only === undefined || distinct.length > 1)
    throw new SeveralMatches(
      "Several lines have this text; give more of it, or point at one of the candidates.",
      distinct.map((place) => candidate(call, target, place)),
    );
  const chosen = { ...target, place: only };
  if (given !== undefined && only.line !== given)
    warnOfMovedPosition(call, chosen, `Line ${line} does not have this text`);
  return chosen;
}

/** The matches that are nearest to a line. An edit is not guessed: it keeps all of them. */
function nearestLine({ tool }: CallState, matches: Match[] | undefined, given: number | undefined) {
  if (matches === undefined || given === undefined || tool.effect === "edit") return matches;
  const distance = Math.min(...matches.map(({ line }) => Math.abs(line - given)));
  return matches.filter(({ line }) => Math.abs(line - given) === distance);
}

/** The text itself, then the text with each of its `|` taken as the mark. */
function readingsOf(text: string): SoughtText[] {
  const marks = [...text.matchAll(/\|/g)].map(({ index }) => index);
  return [
    { text, mark: undefined },
    ...marks.map((mark) => ({ text: text.slice(0, mark) + text.slice(mark + 1), mark })),
  ];
}

/** Where a text begins in a line, or undefined. */
type Compare = (line: string, text: string) => number | undefined;

const isSame: Compare = (line, text) => (line === text ? 0 : undefined);

const isIndented: Compare = (line, text) =>
  text.trim() !== "" && line.trim() === text.trim()
    ? line.length - line.trimStart().length - (text.length - text.trimStart().length)
    : undefined;

const isWithin: Compare = (line, text) => {
  const at = text.trim() === "" ? -1 : line.indexOf(text.trim());
  return at < 0 ? undefined : at - (text.length - text.trimStart().length);
};

/** The text with its bars wins; without them it is a guess. */
function matchesOf(lines: Lines, readings: SoughtText[], compare: Compare): Match[] {
  const exact = matchesIn(lines, readings.slice(0, 1), compare);
  return exact.length > 0 ? exact : matchesIn(lines, readings.slice(1), compare);
}

function matchesIn(lines: Lines, readings: SoughtText[], compare: Compare): Match[] {
  const found: Match[] = [];
  for (let line = 0; line < lines.count; line++) {
    const text = lines.line(line);
    for (const reading of readings) {
      const at = compare(text, reading.text);
      if (at === undefined) continue;
      const column =
        reading.mark === undefined ? undefined : Math.min(text.length, Math.max(0, at + reading.mark));
      found.push({ line, column });
    }
  }
  return found;
}

/** The mark's position; without one the named word, else what the line declares, else its first word. */
async function placeInLine(
  call: CallState,
  target: Target,
  { line, column }: Match,
  name: string | undefined,
): Promise<Place> {
  const text = target.document.lines.line(line);
  if (column !== undefined) return { line, character: column };
  if (name === undefined)
    return (await declaredOn(call, target, line)) ?? { line, character: firstWord(text)?.start ?? 0 };
  const found = findWord(text, identifierOf(nameAndIndex(name).name));
  if (found === undefined) throw new Refusal("point/no-symbol", `The line does not have ${name}.`);
  return { line, character: found };
}

function candidate(call: CallState, target: Target, place: Place): JsonObject {
  const { dialect } = call.plan;
  const { lines } = target.document;
  const text = lines.line(place.line);
  const end = { line: place.line, character: columnsOf(text, "utf-16") };
  const word = wordAt(text, place.character)?.text;
  const item: JsonObject = {
    name: word ?? text.trim(),
    kind: word === undefined ? "line" : "word",
    ...call.places.document(target.admitted),
    ...formatRange(dialect, toSpan(lines, { start: place, end }, "utf-16", dialect.position.unit)),
  };
  return text.trim() === "" ? item : { ...item, text: cutCharacters(text.trim(), snippetCharacters).text };
}
