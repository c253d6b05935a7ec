/** From a call's arguments, in the dialect's form, to the document and position that they point at. */
import type { DialectPlan } from "../../abi/plan.js";
import type { Json, JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import { anchors } from "../../protocol/anchors.js";
import { type Point, spanNames } from "../../protocol/dialect-format.js";
import { lineTextName } from "../../protocol/pointing.js";
import { strictPathOfUri } from "../../workspace/gate.js";
import { table } from "../answer/answer-text.js";
import type { CallState } from "../call-state.js";
import { findLine } from "./find-line.js";
import { findSymbol } from "./find-symbol.js";
import { warnOfMovedPosition, wordNearby } from "./nearby.js";
import { pointAtArgument } from "./place-arguments.js";
import { identifierOf, nameAndIndex } from "./symbol-names.js";
import { findWord } from "./symbols.js";
import {
  type Numbers,
  numberIn,
  openTarget,
  type Place,
  placeOf,
  rangeBetween,
  type Target,
  warnPastLineEnd,
} from "./target.js";
import { wordAt } from "./words.js";

/** The arguments that point; `place` is the given position with missing parts filled in. */
function argumentsIn(call: CallState, input: JsonObject) {
  const { dialect } = call.plan;
  const { position } = dialect;
  const accepts = (anchor: keyof typeof anchors) => call.tool.input.includes(anchor);
  const file = textIn(input[dialect.document.field]);
  const name = accepts("symbol") ? textIn(input[dialect.symbol.name]) : undefined;
  const given: Numbers = accepts("position")
    ? numbersIn(position.form === "object" ? input.position : input, dialect)
    : { line: undefined, character: undefined };
  const lineText = accepts("text") ? textIn(input[lineTextName]) : undefined;
  const isPlaceless = accepts("document") || accepts("range");
  // An edit needs an exact position.
  const mayFill = accepts("position") && call.tool.effect !== "edit";
  const isPlace = mayFill && name === undefined && lineText === undefined;
  const place = isPlace && !(isPlaceless && isBlank(given)) ? filled(given, dialect) : given;
  // A line or a character alone, beside a name, only helps to find it.
  const isHalf = (given.line === undefined) !== (given.character === undefined);
  const isHint = mayFill && name !== undefined && position.missing === "first" && isHalf;
  return { file, name, lineText, given, place, isHint, isPlaceless };
}

/** The target of the arguments; undefined for a call about the whole workspace. */
export async function point(call: CallState, input: JsonObject): Promise<Target | undefined> {
  const { dialect } = call.plan;
  const { target: argument } = call.tool;
  if (argument !== null && input[argument] !== undefined) return pointAtArgument(call, input, argument);
  const { file, name, lineText, given, place, isHint, isPlaceless } = argumentsIn(call, input);
  if (file === undefined && name === undefined) {
    if (call.tool.input.some((anchor) => anchors[anchor].document === "none")) return undefined;
    throw incomplete(call);
  }
  // A dialect of URIs accepts nothing else: a path that looks like a URI would resolve to a place nobody named.
  if (file !== undefined && dialect.document.form === "uri") strictPathOfUri(file);
  const target = file === undefined ? undefined : await openTarget(call, file);
  if (target !== undefined && place.line !== undefined && place.character !== undefined)
    return atPosition(call, target, { line: place.line, character: place.character }, name);
  if (target !== undefined && lineText !== undefined)
    return findLine(call, target, lineText, { name, line: given.line });
  if (target !== undefined && name !== undefined && isHint) {
    const hinted = nearHint(call, target, given, name);
    if (hinted !== undefined) return hinted;
    call.evidence.warn(
      "answer/fuzzed-position",
      `${name} is not where half a place points; its name alone was used.`,
    );
  } else if (target !== undefined && place.line !== undefined && name !== undefined)
    return onLine(call, target, place.line, name);
  if (!isHint && !isBlank(place)) throw incomplete(call);
  if (name !== undefined) return findSymbol(call, { name, kind: textIn(input[dialect.symbol.kind]) }, target);
  if (target === undefined || !isPlaceless) throw incomplete(call);
  return call.tool.input.includes("range") ? { ...target, range: rangeIn(call, input, target) } : target;
}

/** The given position; with a name, the nearby position that has it. */
function atPosition(call: CallState, target: Target, counted: Point, name: string | undefined): Target {
  const { lines } = target.document;
  target.counted = counted;
  target.place = placeOf(call, lines, counted.line, counted.character);
  const moved = name === undefined ? undefined : beside(call, target, name);
  if (moved === undefined) warnPastLineEnd(call, lines, counted);
  return moved ?? target;
}

/** The nearby position of a name. Undefined when the position stays, with a warning if it lacks the name. */
function beside(call: CallState, target: Target, name: string): Target | undefined {
  const { lines } = target.document;
  const { line = 0, character = 0 } = target.place ?? {};
  const wanted = identifierOf(nameAndIndex(name).name);
  const here = wordAt(lines.line(line), character)?.text;
  if (here === wanted) return undefined;
  const { dialect } = call.plan;
  const mayBeNearby = call.tool.effect === "read" && dialect.position.fuzz;
  const found = mayBeNearby ? wordNearby(target, wanted, dialect) : undefined;
  if (found !== undefined) {
    const moved = { ...target, place: found };
    warnOfMovedPosition(call, moved, `${wanted} is not at the exact position`);
    return moved;
  }
  if (call.tool.effect !== "read")
    throw new Refusal("point/no-symbol", `The position does not have ${name}.`);
  call.evidence.warn(
    "answer/other-symbol",
    `The position has ${here ?? "no symbol"}, not ${name}; the position was used.`,
    { asked: name, found: here === undefined ? [] : [here] },
  );
  return undefined;
}

/** A line and a name without a character: the name's position on that line. */
function onLine(call: CallState, target: Target, line: number, name: string): Target {
  const found = placeOnLine(call, target, line, name);
  if (found === undefined)
    throw new Refusal("point/no-symbol", `Line ${line} of ${target.admitted.shown} does not have ${name}.`);
  const text = target.document.lines.line(found.line);
  if (
    call.tool.effect === "edit" &&
    findWord(text, identifierOf(nameAndIndex(name).name), found.character + 1) !== undefined
  )
    throw new Refusal(
      "point/incomplete",
      `Line ${line} of ${target.admitted.shown} has ${name} more than once; give the character too.`,
    );
  return { ...target, place: found };
}

function placeOnLine(call: CallState, { document }: Target, line: number, name: string): Place | undefined {
  const start = placeOf(call, document.lines, line, call.plan.dialect.position.characterBase);
  const found = findWord(document.lines.line(start.line), identifierOf(nameAndIndex(name).name));
  return found === undefined ? undefined : { line: start.line, character: found };
}

/** The name on the given line, or at the document's start when the line is missing; undefined when in neither. */
function nearHint(call: CallState, target: Target, given: Numbers, name: string): Target | undefined {
  const { dialect } = call.plan;
  const { line = dialect.position.lineBase, character = dialect.position.characterBase } = given;
  const onIt = placeOnLine(call, target, line, name);
  if (given.line !== undefined) return onIt === undefined ? undefined : { ...target, place: onIt };
  const place = placeOf(call, target.document.lines, line, character);
  const wanted = identifierOf(nameAndIndex(name).name);
  if (wordAt(target.document.lines.line(place.line), place.character)?.text === wanted)
    return { ...target, place };
  return onIt === undefined ? undefined : { ...target, place: onIt };
}

function rangeIn(call: CallState, input: JsonObject, target: Target): Target["range"] {
  const [start, end] = rangeNumbers(input, call.plan.dialect);
  const numbers = [start.line, start.character, end.line, end.character];
  if (numbers.every((number) => number === undefined)) return undefined;
  if (start.line === undefined) throw incomplete(call);
  return rangeBetween(call, target.document.lines, start, end);
}

/** A position with the missing parts filled in, where the dialect allows that. */
function filled(given: Numbers, { position }: DialectPlan): Numbers {
  if (position.missing === "refuse") return given;
  return {
    line: given.line ?? position.lineBase,
    character: given.character ?? position.characterBase,
  };
}

function isBlank({ line, character }: Numbers): boolean {
  return line === undefined && character === undefined;
}

function rangeNumbers(input: JsonObject, dialect: DialectPlan): [Numbers, Numbers] {
  if (dialect.position.form === "object") {
    const range = table(input.range);
    return [numbersIn(range.start, dialect), numbersIn(range.end, dialect)];
  }
  const { endLine, endCharacter } = spanNames(dialect);
  return [
    numbersIn(input, dialect),
    { line: numberIn(input[endLine]), character: numberIn(input[endCharacter]) },
  ];
}

function numbersIn(value: Json | undefined, dialect: DialectPlan): Numbers {
  const { [dialect.position.line]: line, [dialect.position.character]: character } = table(value);
  return { line: numberIn(line), character: numberIn(character) };
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function incomplete(call: CallState): Refusal {
  const { document, position, symbol } = call.plan.dialect;
  const place =
    position.form === "object" ? "`position`" : `\`${position.line}\` and \`${position.character}\``;
  const ways: string[] = [];
  if (call.tool.target !== null) ways.push(`\`${call.tool.target}\``);
  if (call.tool.input.includes("position")) ways.push(`\`${document.field}\` with ${place}`);
  if (call.tool.input.includes("symbol"))
    ways.push(`\`${symbol.name}\`, with or without \`${document.field}\``);
  if (call.tool.input.includes("text")) ways.push(`\`${document.field}\` with \`${lineTextName}\``);
  if (call.tool.input.includes("document")) ways.push(`\`${document.field}\``);
  if (call.tool.input.includes("range")) ways.push(`\`${document.field}\` with a whole range or none`);
  return new Refusal("point/incomplete", `Give ${ways.join(", or ")}.`);
}
