/** Refuses a new name that its language does not allow: servers accept any text. */
import { Refusal } from "../../base/problem.js";
import { canBeIdentifier, reservedIn } from "../../protocol/identifiers.js";
import type { CallState } from "../call-state.js";
import type { Target } from "./target.js";
import { wordAt } from "./words.js";

export function checkNewName(call: CallState, target: Target | undefined, name: string): void {
  if (!/^\S+$/.test(name)) throw refused("The new name is empty or has white space in it.");
  const { languageId = "" } = target?.document ?? {};
  if (target === undefined || isInQuotes(target)) return;
  if (!canBeIdentifier(name, languageId)) throw refused(`${name} is not an identifier in ${languageId}.`);
  const reserved = reservedIn(name, languageId);
  if (reserved === "always") throw refused(`${name} is a reserved word in ${languageId}.`);
  if (reserved !== undefined)
    call.evidence.warn(
      "answer/reserved-name",
      `${name} is a reserved word in ${languageId}: only a property or a method can have this name.`,
      { name },
    );
}

/** Whether the old name may be a part of a string: a key such as `"content-type"` can have any characters. */
function isInQuotes({ document, place }: Target): boolean {
  const line = place === undefined ? "" : document.lines.line(place.line);
  const word = place === undefined ? undefined : wordAt(line, place.character);
  if (word === undefined) return true;
  return /["'`]/.test(`${line.charAt(word.start - 1)}${line.charAt(word.start + word.text.length)}`);
}

function refused(message: string): Refusal {
  return new Refusal("guard/invalid-arguments", message);
}
