/**
 * Checks generated code: a module must parse, and outside strings and comments it must not use names that reach outside,
 * such as `import` or `process`. A failure is a bug of the emitter, never of the config.
 */
import { Script } from "node:vm";
import { Fault } from "../base/problem.js";
import { forbiddenNames } from "./literal.js";

/** Throws a Fault if a generated module does not parse or uses a forbidden name. */
export function inspectModule(text: string, what: string): void {
  const found = identifiers(text).find((name) => forbiddenNames.has(name));
  if (found !== undefined) throw new Fault(`${what} names \`${found}\``);
  const exports = text.match(/^export default /gm) ?? [];
  if (exports.length !== 1) throw new Fault(`${what} has ${exports.length} exports`);
  try {
    // Compiled, never run. `export` is not allowed in a script, so it becomes a declaration.
    new Script(`"use strict";${text.replace(/^export default /m, "const exported$ = ")}`);
  } catch (cause) {
    throw new Fault(`${what} does not parse`, { cause });
  }
}

/** Comments and strings, identifiers, and characters that generated code has only inside strings. */
const token =
  /(\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n\r]|\\[\s\S])*"|'(?:[^'\\\n\r]|\\[\s\S])*')|([\p{ID_Start}$_][\p{ID_Continue}$]*)|["'`\\]/gu;

/**
 * The identifiers of a text, without member names (`x.name`). Generated code has no regular expression literals, template
 * literals or escaped identifiers; anything that looks like one is refused.
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

/** Whether the identifier at this index follows a dot that is not part of a spread. */
function isMember(text: string, at: number): boolean {
  return text[at - 1] === "." && text.slice(at - 3, at) !== "...";
}
