/**
 * The emitter's check of its own output: a generated module must parse, and outside strings and comments it must not
 * name anything that reaches out of it. A failure is a bug of the emitter, never of the config.
 */
import { Script } from "node:vm";
import { Fault } from "../base/problem.js";
import { forbiddenNames } from "./literal.js";

/** Throws a Fault when a generated module does not parse or names something forbidden. */
export function inspectModule(text: string, what: string): void {
  const found = identifiers(text).find((name) => forbiddenNames.has(name));
  if (found !== undefined) throw new Fault(`${what} names \`${found}\``);
  const exports = text.match(/^export default /gm) ?? [];
  if (exports.length !== 1) throw new Fault(`${what} has ${exports.length} exports`);
  try {
    // Compiled and never run. A script knows no `export`, so it becomes a plain binding.
    new Script(`"use strict";${text.replace(/^export default /m, "const exported$ = ")}`);
  } catch (cause) {
    throw new Fault(`${what} does not parse`, { cause });
  }
}

/** Comments, strings, identifiers, and single characters that generated code has only inside strings. */
const token =
  /(\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n\r]|\\[\s\S])*"|'(?:[^'\\\n\r]|\\[\s\S])*')|([\p{ID_Start}$_][\p{ID_Continue}$]*)|["'`\\]/gu;

/**
 * The identifiers of a text, without strings, comments and the names of members (`x.name`). Generated code has neither regular expression
 * literals nor template literals nor escaped identifiers; what looks like one is refused.
 */
export function identifiers(text: string): string[] {
  const names: string[] = [];
  for (const match of text.matchAll(token)) {
    const [all, skipped, name] = match;
    if (name !== undefined) {
      if (!isMember(text, match.index)) names.push(name);
    } else if (skipped === undefined) throw new Fault(`generated code has a stray ${all}`);
  }
  return names;
}

/** Whether what begins here stands behind a dot that is not the end of a spread. */
function isMember(text: string, at: number): boolean {
  return text[at - 1] === "." && text.slice(at - 3, at) !== "...";
}
