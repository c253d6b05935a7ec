/** Collects problems while a plan is built. Nothing is thrown, so that one run reports all of them. */
import { type Code, codes } from "../base/codes.js";
import { nearest } from "../base/nearest.js";
import type { Place, Problem } from "../base/problem.js";

export class Report {
  readonly problems: Problem[] = [];
  readonly #locate: (pointer: string) => Place | undefined;

  constructor(locate: (pointer: string) => Place | undefined) {
    this.#locate = locate;
  }

  /** Adds a problem of the value at a pointer. The code determines the severity and the default fix. */
  add(
    code: Code,
    pointer: string,
    message: string,
    fix: string = codes[code].fix,
    suggestion?: string,
  ): void {
    const severity = codes[code].kind === "warning" ? "warning" : "error";
    const problem: Problem = { code, severity, message, pointer, fix };
    const place = this.#nearestPlace(pointer);
    if (place) problem.place = place;
    if (suggestion !== undefined) problem.suggestion = suggestion;
    this.problems.push(problem);
  }

  /** Adds a problem for an unknown name, with the nearest known name, and all known names if they are few. */
  unknown(code: Code, pointer: string, what: string, name: string, known: readonly string[]): void {
    const suggestion = nearest(name, known);
    const most = suggestion === undefined ? 32 : 10;
    const list = known.length > 0 && known.length <= most ? ` Known: ${known.join(", ")}.` : "";
    this.add(code, pointer, `${what} \`${name}\` does not exist.${list}`, undefined, suggestion);
  }

  /** Adds a problem for each unknown name in a list. */
  checkNames(
    code: Code,
    pointer: string,
    what: string,
    names: readonly string[],
    known: readonly string[],
  ): void {
    names.forEach((name, index) => {
      if (!known.includes(name)) this.unknown(code, `${pointer}/${index}`, what, name, known);
    });
  }

  /** The place of the value, or of the nearest enclosing table that is in a file. */
  #nearestPlace(pointer: string): Place | undefined {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf("/"))) {
      const place = this.#locate(at);
      if (place || at === "") return place;
    }
  }
}
