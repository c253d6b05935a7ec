/**
 * Agents miscount. When a read tool finds nothing at a place that is not even on a word, the words close by are tried,
 * and the answer says so. On a word, nothing found is the truth and is left alone; edits are never moved.
 */
import type { Lines } from "../base/text.js";
import { spellPoint } from "../protocol/spelling.js";
import type { CallState } from "./call-state.js";
import { toPoint } from "./convert.js";
import { isEmpty, type ReplyPart } from "./reply.js";
import type { Place, Target } from "./target.js";

const mostTries = 4;
const reach = 2;

/** The answer at the first word nearby that has one; the target then stands there. */
export async function answersNearby(
  call: CallState,
  target: Target,
  ask: () => Promise<ReplyPart[]>,
): Promise<ReplyPart[] | undefined> {
  const { readiness } = call.evidence;
  if (!target.isCounted || target.place === undefined || call.tool.effect !== "read") return undefined;
  if (readiness === "indexing" || readiness === "starting") return undefined;
  for (const place of wordsNear(target.document.lines, target.place).slice(0, mostTries)) {
    target.place = place;
    const parts = await ask();
    if (parts.every((part) => isEmpty(part.value))) continue;
    const { dialect } = call.plan;
    const used = toPoint(target.document.lines, place, "utf-16", dialect.position.unit);
    call.evidence.warn(
      "answer/fuzzed-position",
      "There is no symbol at the exact position; the word beside it was used.",
      spellPoint(dialect, used),
    );
    return parts;
  }
  return undefined;
}

/** The starts of the words around a place that is on none, the closest reading first. */
export function wordsNear(lines: Lines, place: Place): Place[] {
  if (wordAt(lines.line(place.line), place.character) !== undefined) return [];
  const found = new Map<string, Place>();
  for (const line of [place.line, place.line + 1, place.line - 1]) {
    for (let away = 0; away <= reach; away++) {
      for (const character of [place.character + away, place.character - away]) {
        const start = wordAt(lines.line(line), character);
        if (start !== undefined) found.set(`${line}:${start}`, { line, character: start });
      }
    }
  }
  return [...found.values()];
}

/** Where the word begins that covers or touches a column. */
function wordAt(line: string, column: number): number | undefined {
  for (const match of line.matchAll(/[\p{L}\p{N}\p{M}_$]+/gu)) {
    if (match.index <= column && column <= match.index + match[0].length) return match.index;
  }
  return undefined;
}
