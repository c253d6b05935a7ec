/** Collects problems while a plan is built: nothing is thrown, so that one run shows all of them. */
import { type Code, codes } from "../base/codes.js";
import { nearest } from "../base/nearest.js";
import type { Place, Problem } from "../base/problem.js";

export class Report {
  readonly problems: Problem[] = [];
  readonly #locate: (pointer: string) => Place | undefined;

  constructor(locate: (pointer: string) => Place | undefined) {
    this.#locate = locate;
  }

  /** Notes a problem of the value at a pointer; the code says how severe it is and what mends it. */
  add(code: Code, pointer: string, message: string, hints: { suggestion?: string; fix?: string } = {}): void {
    const problem: Problem = {
      code,
      severity: codes[code].kind === "warning" ? "warning" : "error",
      message,
      pointer,
      fix: hints.fix ?? codes[code].fix,
    };
    const place = this.#nearestPlace(pointer);
    if (place) problem.place = place;
    if (hints.suggestion !== undefined) problem.suggestion = hints.suggestion;
    this.problems.push(problem);
  }

  /** Notes a name that is not known, with the nearest that is and, when they are few or none is near, all of them. */
  unknown(code: Code, pointer: string, what: string, name: string, known: readonly string[]): void {
    const suggestion = nearest(name, known);
    const most = suggestion === undefined ? 32 : 10;
    const list = known.length > 0 && known.length <= most ? ` Known: ${known.join(", ")}.` : "";
    this.add(
      code,
      pointer,
      `${what} \`${name}\` does not exist.${list}`,
      suggestion === undefined ? {} : { suggestion },
    );
  }

  /** A value that a file does not spell out is shown at the nearest table that it does. */
  #nearestPlace(pointer: string): Place | undefined {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf("/"))) {
      const place = this.#locate(at);
      if (place || at === "") return place;
    }
  }
}
