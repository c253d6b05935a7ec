/** Collects problems while a plan is built. Nothing is thrown, so that one run reports all of them. */
import { type Code, codes } from "../base/codes.js";
import { toPointer } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import type { Problem, ProblemPlace } from "../base/problem.js";

/** Problems of the config value at one JSON Pointer; `at` gives the report of a value inside it. */
export class Report {
  constructor(
    private readonly locate: (pointer: string) => ProblemPlace | undefined,
    readonly pointer = "",
    readonly problems: Problem[] = [],
  ) {}

  at(...path: readonly (string | number)[]): Report {
    return new Report(this.locate, this.pointer + toPointer(path), this.problems);
  }

  /** Adds a problem. The code determines the severity and the default fix. */
  add(code: Code, message: string, fix: string = codes[code].fix, suggestion?: string): void {
    const severity = codes[code].kind === "warning" ? "warning" : "error";
    const problem: Problem = { code, severity, message, pointer: this.pointer, fix };
    const place = this.#nearestPlace();
    if (place) problem.place = place;
    if (suggestion !== undefined) problem.suggestion = suggestion;
    this.problems.push(problem);
  }

  /** Adds a problem for an unknown name, with the nearest known name, and all known names if they are few. */
  unknown(code: Code, what: string, name: string, known: readonly string[]): void {
    const suggestion = nearest(name, known);
    const most = suggestion === undefined ? 32 : 10;
    const list = known.length > 0 && known.length <= most ? ` Known: ${known.join(", ")}.` : "";
    this.add(code, `${what} \`${name}\` does not exist.${list}`, undefined, suggestion);
  }

  /** Adds a problem for each unknown name in a list. */
  checkNames(code: Code, what: string, names: readonly string[], known: readonly string[]): void {
    names.forEach((name, index) => {
      if (!known.includes(name)) this.at(index).unknown(code, what, name, known);
    });
  }

  /** The place of the value, or of the nearest enclosing table that is in a file. */
  #nearestPlace(): ProblemPlace | undefined {
    for (let at = this.pointer; ; at = at.slice(0, at.lastIndexOf("/"))) {
      const place = this.locate(at);
      if (place || at === "") return place;
    }
  }
}

/** Names in backticks, for messages. */
export function quoted(names: readonly string[], separator = ", "): string {
  return names.map((name) => `\`${name}\``).join(separator);
}
