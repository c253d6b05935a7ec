/** The numeric kinds of LSP as lower-case words. The index of a word is its number minus one. */

/** Severities, worst first. Diagnostics are sorted in this order. */
export const severities = ["error", "warning", "information", "hint"] as const;

export const symbolKinds: readonly string[] = `
file module namespace package class method property field constructor enum interface function
variable constant string number boolean array object key null enum_member struct event operator
type_parameter`
  .trim()
  .split(/\s+/);

const types = ["class", "interface", "struct", "enum", "type_parameter"];
const functions = ["function", "method", "constructor"];

/** Words of languages for symbols, and the kinds of LSP that servers report for them. */
export const kindWords: { readonly [word: string]: readonly string[] } = {
  type: types,
  typedef: types,
  alias: types,
  record: ["class", "struct"],
  union: ["class", "struct", "enum"],
  trait: ["interface"],
  protocol: ["interface"],
  mixin: ["class", "interface"],
  impl: ["object"],
  fn: functions,
  func: functions,
  def: functions,
  macro: ["function", "constant"],
  mod: ["module", "namespace"],
  var: ["variable", "constant", "field", "property"],
  let: ["variable", "constant"],
  const: ["constant", "variable"],
  static: ["constant", "variable"],
  attribute: ["field", "property", "variable"],
  member: ["field", "property", "method", "enum_member"],
  variant: ["enum_member"],
};

export const completionKinds: readonly string[] = `
text method function constructor field variable class interface module property unit value enum
keyword snippet color file reference folder enum_member constant struct event operator
type_parameter`
  .trim()
  .split(/\s+/);

export const hintKinds = ["type", "parameter"] as const;

export const highlightKinds = ["text", "read", "write"] as const;

/** The word for a number; undefined if the number is not a known kind. */
export function wordOf(kinds: readonly string[], number: unknown): string | undefined {
  return typeof number === "number" ? kinds[number - 1] : undefined;
}

/** The word for the kind of a symbol. */
export function kindWord(kind: unknown): string {
  return wordOf(symbolKinds, kind) ?? "unknown";
}
