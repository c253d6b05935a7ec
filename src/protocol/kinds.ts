/** LSP's numbered kinds as lower-case words; the index of a word is its number minus one. */

/** Severities, worst first: their order in a sorted list. */
export const severities = ["error", "warning", "information", "hint"] as const;

/** Kinds of symbols. */
export const symbolKinds = [
  "file",
  "module",
  "namespace",
  "package",
  "class",
  "method",
  "property",
  "field",
  "constructor",
  "enum",
  "interface",
  "function",
  "variable",
  "constant",
  "string",
  "number",
  "boolean",
  "array",
  "object",
  "key",
  "null",
  "enum_member",
  "struct",
  "event",
  "operator",
  "type_parameter",
] as const;

/** Kinds of completions. */
export const completionKinds = [
  "text",
  "method",
  "function",
  "constructor",
  "field",
  "variable",
  "class",
  "interface",
  "module",
  "property",
  "unit",
  "value",
  "enum",
  "keyword",
  "snippet",
  "color",
  "file",
  "reference",
  "folder",
  "enum_member",
  "constant",
  "struct",
  "event",
  "operator",
  "type_parameter",
] as const;

/** Kinds of inlay hints. */
export const hintKinds = ["type", "parameter"] as const;

/** Kinds of highlights. */
export const highlightKinds = ["text", "read", "write"] as const;

/** The word of a number; undefined when the number is none of the kinds. */
export function wordOf(kinds: readonly string[], number: unknown): string | undefined {
  return typeof number === "number" ? kinds[number - 1] : undefined;
}
